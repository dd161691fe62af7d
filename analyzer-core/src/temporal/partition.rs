//! The hits of one scope on one time axis, partitioned by the values of the shared captures.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::automaton::{Full, SPARE, Span, Time};
use super::compile::{Plan, Role};
use super::level::Level;
use super::matches::MatchCollector;
use super::reorder::Reorder;
use super::threshold::{Burst, Bursts};
use crate::matcher::Hit;

/// The maximum number of partitions of one scope and time axis.
pub(super) const MAX_PARTITIONS: usize = 256;

/// The hits of one record, each with its role. `counted` lets the stream count the records that are still referenced.
#[derive(Debug)]
pub(super) struct Record {
    pub hits: Vec<(Role, Hit)>,
    /// Its extent, if it is a match of an inner condition.
    pub span: Option<Span>,
    pub counted: Arc<()>,
}

impl Record {
    /// Returns the hit that fills a slot.
    pub fn in_slot(&self, slot: usize) -> Option<&Hit> {
        let mut hits = self.hits.iter();
        hits.find(|(role, _)| *role == Role::Slot(slot))
            .map(|(_, hit)| hit)
    }

    /// Returns the hits of the entry that fills a slot: several for a match of an inner condition.
    pub fn of_slot(&self, slot: usize) -> impl Iterator<Item = &Hit> {
        let all = self.span.map_or(1, |_| self.hits.len());
        let hits = self.hits.iter();
        hits.filter(move |(role, _)| *role == Role::Slot(slot))
            .map(|(_, hit)| hit)
            .take(all)
    }
}

/// The values of the shared captures; `None` for those that a hit lacks.
pub(super) type Values = Vec<Option<String>>;

#[derive(Clone, Debug)]
struct Partition {
    level: Level,
    /// The number of records taken.
    taken: u64,
    /// The time of last use, counted in records taken.
    used: u64,
}

#[derive(Clone, Debug)]
pub(super) struct PartitionSet {
    reorder: Reorder<Arc<Record>>,
    bursts: Bursts<Arc<Record>>,
    partitions: BTreeMap<Values, Partition>,
    /// Records that belong to several partitions, kept for partitions yet to be opened.
    loose: VecDeque<(Time, Arc<Record>)>,
    used: u64,
}

impl PartitionSet {
    pub fn new(tolerance: Option<Time>) -> Self {
        PartitionSet {
            reorder: Reorder::new(tolerance),
            bursts: Bursts::new(),
            partitions: BTreeMap::new(),
            loose: VecDeque::new(),
            used: 0,
        }
    }

    /// Takes a record in input order; returns false if it was too late.
    pub fn take(
        &mut self,
        plan: &Plan,
        time: Time,
        record: Record,
        collector: &mut MatchCollector,
    ) -> bool {
        if !self.reorder.push(time, Arc::new(record)) {
            collector.dropped += 1;
            return false;
        }
        while let Some((time, record)) = self.reorder.pop() {
            self.deliver(plan, time, &record, collector);
        }
        true
    }

    /// Ends the input. Returns the number of entries that no match took.
    pub fn finish(&mut self, plan: &Plan, collector: &mut MatchCollector) -> usize {
        while let Some((time, record)) = self.reorder.pop_any() {
            self.deliver(plan, time, &record, collector);
        }
        let mut left = self.bursts.len();
        if let Some(burst) = self.bursts.finish() {
            collector.add(of_burst(burst));
            left = 0;
        }
        for (values, partition) in std::mem::take(&mut self.partitions) {
            left += partition.finish(plan, &values, collector);
        }
        left
    }

    fn deliver(
        &mut self,
        plan: &Plan,
        time: Time,
        record: &Arc<Record>,
        collector: &mut MatchCollector,
    ) {
        if plan.is_burst {
            let Some(hit) = record.in_slot(0) else { return };
            let shape = (plan.shape.needs[0], plan.shape.window);
            let counts = (plan.weight(hit), hit.count);
            let ended = self.bursts.take(shape, time, counts, Arc::clone(record));
            if let Some(burst) = ended {
                collector.add(of_burst(burst));
            }
            return;
        }
        self.used += 1;
        let mut is_loose = false;
        let mut own: Vec<Values> = Vec::new();
        for (role, hit) in &record.hits {
            let values = plan.values(hit);
            is_loose |= values.iter().any(Option::is_none);
            // a refutation affects only existing partitions, unless it looks back
            if !matches!(role, Role::Refutes(_)) || plan.shape.look_back() > 0 {
                self.open(plan, time, &values, collector);
            }
            own.push(values);
        }
        if is_loose {
            for (values, partition) in &mut self.partitions {
                partition.take(plan, values, time, record, collector);
            }
            self.keep_loose(plan, time, record);
            return;
        }
        own.sort_unstable();
        own.dedup();
        for values in own {
            if let Some(partition) = self.partitions.get_mut(&values) {
                partition.used = self.used;
                partition.take(plan, &values, time, record, collector);
            }
        }
    }

    fn keep_loose(&mut self, plan: &Plan, time: Time, record: &Arc<Record>) {
        let oldest = time - plan.shape.horizon() - plan.shape.look_back();
        while self.loose.front().is_some_and(|(time, _)| *time < oldest) {
            self.loose.pop_front();
        }
        if self.loose.len() >= SPARE {
            self.loose.pop_front();
        }
        self.loose.push_back((time, Arc::clone(record)));
    }

    /// Opens the partition of these values, with the earlier records that belong to it.
    fn open(&mut self, plan: &Plan, time: Time, values: &Values, collector: &mut MatchCollector) {
        if let Some(partition) = self.partitions.get_mut(values) {
            partition.used = self.used;
            return;
        }
        if self.partitions.len() >= MAX_PARTITIONS {
            let partitions = self.partitions.iter();
            let least = partitions.min_by_key(|(_, partition)| partition.used);
            if let Some(values) = least.map(|(values, _)| values.clone())
                && let Some(mut partition) = self.partitions.remove(&values)
            {
                partition.advance(plan, &values, time, collector);
                collector.dropped += partition.finish(plan, &values, collector) as u64;
            }
        }
        let mut partition = Partition {
            level: Level::new(plan),
            taken: 0,
            used: self.used,
        };
        for (time, record) in &self.loose {
            partition.take(plan, values, *time, record, collector);
        }
        self.partitions.insert(values.clone(), partition);
    }
}

impl Partition {
    /// Takes the hits of a record that are compatible with these values.
    fn take(
        &mut self,
        plan: &Plan,
        values: &Values,
        time: Time,
        record: &Arc<Record>,
        collector: &mut MatchCollector,
    ) {
        let mut fired = Vec::new();
        self.level
            .take(plan, (values, time, self.taken), record, &mut fired);
        self.taken += 1;
        collect_matches(plan, values, fired, collector);
    }

    fn advance(
        &mut self,
        plan: &Plan,
        values: &Values,
        time: Time,
        collector: &mut MatchCollector,
    ) {
        let mut fired = Vec::new();
        self.level.advance(plan, time, &mut fired);
        collect_matches(plan, values, fired, collector);
    }

    fn finish(mut self, plan: &Plan, values: &Values, collector: &mut MatchCollector) -> usize {
        let mut fired = Vec::new();
        self.level.finish(plan, &mut fired);
        collect_matches(plan, values, fired, collector);
        collector.dropped += self.level.dropped();
        self.level.len()
    }
}

fn collect_matches(
    plan: &Plan,
    values: &Values,
    fired: Vec<Full<Arc<Record>>>,
    collector: &mut MatchCollector,
) {
    for full in fired {
        let hits = full
            .iter()
            .flat_map(|(slot, record)| record.of_slot(*slot).map(|hit| (*slot, hit)));
        collector.complete(plan, values, hits.collect());
    }
}

fn of_burst(burst: Burst<Arc<Record>>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = burst
        .items
        .iter()
        .filter_map(|record| record.in_slot(0).cloned())
        .collect();
    let counted = hits
        .iter()
        .map(|hit| hit.count)
        .fold(0, u64::saturating_add);
    if let (Some(last), Some(latest)) = (hits.last_mut(), burst.latest.in_slot(0)) {
        last.count += burst.count.saturating_sub(counted);
        last.last = latest.last;
    }
    hits
}
