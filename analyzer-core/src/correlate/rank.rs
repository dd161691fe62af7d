//! The order of the findings.

use std::cmp::Reverse;

use super::group::Group;
use super::{ALONE_CONFIDENCE, DEFAULT_CONFIDENCE, PROSE_FACTOR, is_hearsay, role_alone};
use crate::matcher::Hit;
use crate::report::{Level, Role};
use crate::signature::Catalogue;

/// Whether any group proves a root cause that is still there, so that what is left unexplained stays a
/// symptom.
pub(crate) fn is_cause_known(
    catalogue: &Catalogue,
    groups: &[Group],
    explained: &[Option<(usize, String)>],
    ended: &[Option<Hit>],
) -> bool {
    let mut open = groups.iter().zip(explained).zip(ended);
    open.any(|((group, by), ended)| {
        by.is_none() && ended.is_none() && catalogue.at(group.signature).role == Role::Cause
    })
}

/// What a group's finding counts as, and how sure it is.
pub(crate) fn role_and_confidence(
    catalogue: &Catalogue,
    group: &Group,
    explained: bool,
    ended: bool,
    cause_known: bool,
) -> (Role, f64) {
    let signature = catalogue.at(group.signature);
    // an explained cause is a consequence here
    let role = match (signature.role, explained) {
        _ if ended => Role::Benign,
        (Role::Benign, _) => Role::Benign,
        (_, true) => Role::Symptom,
        (Role::Symptom, false) if cause_known => Role::Symptom,
        (_, false) => role_alone(signature),
    };
    let alone = signature.role == Role::Symptom && !explained;
    let base = if alone {
        ALONE_CONFIDENCE
    } else {
        DEFAULT_CONFIDENCE
    };
    let own = signature
        .confidence
        .map_or(base, |own| if alone { own.min(base) } else { own });
    let confidence = if is_hearsay(&group.hits) {
        own * PROSE_FACTOR
    } else {
        own
    };
    (role, (confidence * 100.0).round() / 100.0)
}

/// The groups' numbers in order of rank: causes by severity, confidence and what they explain, each
/// followed by what it explains; then symptoms that nothing explains; then the benign. What is over
/// is benign.
pub(crate) fn rank(
    catalogue: &Catalogue,
    groups: &[Group],
    explained: &[Option<(usize, String)>],
    ended: &[Option<Hit>],
) -> Vec<usize> {
    let cause_known = is_cause_known(catalogue, groups, explained, ended);
    let mut explains: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for (symptom, by) in explained.iter().enumerate() {
        if let Some((cause, _)) = by {
            explains[*cause].push(symptom);
        }
    }
    let weight = |at: usize| {
        let signature = catalogue.at(groups[at].signature);
        let over = ended[at].is_some();
        let (role, confidence) =
            role_and_confidence(catalogue, &groups[at], false, over, cause_known);
        let score = confidence + 0.02 * explains[at].len().min(5) as f64;
        let first = groups[at].hits.first().map(|hit| hit.position());
        (
            role,
            Reverse(if over {
                Level::Info
            } else {
                signature.severity
            }),
            // hundredths, so that the order does not hang on rounding
            Reverse((score * 100.0).round() as i64),
            first,
        )
    };
    let mut roots: Vec<usize> = (0..groups.len())
        .filter(|at| explained[*at].is_none())
        .collect();
    roots.sort_by_cached_key(|at| weight(*at));
    let mut order = Vec::with_capacity(groups.len());
    let mut placed = vec![false; groups.len()];
    for root in roots {
        follow(root, &explains, &mut placed, &mut order);
    }
    order
}

fn follow(cause: usize, explains: &[Vec<usize>], placed: &mut [bool], order: &mut Vec<usize>) {
    let mut stack = vec![cause];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut placed[at], true) {
            order.push(at);
            stack.extend(explains[at].iter().rev());
        }
    }
}
