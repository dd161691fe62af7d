//! The automaton of a condition over time, with those of the conditions nested in it.
//!
//! A match of an inner condition is an entry of the outer one, from its first record to its last. It is known only when
//! it is decided, which is after its last record if something may still refute it, so the outer condition runs with
//! that delay.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::automaton::{Automaton, Entry, Full, Span, Time};
use super::compile::{Inner, Plan, Role};
use super::partition::{Record, Values};
use super::reorder::MAX_WAITING;
use super::scope_key::ScopeKey;

/// The maximum number of scopes of an inner condition that are followed at once.
const MAX_SCOPES: usize = 64;

/// The maximum number of records kept while an inner condition follows several scopes.
const MAX_RECORDS: usize = 8192;

/// Entries in order of time; of one record, those that fill slots come first.
type Waiting = BTreeMap<(Time, u64, Order, u64), Entry<Arc<Record>>>;

/// The order of the entries of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Fills,
    Own,
    Refutes,
}

/// The state of a condition and of those nested in it.
#[derive(Clone, Debug)]
pub(super) struct Level {
    automaton: Automaton<Arc<Record>>,
    /// For each inner condition, the scopes that are followed, each with the number of its last record.
    inner: Vec<BTreeMap<ScopeKey, (u64, Level)>>,
    waiting: Waiting,
    /// The number of entries that have waited, which numbers them.
    waited: u64,
    dropped: u64,
}

impl Level {
    pub fn new(plan: &Plan) -> Level {
        Level {
            automaton: Automaton::new(&plan.shape),
            inner: plan.inner.iter().map(|_| BTreeMap::new()).collect(),
            waiting: BTreeMap::new(),
            waited: 0,
            dropped: 0,
        }
    }

    /// The number of entries dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped + self.automaton.dropped()
    }

    /// The number of entries kept.
    pub fn len(&self) -> usize {
        let scopes = self.inner.iter().flat_map(BTreeMap::values);
        let inner: usize = scopes.map(|(_, level)| level.len()).sum();
        self.automaton.len() + self.waiting.len() + inner
    }

    /// Takes the hits of a record that are compatible with some values, and adds the matches that it completes.
    /// `number` is the record's number among all records.
    pub fn take(
        &mut self,
        plan: &Plan,
        (values, time, number): (&Values, Time, u64),
        record: &Arc<Record>,
        fired: &mut Vec<Full<Arc<Record>>>,
    ) {
        let mut own = Entry {
            time,
            span: None,
            count: 1,
            slots: 0,
            refutations: 0,
            item: Arc::clone(record),
        };
        for (role, hit) in &record.hits {
            if plan.fits(values, hit) {
                let (slots, refutations) = role.bits();
                own.slots |= slots;
                own.refutations |= refutations;
                own.count = plan.weight(hit);
            }
        }
        let is_own = own.slots != 0 || own.refutations != 0;
        if plan.inner.is_empty() {
            if is_own {
                self.automaton.take(&plan.shape, own, fired);
            }
            return;
        }
        for (at, inner) in plan.inner.iter().enumerate() {
            self.advance_inner(at, inner, time);
            self.take_inner(at, inner, (time, number), record);
        }
        if is_own {
            own.span = Some(Span::of_record(time, number));
            self.wait((time, number, Order::Own), own);
        }
        self.release(plan, Some(time), fired);
    }

    /// Passes the hits of a record to the inner condition that they belong to.
    fn take_inner(
        &mut self,
        at: usize,
        inner: &Inner,
        (time, number): (Time, u64),
        record: &Arc<Record>,
    ) {
        let own = record.hits.iter().filter_map(|(role, hit)| match role {
            Role::Inside { inner, leaf } if *inner == at => Some((*leaf, hit)),
            _ => None,
        });
        let of_leaf = |(leaf, hit): (usize, &crate::matcher::Hit)| {
            let (role, _) = inner.plan.leaves.get(leaf)?.as_ref()?;
            Some((*role, hit.clone()))
        };
        let hits: Vec<_> = own.filter_map(of_leaf).collect();
        let Some((_, first)) = hits.first() else {
            return;
        };
        let key = ScopeKey::of(first, inner.plan.per);
        self.make_room(at, &key, Arc::strong_count(&record.counted));
        let Some(scopes) = self.inner.get_mut(at) else {
            return;
        };
        let scope = scopes.entry(key);
        let (used, level) = scope.or_insert_with(|| (number, Level::new(&inner.plan)));
        *used = number;
        let record = Arc::new(Record {
            hits,
            span: Some(Span::of_record(time, number)),
            counted: Arc::clone(&record.counted),
        });
        let mut matches = Vec::new();
        let place = (&Vec::new(), time, number);
        level.take(&inner.plan, place, &record, &mut matches);
        self.wait_for(inner, matches);
    }

    /// Evicts the least recently used scope of an inner condition if a new one needs its place.
    fn make_room(&mut self, at: usize, key: &ScopeKey, records: usize) {
        let Some(scopes) = self.inner.get_mut(at) else {
            return;
        };
        let is_new = !scopes.contains_key(key);
        let is_full = scopes.len() >= MAX_SCOPES || records > MAX_RECORDS;
        if !is_new || !is_full {
            return;
        }
        let oldest = scopes.iter().min_by_key(|(_, (used, _))| *used);
        if let Some(key) = oldest.map(|(key, _)| key.clone())
            && let Some((_, level)) = scopes.remove(&key)
        {
            self.dropped += level.dropped() + level.len() as u64;
        }
    }

    /// Advances the clock: decides the matches that waited for it.
    pub fn advance(&mut self, plan: &Plan, time: Time, fired: &mut Vec<Full<Arc<Record>>>) {
        for (at, inner) in plan.inner.iter().enumerate() {
            self.advance_inner(at, inner, time);
        }
        self.release(plan, Some(time), fired);
        self.automaton
            .advance(&plan.shape, time - plan.delay.unwrap_or(0), fired);
    }

    fn advance_inner(&mut self, at: usize, inner: &Inner, time: Time) {
        let mut matches = Vec::new();
        let scopes = self.inner.get_mut(at).into_iter().flatten();
        scopes.for_each(|(_, (_, level))| level.advance(&inner.plan, time, &mut matches));
        self.wait_for(inner, matches);
    }

    /// Decides everything at the end of the input.
    pub fn finish(&mut self, plan: &Plan, fired: &mut Vec<Full<Arc<Record>>>) {
        for (at, inner) in plan.inner.iter().enumerate() {
            let mut matches = Vec::new();
            let scopes = self.inner.get_mut(at).into_iter().flatten();
            scopes.for_each(|(_, (_, level))| level.finish(&inner.plan, &mut matches));
            self.wait_for(inner, matches);
        }
        self.release(plan, None, fired);
        self.automaton.finish(&plan.shape, fired);
    }

    /// Turns the matches of an inner condition into entries.
    fn wait_for(&mut self, inner: &Inner, matches: Vec<Full<Arc<Record>>>) {
        for full in matches {
            let spans = full.iter().filter_map(|(_, record)| record.span);
            let (Some(span), Some((_, one))) = (spans.reduce(Span::joined), full.first()) else {
                continue;
            };
            let (slots, refutations) = inner.role.bits();
            let order = match inner.role {
                Role::Slot(_) => Order::Fills,
                Role::Refutes(_) | Role::Inside { .. } => Order::Refutes,
            };
            let leading = full.iter().map(|(slot, _)| *slot).min();
            let hits = full.iter().flat_map(|(slot, record)| {
                record.of_slot(*slot).map(|hit| {
                    let mut hit = hit.clone();
                    hit.leads &= Some(*slot) == leading;
                    (inner.role, hit)
                })
            });
            let entry = Entry {
                time: span.end,
                span: Some(span),
                count: 1,
                slots,
                refutations,
                item: Arc::new(Record {
                    hits: hits.collect(),
                    span: Some(span),
                    counted: Arc::clone(&one.counted),
                }),
            };
            self.wait((span.end, span.records.1, order), entry);
        }
    }

    fn wait(&mut self, (time, number, order): (Time, u64, Order), entry: Entry<Arc<Record>>) {
        self.waited += 1;
        self.waiting
            .insert((time, number, order, self.waited), entry);
    }

    /// Takes the entries that no later entry can precede; all of them at the end, when there is no clock.
    fn release(&mut self, plan: &Plan, clock: Option<Time>, fired: &mut Vec<Full<Arc<Record>>>) {
        while let Some(next) = self.waiting.first_entry() {
            let time = next.key().0;
            let is_due = match (clock, plan.delay) {
                (None, _) => true,
                (Some(clock), None) => time <= clock,
                (Some(clock), Some(delay)) => time < clock - delay,
            };
            if !is_due && self.waiting.len() <= MAX_WAITING {
                return;
            }
            if let Some((_, entry)) = self.waiting.pop_first() {
                self.automaton.take(&plan.shape, entry, fired);
            }
        }
    }
}
