//! Follows one condition over time through a stream of hits.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::automaton::Time;
use super::compile::{Plan, Role, value};
use super::matches::MatchCollector;
use super::partition::{PartitionSet, Record};
use super::scope_key::ScopeKey;
use crate::matcher::{Hit, Match, Moment};
use crate::sort;
use kwhy_signature::Condition;

/// The maximum number of scopes followed at once.
pub(super) const MAX_SCOPES: usize = 1024;

/// The maximum number of records kept; the least recently used scopes are evicted first.
const MAX_RECORDS: usize = 8192;

/// The tolerance for late records in nanoseconds: concurrent writers of one log overtake each other by less.
const TOLERANCE: Time = 5_000_000_000;

const SECOND: Time = 1_000_000_000;

/// The time axes, which cannot be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    At = 0,
    Ago = 1,
}

/// The state of one scope.
#[derive(Clone, Debug)]
struct Group {
    /// The partitions of each axis.
    axes: [PartitionSet; 2],
    /// The time assigned to a hit without one: that of the last hit with a time.
    last: (Axis, Time),
    used: u64,
}

impl Group {
    fn new() -> Self {
        Group {
            // ages belong to one snapshot, whose rows may be in any order
            axes: [PartitionSet::new(Some(TOLERANCE)), PartitionSet::new(None)],
            last: (Axis::At, 0),
            used: 0,
        }
    }
}

/// Sorts matches into input order.
pub(super) fn sort(matches: &mut [Match]) {
    sort::by_key(matches, |found| {
        let places: Vec<_> = found.hits.iter().map(Hit::position).collect();
        (places.iter().min().copied(), places)
    });
}

/// Follows one condition over time, in memory bounded for any number of hits.
///
/// A clone shares the records and their count with the original, so that it can only be finished.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    plan: Arc<Plan>,
    /// The record whose hits are being collected.
    record: Vec<(Role, Hit)>,
    groups: BTreeMap<ScopeKey, Group>,
    /// The groups by last use.
    order: BTreeMap<u64, ScopeKey>,
    used: u64,
    collector: MatchCollector,
    /// Cloned by each record that is kept, to count them.
    counted: Arc<()>,
}

impl Stream {
    /// Creates a stream for a condition; `None` if it is not temporal.
    pub fn new(condition: &Condition) -> Option<Stream> {
        Plan::new(condition).map(|plan| Stream::of(Arc::new(plan)))
    }

    /// Creates a stream for the same condition, which has taken nothing.
    pub fn anew(&self) -> Stream {
        Stream::of(Arc::clone(&self.plan))
    }

    fn of(plan: Arc<Plan>) -> Stream {
        Stream {
            plan,
            record: Vec::new(),
            groups: BTreeMap::new(),
            order: BTreeMap::new(),
            used: 0,
            collector: MatchCollector::default(),
            counted: Arc::new(()),
        }
    }

    /// Takes a hit of a leaf, by its index in [`leaves`](kwhy_signature::leaves), in input order.
    /// All hits of one record are consecutive. Those of `also` are ignored.
    pub fn take(&mut self, leaf: usize, hit: Hit) {
        let Some(Some((role, comparisons))) = self.plan.leaves.get(leaf) else {
            return;
        };
        let mut comparisons = comparisons.iter();
        if !comparisons.all(|comparison| comparison.holds(|name| value(&hit, name))) {
            return;
        }
        let role = *role;
        let is_same = self.record.first().is_some_and(|(_, other)| {
            (other.document, &other.record) == (hit.document, &hit.record)
        });
        let is_taken = |(other, _): &(Role, Hit)| *other == role;
        if !is_same || !self.plan.by_line && self.record.iter().any(is_taken) {
            self.deliver();
            self.make_room();
        }
        self.record.push((role, hit));
    }

    /// Returns all matches in input order, and the number of hits dropped for being late or over
    /// the limits.
    pub fn finish(mut self) -> (Vec<Match>, u64) {
        // at the end no capacity needs to be freed
        self.deliver();
        for group in std::mem::take(&mut self.groups).values_mut() {
            for partitions in &mut group.axes {
                partitions.finish(&self.plan, &mut self.collector);
            }
        }
        let mut matches = self.collector.matches;
        sort(&mut matches);
        (matches, self.collector.dropped)
    }

    /// Passes the completed record to its group; line by line if each line is an entry.
    fn deliver(&mut self) {
        let mut hits = std::mem::take(&mut self.record);
        if !self.plan.by_line {
            return self.deliver_entry(hits);
        }
        sort::by_key(&mut hits, |(_, hit)| hit.place.line);
        let mut hits = hits.into_iter().peekable();
        while let Some((_, first)) = hits.peek() {
            let line = first.place.line;
            let same = std::iter::from_fn(|| hits.next_if(|(_, hit)| hit.place.line == line));
            self.deliver_entry(same.collect());
        }
    }

    fn deliver_entry(&mut self, hits: Vec<(Role, Hit)>) {
        let Some((_, hit)) = hits.first() else { return };
        let moment = hit.last.or(hit.first);
        let key = ScopeKey::of(hit, self.plan.per);
        self.used += 1;
        let group = self.groups.entry(key.clone()).or_insert_with(Group::new);
        self.order.remove(&group.used);
        group.used = self.used;
        let (axis, time) = match moment {
            Some(Moment::At(stamp)) => (Axis::At, stamp.nanos),
            Some(Moment::Ago(seconds)) => (Axis::Ago, -Time::from(seconds) * SECOND),
            None => group.last,
        };
        let record = Record {
            hits,
            span: None,
            counted: Arc::clone(&self.counted),
        };
        let partitions = &mut group.axes[axis as usize];
        if partitions.take(&self.plan, time, record, &mut self.collector) {
            group.last = (axis, time);
        }
        self.order.insert(self.used, key);
    }

    fn make_room(&mut self) {
        let is_full = |stream: &Self| {
            let records = Arc::strong_count(&stream.counted) - 1;
            stream.groups.len() > MAX_SCOPES || records > MAX_RECORDS
        };
        while self.groups.len() > 1 && is_full(self) {
            let Some((_, key)) = self.order.pop_first() else {
                return;
            };
            let Some(mut group) = self.groups.remove(&key) else {
                continue;
            };
            for partitions in &mut group.axes {
                let left = partitions.finish(&self.plan, &mut self.collector);
                self.collector.dropped += left as u64;
            }
        }
    }

    /// The number of records kept.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        Arc::strong_count(&self.counted) - 1
    }
}
