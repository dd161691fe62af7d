//! The hits of a signature each of which is a match, by object.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::reservoir::{Capacity, Kept, Reservoir};
use crate::matcher::Hit;
use crate::model::Subject;
use crate::signature::Condition;

/// The number of objects by which the matches of a signature are told apart; matches about further ones are only
/// counted.
const MAX_OBJECTS: usize = 64;

/// The number of these that may be records that do not name their object; further ones share a place.
const MAX_UNNAMED: usize = 24;

/// The number of objects that a signature keeps in any case.
const AT_LEAST: usize = 4;

/// The hits of a signature whose condition is one event or object.
pub(super) struct Single<'c> {
    condition: &'c Condition,
    by_key: HashMap<Key, usize>,
    pub objects: Vec<Reservoir>,
    /// For each object the signatures that may make some of its hits superfluous, once they are evaluated.
    pub rivals: Vec<Vec<u32>>,
    unnamed: usize,
    /// The number of hits that were taken.
    taken: u64,
    pub matched: u64,
    pub further: u64,
}

/// What tells the matches of one signature apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub object: Subject,
    /// The captured values that tell one fault from another.
    pub values: Vec<(String, String)>,
    /// Of a record that does not name its object: the ids by which the end of the input may tell it...
    ids: Vec<String>,
    /// ... and the document, whose name may.
    document: Option<usize>,
    /// The signatures over several events that a part of the record fulfils: if one of them matches, it
    /// may take the record, and all that are alike.
    pub rivals: Vec<u32>,
}

impl Key {
    pub fn new(object: Subject, values: Vec<(String, String)>, rivals: Vec<u32>, hit: &Hit) -> Key {
        let ids = hit.ids.as_ref().filter(|ids| !ids.is_named);
        Key {
            object,
            values,
            ids: ids.map(|ids| ids.named.clone()).unwrap_or_default(),
            document: hit.subject.is_unknown().then_some(hit.document),
            rivals,
        }
    }

    fn is_unnamed(&self) -> bool {
        !self.ids.is_empty() || self.document.is_some()
    }
}

impl<'c> Single<'c> {
    pub fn new(condition: &'c Condition) -> Single<'c> {
        Single {
            condition,
            by_key: HashMap::new(),
            objects: Vec::new(),
            rivals: Vec::new(),
            unnamed: 0,
            taken: 0,
            matched: 0,
            further: 0,
        }
    }

    /// Returns true if what the hit captured compares as the condition asks.
    pub fn holds(&self, hit: &Hit) -> bool {
        let value = |name: &str| {
            let captured = hit.captures.iter().find(|(known, _)| known == name);
            captured.map(|(_, value)| value.as_str())
        };
        let mut comparisons = self.condition.comparisons.iter();
        comparisons.all(|comparison| comparison.holds(value))
    }

    /// Takes a hit, or counts it if its object is one too many. `room` is how many bytes more may be kept.
    pub fn keep(
        &mut self,
        mut key: Key,
        (hit, counts): (Hit, bool),
        capacity: Capacity,
        room: &mut usize,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        if key.is_unnamed() && self.unnamed >= MAX_UNNAMED && !self.by_key.contains_key(&key) {
            key.ids = Vec::new();
            key.document = None;
        }
        let at = match self.by_key.get(&key) {
            Some(&at) => at,
            None => {
                let full = self.objects.len() >= MAX_OBJECTS
                    || (*room < hit.size() && self.objects.len() >= AT_LEAST);
                if full {
                    self.further += if counts { hit.count } else { 0 };
                    return;
                }
                self.unnamed += usize::from(key.is_unnamed());
                self.rivals.push(key.rivals.clone());
                self.by_key.insert(key, self.objects.len());
                self.objects.push(Reservoir::default());
                self.objects.len() - 1
            }
        };
        if let Some(reservoir) = self.objects.get_mut(at) {
            self.taken += 1;
            let number = self.taken;
            let kept = Kept {
                hit,
                counts,
                number,
            };
            reservoir.take(kept, capacity, room, order);
        }
    }
}
