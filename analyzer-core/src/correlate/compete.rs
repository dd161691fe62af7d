//! One piece of text proves one thing: where several signatures match it, the most specific one
//! stays.

use std::collections::HashMap;

use crate::matcher::Match;
use crate::model::Span;
use crate::report::Role;
use crate::signature::{Catalogue, Signature};

fn overlap(a: &Span, b: &Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// Drops the matches that a more specific one on the same text beats.
pub(crate) fn compete(catalogue: &Catalogue, matches: Vec<(usize, Match)>) -> Vec<(usize, Match)> {
    let mut by_record: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (at, (_, found)) in matches.iter().enumerate() {
        let primary = found.primary();
        by_record
            .entry((primary.document, primary.record.start))
            .or_default()
            .push(at);
    }
    let mut beaten = vec![false; matches.len()];
    for rivals in by_record.values() {
        for &mine in rivals {
            beaten[mine] = rivals
                .iter()
                .any(|&other| other != mine && beats(catalogue, &matches, other, mine));
        }
    }
    let kept = matches
        .into_iter()
        .zip(beaten)
        .filter(|(_, beaten)| !beaten);
    kept.map(|(found, _)| found).collect()
}

/// Whether the first match makes the second superfluous.
fn beats(catalogue: &Catalogue, matches: &[(usize, Match)], winner: usize, loser: usize) -> bool {
    let (a, mine) = &matches[winner];
    let (b, theirs) = &matches[loser];
    let (a, b): (&Signature, &Signature) = (catalogue.at(*a), catalogue.at(*b));
    if a.refines.contains(&b.id) {
        return true;
    }
    if a.id == b.id || b.refines.contains(&a.id) {
        return false;
    }
    // one text may tell of several symptoms
    if a.role == Role::Symptom && b.role == Role::Symptom && a.cause != b.cause {
        return false;
    }
    if !overlap(&mine.primary().mark, &theirs.primary().mark) {
        return false;
    }
    // a symptom's text often wraps its cause's: the cause is the answer
    let rank = |role: Role| u8::from(role == Role::Symptom);
    let key = |signature: &Signature, found: &Match| {
        let weight: usize = found.hits.iter().map(|hit| hit.weight).sum();
        (
            std::cmp::Reverse(rank(signature.role)),
            weight,
            std::cmp::Reverse(signature.id.clone()),
        )
    };
    key(a, mine) > key(b, theirs)
}
