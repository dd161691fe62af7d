//! `kwhy scan`: each bundle as an incident of its own, one line of NDJSON each.
//!
//! Several bundles are read at a time ([`Queue`]), as many as threads and memory ([`memory`]) allow. Their lines are written
//! in the order of the bundles ([`Results`]), so that the output is the same for any number of threads.

mod memory;
mod paths;
mod queue;
mod rate;
mod results;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use kwhy_core::events::SecretPolicy;
use kwhy_core::{Report, Role};
use serde::Serialize;

use kwhy_bundle::Source;
use kwhy_bundle::sources::{InputError, InputSet};
use kwhy_render::{Ndjson, Render, View, json};

use queue::Queue;
use rate::Rate;

pub use paths::bundles;
pub use results::{Known, Results};

/// The schema of each line.
const SCHEMA: &str = "kwhy.scan/1";

/// A line, as its schema describes it.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub enum AnyLine<'l> {
    /// One bundle.
    Bundle(Line<'l>),
    /// The last line.
    Summary(LastLine<'l>),
}

/// The result of one bundle.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "BundleLine"))]
pub struct Line<'l> {
    /// The schema of this line.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
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
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The schema of all lines.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
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
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LastLine<'l> {
    /// What became of all bundles.
    summary: &'l Summary,
}

/// The bundles to diagnose, and how.
pub struct Work<'w> {
    /// The selection of members, limits, and what cancels the run.
    pub reading: &'w InputSet,
    /// The bundles, in order.
    pub bundles: &'w [PathBuf],
    /// The errors of paths that name no bundle.
    pub failures: &'w [InputError],
    /// True for a line for each finding.
    pub by_finding: bool,
    /// The number of threads in all.
    pub threads: usize,
    /// The memory that bundles may take at once, in bytes by estimate; `None` for no limit.
    pub memory: Option<u64>,
    /// True if a progress bar is drawn.
    pub drawn: bool,
}

/// The result of reading a bundle: the errors, the number of files read, the report and the number of findings omitted
/// from it.
pub type Read = (Vec<InputError>, usize, (Report, usize));

/// The lines of one bundle.
#[derive(Debug, Default)]
struct Done {
    lines: Vec<u8>,
    /// The causes in it; `None` if it could not be read.
    causes: Option<BTreeSet<String>>,
    /// True if reading it was interrupted.
    broken_off: bool,
}

/// Reads each bundle separately, and writes one line for each, or one for each finding and a summary of the bundle. A
/// bundle that cannot be read is reported in its line; the others are read. `read` is given the number of threads it
/// may use. Also returns the speed as text, unless the run was short.
///
/// # Errors
/// The output cannot be written.
pub fn scan(
    work: &Work<'_>,
    known: Known,
    read: impl Fn(&InputSet, usize) -> Read + Sync,
    out: &mut Results<'_>,
) -> io::Result<(Summary, Option<String>)> {
    let Known { done, mut summary } = known;
    summary.schema = SCHEMA;
    for failure in work.failures {
        summary.failed += 1;
        let why = failure.io_error().to_string();
        out.write(&line(failure.path(), None, Some(why))?)?;
    }
    let is_new = |path: &&PathBuf| !done.contains(path.to_string_lossy().as_ref());
    let bundles: Vec<&Path> = work.bundles.iter().filter(is_new).map(|it| &**it).collect();
    let sizes: Vec<u64> = bundles.iter().map(|path| size(path)).collect();
    let stop = &work.reading.shared.stop;
    let rate = Rate::start(&sizes, work.drawn);
    let queue = Queue::new(&sizes, work.threads, work.memory, stop);
    let written = std::thread::scope(|scope| {
        for _ in 0..work.threads.min(bundles.len()) {
            scope.spawn(|| {
                while let Some((number, threads)) = queue.take() {
                    let _answer = queue.answer(number);
                    let path = bundles[number];
                    let one = InputSet {
                        sources: vec![Source::Path(path.to_owned())],
                        shared: work.reading.shared.next(),
                        ..work.reading.clone()
                    };
                    let shown = rate.begin(&one.shared);
                    let done = lines(path, read(&one, threads), work.by_finding);
                    drop(shown);
                    let broken_off = stop.is_cancelled();
                    queue.give(number, done.map(|done| Done { broken_off, ..done }));
                }
            });
        }
        let mut write = || -> io::Result<()> {
            while let Some(done) = queue.next() {
                let done = done?;
                if done.broken_off && out.is_continued() {
                    // the next run, which continues the file, reads this bundle completely
                    continue;
                }
                match done.causes {
                    Some(causes) => summary.add(causes),
                    None => summary.failed += 1,
                }
                out.write(&done.lines)?;
            }
            Ok(())
        };
        let written: io::Result<()> = write();
        // further lines could not be written
        if written.is_err() {
            stop.cancel();
            queue.close();
        }
        written
    });
    let is_whole = queue.is_done();
    let pace = rate.end();
    written?;
    summary.interrupted = stop.is_cancelled() || !is_whole;
    let mut last = Vec::new();
    json::line(&LastLine { summary: &summary }, &mut last)?;
    out.write(&last)?;
    Ok((summary, pace))
}

impl Summary {
    /// Counts a bundle that was read.
    fn add(&mut self, causes: impl IntoIterator<Item = String>) {
        self.read += 1;
        for cause in causes {
            *self.causes.entry(cause).or_default() += 1;
        }
    }
}

/// Returns the size of a bundle in bytes; 0 if it cannot be read.
fn size(path: &Path) -> u64 {
    let source = Source::Path(path.to_owned());
    kwhy_bundle::sources::size(&[source]).unwrap_or(0)
}

/// Returns the lines of a bundle that was read.
fn lines(
    path: &Path,
    (failures, count, (report, left_out)): Read,
    by_finding: bool,
) -> io::Result<Done> {
    if count == 0 {
        let why = failures
            .first()
            .map_or("it holds no file".to_owned(), |failure| {
                failure.io_error().to_string()
            });
        return Ok(Done {
            lines: line(path, None, Some(why))?,
            ..Done::default()
        });
    }
    let causes = report
        .findings
        .iter()
        .filter(|finding| finding.role == Role::Cause);
    let causes = causes.map(|finding| finding.cause.as_str().to_owned());
    let causes = Some(causes.collect());
    let lines = if by_finding {
        let source = path.display().to_string();
        let source = report.shown_name(&source);
        let ndjson = Ndjson {
            source: Some(&source),
        };
        let mut lines = Vec::new();
        let report = &report;
        ndjson.render(&View { report, left_out }, &mut lines)?;
        lines
    } else {
        line(path, Some(&report), None)?
    };
    Ok(Done {
        lines,
        causes,
        broken_off: false,
    })
}

fn line(path: &Path, report: Option<&Report>, error: Option<String>) -> io::Result<Vec<u8>> {
    let source = path.display().to_string();
    let source = match report {
        Some(report) => report.shown_name(&source),
        None => SecretPolicy::Mask.shown(&source),
    };
    let line = Line {
        schema: SCHEMA,
        source: &source,
        report,
        error: error.as_deref(),
    };
    let mut text = Vec::new();
    json::line(&line, &mut text)?;
    Ok(text)
}
