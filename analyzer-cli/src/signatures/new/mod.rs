//! `kwhy signatures new`: a signature from a pasted line, to be completed by its author.

mod pattern;
mod rule;

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;

use kwhy_core::events::{Event, ExtractOptions, SecretPolicy, Severity, extract_with, masked};
use kwhy_core::signature::format_signatures;
use kwhy_core::{Analyzer, Role};

use crate::catalogue;
use crate::failure::Failure;
use crate::notes::Notes;
use crate::plan::CataloguePlan;
use crate::run::Status;

use pattern::Proposal;

/// The plan of a new signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPlan {
    /// The file with the paste; `None` for standard input.
    pub path: Option<PathBuf>,
    /// The id of the signature; `None` to derive it from the message.
    pub id: Option<String>,
    /// The cause; `None` for the one that kwhy names for the paste.
    pub cause: Option<String>,
    /// The file to write; `None` for standard output.
    pub output: Option<PathBuf>,
    /// True to write a community rule (CRE).
    pub is_rule: bool,
    /// The treatment of secrets in the paste.
    pub secrets: SecretPolicy,
}

/// The maximum number of bytes that are read of a paste.
const MOST: u64 = 1 << 20;

/// The maximum number of lines of a paste that becomes an example as a whole.
const WHOLE: usize = 40;

/// The record that the signature is about.
struct Record {
    message: String,
    severity: Option<Severity>,
    is_log: bool,
    /// Its lines as pasted.
    lines: String,
}

/// Writes a signature that matches the most severe record of a paste, and notes whether it passes its checks.
///
/// # Errors
/// The paste cannot be read or has no record, the cause is unknown, or the file cannot be written.
pub fn new(
    plan: &NewPlan,
    signatures: &CataloguePlan,
    stdin: impl Read,
    (out, notes): (&mut dyn Write, &mut Notes<'_>),
) -> Result<Status, Failure> {
    let text = paste(plan, stdin)?;
    let text = match plan.secrets {
        SecretPolicy::Mask => masked(&text).into_owned(),
        SecretPolicy::Show => text,
    };
    let Some(record) = record(&text) else {
        return Err(Failure::NoRecord);
    };
    if plan.is_rule {
        let (id, output) = (plan.id.as_deref(), plan.output.as_deref());
        rule::write(&record, id, output, (out, notes))?;
        out.flush()?;
        return Ok(Status::Ran);
    }
    let catalogue = catalogue::load(signatures)?;
    if let Some(cause) = plan
        .cause
        .as_ref()
        .filter(|cause| catalogue.cause(cause).is_none())
    {
        return Err(super::unknown(&catalogue, "cause", cause));
    }
    let analyzer = Analyzer::with_catalogue(catalogue);
    let cause = plan
        .cause
        .clone()
        .unwrap_or_else(|| known_cause(&analyzer, &text, &record));
    let proposal = Proposal::of(&record.message);
    let id = plan.id.clone().unwrap_or_else(|| id(&proposal));
    let example = match text.lines().count() {
        0..=WHOLE => text.trim_end().to_owned(),
        _ => record.lines.clone(),
    };
    let yaml = yaml(&id, &cause, &record, &proposal, &example);
    // the keys in the order of `kwhy signatures fmt`
    let name = plan
        .output
        .as_ref()
        .map_or("new.yaml".to_owned(), |path| path.display().to_string());
    let yaml = format_signatures(&name, &yaml).unwrap_or(yaml);
    match &plan.output {
        Some(path) => {
            let write =
                fs::File::create_new(path).and_then(|mut file| file.write_all(yaml.as_bytes()));
            write.map_err(|source| Failure::Write {
                path: path.clone(),
                source,
            })?;
        }
        None => out.write_all(yaml.as_bytes())?,
    }
    verify(signatures, &name, &yaml, notes)?;
    out.flush()?;
    Ok(Status::Ran)
}

fn paste(plan: &NewPlan, stdin: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    match &plan.path {
        Some(path) => {
            let read =
                fs::File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
            read.map_err(|source| Failure::Unreadable {
                path: path.clone(),
                source,
            })?;
        }
        None => {
            stdin
                .take(MOST)
                .read_to_end(&mut bytes)
                .map_err(Failure::Stdin)?;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the most severe record, the first of several; `None` if there is none.
fn record(text: &str) -> Option<Record> {
    let lines: Vec<&str> = text.lines().collect();
    let mut best: Option<Record> = None;
    let options = ExtractOptions::default();
    let map = |part: &kwhy_core::events::Extract<'_>| -> Vec<Record> {
        let records = part.parsed.events.iter().map(|event: &Event<'_>| {
            let own = part.lines(&event.span);
            let within = |line: u64| {
                usize::try_from(line)
                    .unwrap_or(usize::MAX)
                    .saturating_sub(1)
            };
            let own = within(own.start)..within(own.end).min(lines.len());
            let error = event.field("error").or_else(|| event.field("err"));
            let said = error.unwrap_or(&event.message);
            Record {
                message: said.as_str().to_owned(),
                severity: event.severity,
                is_log: event.format.is_log(),
                lines: lines.get(own).unwrap_or_default().join("\n"),
            }
        });
        records.collect()
    };
    extract_with("paste", options, text.as_bytes(), map, |records| {
        for record in records {
            let is_better = best
                .as_ref()
                .is_none_or(|best| record.severity > best.severity);
            if is_better && record.message.len() > 3 {
                best = Some(record);
            }
        }
    });
    let line = lines.iter().find(|line| line.trim().len() > 3);
    best.or_else(|| {
        Some(Record {
            message: line?.trim().to_owned(),
            severity: None,
            is_log: true,
            lines: (*line?).to_owned(),
        })
    })
}

/// Returns the cause that kwhy names for the paste, or one that is true of any failure.
fn known_cause(analyzer: &Analyzer, text: &str, record: &Record) -> String {
    let report = analyzer.analyze_text("paste", text);
    let mut causes = report
        .findings
        .iter()
        .filter(|finding| finding.role == Role::Cause);
    match (causes.next(), record.is_log) {
        (Some(finding), _) => finding.cause.to_string(),
        (None, true) => "container/app-error".to_owned(),
        (None, false) => "workload/operator-error".to_owned(),
    }
}

/// Derives an id from the first fixed words.
fn id(proposal: &Proposal) -> String {
    let title = proposal.title();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric() && c != '{' && c != '}');
    let words = words.filter(|word| word.len() > 2 && !word.contains(['{', '}']));
    let words: Vec<String> = words.take(4).map(str::to_ascii_lowercase).collect();
    match words.is_empty() {
        true => "new-signature".to_owned(),
        false => words.join("-"),
    }
}

/// Returns the file, with TODO wherever its author has to write something.
fn yaml(id: &str, cause: &str, record: &Record, proposal: &Proposal, example: &str) -> String {
    let severity = match record.severity {
        Some(Severity::Fatal | Severity::Error) | None => "error",
        Some(Severity::Warning) => "warning",
        Some(_) => "info",
    };
    let log = |level: &str, message: &str| {
        let line =
            serde_json::json!({"level": level, "ts": "2024-03-04T05:06:07Z", "msg": message});
        line.to_string()
    };
    let mut yaml = String::new();
    // writing to memory does not fail
    let _ = write!(
        yaml,
        "\
# `kwhy signatures new` wrote this from a paste. Complete what is marked TODO;
# docs/signatures.md is the guide.
id: {id}
# TODO: the cause that it proves; what this one means says
# `kwhy explain {cause}`
cause: {cause}
severity: {severity}
# TODO: what is wrong, in one line
title: {}
confidence: 0.9
match:
  event:
    # TODO: keep the words that no other failure prints,
    # and a name for each value that is worth telling
    message: {}
why: 'TODO: how it comes to this, in two sentences'
check:
  - look: 'TODO: where to look'
    confirms: 'TODO: what is seen there'
fix:
  - text: 'TODO: what to do'
examples:
  match:
    - text: {}
",
        single(&proposal.title()),
        single(&proposal.pattern()),
        block(example, 8),
    );
    let captures: Vec<String> = proposal
        .captures()
        .map(|(name, value)| format!("{name}: {}", single(value)))
        .collect();
    if !captures.is_empty() {
        let _ = writeln!(yaml, "      captures: {{{}}}", captures.join(", "));
    }
    let other = log("error", &proposal.of_others());
    let _ = write!(
        yaml,
        "    - text: {}\n      why: the same with other values, as a log has it\n  no_match:\n    # TODO: the nearest neighbours, which are something else\n",
        single(&other)
    );
    let cut = proposal.cut().unwrap_or_else(|| "it is well".to_owned());
    let _ = write!(
        yaml,
        "    - text: {}\n      why: it says less\n    - text: {}\n      why: all is well\n",
        single(&log("error", &cut)),
        single(&log("info", "all is well")),
    );
    yaml
}

/// Returns a text in single quotes.
fn single(text: &str) -> String {
    match text.contains(|c: char| c.is_control()) {
        // JSON is YAML
        true => serde_json::Value::from(text).to_string(),
        false => format!("'{}'", text.replace('\'', "''")),
    }
}

/// Returns a text of several lines as an indented block.
fn block(text: &str, indent: usize) -> String {
    let is_plain = !text.contains(|c: char| c.is_control() && c != '\n');
    let starts = text.starts_with(|c: char| !c.is_whitespace());
    match (text.contains('\n'), is_plain && starts) {
        (false, _) => single(text),
        (true, false) => serde_json::Value::from(text).to_string(),
        (true, true) => {
            let lines = text.lines().map(|line| match line {
                "" => String::new(),
                line => format!("{:indent$}{line}", ""),
            });
            format!("|-\n{}", lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Notes whether the file is valid and its examples pass.
fn verify(
    signatures: &CataloguePlan,
    name: &str,
    yaml: &str,
    notes: &mut Notes<'_>,
) -> Result<(), Failure> {
    let mut catalogue = catalogue::load(signatures)?;
    if let Err(error) = catalogue.add_str(name, yaml) {
        notes.note(&format!("the proposal is refused: {error}"))?;
        return Ok(());
    }
    let analyzer = Analyzer::with_catalogue(catalogue);
    let own = |signature: &kwhy_core::signature::Signature| signature.file == name;
    for outcome in analyzer.test_signatures_of(own) {
        if let Some(failure) = outcome.failure {
            let text = format!("{name}:{}: {failure}", outcome.line);
            notes.note(&format!("an example fails: {text}"))?;
        }
    }
    notes.note(
        "complete what is marked TODO; `kwhy signatures test --watch FILE` runs the examples whenever the file changes",
    )?;
    Ok(())
}
