//! The destination of the lines: standard output, or a file that a later run can continue.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use kwhy_core::Role;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Summary;
use crate::failure::Failure;
use crate::whole::Unfinished;

/// The destination of lines.
pub enum Results<'r> {
    /// The output of the program.
    Output(&'r mut dyn Write),
    /// A file that a later run can continue.
    File(File),
}

/// The content of a file of results.
#[derive(Debug, Default)]
pub struct Known {
    /// The bundles that were read.
    pub done: HashSet<String>,
    /// The summary of these bundles.
    pub summary: Summary,
}

impl<'r> Results<'r> {
    /// Opens the file, if one is given, and continues it after the last bundle whose lines are complete. Lines of
    /// bundles that could not be read are removed, as these are tried again.
    ///
    /// # Errors
    /// The file cannot be read or written, or is not a file of such results.
    pub fn open(
        file: Option<&Path>,
        by_finding: bool,
        output: &'r mut dyn Write,
    ) -> Result<(Results<'r>, Known), Failure> {
        let Some(path) = file else {
            return Ok((Results::Output(output), Known::default()));
        };
        let opened = continued(path, by_finding);
        let (file, known) = opened.map_err(|source| Failure::Write {
            path: path.to_owned(),
            source,
        })?;
        Ok((Results::File(file), known))
    }

    /// Returns true if a later run can continue what is written.
    pub fn is_continued(&self) -> bool {
        matches!(self, Results::File(_))
    }

    /// Writes lines that belong together.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        match self {
            Results::Output(out) => {
                out.write_all(lines)?;
                out.flush()
            }
            Results::File(file) => file.write_all(lines),
        }
    }
}

/// The members of a line that are needed to continue a file.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    source: Option<Cow<'l, str>>,
    report: Option<ReportOfLine>,
    error: Option<IgnoredAny>,
    summary: Option<IgnoredAny>,
    // in the line of a finding
    cause: Option<String>,
    role: Option<Role>,
}

#[derive(Deserialize)]
struct ReportOfLine {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    cause: Option<String>,
    role: Option<Role>,
}

impl Finding {
    fn cause(self) -> Option<String> {
        self.cause.filter(|_| self.role == Some(Role::Cause))
    }
}

fn other(line: u64, what: &str) -> io::Error {
    let message = format!("line {line} is no result of this kind of scan: {what}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Opens a file for appending, after removing incomplete lines and those of bundles to be read again.
fn continued(path: &Path, by_finding: bool) -> io::Result<(File, Known)> {
    let mut options = OpenOptions::new();
    let mut file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    // the lines to keep are copied to a second file, so that an interrupted run leaves the original as it was
    let mut kept: Option<(Unfinished, BufWriter<File>)> = None;
    let mut known = Known::default();
    let mut group = BTreeSet::new();
    let (mut number, mut at, mut whole) = (0, 0u64, 0u64);
    let mut lines = Vec::new();
    let mut reader = BufReader::new(&mut file);
    loop {
        let start = lines.len();
        if reader.read_until(b'\n', &mut lines)? == 0 || lines.last() != Some(&b'\n') {
            break;
        }
        number += 1;
        let text = &lines[start..];
        let line: Line<'_> =
            serde_json::from_slice(text).map_err(|error| other(number, &error.to_string()))?;
        let length = lines.len() as u64;
        let finding = Finding {
            cause: line.cause,
            role: line.role,
        };
        let ends = match (line.source, line.report, finding) {
            (Some(source), Some(report), _) if !by_finding => {
                let causes = report.findings.into_iter().filter_map(Finding::cause);
                known.summary.add(causes.collect::<BTreeSet<String>>());
                known.done.insert(source.into_owned());
                true
            }
            (Some(source), None, _) if by_finding && line.summary.is_some() => {
                known.summary.add(std::mem::take(&mut group));
                known.done.insert(source.into_owned());
                true
            }
            (Some(_), None, finding) if by_finding && finding.cause.is_some() => {
                group.extend(finding.cause());
                continue;
            }
            // bundles that could not be read, and the last line, are removed
            (Some(_), None, _) if line.error.is_some() => false,
            (None, None, _) if line.summary.is_some() => false,
            _ => return Err(other(number, "its -o is another one")),
        };
        match (&mut kept, ends) {
            (None, true) if whole == at => whole += length,
            (None, true) => {
                let (new, file) = Unfinished::replacing(path)?;
                let mut out = BufWriter::new(file);
                let mut before = File::open(path)?;
                io::copy(&mut io::Read::take(&mut before, whole), &mut out)?;
                out.write_all(&lines)?;
                kept = Some((new, out));
            }
            (Some((_, out)), true) => out.write_all(&lines)?,
            (_, false) => {}
        }
        at += length;
        lines.clear();
    }
    if let Some((new, out)) = kept {
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        new.replace()?;
        return Ok((file, known));
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    Ok((file, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(source: &str, cause: &str) -> String {
        let finding = format!(r#"{{"cause":"{cause}","role":"cause","rank":1}}"#);
        format!(
            r#"{{"schema":"kwhy.scan/1","source":"{source}","report":{{"findings":[{finding}]}}}}"#
        ) + "\n"
    }

    fn resumed(text: &str, by_finding: bool) -> io::Result<(String, Known)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.ndjson");
        std::fs::write(&path, text).unwrap();
        let (mut file, known) = continued(&path, by_finding)?;
        file.write_all(b"END").unwrap();
        Ok((std::fs::read_to_string(&path).unwrap(), known))
    }

    #[test]
    fn what_is_cut_or_failed_is_taken_out() {
        let (a, b) = (report("a", "pod/oom"), report("b", "pod/oom"));
        let failed = "{\"schema\":\"kwhy.scan/1\",\"source\":\"x\",\"error\":\"no\"}\n";
        let last = "{\"summary\":{\"schema\":\"kwhy.scan/1\",\"read\":2}}\n";
        let whole = format!("{a}{b}END");
        for text in [
            format!("{a}{b}"),
            format!("{a}{b}{last}"),
            format!("{a}{b}{}", &a[..20]),
            format!("{a}{failed}{b}{last}"),
            format!("{failed}{a}{b}{failed}"),
        ] {
            let (text, known) = resumed(&text, false).unwrap();
            assert_eq!(text, whole);
            assert_eq!(known.summary.read, 2);
            assert_eq!(known.summary.causes["pod/oom"], 2);
            assert!(known.done.contains("a") && known.done.contains("b"));
        }
        assert_eq!(resumed("", false).unwrap().0, "END");
    }

    #[test]
    fn a_bundle_without_its_last_line_is_taken_out() {
        let finding = |source: &str| {
            format!(
                r#"{{"schema":"kwhy.finding/1","source":"{source}","cause":"net/dns","role":"cause"}}"#
            ) + "\n"
        };
        let end = "{\"schema\":\"kwhy.finding/1\",\"source\":\"a\",\"summary\":{}}\n";
        let whole = format!("{}{}{end}", finding("a"), finding("a"));
        let (text, known) = resumed(&format!("{whole}{}", finding("b")), true).unwrap();
        assert_eq!(text, format!("{whole}END"));
        assert_eq!(known.summary.causes["net/dns"], 1);
        assert_eq!(known.done.len(), 1);
    }

    #[test]
    fn another_file_is_not_written_to() {
        for (text, by_finding) in [
            ("some text\n", false),
            ("{\"kind\":\"Pod\"}\n", true),
            (report("a", "pod/oom").as_str(), true),
        ] {
            assert!(resumed(text, by_finding).is_err(), "{text}");
        }
    }
}
