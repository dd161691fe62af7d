//! The signatures' own examples as other programs print them: with the error in a separate field, and in a box drawn in
//! a terminal. The meaning is the same, so the cause must be too.

use std::fmt::Write as _;

use kwhy_core::{Analyzer, Catalogue, Role};
use serde_json::{Value, json};

/// One in this many examples is tested.
const EVERY: usize = 6;

/// Splits `what failed: why` if the first clause is a sentence without an open quote.
fn clauses(text: &str) -> Option<(&str, &str)> {
    let cuts = text.match_indices(": ").map(|(at, _)| text.split_at(at));
    let mut cuts = cuts.map(|(what, why)| (what, &why[2..]));
    cuts.find(|(what, _)| {
        let is_closed = |quote: char| what.matches(quote).count() % 2 == 0;
        what.split(' ').count() > 2 && is_closed('"') && is_closed('\'')
    })
}

/// Returns the single-line examples that are not records of a log format themselves, with their causes.
fn examples() -> Vec<(String, String)> {
    let catalogue = Catalogue::builtin();
    let causes = catalogue.signatures().filter(|it| it.role == Role::Cause);
    let all = causes.flat_map(|signature| {
        let matching = &signature.examples().matching;
        let cause = signature.cause.clone();
        matching
            .iter()
            .map(move |example| (cause.clone(), example.text.trim().to_owned()))
    });
    let starts_a_record = |text: &str| {
        let word = text.split([' ', '=']).next().unwrap_or("");
        let is_head = ["Warning", "Normal", "time", "level", "ts", "kernel:"].contains(&word);
        is_head
            || text.starts_with(|c: char| !c.is_ascii_alphabetic())
            || word.contains(|c: char| c.is_ascii_digit())
    };
    let is_month = |text: &str| {
        let mut words = text.split_whitespace();
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        words.next().is_some_and(|word| months.contains(&word))
    };
    all.filter(|(_, text)| {
        !text.contains('\n') && text.len() < 300 && !starts_a_record(text) && !is_month(text)
    })
    .map(|(cause, text)| (cause.to_string(), text))
    .collect()
}

fn cause(analyzer: &Analyzer, text: &str) -> String {
    let report = analyzer.analyze_text("x", text);
    let first = report
        .findings
        .iter()
        .find(|finding| finding.role == Role::Cause);
    first.map_or_else(String::new, |finding| finding.cause.to_string())
}

/// Returns the number of examples that prove their cause unchanged, the number of these that still do in another form,
/// and a list of those that do not.
fn kept(other: impl Fn(&str) -> Option<String>) -> (usize, usize, String) {
    let analyzer = Analyzer::new();
    let (mut tried, mut kept, mut lost) = (0, 0, String::new());
    let in_form = examples()
        .into_iter()
        .filter_map(|(known, text)| Some((known, other(&text)?, text)));
    for (known, changed, text) in in_form.step_by(EVERY) {
        if cause(&analyzer, &text) != known {
            continue;
        }
        tried += 1;
        let found = cause(&analyzer, &changed);
        if found == known {
            kept += 1;
        } else {
            let _ = writeln!(lost, "{known}: {found:?} of {changed}");
        }
    }
    (kept, tried, lost)
}

fn assert_kept(percent: usize, other: impl Fn(&str) -> Option<String>) {
    let (kept, tried, lost) = kept(other);
    assert!(tried > 40, "only {tried} were tried");
    assert!(kept * 100 >= tried * percent, "{kept} of {tried}:\n{lost}");
}

#[test]
fn an_error_beside_its_message_continues_the_sentence() {
    let quoted = |text: &str| Value::from(text).to_string();
    assert_kept(94, |text| {
        let (what, why) = clauses(text)?;
        Some(format!(
            "E0304 05:06:07.123456       1 bake.go:7] {} err={}\n",
            quoted(what),
            quoted(why)
        ))
    });
    assert_kept(94, |text| {
        let (what, why) = clauses(text)?;
        let record =
            json!({"error": why, "level": "error", "msg": what, "time": "2024-03-04T05:06:07Z"});
        Some(format!("{record}\n"))
    });
}

#[test]
fn boxes_change_nothing() {
    assert_kept(88, |text| {
        let letters: Vec<char> = text.chars().collect();
        if letters.len() < 100 {
            return None;
        }
        let mut boxed = String::new();
        for line in letters.chunks(90) {
            let line: String = line.iter().collect();
            let _ = writeln!(boxed, "\u{2502} {line:<90} \u{2502}");
        }
        Some(boxed)
    });
}
