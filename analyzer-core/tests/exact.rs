//! Exactness of counts and of first and last times for each object: on logs far beyond all limits of the engine,
//! compared with the generator's truth, and on short logs, compared with the slow reference.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use kwhy_core::report::{Limit, When};
use kwhy_core::{Analyzer, Report};
use rayon::prelude::*;

/// The occurrences of one object in a log: count, first and last, in milliseconds since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    count: u64,
    first: i64,
    last: i64,
}

/// The true occurrences in a log, by signature and object.
type Truth = BTreeMap<(&'static str, String), Seen>;

/// The start of each log.
const START: &str = "2031-03-04T05:00:00Z";

/// The failures: the id of a signature, and its message with `#` for the object.
const FAILURES: [(&str, &str); 7] = [
    (
        "configmap-mount-missing",
        r#"MountVolume.SetUp failed for volume "conf" : configmap "conf-#" not found"#,
    ),
    (
        "secret-mount-missing",
        r#"MountVolume.SetUp failed for volume "login" : secret "conf-#" not found"#,
    ),
    (
        "service-account-missing",
        r#"Error creating: pods "barge-" is forbidden: error looking up service account dock/robot-#: serviceaccount "robot-#" not found"#,
    ),
    (
        "quota-exceeded",
        r#"Error creating: pods "crane-#-" is forbidden: exceeded quota: quota-#, requested: limits.memory=2Gi, used: limits.memory=9Gi, limited: limits.memory=10Gi"#,
    ),
    (
        "image-not-in-registry",
        r#"failed to pull and unpack image "quay.tides.example/berth/hull-#:1": failed to resolve reference "quay.tides.example/berth/hull-#:1": quay.tides.example/berth/hull-#:1: not found"#,
    ),
    (
        "claim-missing",
        r#"0/3 nodes are available: persistentvolumeclaim "hold-#" not found. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."#,
    ),
    (
        "webhook-service-missing",
        r#"Internal error occurred: failed calling webhook "check-#.tides.example": failed to call webhook: Post "https://check-#.dock.svc:443/mutate?timeout=10s": service "check-#" not found"#,
    ),
];

/// Healthy records that share words with the failures.
const HEALTHY: [&str; 5] = [
    "Started container hull-7 of pod crane-3",
    "configmap conf-3 was found and mounted",
    "quota-4 was recalculated: limits.memory is 3Gi",
    "service check-2 has two endpoints",
    "image quay.tides.example/berth/hull-2:1 is present",
];

/// A random number generator (xorshift64*), so that a seed gives the same log everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Appends a record in one of the envelopes, all of which state milliseconds.
fn record(into: &mut String, envelope: u64, millis: i64, fails: bool, text: &str) {
    let start: Timestamp = START.parse().unwrap();
    let time = start + SignedDuration::from_millis(millis);
    let zoned = time.to_zoned(TimeZone::UTC);
    let klog = zoned.strftime("%m%d %H:%M:%S%.6f");
    let text_quoted = quoted(text);
    let (letter, level) = if fails { ('E', "error") } else { ('I', "info") };
    match envelope {
        0 => writeln!(
            into,
            r#"{letter}{klog}    1234 sync.go:88] "Sync failed" err="{text_quoted}""#
        ),
        1 => writeln!(
            into,
            r#"{{"level":"{level}","ts":"{time:.3}","logger":"dock","msg":"{text_quoted}"}}"#
        ),
        2 => writeln!(
            into,
            r#"time="{time:.3}" level={level} msg="{text_quoted}""#
        ),
        3 => writeln!(
            into,
            "{time:.9} stderr F {letter}{klog}       1 sync.go:557] {text}"
        ),
        _ => writeln!(
            into,
            "{} quay-1 kubelet[812]: {letter}{klog}     812 sync.go:42] {text}",
            zoned.strftime("%b %d %H:%M:%S")
        ),
    }
    .unwrap();
}

/// Generates a log of `bytes` bytes in which each kind of failure affects `objects` objects: some often and most
/// rarely, some only early and some only late.
fn log(bytes: usize, seed: u64, objects: u64) -> (String, Truth) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut text = String::with_capacity(bytes + 512);
    let mut truth = Truth::new();
    let mut millis = 0;
    while text.len() < bytes {
        millis += 1 + i64::try_from(random.below(40)).unwrap();
        let envelope = random.below(5);
        if random.below(60) != 0 {
            let healthy = HEALTHY[usize::try_from(random.below(5)).unwrap()];
            record(&mut text, envelope, millis, false, healthy);
            continue;
        }
        let (signature, template) = FAILURES[usize::try_from(random.below(7)).unwrap()];
        let bound = 1 + random.below(objects);
        let number = random.below(bound);
        let share = text.len() * 4 / bytes;
        // a quarter fails only early, a quarter only late
        if (number % 4 == 1 && share > 0) || (number % 4 == 2 && share < 3) {
            continue;
        }
        record(
            &mut text,
            envelope,
            millis,
            true,
            &template.replace('#', &number.to_string()),
        );
        let object = match signature {
            "configmap-mount-missing" | "secret-mount-missing" => format!("conf-{number}"),
            "service-account-missing" => format!("robot-{number}"),
            "quota-exceeded" => format!("quota-{number}"),
            "image-not-in-registry" => format!("quay.tides.example/berth/hull-{number}:1"),
            "claim-missing" => format!("hold-{number}"),
            _ => format!("check-{number}"),
        };
        let seen = truth.entry((signature, object)).or_insert(Seen {
            count: 0,
            first: millis,
            last: millis,
        });
        seen.count += 1;
        seen.last = millis;
    }
    (text, truth)
}

/// Returns the occurrences in a report. Findings that name several objects or failures are not supported.
fn occurrences(report: &Report) -> Truth {
    let start: Timestamp = START.parse().unwrap();
    let millis = |time: Option<When>| {
        let time = time.unwrap().timestamp().unwrap();
        i64::try_from(time.duration_since(start).as_millis()).unwrap()
    };
    let mut occurrences = Truth::new();
    for finding in &report.findings {
        let Some((signature, _)) = FAILURES.iter().find(|(id, _)| *id == finding.signature) else {
            continue;
        };
        let image = finding.captures.get("image").cloned();
        let object = match *signature {
            "image-not-in-registry" => image.unwrap_or_default(),
            "quota-exceeded" => finding.captures["quota"].clone(),
            "webhook-service-missing" => finding.captures["service"].clone(),
            _ => finding.subject.name.clone().unwrap_or_default(),
        };
        let seen = Seen {
            count: finding.count,
            first: millis(finding.first),
            last: millis(finding.last),
        };
        assert_eq!(finding.others, [], "{}", finding.title);
        assert!(
            occurrences.insert((signature, object), seen).is_none(),
            "{}",
            finding.title
        );
    }
    occurrences
}

fn assert_exact(seed: u64, truth: &Truth, report: &Report) {
    let mut of_forms = report.findings.iter();
    let unsure = of_forms.find(|finding| {
        let mut failures = FAILURES.iter();
        finding.at_least && failures.any(|(id, _)| *id == finding.signature)
    });
    assert!(unsure.is_none(), "seed {seed}: {unsure:?}");
    let occurrences = occurrences(report);
    for (object, seen) in truth {
        assert_eq!(
            occurrences.get(object),
            Some(seen),
            "seed {seed}: {object:?}"
        );
    }
    assert_eq!(occurrences.len(), truth.len(), "seed {seed}");
}

#[test]
fn in_logs_beyond_all_limits() {
    // there is nothing left to trigger beyond 64 MB; the seeds vary the content of the blocks
    for (bytes, seed, objects) in [(64 << 20, 1, 50), (24 << 20, 2, 50), (24 << 20, 3, 6)] {
        let (text, truth) = log(bytes, seed, objects);
        let report = Analyzer::new().analyze_text("log", text.as_bytes());
        assert_exact(seed, &truth, &report);
    }
}

#[test]
fn in_short_logs_as_in_the_slow_reference() {
    (10..18u64).into_par_iter().for_each(|seed| {
        let (text, truth) = log(300_000, seed, 12);
        let naive = Analyzer::new().with_naive_matching();
        assert_exact(seed, &truth, &naive.analyze_text("log", text.as_bytes()));
        for blocks in [300, 16 * 1024] {
            let fast = Analyzer::new().with_blocks_of(blocks);
            assert_exact(seed, &truth, &fast.analyze_text("log", text.as_bytes()));
        }
    });
}

/// If there are more objects than can be listed, a limit reports the number of their records by signature.
#[test]
fn unlisted_objects_are_counted() {
    let (text, truth) = log(36 << 20, 5, 3000);
    let report = Analyzer::new().analyze_text("log", text.as_bytes());
    let limit = report
        .limits
        .iter()
        .find(|met| met.limit == Limit::ManyObjects);
    let message = &limit.unwrap().message;
    let occurrences = occurrences(&report);
    for (signature, _) in FAILURES {
        let of = |truth: &Truth| -> u64 {
            let mine = truth.iter().filter(|((id, _), _)| *id == signature);
            mine.map(|(_, seen)| seen.count).sum()
        };
        let further = message.split_once(": ").unwrap().1.split(", ");
        let mut further = further.filter_map(|part| part.strip_prefix(signature));
        let further = further
            .next()
            .map_or(0, |count| count.trim().parse().unwrap());
        assert!(further > 0, "{signature}: {message}");
        assert_eq!(of(&occurrences) + further, of(&truth), "{signature}");
        assert_eq!(report.matched[signature], of(&truth), "{signature}");
    }
    for (object, seen) in &occurrences {
        assert_eq!(truth.get(object), Some(seen), "{object:?}");
    }
}

/// Two alternating lines are both matched by two signatures, one of which refines the other. The refined signature must
/// not yield a finding of its own, however many hits of each are kept.
#[test]
fn a_refined_signature_yields_no_finding() {
    let yaml = "id: berth-taken\ncause: container/app-error\nseverity: error\nrole: cause\ntitle: 'berth {berth} is taken'\nsubject: {kind: Berth, name: '{berth}'}\nmatch: {event: {message: 'crane {crane:word} finds berth {berth:word} taken'}}\nwhy: one ship a berth\n---\nid: crane-stuck\ncause: container/app-panic\nseverity: error\ntitle: 'crane {crane} is stuck'\nsubject: {kind: Crane, name: '{crane}'}\nmatch: {event: {message: 'crane {crane:word} finds berth {berth:word} taken'}}\nrefines: [berth-taken]\nwhy: it waits for a berth\n";
    let mut catalogue = kwhy_core::Catalogue::builtin();
    catalogue.add_str("berths.yaml", yaml).unwrap();
    let analyzer = Analyzer::with_catalogue(catalogue);
    for pairs in [1, 8, 12, 40, 700] {
        let mut text = String::new();
        for number in 0..pairs {
            for berth in ["north", "south"] {
                let line = format!("crane tall finds berth {berth} taken");
                record(
                    &mut text,
                    number % 5,
                    i64::try_from(number).unwrap(),
                    true,
                    &line,
                );
            }
        }
        let report = analyzer.analyze_text("log", text.as_bytes());
        let occurrences: Vec<_> = report
            .findings
            .iter()
            .map(|f| (f.signature.as_str(), f.count))
            .collect();
        assert_eq!(occurrences, [("crane-stuck", 2 * pairs)], "{pairs} pairs");
    }
}

/// Of a signature with an alternative that needs two records, those that are a match alone are all counted, and those of
/// the other alternative still match.
#[test]
fn an_alternative_over_several_records_costs_the_others_no_count() {
    let yaml = "id: berth-taken\ncause: container/app-error\nseverity: error\nrole: cause\ntitle: 'berth {berth} is taken'\nsubject: {kind: Berth, name: '{berth}'}\nmatch:\n  any:\n    - event: {message: 'crane tall finds berth {berth:word} taken'}\n    - all:\n        - event: {message: 'ship waits outside of berth {berth:word}'}\n        - event: {message: 'pilot leaves for berth {berth:word}'}\nwhy: one ship a berth\n";
    let mut catalogue = kwhy_core::Catalogue::builtin();
    catalogue.add_str("berths.yaml", yaml).unwrap();
    let analyzer = Analyzer::with_catalogue(catalogue);
    let mut text = String::new();
    let mut add = |line: &str, second: i64| record(&mut text, 1, second, true, line);
    for number in 0..1500 {
        add("crane tall finds berth north taken", number);
        add("ship waits outside of berth east", number);
        if number % 3 == 0 {
            add("crane tall finds berth south taken", number);
        }
    }
    add("ship waits outside of berth west", 1500);
    add("pilot leaves for berth west", 1500);
    for naive in [false, true] {
        let analyzer = match naive {
            true => analyzer.clone().with_naive_matching(),
            false => analyzer.clone(),
        };
        let report = analyzer.analyze_text("log", text.as_bytes());
        let mut counts: Vec<_> = report
            .findings
            .iter()
            .filter(|found| found.signature == "berth-taken")
            .map(|found| (found.subject.name.as_deref().unwrap_or(""), found.count))
            .collect();
        counts.sort_unstable();
        assert_eq!(counts.len(), 3, "{counts:?}");
        assert_eq!(counts[0], ("north", 1500));
        assert_eq!(counts[1], ("south", 500));
        assert_eq!(counts[2].0, "west");
    }
}

/// What refutes a match about an object is kept however often the same is said of other objects.
#[test]
fn what_refutes_is_kept_for_objects_with_a_match() {
    let yaml = "id: berth-taken\ncause: container/app-error\nseverity: error\nrole: cause\ntitle: 'the berth of {subject} is taken'\nmatch:\n  event: {message: 'crane finds its berth taken'}\n  none:\n    - event: {message: 'crane has left its berth'}\n  per: subject\nwhy: one ship a berth\n";
    let mut catalogue = kwhy_core::Catalogue::builtin();
    catalogue.add_str("berths.yaml", yaml).unwrap();
    let analyzer = Analyzer::with_catalogue(catalogue);
    let mut text = String::new();
    for number in 0..6000 {
        let second = number % 60;
        let mut add = |letter: char, message: &str| {
            writeln!(
                text,
                "{letter}0304 05:{:02}:{second:02}.123456    1234 sync.go:88] \"{message}\" pod=\"quay/oven-{number}\"",
                number / 60 % 60
            )
            .unwrap();
        };
        if number % 100 == 0 {
            add('E', "crane finds its berth taken");
        }
        if number != 3000 {
            add('I', "crane has left its berth");
        }
    }
    let report = analyzer.analyze_text("log", text.as_bytes());
    let found = report.findings.iter().map(|found| {
        let name = found.subject.name.as_deref();
        (found.signature.as_str(), name.unwrap_or(""))
    });
    assert_eq!(found.collect::<Vec<_>>(), [("berth-taken", "oven-3000")]);
}
