//! Buckets of equal width in chronological order.

use std::ops::Range;

use super::{Counts, MAX_BUCKETS, WIDTHS};

pub(super) const SECOND: i128 = 1_000_000_000;

#[derive(Clone, Debug)]
struct Bucket {
    /// Its start, in multiples of the width since 1970.
    index: i64,
    counts: Counts,
}

/// Buckets of equal width; only non-empty ones are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Axis {
    /// Ordered by index.
    buckets: Vec<Bucket>,
    /// The index of the width in [`WIDTHS`].
    step: usize,
    /// The most recently used bucket and its range in nanoseconds: records mostly arrive in
    /// chronological order.
    last: usize,
    last_span: Range<i128>,
}

impl Axis {
    /// Returns the width of a bucket in seconds.
    pub(super) fn width(&self) -> i64 {
        WIDTHS.get(self.step).copied().unwrap_or(i64::MAX)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Returns the start of each bucket in nanoseconds, and its counts.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (i128, &Counts)> {
        let width = i128::from(self.width()) * SECOND;
        self.buckets
            .iter()
            .map(move |bucket| (i128::from(bucket.index) * width, &bucket.counts))
    }

    /// Returns the counts of the bucket that contains a time.
    pub(super) fn at(&mut self, nanos: i128) -> &mut Counts {
        if !self.last_span.contains(&nanos) {
            self.seek(nanos);
        }
        // `seek` leaves `last` at a bucket
        &mut self.buckets[self.last].counts
    }

    fn index(&self, nanos: i128) -> i64 {
        let seconds = match i64::try_from(nanos) {
            Ok(nanos) => nanos.div_euclid(1_000_000_000),
            Err(_) => i64::try_from(nanos.div_euclid(SECOND)).unwrap_or(i64::MAX),
        };
        seconds.div_euclid(self.width())
    }

    #[inline(never)]
    fn seek(&mut self, nanos: i128) {
        loop {
            let index = self.index(nanos);
            let place = self
                .buckets
                .binary_search_by_key(&index, |bucket| bucket.index);
            match place {
                Ok(place) => self.last = place,
                Err(_) if self.buckets.len() >= MAX_BUCKETS && self.widen() => continue,
                Err(place) => {
                    let counts = Counts::default();
                    self.buckets.insert(place, Bucket { index, counts });
                    self.last = place;
                }
            }
            let width = i128::from(self.width()) * SECOND;
            let start = i128::from(index) * width;
            self.last_span = start..start + width;
            return;
        }
    }

    /// Switches to the next width; returns false if there is none.
    fn widen(&mut self) -> bool {
        let Some(next) = WIDTHS.get(self.step + 1) else {
            return false;
        };
        let factor = next / self.width();
        self.step += 1;
        self.last_span = 0..0;
        for bucket in &mut self.buckets {
            bucket.index = bucket.index.div_euclid(factor);
        }
        self.buckets.dedup_by(|gone, kept| {
            let same = gone.index == kept.index;
            if same {
                kept.counts.merge(&gone.counts);
            }
            same
        });
        true
    }

    pub(super) fn merge(&mut self, other: &Axis) {
        self.merge_moved(other, |nanos| nanos);
    }

    /// Adds another axis' buckets with their starts moved by `to`. Buckets no wider than a day may
    /// be moved by whole days only.
    pub(super) fn merge_moved(&mut self, other: &Axis, to: impl Fn(i128) -> i128) {
        while self.step < other.step && self.widen() {}
        for (nanos, counts) in other.buckets() {
            self.at(to(nanos)).merge(counts);
        }
    }
}
