//! One piece of text proves one thing: where several signatures match it, the most specific one
//! stays.

use std::cmp::Reverse;
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
    let mut kept = vec![false; matches.len()];
    for rivals in by_record.into_values() {
        for winner in winners(catalogue, &matches, rivals) {
            kept[winner] = true;
        }
    }
    let kept = matches.into_iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|(found, _)| found).collect()
}

/// Of the matches of one record those that stay: the strongest that no other one refines, then the
/// strongest of what it leaves, and so on.
fn winners(
    catalogue: &Catalogue,
    matches: &[(usize, Match)],
    mut rivals: Vec<usize>,
) -> Vec<usize> {
    let signature = |at: usize| catalogue.at(matches[at].0);
    rivals
        .sort_by(|a, b| strength(catalogue, &matches[*b]).cmp(&strength(catalogue, &matches[*a])));
    let mut winners = Vec::new();
    while !rivals.is_empty() {
        let refined = |at: usize| {
            let id = &signature(at).id;
            rivals
                .iter()
                .any(|other| signature(*other).refines.contains(id))
        };
        let first = rivals.iter().position(|at| !refined(*at)).unwrap_or(0);
        let winner = rivals.remove(first);
        rivals.retain(|loser| !beats(catalogue, matches, winner, *loser));
        winners.push(winner);
    }
    winners
}

/// How strong a match is. A symptom's text often wraps its cause's, and the cause is the answer.
fn strength<'m>(
    catalogue: &'m Catalogue,
    (number, found): &(usize, Match),
) -> (bool, usize, Reverse<&'m str>) {
    let signature = catalogue.at(*number);
    let weight = found.hits.iter().map(|hit| hit.weight).sum();
    (
        signature.role != Role::Symptom,
        weight,
        Reverse(&signature.id),
    )
}

/// Whether a match that stays makes another one superfluous.
fn beats(catalogue: &Catalogue, matches: &[(usize, Match)], winner: usize, loser: usize) -> bool {
    let (a, mine) = &matches[winner];
    let (b, theirs) = &matches[loser];
    let (a, b): (&Signature, &Signature) = (catalogue.at(*a), catalogue.at(*b));
    if a.refines.contains(&b.id) {
        return true;
    }
    if a.id == b.id {
        return false;
    }
    // one text may tell of several symptoms
    if a.role == Role::Symptom && b.role == Role::Symptom && a.cause != b.cause {
        return false;
    }
    overlap(&mine.primary().mark, &theirs.primary().mark)
}
