//! A slow and simple reference implementation of sets and sequences over the list of all entries. The automaton must
//! agree with it.

use proptest::prelude::*;

use super::{Entry, Lasting, Matches, Shape, Time, run};
use kwhy_signature::Reach;

type Place = (usize, usize);

struct Reference<'t> {
    shape: &'t Shape,
    entries: &'t [Entry<usize>],
    /// The (entry, refutation) pairs that are kept.
    remembered: Vec<Place>,
}

impl Reference<'_> {
    fn is_far_sighted(&self) -> bool {
        self.shape.refutations.iter().any(|reach| reach.slide < 0)
    }

    fn horizon(&self) -> Time {
        let reaches = self.shape.refutations.iter().enumerate();
        let right = reaches.map(|(number, r)| {
            self.shape.window + Time::from(r.window + r.slide) + self.refutation_lasts(number)
        });
        right.max().unwrap_or(0).max(self.shape.window)
    }

    /// The maximum duration of a refutation, which is known only once it is over.
    fn refutation_lasts(&self, number: usize) -> Time {
        let known = self.shape.lasting.refutations.get(number);
        known.copied().unwrap_or(0)
    }

    /// The time at which an entry starts.
    fn start(&self, at: usize) -> Time {
        let entry = &self.entries[at];
        entry.span.map_or(entry.time, |span| span.start)
    }

    /// The numbers of the first and last record of an entry.
    fn records(&self, at: usize) -> (u64, u64) {
        let entry = &self.entries[at];
        entry
            .span
            .map_or((at as u64, at as u64), |span| span.records)
    }

    /// The entries of the next match, by slot.
    fn candidate(&self, unused: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
        let mut chosen = Vec::new();
        let mut after = None;
        for (slot, need) in self.shape.needs.iter().enumerate() {
            let mut counted = 0;
            let mut taken = Vec::new();
            for &at in &unused[slot] {
                let follows = || after.is_none_or(|last| self.records(at).0 > last);
                if counted < *need && (!self.shape.ordered || follows()) {
                    taken.push(at);
                    counted += self.entries[at].count;
                }
            }
            if counted < *need {
                return None;
            }
            after = taken.last().map(|at| self.records(*at).1);
            chosen.push(taken);
        }
        Some(chosen)
    }

    /// Returns the matches among the first entries, the unused entries, and true if a match waits for the clock.
    fn matches(&self, first: usize, clock: Time) -> (Matches, Vec<Vec<usize>>, bool) {
        let fills = |slot: usize, at: &usize| self.entries[*at].slots & (1 << slot) != 0;
        let slots = 0..self.shape.needs.len();
        let mut unused: Vec<Vec<usize>> = slots
            .map(|slot| (0..first).filter(|at| fills(slot, at)).collect())
            .collect();
        let mut matches = Vec::new();
        while let Some(chosen) = self.candidate(&unused) {
            let time = |at: usize| self.entries[at].time;
            let mut ranked: Vec<Place> = Vec::new();
            for (slot, taken) in chosen.iter().enumerate() {
                ranked.extend(taken.iter().map(|at| (*at, slot)));
            }
            ranked.sort_by_key(|(at, slot)| (self.start(*at), self.records(*at).0, *slot));
            let start = self.start(ranked[0].0);
            let end = ranked.iter().map(|(at, _)| time(*at)).max().unwrap();
            let span = end - start;
            let mut loser = (span > self.shape.window).then_some(ranked[0]);
            for (number, reach) in self.shape.refutations.iter().enumerate() {
                if loser.is_some() {
                    break;
                }
                let anchor = ranked[reach.anchor.min(ranked.len() - 1)];
                let from = self.start(anchor.0) + Time::from(reach.slide);
                let width = Time::from(reach.window) + if reach.absolute { 0 } else { span };
                let to = from + width.max(0);
                let mut known = self.remembered.iter();
                let overlaps = |at: usize| self.start(at) <= to && time(at) >= from;
                if known.any(|(at, other)| *other == number && overlaps(*at)) {
                    loser = Some(anchor);
                } else if clock <= to + self.refutation_lasts(number) {
                    return (matches, unused, true);
                }
            }
            match loser {
                Some((gone, slot)) => unused[slot].retain(|at| *at != gone),
                None => {
                    for (unused, taken) in unused.iter_mut().zip(&chosen) {
                        unused.retain(|at| !taken.contains(at));
                    }
                    matches.push(chosen.concat());
                }
            }
        }
        (matches, unused, false)
    }

    /// Returns true if an entry's refutations are kept: something that they could refute has started, or may have if
    /// entries last.
    fn is_remembered(&self, at: usize) -> bool {
        if self.shape.lasting.slots.iter().any(|lasts| *lasts > 0) {
            return true;
        }
        let clock = self.entries[at].time;
        let (_, unused, waits) = self.matches(at, clock);
        let lives = |other: &usize| waits || self.entries[*other].time >= clock - self.horizon();
        let slots = if self.shape.ordered { 1 } else { unused.len() };
        let begins = (1 << slots) - 1;
        self.is_far_sighted()
            || self.entries[at].slots & begins != 0
            || unused.iter().take(slots).any(|slot| slot.iter().any(lives))
    }
}

pub(super) fn reference(shape: &Shape, entries: &[Entry<usize>]) -> Matches {
    let mut reference = Reference {
        shape,
        entries,
        remembered: Vec::new(),
    };
    for (at, entry) in entries.iter().enumerate() {
        if entry.refutations != 0 && reference.is_remembered(at) {
            let own = (0..64).filter(|number| entry.refutations & (1 << number) != 0);
            reference.remembered.extend(own.map(|number| (at, number)));
        }
    }
    reference.matches(entries.len(), Time::MAX).0
}

fn reaches() -> impl Strategy<Value = Vec<Reach>> {
    let reach = (-3i64..7, -6i64..5, 0usize..3, any::<bool>()).prop_map(
        |(window, slide, anchor, absolute)| Reach {
            window,
            slide,
            anchor,
            absolute,
        },
    );
    let plain = Just(Reach::default());
    prop::collection::vec(prop_oneof![plain, reach], 0..3)
}

fn shapes() -> impl Strategy<Value = Shape> {
    let needs = prop::collection::vec(prop_oneof![3 => Just(1u64), 1 => 2u64..4], 1..4);
    (any::<bool>(), needs, 0i64..8, reaches()).prop_map(|(ordered, needs, window, refutations)| {
        let positives = needs.iter().sum::<u64>() as usize;
        let within = |reach: Reach| Reach {
            anchor: reach.anchor % positives,
            ..reach
        };
        Shape {
            ordered,
            needs,
            window: Time::from(window),
            refutations: refutations.into_iter().map(within).collect(),
            lasting: Lasting::default(),
        }
    })
}

fn inputs() -> impl Strategy<Value = Vec<Entry<usize>>> {
    let gap = prop_oneof![2 => Just(0i128), 3 => 1i128..3, 1 => 3i128..9];
    let slots = prop_oneof![3 => 0u64..3, 1 => 0u64..8];
    let refutations = prop_oneof![4 => Just(0u64), 1 => 0u64..4];
    let count = prop_oneof![5 => Just(1u64), 1 => 2u64..4];
    prop::collection::vec((gap, slots, refutations, count), 0..18).prop_map(|rows| {
        let mut time = 0;
        let rows = rows.into_iter().enumerate();
        rows.map(|(item, (gap, slots, refutations, count))| {
            time += gap;
            Entry {
                time,
                span: None,
                count,
                slots,
                refutations,
                item,
            }
        })
        .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_automaton_agrees(shape in shapes(), entries in inputs()) {
        prop_assert_eq!(run(&shape, &entries), reference(&shape, &entries));
    }

    #[test]
    fn a_clock_that_ticks_between_changes_nothing(shape in shapes(), entries in inputs()) {
        let mut automaton = super::Automaton::new(&shape);
        let mut fired = Vec::new();
        for entry in &entries {
            automaton.advance(&shape, entry.time, &mut fired);
            automaton.take(&shape, entry.clone(), &mut fired);
        }
        automaton.finish(&shape, &mut fired);
        let items = |full: Vec<(usize, usize)>| full.into_iter().map(|(_, item)| item).collect();
        let fired: Matches = fired.into_iter().map(items).collect();
        prop_assert_eq!(fired, run(&shape, &entries));
    }
}
