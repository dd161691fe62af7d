//! Merges findings of community rules and of signatures that are about one fault.
//!
//! A rule that maps to a known cause joins the finding of a signature with that cause about the same records; of
//! several rules about the same records and cause, the first one is the finding.

use std::collections::HashSet;

use super::group::Group;
use kwhy_catalogue::Catalogue;

/// The records that prove a group.
fn records(group: &Group) -> HashSet<(usize, usize)> {
    group.hits.iter().map(|hit| hit.record_at()).collect()
}

/// Merges the groups of community rules into groups with the same cause that share a record.
pub(super) fn join(catalogue: &Catalogue, groups: &mut Vec<Group>) {
    let is_rule = |group: &Group| catalogue.at(group.signature).community.is_some();
    if !groups.iter().any(is_rule) {
        return;
    }
    let (rules, mut kept): (Vec<Group>, Vec<Group>) =
        std::mem::take(groups).into_iter().partition(is_rule);
    let mut places: Vec<HashSet<(usize, usize)>> = kept.iter().map(records).collect();
    for rule in rules {
        let own = records(&rule);
        let cause = &catalogue.at(rule.signature).cause;
        let says_same = |(at, group): (usize, &Group)| {
            let other = catalogue.at(group.signature);
            let is_same =
                other.cause == *cause && !other.makes_no_finding() && !places[at].is_disjoint(&own);
            is_same.then_some(at)
        };
        match kept.iter().enumerate().find_map(says_same) {
            Some(at) => kept[at].join_rule(rule),
            None => {
                places.push(own);
                kept.push(rule);
            }
        }
    }
    *groups = kept;
}
