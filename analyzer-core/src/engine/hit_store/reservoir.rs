//! The first and last hits of one signature about one object, and the number and times of the others.

use std::cmp::Ordering;

use crate::matcher::{Hit, Moment};

/// The number of hits that are kept about one object: the first ones and the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub first: usize,
    pub last: usize,
}

/// The capacity while memory suffices.
pub(super) const AMPLE: Capacity = Capacity { first: 16, last: 4 };

/// The capacity once it does not: rather more objects than more hits of each.
pub(super) const TIGHT: Capacity = Capacity { first: 2, last: 1 };

/// The hits about one object.
#[derive(Clone, Default)]
pub(super) struct Reservoir {
    /// The first and last ones in the order of the documents.
    pub kept: Vec<Kept>,
    /// The number of hits that count and were not kept.
    pub count: u64,
    pub seen: Seen,
    /// True if hits about the same object were counted elsewhere.
    pub at_least: bool,
}

/// A hit that is kept.
#[derive(Clone)]
pub(super) struct Kept {
    pub hit: Hit,
    /// The hit's number among all of its signature: the order within a document.
    pub number: u64,
}

impl Reservoir {
    /// Takes a hit. `room` is how many bytes more may be kept.
    pub fn take(
        &mut self,
        kept: Kept,
        capacity: Capacity,
        room: &mut usize,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let document = kept.hit.document;
        let is_after = |known: &Kept| order(known.hit.document, document) == Ordering::Greater;
        // most come in order
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

    /// Drops what exceeds a capacity, and returns how many bytes that frees.
    pub fn trim(&mut self, capacity: Capacity) -> usize {
        let mut freed = 0;
        while self.kept.len() > capacity.first + capacity.last {
            freed += self.drop_one(capacity);
        }
        self.kept.shrink_to_fit();
        freed
    }

    /// Counts the oldest of the last hits without keeping it.
    fn drop_one(&mut self, capacity: Capacity) -> usize {
        // where there are no last ones yet, the last of all
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

/// The first and last times of hits that are not kept. Times without a year are grouped by month: which
/// of two is the later one is known when all have their year.
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

    /// The first and last time. `settle` gives times without a year theirs.
    pub fn settle(mut self, settle: impl Fn(Moment) -> Moment + Copy) -> [Option<Moment>; 2] {
        self.0.sort_by_key(|(kind, ..)| *kind);
        let first = self.0.iter().filter_map(|(_, first, _)| first.map(settle));
        let last = self.0.iter().filter_map(|(.., last)| last.map(settle));
        [first.reduce(Moment::earlier), last.reduce(Moment::later)]
    }
}
