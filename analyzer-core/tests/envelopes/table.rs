//! A large sample of each format, made from copies of its log in `fixtures/logs` with different names, bare and in all
//! envelopes.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::Value;

use super::generate::ENVELOPES;
use super::{Bare, PARTS, Score, same, score};
use crate::neutral::records;
use crate::records::{comparable, logs};

/// Names that occur in the logs and have no meaning in any format.
const NAMES: [&str; 8] = [
    "harbour", "crane", "berth", "quay", "orders", "sidecar", "pool", "arm",
];

/// Returns a log of at least `bytes` bytes, and its records.
fn sample(log: &Path, bytes: usize, random: &mut TestRng) -> (String, Vec<Value>) {
    let whole = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
    let truth = std::fs::read_to_string(log.with_extension("ndjson")).unwrap();
    let (mut text, mut all) = (String::new(), Vec::new());
    while text.len() < bytes {
        let (mut copy, mut said) = (whole.clone(), truth.clone());
        for name in NAMES {
            let letter = |_: char| char::from(b'a' + (random.next_u32() % 26) as u8);
            let other: String = name.chars().map(letter).collect();
            copy = copy.replace(name, &other);
            said = said.replace(name, &other);
        }
        let before = text.lines().count() as u64;
        for line in said.lines() {
            let mut record = comparable(&serde_json::from_str(line).unwrap());
            record["line"] = (record["line"].as_u64().unwrap() + before).into();
            all.push(record);
        }
        text.push_str(&copy);
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    (text, all)
}

/// Counts the records found at their lines, and the members that are correct.
fn against_truth(text: &str, truth: &[Value]) -> Score {
    let found = records(text.as_bytes());
    let mut score = Score {
        records: truth.len(),
        ..Score::default()
    };
    for record in truth {
        score.fields += PARTS.len();
        let at = found.binary_search_by_key(&record["line"].as_u64(), |f| f["line"].as_u64());
        let Some(found) = at.ok().map(|at| comparable(&found[at])) else {
            continue;
        };
        score.found += usize::from(found["lines"] == record["lines"]);
        score.right += PARTS
            .iter()
            .filter(|part| same(part, record, &found))
            .count();
    }
    score
}

fn percent(right: usize, all: usize) -> f64 {
    100.0 * right as f64 / all.max(1) as f64
}

/// Prints a table: for each format, the number of lines of a sample, and the records found and members that are
/// correct, in percent. Then the same for the sample in each envelope compared with the bare one, worst first.
/// `KWHY_TABLE_FORMATS=klog,node` selects formats.
///
/// `KWHY_TABLE_BYTES=100000 cargo test --release -p kwhy-core --test main -- --ignored --nocapture
/// table_of_samples`
#[test]
#[ignore = "prints a table"]
#[allow(clippy::print_stdout, reason = "run by hand")]
fn table_of_samples() {
    let bytes = std::env::var("KWHY_TABLE_BYTES").ok();
    let bytes = bytes
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(1 << 20);
    let wanted = std::env::var("KWHY_TABLE_FORMATS").unwrap_or_default();
    let is_wanted = |format: &str| wanted.is_empty() || wanted.split(',').any(|one| one == format);
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut table = String::from(
        "| format | lines | found % | right % | envelopes with all | worst envelope, found %, right % |\n\
         | --- | ---: | ---: | ---: | ---: | --- |\n",
    );
    for log in logs("") {
        let format = log.file_stem().unwrap().to_string_lossy().into_owned();
        let (text, truth) = sample(&log, bytes, &mut random);
        if !is_wanted(&format) {
            continue;
        }
        let own = against_truth(&text, &truth);
        let lines = text.lines().count();
        let bare = Bare::new(&format, text);
        let mut cells: Vec<(f64, f64, &str)> = Vec::new();
        for envelope in ENVELOPES {
            let (score, _) = score(&bare, envelope);
            cells.push((
                percent(score.found, score.records),
                percent(score.right, score.fields),
                envelope.name,
            ));
        }
        let whole = cells
            .iter()
            .filter(|(found, right, _)| found.min(*right) > 99.995);
        let whole = whole.count();
        cells.sort_by(|(a, b, _), (c, d, _)| (a + b).total_cmp(&(c + d)));
        let (found, right, envelope) = cells[0];
        writeln!(
            table,
            "| {format} | {lines} | {:.2} | {:.2} | {whole} of {} | {envelope} {found:.2} {right:.2} |",
            percent(own.found, own.records),
            percent(own.right, own.fields),
            cells.len(),
        )
        .unwrap();
    }
    println!("{table}");
}
