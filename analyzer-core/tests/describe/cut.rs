//! Truncated texts: the rest must be parsed as it is in the complete text.

use serde_json::Value;

use super::compare::misses;
use super::{described, fixtures};

/// Returns true if the part yields objects of the same kinds as the whole. A few lines do not always identify the kind.
fn same_kind(part: &Value, whole: &Value) -> bool {
    let kinds = |answer: &Value| -> Vec<Value> {
        let objects = answer["objects"].as_array().unwrap().iter();
        objects.map(|object| object["kind"].clone()).collect()
    };
    kinds(part) == kinds(whole)
}

/// A difference inherent to the cut, with its reason.
type Known = (&'static str, &'static str, &'static str);

fn check(cut: fn(&[&str], usize) -> String, is_harmless: fn(&str) -> bool, known: &[Known]) {
    let mut wrong = Vec::new();
    let (mut same, mut all) = (0usize, 0usize);
    for fixture in fixtures() {
        let whole = described(&fixture.text);
        if whole["objects"].as_array().unwrap().len() != 1 {
            continue;
        }
        let lines: Vec<&str> = fixture.text.lines().collect();
        for at in (1..lines.len()).step_by(3) {
            let part = described(&cut(&lines, at));
            all += 1;
            if !same_kind(&part, &whole) {
                continue;
            }
            same += 1;
            for miss in misses(&part, &whole) {
                // the whole text may contain more
                let is_more = miss.contains(": want nothing") || miss.contains(": want null");
                let is_known = known.iter().any(|(name, path, _)| {
                    fixture.name.starts_with(name) && miss.starts_with(path)
                });
                if !is_more && !is_known && !is_harmless(&miss) {
                    wrong.push(format!("{} at {at}: {miss}", fixture.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        same * 2 > all,
        "the kind was detected in {same} of {all} parts"
    );
}

/// Returns true if the difference is only that a text ends earlier.
fn ends_earlier(miss: &str) -> bool {
    let Some((want, got)) = miss
        .split_once(": want \"")
        .and_then(|(_, rest)| rest.split_once("\", got \""))
    else {
        return false;
    };
    got.starts_with(want)
}

#[test]
fn cut_at_the_bottom() {
    const REASON: &str = "the second item shows that it is a list";
    check(
        |lines, at| lines[..at].join("\n"),
        ends_earlier,
        &[
            ("helm-release-chart", "[].spec.values[].nested", REASON),
            ("helm-release-chart", "[].status.history", REASON),
            ("kafka-log", "[].spec.kafka.listeners", REASON),
            ("kafka-log", "[].status.listeners", REASON),
        ],
    );
}

/// Returns true if a value has no counterpart in the whole because the title above it was cut off.
fn is_unplaced(miss: &str) -> bool {
    miss.ends_with("got null")
}

#[test]
fn cut_at_the_top() {
    check(
        |lines, at| lines[at..].join("\n"),
        is_unplaced,
        &[
            ("config-map-odd", "[].", "a value holds a title of data"),
            ("pv-pv-rel", "[].", "a message reads like a name"),
            (
                "pod-",
                "[].init_containers",
                "a container without its name is compared with the first one",
            ),
            (
                "pod-",
                "[].containers",
                "a container without its list is taken for one of the usual ones",
            ),
        ],
    );
}
