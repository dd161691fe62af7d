//! A community rule (CRE) from a pasted line, with the log that it must match.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use kwhy_core::events::Severity;
use kwhy_core::{Analyzer, Catalogue};

use super::pattern::{Part, Proposal};
use super::{Record, id, single};
use crate::failure::Failure;
use crate::notes::Notes;

/// The name of a rule's log, beside its file.
const LOG: &str = "test.log";

/// The name of a rule that is not written to a file.
const NAME: &str = "new.yaml";

/// Writes a rule that matches a record, and beside its file the record as the rule's log. Notes whether it matches.
pub(super) fn write(
    record: &Record,
    own_id: Option<&str>,
    output: Option<&Path>,
    (out, notes): (&mut dyn Write, &mut Notes<'_>),
) -> Result<(), Failure> {
    let proposal = Proposal::of(&record.message);
    let id = own_id.map_or_else(|| id(&proposal), str::to_owned);
    let yaml = yaml(&id, record.severity, &proposal);
    let log = format!("{}\n", record.lines.trim_end());
    match output {
        Some(path) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let log_path = folder.map_or_else(|| LOG.into(), |folder| folder.join(LOG));
            if log_path.exists() {
                done(&log_path, Err(io::ErrorKind::AlreadyExists.into()))?;
            }
            if let Some(folder) = folder {
                done(folder, fs::create_dir_all(folder))?;
            }
            for (path, text) in [(path, &yaml), (&log_path, &log)] {
                let write = fs::File::create_new(path);
                done(
                    path,
                    write.and_then(|mut file| file.write_all(text.as_bytes())),
                )?;
            }
        }
        None => out.write_all(yaml.as_bytes())?,
    }
    let name = output.map_or(NAME.to_owned(), |path| path.display().to_string());
    let mut catalogue = Catalogue::empty();
    let refused = catalogue.add_str(&name, &yaml).err();
    match refused {
        Some(error) => notes.note(&format!("the proposal is refused: {error}"))?,
        None => {
            let report = Analyzer::with_catalogue(catalogue).analyze_text(LOG, log.as_str());
            if report.findings.is_empty() {
                notes.note("the proposal does not find its own line")?;
            }
        }
    }
    let text = match output {
        Some(_) => {
            "complete what is marked TODO; `kwhy signatures test FOLDER` runs it on its test.log"
        }
        None => {
            "complete what is marked TODO; with -o FILE the record is written beside it as test.log"
        }
    };
    notes.note(text)?;
    Ok(())
}

/// Converts the result of writing a file or folder.
fn done(path: &Path, result: io::Result<()>) -> Result<(), Failure> {
    result.map_err(|source| Failure::Write {
        path: path.to_owned(),
        source,
    })
}

/// Returns the rule, with TODO wherever its author has to write something.
fn yaml(id: &str, severity: Option<Severity>, proposal: &Proposal) -> String {
    let severity = match severity {
        Some(Severity::Fatal) => 0,
        Some(Severity::Error) | None => 1,
        Some(Severity::Warning) => 2,
        Some(_) => 4,
    };
    let (key, term) = term(proposal);
    let mut yaml = String::new();
    // writing to memory does not fail
    let _ = write!(
        yaml,
        "\
# `kwhy signatures new --cre` wrote this from a paste. Complete what is marked TODO;
# docs/cre.md is the guide.
rules:
  - cre:
      # TODO: the id, such as CRE-2026-0001
      id: {id}
      # 0 critical, 1 high, 2 medium, 3 low, 4 information
      severity: {severity}
      # TODO: what is wrong, in one line
      title: {}
      category: 'TODO'
      tags: []
      author: 'TODO'
      description: 'TODO: what it is, in a few sentences'
      cause: 'TODO: how it comes to this'
      impact: 'TODO: what it leads to'
      mitigation: |
        - TODO: what to do
      references: []
      applications:
        - name: 'TODO'
    rule:
      set:
        event:
          # TODO: whose log it is
          source: cre.log.TODO
        match:
          # TODO: keep the words that no other failure prints
          - {key}: {}
",
        single(&title(proposal)),
        single(&term),
    );
    yaml
}

/// Returns the words of a record with an ellipsis for each value: the title of a rule has no slots.
fn title(proposal: &Proposal) -> String {
    let parts = proposal.parts.iter().map(|part| match part {
        Part::Words(words) => words,
        Part::Slot { .. } => "…",
    });
    parts.collect()
}

/// Returns the key and text of a term: the words as they are, or an expression that accepts any values.
fn term(proposal: &Proposal) -> (&'static str, String) {
    let is_plain = proposal
        .parts
        .iter()
        .all(|part| matches!(part, Part::Words(_)));
    let parts = proposal.parts.iter().map(|part| match part {
        Part::Words(words) if is_plain => words.clone(),
        Part::Words(words) => escaped(words),
        Part::Slot { .. } => ".+".to_owned(),
    });
    let text: String = parts.collect();
    match is_plain {
        true => ("value", text),
        false => ("regex", text),
    }
}

/// Returns a regular expression that matches a text literally.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
