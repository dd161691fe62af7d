//! What to ask the cluster next where the input does not tell enough.

use super::fill;
use super::group::Group;
use crate::report::{Check, Finding, Role};
use crate::signature::Catalogue;

/// A cause that is less sure than this leaves open what to ask.
const SURE: f64 = 0.8;

/// How many commands are told.
const MAX_STEPS: usize = 6;

/// The commands of what was seen, with names filled in, unless a cause is known for sure.
pub(crate) fn steps(catalogue: &Catalogue, findings: &[Finding], seen: &[Group]) -> Vec<Check> {
    let mut causes = findings.iter().filter(|f| f.role == Role::Cause);
    if causes.any(|cause| cause.confidence >= SURE) {
        return Vec::new();
    }
    let mut steps: Vec<Check> = Vec::new();
    for group in seen {
        let about = fill::about(&group.best);
        let value = |name: &str| fill::value(&group.best, &about, group.count, name);
        for step in &catalogue.at(group.signature).collect {
            let step = Check {
                run: step.run.fill_command(value),
                why: step.why.fill(value),
            };
            let known = steps.iter().any(|known| known.run == step.run);
            if !known && steps.len() < MAX_STEPS {
                steps.push(step);
            }
        }
    }
    steps
}
