//! The fast paths compared with the full parser.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{detect, parse};
use super::*;
use crate::framing::{Class, classify};

mod generate;

use generate::{change, line, mangle};

/// Returns the header as `detect` and `parse` determine it.
fn by_parser(line: &str) -> Option<Header> {
    let text = line.trim_start();
    let format = detect(line)?;
    let events = parse(&[Line {
        text,
        start: 0,
        number: 1,
    }])
    .events;
    let first = events.first();
    Some(Header {
        format,
        time: first.and_then(|event| event.time),
        severity: first.and_then(|event| event.severity),
    })
}

/// Describes how `header` differs from the parser, or `classify` from `header`; `None` if they agree.
fn difference(line: &str) -> Option<String> {
    let (found, expected) = (header(line), by_parser(line));
    if found != expected {
        return Some(format!(
            "{line:?}\n  head   {found:?}\n  parser {expected:?}"
        ));
    }
    let class = classify(line.as_bytes());
    let agrees = match class {
        Class::Json | Class::Unknown => true,
        Class::Inside => found.is_none(),
        Class::Enveloped => found.is_some(),
        Class::Record(format) => found.is_some_and(|header| header.format == format),
    };
    (!agrees).then(|| format!("{line:?}\n  class {class:?}\n  header {found:?}"))
}

fn agree(line: &str) -> Result<(), TestCaseError> {
    match difference(line) {
        None => Ok(()),
        Some(difference) => Err(TestCaseError::fail(difference)),
    }
}

#[test]
fn indented_times_of_the_runtime_agree() {
    for payload in [
        "2024-03-04T05:06:07.123456789Z ERROR failed to moor",
        "2024-03-04T05:06:07.123456789Z stderr P failed to moor",
    ] {
        for indent in ["", " ", "   "] {
            let line = format!("2024-03-04T05:06:07.123456789Z stderr F {indent}{payload}");
            assert_eq!(difference(&line), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn generated_lines_agree(line in line()) {
        agree(&line)?;
    }

    #[test]
    fn mangled_lines_agree(line in line(), changes in vec(change(), 1..5)) {
        agree(&mangle(&line, &changes))?;
    }
}

/// Collects the text of all files below a folder whose path is accepted.
fn texts(folder: &Path, accepted: &dyn Fn(&Path) -> bool, found: &mut Vec<String>) {
    if folder.is_file() {
        if let Ok(bytes) = std::fs::read(folder) {
            found.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        return;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() || accepted(&path) {
            texts(&path, accepted, found);
        }
    }
}

fn check_all(texts: &[String]) -> usize {
    let mut heads = 0;
    let mut differences = Vec::new();
    for line in texts.iter().flat_map(|text| text.split('\n')) {
        heads += usize::from(header(line).is_some());
        differences.extend(difference(line));
    }
    assert!(
        differences.is_empty(),
        "{} differences, such as\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n")
    );
    heads
}

#[test]
fn lines_of_fixtures_agree() {
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures"));
    let mut found = Vec::new();
    texts(fixtures, &|path| path.ends_with("input.txt"), &mut found);
    assert!(check_all(&found) > 0);
}

/// `HEAD_TEXTS=/some/folder cargo test -p kwhy-core --lib head -- --ignored`
#[test]
#[allow(clippy::print_stderr, reason = "run by hand")]
#[ignore = "takes texts from outside of the project"]
fn lines_of_other_texts_agree() {
    let paths = std::env::var("HEAD_TEXTS").unwrap_or_default();
    for path in paths.split(':').filter(|path| !path.is_empty()) {
        let mut found = Vec::new();
        texts(Path::new(path), &|_| true, &mut found);
        let lines: usize = found.iter().map(|text| text.split('\n').count()).sum();
        let heads = check_all(&found);
        eprintln!("{path}: {lines} lines, {heads} heads");
    }
}
