//! What rules of the community and signatures find of one fault is one finding.
//!
//! A rule that stands for a known cause joins the finding of a signature of that cause about the same records; of several
//! rules that say the same of the same records the first one is the finding.

use std::collections::HashSet;

use super::group::Group;
use kwhy_catalogue::Catalogue;

/// The records that a group rests on.
fn records(group: &Group) -> HashSet<(usize, usize)> {
    group.hits.iter().map(|hit| hit.record_at()).collect()
}

/// Joins the groups of rules to those that say the same.
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
