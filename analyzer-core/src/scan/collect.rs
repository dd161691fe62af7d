//! Keeps hits in bounded memory: of each object the first and last ones, and counts of all.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::often::{EXACT, Enough};
use crate::correlate::{Surplus, object_of, refines, winners};
use crate::matcher::{Followed, Hit, Match, Moment, evaluate};
use crate::model::Subject;
use crate::signature::{Catalogue, Condition, Leaf, What, leaves, refuting_objects};

/// How many hits of one signature about one object are kept: so many first ones...
const FIRST: usize = 16;
/// ... and so many last ones.
const LAST: usize = 4;

/// About how many objects a signature's matches are told apart; of further ones only the number is.
const MAX_OBJECTS: usize = 64;

/// How many of these are records that do not name their object; what further ones tell is told together.
const MAX_UNNAMED: usize = 24;

/// How many hits of one condition are kept for conditions over several events.
const MAX_HITS: usize = 512;

/// How many bytes of hits are kept in all of those that are matches by themselves, and as many of those that go into
/// conditions over several, which may be any healthy object; beyond, a signature keeps its first hits only.
const ROOM: usize = 4 << 20;

/// How many hits a signature keeps in any case.
const AT_LEAST: usize = 4;

/// What is known at the end.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// The signature's number in the catalogue, and what matched.
    pub matches: Vec<(usize, Match)>,
    pub surplus: Vec<Surplus>,
    /// How often each signature matched, by its number.
    pub matched: BTreeMap<usize, u64>,
    /// Matches about more objects than are told apart, by the signature's number.
    pub further: BTreeMap<usize, u64>,
    /// How many hits were left out of conditions over several events.
    pub left_out: u64,
}

/// Takes hits in the order of the input.
pub(crate) struct Collector<'c> {
    catalogue: &'c Catalogue,
    signatures: BTreeMap<u32, Kept<'c>>,
    room: usize,
    room_of_several: usize,
    left_out: u64,
    /// The conditions over several of which not all hits are kept.
    cut: BTreeSet<Leaf>,
}

/// The hits of a signature.
enum Kept<'c> {
    /// Its condition is one event or object: each hit is a match.
    Single(Single<'c>),
    /// Its condition is over time.
    Followed(Box<Followed<'c>>),
    /// Its condition is over several: the hits of each leaf.
    Several(Vec<Vec<Hit>>),
}

struct Single<'c> {
    condition: &'c Condition,
    by_object: HashMap<Key, usize>,
    objects: Vec<Tally>,
    unnamed: usize,
    /// How many hits were taken.
    taken: u64,
    matched: u64,
    further: u64,
}

/// What tells matches of one signature apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Key {
    object: Subject,
    /// Of a record that does not name its object: the ids by which the end of the input may tell it...
    ids: Vec<String>,
    /// ... and the document, whose name may.
    document: Option<usize>,
}

impl Key {
    fn new(object: Subject, hit: &Hit) -> Key {
        let ids = hit.ids.as_ref().filter(|ids| !ids.is_named);
        Key {
            object,
            ids: ids.map(|ids| ids.named.clone()).unwrap_or_default(),
            document: hit.subject.is_unknown().then_some(hit.document),
        }
    }

    fn is_unnamed(&self) -> bool {
        !self.ids.is_empty() || self.document.is_some()
    }
}

/// What is kept about one object.
#[derive(Default)]
struct Tally {
    /// The first and last ones in the order of the documents.
    kept: Vec<One>,
    /// How many were not kept.
    count: u64,
    seen: Seen,
}

/// A hit that is kept.
struct One {
    hit: Hit,
    /// Whether it counts.
    counts: bool,
    /// The how many-th hit it is: the order within a document.
    number: u64,
}

/// The first and last times of hits that are not kept. Times without a year are held apart by their month: which
/// of two is the later one is known when all have their year.
#[derive(Default)]
struct Seen(Vec<(i128, Option<Moment>, Option<Moment>)>);

impl Seen {
    fn take(&mut self, moment: Moment) {
        const MONTH: i128 = 30 * 86_400_000_000_000;
        let kind = match moment {
            Moment::Ago(_) => -2,
            Moment::At(stamp) if stamp.year_stated => -1,
            Moment::At(stamp) => stamp.nanos.max(0) / MONTH,
        };
        match self.0.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, first, last)) => {
                *first = first.map(|first| first.earlier(moment));
                *last = last.map(|last| last.later(moment));
            }
            None => self.0.push((kind, Some(moment), Some(moment))),
        }
    }

    fn settle(mut self, settle: impl Fn(Moment) -> Moment + Copy) -> [Option<Moment>; 2] {
        self.0.sort_by_key(|(kind, ..)| *kind);
        let first = self.0.iter().filter_map(|(_, first, _)| first.map(settle));
        let last = self.0.iter().filter_map(|(.., last)| last.map(settle));
        [first.reduce(Moment::earlier), last.reduce(Moment::later)]
    }
}

impl<'c> Collector<'c> {
    pub fn new(catalogue: &'c Catalogue) -> Self {
        Collector {
            catalogue,
            signatures: BTreeMap::new(),
            room: ROOM,
            room_of_several: ROOM,
            left_out: 0,
            cut: BTreeSet::new(),
        }
    }

    /// Takes the hits of one record. `settle` gives times without a year theirs, as far as it is known
    /// by now; `order` compares documents.
    pub fn record(
        &mut self,
        hits: impl Iterator<Item = (Leaf, Hit)>,
        settle: impl Fn(Moment) -> Moment + Copy,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let mut singles: Vec<(u32, Hit)> = Vec::new();
        let mut several: Vec<(Leaf, Hit)> = Vec::new();
        for ((number, leaf), hit) in hits {
            let catalogue = self.catalogue;
            let kept = self
                .signatures
                .entry(number)
                .or_insert_with(|| Kept::new(catalogue, number));
            match kept {
                Kept::Single(single) => {
                    if single.holds(&hit) {
                        singles.push((number, hit));
                    }
                }
                Kept::Followed(followed) => {
                    followed.take(usize::from(leaf), hit, settle);
                }
                Kept::Several(_) => several.push(((number, leaf), hit)),
            }
        }
        let won = match singles.as_slice() {
            [] => Vec::new(),
            [_] => vec![true],
            singles => winners(self.catalogue, singles),
        };
        for ((number, leaf), mut hit) in several {
            let mut winners = singles.iter().zip(&won).filter(|(_, won)| **won);
            hit.refined = winners.any(|((other, _), _)| refines(self.catalogue, *other, number));
            self.keep_one_of_several(number, leaf, hit);
        }
        let are_several = singles.len() > 1;
        let mut told: Vec<(u32, Subject)> = Vec::new();
        for ((number, hit), won) in singles.into_iter().zip(won) {
            let signature = self.catalogue.at(number as usize);
            let found = Match::of(hit);
            let object = object_of(signature, &found);
            let counts = !told.iter().any(|(n, o)| *n == number && *o == object);
            let is_further = told.iter().any(|(n, _)| *n == number);
            if are_several {
                told.push((number, object.clone()));
            }
            if let Some(Kept::Single(single)) = self.signatures.get_mut(&number) {
                if !is_further {
                    single.matched += found.primary().count;
                }
                if let Some(hit) = found.hits.into_iter().next() {
                    single.keep(object, hit, won && counts, &mut self.room, order);
                }
            }
        }
    }

    /// Keeps a hit of a condition over several, if there is room.
    fn keep_one_of_several(&mut self, number: u32, leaf: u16, hit: Hit) {
        let Some(Kept::Several(leaves)) = self.signatures.get_mut(&number) else {
            return;
        };
        let kept: usize = leaves.iter().map(Vec::len).sum();
        let Some(hits) = leaves.get_mut(usize::from(leaf)) else {
            return;
        };
        let room = self.room_of_several.checked_sub(hit.size());
        if hits.len() < MAX_HITS && (room.is_some() || kept < AT_LEAST) {
            self.room_of_several = room.unwrap_or(0);
            hits.push(hit);
        } else {
            self.left_out += 1;
            self.cut.insert((number, leaf));
        }
    }

    /// Takes how many hits of which conditions over several were not kept.
    pub fn left_out(&mut self, hits: BTreeMap<Leaf, u64>) {
        for (leaf, count) in hits {
            self.left_out += count;
            self.cut.insert(leaf);
        }
    }

    /// The signatures of which enough matches were read; `vain` are those whose text stood in records that
    /// did not fulfil them.
    pub fn often(&self, vain: &BTreeSet<u32>) -> Vec<Enough> {
        let mut often = vec![Enough::No; self.catalogue.len()];
        for number in vain {
            if let Some(slot) = often.get_mut(*number as usize) {
                *slot = Enough::Vain;
            }
        }
        for (number, kept) in &self.signatures {
            let enough = match kept {
                Kept::Single(single) => single.matched >= EXACT,
                // further hits would not be kept
                Kept::Several(leaves) => leaves
                    .iter()
                    .all(|hits| hits.is_empty() || hits.len() >= MAX_HITS),
                Kept::Followed(_) => false,
            };
            if let Some(slot) = often.get_mut(*number as usize).filter(|_| enough) {
                *slot = match kept {
                    Kept::Single(_) if vain.contains(number) => Enough::InSteady,
                    _ => Enough::Yes,
                };
            }
        }
        often
    }

    /// The conditions over several of which no further hit will be kept.
    pub fn full(&self) -> impl Iterator<Item = Leaf> {
        self.signatures.iter().flat_map(|(number, kept)| {
            let leaves = match kept {
                Kept::Several(leaves) => leaves.as_slice(),
                Kept::Single(_) | Kept::Followed(_) => &[],
            };
            let full = (0..).zip(leaves).filter(|(_, hits)| hits.len() >= MAX_HITS);
            full.map(|(leaf, _)| (*number, leaf))
        })
    }

    /// All matches. Times without a year get theirs by `settle`, records that do not name their object by
    /// `place`, which also gives documents their number in order.
    pub fn finish(
        self,
        settle: impl Fn(Moment) -> Moment + Copy,
        place: impl Fn(&mut Hit) + Copy,
    ) -> Collected {
        let mut collected = Collected {
            left_out: self.left_out,
            ..Collected::default()
        };
        let settled = |hit: &mut Hit| {
            hit.first = hit.first.map(settle);
            hit.last = hit.last.map(settle);
            place(hit);
        };
        for (number, kept) in self.signatures {
            let cut = self.cut.range((number, 0)..=(number, u16::MAX));
            let number = number as usize;
            match kept {
                Kept::Single(single) => {
                    if single.matched > 0 {
                        collected.matched.insert(number, single.matched);
                    }
                    if single.further > 0 {
                        collected.further.insert(number, single.further);
                    }
                    let mut objects = single.objects;
                    for one in objects.iter_mut().flat_map(|tally| &mut tally.kept) {
                        settled(&mut one.hit);
                    }
                    objects.sort_by_key(|tally| {
                        let first = tally.kept.first();
                        first.map(|one| (one.hit.document, one.number))
                    });
                    for tally in objects {
                        if tally.count > 0 {
                            let [first, last] = tally.seen.settle(settle);
                            let kept = tally.kept.iter().map(|one| one.hit.record_at());
                            collected.surplus.push(Surplus {
                                signature: number,
                                kept: kept.collect(),
                                count: tally.count,
                                first,
                                last,
                            });
                        }
                        let hits = tally.kept.into_iter().map(|one| one.hit);
                        let found = hits.map(|hit| (number, Match::of(hit)));
                        collected.matches.extend(found);
                    }
                }
                Kept::Followed(followed) => {
                    let (found, left_out) = followed.finish(settled);
                    collected.left_out += left_out;
                    if !found.is_empty() {
                        collected.matched.insert(number, found.len() as u64);
                    }
                    collected
                        .matches
                        .extend(found.into_iter().map(|found| (number, found)));
                }
                Kept::Several(mut leaves) => {
                    leaves.iter_mut().flatten().for_each(settled);
                    // what holds only of a whole list was taken at its end
                    for hits in &mut leaves {
                        if hits.iter().any(|hit| hit.of_list) {
                            hits.sort_by_key(Hit::position);
                        } else {
                            hits.sort_by_key(|hit| hit.document);
                        }
                    }
                    if leaves.iter().all(Vec::is_empty) {
                        continue;
                    }
                    let condition = &self.catalogue.at(number).condition;
                    // an object that is not kept might be the one that refutes it
                    let refuting = refuting_objects(condition);
                    let mut cut = cut.map(|(_, leaf)| usize::from(*leaf));
                    if cut.any(|leaf| refuting.get(leaf) == Some(&true)) {
                        continue;
                    }
                    let found = evaluate(condition, &mut leaves.iter());
                    if !found.is_empty() {
                        collected.matched.insert(number, found.len() as u64);
                    }
                    collected
                        .matches
                        .extend(found.into_iter().map(|found| (number, found)));
                }
            }
        }
        collected
    }
}

impl<'c> Kept<'c> {
    fn new(catalogue: &'c Catalogue, number: u32) -> Self {
        let condition = &catalogue.at(number as usize).condition;
        if let Some(followed) = Followed::new(condition) {
            return Kept::Followed(Box::new(followed));
        }
        if is_single(condition) {
            return Kept::Single(Single {
                condition,
                by_object: HashMap::new(),
                objects: Vec::new(),
                unnamed: 0,
                taken: 0,
                matched: 0,
                further: 0,
            });
        }
        let mut conditions = Vec::new();
        leaves(condition, &mut conditions);
        Kept::Several(vec![Vec::new(); conditions.len()])
    }
}

/// Whether each hit is a match by itself.
pub(super) fn is_single(condition: &Condition) -> bool {
    let alone = condition.none.is_empty() && condition.also.is_empty();
    let single = match &condition.what {
        What::Event(_) | What::Object(_) => true,
        // a comparison of one of several alternatives holds for that one only
        What::Any(parts) => parts
            .iter()
            .all(|part| is_single(part) && part.comparisons.is_empty()),
        What::All(_) | What::Sequence(_) => false,
    };
    alone && single && condition.at_least <= 1 && !condition.is_temporal()
}

impl Single<'_> {
    /// Whether what the hit captured compares as the condition asks.
    fn holds(&self, hit: &Hit) -> bool {
        let value = |name: &str| {
            let captured = hit.captures.iter().find(|(known, _)| known == name);
            captured.map(|(_, value)| value.as_str())
        };
        let mut comparisons = self.condition.comparisons.iter();
        comparisons.all(|comparison| comparison.holds(value))
    }

    fn keep(
        &mut self,
        object: Subject,
        hit: Hit,
        counts: bool,
        room: &mut usize,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let mut key = Key::new(object, &hit);
        let is_unnamed = key.is_unnamed();
        if is_unnamed && self.unnamed >= MAX_UNNAMED && !self.by_object.contains_key(&key) {
            key = Key {
                object: key.object,
                ..Key::default()
            };
        }
        let at = match self.by_object.get(&key) {
            Some(&at) => at,
            None => {
                let full = self.objects.len() >= MAX_OBJECTS
                    || (*room < hit.size() && self.objects.len() >= AT_LEAST);
                if full {
                    self.further += if counts { hit.count } else { 0 };
                    return;
                }
                self.unnamed += usize::from(key.is_unnamed());
                self.by_object.insert(key, self.objects.len());
                self.objects.push(Tally::default());
                self.objects.len() - 1
            }
        };
        if let Some(tally) = self.objects.get_mut(at) {
            self.taken += 1;
            tally.keep(hit, (counts, self.taken), room, order);
        }
    }
}

impl Tally {
    fn keep(
        &mut self,
        hit: Hit,
        (counts, number): (bool, u64),
        room: &mut usize,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let is_behind = |known: &One| order(known.hit.document, hit.document) == Ordering::Greater;
        // most come in order
        let before = match self.kept.last() {
            Some(last) if is_behind(last) => self.kept.partition_point(|known| !is_behind(known)),
            _ => self.kept.len(),
        };
        let size = hit.size();
        let has_room = *room >= size || self.kept.is_empty();
        let one = One {
            hit,
            counts,
            number,
        };
        self.kept.insert(before, one);
        if has_room && self.kept.len() <= FIRST + LAST {
            *room = room.saturating_sub(size);
            return;
        }
        // the first of the last ones makes room, or where there are none yet the last of all
        let One { hit, counts, .. } = self.kept.remove(FIRST.min(self.kept.len() - 1));
        self.count += if counts { hit.count } else { 0 };
        let times = [hit.first, hit.last];
        times
            .into_iter()
            .flatten()
            .for_each(|time| self.seen.take(time));
    }
}
