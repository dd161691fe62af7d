//! `kwhy signatures lint`: errors in signatures.

use kwhy_render::Layout;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use kwhy_core::signature::{Lint, LintLevel};
use kwhy_core::{Analyzer, Level};
use serde::Serialize;

use super::{how_many, is_meant, place, write_json};
use crate::catalogue;
use crate::failure::Failure;
use crate::plan::{CataloguePlan, LintPlan};
use crate::run::Status;
use kwhy_bundle::sources::{self, Below};
use kwhy_render::counted;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;

/// The JSON output.
#[derive(Serialize)]
struct Output {
    schema: &'static str,
    signatures: usize,
    examples: usize,
    errors: usize,
    warnings: usize,
    lints: Vec<Lint>,
}

/// Writes the errors one a line, then their number; or all as JSON.
pub fn lint(
    plan: &CataloguePlan,
    how: &LintPlan,
    page: (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let (mut catalogue, errors) = catalogue::load_what_can_be(plan)?;
    catalogue::take_logs(&mut catalogue)?;
    let analyzer = Analyzer::with_catalogue(catalogue);
    let catalogue = analyzer.catalogue();
    let healthy = read(&how.healthy)?;
    let proof = analyzer.proof();
    let mut lints: Vec<Lint> = errors.iter().map(Lint::from).collect();
    lints.extend(proof.lints(
        |signature| is_meant(catalogue, how.which, signature),
        &healthy,
    ));
    let count = |level| lints.iter().filter(|lint| lint.level == level).count();
    let output = Output {
        schema: "kwhy.lint/1",
        signatures: how_many(catalogue, how.which),
        examples: proof.examples(),
        errors: count(LintLevel::Error),
        warnings: count(LintLevel::Warning),
        lints,
    };
    if how.json {
        write_json(&output, out)?;
    } else {
        write(&output, page, out)?;
        if let Some(replaced) = catalogue::replaced(catalogue) {
            place(page, Style::Faint, &replaced, out)?;
        }
    }
    let fails = output.lints.iter().any(|lint| lint.level >= how.fail_on);
    Ok(if fails { Status::Found } else { Status::Ran })
}

fn write(
    output: &Output,
    page: (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for lint in &output.lints {
        let style = Style::Level(match lint.level {
            LintLevel::Error => Level::Error,
            LintLevel::Warning => Level::Warning,
        });
        place(page, style, &visible(&lint.to_string()), out)?;
    }
    let signatures = counted(output.signatures as u64, "signature");
    let errors = counted(output.errors as u64, "error");
    let warnings = counted(output.warnings as u64, "warning");
    writeln!(out, "{signatures}, {errors}, {warnings}")?;
    Ok(())
}

/// Reads the healthy inputs, and returns them with their names.
fn read(paths: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut inputs = Vec::new();
    for path in paths {
        let files = if path.is_dir() {
            let Below {
                files, failures, ..
            } = sources::below(path);
            if let Some(failure) = failures.into_iter().next() {
                let (path, source) = failure.into();
                return Err(Failure::Healthy { path, source });
            }
            files
        } else {
            vec![path.clone()]
        };
        for file in files {
            let bytes = fs::read(&file).map_err(|source| Failure::Healthy {
                path: file.clone(),
                source,
            })?;
            inputs.push((file.display().to_string(), bytes));
        }
    }
    Ok(inputs)
}
