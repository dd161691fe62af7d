//! Resolves overlaps: where several signatures match the same text, the most specific one wins.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::matcher::{Hit, Match};
use crate::report::Role;
use crate::sort;
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
    // a refining match may have been counted only, but it still suppresses the match it refines
    kept.filter(|(_, found)| !found.primary().refined).collect()
}

/// Returns, for each hit of one record, true if it survives. Each hit is a complete match.
pub(crate) fn winners(catalogue: &Catalogue, hits: &[(u32, Box<Hit>)]) -> Vec<bool> {
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
    one.supersedes(other) && !one.makes_no_finding() && !other.makes_no_finding()
}

/// The spans of matches, sorted by start.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Each with its match's number.
    spans: Vec<(Span, usize)>,
    /// The latest end of each span and all spans before it.
    ends: Vec<usize>,
}

impl Places {
    /// Creates the places of numbered spans.
    pub fn new(spans: impl IntoIterator<Item = (Span, usize)>) -> Places {
        let mut spans: Vec<(Span, usize)> = spans.into_iter().collect();
        spans.sort_unstable_by_key(|(span, _)| span.start);
        let ends = spans.iter().scan(0, |latest, (span, _)| {
            *latest = span.end.max(*latest);
            Some(*latest)
        });
        Places {
            ends: ends.collect(),
            spans,
        }
    }

    /// The numbers of the spans that overlap the given one.
    fn over<'p>(&'p self, span: &'p Span) -> impl Iterator<Item = usize> + 'p {
        let before = self
            .spans
            .partition_point(|(other, _)| other.start < span.end);
        let before = self.spans.iter().zip(&self.ends).take(before).rev();
        let near = before.take_while(|(_, end)| **end > span.start);
        near.filter(|((other, _), _)| overlap(other, span))
            .map(|((_, number), _)| *number)
    }

    /// Returns true if a match of the first signature at any of these places may supersede a match of the second.
    pub fn may_supersede(&self, one: &Signature, (other, mark): (&Signature, &Span)) -> bool {
        match takes(one, other) {
            Takes::Nothing => false,
            Takes::All => !self.spans.is_empty(),
            Takes::WhatOverlaps => self.over(mark).next().is_some(),
        }
    }
}

/// The matches of one signature that are neither kept nor dropped yet.
struct Group<'m> {
    signature: &'m Signature,
    places: Places,
    /// The number of its matches that remain.
    left: usize,
    /// True if a signature with a remaining match refines this one.
    is_refined: bool,
}

/// Updates, for each group, whether a remaining group refines it.
fn refine(groups: &mut [Group<'_>]) {
    let refined: Vec<bool> = groups
        .iter()
        .map(|group| {
            let mut others = groups.iter().filter(|other| other.left > 0);
            others.any(|other| other.signature.supersedes(group.signature))
        })
        .collect();
    for (group, is_refined) in groups.iter_mut().zip(refined) {
        group.is_refined = is_refined;
    }
}

/// Returns the indices of the surviving matches of one record: the strongest match that no other
/// refines, then the strongest of those it does not supersede, and so on. An object may have very many.
fn survivors(all: &[Contender<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    sort::by(&mut order, |a, b| {
        all[*b].strength().cmp(&all[*a].strength())
    });
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, contender) in all.iter().enumerate() {
        by_id.entry(&contender.signature.id).or_default().push(at);
    }
    let mut group_of = vec![0; all.len()];
    let mut groups: Vec<Group<'_>> = Vec::new();
    for members in by_id.into_values() {
        members.iter().for_each(|at| group_of[*at] = groups.len());
        groups.push(Group {
            signature: all[members[0]].signature,
            left: members.len(),
            places: Places::new(members.into_iter().map(|at| (all[at].mark.clone(), at))),
            is_refined: false,
        });
    }
    refine(&mut groups);
    let mut remains = vec![true; all.len()];
    let mut winners = Vec::new();
    let mut first = 0;
    loop {
        let gone = order[first..].iter().take_while(|at| !remains[**at]);
        first += gone.count();
        let mut rest = order[first..].iter().filter(|at| remains[**at]);
        let free = rest.clone().find(|at| !groups[group_of[**at]].is_refined);
        let Some(&winner) = free.or_else(|| rest.next()) else {
            return winners;
        };
        winners.push(winner);
        remains[winner] = false;
        let own = group_of[winner];
        groups[own].left -= 1;
        let mut has_ended = groups[own].left == 0;
        let signature = groups[own].signature;
        for group in groups.iter_mut().filter(|group| group.left > 0) {
            let spans = group.places.spans.iter();
            let lost: Vec<usize> = match takes(signature, group.signature) {
                Takes::Nothing => continue,
                Takes::WhatOverlaps => group.places.over(all[winner].mark).collect(),
                Takes::All => spans.map(|(_, at)| *at).collect(),
            };
            for at in lost {
                group.left -= usize::from(std::mem::replace(&mut remains[at], false));
            }
            has_ended |= group.left == 0;
        }
        if has_ended {
            refine(&mut groups);
        }
    }
}

/// The matches of another signature that a kept match supersedes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    WhatOverlaps,
    /// All matches in the same record.
    All,
}

fn takes(a: &Signature, b: &Signature) -> Takes {
    // a match that makes no finding never wins
    if a.makes_no_finding() || b.makes_no_finding() {
        return Takes::Nothing;
    }
    // a community rule is reported regardless of other matches
    if a.community.is_some() || b.community.is_some() {
        return Takes::Nothing;
    }
    let of = |all: bool| if all { Takes::All } else { Takes::Nothing };
    // a frame counts only if nothing else answers in its record, and takes nothing from other signatures
    if a.is_frame() || b.is_frame() {
        let both = a.is_frame() && b.is_frame();
        return match both {
            true if a.supersedes(b) => Takes::All,
            true if a.id != b.id => Takes::WhatOverlaps,
            true => Takes::Nothing,
            false => of(b.is_frame() && a.answers()),
        };
    }
    if a.supersedes(b) {
        return Takes::All;
    }
    if a.id == b.id {
        return Takes::Nothing;
    }
    // a specific match suppresses all generic ones
    if b.generic && !a.generic && a.role != Role::Symptom {
        return of(!b.supersedes(a));
    }
    // one text may show several symptoms
    if a.role == Role::Symptom && b.role == Role::Symptom && a.cause != b.cause {
        return Takes::Nothing;
    }
    Takes::WhatOverlaps
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
}

#[cfg(test)]
mod tests {
    use kwhy_catalogue::Catalogue;
    use proptest::prelude::*;

    use super::*;

    /// Signatures of each kind; some refine others.
    const SIGNATURES: &[(&str, &str)] = &[
        ("plain", "cause: storage/configmap-missing"),
        ("other", "cause: image/not-found"),
        ("finer", "cause: image/not-found\nrefines: [other]"),
        ("mutual", "cause: image/not-found\nrefines: [finest]"),
        ("finest", "cause: image/not-found\nrefines: [mutual, finer]"),
        ("vague", "cause: workload/unavailable\ngeneric: true"),
        (
            "operation",
            "cause: storage/mount-failed\nrole: symptom\nfamilies: [storage, node]",
        ),
        ("symptom", "cause: workload/unavailable\nrole: symptom"),
        (
            "another-symptom",
            "cause: node/not-ready\nrole: symptom\ngeneric: true",
        ),
        (
            "frame",
            "cause: workload/operator-error\nrole: symptom\ntier: frame\nconfidence: 0.4",
        ),
        (
            "wider-frame",
            "cause: workload/operator-error\ntier: frame\nconfidence: 0.4",
        ),
    ];

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::builtin();
        for (id, keys) in SIGNATURES {
            let yaml = format!(
                "id: {id}\n{keys}\nseverity: error\ntitle: x\nwhy: x\nmatch: {{event: {{message: the shelf is empty}}}}\n"
            );
            catalogue.add_str("x.yaml", &yaml).unwrap();
        }
        catalogue
    }

    /// The reference: compares each match with all others.
    fn naive(all: &[Contender<'_>]) -> Vec<usize> {
        let beats = |a: &Contender<'_>, b: &Contender<'_>| match takes(a.signature, b.signature) {
            Takes::Nothing => false,
            Takes::All => true,
            Takes::WhatOverlaps => overlap(a.mark, b.mark),
        };
        let mut contenders: Vec<usize> = (0..all.len()).collect();
        sort::by(&mut contenders, |a, b| {
            all[*b].strength().cmp(&all[*a].strength())
        });
        let mut winners = Vec::new();
        while !contenders.is_empty() {
            let refined = |at: usize| {
                let mut others = contenders.iter();
                others.any(|other| all[*other].signature.supersedes(all[at].signature))
            };
            let first = contenders.iter().position(|at| !refined(*at)).unwrap_or(0);
            let winner = contenders.remove(first);
            contenders.retain(|loser| !beats(&all[winner], &all[*loser]));
            winners.push(winner);
        }
        winners
    }

    proptest! {
        #[test]
        fn survivors_are_those_of_one_by_one(
            matches in prop::collection::vec((0..SIGNATURES.len(), 0..6usize, 0..40usize, 1..12usize), 0..40),
        ) {
            let catalogue = catalogue();
            let spans: Vec<Span> = matches.iter().map(|(.., at, length)| *at..at + length).collect();
            let contenders: Vec<Contender<'_>> = matches
                .iter()
                .zip(&spans)
                .map(|((signature, weight, ..), mark)| Contender {
                    signature: catalogue.get(SIGNATURES[*signature].0).unwrap(),
                    weight: *weight,
                    mark,
                })
                .collect();
            prop_assert_eq!(survivors(&contenders), naive(&contenders));
        }
    }
}
