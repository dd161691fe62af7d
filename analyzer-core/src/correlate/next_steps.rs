//! What to ask the cluster next where the input does not tell enough.

use super::advice;
use super::render::Values;
use super::graph::Graph;
use super::group::Group;
use crate::report::{Check, Finding, Role};
use crate::signature::Catalogue;

/// A cause that is less sure than this leaves open what to ask.
const SURE: f64 = 0.8;

/// How many commands are told.
const MAX_STEPS: usize = 6;

/// The commands of what was seen, with names filled in, unless a cause is known for sure.
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
