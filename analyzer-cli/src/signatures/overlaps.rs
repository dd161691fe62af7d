//! `kwhy signatures overlaps`: examples of one signature that another one matches too.

use kwhy_render::Layout;
use std::collections::BTreeMap;
use std::io::Write;

use kwhy_core::signature::{Overlap, OverlapOutcome};
use kwhy_core::{Analyzer, Role};
use serde::Serialize;

use super::{is_meant, write_json};
use crate::catalogue;
use crate::failure::Failure;
use crate::plan::{CataloguePlan, Which};
use crate::run::Status;
use kwhy_render::counted;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;

/// The JSON output.
#[derive(Serialize)]
struct Output {
    schema: &'static str,
    /// The number of examples of all signatures.
    examples: usize,
    /// The number of overlaps by outcome.
    outcomes: BTreeMap<OverlapOutcome, usize>,
    overlaps: Vec<Overlap>,
}

/// Writes one row for each pair of a signature and another one that matches its examples, grouped by outcome.
pub fn overlaps(
    plan: &CataloguePlan,
    which: Which,
    json: bool,
    (layout, columns): (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let analyzer = Analyzer::with_catalogue(catalogue::load(plan)?);
    let catalogue = analyzer.catalogue();
    let proof = analyzer.proof();
    let mut overlaps = proof.overlaps();
    let meant = |id: &str| {
        catalogue
            .get(id)
            .is_some_and(|s| is_meant(catalogue, which, s))
    };
    overlaps.retain(|overlap| meant(&overlap.signature) || meant(&overlap.other));
    let mut outcomes = BTreeMap::new();
    for overlap in &overlaps {
        *outcomes.entry(overlap.outcome).or_default() += 1;
    }
    let output = Output {
        schema: "kwhy.overlaps/1",
        examples: proof.examples(),
        outcomes,
        overlaps,
    };
    if json {
        write_json(&output, out)?;
    } else {
        write(&output, (layout, columns), out)?;
    }
    Ok(Status::Ran)
}

fn write(
    output: &Output,
    (layout, columns): (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for (outcome, count) in &output.outcomes {
        let head = format!(
            "{}: {}",
            meaning(*outcome),
            counted(*count as u64, "example")
        );
        writeln!(out, "{}", layout.styled(Style::Strong, visible(&head)))?;
        let mut rows: BTreeMap<_, usize> = BTreeMap::new();
        for overlap in output.overlaps.iter().filter(|o| o.outcome == *outcome) {
            let row = (&overlap.signature, &overlap.other, &overlap.other_cause);
            let role = role_name(overlap.other_role);
            *rows.entry((row, role, &overlap.explained_by)).or_default() += 1;
        }
        for (((signature, other, cause), role, by), count) in rows {
            let mut text = format!("{count} of {signature}: {other} ({cause}, {role})");
            if let Some(by) = by.as_ref().filter(|by| *by != signature) {
                text.push_str(&format!(" by {by}"));
            }
            match columns {
                Some(_) => layout.hang(out, Style::Plain, &visible(&text), 0, 4)?,
                None => writeln!(out, "  {}", visible(&text))?,
            }
        }
    }
    let overlaps = counted(output.overlaps.len() as u64, "overlap");
    writeln!(out, "{overlaps}")?;
    Ok(())
}

fn meaning(outcome: OverlapOutcome) -> &'static str {
    match outcome {
        OverlapOutcome::GivesWay => "gives way to one that demands more of the text",
        OverlapOutcome::Ends => "only shows, or only the example shows, that a fault is over",
        OverlapOutcome::Explained => "is explained",
        OverlapOutcome::SameCause => "names the same cause",
        OverlapOutcome::Explains => "explains the example's own",
        OverlapOutcome::Beside => "is listed beside it, as symptom or benign",
        OverlapOutcome::Declared => "is a further cause, as the example says",
        OverlapOutcome::SecondCause => "is a further cause",
        OverlapOutcome::FirstCause => "is the first cause instead",
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Cause => "cause",
        Role::Symptom => "symptom",
        Role::Benign => "benign",
    }
}
