//! The first and last hits of one signature about one object, and the number and times of the others.

use std::cmp::Ordering;

use crate::matcher::{Hit, Moment};
use crate::sort;

/// The maximum number of hits kept per object: the first ones and the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub first: usize,
    pub last: usize,
}

/// The capacity while memory suffices.
pub(super) const AMPLE: Capacity = Capacity { first: 16, last: 4 };

/// The capacity once memory is used up: more objects are worth more than more hits of each.
pub(super) const TIGHT: Capacity = Capacity { first: 2, last: 1 };

/// The kept hits about one object.
#[derive(Clone, Default)]
pub(super) struct Reservoir {
    /// The first and last hits, in document order.
    pub kept: Vec<Kept>,
    /// The number of hits that count but were not kept.
    pub count: u64,
    pub seen: Seen,
    /// True if hits about the same object were counted elsewhere.
    pub at_least: bool,
}

/// A hit that is kept.
#[derive(Clone)]
pub(super) struct Kept {
    pub hit: Hit,
    /// The hit's sequence number within its signature, which orders hits of one document.
    pub number: u64,
}

impl Reservoir {
    /// Adds a hit. `room` is the number of bytes that may still be used.
    pub fn take(
        &mut self,
        kept: Kept,
        capacity: Capacity,
        room: &mut usize,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let document = kept.hit.document;
        let is_after = |known: &Kept| order(known.hit.document, document) == Ordering::Greater;
        // most hits arrive in order
        let before = match self.kept.last() {
            Some(last) if is_after(last) => self.kept.partition_point(|known| !is_after(known)),
            _ => self.kept.len(),
        };
        let size = kept.hit.size();
        let has_room = *room >= size || self.kept.is_empty();
        self.kept.insert(before, kept);
        *room = room.saturating_sub(size);
        if !has_room || self.kept.len() > capacity.first + capacity.last {
            *room += self.drop_one(capacity);
        }
    }

    /// Drops hits beyond a capacity, and returns the number of bytes freed.
    pub fn trim(&mut self, capacity: Capacity) -> usize {
        let mut freed = 0;
        while self.kept.len() > capacity.first + capacity.last {
            freed += self.drop_one(capacity);
        }
        self.kept.shrink_to_fit();
        freed
    }

    /// Drops the oldest of the last hits, but counts it.
    fn drop_one(&mut self, capacity: Capacity) -> usize {
        // if there are no last hits yet, the latest of all
        let at = capacity.first.min(self.kept.len().saturating_sub(1));
        let Kept { hit, .. } = self.kept.remove(at);
        self.count += if hit.leads { hit.occurrences() } else { 0 };
        let times = [hit.first, hit.last];
        times
            .into_iter()
            .flatten()
            .for_each(|time| self.seen.take(time));
        hit.size()
    }
}

/// The first and last times of hits that are not kept. Times without a year are grouped by month, as their order is
/// known only once all have their year.
#[derive(Clone, Default)]
pub(super) struct Seen(Vec<(i128, Option<Moment>, Option<Moment>)>);

impl Seen {
    fn take(&mut self, moment: Moment) {
        const MONTH: i128 = 30 * 86_400_000_000_000;
        let kind = match moment {
            Moment::Ago(_) => -2,
            Moment::At(stamp) if stamp.year_stated => -1,
            Moment::At(stamp) => stamp.nanos.max(0) / MONTH,
        };
        match self.0.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, first, last)) => {
                *first = first.map(|first| first.earlier(moment));
                *last = last.map(|last| last.later(moment));
            }
            None => self.0.push((kind, Some(moment), Some(moment))),
        }
    }

    /// Returns the first and last time. `settle` adds the year to times without one.
    pub fn settle(mut self, settle: impl Fn(Moment) -> Moment + Copy) -> [Option<Moment>; 2] {
        sort::by_key(&mut self.0, |(kind, ..)| *kind);
        let first = self.0.iter().filter_map(|(_, first, _)| first.map(settle));
        let last = self.0.iter().filter_map(|(.., last)| last.map(settle));
        [first.reduce(Moment::earlier), last.reduce(Moment::later)]
    }
}
