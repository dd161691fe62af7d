//! Compiles a condition over time: the role of each leaf, and the captures that parts must share.

use std::collections::BTreeMap;

use super::automaton::{Shape, Time};
use crate::matcher::Hit;
use kwhy_signature::{Comparison, Condition, Reach, Scope, What, leaves};

/// The role of a leaf in a condition over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It fills this slot.
    Slot(usize),
    /// It is this refutation.
    Refutes(usize),
}

impl Role {
    /// The bit sets of slots and of refutations.
    pub fn bits(self) -> (u64, u64) {
        match self {
            Role::Slot(at) => (1 << at, 0),
            Role::Refutes(at) => (0, 1 << at),
        }
    }
}

#[derive(Debug)]
pub(super) struct Plan {
    /// By leaf index, the role and what its captures must compare as; `None` for leaves of `also`.
    pub leaves: Vec<Option<(Role, Vec<Comparison>)>>,
    /// The property that the parts must share.
    pub per: Scope,
    /// Comparisons of what the parts captured.
    pub comparisons: Vec<Comparison>,
    /// The captures that must agree across parts.
    pub names: Vec<String>,
    pub shape: Shape,
    /// True if it is a single event, reported in bursts.
    pub is_burst: bool,
    /// True if each line of a record is an entry that the parts ask for: a runtime stamped each of them.
    pub by_line: bool,
}

impl Plan {
    /// Returns `None` if the condition is not temporal.
    pub fn new(condition: &Condition) -> Option<Plan> {
        if !condition.is_temporal() {
            return None;
        }
        let parts = condition.temporal_parts();
        let slots = parts.iter().enumerate();
        let mut roles: Vec<_> = slots
            .map(|(at, part)| Some((Role::Slot(at), part.comparisons.clone())))
            .collect();
        let mut beside = Vec::new();
        for part in &condition.also {
            leaves(part, &mut beside);
        }
        roles.extend(beside.iter().map(|_| None));
        let refutations = condition.none.iter().enumerate();
        roles.extend(
            refutations.map(|(at, part)| Some((Role::Refutes(at), part.comparisons.clone()))),
        );
        let window = condition.within.map_or(0, |within| within.as_nanos());
        let is_lone = matches!(condition.what, What::Event(_));
        Some(Plan {
            leaves: roles,
            per: condition.per,
            comparisons: condition.comparisons.clone(),
            names: shared_names(condition)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            shape: Shape {
                ordered: matches!(condition.what, What::Sequence(_)),
                needs: parts.iter().map(|part| part.at_least).collect(),
                window: Time::try_from(window).unwrap_or(Time::MAX / 4),
                refutations: condition
                    .none
                    .iter()
                    .map(|absent| absent.reach.unwrap_or(Reach::default()))
                    .collect(),
            },
            is_burst: is_lone && condition.none.is_empty(),
            by_line: parts.iter().chain(&condition.none).all(is_entry),
        })
    }

    /// The values of the shared captures that the hit has.
    pub fn values(&self, hit: &Hit) -> Vec<Option<String>> {
        let values = self.names.iter().map(|name| value(hit, name));
        values.map(|value| value.map(str::to_owned)).collect()
    }

    /// Returns true if no value of the hit differs: a missing value is compatible with any.
    pub fn fits(&self, values: &[Option<String>], hit: &Hit) -> bool {
        let mut pairs = self.names.iter().zip(values);
        pairs.all(|(name, known)| value(hit, name).is_none_or(|v| known.as_deref() == Some(v)))
    }

    /// The count of an event towards the threshold. One that lasted longer than the window is
    /// assumed to be spread evenly.
    pub fn weight(&self, hit: &Hit) -> u64 {
        let lasted = match (&hit.first, &hit.last) {
            (Some(first), Some(last)) => first.distance(last).unwrap_or(0.0),
            _ => 0.0,
        };
        let window = self.shape.window as f64 / 1e9;
        if lasted <= window {
            return hit.count;
        }
        ((hit.count as f64 * window / lasted) as u64).max(1)
    }
}

/// Returns true if a part asks for an entry as it is written.
fn is_entry(part: &Condition) -> bool {
    matches!(&part.what, What::Event(event) if event.entry.is_some())
}

/// The value that a hit captured under a name.
pub(super) fn value<'h>(hit: &'h Hit, name: &str) -> Option<&'h str> {
    let known = hit.captures.iter().find(|(known, _)| known == name);
    known.map(|(_, value)| value.as_str())
}

/// The names that more than one part captures, at least one of them positive. If one positive part
/// captures several, its events link their values.
fn shared_names(condition: &Condition) -> Vec<&str> {
    fn names(part: &Condition) -> Vec<&str> {
        let mut names = Vec::new();
        part.captures(&mut names);
        names.retain(|name| *name != "item");
        names.sort_unstable();
        names.dedup();
        names
    }
    // `also` of a lone event is not a part of it
    let parts: Vec<Vec<&str>> = match condition.what {
        What::Event(_) => vec![own_names(condition)],
        _ => condition.temporal_parts().iter().map(names).collect(),
    };
    let mut often: BTreeMap<&str, usize> = BTreeMap::new();
    let absent = condition.none.iter().map(names);
    for name in parts.iter().cloned().chain(absent).flatten() {
        *often.entry(name).or_default() += 1;
    }
    let shared = |names: &Vec<&'_ str>| {
        let names = names.iter().copied();
        names
            .filter(|name| often.get(name).is_some_and(|often| *often > 1))
            .count()
    };
    let Some(widest) = parts.iter().rev().max_by_key(|names| shared(names)) else {
        return Vec::new();
    };
    let names = widest.iter().copied();
    names
        .filter(|name| often.get(name).is_some_and(|often| *often > 1))
        .collect()
}

fn own_names(leaf: &Condition) -> Vec<&str> {
    let mut all = Vec::new();
    leaf.captures(&mut all);
    let mut beside = Vec::new();
    for part in &leaf.also {
        part.captures(&mut beside);
    }
    all.truncate(all.len() - beside.len());
    all.retain(|name| *name != "item");
    all.sort_unstable();
    all.dedup();
    all
}
