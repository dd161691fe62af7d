//! The order of the findings.

use std::cmp::Reverse;

use super::group::Group;
use super::over::Recency;
use super::{ALONE_CONFIDENCE, DEFAULT_CONFIDENCE, PROSE_FACTOR, is_hearsay, role_alone, severity};
use crate::matcher::{Hit, Moment};
use crate::report::{Level, Role};
use crate::sort;
use kwhy_catalogue::Catalogue;

/// The score that each explained finding adds to its cause, and the maximum number that count.
const EACH_EXPLAINED: f64 = 0.02;
const MOST_EXPLAINED: usize = 5;

/// The minimum number of occurrences of a fault that is more than an incident.
const LASTING: u64 = 3;

/// The seconds after which a cause that is no longer seen is past, if others still are; and the
/// multiple of its own duration that must have elapsed.
const PAST: f64 = 1800.0;
const PAST_TIMES: f64 = 3.0;

/// Returns true if any group proves a root cause that is still present, so that unexplained
/// findings remain symptoms.
pub(crate) fn is_cause_known(
    catalogue: &Catalogue,
    groups: &[Group],
    explained: &[Option<(usize, String)>],
    ended: &[Option<Hit>],
) -> bool {
    let mut open = groups.iter().zip(explained).zip(ended);
    open.any(|((group, by), ended)| {
        let is_open = by.is_none() && ended.is_none() && !group.is_note;
        is_open && catalogue.at(group.signature).role == Role::Cause
    })
}

/// The role and confidence of a group's finding.
pub(crate) fn role_and_confidence(
    catalogue: &Catalogue,
    group: &Group,
    explained: bool,
    ended: bool,
    cause_known: bool,
) -> (Role, f64) {
    let signature = catalogue.at(group.signature);
    // an explained cause is a consequence
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

/// The order of the groups' findings, with those that are past.
pub(crate) struct Order {
    /// The groups' indices in order of rank.
    pub ranked: Vec<usize>,
    /// True if it was last seen long before other causes that are still present.
    pub is_past: Vec<bool>,
}

/// Ranks causes by recency, severity, whether they are shown to last, confidence and what they explain, each followed
/// by what it explains; then unexplained symptoms; then benign findings. A resolved finding is benign, and one last
/// seen long before other causes is a note.
pub(crate) fn rank(
    catalogue: &Catalogue,
    groups: &[Group],
    explained: &[Option<(usize, String)>],
    (ended, recency): (&[Option<Hit>], &[Recency]),
) -> Order {
    let cause_known = is_cause_known(catalogue, groups, explained, ended);
    let mut explains: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for (symptom, by) in explained.iter().enumerate() {
        if let Some((cause, _)) = by {
            explains[*cause].push(symptom);
        }
    }
    let role_of = |at: usize| {
        let over = ended[at].is_some();
        role_and_confidence(catalogue, &groups[at], false, over, cause_known)
    };
    let mut roots: Vec<usize> = (0..groups.len())
        .filter(|at| explained[*at].is_none())
        .collect();
    let causes = roots.iter().filter(|at| role_of(**at).0 == Role::Cause);
    // a cause is as recent as the latest of its consequences
    let severity = |at: usize| severity(catalogue, &groups[at]);
    let seen: Vec<(usize, Option<Moment>)> = causes
        .map(|at| (*at, last_of_all(*at, groups, &explains)))
        .collect();
    let mut is_past = vec![false; groups.len()];
    for (at, last) in &seen {
        is_past[*at] = last.is_some_and(|last| {
            let others = seen
                .iter()
                .filter(|(other, _)| severity(*other) >= severity(*at));
            let mut others = others.filter_map(|(_, other)| *other);
            others.any(|other| is_long_before(&groups[*at], &last, &other))
        });
    }
    let weight = |at: usize| {
        let (role, confidence) = role_of(at);
        let breadth = below(at, &explains).len() - 1;
        let score = confidence + EACH_EXPLAINED * breadth.min(MOST_EXPLAINED) as f64;
        let first = groups[at].hits.first().map(|hit| hit.position());
        let is_note = ended[at].is_some() || is_past[at];
        let all = || below(at, &explains).into_iter();
        let is_quiet = all().all(|at| recency[at] == Recency::Quiet || ended[at].is_some());
        let is_shown_now = all().any(|at| recency[at] == Recency::Now);
        // a fault below error level that was seen once or twice does not precede an error just because it came last
        let lasts = all().any(|at| groups[at].count >= LASTING || is_state(&groups[at]));
        let gives_way = is_quiet || (severity(at) < Level::Error && !lasts);
        (
            role,
            gives_way,
            Reverse(if is_note { Level::Info } else { severity(at) }),
            groups[at].survived,
            !is_shown_now,
            // in hundredths, so that rounding does not affect the order
            Reverse((score * 100.0).round() as i64),
            Reverse(extent(catalogue, &groups[at])),
            first,
        )
    };
    sort::by_key(&mut roots, |at| weight(*at));
    let mut ranked = Vec::with_capacity(groups.len());
    let mut placed = vec![false; groups.len()];
    for root in roots {
        for at in below(root, &explains) {
            if !std::mem::replace(&mut placed[at], true) {
                ranked.push(at);
            }
        }
    }
    Order { ranked, is_past }
}

/// Returns true if a group is the state of an object.
fn is_state(group: &Group) -> bool {
    group.hits.iter().any(|hit| hit.is_state)
}

/// The number of objects that a group concerns.
fn extent(catalogue: &Catalogue, group: &Group) -> u64 {
    let counted = catalogue.at(group.signature).extent.as_ref();
    let counted = counted.and_then(|name| {
        let mut captures = group.best.captures.iter();
        let (_, value) = captures.find(|(known, _)| known == name)?;
        value.parse().ok()
    });
    counted.unwrap_or(0)
}

/// A group and everything that it explains transitively, each after what explains it.
fn below(cause: usize, explains: &[Vec<usize>]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut stack = vec![cause];
    while let Some(at) = stack.pop() {
        all.push(at);
        stack.extend(explains[at].iter().rev());
    }
    all
}

/// The time at which a cause or any of its consequences was last seen.
fn last_of_all(cause: usize, groups: &[Group], explains: &[Vec<usize>]) -> Option<Moment> {
    let all = below(cause, explains);
    let moments: Option<Vec<Moment>> = all.iter().map(|at| groups[*at].last).collect();
    // a state without a time is current
    moments?.into_iter().reduce(Moment::later)
}

/// Returns true if a cause was last seen so long before another one that it is past: several times
/// its own duration.
fn is_long_before(group: &Group, last: &Moment, other: &Moment) -> bool {
    let Some(gap) = last.distance(other).filter(|_| last.is_comparable(other)) else {
        return false;
    };
    let lasted = match (&group.first, &group.last) {
        (Some(first), Some(last)) => first.distance(last).unwrap_or(0.0),
        _ => 0.0,
    };
    other.is_after(last) == Some(true) && gap > PAST.max(PAST_TIMES * lasted)
}
