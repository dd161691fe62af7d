//! `kwhy scan`: each bundle as an incident of its own, one line of NDJSON each.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use kwhy_core::{Report, Role};
use schemars::JsonSchema;
use serde::Serialize;

use kwhy_bundle::Source;
use kwhy_bundle::sources::{InputError, InputSet};
use kwhy_render::{Ndjson, Render, View, json};

/// The schema of each line.
const SCHEMA: &str = "kwhy.scan/1";

/// A line, as its schema describes it.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub enum AnyLine<'l> {
    /// One bundle.
    Bundle(Line<'l>),
    /// The last line.
    Summary(LastLine<'l>),
}

/// The result of one bundle.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BundleLine")]
pub struct Line<'l> {
    /// The schema of this line.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The bundle.
    source: &'l str,
    /// Its report, if it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'l Report>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'l str>,
}

/// The results of all bundles.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// The schema of all lines.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The number of bundles that were read.
    pub read: u64,
    /// The number of bundles that could not be read.
    pub failed: u64,
    /// True if it was broken off.
    pub interrupted: bool,
    /// The number of bundles in which each cause was found.
    pub causes: BTreeMap<String, u64>,
}

/// The line after all bundles.
#[derive(Serialize, JsonSchema)]
pub struct LastLine<'l> {
    /// What became of all bundles.
    summary: &'l Summary,
}

/// The bundles that paths name: of a folder its files and folders, of a glob what fits it, otherwise
/// the file itself. In order.
pub fn bundles(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<InputError>) {
    let mut all = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        let found = if path.is_dir() {
            entries(path)
        } else if !path.exists() && is_glob(path) {
            fitting(path)
        } else {
            Ok(vec![path.clone()])
        };
        match found {
            Ok(mut found) => {
                found.sort();
                all.append(&mut found);
            }
            Err(source) => failures.push(InputError::new(path, source)),
        }
    }
    let mut seen = HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    (all, failures)
}

/// The files and folders in a folder; links, devices, pipes and sockets are omitted.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_file() || kind.is_dir() {
            all.push(entry.path());
        }
    }
    Ok(all)
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The paths that match a glob, one component after the other; `**` is any number of folders.
fn fitting(glob: &Path) -> io::Result<Vec<PathBuf>> {
    let mut open = vec![PathBuf::new()];
    for part in glob.components() {
        let part = Path::new(part.as_os_str());
        let mut next = Vec::new();
        for start in open {
            let here = if start.as_os_str().is_empty() {
                Path::new(".")
            } else {
                &start
            };
            if part == Path::new("**") {
                let mut folders = vec![start.clone()];
                while let Some(folder) = folders.pop() {
                    let here = if folder.as_os_str().is_empty() {
                        Path::new(".")
                    } else {
                        &folder
                    };
                    for entry in entries(here).unwrap_or_default() {
                        if entry.is_dir() {
                            folders.push(entry);
                        }
                    }
                    next.push(folder);
                }
            } else if is_glob(part) {
                let glob = GlobBuilder::new(&part.to_string_lossy())
                    .literal_separator(true)
                    .build()
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?
                    .compile_matcher();
                for entry in entries(here).unwrap_or_default() {
                    if let Some(name) = entry.file_name().filter(|name| glob.is_match(name)) {
                        next.push(start.join(name));
                    }
                }
            } else {
                let path = start.join(part);
                if path.exists() {
                    next.push(path);
                }
            }
        }
        open = next;
    }
    if open.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(open)
}

/// Reads each bundle separately, and writes a line for each, or one for each finding and one that sums the bundle up. One
/// that cannot be read is reported in its line; the others continue.
pub fn scan(
    reading: &InputSet,
    bundles: &[PathBuf],
    failures: &[InputError],
    by_finding: bool,
    read: impl Fn(&InputSet) -> (Vec<InputError>, usize, (Report, usize)),
    out: &mut dyn Write,
) -> io::Result<Summary> {
    let stop = &reading.shared.stop;
    let mut summary = Summary {
        schema: SCHEMA,
        ..Summary::default()
    };
    for failure in failures {
        summary.failed += 1;
        line(
            out,
            failure.path(),
            None,
            Some(failure.io_error().to_string()),
        )?;
    }
    for path in bundles {
        if stop.is_cancelled() {
            summary.interrupted = true;
            break;
        }
        let one = InputSet {
            sources: vec![Source::Path(path.clone())],
            shared: reading.shared.next(),
            ..reading.clone()
        };
        let (failures, count, (report, left_out)) = read(&one);
        if count == 0 {
            summary.failed += 1;
            let why = failures
                .first()
                .map_or("it holds no file".to_owned(), |failure| {
                    failure.io_error().to_string()
                });
            line(out, path, None, Some(why))?;
            continue;
        }
        summary.read += 1;
        let causes = report
            .findings
            .iter()
            .filter(|finding| finding.role == Role::Cause);
        let causes: BTreeSet<&str> = causes.map(|finding| finding.cause.as_str()).collect();
        for cause in causes {
            *summary.causes.entry(cause.to_owned()).or_default() += 1;
        }
        if by_finding {
            let source = path.display().to_string();
            let ndjson = Ndjson {
                source: Some(&source),
            };
            let report = &report;
            ndjson.render(&View { report, left_out }, out)?;
            out.flush()?;
        } else {
            line(out, path, Some(&report), None)?;
        }
    }
    summary.interrupted |= stop.is_cancelled();
    json::line(&LastLine { summary: &summary }, out)?;
    out.flush()?;
    Ok(summary)
}

fn line(
    out: &mut dyn Write,
    path: &Path,
    report: Option<&Report>,
    error: Option<String>,
) -> io::Result<()> {
    let line = Line {
        schema: SCHEMA,
        source: &path.display().to_string(),
        report,
        error: error.as_deref(),
    };
    json::line(&line, out)?;
    out.flush()
}
