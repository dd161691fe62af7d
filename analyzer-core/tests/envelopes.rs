//! Every envelope around every format: the records must be those of the bare log.

mod exceptions;
mod generate;
mod table;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use crate::neutral::records;
use crate::records::logs;
use exceptions::{Part, excepted};
use generate::{ENVELOPES, Envelope, stacked};

/// The number of records searched ahead for a match.
const MAX_DISTANCE: usize = 100;

/// The members of a record that are compared.
const PARTS: [&str; 6] = ["level", "time", "message", "logger", "caller", "fields"];

/// The number of records of the bare log and how many of them were found, and the number of their fields and how many
/// are right.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    records: usize,
    found: usize,
    fields: usize,
    right: usize,
}

/// The bare log of a format, and its records.
#[derive(Clone)]
struct Bare {
    format: String,
    text: String,
    records: Vec<Value>,
}

impl Bare {
    fn new(format: &str, text: String) -> Bare {
        let records = records(text.as_bytes());
        assert!(!records.is_empty(), "{format}");
        Bare {
            format: format.to_owned(),
            text,
            records,
        }
    }

    /// Returns the log without the parts that the envelope cannot preserve.
    fn without_losses(&self, envelope: &Envelope) -> Bare {
        if excepted(&self.format, envelope.name, Part::RawLines) {
            Bare::new(&self.format, without_raw_lines(&self.format, &self.text))
        } else {
            self.clone()
        }
    }
}

/// Returns the logs of all formats.
fn bare_logs() -> Vec<Bare> {
    let bare = |log: PathBuf| {
        let format = log.file_stem().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
        Bare::new(&format, text)
    };
    logs("").into_iter().map(bare).collect()
}

/// Removes records with continuation lines that are not indented.
fn without_raw_lines(format: &str, text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut kept = String::new();
    for record in records(text.as_bytes()) {
        let number = |key: &str| usize::try_from(record[key].as_u64().unwrap()).unwrap();
        let first = number("line") - 1;
        let own = &lines[first..first + number("lines")];
        let is_object = own[0] == "{\n" && own.last() == Some(&"}\n");
        // records of java.util.logging have two lines
        let two = usize::from(format == "java-util-logging");
        let further = own.get(1 + two..).unwrap_or(&[]);
        if is_object || further.iter().all(|line| belongs_to_previous(line)) {
            kept.extend(own.iter().copied());
        }
    }
    kept
}

/// Returns true if a line visibly belongs to the record before it: it is indented or part of a
/// stack trace.
fn belongs_to_previous(line: &str) -> bool {
    const STARTS: [&str; 10] = [
        " ",
        "\t",
        "\n",
        "Traceback (most recent call last):",
        "During handling of the above exception",
        "The above exception was",
        "Caused by: ",
        "goroutine ",
        "created by ",
        "[signal ",
    ];
    let word = line.split([':', '(', ' ', '\n']).next().unwrap_or("");
    let is_error = word.ends_with("Error") || word.ends_with("Exception");
    let is_function = word.starts_with("main.") || word.contains(".(*") || word.contains('/');
    STARTS.iter().any(|start| line.starts_with(start)) || is_error || is_function
}

/// Returns a time without its year and zone: the envelope may state both, the log neither.
fn without_year(time: &str) -> &str {
    let time = time.trim_end_matches('Z');
    if time.get(4..5) == Some("-") {
        &time[5..]
    } else {
        time
    }
}

/// Replaces tabs with eight spaces, as journald does.
fn spaces(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    text.replace("\\t", "\t").replace('\t', "        ")
}

fn same(part: &str, bare: &Value, wrapped: &Value) -> bool {
    let (bare, wrapped) = (&bare[part], &wrapped[part]);
    match part {
        // the envelope may state what the record does not
        "level" | "time" if bare.is_null() => true,
        "time" => {
            let time = |value: &Value| value.as_str().map(|time| without_year(time).to_owned());
            time(bare) == time(wrapped)
        }
        _ => bare == wrapped || spaces(bare) == spaces(wrapped),
    }
}

fn score(bare: &Bare, envelope: &Envelope) -> (Score, Vec<String>) {
    let bare = bare.without_losses(envelope);
    let wrapped = envelope.around(&bare.text);
    let found = envelope.own(records(wrapped.as_bytes()));
    let mut score = Score {
        records: bare.records.len(),
        ..Score::default()
    };
    let mut misses = Vec::new();
    if found.len() != bare.records.len() {
        misses.push(format!(
            "{} records instead of {}",
            found.len(),
            bare.records.len()
        ));
    }
    let mut rest = found.as_slice();
    for bare in &bare.records {
        score.fields += PARTS.len();
        // take the next equal record; if there is none, compare with the next one without consuming it
        let at = rest
            .iter()
            .take(MAX_DISTANCE)
            .position(|found| same("message", bare, found) && same("level", bare, found));
        let Some(found) = rest.get(at.unwrap_or(0)) else {
            continue;
        };
        score.found += usize::from(at.is_some());
        rest = at.and_then(|at| rest.get(at + 1..)).unwrap_or(rest);
        for part in PARTS {
            if same(part, bare, found) {
                score.right += 1;
            } else {
                misses.push(format!("{part}: {} instead of {}", found[part], bare[part]));
            }
        }
    }
    (score, misses)
}

#[test]
fn preserve_every_format() {
    let mut wrong = String::new();
    for bare in bare_logs() {
        for envelope in ENVELOPES {
            let (_, misses) = score(&bare, envelope);
            let is_excepted = excepted(&bare.format, envelope.name, Part::Text);
            if is_excepted == misses.is_empty() {
                let shown = misses
                    .iter()
                    .take(2)
                    .cloned()
                    .collect::<Vec<_>>()
                    .join("; ");
                let names = (&bare.format, envelope.name, is_excepted);
                writeln!(wrong, "{names:?}: {shown}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Two nested envelopes, in any order.
#[test]
fn stack_in_any_order() {
    let mut wrong = String::new();
    let bares: Vec<Bare> = bare_logs()
        .into_iter()
        .filter(|bare| ["klog-blocks", "zap-json", "logrus"].contains(&&*bare.format))
        .collect();
    assert_eq!(bares.len(), 3);
    for bare in &bares {
        for outer in ENVELOPES {
            for inner in ENVELOPES {
                let Some(text) = stacked(outer, inner, &bare.text) else {
                    continue;
                };
                let found = records(text.as_bytes());
                let is_right = found.len() == bare.records.len()
                    && bare
                        .records
                        .iter()
                        .zip(&found)
                        .all(|(bare, found)| PARTS.iter().all(|part| same(part, bare, found)));
                if !is_right {
                    let names = (&bare.format, outer.name, inner.name);
                    writeln!(
                        wrong,
                        "{names:?}: {} of {}",
                        found.len(),
                        bare.records.len()
                    )
                    .unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Prints, for each format and envelope, the records found and the members that are correct, in
/// percent.
/// `cargo test -p kwhy-core --test main -- --ignored --nocapture table_of_envelopes`
#[test]
#[ignore = "prints a table"]
#[allow(clippy::print_stdout, reason = "run by hand")]
fn table_of_envelopes() {
    let mut totals: BTreeMap<&str, Score> = BTreeMap::new();
    let percent = |right: usize, all: usize| 100.0 * right as f64 / all.max(1) as f64;
    let mut table = String::new();
    for bare in bare_logs() {
        write!(table, "{:<20}", bare.format).unwrap();
        for envelope in ENVELOPES {
            let (score, _) = score(&bare, envelope);
            let total = totals.entry(envelope.name).or_default();
            total.records += score.records;
            total.found += score.found;
            total.fields += score.fields;
            total.right += score.right;
            let (found, right) = (
                percent(score.found, score.records),
                percent(score.right, score.fields),
            );
            write!(table, " {found:>3.0}/{right:<3.0}").unwrap();
        }
        table.push('\n');
    }
    for (number, envelope) in ENVELOPES.iter().enumerate() {
        let total = totals[envelope.name];
        let (found, right) = (
            percent(total.found, total.records),
            percent(total.right, total.fields),
        );
        println!(
            "{:>2} {:<28} {found:>6.2} {right:>6.2}",
            number + 1,
            envelope.name
        );
    }
    println!("{table}");
}

/// Generates payloads that resemble known formats but match none.
fn payload() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,60}",
        "\\PC{0,40}",
        "(E0304 05:06:07\\.123456       1 tide\\.go:7\\] |)[ -~]{0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The payload comes out of an envelope unchanged, with the fields of the envelope.
    #[test]
    fn preserve_their_payload(tail in "[a-zé][ -~é]{0,40}", index in 0..ENVELOPES.len()) {
        let envelope = &ENVELOPES[index];
        let line = format!("E0304 05:06:07.123456       1 tide.go:7] {}\n", tail.trim_end());
        let bare = records(line.as_bytes());
        let found = envelope.own(records(envelope.around(&line).as_bytes()));
        prop_assert_eq!(bare.len(), 1);
        prop_assert_eq!(found.len(), 1, "{}", envelope.around(&line));
        for part in PARTS {
            prop_assert!(same(part, &bare[0], &found[0]), "{} {:?}", envelope.name, found);
        }
    }

    /// CRI runtimes split a line between bytes, not between characters.
    #[test]
    fn join_cut_characters(tail in "[a-zé日😀]{1,40}", most in 4usize..30) {
        let line = format!("E0304 05:06:07.123456       1 tide.go:7] {tail}");
        let mut log = Vec::new();
        let mut parts = line.as_bytes().chunks(most).peekable();
        while let Some(part) = parts.next() {
            let tag = if parts.peek().is_some() { "P" } else { "F" };
            log.extend_from_slice(format!("2024-05-17T20:00:00.5Z stderr {tag} ").as_bytes());
            log.extend_from_slice(part);
            log.extend_from_slice(b"\n2024-05-17T20:00:00.5Z stdout F other\n");
        }
        let found = records(&log);
        let own = found.iter().find(|record| record["envelope"]["stream"] == "stderr");
        prop_assert_eq!(own.and_then(|record| record["message"].as_str()), Some(&*tail));
    }

    /// Arbitrary text in any envelopes, complete or cut, is parsed without a panic.
    #[test]
    fn never_panic(lines in proptest::collection::vec(payload(), 1..6),
        outer in 0..ENVELOPES.len(), inner in 0..ENVELOPES.len(), cut in any::<proptest::sample::Index>()) {
        let text = lines.join("\n") + "\n";
        let text = stacked(&ENVELOPES[outer], &ENVELOPES[inner], &text)
            .unwrap_or_else(|| ENVELOPES[outer].around(&text));
        records(text.as_bytes());
        records(&text.as_bytes()[..cut.index(text.len() + 1)]);
    }
}
