//! Counts that do not depend on order or split.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::axis::SECOND;
use super::*;

type Record = (Option<Stamp>, Option<Severity>);

fn at(seconds: i64) -> Stamp {
    stamp(i128::from(seconds) * SECOND + 5, true)
}

fn timeline(records: &[Record]) -> Timeline {
    let mut timeline = Timeline::new();
    for (time, severity) in records {
        timeline.add(*time, *severity);
    }
    timeline
}

fn record() -> impl Strategy<Value = Record> {
    let severity = select(
        &[
            None,
            Some(Severity::Debug),
            Some(Severity::Info),
            Some(Severity::Warning),
            Some(Severity::Error),
            Some(Severity::Fatal),
        ][..],
    );
    let time = prop_oneof![
        20 => (1_930_000_000i64..1_930_003_000).prop_map(|seconds| Some(at(seconds))),
        2 => (1_900_000_000i64..1_990_000_000).prop_map(|seconds| Some(at(seconds))),
        1 => (-62_000_000_000i64..250_000_000_000).prop_map(|seconds| Some(at(seconds))),
        3 => (0i64..365 * DAY).prop_map(|seconds| Some(Stamp { year_stated: false, ..at(seconds) })),
        1 => Just(None),
    ];
    (time, severity)
}

proptest! {
    #[test]
    fn order_and_split_do_not_matter(
        records in vec(record(), 0..2000),
        swaps in vec((any::<Index>(), any::<Index>()), 0..200),
        cuts in vec((any::<Index>(), any::<bool>()), 0..8),
        reference in select(&[None, Some(1_930_001_000i64), Some(1_000_000_000)][..]),
    ) {
        let mut expected = timeline(&records);
        let mut shuffled = records.clone();
        for (a, b) in &swaps {
            if !records.is_empty() {
                shuffled.swap(a.index(records.len()), b.index(records.len()));
            }
        }
        let mut found = Timeline::new();
        let mut rest = shuffled.as_slice();
        for (cut, reverse) in &cuts {
            let (part, after) = rest.split_at(cut.index(rest.len() + 1));
            rest = after;
            let mut part = timeline(part);
            if *reverse {
                std::mem::swap(&mut found, &mut part);
            }
            found.merge(part);
        }
        found.merge(timeline(rest));
        prop_assert_eq!(found.report(), expected.report());
        let reference = reference.and_then(|second| Timestamp::from_second(second).ok());
        found.settle(reference);
        expected.settle(reference);
        prop_assert_eq!(found.report(), expected.report());

        let report = found.report();
        prop_assert!(report.buckets.len() <= MAX_BUCKETS);
        let total: u64 = report.buckets.iter().map(|bucket| bucket.counts.total()).sum();
        prop_assert_eq!(total + report.without_time.total(), records.len() as u64);
        prop_assert!(report.buckets.windows(2).all(|pair| pair[0].start != pair[1].start));
    }
}

#[test]
fn widths_divide_each_other_and_cover_all_years() {
    assert!(WIDTHS.windows(2).all(|pair| pair[1] % pair[0] == 0));
    let whole = Timestamp::MAX.as_second() - Timestamp::MIN.as_second();
    assert!(whole / WIDTHS[WIDTHS.len() - 1] + 2 <= MAX_BUCKETS as i64);
}

#[test]
fn the_width_grows_with_the_times_that_occur() {
    let every = |step: i64| -> Vec<Record> {
        (0..512)
            .map(|n| (Some(at(1_930_000_000 + n * step)), None))
            .collect()
    };
    assert_eq!(timeline(&every(1)).report().bucket_seconds, 1);
    let mut one_more = every(1);
    one_more.push((Some(at(1_930_000_512)), None));
    let report = timeline(&one_more).report();
    assert_eq!((report.bucket_seconds, report.buckets.len()), (5, 103));
    assert_eq!(report.buckets[0].start.to_string(), "2031-02-27T23:06:40Z");
}

#[test]
fn outlying_times_keep_the_width() {
    let records: Vec<Record> = [0, 1_930_000_000, 1_930_000_001, 250_000_000_000]
        .map(|second| (Some(at(second)), Some(Severity::Error)))
        .to_vec();
    let report = timeline(&records).report();
    assert_eq!(report.bucket_seconds, 1);
    let starts: Vec<_> = report
        .buckets
        .iter()
        .map(|bucket| bucket.start.to_string())
        .collect();
    assert_eq!(
        starts,
        [
            "1970-01-01T00:00:00Z",
            "2031-02-27T23:06:40Z",
            "2031-02-27T23:06:41Z",
            "9892-03-08T12:26:40Z"
        ]
    );
}

#[test]
fn years_are_settled_at_the_end() {
    let yearless = Stamp {
        year_stated: false,
        ..at(62 * DAY + 7)
    };
    let mut timeline = timeline(&[(Some(yearless), Some(Severity::Info))]);
    assert_eq!(
        timeline.report().buckets[0].start.to_string(),
        "03-04T00:00:07"
    );
    timeline.settle(Timestamp::from_second(1_930_000_000).ok());
    assert_eq!(
        timeline.report().buckets[0].start.to_string(),
        "2030-03-04T00:00:07Z"
    );
}

#[test]
fn the_report_is_plain_data() {
    let report = timeline(&[(Some(at(0)), Some(Severity::Fatal)), (None, None)]).report();
    assert_eq!(
        serde_json::to_string(&report).unwrap(),
        r#"{"bucket_seconds":1,"buckets":[{"start":"1970-01-01T00:00:00Z","fatal":1,"error":0,"warning":0,"info":0,"other":0}],"without_time":{"fatal":0,"error":0,"warning":0,"info":0,"other":1}}"#
    );
}
