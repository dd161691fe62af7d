//! Complete inputs and their expected findings: each folder of `fixtures/cases` contains an
//! `input.txt` as a user pastes it and an `expected.yaml`; each folder of `fixtures/healthy` an
//! `input.txt` in which nothing is wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kwhy_core::report::When;
use kwhy_core::{Analyzer, Finding, Level, Report, Role};
use serde::Deserialize;

/// The content of an `expected.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The mechanism that the case demonstrates.
    #[allow(dead_code)]
    shows: String,
    /// Manglings that must not change the result; all of them by default.
    #[serde(default = "all_mangles")]
    mangle: Vec<Mangle>,
    /// The first findings by rank; symptoms and benign findings may follow, causes may not.
    findings: Vec<ExpectedFinding>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFinding {
    cause: String,
    role: Role,
    signature: Option<String>,
    /// The required severity of the finding.
    severity: Option<Level>,
    /// The subject as displayed: `Pod shop/web-0`.
    subject: Option<String>,
    /// Captures that the finding must have.
    #[serde(default)]
    captures: BTreeMap<String, String>,
    count: Option<u64>,
    first: Option<String>,
    last: Option<String>,
    /// The cause of the finding that explains this one.
    explained_by: Option<String>,
    /// Lines that must all be in the evidence; for a cause, the first one is its primary evidence.
    #[serde(default)]
    lines: Vec<u64>,
}

/// A change made to text by copying it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mangle {
    /// Windows line endings.
    Crlf,
    /// Four spaces before each line.
    Indent,
    /// A Markdown fence with prose around it.
    Fence,
    /// A number before each line, as in pages and books.
    Numbered,
    /// A quotation in an e-mail.
    Quoted,
    /// Single spaces instead of runs, none at either end, as chats leave them.
    Squeezed,
    /// Spaces at the end of each line, as terminals copy them.
    Trailing,
    /// Escaped for HTML.
    Escaped,
    /// Between the tags of a web page.
    Tagged,
    /// Non-breaking spaces, as word processors write them.
    Wide,
}

fn all_mangles() -> Vec<Mangle> {
    use Mangle::{
        Crlf, Escaped, Fence, Indent, Numbered, Quoted, Squeezed, Tagged, Trailing, Wide,
    };
    vec![
        Crlf, Indent, Fence, Numbered, Quoted, Squeezed, Trailing, Escaped, Tagged, Wide,
    ]
}

impl Mangle {
    /// Returns the changed input, and the number of lines by which it is shifted.
    fn apply(self, input: &str) -> (String, u64) {
        let each_line = |change: &dyn Fn(usize, &str) -> String| {
            let lines = input.lines().enumerate();
            lines
                .map(|(index, line)| change(index, line) + "\n")
                .collect()
        };
        match self {
            Mangle::Crlf => (each_line(&|_, line| format!("{line}\r")), 0),
            Mangle::Indent => (each_line(&|_, line| format!("    {line}")), 0),
            Mangle::Numbered => (
                each_line(&|index, line| format!("{}. {line}", index + 1)),
                0,
            ),
            Mangle::Quoted => (each_line(&|_, line| format!("> {line}")), 0),
            Mangle::Trailing => (each_line(&|_, line| format!("{line}   ")), 0),
            Mangle::Escaped => {
                let escape = |line: &str| {
                    let line = line.replace('&', "&amp;").replace('<', "&lt;");
                    let line = line.replace('>', "&gt;").replace('"', "&quot;");
                    line.replace('\'', "&#39;")
                };
                (each_line(&|_, line| escape(line)), 0)
            }
            Mangle::Tagged => {
                let lines: String = each_line(&|_, line| format!("{line}<br>"));
                (format!("<pre>\n{lines}</pre>\n"), 1)
            }
            Mangle::Wide => (each_line(&|_, line| line.replace(' ', "\u{a0}")), 0),
            Mangle::Squeezed => {
                let squeeze = |line: &str| {
                    line.split(' ')
                        .filter(|part| !part.is_empty())
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                (each_line(&|_, line| squeeze(line)), 0)
            }
            Mangle::Fence => {
                let text = input.trim_end_matches('\n');
                let before = "Hello, this has been so since yesterday:\n\n```\n";
                let after = "\n```\n\nDoes anyone know what to look at next?\n";
                (format!("{before}{text}{after}"), 3)
            }
        }
    }
}

/// The parts of a report that must not depend on how the input was copied.
#[derive(Debug, PartialEq)]
struct Invariants {
    cause: String,
    signature: String,
    role: Role,
    subject: String,
    explained_by: Option<usize>,
    count: u64,
    lines: Vec<u64>,
}

impl Invariants {
    fn of(finding: &Finding, shift: u64) -> Invariants {
        Invariants {
            cause: finding.cause.to_string(),
            signature: finding.signature.clone(),
            role: finding.role,
            subject: finding.subject.to_string(),
            explained_by: finding.explained_by,
            count: finding.count,
            lines: lines(finding)
                .map(|line| line.saturating_sub(shift))
                .collect(),
        }
    }
}

struct Case {
    name: String,
    input: String,
    expected: Expected,
}

fn folders(kind: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(kind);
    let entries = fs::read_dir(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "{} is empty", root.display());
    folders
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    name.to_string_lossy().into_owned()
}

fn cases() -> Vec<Case> {
    let load = |folder: PathBuf| {
        let yaml = read(&folder.join("expected.yaml"));
        Case {
            name: name(&folder),
            input: read(&folder.join("input.txt")),
            expected: serde_yaml::from_str(&yaml)
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display())),
        }
    };
    folders("cases").into_iter().map(load).collect()
}

fn lines(finding: &Finding) -> impl Iterator<Item = u64> + '_ {
    finding.evidence.iter().map(|evidence| evidence.line)
}

fn rendered(when: Option<When>) -> String {
    when.map_or_else(String::new, |when| when.to_string())
}

/// Renders the findings in the syntax of an expectation.
fn render(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text += &format!(
            "      {}. {} {:?} {:?} ({}) [{}] lines {:?} x{} {:?}..{:?} by {:?} {:?}\n",
            finding.rank,
            finding.cause,
            finding.role,
            finding.severity,
            finding.signature,
            finding.subject,
            lines(finding).collect::<Vec<_>>(),
            finding.count,
            finding.first.map(|when| when.to_string()),
            finding.last.map(|when| when.to_string()),
            finding.explained_by,
            finding.captures,
        );
    }
    if text.is_empty() {
        "      nothing\n".into()
    } else {
        text
    }
}

/// Returns the differences between a finding and its expectation.
fn differences(expected: &ExpectedFinding, found: &Finding, report: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    let mut differ = |what: &str, wanted: String, found: String| {
        if wanted != found {
            differences.push(format!("{what} is {found}, not {wanted}"));
        }
    };
    differ("cause", expected.cause.clone(), found.cause.to_string());
    differ(
        "role",
        format!("{:?}", expected.role),
        format!("{:?}", found.role),
    );
    if let Some(signature) = &expected.signature {
        differ("signature", signature.clone(), found.signature.clone());
    }
    if let Some(severity) = expected.severity {
        differ(
            "severity",
            format!("{severity:?}"),
            format!("{:?}", found.severity),
        );
    }
    if let Some(subject) = &expected.subject {
        differ("subject", subject.clone(), found.subject.to_string());
    }
    if let Some(count) = expected.count {
        differ("count", count.to_string(), found.count.to_string());
    }
    if let Some(first) = &expected.first {
        differ("first", first.clone(), rendered(found.first));
    }
    if let Some(last) = &expected.last {
        differ("last", last.clone(), rendered(found.last));
    }
    for (key, value) in &expected.captures {
        let captured = found.captures.get(key).cloned().unwrap_or_default();
        differ(&format!("capture {key}"), value.clone(), captured);
    }
    if let Some(cause) = &expected.explained_by {
        let by = found
            .explained_by
            .and_then(|rank| report.findings.get(rank.checked_sub(1)?));
        let by = by.map_or_else(String::new, |finding| finding.cause.to_string());
        differ("explained_by", cause.clone(), by);
    }
    let proof: Vec<u64> = lines(found).collect();
    let missing: Vec<&u64> = expected
        .lines
        .iter()
        .filter(|line| !proof.contains(line))
        .collect();
    if !missing.is_empty() {
        differences.push(format!("lines {missing:?} are not among {proof:?}"));
    }
    if expected.role == Role::Cause && expected.lines.first() != proof.first() {
        let (wanted, first) = (expected.lines.first(), proof.first());
        differences.push(format!("the primary line is {first:?}, not {wanted:?}"));
    }
    differences
}

fn check(case: &Case, report: &Report) -> Vec<String> {
    let mut all = Vec::new();
    let (expected, found) = (&case.expected.findings, &report.findings);
    for (index, finding) in expected.iter().enumerate() {
        match found.get(index) {
            None => all.push(format!("no finding {}: {}", index + 1, finding.cause)),
            Some(found) => all.extend(
                differences(finding, found, report)
                    .into_iter()
                    .map(|difference| format!("finding {}: {difference}", index + 1)),
            ),
        }
    }
    for more in found.iter().skip(expected.len()) {
        if more.role == Role::Cause {
            all.push(format!(
                "a further cause: {} ({})",
                more.cause, more.signature
            ));
        }
    }
    all
}

fn assert_none(failures: &[String], what: &str) {
    let list = failures.join("\n");
    assert!(failures.is_empty(), "{} {what}:\n{list}", failures.len());
}

#[test]
fn cases_are_answered() {
    let analyzer = Analyzer::new();
    let mut failures = Vec::new();
    for case in cases() {
        let report = analyzer.analyze_text("stdin", case.input.as_str());
        let differences = check(&case, &report);
        if !differences.is_empty() {
            let (name, differences) = (&case.name, differences.join("\n    "));
            failures.push(format!(
                "  {name}\n    {differences}\n    found:\n{}",
                render(&report)
            ));
        }
    }
    assert_none(&failures, "cases fail");
}

#[test]
fn answers_do_not_depend_on_how_the_text_was_copied() {
    let analyzer = Analyzer::new();
    let mut failures = Vec::new();
    for case in cases() {
        let report = analyzer.analyze_text("stdin", case.input.as_str());
        let json = serde_json::to_string(&report).unwrap();
        let read: Report = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        let again = analyzer.analyze_text("stdin", case.input.as_str());
        let json = |report: &Report| serde_json::to_string(report).unwrap();
        if json(&report) != json(&again) {
            failures.push(format!("  {}: the second report differs", case.name));
        }
        let plain: Vec<Invariants> = report
            .findings
            .iter()
            .map(|f| Invariants::of(f, 0))
            .collect();
        for mangle in &case.expected.mangle {
            let (text, shift) = mangle.apply(&case.input);
            let report = analyzer.analyze_text("stdin", text.as_str());
            let mangled: Vec<Invariants> = report
                .findings
                .iter()
                .map(|f| Invariants::of(f, shift))
                .collect();
            if mangled != plain {
                let differing = plain.iter().zip(&mangled).find(|(a, b)| a != b);
                failures.push(format!(
                    "  {} {mangle:?}: {} findings, {} without; first difference: {differing:#?}",
                    case.name,
                    mangled.len(),
                    plain.len(),
                ));
            }
        }
    }
    assert_none(&failures, "answers differ");
}

/// The minimum number of healthy inputs. They cover every format and the noise of real clusters.
const HEALTHY: usize = 60;

/// Returns each healthy input with its name.
fn healthy() -> Vec<(String, String)> {
    let load = |folder: PathBuf| (name(&folder), read(&folder.join("input.txt")));
    let inputs: Vec<_> = folders("healthy").into_iter().map(load).collect();
    assert!(
        inputs.len() >= HEALTHY,
        "{} healthy inputs, {HEALTHY} are wanted",
        inputs.len()
    );
    inputs
}

/// Returns true if the finding reports a problem.
fn is_alarm(finding: &Finding) -> bool {
    finding.role != Role::Benign && finding.severity >= Level::Warning
}

#[test]
fn nothing_is_wrong_in_healthy_inputs() {
    let analyzer = Analyzer::new();
    let mut failures = Vec::new();
    for (name, input) in healthy() {
        if input.trim().is_empty() {
            failures.push(format!("  {name} is empty"));
        }
        let report = analyzer.analyze_text("stdin", input);
        if report.findings.iter().any(is_alarm) {
            failures.push(format!("  {name}\n{}", render(&report)));
        }
    }
    assert_none(&failures, "healthy inputs raise an alarm");
}

#[test]
fn nothing_is_wrong_in_healthy_inputs_however_they_were_copied() {
    // without manglings that lose information, such as which text is prose or how YAML is nested
    use Mangle::{Crlf, Escaped, Indent, Numbered, Quoted, Trailing, Wide};
    let analyzer = Analyzer::new();
    let mut failures = Vec::new();
    for (name, input) in healthy() {
        for mangle in [Crlf, Indent, Numbered, Quoted, Trailing, Escaped, Wide] {
            let report = analyzer.analyze_text("stdin", mangle.apply(&input).0);
            if report.findings.iter().any(is_alarm) {
                failures.push(format!("  {name} {mangle:?}\n{}", render(&report)));
            }
        }
    }
    assert_none(&failures, "copied healthy inputs raise an alarm");
}
