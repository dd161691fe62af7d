//! Matches sets and sequences of entries over time, with refutations, in bounded memory.
//!
//! It is independent of events: an entry is a time, the slots that it fills, the refutations that it triggers, and an
//! item that is returned with a match. Entries arrive in order of time; those of equal times are ordered by arrival. An
//! entry that is a match of an inner condition lasts from its first record to its last; it arrives at the time of the
//! last one.
//!
//! A match takes the oldest entries that its slots need, and only these; the rest serves the next match. With
//! refutations, a match is decided once the clock has passed the last moment at which one could occur, or at the end. A
//! refuted match loses the entry at the anchor, and the rest stays.

use std::collections::VecDeque;

use kwhy_signature::Reach;

/// The maximum number of entries of a slot beyond those that it needs, and of kept times per refutation.
pub(super) const SPARE: usize = 1024;

/// Nanoseconds on one time axis.
pub(super) type Time = i128;

/// The pattern that an automaton matches.
#[derive(Debug)]
pub(super) struct Shape {
    /// True if the slots must be filled in order.
    pub ordered: bool,
    /// The count that each slot needs, at least one.
    pub needs: Vec<u64>,
    /// The maximum time from the first entry to the last, inclusive.
    pub window: Time,
    pub refutations: Vec<Reach>,
    pub lasting: Lasting,
}

/// The durations of entries that last, by slot and by refutation; those beyond the lists last no time.
#[derive(Debug, Default)]
pub(super) struct Lasting {
    /// The maximum duration of an entry, by slot.
    pub slots: Vec<Time>,
    /// The maximum duration of each refutation.
    pub refutations: Vec<Time>,
    /// The maximum number of entries beyond those needed, by slot, instead of [`SPARE`].
    pub spare: Vec<usize>,
}

impl Shape {
    /// The time for which an unmatched entry is kept.
    pub fn horizon(&self) -> Time {
        let reaches = self.refutations.iter().enumerate();
        let right = reaches.map(|(at, r)| {
            self.window + Time::from(r.window) + Time::from(r.slide) + self.refutation_lasts(at)
        });
        right.fold(self.window, Time::max)
    }

    /// The maximum time from the last entry of a match until it is decided; `None` if it is decided with its last
    /// entry.
    pub fn delay(&self) -> Option<Time> {
        let reaches = self.refutations.iter().enumerate();
        let until = reaches.map(|(at, r)| {
            let width = (self.window + Time::from(r.window)).max(0);
            Time::from(r.slide) + width + self.refutation_lasts(at)
        });
        until.reduce(Time::max).map(|until| until.max(0))
    }

    /// The extra time for which a refutation is kept, as it may precede what it refutes or that one's last record.
    pub fn look_back(&self) -> Time {
        let reaches = self.refutations.iter();
        let slides = reaches.map(|r| -Time::from(r.slide)).fold(0, Time::max);
        let lasting = self.lasting.slots.iter().copied().fold(0, Time::max);
        slides.saturating_add(lasting)
    }

    /// The maximum duration of a refutation.
    fn refutation_lasts(&self, number: usize) -> Time {
        let known = self.lasting.refutations.get(number);
        known.copied().unwrap_or(0)
    }

    /// Returns true if entries may last.
    fn is_lasting(&self) -> bool {
        !self.lasting.slots.is_empty()
    }
}

/// The extent of an entry that lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The time of its first record.
    pub start: Time,
    /// The time of its last record.
    pub end: Time,
    /// The numbers of its first and last record in the order of all.
    pub records: (u64, u64),
}

impl Span {
    /// Creates the span of one record.
    pub fn of_record(time: Time, number: u64) -> Span {
        Span {
            start: time,
            end: time,
            records: (number, number),
        }
    }

    /// Returns the span from the first record of both to the last.
    pub fn joined(self, other: Span) -> Span {
        let (mine, theirs) = (self.records, other.records);
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
            records: (mine.0.min(theirs.0), mine.1.max(theirs.1)),
        }
    }
}

/// One entry, with bit sets of the slots that it fills and of the refutations that it triggers.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    pub time: Time,
    /// The extent of a match of an inner condition; `None` for a single record.
    pub span: Option<Span>,
    /// Its count in a slot.
    pub count: u64,
    pub slots: u64,
    pub refutations: u64,
    pub item: T,
}

#[derive(Clone, Debug)]
struct Kept<T> {
    /// The numbers of its first and last record, or twice its own number.
    records: (u64, u64),
    /// The time at which it starts.
    start: Time,
    time: Time,
    count: u64,
    item: T,
}

/// The entries of one slot, oldest first.
#[derive(Clone, Debug)]
struct Slot<T> {
    kept: VecDeque<Kept<T>>,
    /// The sum of the entries' counts.
    counted: u64,
}

impl<T> Slot<T> {
    fn push(&mut self, kept: Kept<T>) {
        self.counted = self.counted.saturating_add(kept.count);
        self.kept.push_back(kept);
    }

    fn remove(&mut self, at: usize) -> Option<Kept<T>> {
        let kept = self.kept.remove(at)?;
        self.counted = self.counted.saturating_sub(kept.count);
        Some(kept)
    }

    /// Drops the oldest entries as long as the predicate is true, and returns true if any were dropped.
    fn drop_while(&mut self, passes: impl Fn(&Kept<T>) -> bool) -> bool {
        let mut dropped = false;
        while self.kept.front().is_some_and(&passes) {
            self.remove(0);
            dropped = true;
        }
        dropped
    }

    /// Drops all entries for which the predicate is true, and returns true if any were dropped.
    fn drop_all(&mut self, passes: impl Fn(&Kept<T>) -> bool) -> bool {
        let before = self.kept.len();
        self.kept.retain(|kept| !passes(kept));
        self.counted = self
            .kept
            .iter()
            .map(|kept| kept.count)
            .fold(0, u64::saturating_add);
        self.kept.len() < before
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.counted = 0;
    }

    /// The number of the last record of the needed entries.
    fn last_needed(&self, need: u64) -> Option<u64> {
        let needed = self.needed(need)?;
        Some(self.kept.get(needed.checked_sub(1)?)?.records.1)
    }

    /// The number of oldest entries that are needed; `None` if there are too few.
    fn needed(&self, need: u64) -> Option<usize> {
        if self.counted < need {
            return None;
        }
        let mut counted = 0;
        let enough = self.kept.iter().position(|kept| {
            counted += kept.count;
            counted >= need
        });
        enough.map(|last| last + 1)
    }
}

/// The entries of a match, each with the slot that it fills, in the slots' order.
pub(super) type Full<T> = Vec<(usize, T)>;

/// Matches one shape against a stream of entries.
#[derive(Clone, Debug)]
pub(super) struct Automaton<T> {
    slots: Vec<Slot<T>>,
    /// The start and end of each refutation, sorted by end.
    refuted: Vec<VecDeque<(Time, Time)>>,
    clock: Option<Time>,
    /// The number of entries taken.
    number: u64,
    /// The time until which a full match is undecided.
    undecided: Option<Time>,
    dropped: u64,
}

enum Verdict {
    Fire,
    /// The match loses the entry at this position of this slot.
    Lose(usize, usize),
    /// The match is undecided until the clock has passed this time.
    Wait(Time),
}

impl<T: Clone> Automaton<T> {
    pub fn new(shape: &Shape) -> Self {
        let slot = || Slot {
            kept: VecDeque::new(),
            counted: 0,
        };
        Automaton {
            slots: shape.needs.iter().map(|_| slot()).collect(),
            refuted: shape.refutations.iter().map(|_| VecDeque::new()).collect(),
            clock: None,
            number: 0,
            undecided: None,
            dropped: 0,
        }
    }

    /// The number of entries dropped because they were late or over the limit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The number of entries kept.
    pub fn len(&self) -> usize {
        self.slots.iter().map(|slot| slot.kept.len()).sum()
    }

    /// The number of refutation times kept.
    #[cfg(test)]
    pub fn remembered(&self) -> usize {
        self.refuted.iter().map(VecDeque::len).sum()
    }

    /// Takes an entry, and adds the matches that it completes.
    pub fn take(&mut self, shape: &Shape, entry: Entry<T>, fired: &mut Vec<Full<T>>) {
        if self.clock.is_some_and(|clock| entry.time < clock) {
            self.dropped += 1;
            return;
        }
        self.advance(shape, entry.time, fired);
        self.number += 1;
        self.fill(shape, &entry);
        self.remember(shape, &entry);
        self.decide(shape, Some(entry.time), fired);
    }

    /// Advances the clock: decides the matches that waited for it, and drops expired entries.
    pub fn advance(&mut self, shape: &Shape, clock: Time, fired: &mut Vec<Full<T>>) {
        let clock = self.clock.map_or(clock, |known| known.max(clock));
        self.clock = Some(clock);
        self.decide(shape, Some(clock), fired);
        self.prune(shape, clock);
    }

    /// Decides all waiting matches at the end of the input.
    pub fn finish(&mut self, shape: &Shape, fired: &mut Vec<Full<T>>) {
        self.decide(shape, None, fired);
    }

    fn fill(&mut self, shape: &Shape, entry: &Entry<T>) {
        let full = self.full_slots(shape);
        // a step is open only once all earlier steps are full, so no entry fills two
        let open = if shape.ordered { full + 1 } else { usize::MAX };
        let waits = self.undecided.is_some();
        let mut crowded = false;
        let records = match entry.span {
            Some(span) => span.records,
            None => (self.number, self.number),
        };
        let start = entry.span.map_or(entry.time, |span| span.start);
        let mut after = None;
        for (at, (slot, need)) in self.slots.iter_mut().zip(&shape.needs).enumerate() {
            let before = after;
            after = match shape.ordered && shape.is_lasting() {
                true => slot.last_needed(*need),
                false => None,
            };
            if at >= open || entry.slots & (1 << at) == 0 {
                continue;
            }
            // a step that lasts may have started before the previous one ended
            if before.is_some_and(|before| records.0 <= before) {
                continue;
            }
            let room = usize::try_from(*need).unwrap_or(usize::MAX);
            let spare = shape.lasting.spare.get(at).copied().unwrap_or(SPARE);
            if slot.kept.len() >= room.saturating_add(spare) {
                self.dropped += 1;
                // an undecided match keeps its entries
                if waits {
                    continue;
                }
                slot.remove(0);
                crowded = true;
            }
            slot.push(Kept {
                records,
                start,
                time: entry.time,
                // an entry that suffices alone needs no higher count
                count: entry.count.clamp(1, (*need).max(1)),
                item: entry.item.clone(),
            });
        }
        if crowded {
            self.rebuild(shape);
        }
    }

    /// The number of leading slots that are full.
    fn full_slots(&self, shape: &Shape) -> usize {
        let slots = self.slots.iter().zip(&shape.needs);
        slots
            .take_while(|(slot, need)| slot.counted >= **need)
            .count()
    }

    fn remember(&mut self, shape: &Shape, entry: &Entry<T>) {
        // a refutation before any entry matters only with look-back
        let nothing_yet = self.slots.iter().all(|slot| slot.kept.is_empty());
        if entry.refutations == 0 || (nothing_yet && shape.look_back() == 0) {
            return;
        }
        let start = entry.span.map_or(entry.time, |span| span.start);
        for (at, times) in self.refuted.iter_mut().enumerate() {
            if entry.refutations & (1 << at) == 0 || times.back() == Some(&(start, entry.time)) {
                continue;
            }
            if times.len() >= SPARE {
                times.pop_front();
                self.dropped += 1;
            }
            times.push_back((start, entry.time));
            // it may refute a waiting match
            self.undecided = None;
        }
    }

    fn prune(&mut self, shape: &Shape, clock: Time) {
        if self.undecided.is_some() {
            return;
        }
        let oldest = clock - shape.horizon();
        let timed = if shape.ordered { 1 } else { self.slots.len() };
        let mut dropped = false;
        for slot in self.slots.iter_mut().take(timed) {
            dropped |= match shape.is_lasting() {
                true => slot.drop_all(|kept| kept.start < oldest),
                false => slot.drop_while(|kept| kept.time < oldest),
            };
        }
        if dropped {
            self.rebuild(shape);
        }
        let oldest = oldest - shape.look_back();
        for times in &mut self.refuted {
            while times.front().is_some_and(|(_, end)| *end < oldest) {
                times.pop_front();
            }
        }
    }

    /// Drops entries of a sequence that precede those that their step must follow.
    fn rebuild(&mut self, shape: &Shape) {
        if !shape.ordered {
            return;
        }
        let mut before = Some(0);
        for (slot, need) in self.slots.iter_mut().zip(&shape.needs) {
            let Some(last) = before else {
                slot.clear();
                continue;
            };
            match shape.is_lasting() {
                true => slot.drop_all(|kept| kept.records.0 <= last),
                false => slot.drop_while(|kept| kept.records.0 <= last),
            };
            before = slot.last_needed(*need);
        }
    }

    /// Decides full matches up to the clock, or all without a clock.
    fn decide(&mut self, shape: &Shape, clock: Option<Time>, fired: &mut Vec<Full<T>>) {
        let is_waiting = |until: Time| clock.is_some_and(|clock| clock <= until);
        if self.undecided.is_some_and(is_waiting) {
            return;
        }
        self.undecided = None;
        while self.full_slots(shape) == self.slots.len() {
            let needed = self.slots.iter().zip(&shape.needs);
            let needed: Vec<usize> = needed
                .map(|(slot, need)| slot.needed(*need).unwrap_or(0))
                .collect();
            match self.judge(shape, &needed, clock) {
                Verdict::Fire => {
                    let slots = self.slots.iter_mut().zip(needed).enumerate();
                    let taken = slots.flat_map(|(at, (slot, needed))| {
                        let taken = (0..needed).filter_map(|_| slot.remove(0));
                        taken.map(move |kept| (at, kept.item)).collect::<Vec<_>>()
                    });
                    fired.push(taken.collect());
                }
                Verdict::Lose(slot, at) => {
                    self.slots[slot].remove(at);
                }
                Verdict::Wait(until) => {
                    self.undecided = Some(until);
                    return;
                }
            }
            self.rebuild(shape);
        }
    }

    fn judge(&self, shape: &Shape, needed: &[usize], clock: Option<Time>) -> Verdict {
        // (start, number of the first record, slot, position in the slot)
        let mut order: Vec<(Time, u64, usize, usize)> = Vec::new();
        let mut over = Time::MIN;
        for (slot, needed) in needed.iter().enumerate() {
            let kept = self.slots[slot].kept.iter().take(*needed).enumerate();
            order.extend(kept.map(|(at, kept)| {
                over = over.max(kept.time);
                (kept.start, kept.records.0, slot, at)
            }));
        }
        order.sort_unstable();
        let (Some(first), Some(last)) = (order.first(), order.last()) else {
            return Verdict::Fire;
        };
        let lasted = over - first.0;
        if lasted > shape.window {
            return Verdict::Lose(first.2, first.3);
        }
        for (number, (reach, times)) in shape.refutations.iter().zip(&self.refuted).enumerate() {
            // an entry with a count above one represents several
            let anchor = order.get(reach.anchor).unwrap_or(last);
            let start = anchor.0 + Time::from(reach.slide);
            let lasted = if reach.absolute { 0 } else { lasted };
            let end = start + (Time::from(reach.window) + lasted).max(0);
            // a refutation that lasts counts if it overlaps the range
            let until = end + shape.refutation_lasts(number);
            let next = times.partition_point(|(_, over)| *over < start);
            let mut near = times.range(next..).take_while(|(_, over)| *over <= until);
            if near.any(|(start, _)| *start <= end) {
                return Verdict::Lose(anchor.2, anchor.3);
            }
            // another refutation at the same time may still arrive
            if clock.is_some_and(|clock| clock <= until) {
                return Verdict::Wait(until);
            }
        }
        Verdict::Fire
    }
}
