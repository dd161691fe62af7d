//! Finds the faults that are resolved.

use std::collections::HashMap;

use crate::matcher::{Hit, Moment, node, related};
use kwhy_catalogue::Catalogue;
use kwhy_signature::{Ends, Scope, Signature};

use super::group::Group;
use super::over::proofs;

/// The minimum number of seconds without a sign of a fault before a healthy state resolves it.
const QUIET: u64 = 60;

/// The maximum number of objects of a group that are checked.
const MAX_OBJECTS: usize = 64;

/// Returns, for each group, the hit that shows it to be resolved.
pub(crate) fn find_resolved(
    catalogue: &Catalogue,
    groups: &[Group],
    enders: &[&Group],
) -> Vec<Option<Hit>> {
    let mut ending: HashMap<&str, Vec<(&Group, &Ends)>> = HashMap::new();
    for ender in enders {
        for rule in &catalogue.at(ender.signature).ends {
            ending.entry(&rule.what).or_default().push((ender, rule));
        }
    }
    let over = |group: &Group| {
        let names = names(catalogue.at(group.signature));
        let rules = names.iter().filter_map(|what| ending.get(what.as_str()));
        let rules: Vec<_> = rules.flatten().collect();
        let end_of = |last: &Hit| {
            let mut ends = rules.iter();
            ends.find_map(|(ender, rule)| end(ender, rule, group, last))
        };
        let mut ends = last_of_each(group).into_iter().map(end_of);
        // a group is resolved if it is resolved for each of its objects
        let shown = ends.next()??;
        ends.all(|end| end.is_some()).then(|| shown.clone())
    };
    groups.iter().map(over).collect()
}

/// The names by which a rule may refer to a signature's findings.
fn names(signature: &Signature) -> [String; 4] {
    [
        signature.id.clone(),
        signature.cause.clone(),
        format!("{}/*", signature.family()),
        "*".to_owned(),
    ]
}

/// The last hit about each object at fault, the latest first.
fn last_of_each(group: &Group) -> Vec<&Hit> {
    let mut last: Vec<&Hit> = Vec::new();
    for hit in proofs(group).rev() {
        let known = |other: &&Hit| other.subject == hit.subject;
        if last.len() < MAX_OBJECTS && !last.iter().any(known) {
            last.push(hit);
        }
    }
    last
}

/// Returns the hit of `ender` after `last`, the last hit of `group` about an object.
fn end<'g>(ender: &'g Group, rule: &Ends, group: &Group, last: &Hit) -> Option<&'g Hit> {
    // the object whose state it is must be known
    let is_known = match rule.on {
        Scope::Node => node(&last.subject).is_some(),
        _ => last.subject.name.is_some(),
    };
    if rule.at_once && !is_known && rule.same.is_empty() {
        return None;
    }
    let has_reason = |reason: &String| rule.reason.0.contains(reason);
    if !rule.reason.0.is_empty() && !last.reason.as_ref().is_some_and(has_reason) {
        return None;
    }
    let mut after = ender.hits.iter().rev();
    after.find(|hit| {
        let same = match (&hit.subject.container, &last.subject.container) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        same && agree(rule, hit, last)
            && related(hit, last, rule.on)
            && (rule.at_once && ends_at_once(hit, last) || comes_after(hit, ender, group, last))
    })
}

/// Returns true if a state ends a fault that another record reported, however recently.
fn ends_at_once(hit: &Hit, last: &Hit) -> bool {
    hit.is_state && !last.is_state
}

/// Returns true if the captures that the rule compares are equal where both are present.
fn agree(rule: &Ends, a: &Hit, b: &Hit) -> bool {
    let value = |hit: &Hit, name: &String| {
        let mut captures = hit.captures.iter();
        captures
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    };
    rule.same
        .iter()
        .all(|name| match (value(a, name), value(b, name)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        })
}

fn comes_after(hit: &Hit, ender: &Group, group: &Group, last: &Hit) -> bool {
    let is_last = group.hits.last().map(Hit::position) == Some(last.position());
    // hits that were only counted came last
    let seen = last.last.filter(|_| !is_last).or(group.last);
    if hit.is_state {
        return match seen {
            None => last.is_state && hit.document == last.document,
            Some(Moment::Ago(age)) => age >= QUIET.max(lasted(group) / 2),
            // a state has no time of its own
            Some(Moment::At(_)) => false,
        };
    }
    if last.is_state {
        return false;
    }
    let is_later = hit.position() > last.position();
    match (hit.last.or(ender.last), seen) {
        (Some(ended), Some(seen)) if ended.distance(&seen) == Some(0.0) => is_later,
        (Some(ended), Some(seen)) => ended.is_after(&seen) == Some(true),
        // an object's events are in order of occurrence, some without a time
        _ => is_later && hit.document == last.document,
    }
}

/// The seconds from the first to the last hit.
fn lasted(group: &Group) -> u64 {
    match (group.first, group.last) {
        (Some(Moment::Ago(first)), Some(Moment::Ago(last))) => first.saturating_sub(last),
        _ => 0,
    }
}
