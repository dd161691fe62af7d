use super::{Automaton, Entry, Matches, Shape, entries, run, shape};
use crate::temporal::automaton::SPARE;
use kwhy_signature::Reach;

const PLAIN: Reach = Reach {
    window: 0,
    slide: 0,
    anchor: 0,
    absolute: false,
};

fn check(shape: &Shape, rows: &[(&str, &[&[usize]])]) {
    for (text, expected) in rows {
        let expected: Matches = expected.iter().map(|m| m.to_vec()).collect();
        assert_eq!(run(shape, &entries(text)), expected, "{text} of {shape:?}");
    }
}

#[test]
fn a_single_entry_is_a_match() {
    check(
        &shape(false, "a", 0, &[]),
        &[("1:a 1:a 7:a", &[&[0], &[1], &[2]]), ("1:N", &[])],
    );
}

#[test]
fn a_set_is_full_within_its_window() {
    check(
        &shape(false, "a b", 20, &[]),
        &[
            // the window includes both ends
            ("0:a 20:b", &[&[0, 1]]),
            ("0:a 21:b", &[]),
            ("5:b 9:a", &[&[1, 0]]),
            // one entry may fill several slots
            ("4:ab", &[&[0, 0]]),
            // the oldest are taken, and the rest serves the next match
            ("0:a 1:a 2:b 3:b", &[&[0, 2], &[1, 3]]),
            ("0:a 1:ab 2:b", &[&[0, 1], &[1, 2]]),
            // expired entries are dropped, younger ones of their slot stay
            ("0:a 9:a 25:b", &[&[1, 2]]),
            // entries older than the last one are dropped
            ("9:a 3:b 10:b", &[&[0, 2]]),
        ],
    );
    check(
        &shape(false, "a b c", 10, &[]),
        &[
            ("3:c 7:a 13:b", &[&[1, 2, 0]]),
            ("3:c 7:a 14:b", &[]),
            ("3:c 7:a 14:b 15:c", &[&[1, 2, 3]]),
        ],
    );
}

#[test]
fn a_slot_may_need_several() {
    check(
        &shape(false, "a*2", 10, &[]),
        &[
            ("0:a", &[]),
            ("0:a 10:a", &[&[0, 1]]),
            ("0:a 11:a 12:a", &[&[1, 2]]),
            ("0:a 1:a 2:a 3:a", &[&[0, 1], &[2, 3]]),
            // counts add up
            ("0:a2", &[&[0]]),
            ("0:a 1:a9", &[&[0, 1]]),
        ],
    );
    check(
        &shape(false, "a*2 b", 10, &[]),
        &[
            ("0:a 1:b 2:a", &[&[0, 2, 1]]),
            ("0:a 1:b 2:b 3:a 4:a 5:a", &[&[0, 3, 1], &[4, 5, 2]]),
        ],
    );
}

#[test]
fn a_sequence_is_filled_in_order() {
    check(
        &shape(true, "a b", 10, &[]),
        &[
            ("0:a 10:b", &[&[0, 1]]),
            ("0:a 11:b", &[]),
            ("0:b 1:a", &[]),
            // equal times count as ordered in the order of the input
            ("4:a 4:b", &[&[0, 1]]),
            ("4:b 4:a", &[]),
            ("0:a 1:a 2:b 3:b", &[&[0, 2], &[1, 3]]),
            ("0:a 5:a 12:b", &[&[1, 2]]),
            // one entry cannot be two steps
            ("0:ab", &[]),
            ("0:ab 1:ab 2:ab", &[&[0, 1], &[1, 2]]),
        ],
    );
    check(
        &shape(true, "a b c", 10, &[]),
        &[
            ("0:a 1:a 2:b 3:b 4:c 5:c", &[&[0, 2, 4], &[1, 3, 5]]),
            ("0:a 1:c 2:b 3:c", &[&[0, 2, 3]]),
            // a first and a last step of the same text
            ("0:ac 1:b 2:ac 3:b 4:ac", &[&[0, 1, 2], &[2, 3, 4]]),
            // after a match each step still follows the previous one
            ("0:a 2:b 3:a 4:b 5:c 6:c", &[&[0, 1, 4], &[2, 3, 5]]),
            ("0:ab 0:ab 1:ab 2:ab 3:c 4:c", &[&[0, 1, 4], &[1, 2, 5]]),
            // the window is the time from the first to the last
            ("0:a 4:b 8:a 9:b 12:c", &[&[2, 3, 4]]),
            ("0:a 4:a 6:b 12:c", &[&[1, 2, 3]]),
            ("0:a 6:b 8:a 12:c", &[]),
        ],
    );
}

#[test]
fn a_step_may_need_several() {
    check(
        &shape(true, "a*2 b", 10, &[]),
        &[
            ("0:a 1:b 2:a 3:b", &[&[0, 2, 3]]),
            ("0:a 1:a 2:a 3:b 4:b", &[&[0, 1, 3]]),
            ("0:a 1:a 2:a 3:b 4:a 5:b", &[&[0, 1, 3], &[2, 4, 5]]),
        ],
    );
    check(
        &shape(true, "a*3", 5, &[]),
        &[("0:a 1:a 6:a 6:a", &[&[1, 2, 3]])],
    );
}

#[test]
fn by_default_a_refutation_is_between_first_and_last() {
    for ordered in [false, true] {
        check(
            &shape(ordered, "a b c", 10, &[PLAIN]),
            &[
                ("0:a 1:b 3:N 5:c", &[]),
                ("0:a 1:b 5:c 6:N", &[&[0, 1, 2]]),
                ("0:N 1:a 2:b 3:c", &[&[1, 2, 3]]),
                // both ends are included
                ("0:a 0:N 1:b 2:c", &[]),
                ("0:a 1:b 2:c 2:N", &[]),
                // on the same record, too
                ("0:aN 1:b 2:c", &[]),
                ("0:a 1:b 2:cN", &[]),
                // a refutation at the same time but before all entries is not kept
                ("0:N 0:a 1:b 2:c", &[&[1, 2, 3]]),
                // only the anchor is dropped
                ("0:a 1:N 2:a 3:b 4:c", &[&[2, 3, 4]]),
                ("0:a 1:b 2:c 2:N 3:a 4:b 5:c", &[&[4, 5, 6]]),
            ],
        );
    }
    // the rest of a refuted set serves the next match
    check(
        &shape(false, "a b", 10, &[PLAIN]),
        &[
            ("0:a 1:b 1:N 2:a", &[]),
            ("0:b 1:a 1:N 2:b", &[]),
            ("0:a 1:N 2:b 3:a", &[&[3, 2]]),
        ],
    );
    check(
        &shape(false, "a b", 10, &[PLAIN, PLAIN, PLAIN]),
        &[
            ("0:a 1:N 1:P 2:b", &[]),
            ("0:a 1:P 2:b", &[]),
            ("0:a 2:b", &[&[0, 1]]),
        ],
    );
    // a single event is refuted only at the same time
    check(
        &shape(false, "a", 0, &[PLAIN]),
        &[
            ("4:a 4:N", &[]),
            ("4:a 7:N", &[&[0]]),
            ("4:aN 5:a", &[&[1]]),
        ],
    );
}

#[test]
fn each_repeated_entry_is_one_of_the_match() {
    for ordered in [false, true] {
        check(
            &shape(ordered, "a*3", 10, &[PLAIN]),
            &[("0:a 2:N 4:a 5:a", &[]), ("0:a 4:a 5:a 6:N", &[&[0, 1, 2]])],
        );
        let anchor = Reach {
            anchor: 2,
            absolute: true,
            ..PLAIN
        };
        check(
            &shape(ordered, "a*3", 10, &[anchor]),
            &[
                ("0:a 4:aN 5:a", &[&[0, 1, 2]]),
                ("0:a 4:a 5:aN", &[]),
                // the anchor is dropped, the others stay
                ("0:a 4:a 5:aN 6:a", &[&[0, 1, 3]]),
                // fewer entries with higher counts
                ("0:a 5:a3", &[&[0, 1]]),
                ("0:a 5:a3N", &[]),
            ],
        );
    }
}

/// The span of a match, the position of the refutation, and whether a match remains.
#[test]
fn the_reach_of_a_refutation() {
    let reach = |window, slide, anchor, absolute| Reach {
        window,
        slide,
        anchor,
        absolute,
    };
    let spans = "100:a 101:b 104:c";
    for (reach, place, holds) in [
        // from the last event for the length of the window, inclusive
        (reach(18, 0, 0, false), 122, false),
        (reach(17, 0, 0, false), 122, true),
        // counted from the second event
        (reach(17, 0, 1, false), 122, false),
        (reach(16, 0, 1, false), 122, true),
        (reach(0, 0, 1, false), 100, true),
        // shifted to before the first event
        (reach(0, -8, 0, false), 92, false),
        (reach(0, -8, 0, false), 96, false),
        (reach(0, -8, 0, false), 97, true),
        (reach(0, -8, 0, false), 91, true),
        (reach(1, -8, 1, false), 92, true),
        (reach(1, -9, 1, false), 92, false),
        (reach(1, -9, 1, false), 98, true),
        // or to after it
        (reach(0, 3, 0, false), 102, true),
        (reach(0, 3, 0, false), 107, false),
        (reach(0, 3, 0, false), 108, true),
        // without the time from first to last
        (reach(20, 0, 0, true), 120, false),
        (reach(20, 0, 0, true), 121, true),
        (reach(0, 0, 2, true), 104, false),
        // never shorter than a moment
        (reach(-9, 0, 0, false), 100, false),
        (reach(-9, 0, 0, false), 101, true),
        (reach(-3, 0, 0, false), 101, false),
        (reach(-3, 0, 0, false), 102, true),
    ] {
        for ordered in [false, true] {
            let shape = shape(ordered, "a b c", 5, &[reach]);
            let mut all = entries(spans);
            let at = all.partition_point(|entry| entry.time <= place);
            let refutation = entries(&format!("{place}:N")).remove(0);
            all.insert(
                at,
                Entry {
                    item: 9,
                    ..refutation
                },
            );
            let expected: Matches = if holds { vec![vec![0, 1, 2]] } else { vec![] };
            assert_eq!(run(&shape, &all), expected, "{reach:?} at {place}");
        }
    }
    // a single event
    let after = reach(5, 0, 0, false);
    check(
        &shape(false, "a", 0, &[after]),
        &[
            ("10:a 15:N", &[]),
            ("10:a 16:N", &[&[0]]),
            // a refutation before it is not kept, even at an equal time
            ("10:N 10:a", &[&[1]]),
            // a refuted entry is dropped at once
            ("10:a 11:N 13:N 13:a", &[&[3]]),
        ],
    );
    check(
        &shape(false, "a", 0, &[reach(0, -3, 0, false), PLAIN]),
        &[
            ("7:N 10:a", &[]),
            ("6:N 10:a", &[&[1]]),
            // with a backward slide, all are kept
            ("10:O 10:a", &[]),
        ],
    );
}

#[test]
fn the_anchor_of_a_set_is_a_rank() {
    let second = Reach {
        anchor: 1,
        absolute: true,
        ..PLAIN
    };
    check(
        &shape(false, "a b c", 10, &[second]),
        &[
            ("0:c 1:a 1:N 2:b", &[]),
            ("0:c 1:a 2:b 2:N", &[&[1, 2, 0]]),
            // the anchor is dropped
            ("0:c 1:a 1:N 2:b 3:a", &[&[4, 3, 0]]),
            ("0:c 1:b 1:N 2:a 3:b 3:c", &[&[3, 4, 0]]),
        ],
    );
}

#[test]
fn a_match_is_decided_when_nothing_can_refute_it_any_more() {
    let after = Reach { window: 5, ..PLAIN };
    for ordered in [false, true] {
        let shape = shape(ordered, "a b", 10, &[after]);
        let mut automaton = Automaton::new(&shape);
        let mut fired = Vec::new();
        for entry in entries("0:a 2:b 3:a") {
            automaton.take(&shape, entry, &mut fired);
        }
        // until 2 + 5, inclusive
        automaton.advance(&shape, 7, &mut fired);
        assert!(fired.is_empty());
        automaton.advance(&shape, 8, &mut fired);
        assert_eq!(fired, [[(0, 0), (1, 1)]]);
        // entries that arrived meanwhile serve the next match
        automaton.take(&shape, entries("9:b").remove(0), &mut fired);
        assert_eq!(fired.len(), 1);
        automaton.finish(&shape, &mut fired);
        assert_eq!(fired[1], [(0, 2), (1, 0)]);
    }
}

#[test]
fn a_million_entries_need_no_more_room() {
    let far = Reach {
        window: 1_000_000,
        slide: -1_000_000,
        ..PLAIN
    };
    // (shape, repeated letters)
    for (shape, letters) in [
        (shape(false, "a b", 1_000_000, &[]), "a"),
        (shape(true, "a b c", 1_000_000, &[]), "ab"),
        (shape(true, "a*9 b", 1_000_000, &[]), "a"),
        (shape(false, "a b", 10, &[far]), "aN"),
        (shape(false, "a", 10, &[Reach { slide: 0, ..far }]), "a"),
    ] {
        let mut automaton = Automaton::new(&shape);
        let mut fired = Vec::new();
        let entry = entries(&format!("0:{letters}")).remove(0);
        for time in 0..200_000 {
            let entry = Entry {
                time,
                ..entry.clone()
            };
            automaton.take(&shape, entry, &mut fired);
            fired.clear();
            let most = shape.needs.iter().sum::<u64>() as usize + SPARE * shape.needs.len();
            assert!(automaton.len() <= most);
            assert!(automaton.remembered() <= SPARE);
        }
        assert!(automaton.dropped() > 0);
    }
}

#[test]
fn what_waits_for_its_decision_survives_a_flood() {
    let after = Reach {
        window: 100,
        ..PLAIN
    };
    let shape = shape(false, "a b", 0, &[after]);
    let mut automaton = Automaton::new(&shape);
    let mut fired = Vec::new();
    for (item, time) in [(0, 0), (1, 0)]
        .into_iter()
        .chain((2..5000).map(|n| (n, 1)))
    {
        let entry = Entry {
            time,
            span: None,
            count: 1,
            slots: if item == 1 { 2 } else { 1 },
            refutations: 0,
            item,
        };
        automaton.take(&shape, entry, &mut fired);
    }
    automaton.finish(&shape, &mut fired);
    assert_eq!(fired, [[(0, 0), (1, 1)]]);
    assert_eq!(automaton.dropped(), 4998 - SPARE as u64);
}
