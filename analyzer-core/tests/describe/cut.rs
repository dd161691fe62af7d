//! Texts that were cut: what is still there must be read as in the whole.

use serde_json::Value;

use super::compare::misses;
use super::{described, fixtures};

/// Whether the part shows one object, of the same kind as the whole: a few lines do not always
/// tell it.
fn same_kind(part: &Value, whole: &Value) -> bool {
    let kinds = |answer: &Value| -> Vec<Value> {
        let objects = answer["objects"].as_array().unwrap().iter();
        objects.map(|object| object["kind"].clone()).collect()
    };
    kinds(part) == kinds(whole)
}

fn check(cut: fn(&[&str], usize) -> String, skipped: &[(&str, &str)]) {
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
                let is_known = |(name, path): &(&str, &str)| {
                    fixture.name.starts_with(name) && miss.starts_with(path)
                };
                if !skipped.iter().any(is_known) {
                    wrong.push(format!("{} at {at}: {miss}", fixture.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(same * 2 > all, "the kind was told of {same} of {all} parts");
}

#[test]
fn cut_at_the_bottom() {
    check(|lines, at| lines[..at].join("\n"), &[]);
}

#[test]
fn cut_at_the_top() {
    check(|lines, at| lines[at..].join("\n"), &[]);
}
