//! Suggests what to run next where the input is not sufficient.

use super::advice;
use super::graph::Graph;
use super::group::Group;
use super::render::Values;
use crate::report::{Check, Finding, Role};
use kwhy_catalogue::Catalogue;

/// The confidence below which a cause leaves questions open.
const SURE: f64 = 0.8;

/// The maximum number of commands suggested.
const MAX_STEPS: usize = 6;

/// The commands for what was seen, with names filled in, unless a cause is certain.
pub(crate) fn steps(
    catalogue: &Catalogue,
    findings: &[Finding],
    seen: &[Group],
    graph: &Graph,
) -> Vec<Check> {
    let mut causes = findings.iter().filter(|f| f.role == Role::Cause);
    if causes.any(|cause| cause.confidence >= SURE) {
        return Vec::new();
    }
    let mut steps: Vec<Check> = Vec::new();
    for group in seen {
        let signature = catalogue.at(group.signature);
        let values = Values::new(signature, group, graph);
        for step in advice::checks(&signature.collect, &values) {
            let same = |known: &Check| known.command == step.command && known.text == step.text;
            if !steps.iter().any(same) && steps.len() < MAX_STEPS {
                steps.push(step);
            }
        }
    }
    steps
}
