//! Matches sets and sequences of entries over time, with refutations, in bounded memory.
//!
//! It knows nothing of events: an entry is a time, the slots that it fills, the refutations that it
//! is, and an item that comes out with a match. Entries come in order of time; among equal times the
//! order in which they come counts.
//!
//! A match takes the oldest entries that its slots need, and only these: what is left serves the next
//! one. With refutations a match is decided when the clock is past the last moment at which one
//! could occur, or at the end. A refuted match loses the entry at the anchor, and the rest stay.

use std::collections::VecDeque;

use kwhy_signature::Reach;

/// The maximum number of entries of a slot beyond those that it needs, and of kept times of a
/// refutation.
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
    /// The longest time from the first entry to the last, both included.
    pub window: Time,
    pub refutations: Vec<Reach>,
}

impl Shape {
    /// The time for which an unmatched entry is kept.
    pub fn horizon(&self) -> Time {
        let reaches = self.refutations.iter();
        let right = reaches.map(|r| self.window + Time::from(r.window) + Time::from(r.slide));
        right.fold(self.window, Time::max)
    }

    /// The extra time for which a refutation is kept, as it may precede what it refutes.
    pub fn look_back(&self) -> Time {
        let reaches = self.refutations.iter();
        reaches.map(|r| -Time::from(r.slide)).fold(0, Time::max)
    }
}

/// One entry, with bit sets of the slots that it fills and of the refutations that it triggers.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    pub time: Time,
    /// Its count in a slot.
    pub count: u64,
    pub slots: u64,
    pub refutations: u64,
    pub item: T,
}

#[derive(Clone, Debug)]
struct Kept<T> {
    /// Its sequence number, unique among all entries.
    number: u64,
    time: Time,
    count: u64,
    item: T,
}

/// The entries of one slot, oldest first.
#[derive(Clone, Debug)]
struct Slot<T> {
    kept: VecDeque<Kept<T>>,
    /// The sum of their counts.
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

    /// Drops the oldest entries while they pass, and returns true if any did.
    fn drop_while(&mut self, passes: impl Fn(&Kept<T>) -> bool) -> bool {
        let mut dropped = false;
        while self.kept.front().is_some_and(&passes) {
            self.remove(0);
            dropped = true;
        }
        dropped
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.counted = 0;
    }

    /// The number of the oldest entries that are needed; `None` if there are too few.
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
    /// The times of each refutation, oldest first.
    refuted: Vec<VecDeque<Time>>,
    clock: Option<Time>,
    /// The number of entries taken.
    number: u64,
    /// A full match is undecided up to this time.
    undecided: Option<Time>,
    dropped: u64,
}

enum Verdict {
    Fire,
    /// The match loses the entry at this position of this slot.
    Lose(usize, usize),
    /// Undecided until the clock has passed this time.
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
        // a later step is open only when all steps before it were full, so no entry fills two
        let open = if shape.ordered { full + 1 } else { usize::MAX };
        let waits = self.undecided.is_some();
        let mut crowded = false;
        for (at, (slot, need)) in self.slots.iter_mut().zip(&shape.needs).enumerate() {
            if at >= open || entry.slots & (1 << at) == 0 {
                continue;
            }
            let room = usize::try_from(*need).unwrap_or(usize::MAX);
            if slot.kept.len() >= room.saturating_add(SPARE) {
                self.dropped += 1;
                // an undecided match keeps its entries
                if waits {
                    continue;
                }
                slot.remove(0);
                crowded = true;
            }
            slot.push(Kept {
                number: self.number,
                time: entry.time,
                // an entry that suffices alone counts no further
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
        // a refutation before anything it could refute matters only with look-back
        let nothing_yet = self.slots.iter().all(|slot| slot.kept.is_empty());
        if entry.refutations == 0 || (nothing_yet && shape.look_back() == 0) {
            return;
        }
        for (at, times) in self.refuted.iter_mut().enumerate() {
            if entry.refutations & (1 << at) == 0 || times.back() == Some(&entry.time) {
                continue;
            }
            if times.len() >= SPARE {
                times.pop_front();
                self.dropped += 1;
            }
            times.push_back(entry.time);
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
            dropped |= slot.drop_while(|kept| kept.time < oldest);
        }
        if dropped {
            self.rebuild(shape);
        }
        let oldest = oldest - shape.look_back();
        for times in &mut self.refuted {
            while times.front().is_some_and(|time| *time < oldest) {
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
            slot.drop_while(|kept| kept.number <= last);
            before = slot
                .needed(*need)
                .map(|needed| slot.kept[needed - 1].number);
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
        // (sequence number, time, slot, position in the slot)
        let mut order: Vec<(u64, Time, usize, usize)> = Vec::new();
        for (slot, needed) in needed.iter().enumerate() {
            let kept = self.slots[slot].kept.iter().take(*needed).enumerate();
            order.extend(kept.map(|(at, kept)| (kept.number, kept.time, slot, at)));
        }
        order.sort_unstable();
        let (Some(first), Some(last)) = (order.first(), order.last()) else {
            return Verdict::Fire;
        };
        let lasted = last.1 - first.1;
        if lasted > shape.window {
            return Verdict::Lose(first.2, first.3);
        }
        for (reach, times) in shape.refutations.iter().zip(&self.refuted) {
            // an entry with a count above one represents several
            let anchor = order.get(reach.anchor).unwrap_or(last);
            let start = anchor.1 + Time::from(reach.slide);
            let lasted = if reach.absolute { 0 } else { lasted };
            let end = start + (Time::from(reach.window) + lasted).max(0);
            let next = times.partition_point(|time| *time < start);
            if times.get(next).is_some_and(|time| *time <= end) {
                return Verdict::Lose(anchor.2, anchor.3);
            }
            // another one with the same time may still come
            if clock.is_some_and(|clock| clock <= end) {
                return Verdict::Wait(end);
            }
        }
        Verdict::Fire
    }
}
