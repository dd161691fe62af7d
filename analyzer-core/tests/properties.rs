//! Properties of any input: no panic, evidence found in the input, no line lost.

use std::sync::LazyLock;

use kwhy_core::events::{lines, segments};
use kwhy_core::report::Evidence;
use kwhy_core::{Analyzer, Catalogue, Document, Report};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::new);

/// Realistic inputs: the examples of all signatures and the recorded cases.
static TEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let catalogue = Catalogue::builtin();
    let examples = catalogue.signatures().flat_map(|signature| {
        let examples = signature.examples();
        examples.matching.iter().chain(&examples.no_match)
    });
    let mut texts: Vec<Vec<u8>> = examples
        .map(|example| example.text.clone().into_bytes())
        .collect();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/cases");
    if let Ok(folders) = std::fs::read_dir(cases) {
        let mut inputs: Vec<_> = folders
            .filter_map(|folder| Some(folder.ok()?.path().join("input.txt")))
            .collect();
        inputs.sort();
        texts.extend(inputs.iter().filter_map(|input| std::fs::read(input).ok()));
    }
    let objects = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/objects");
    for name in ["events.yaml", "events.json", "services.yaml"] {
        texts.extend(std::fs::read(format!("{objects}/{name}")));
    }
    // describe output of each kind
    let describes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/describe");
    if let Ok(files) = std::fs::read_dir(describes) {
        let mut inputs: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        inputs.retain(|path| path.extension().is_some_and(|end| end == "txt"));
        inputs.sort();
        texts.extend(inputs.iter().filter_map(|input| std::fs::read(input).ok()));
    }
    texts
});

/// Fragments that confuse parsers.
const HOSTILE: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\xf0\x9f",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"\x1b",
    b"\x1b[",
    b"\x1b[31",
    b"\x1b(",
    b"\x1b]0;",
    b"\\",
    b"\\\"",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"<",
    b"=",
    b": ",
    b"> ",
    b"1. ",
    b"```\n",
    b"...\n",
    b"Events:\n",
    b"Name:  x\n",
    b"NAME  READY\n",
    "\u{201c}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2003}".as_bytes(),
    "\u{2013}".as_bytes(),
    "\u{2502}".as_bytes(),
    b"&lt;none&gt;",
    b"&quot;",
    b"&amp;",
    b"&nbsp;",
    b"&",
    b"<br>",
    b"<pre>\n",
    b"</pre>",
    b"     1\t",
    "日本".as_bytes(),
    b"99999999999999999999",
    b"-1",
];

#[derive(Clone, Debug)]
enum Change {
    Keep(Index, Index),
    Flip(Index, u8),
    Insert(Index, Index),
    SwapLines(Index, Index),
    DropLine(Index),
    Append(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        (at(), at()).prop_map(|(from, to)| Change::Keep(from, to)),
        (at(), any::<u8>()).prop_map(|(place, bits)| Change::Flip(place, bits)),
        (at(), at()).prop_map(|(place, piece)| Change::Insert(place, piece)),
        (at(), at()).prop_map(|(one, other)| Change::SwapLines(one, other)),
        at().prop_map(Change::DropLine),
        at().prop_map(Change::Append),
    ]
}

fn apply(mut bytes: Vec<u8>, change: &Change) -> Vec<u8> {
    let place = |index: &Index, bytes: &[u8]| index.index(bytes.len() + 1);
    match change {
        Change::Keep(from, to) => {
            let (from, to) = (place(from, &bytes), place(to, &bytes));
            bytes[from.min(to)..from.max(to)].to_vec()
        }
        Change::Flip(at, bits) => {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] ^= bits;
            }
            bytes
        }
        Change::Insert(at, piece) => {
            let at = place(at, &bytes);
            bytes.splice(at..at, HOSTILE[piece.index(HOSTILE.len())].iter().copied());
            bytes
        }
        Change::SwapLines(one, other) => {
            let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            lines.swap(one, other);
            lines.join(&b'\n')
        }
        Change::DropLine(at) => {
            let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            lines.remove(at.index(lines.len()));
            lines.join(&b'\n')
        }
        Change::Append(text) => {
            bytes.push(b'\n');
            bytes.extend_from_slice(&TEXTS[text.index(TEXTS.len())]);
            bytes
        }
    }
}

/// An input that is printed legibly when a test fails.
struct Input(Vec<u8>);

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Generates a realistic input with a few changes.
fn mangled() -> impl Strategy<Value = Input> {
    (any::<Index>(), vec(change(), 0..8)).prop_map(|(text, changes)| {
        let text = TEXTS[text.index(TEXTS.len())].clone();
        Input(changes.iter().fold(text, apply))
    })
}

/// Returns a line of the input verbatim, computed without the library.
fn line_of_input(bytes: &[u8], number: u64) -> String {
    let index = usize::try_from(number).unwrap() - 1;
    let line = bytes.split(|byte| *byte == b'\n').nth(index).unwrap();
    String::from_utf8_lossy(line)
        .trim_end_matches('\r')
        .trim_start_matches('\u{feff}')
        .to_owned()
}

fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

fn all_evidence(report: &Report) -> impl Iterator<Item = &Evidence> {
    let proof = report.findings.iter().flat_map(|finding| &finding.evidence);
    proof.chain(report.unexplained.iter().flat_map(|event| &event.evidence))
}

fn check_evidence(bytes: &[u8], report: &Report) {
    for evidence in all_evidence(report) {
        if !is_utf16(bytes) {
            assert_eq!(evidence.text, line_of_input(bytes, evidence.line));
        }
        let before = evidence.text.get(..evidence.mark.start);
        let column = before.map(|before| before.chars().count() as u64 + 1);
        assert_eq!(column, Some(evidence.column), "{evidence:?}");
        assert!(
            evidence.text.get(evidence.mark.clone()).is_some(),
            "{evidence:?}"
        );
    }
}

fn check_ranks(report: &Report) {
    let count = report.findings.len();
    for (index, finding) in report.findings.iter().enumerate() {
        assert_eq!(finding.rank, index + 1);
        assert!((0.0..=1.0).contains(&finding.confidence), "{finding:?}");
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        let others = finding.explains.iter().map(|explained| explained.rank);
        for rank in others.chain(finding.explained_by) {
            assert!((1..=count).contains(&rank) && rank != finding.rank);
        }
    }
}

/// Returns true for Markdown fences, admonition headers and tags around pastes, which belong to no segment.
fn is_fence(text: &str) -> bool {
    let marks = |c: char| !c.is_alphabetic() && !"`~<?!".contains(c);
    let text = text.trim_start_matches(marks);
    let starts = [
        "```", "~~~", "<pre", "</pre", "<code", "</code", "??? ", "!!! ",
    ];
    starts.iter().any(|start| text.starts_with(start))
}

fn check_segments(text: &str) {
    let mut last = 0;
    let mut seen = std::collections::HashSet::new();
    for segment in segments(text) {
        assert!(!segment.lines.is_empty());
        for line in &segment.lines {
            // `}{` on one line is split into two
            let is_rest = line.number == last && line.text == "{";
            assert!(
                line.number > last || is_rest,
                "line {} after {last}",
                line.number
            );
            assert_eq!(text.get(line.span()), Some(line.text));
            last = line.number;
            seen.insert(line.number);
        }
    }
    for line in lines(text) {
        assert!(
            seen.contains(&line.number) || line.is_blank() || is_fence(line.text),
            "line {} is in no segment: {:?}",
            line.number,
            line.text
        );
    }
}

fn check(bytes: &[u8]) {
    let report = ANALYZER.analyze_text("input", bytes);
    check_evidence(bytes, &report);
    check_ranks(&report);
    let document = Document::new("input", bytes);
    if !is_utf16(bytes) {
        let ends = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(
            ends(document.text().as_bytes()),
            ends(bytes),
            "a line was added or lost"
        );
    }
    check_segments(document.text());
    assert_eq!(report.stats.bytes, bytes.len() as u64);
    let json = |report: &Report| serde_json::to_string(report).unwrap();
    let again = Analyzer::analyze(&ANALYZER, &[document]);
    assert_eq!(json(&report), json(&again));
}

#[test]
fn realistic_inputs() {
    for text in TEXTS.iter() {
        check(text);
    }
}

#[test]
fn realistic_inputs_cut_anywhere() {
    for text in TEXTS.iter().step_by(7) {
        for at in (0..text.len()).step_by(61) {
            check(&text[..at]);
            check(&text[at..]);
        }
    }
}

#[test]
fn realistic_inputs_in_utf16() {
    for text in TEXTS.iter().step_by(5) {
        let text = String::from_utf8_lossy(text);
        let bytes: Vec<u8> = std::iter::once(0xfeff)
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        check(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn mangled_inputs(input in mangled()) {
        check(&input.0);
    }

    #[test]
    fn hostile_pieces(pieces in vec(any::<Index>(), 0..60)) {
        let pieces: Vec<&[u8]> = pieces.iter().map(|at| HOSTILE[at.index(HOSTILE.len())]).collect();
        check(&pieces.concat());
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..600)) {
        check(&bytes);
    }

    #[test]
    fn any_text(text in "\\PC{0,300}") {
        check(text.as_bytes());
    }
}
