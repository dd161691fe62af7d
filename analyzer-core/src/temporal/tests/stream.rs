//! Tests of hits from many objects, times and documents.

use std::sync::Arc;

use super::super::matches::MAX_MATCHES;
use super::super::partition::MAX_PARTITIONS;
use super::super::stream::MAX_SCOPES;
use super::super::threshold::MAX_ITEMS;
use super::super::{Stream, reorder};
use crate::matcher::{Hit, Match, Moment};
use kwhy_model::{Format, Stamp, Subject};
use kwhy_parse::input::Place;
use kwhy_signature::Condition;

pub(super) fn condition(yaml: &str) -> Condition {
    serde_yaml::from_str(yaml).unwrap()
}

pub(super) fn hit(place: usize, moment: Option<Moment>) -> Hit {
    Hit {
        place: Place::default(),
        around: Vec::new(),
        document: 0,
        record: place..place + 1,
        mark: place..place + 1,
        format: Format::Klog,
        subject: Arc::default(),
        ids: None,
        component: None,
        reason: None,
        writers: Vec::new(),
        captures: Vec::new(),
        weight: 1,
        count: 1,
        is_state: false,
        ended: None,
        of_list: false,
        leads: true,
        refined: false,
        severity: None,
        first: moment,
        last: moment,
    }
}

pub(super) fn at(millis: i128) -> Option<Moment> {
    Some(Moment::At(Stamp {
        nanos: millis * 1_000_000,
        digits: 3,
        zone_stated: true,
        year_stated: true,
    }))
}

fn of(subject: Subject, hit: Hit) -> Hit {
    Hit {
        subject: Arc::new(subject),
        ..hit
    }
}

fn capturing(name: &str, value: &str, hit: Hit) -> Hit {
    Hit {
        captures: vec![(name.to_owned(), value.to_owned())],
        ..hit
    }
}

fn run(condition: &Condition, hits: impl IntoIterator<Item = (usize, Hit)>) -> (Vec<Match>, u64) {
    let mut stream = Stream::new(condition).unwrap();
    for (leaf, hit) in hits {
        stream.take(leaf, hit);
    }
    stream.finish()
}

/// The positions of the hits of each match.
fn places(condition: &Condition, hits: impl IntoIterator<Item = (usize, Hit)>) -> Vec<Vec<usize>> {
    let (matches, _) = run(condition, hits);
    let places = |found: Match| found.hits.iter().map(|hit| hit.mark.start).collect();
    matches.into_iter().map(places).collect()
}

const PAIR: &str = "{sequence: [{event: {reason: A}}, {event: {reason: B}}], within: 10s";

#[test]
fn only_a_condition_over_time_is_followed() {
    assert!(Stream::new(&condition("{event: {reason: A}}")).is_none());
    assert!(Stream::new(&condition("{event: {reason: A}, at_least: 3}")).is_none());
    assert!(Stream::new(&condition(&format!("{PAIR}}}"))).is_some());
}

#[test]
fn hits_of_one_record_are_one_entry() {
    let set = condition("{all: [{event: {reason: A}}, {event: {reason: B}}], within: 0s}");
    assert_eq!(
        places(&set, [(0, hit(1, at(0))), (1, hit(1, at(0)))]),
        [[1, 1]]
    );
    let pair = condition(&format!("{PAIR}, none: [{{event: {{reason: C}}}}]}}"));
    assert!(places(&pair, [(0, hit(1, at(0))), (1, hit(1, at(0)))]).is_empty());
    let refuted = [(0, hit(1, at(0))), (2, hit(1, at(0))), (1, hit(2, at(1)))];
    assert!(places(&pair, refuted).is_empty());
    // with interleaved leaves of `also`
    let beside = "also: [{event: {reason: X}}], none: [{event: {reason: C}}]";
    let beside = condition(&format!("{PAIR}, {beside}}}"));
    let hits = |leaf| {
        [
            (0, hit(1, at(0))),
            (leaf, hit(2, at(1))),
            (1, hit(3, at(2))),
        ]
    };
    assert_eq!(places(&beside, hits(2)), [[1, 3]]);
    assert!(places(&beside, hits(3)).is_empty());
}

#[test]
fn each_scope_has_its_own() {
    let pod = |name: &str| Subject::new("Pod", Some("shop"), name);
    let on = |node: &str, subject: Subject| Subject {
        node: Some(node.to_owned()),
        ..subject
    };
    let unknown = Subject::default();
    // (scope, the subjects and documents of two hits, true if they match together)
    for (scope, a, b, together) in [
        ("subject", (pod("web-0"), 0), (pod("web-0"), 1), true),
        ("subject", (pod("web-0"), 0), (pod("web-1"), 0), false),
        ("owner", (pod("web-0"), 0), (pod("web-1"), 1), true),
        (
            "owner",
            (pod("web-0"), 0),
            (Subject::new("StatefulSet", Some("shop"), "web"), 0),
            true,
        ),
        ("owner", (pod("web-0"), 0), (pod("db-0"), 0), false),
        ("owner", (unknown.clone(), 0), (unknown.clone(), 0), true),
        ("owner", (unknown.clone(), 0), (unknown.clone(), 1), false),
        (
            "node",
            (on("n1", pod("web-0")), 0),
            (Subject::new("Node", None, "n1"), 1),
            true,
        ),
        (
            "node",
            (on("n1", pod("web-0")), 0),
            (on("n2", pod("web-0")), 0),
            false,
        ),
        ("source", (pod("web-0"), 0), (pod("db-0"), 0), true),
        ("source", (pod("web-0"), 0), (pod("web-0"), 1), false),
        ("input", (pod("web-0"), 0), (unknown.clone(), 1), true),
    ] {
        let condition = condition(&format!("{PAIR}, per: {scope}}}"));
        let in_document = |(subject, document): (Subject, usize), place| Hit {
            document,
            ..of(subject, hit(place, at(0)))
        };
        let hits = [
            (0, in_document(a.clone(), 1)),
            (1, in_document(b.clone(), 2)),
        ];
        assert_eq!(
            !places(&condition, hits).is_empty(),
            together,
            "{scope} {a:?} {b:?}"
        );
    }
}

#[test]
fn times_of_several_kinds() {
    let pair = condition(&format!("{PAIR}}}"));
    let ago = |seconds| Some(Moment::Ago(seconds));
    let two = |a, b| places(&pair, [(0, hit(1, a)), (1, hit(2, b))]).len();
    assert_eq!(two(at(0), at(10_000)), 1);
    assert_eq!(two(at(0), at(10_001)), 0);
    assert_eq!(two(ago(20), ago(10)), 1);
    assert_eq!(two(ago(21), ago(10)), 0);
    assert_eq!(two(ago(10), ago(20)), 0);
    assert_eq!(two(at(0), ago(0)), 0);
    // without any time, input order decides
    assert_eq!(two(None, None), 1);
    // a hit without a time is placed at the last one with a time
    assert_eq!(two(at(77_000), None), 1);
    assert_eq!(two(ago(77), None), 1);
    let late = [
        (0, hit(1, at(0))),
        (0, hit(2, at(60_000))),
        (1, hit(3, None)),
    ];
    assert_eq!(places(&pair, late), [[2, 3]]);
}

#[test]
fn a_little_disorder_is_set_right() {
    let pair = condition(&format!("{PAIR}}}"));
    let swapped = [(1, hit(1, at(3_000))), (0, hit(2, at(0)))];
    assert_eq!(places(&pair, swapped), [[2, 1]]);
    // hits beyond the tolerance are late
    let late = [
        (1, hit(1, at(3_000))),
        (1, hit(2, at(9_000))),
        (0, hit(3, at(2_000))),
    ];
    let (matches, dropped) = run(&pair, late);
    assert_eq!((matches.len(), dropped), (0, 1));
}

#[test]
fn parts_agree_on_what_they_capture() {
    let three = condition(
        "{sequence: [{event: {message: 'open {x:word}'}}, {event: {message: storm}}, \
         {event: {message: 'shut {x:word}'}}], within: 10s, \
         none: [{event: {message: 'fine {x:word}'}, slide: -1ms}]}",
    );
    let x = |value: &str, place: usize| capturing("x", value, hit(place, at(place as i128)));
    let storm = |place: usize| hit(place, at(place as i128));
    // the middle one is compatible with any value
    let hits = [
        (0, x("a", 1)),
        (0, x("b", 2)),
        (1, storm(3)),
        (2, x("b", 4)),
        (2, x("a", 5)),
    ];
    assert_eq!(places(&three, hits), [[1, 3, 5], [2, 3, 4]]);
    let apart = [(0, x("a", 1)), (1, storm(2)), (2, x("b", 3))];
    assert!(places(&three, apart).is_empty());
    // a compatible hit may precede the first one with the value
    let set = condition(
        "{all: [{event: {message: storm}}, {event: {message: 'shut {x:word}'}}, \
         {event: {message: 'open {x:word}'}}], within: 10s}",
    );
    let hits = [(0, storm(1)), (1, x("a", 2)), (2, x("a", 3))];
    assert_eq!(places(&set, hits), [[1, 2, 3]]);
    // refuting one value leaves the other, even if the refutation came first
    let fine = |value| {
        let hits = [
            (3, x(value, 1)),
            (0, x("a", 2)),
            (1, storm(3)),
            (2, x("a", 4)),
        ];
        places(&three, hits).len()
    };
    assert_eq!((fine("a"), fine("b")), (0, 1));
    // thousands of other values do not evict it
    let two = condition(
        "{sequence: [{event: {message: 'open {x:word}'}}, {event: {message: 'shut {x:word}'}}], \
         within: 10s, none: [{event: {message: 'fine {x:word}'}}]}",
    );
    let others = (2..3000).map(|place| (2, x(&place.to_string(), place)));
    let hits = [(0, x("a", 1))].into_iter().chain(others);
    assert_eq!(places(&two, hits.chain([(1, x("a", 4000))])), [[1, 4000]]);
    // an alternative without the name is compatible with all
    let hits = [(0, storm(1)), (1, storm(2)), (2, storm(3))];
    assert_eq!(places(&three, hits), [[1, 2, 3]]);
    let hits = [(0, storm(1)), (1, storm(2)), (2, x("a", 3))];
    assert_eq!(places(&three, hits), [[1, 2, 3]]);
}

#[test]
fn a_burst_is_one_match() {
    let often = condition("{event: {reason: A}, rate: 100/1m}");
    let seen = |count, seconds: u64, place| Hit {
        count,
        first: at(0),
        last: at(i128::from(seconds) * 1000),
        ..hit(place, at(0))
    };
    // an aggregated event counts as often as it states
    let (matches, _) = run(&often, [(0, seen(99, 30, 1)), (0, seen(1, 40, 2))]);
    assert_eq!(matches[0].hits.len(), 2);
    // an event longer than the window is spread over its duration
    assert!(places(&often, [(0, seen(120, 7200, 1))]).is_empty());
    assert_eq!(places(&often, [(0, seen(1000, 600, 1))]), [[1]]);
    let (matches, dropped) = run(&often, (0..1000).map(|n| (0, hit(n, at(n as i128)))));
    assert_eq!((matches.len(), dropped), (1, 0));
    let hits = &matches[0].hits;
    assert_eq!(hits.len(), MAX_ITEMS);
    assert_eq!(hits.iter().map(|hit| hit.count).sum::<u64>(), 1000);
    assert_eq!(hits[MAX_ITEMS - 1].last, at(999));
    assert!(hits.iter().all(|hit| hit.leads));
}

#[test]
fn counts_may_be_huge() {
    let huge = |place| Hit {
        count: u64::MAX,
        ..hit(place, at(0))
    };
    for yaml in [
        "{event: {reason: A}, rate: 3/1m}",
        "{all: [{event: {reason: A}, at_least: 3}], within: 1m}",
        "{sequence: [{event: {reason: A}, at_least: 3}], within: 1m}",
    ] {
        let (matches, _) = run(&condition(yaml), [(0, huge(1)), (0, huge(2))]);
        assert_eq!(matches[0].hits[0].count, u64::MAX, "{yaml}");
    }
}

#[test]
fn documents_are_read_side_by_side() {
    let pair = condition(&format!("{PAIR}, per: input}}"));
    let in_document = |document, place: usize, seconds: i128| Hit {
        document,
        ..hit(place, at(seconds * 1000))
    };
    let first = vec![in_document(0, 1, 100), in_document(0, 2, 200)];
    let second = vec![in_document(1, 3, 103), in_document(1, 4, 205)];
    let lists = [first, second];
    let mut hits = lists.iter();
    let matches = super::super::matches(&pair, &mut hits);
    let places: Vec<Vec<usize>> = matches
        .iter()
        .map(|found| found.hits.iter().map(|hit| hit.mark.start).collect())
        .collect();
    assert_eq!(places, [[1, 3], [2, 4]]);
    assert_eq!(hits.len(), 0);
}

#[test]
fn comparisons_are_those_of_the_whole() {
    let more = condition(
        "{all: [{event: {message: 'used {used:int}'}, where: ['{used} > 5']}, \
         {event: {message: 'limit {limit:int}'}}], within: 10s, where: ['{used} > {limit}']}",
    );
    let found = |used: &str, limit: &str| {
        let hits = [
            (0, capturing("used", used, hit(1, at(0)))),
            (1, capturing("limit", limit, hit(2, at(0)))),
        ];
        places(&more, hits).len()
    };
    assert_eq!(
        (found("9", "8"), found("9", "9"), found("5", "1")),
        (1, 0, 0)
    );
}

#[test]
fn many_scopes_and_values_need_no_more_room() {
    let pair = format!("{PAIR}, per: subject}}");
    let named = "{all: [{event: {message: 'open {x:word}'}}, {event: {message: 'shut {x:word}'}}], \
        within: 10s}";
    for (yaml, by_subject) in [(pair.as_str(), true), (named, false)] {
        let condition = condition(yaml);
        let mut stream = Stream::new(&condition).unwrap();
        let mut most = 0;
        for number in 0..20_000 {
            let value = format!("n{number}");
            let seen = hit(number, at(number as i128 * 10_000));
            let seen = if by_subject {
                of(Subject::new("Pod", None, &value), seen)
            } else {
                capturing("x", &value, seen)
            };
            stream.take(0, seen);
            most = most.max(stream.kept());
        }
        let limit = if by_subject {
            MAX_SCOPES
        } else {
            MAX_PARTITIONS + reorder::MAX_WAITING
        };
        assert!(most <= limit, "{most}");
        let (matches, dropped) = stream.finish();
        assert!(matches.is_empty());
        // only expired entries were lost
        assert_eq!(dropped > 0, by_subject);
    }
    // the most recently used scopes are followed
    let condition = condition(&pair);
    let pod = |number: usize, leaf: usize| {
        let subject = Subject::new("Pod", None, &format!("n{number}"));
        (leaf, of(subject, hit(number * 2 + leaf, at(0))))
    };
    let opened = (0..2 * MAX_SCOPES).map(|number| pod(number, 0));
    let shut = (0..2 * MAX_SCOPES).rev().map(|number| pod(number, 1));
    let (matches, _) = run(&condition, opened.chain(shut));
    assert_eq!(matches.len(), MAX_SCOPES);
}

#[test]
fn further_matches_are_left_out_and_counted() {
    let single = condition("{event: {reason: A}, none: [{event: {reason: B}, window: 1s}]}");
    let (matches, left_out) = run(&single, (0..5000).map(|n| (0, hit(n, at(n as i128)))));
    assert_eq!(matches.len(), MAX_MATCHES);
    let hits = matches.iter().flat_map(|found| &found.hits);
    let counted = hits.map(|hit| hit.count).sum::<u64>();
    assert_eq!(counted, MAX_MATCHES as u64);
    assert_eq!(counted + left_out, 5000);
}
