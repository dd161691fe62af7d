//! Compares nested conditions over time with a slow and simple reference, in which the inner conditions' matches,
//! themselves from the single-condition reference, are entries of the outer one.

use proptest::prelude::*;

use super::super::Stream;
use super::super::automaton::Span;
use super::super::compile::{Plan, Role};
use super::reference::reference;
use super::stream::{at, condition, hit};
use super::{Entry, Matches, Time};
use kwhy_signature::Condition;

/// A record: its time, and the leaves that it fulfils.
type Row = (Time, u32);

/// An entry of a level: with the time at which it is known, its order among those of one record, and its records.
struct Made {
    entry: Entry<usize>,
    order: (Time, u64, u8),
    records: Vec<usize>,
}

/// The matches of a condition, as the numbers of their records with their spans.
fn matches(plan: &Plan, rows: &[Row], leaves: &[usize]) -> Vec<(Vec<usize>, Span)> {
    let mut all: Vec<Made> = Vec::new();
    let made = |time, span: Span, (slots, refutations): (u64, u64), class, records| Made {
        entry: Entry {
            time,
            span: Some(span),
            count: 1,
            slots,
            refutations,
            item: 0,
        },
        order: (time, span.records.1, class),
        records,
    };
    for (number, (time, fulfilled)) in rows.iter().enumerate() {
        let mut bits = (0, 0);
        for (leaf, known) in plan.leaves.iter().enumerate() {
            let Some((role, _)) = known else { continue };
            if fulfilled & (1 << leaves[leaf]) != 0 {
                let (slots, refutations) = role.bits();
                bits = (bits.0 | slots, bits.1 | refutations);
            }
        }
        if bits != (0, 0) {
            let span = Span::of_record(*time, number as u64);
            all.push(made(*time, span, bits, 1, vec![number]));
        }
    }
    for (number, inner) in plan.inner.iter().enumerate() {
        let own = plan.leaves.iter().zip(leaves).filter_map(|(known, leaf)| {
            let (role, _) = known.as_ref()?;
            match role {
                Role::Inside { inner, .. } if *inner == number => Some(*leaf),
                _ => None,
            }
        });
        let own: Vec<usize> = own.collect();
        let class = if matches!(inner.role, Role::Slot(_)) {
            0
        } else {
            2
        };
        for (records, span) in matches(&inner.plan, rows, &own) {
            all.push(made(span.end, span, inner.role.bits(), class, records));
        }
    }
    all.sort_by_key(|made| made.order);
    let entries: Vec<Entry<usize>> = all
        .iter()
        .enumerate()
        .map(|(item, made)| Entry {
            item,
            ..made.entry.clone()
        })
        .collect();
    let found = reference(&plan.shape, &entries).into_iter().map(|items| {
        let spans = items.iter().filter_map(|item| all[*item].entry.span);
        let span = spans.reduce(Span::joined).unwrap();
        let records = items.iter().flat_map(|item| all[*item].records.clone());
        (records.collect(), span)
    });
    found.collect()
}

fn slow(condition: &Condition, rows: &[Row]) -> Matches {
    const MILLISECOND: Time = 1_000_000;
    let rows: Vec<Row> = rows
        .iter()
        .map(|(time, fulfilled)| (time * MILLISECOND, *fulfilled))
        .collect();
    let plan = Plan::new(condition).unwrap();
    let leaves: Vec<usize> = (0..plan.leaves.len()).collect();
    let mut found: Matches = matches(&plan, &rows, &leaves)
        .into_iter()
        .map(|(records, _)| records)
        .collect();
    found.iter_mut().for_each(|records| records.sort_unstable());
    found.sort();
    found
}

fn fast(condition: &Condition, rows: &[Row]) -> Matches {
    let mut stream = Stream::new(condition).unwrap();
    for (number, (time, fulfilled)) in rows.iter().enumerate() {
        for leaf in (0..32).filter(|leaf| fulfilled & (1 << leaf) != 0) {
            stream.take(leaf as usize, hit(number, at(*time)));
        }
    }
    let (matches, dropped) = stream.finish();
    assert_eq!(dropped, 0);
    let records = |found: crate::matcher::Match| {
        let mut records: Vec<usize> = found.hits.iter().map(|hit| hit.mark.start).collect();
        records.sort_unstable();
        records
    };
    let mut found: Matches = matches.into_iter().map(records).collect();
    found.sort();
    found
}

fn reach() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(", window: 0ms".to_owned()),
        (-3i64..6, -5i64..4, any::<bool>()).prop_map(|(window, slide, absolute)| format!(
            ", window: {window}ms, slide: {slide}ms, absolute: {absolute}"
        )),
    ]
}

/// The inner text of a set or sequence of the given parts.
fn list(parts: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let times = prop_oneof![4 => Just(1u32), 1 => Just(2u32)];
    let positives = prop::collection::vec((parts.clone(), times), 1..3);
    let negatives = prop::collection::vec((parts, reach()), 0..2);
    let all = (any::<bool>(), positives, negatives, 0i64..9);
    let written = all.prop_map(|(ordered, positives, negatives, window)| {
        let ordered = ordered && positives.iter().map(|(_, times)| times).sum::<u32>() > 1;
        let key = if ordered { "sequence" } else { "all" };
        let part = |(part, times): &(String, u32)| format!("{{{part}, at_least: {times}}}");
        let positives: Vec<String> = positives.iter().map(part).collect();
        let negative = |(part, reach): &(String, String)| format!("{{{part}{reach}}}");
        let negatives: Vec<String> = negatives.iter().map(negative).collect();
        format!(
            "{key}: [{}], within: {window}ms, per: input, none: [{}]",
            positives.join(", "),
            negatives.join(", ")
        )
    });
    written.boxed()
}

fn conditions() -> impl Strategy<Value = String> {
    let leaf = || Just("event: {reason: A}".to_owned()).boxed();
    let inner = list(leaf());
    let part = prop_oneof![leaf(), inner.clone()].boxed();
    let deeper = list(part);
    let any = prop_oneof![2 => leaf(), 2 => inner, 1 => deeper].boxed();
    list(any).prop_map(|text| format!("{{{text}}}"))
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let gap = prop_oneof![2 => Just(0i128), 3 => 1i128..3, 1 => 3i128..9];
    // a few leaves at a time
    let fulfilled = (any::<u32>(), any::<u32>()).prop_map(|(a, b)| a & b);
    prop::collection::vec((gap, fulfilled), 0..14).prop_map(|rows| {
        let mut time = 0;
        let rows = rows.into_iter();
        rows.map(|(gap, fulfilled)| {
            time += gap;
            (time, fulfilled)
        })
        .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn inner_conditions_agree(text in conditions(), rows in rows()) {
        let condition = condition(&text);
        let leaves = Plan::new(&condition).unwrap().leaves.len();
        prop_assume!(leaves < 32);
        let own = |(time, fulfilled): &Row| (*time, fulfilled & ((1 << leaves) - 1));
        let rows: Vec<Row> = rows.iter().map(own).collect();
        prop_assert_eq!(fast(&condition, &rows), slow(&condition, &rows), "{}", text);
    }
}

/// The records of a condition's matches, given each record's leaves as letters.
fn found(yaml: &str, records: &str) -> Vec<Vec<usize>> {
    let row = |word: &str| {
        let (time, letters) = word.split_once(':').unwrap();
        let bits = letters.bytes().map(|letter| 1 << (letter - b'a'));
        (time.parse().unwrap(), bits.sum())
    };
    let rows: Vec<Row> = records.split_whitespace().map(row).collect();
    fast(&condition(yaml), &rows)
}

const EVENT: &str = "{event: {reason: A}}";

#[test]
fn a_step_that_is_a_sequence_follows_all_of_the_one_before() {
    let pair = format!("{{sequence: [{EVENT}, {EVENT}], within: 5ms, per: input}}");
    let yaml = format!("{{sequence: [{pair}, {pair}], within: 20ms, per: input}}");
    assert_eq!(found(&yaml, "1:a 2:b 3:c 4:d"), [[0, 1, 2, 3]]);
    // the second step starts before the first ends
    assert!(found(&yaml, "1:a 2:c 3:b 4:d").is_empty());
    // each inner condition has its own window, and so has the whole
    assert!(found(&yaml, "1:a 7:b 8:c 9:d").is_empty());
    assert!(found(&yaml, "1:a 2:b 18:c 22:d").is_empty());
}

#[test]
fn inner_negatives_are_decided_before_the_outer_match() {
    let guarded = format!(
        "{{all: [{EVENT}], within: 0ms, per: input, none: [{{event: {{reason: A}}, window: 5ms}}]}}"
    );
    let yaml = format!("{{sequence: [{guarded}, {EVENT}], within: 20ms, per: input}}");
    assert_eq!(found(&yaml, "1:a 3:c"), [[0, 1]]);
    // the refutation of the first step comes after the last step
    assert!(found(&yaml, "1:a 3:c 5:b").is_empty());
    assert_eq!(found(&yaml, "1:a 3:c 7:b"), [[0, 1]]);
}

#[test]
fn a_negative_set_counts_while_it_is_under_way() {
    let both = format!("all: [{EVENT}, {EVENT}], within: 4ms, per: input");
    let yaml = format!(
        "{{all: [{EVENT}, {EVENT}], within: 9ms, per: input, none: [{{{both}, window: 0ms}}]}}"
    );
    assert_eq!(found(&yaml, "10:a 14:b"), [[0, 1]]);
    assert!(found(&yaml, "10:a 14:bc 17:d").is_empty());
    assert!(found(&yaml, "9:c 10:a 11:d 14:b").is_empty());
    // half of the inner condition refutes nothing
    assert_eq!(found(&yaml, "10:a 12:c 14:b"), [[0, 2]]);
    assert_eq!(found(&yaml, "10:a 12:c 14:b 17:d"), [[0, 2]]);
}
