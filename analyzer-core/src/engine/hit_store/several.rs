//! The hits of one leaf of a condition over several events or objects.

use std::collections::VecDeque;

use crate::matcher::Hit;
use kwhy_signature::{Condition, What};

/// The maximum number of hits that a leaf keeps.
const MAX_HITS: usize = 512;

/// The number of these reserved for the latest hits, which show whether a fault continues.
const LATEST: usize = 256;

/// The hits of a leaf condition, in input order.
#[derive(Clone)]
pub(super) struct OfLeaf {
    /// True if the leaf is a condition on an event. For objects only the first hits are kept.
    is_event: bool,
    first: Vec<Hit>,
    latest: VecDeque<Hit>,
}

impl OfLeaf {
    pub fn new(leaf: &Condition) -> OfLeaf {
        OfLeaf {
            is_event: matches!(leaf.what, What::Event(_)),
            first: Vec::new(),
            latest: VecDeque::new(),
        }
    }

    /// The number of kept hits.
    pub fn len(&self) -> usize {
        self.first.len() + self.latest.len()
    }

    /// Keeps a hit if memory suffices or `in_any_case`. Returns false if this or an earlier hit is lost.
    pub fn keep(&mut self, hit: Box<Hit>, room: &mut usize, in_any_case: bool) -> bool {
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
        hits
    }
}
