//! Finds examples of one signature that another one matches too, with the outcome.

use super::run::ExampleRun;
use super::{Found, Proof};
use crate::report::Role;
use kwhy_signature::Signature;

/// A signature that matches a positive example of another one.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Overlap {
    /// The signature whose example it is.
    pub signature: String,
    /// Its cause.
    pub cause: String,
    /// Its file.
    pub file: String,
    /// The line of the example in the file, counted from 1.
    pub line: usize,
    /// The other signature.
    pub other: String,
    /// The other one's cause.
    pub other_cause: String,
    /// The role of the other one's finding, if it makes one; otherwise that of the signature.
    pub other_role: Role,
    /// The outcome for the other signature.
    pub outcome: OverlapOutcome,
    /// The signature that explains the other one's finding.
    pub explained_by: Option<String>,
}

/// The outcome for a signature that matches the example of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverlapOutcome {
    /// It makes no finding: a more specific match on the same text supersedes it.
    GivesWay,
    /// It makes no finding: it shows that a fault is resolved, or the example does.
    Ends,
    /// Its finding is listed under one that explains it.
    Explained,
    /// Its finding names the same cause.
    SameCause,
    /// Its finding explains that of the example's signature, which is not a cause.
    Explains,
    /// Its finding is a symptom or benign, and unexplained.
    Beside,
    /// Its finding is a further cause, which the example lists under `also`.
    Declared,
    /// Its finding is a further cause, after that of the example.
    SecondCause,
    /// Its finding is the first cause instead of the example's.
    FirstCause,
}

impl Proof<'_> {
    /// Returns all signatures that match a positive example of another one, in the order of the
    /// examples.
    pub fn overlaps(&self) -> Vec<Overlap> {
        let positive = self.runs.iter().filter(|run| run.wanted);
        positive.flat_map(|run| self.overlaps_of(run)).collect()
    }

    pub(super) fn overlaps_of<'t>(
        &'t self,
        run: &'t ExampleRun<'_>,
    ) -> impl Iterator<Item = Overlap> + 't {
        let others = run.matched.iter().filter(|id| **id != run.signature.id);
        others.filter_map(|id| {
            let other = self.analyzer.catalogue().get(id)?;
            let found = run.finding_of(id);
            Some(Overlap {
                signature: run.signature.id.clone(),
                cause: run.signature.cause.clone(),
                file: run.signature.file.to_string(),
                line: run.line,
                other: id.clone(),
                other_cause: other.cause.clone(),
                other_role: found.map_or(other.role, |found| found.role),
                outcome: outcome(run, other, found),
                explained_by: found.and_then(|found| found.explained_by.clone()),
            })
        })
    }
}

fn outcome(run: &ExampleRun<'_>, other: &Signature, found: Option<&Found>) -> OverlapOutcome {
    if other.makes_no_finding() || run.signature.makes_no_finding() {
        return OverlapOutcome::Ends;
    }
    let Some(found) = found else {
        return OverlapOutcome::GivesWay;
    };
    if other.cause == run.signature.cause {
        return OverlapOutcome::SameCause;
    }
    if found.explained_by.is_some() {
        return OverlapOutcome::Explained;
    }
    let own = run.finding_of(&run.signature.id);
    let explains = own.and_then(|own| own.explained_by.as_ref()) == Some(&other.id);
    if explains {
        return OverlapOutcome::Explains;
    }
    if found.role != Role::Cause {
        return OverlapOutcome::Beside;
    }
    let also = &run.example.also;
    if also.contains(&other.id) || also.contains(&other.cause) {
        return OverlapOutcome::Declared;
    }
    let is_first = run.first_cause().map(|first| &first.signature) == Some(&other.id);
    if is_first && run.signature.role == Role::Cause {
        OverlapOutcome::FirstCause
    } else {
        OverlapOutcome::SecondCause
    }
}
