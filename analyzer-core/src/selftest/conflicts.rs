//! Lints for signatures that match each other's examples.

use std::collections::BTreeMap;

use super::lint::LintLevel::{Error, Warning};
use super::lint::Lints;
use super::run::ExampleRun;
use super::{Overlap, OverlapOutcome, Proof};
use crate::report::Role;
use kwhy_signature::Signature;

/// The matches of signatures in each other's examples.
pub(super) struct Conflicts<'o> {
    all: &'o [Overlap],
    /// The number of examples of one signature that another one matches, by the pair of ids.
    pairs: BTreeMap<(&'o str, &'o str), usize>,
}

impl<'o> Conflicts<'o> {
    pub fn new(all: &'o [Overlap]) -> Conflicts<'o> {
        let mut pairs = BTreeMap::new();
        for overlap in all {
            *pairs
                .entry((overlap.signature.as_str(), overlap.other.as_str()))
                .or_default() += 1;
        }
        Conflicts { all, pairs }
    }

    pub fn lint(&self, lints: &mut Lints<'_>, runs: &[&ExampleRun<'_>], proof: &Proof<'_>) {
        let signature = lints.signature;
        let catalogue = proof.analyzer.catalogue();
        for overlap in self.all {
            let (here, there) = (overlap.file.as_str(), overlap.line);
            match overlap.outcome {
                OverlapOutcome::SecondCause if overlap.signature == signature.id => {
                    let other = &overlap.other;
                    let message = format!(
                        "this example also proves {} ({other}), a cause that nothing explains; narrow {other}, say that this one `explains` it, or name it under `also` of the example if both are right",
                        overlap.other_cause
                    );
                    lints.add_at((Warning, "second-cause"), "examples.match", there, message);
                }
                OverlapOutcome::FirstCause if overlap.other == signature.id => {
                    let message = format!(
                        "it is the first cause of {here}:{there}, an example of {} ({}); narrow it, or let that one say `refines` or `explains`",
                        overlap.signature, overlap.cause
                    );
                    lints.add((Error, "takes-others"), ("match", ""), message);
                }
                _ => {}
            }
        }
        let positive: Vec<_> = runs.iter().filter(|run| run.wanted).collect();
        if let Some(winner) = shadow(signature, &positive) {
            let message = format!(
                "each of its examples is won by {winner}: it never shows; give it more text or `refines: [{winner}]`, or remove it"
            );
            lints.add((Error, "shadowed"), ("match", ""), message);
        }
        for ((of, other), theirs) in self.pairs.range((signature.id.as_str(), "")..) {
            if *of != signature.id {
                break;
            }
            let Some(mine) = self.pairs.get(&(*other, *of)) else {
                continue;
            };
            let Some(rival) = catalogue.get(other) else {
                continue;
            };
            let is_declared = signature.refines.iter().any(|id| id == other)
                || rival.refines.contains(&signature.id);
            let both_causes = signature.role == Role::Cause && rival.role == Role::Cause;
            if is_declared || !both_causes {
                continue;
            }
            let rivals = rival.examples().matching.len();
            if *theirs == positive.len() && *mine == rivals {
                let message = format!(
                    "{other} ({}) matches all of its examples, and it all of that one's; make them one, or let one `refine` the other",
                    rival.cause
                );
                lints.add((Warning, "same-as"), ("match", ""), message);
            } else {
                let message = format!(
                    "{other} ({}) matches {theirs} of its {} examples, and it {mine} of that one's {rivals}; which wins is left to the length of the text: narrow one with `not`, or let one `refine` the other",
                    rival.cause,
                    positive.len()
                );
                lints.add((Warning, "overlaps"), ("match", ""), message);
            }
        }
    }
}

/// Returns the signature that ranks first in all examples of another one, if any does.
fn shadow<'t>(signature: &Signature, positive: &[&&'t ExampleRun<'_>]) -> Option<&'t str> {
    let mut winner = None;
    for run in positive {
        if !run.matched.contains(&signature.id) {
            return None;
        }
        if signature.makes_no_finding() {
            return None;
        }
        let first = match signature.role {
            Role::Cause => run.first_cause()?,
            Role::Symptom | Role::Benign if run.finding_of(&signature.id).is_none() => {
                run.found.first()?
            }
            Role::Symptom | Role::Benign => return None,
        };
        if first.signature == signature.id {
            return None;
        }
        winner = Some(first.signature.as_str());
    }
    winner
}
