//! Which trouble is over.

use std::collections::HashMap;

use crate::matcher::{Hit, Moment, related};
use crate::signature::{Catalogue, Scope};

use super::group::Group;

/// For so many seconds at least nothing may have been seen of trouble that a sound state says to be over.
const QUIET: u64 = 60;

/// For each group the hit that shows it to be over.
pub(crate) fn recover(
    catalogue: &Catalogue,
    groups: &[Group],
    enders: &[Group],
) -> Vec<Option<Hit>> {
    let mut ending: HashMap<&str, Vec<(&Group, Scope)>> = HashMap::new();
    for ender in enders {
        for rule in &catalogue.at(ender.signature).ends {
            let known = ending.entry(&rule.what).or_default();
            known.push((ender, rule.on));
        }
    }
    let over = |group: &Group| {
        let signature = catalogue.at(group.signature);
        let rules = [&signature.cause, &signature.id]
            .into_iter()
            .filter_map(|what| ending.get(what.as_str()))
            .flatten();
        rules
            .filter_map(|(ender, on)| end(ender, group, *on))
            .next()
            .cloned()
    };
    groups.iter().map(over).collect()
}

/// The hit of `ender` that comes after all of `group`.
fn end<'g>(ender: &'g Group, group: &Group, on: Scope) -> Option<&'g Hit> {
    let last = group.hits.last()?;
    let mut after = ender.hits.iter().rev();
    after.find(|hit| {
        let same = match (&hit.subject.container, &last.subject.container) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        same && related(hit, last, on) && comes_after(hit, ender, group, last)
    })
}

fn comes_after(hit: &Hit, ender: &Group, group: &Group, last: &Hit) -> bool {
    if hit.is_state {
        return match group.last {
            None => last.is_state && hit.document == last.document,
            Some(Moment::Ago(age)) => age >= QUIET.max(lasted(group) / 2),
            // a state has no time of its own
            Some(Moment::At(_)) => false,
        };
    }
    match (hit.last.or(ender.last), group.last) {
        (Some(ended), Some(seen)) => ended.is_after(&seen) == Some(true),
        (None, None) => !last.is_state && hit.position() > last.position(),
        _ => false,
    }
}

/// Seconds from the first to the last sight.
fn lasted(group: &Group) -> u64 {
    match (group.first, group.last) {
        (Some(Moment::Ago(first)), Some(Moment::Ago(last))) => first.saturating_sub(last),
        _ => 0,
    }
}
