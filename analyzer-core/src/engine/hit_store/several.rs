//! The hits of one leaf of a condition over several events or objects.

use std::collections::VecDeque;

use crate::hash::hash_one;
use crate::matcher::Hit;
use crate::sort;
use kwhy_signature::{Condition, Scope, What, leaves, refuting_leaves};

/// The maximum number of hits that a leaf keeps.
const MAX_HITS: usize = 512;

/// The number of these reserved for the latest hits, which show whether a fault continues.
const LATEST: usize = 256;

/// The maximum number of objects about which a refuting leaf keeps further hits, as there may be a match to refute.
const MAX_REFUTING: usize = 4096;

/// Returns the leaves of a condition, without hits.
pub(super) fn of_condition(condition: &Condition) -> Vec<OfLeaf> {
    let mut conditions = Vec::new();
    leaves(condition, &mut conditions);
    let refuting = refuting_leaves(condition);
    let is_by_subject = condition.per == Scope::Subject;
    conditions
        .into_iter()
        .zip(refuting)
        .map(|(leaf, refutes)| OfLeaf {
            refutes: refutes && is_by_subject,
            ..OfLeaf::new(leaf)
        })
        .collect()
}

/// Returns a hash of the name of the object that a hit is about, if it has one.
fn name(hit: &Hit) -> Option<u64> {
    hit.subject.name.as_deref().map(hash_one)
}

/// Keeps a hit of the leaf with this index. Of a leaf that refutes, those about objects of which other leaves have hits
/// are kept longest. Returns false if a hit is lost.
pub(super) fn keep(leaves: &mut [OfLeaf], at: usize, hit: Box<Hit>, room: &mut usize) -> bool {
    let kept: usize = leaves.iter().map(OfLeaf::len).sum();
    let name = name(&hit);
    let (is_of_match, refutes) = match leaves.get(at) {
        Some(leaf) if leaf.refutes => {
            let mut others = leaves.iter().filter(|other| !other.refutes);
            let is_of_match =
                name.is_some_and(|name| others.any(|it| it.names.binary_search(&name).is_ok()));
            (is_of_match, true)
        }
        _ => (false, false),
    };
    let Some(leaf) = leaves.get_mut(at) else {
        return true;
    };
    if let Some(name) = name.filter(|_| !refutes && leaf.is_event)
        && leaf.names.len() < MAX_REFUTING
        && let Err(place) = leaf.names.binary_search(&name)
    {
        leaf.names.insert(place, name);
    }
    leaf.keep(hit, room, kept < AT_LEAST, is_of_match)
}

/// The number of hits that a condition over several events always keeps.
const AT_LEAST: usize = 4;

/// The hits of a leaf condition, in input order.
#[derive(Clone)]
pub(super) struct OfLeaf {
    /// True if the leaf is a condition on an event. For objects only the first hits are kept.
    is_event: bool,
    /// True if the leaf refutes what other leaves match about the same object.
    refutes: bool,
    first: Vec<Hit>,
    latest: VecDeque<Hit>,
    /// Further hits of a leaf that refutes, about objects of which other leaves have hits.
    refuting: Vec<Hit>,
    /// Hashes of the names of the objects that its hits are about, sorted, unless it refutes.
    names: Vec<u64>,
}

impl OfLeaf {
    pub fn new(leaf: &Condition) -> OfLeaf {
        OfLeaf {
            is_event: matches!(leaf.what, What::Event(_)),
            refutes: false,
            first: Vec::new(),
            latest: VecDeque::new(),
            refuting: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The number of kept hits.
    pub fn len(&self) -> usize {
        self.first.len() + self.latest.len() + self.refuting.len()
    }

    /// Keeps a hit if memory suffices or `in_any_case`; one that `is_of_match` in place of others, if need be. Returns
    /// false if this or an earlier hit is lost.
    fn keep(
        &mut self,
        hit: Box<Hit>,
        room: &mut usize,
        in_any_case: bool,
        is_of_match: bool,
    ) -> bool {
        let most_first = MAX_HITS - if self.is_event { LATEST } else { 0 };
        if !self.is_event && self.first.len() >= most_first {
            return false;
        }
        let left = room.checked_sub(hit.size());
        if self.first.len() < most_first && (left.is_some() || in_any_case) {
            *room = left.unwrap_or(0);
            self.first.push(*hit);
            return true;
        }
        if !self.is_event {
            return false;
        }
        // the latest hits are lost to later ones
        if is_of_match && self.refuting.len() < MAX_REFUTING {
            let is_kept = left.is_some() || {
                // one that may refute nothing makes room
                let lost = self.latest.pop_front().or_else(|| self.first.pop());
                *room += lost.map_or(0, |lost| lost.size());
                *room >= hit.size()
            };
            if is_kept {
                let had_room = left.is_some();
                *room -= hit.size();
                self.refuting.push(*hit);
                return had_room;
            }
            return false;
        }
        if self.latest.len() < LATEST
            && let Some(left) = left
        {
            *room = left;
            self.latest.push_back(*hit);
            return true;
        }
        if let Some(lost) = self.latest.pop_front() {
            *room += lost.size();
            if let Some(left) = room.checked_sub(hit.size()) {
                *room = left;
                self.latest.push_back(*hit);
            }
        }
        false
    }

    /// Returns all kept hits.
    pub fn into_hits(self) -> Vec<Hit> {
        let mut hits = self.first;
        hits.extend(self.latest);
        if !self.refuting.is_empty() {
            hits.extend(self.refuting);
            sort::by_key(&mut hits, Hit::position);
        }
        hits
    }
}
