//! `kwhy signatures test`: runs the examples of signatures.

use kwhy_render::Layout;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use kwhy_core::Analyzer;
use kwhy_core::signature::{ExampleOutcome, Lint};
use serde::Serialize;

use super::{how_many, is_meant, place, write_json};
use crate::catalogue;
use crate::failure::Failure;
use crate::plan::{CataloguePlan, Which};
use crate::run::Status;
use kwhy_bundle::sources;
use kwhy_render::counted;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;

/// The JSON output.
#[derive(Serialize)]
struct Output<'t> {
    schema: &'static str,
    signatures: usize,
    examples: usize,
    failed: Vec<&'t ExampleOutcome>,
    refused: Vec<Lint>,
}

/// Writes the invalid files and the examples that fail, then their numbers; or all as JSON.
pub fn test(
    plan: &CataloguePlan,
    which: Which,
    json: bool,
    page: (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let (mut catalogue, errors) = catalogue::load_what_can_be(plan)?;
    catalogue::take_logs(&mut catalogue)?;
    let analyzer = Analyzer::with_catalogue(catalogue);
    let catalogue = analyzer.catalogue();
    let outcomes = analyzer.test_signatures_of(|signature| is_meant(catalogue, which, signature));
    let output = Output {
        schema: "kwhy.test/1",
        signatures: how_many(catalogue, which),
        examples: outcomes.len(),
        failed: outcomes.iter().filter(|o| o.failure.is_some()).collect(),
        refused: errors.iter().map(Lint::from).collect(),
    };
    if json {
        write_json(&output, out)?;
    } else {
        write(&output, page, out)?;
        if let Some(replaced) = catalogue::replaced(catalogue) {
            place(page, Style::Faint, &replaced, out)?;
        }
    }
    Ok(if output.failed.is_empty() && output.refused.is_empty() {
        Status::Ran
    } else {
        Status::Found
    })
}

/// The interval at which files are checked for changes.
const PAUSE: Duration = Duration::from_millis(300);

/// Runs the examples of the given signatures, and again whenever one of the files changes. Returns only on an error.
///
/// # Errors
/// The output cannot be written.
pub fn watch(
    plan: &CataloguePlan,
    page: (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let mut seen = None;
    loop {
        let now = state(&plan.paths);
        if seen.as_ref() != Some(&now) {
            if seen.is_some() {
                place(page, Style::Faint, "changed:", out)?;
            }
            seen = Some(now);
            match test(plan, Which::Added, false, page, out) {
                Ok(_) => {}
                Err(Failure::Output(error)) => return Err(error.into()),
                // the file may be back soon: editors replace files
                Err(failure) => place(page, Style::Plain, &visible(&failure.to_string()), out)?,
            }
            out.flush()?;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns the names, sizes and times of files, from which changes are noticed.
fn state(paths: &[PathBuf]) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let mut all = Vec::new();
    for path in paths {
        let files = match path.is_dir() {
            true => sources::below(path).files,
            false => vec![path.clone()],
        };
        for file in files {
            let data = file.metadata().ok();
            let size = data.as_ref().map_or(0, |data| data.len());
            let time = data.and_then(|data| data.modified().ok());
            all.push((file, size, time));
        }
    }
    all
}

fn write(
    output: &Output<'_>,
    page: (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for error in &output.refused {
        place(page, Style::Plain, &visible(&error.to_string()), out)?;
    }
    for outcome in &output.failed {
        let failure = outcome.failure.as_deref().unwrap_or_default();
        let text = format!(
            "{}:{}: {}: {failure}",
            outcome.file, outcome.line, outcome.signature
        );
        place(page, Style::Plain, &visible(&text), out)?;
    }
    let signatures = counted(output.signatures as u64, "signature");
    let examples = counted(output.examples as u64, "example");
    write!(
        out,
        "{signatures}, {examples}, {} failed",
        output.failed.len()
    )?;
    if !output.refused.is_empty() {
        let files: BTreeSet<&str> = output.refused.iter().map(|it| it.file.as_str()).collect();
        let refused = counted(files.len() as u64, "file");
        write!(out, ", {refused} refused")?;
    }
    writeln!(out)?;
    Ok(())
}
