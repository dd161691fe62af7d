//! Which examples of one signature another one matches too, and what became of it.

use super::trial::Trial;
use super::{Found, Proof};
use crate::report::Role;
use kwhy_signature::Signature;

/// A signature that matches a positive example of another one.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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
    /// The other one's role: that of its finding, if it makes one.
    pub other_role: Role,
    /// What became of the other one.
    pub outcome: OverlapOutcome,
    /// The signature that explains the other one's finding.
    pub explained_by: Option<String>,
}

/// What became of a signature that matches the example of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverlapOutcome {
    /// It makes no finding: one that demands more of the same text stays.
    GivesWay,
    /// It makes no finding at all: it shows that trouble is over; or the example does.
    Ends,
    /// Its finding stands under one that explains it.
    Explained,
    /// Its finding names the same cause.
    SameCause,
    /// Its finding explains that of the example's signature, which is no cause.
    Explains,
    /// Its finding is a symptom or benign, and nothing explains it.
    Beside,
    /// Its finding is a further cause, and the example says so under `also`.
    Told,
    /// Its finding is a further cause, after that of the example.
    SecondCause,
    /// Its finding is the first cause, and not that of the example.
    FirstCause,
}

impl Proof<'_> {
    /// All signatures that match a positive example of another one, in order of the examples.
    pub fn overlaps(&self) -> Vec<Overlap> {
        let positive = self.trials.iter().filter(|trial| trial.wanted);
        positive.flat_map(|trial| self.overlaps_of(trial)).collect()
    }

    pub(super) fn overlaps_of<'t>(
        &'t self,
        trial: &'t Trial<'_>,
    ) -> impl Iterator<Item = Overlap> + 't {
        let others = trial.matched.iter().filter(|id| **id != trial.signature.id);
        others.filter_map(|id| {
            let other = self.analyzer.catalogue().get(id)?;
            let found = trial.finding_of(id);
            Some(Overlap {
                signature: trial.signature.id.clone(),
                cause: trial.signature.cause.clone(),
                file: trial.signature.file.to_string(),
                line: trial.line,
                other: id.clone(),
                other_cause: other.cause.clone(),
                other_role: found.map_or(other.role, |found| found.role),
                outcome: outcome(trial, other, found),
                explained_by: found.and_then(|found| found.explained_by.clone()),
            })
        })
    }
}

fn outcome(trial: &Trial<'_>, other: &Signature, found: Option<&Found>) -> OverlapOutcome {
    if other.makes_no_finding() || trial.signature.makes_no_finding() {
        return OverlapOutcome::Ends;
    }
    let Some(found) = found else {
        return OverlapOutcome::GivesWay;
    };
    if other.cause == trial.signature.cause {
        return OverlapOutcome::SameCause;
    }
    if found.explained_by.is_some() {
        return OverlapOutcome::Explained;
    }
    let own = trial.finding_of(&trial.signature.id);
    let explains = own.and_then(|own| own.explained_by.as_ref()) == Some(&other.id);
    if explains {
        return OverlapOutcome::Explains;
    }
    if found.role != Role::Cause {
        return OverlapOutcome::Beside;
    }
    let also = &trial.example.also;
    if also.contains(&other.id) || also.contains(&other.cause) {
        return OverlapOutcome::Told;
    }
    let is_first = trial.first_cause().map(|first| &first.signature) == Some(&other.id);
    if is_first && trial.signature.role == Role::Cause {
        OverlapOutcome::FirstCause
    } else {
        OverlapOutcome::SecondCause
    }
}
