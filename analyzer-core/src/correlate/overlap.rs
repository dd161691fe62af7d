//! Resolves overlaps: where several signatures match the same text, the most specific one wins.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::matcher::{Hit, Match};
use crate::report::Role;
use kwhy_catalogue::Catalogue;
use kwhy_model::Span;
use kwhy_signature::Signature;

fn overlap(a: &Span, b: &Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// A match that competes with others for the same record.
struct Contender<'m> {
    signature: &'m Signature,
    weight: usize,
    mark: &'m Span,
}

/// Drops the matches that a more specific match on the same text supersedes.
pub(crate) fn resolve_overlaps(
    catalogue: &Catalogue,
    matches: Vec<(usize, Match)>,
) -> Vec<(usize, Match)> {
    let mut by_record: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (at, (_, found)) in matches.iter().enumerate() {
        let primary = found.primary();
        by_record
            .entry((primary.document, primary.record.start))
            .or_default()
            .push(at);
    }
    let mut kept = vec![false; matches.len()];
    for of_record in by_record.into_values() {
        let contenders: Vec<Contender<'_>> = of_record
            .iter()
            .map(|at| {
                let (number, found) = &matches[*at];
                Contender {
                    signature: catalogue.at(*number),
                    weight: found.hits.iter().map(|hit| hit.weight).sum(),
                    mark: &found.primary().mark,
                }
            })
            .collect();
        for winner in survivors(&contenders) {
            kept[of_record[winner]] = true;
        }
    }
    let kept = matches.into_iter().zip(kept).filter(|(_, kept)| *kept);
    let kept = kept.map(|(found, _)| found);
    // a refining match may be counted only; until here it keeps others from the record
    kept.filter(|(_, found)| !found.primary().refined).collect()
}

/// Returns, for each hit of one record, true if it survives. Each hit is a complete match.
pub(crate) fn winners(catalogue: &Catalogue, hits: &[(u32, Hit)]) -> Vec<bool> {
    let contenders: Vec<Contender<'_>> = hits
        .iter()
        .map(|(number, hit)| Contender {
            signature: catalogue.at(*number as usize),
            weight: hit.weight,
            mark: &hit.mark,
        })
        .collect();
    let mut won = vec![false; hits.len()];
    for winner in survivors(&contenders) {
        won[winner] = true;
    }
    won
}

/// Returns true if a hit of `other` is redundant when `one` matches the same record.
pub(crate) fn refines(catalogue: &Catalogue, one: u32, other: u32) -> bool {
    let (one, other) = (catalogue.at(one as usize), catalogue.at(other as usize));
    one.refines.contains(&other.id) && !one.makes_no_finding() && !other.makes_no_finding()
}

/// Returns true if a match of the first signature, with this span, may supersede one of the second.
pub(crate) fn may_supersede(one: (&Signature, &Span), other: (&Signature, &Span)) -> bool {
    let contenders = |(signature, mark)| Contender {
        signature,
        weight: 0,
        mark,
    };
    contenders(one).beats(&contenders(other))
}

/// Returns the indices of the surviving matches of one record: the strongest match that no other
/// refines, then the strongest of those it does not supersede, and so on.
fn survivors(all: &[Contender<'_>]) -> Vec<usize> {
    let mut contenders: Vec<usize> = (0..all.len()).collect();
    contenders.sort_by(|a, b| all[*b].strength().cmp(&all[*a].strength()));
    let mut winners = Vec::new();
    while !contenders.is_empty() {
        let refined = |at: usize| {
            let id = &all[at].signature.id;
            contenders
                .iter()
                .any(|other| all[*other].signature.refines.contains(id))
        };
        let first = contenders.iter().position(|at| !refined(*at)).unwrap_or(0);
        let winner = contenders.remove(first);
        contenders.retain(|loser| !all[winner].beats(&all[*loser]));
        winners.push(winner);
    }
    winners
}

impl<'m> Contender<'m> {
    /// The sort key of a match's strength. A symptom's text often wraps its cause's, and the cause
    /// is the answer.
    fn strength(&self) -> (bool, bool, bool, usize, Reverse<&'m str>) {
        let signature = self.signature;
        let is_cause = signature.role != Role::Symptom;
        let specific = !signature.generic;
        let knows_words = !signature.is_frame();
        (
            knows_words,
            is_cause,
            specific,
            self.weight,
            Reverse(&signature.id),
        )
    }

    /// Returns true if this match, once kept, supersedes `other`.
    fn beats(&self, other: &Contender<'_>) -> bool {
        let (a, b) = (self.signature, other.signature);
        // a match that makes no finding never wins
        if a.makes_no_finding() || b.makes_no_finding() {
            return false;
        }
        // a frame is asked where nothing answers, and until then takes nothing from others
        if a.is_frame() || b.is_frame() {
            let both = a.is_frame() && b.is_frame();
            return match both {
                true => {
                    a.refines.contains(&b.id) || (a.id != b.id && overlap(self.mark, other.mark))
                }
                false => b.is_frame() && a.answers(),
            };
        }
        if a.refines.contains(&b.id) {
            return true;
        }
        if a.id == b.id {
            return false;
        }
        // a specific match leaves nothing to a generic one
        if b.generic && !a.generic && a.role != Role::Symptom {
            return !b.refines.contains(&a.id);
        }
        // one text may show several symptoms
        if a.role == Role::Symptom && b.role == Role::Symptom && a.cause != b.cause {
            return false;
        }
        overlap(self.mark, other.mark)
    }
}
