//! The hits of a signature each of whose hits is a match, by object.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::reservoir::{Capacity, Kept, Reservoir};
use super::several::OfLeaf;
use crate::engine::Listed;
use crate::matcher::{Hit, Match, enrich};
use kwhy_model::Subject;
use kwhy_signature::{Condition, leaves};

/// The maximum number of objects by which a signature's matches are distinguished; matches about further ones are only
/// counted.
const MAX_OBJECTS: usize = 128;

/// The maximum number of these that are records without a named object; further ones share an entry.
const MAX_UNNAMED: usize = 24;

/// The maximum number of sets of rivals by which the hits about one object are distinguished.
const MAX_RIVALS: usize = 4;

/// The number of objects that a signature always keeps.
const AT_LEAST: usize = 4;

/// The hits of a signature whose condition is one event or object.
#[derive(Clone)]
pub(super) struct Single {
    by_key: HashMap<Key, Vec<usize>>,
    pub objects: Vec<OfObject>,
    /// The number of leaf conditions whose hits are matches; those of its `also` follow them.
    own: u16,
    /// The hits of each leaf condition of its `also`.
    pub also: Vec<OfLeaf>,
    unnamed: usize,
    /// The number of hits taken so far, which numbers them.
    taken: u64,
    pub matched: u64,
    pub further: u64,
    /// True if matches about further objects include records that name no object, which may be about any object.
    pub any_may_miss: bool,
}

/// Hits about one object.
#[derive(Clone)]
pub(super) struct OfObject {
    pub hits: Reservoir,
    /// The signatures over several events that each of these records partly fulfils: if one of them matches, it may
    /// take the records.
    pub rivals: Vec<u32>,
}

/// The key that distinguishes matches of one signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub object: Subject,
    /// The captured values that distinguish one fault from another.
    pub values: Vec<(String, String)>,
    /// For a record that names no object: the ids by which the end of the input may identify it...
    ids: Vec<String>,
    /// ... and the document, whose name may identify it.
    document: Option<usize>,
}

impl Key {
    pub fn new(object: Subject, values: Vec<(String, String)>, hit: &Hit) -> Key {
        let ids = hit.ids.as_ref().filter(|ids| !ids.is_named);
        Key {
            object,
            values,
            ids: ids.map(|ids| ids.named.clone()).unwrap_or_default(),
            document: hit.subject.is_unknown().then_some(hit.document),
        }
    }

    fn is_unnamed(&self) -> bool {
        !self.ids.is_empty() || self.document.is_some()
    }
}

impl Single {
    pub fn new(condition: &Condition) -> Single {
        fn all(parts: &[Condition]) -> Vec<&Condition> {
            let mut all = Vec::new();
            parts.iter().for_each(|part| leaves(part, &mut all));
            all
        }
        let own = condition.number_of_own_leaves();
        let also = all(&condition.also);
        Single {
            own: u16::try_from(own).unwrap_or(u16::MAX),
            also: also.into_iter().map(OfLeaf::new).collect(),
            by_key: HashMap::new(),
            objects: Vec::new(),
            unnamed: 0,
            taken: 0,
            matched: 0,
            further: 0,
            any_may_miss: false,
        }
    }

    /// Returns the position of a leaf condition among those of `also`; `None` if its hits are matches.
    pub fn of_also(&self, leaf: u16) -> Option<usize> {
        leaf.checked_sub(self.own).map(usize::from)
    }

    /// Returns the matches of the kept hits about one object, with their details.
    pub fn matches(
        condition: &Condition,
        kept: Vec<Kept>,
        also: &[Vec<Hit>],
        listed: &Listed,
    ) -> Vec<Match> {
        let hits = kept.into_iter().map(|one| one.hit);
        let mut matches: Vec<Match> = hits.map(Match::of).collect();
        enrich(condition, &mut matches, &mut also.iter(), listed);
        matches
    }

    /// Keeps a hit, or only counts it if there are too many objects. `room` is the number of bytes that may still be
    /// used.
    pub fn keep(
        &mut self,
        mut key: Key,
        rivals: Vec<u32>,
        hit: Hit,
        capacity: Capacity,
        room: &mut usize,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        if key.is_unnamed() && self.unnamed >= MAX_UNNAMED && !self.by_key.contains_key(&key) {
            key.ids = Vec::new();
            key.document = None;
        }
        let known = self.by_key.get(&key).map_or(&[][..], Vec::as_slice);
        let same = |at: &&usize| self.objects[**at].rivals == rivals;
        let at = match known.iter().find(same) {
            Some(&at) => at,
            None => {
                let full = known.len() >= MAX_RIVALS
                    || (known.is_empty() && self.by_key.len() >= MAX_OBJECTS)
                    || (*room < hit.size() && self.objects.len() >= AT_LEAST);
                if full {
                    return self.deny(&key, &hit);
                }
                self.unnamed += usize::from(known.is_empty() && key.is_unnamed());
                self.by_key.entry(key).or_default().push(self.objects.len());
                let hits = Reservoir::default();
                self.objects.push(OfObject { hits, rivals });
                self.objects.len() - 1
            }
        };
        if let Some(object) = self.objects.get_mut(at) {
            self.taken += 1;
            let number = self.taken;
            object
                .hits
                .take(Kept { hit, number }, capacity, room, order);
        }
    }

    /// Counts a hit that is not kept, and marks the counts that may lack it as lower bounds.
    fn deny(&mut self, key: &Key, hit: &Hit) {
        if !hit.leads {
            return;
        }
        self.further += hit.count;
        self.any_may_miss |= key.is_unnamed() || key.object.name.is_none();
        let mut mark = |all: &[usize]| {
            for at in all {
                self.objects[*at].hits.at_least = true;
            }
        };
        // the keys of named objects can be looked up directly
        if self.unnamed == 0 && !key.is_unnamed() {
            return mark(self.by_key.get(key).map_or(&[], Vec::as_slice));
        }
        let of = |known: &Key| known.object == key.object && known.values == key.values;
        let known = self.by_key.iter().filter(|(known, _)| of(known));
        known.for_each(|(_, all)| mark(all));
    }
}
