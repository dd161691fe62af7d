//! Compiles a condition over time: the role of each leaf, and the captures that parts must share.

use std::collections::BTreeMap;

use super::automaton::{Lasting, SPARE, Shape, Time};
use crate::matcher::Hit;
use kwhy_signature::{Comparison, Condition, Reach, Scope, What, leaves};

/// The role of a leaf in a condition over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It fills this slot.
    Slot(usize),
    /// It triggers this refutation.
    Refutes(usize),
    /// It is a leaf of an inner condition; both are indices.
    Inside { inner: usize, leaf: usize },
}

impl Role {
    /// Returns the bit sets of slots and of refutations.
    pub fn bits(self) -> (u64, u64) {
        match self {
            Role::Slot(at) => (1 << at, 0),
            Role::Refutes(at) => (0, 1 << at),
            Role::Inside { .. } => (0, 0),
        }
    }
}

#[derive(Debug)]
pub(super) struct Plan {
    /// For each leaf, its role and the comparisons of its captures; `None` for leaves of `also`.
    pub leaves: Vec<Option<(Role, Vec<Comparison>)>>,
    /// The scope that the parts must share.
    pub per: Scope,
    /// The comparisons between captures of the parts.
    pub comparisons: Vec<Comparison>,
    /// The captures that must agree across parts.
    pub names: Vec<String>,
    pub shape: Shape,
    /// The parts that are conditions over time themselves.
    pub inner: Vec<Inner>,
    /// The maximum time by which entries arrive after their last record because inner conditions are decided later;
    /// `None` if they are decided with it.
    pub delay: Option<Time>,
    /// True for a single event, reported in bursts.
    pub is_burst: bool,
    /// True if each line of a record is an entry, as the runtime gave each a time.
    pub by_line: bool,
}

/// A part of a condition over time that is itself one: its matches are entries.
#[derive(Debug)]
pub(super) struct Inner {
    /// The role of its matches.
    pub role: Role,
    pub plan: Plan,
}

impl Inner {
    /// The maximum time from its first entry to its last.
    fn lasts(&self) -> Time {
        self.plan.shape.window
    }

    /// The maximum time by which its matches arrive after their last record.
    fn delay(&self) -> Option<Time> {
        let delays = [self.plan.delay, self.plan.shape.delay()];
        let delays = delays.into_iter().flatten();
        delays.reduce(Time::saturating_add)
    }
}

/// The roles of a condition's leaves, and its parts that are over time themselves.
#[derive(Default)]
struct Parts {
    leaves: Vec<Option<(Role, Vec<Comparison>)>>,
    inner: Vec<Inner>,
}

impl Parts {
    fn add(&mut self, part: &Condition, role: Role) {
        let plan = match part.what {
            What::Event(_) => None,
            _ => Plan::new(part),
        };
        let Some(plan) = plan else {
            self.leaves.push(Some((role, part.comparisons.clone())));
            return;
        };
        let inner = self.inner.len();
        let of_leaf = |(leaf, known): (usize, &Option<(Role, Vec<Comparison>)>)| {
            let comparisons = known.as_ref().map(|(_, comparisons)| comparisons.clone());
            comparisons.map(|comparisons| (Role::Inside { inner, leaf }, comparisons))
        };
        self.leaves
            .extend(plan.leaves.iter().enumerate().map(of_leaf));
        self.inner.push(Inner { role, plan });
    }

    /// Returns the durations of the parts' entries; empty if none of them lasts.
    fn lasting(&self, parts: &[Condition], refutations: usize) -> Lasting {
        if self.inner.is_empty() {
            return Lasting::default();
        }
        let mut lasting = Lasting {
            slots: vec![0; parts.len()],
            refutations: vec![0; refutations],
            spare: parts
                .iter()
                .map(|part| match part.number_of_entries() {
                    0 | 1 => SPARE,
                    entries => SPARE / usize::try_from(entries).unwrap_or(SPARE),
                })
                .collect(),
        };
        for inner in &self.inner {
            let lasts = match inner.role {
                Role::Slot(at) => lasting.slots.get_mut(at),
                Role::Refutes(at) => lasting.refutations.get_mut(at),
                Role::Inside { .. } => None,
            };
            if let Some(lasts) = lasts {
                *lasts = inner.lasts();
            }
        }
        lasting
    }
}

impl Plan {
    /// Compiles a condition; `None` if it is not temporal.
    pub fn new(condition: &Condition) -> Option<Plan> {
        if !condition.is_temporal() {
            return None;
        }
        let parts = condition.temporal_parts();
        let mut all = Parts::default();
        let is_lone = matches!(condition.what, What::Event(_));
        for (at, part) in parts.iter().enumerate() {
            match is_lone {
                // a single event is its own part
                true => all
                    .leaves
                    .push(Some((Role::Slot(at), part.comparisons.clone()))),
                false => all.add(part, Role::Slot(at)),
            }
        }
        let mut beside = Vec::new();
        for part in &condition.also {
            leaves(part, &mut beside);
        }
        all.leaves.extend(beside.iter().map(|_| None));
        for (at, part) in condition.none.iter().enumerate() {
            all.add(part, Role::Refutes(at));
        }
        let lasting = all.lasting(parts, condition.none.len());
        let Parts {
            leaves: roles,
            inner,
        } = all;
        let delays = inner.iter().filter_map(Inner::delay);
        let window = condition.within.map_or(0, |within| within.as_nanos());
        Some(Plan {
            delay: delays.max(),
            inner,
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
                lasting,
            },
            is_burst: is_lone && condition.none.is_empty(),
            by_line: parts.iter().chain(&condition.none).all(is_of_entries),
        })
    }

    /// The values of the shared captures in a hit.
    pub fn values(&self, hit: &Hit) -> Vec<Option<String>> {
        let values = self.names.iter().map(|name| value(hit, name));
        values.map(|value| value.map(str::to_owned)).collect()
    }

    /// Returns true if no value of the hit differs: a missing value is compatible with any.
    pub fn fits(&self, values: &[Option<String>], hit: &Hit) -> bool {
        let mut pairs = self.names.iter().zip(values);
        pairs.all(|(name, known)| value(hit, name).is_none_or(|v| known.as_deref() == Some(v)))
    }

    /// The count of an event towards the threshold. An event that lasted longer than the window is assumed to be spread
    /// evenly.
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

/// Returns true if a part tests raw records.
fn is_of_entries(part: &Condition) -> bool {
    let mut all = Vec::new();
    leaves(part, &mut all);
    let is_entry =
        |leaf: &&Condition| matches!(&leaf.what, What::Event(event) if event.entry.is_some());
    all.iter().all(is_entry)
}

/// Returns the value that a hit captured under a name.
pub(super) fn value<'h>(hit: &'h Hit, name: &str) -> Option<&'h str> {
    let known = hit.captures.iter().find(|(known, _)| known == name);
    known.map(|(_, value)| value.as_str())
}

/// The names captured by more than one part, at least one of them positive. If one positive part captures several of
/// them, its events link their values.
fn shared_names(condition: &Condition) -> Vec<&str> {
    fn names(part: &Condition) -> Vec<&str> {
        let mut names = Vec::new();
        part.captures(&mut names);
        names.retain(|name| *name != "item");
        names.sort_unstable();
        names.dedup();
        names
    }
    // `also` of a single event is not one of its parts
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
