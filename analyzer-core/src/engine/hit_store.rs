//! Keeps hits in bounded memory: the first and last of each object, and counts of all.

mod reservoir;
mod several;
mod single;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::correlate::{
    Places, Surplus, distinct, object_of, refines, signature_of_writer, winners,
};
use crate::engine::Listed;
use crate::hash::HashSet;
use crate::inventory::{self, Facts};
use crate::matcher::{Compiled, Hit, Match, Moment, compare, evaluate};
use crate::sort;
use crate::temporal::Followed;
use kwhy_catalogue::Catalogue;
use kwhy_model::{Span, Subject};
use kwhy_signature::{Condition, ConditionId, What, refuting_objects};

use reservoir::{AMPLE, Capacity, TIGHT};
use several::OfLeaf;
use single::{Key, OfObject, Single};

/// The bytes available for hits that are matches on their own; beyond it, fewer are kept per object.
const ROOM: usize = 6 << 20;

/// The bytes available for hits of conditions over several, which any healthy object may match; beyond it, a condition
/// keeps only its first and latest hits.
const ROOM_OF_SEVERAL: usize = 4 << 20;

/// Captured values by name.
type Values = Vec<(String, String)>;

/// The result of collecting the hits of an input.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// The matches, each with its signature's number in the catalogue.
    pub matches: Vec<(usize, Match)>,
    pub surplus: Vec<Surplus>,
    /// The number of matches of each signature, by its number.
    pub matched: BTreeMap<usize, u64>,
    /// The number of matches about objects beyond those distinguished, by the signature's number.
    pub further: BTreeMap<usize, u64>,
    /// The number of hits that conditions over several events did not keep, by the signature's number.
    pub left_out: BTreeMap<usize, u64>,
    /// The number of hits that would have added details to matches and were not kept.
    pub details_left_out: u64,
    /// The signatures that may have matched more often than counted, by their numbers.
    pub at_least: BTreeSet<usize>,
}

/// Collects hits in input order.
#[derive(Clone)]
pub(crate) struct HitStore {
    compiled: Arc<Compiled>,
    signatures: BTreeMap<u32, Hits>,
    room: usize,
    /// The number of hits that are kept per object.
    capacity: Capacity,
    room_of_several: usize,
    /// The number of hits not kept, by condition over several.
    cut: BTreeMap<ConditionId, u64>,
    /// The facts that conditions over several objects ask for.
    facts: Facts,
}

/// The hits of a signature.
#[derive(Clone)]
enum Hits {
    /// Its condition is one event or object: each hit is a match.
    Single(Single),
    /// Its condition is over time.
    Followed(Box<Followed>),
    /// Its condition is over several hits: those of each leaf.
    Several(Vec<OfLeaf>),
    /// Some alternatives of its condition are single hits, the others are over several.
    Mixed(Box<Mixed>),
}

/// The hits of a signature of which only some are matches alone.
#[derive(Clone)]
struct Mixed {
    single: Single,
    /// For each leaf, whether its hits are matches.
    alone: Vec<bool>,
    /// The hits of each leaf that are none.
    several: Vec<OfLeaf>,
}

impl HitStore {
    pub fn new(compiled: Arc<Compiled>) -> Self {
        HitStore {
            compiled,
            signatures: BTreeMap::new(),
            room: ROOM,
            capacity: AMPLE,
            room_of_several: ROOM_OF_SEVERAL,
            cut: BTreeMap::new(),
            facts: Facts::default(),
        }
    }

    /// Adds the hits of one record. `settle` adds the year to times without one, if it is known yet; `order` compares
    /// documents.
    pub fn record(
        &mut self,
        hits: impl Iterator<Item = (ConditionId, Box<Hit>)>,
        settle: impl Fn(Moment) -> Moment + Copy,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let compiled = Arc::clone(&self.compiled);
        let catalogue = &compiled.catalogue;
        let mut singles: Vec<(u32, Box<Hit>)> = Vec::new();
        let mut several: Vec<(ConditionId, Box<Hit>)> = Vec::new();
        let mut parts: Vec<(u32, Span)> = Vec::new();
        let mut facts: Vec<(u32, usize, Box<Hit>)> = Vec::new();
        for ((number, leaf), hit) in hits {
            if let Some(table) = compiled.table_of((number, leaf)) {
                if !compiled.tables().is_shared((number, leaf)) {
                    facts.push((number, table, hit));
                }
                continue;
            }
            let hits = self
                .signatures
                .entry(number)
                .or_insert_with(|| Hits::new(catalogue, number));
            match hits {
                Hits::Single(single) if single.of_also(leaf).is_some() => {
                    several.push(((number, leaf), hit));
                }
                Hits::Mixed(mixed) if mixed.alone.get(usize::from(leaf)) == Some(&true) => {
                    singles.push((number, hit));
                }
                Hits::Single(_) => {
                    let condition = &catalogue.at(number as usize).condition;
                    if compare(&hit.captures, &condition.comparisons) {
                        singles.push((number, hit));
                    }
                }
                Hits::Followed(followed) => {
                    parts.push((number, hit.mark.clone()));
                    followed.take(usize::from(leaf), *hit, settle);
                }
                Hits::Several(_) | Hits::Mixed(_) => {
                    parts.push((number, hit.mark.clone()));
                    several.push(((number, leaf), hit));
                }
            }
        }
        let won = match singles.as_slice() {
            [] => Vec::new(),
            [_] => vec![true],
            singles => winners(catalogue, singles),
        };
        let winning = singles.iter().zip(&won).filter(|(_, won)| **won);
        let winning: BTreeSet<u32> = winning.map(|((number, _), _)| *number).collect();
        let is_refined = |number: u32| {
            let mut winning = winning.iter();
            winning.any(|other| refines(catalogue, *other, number))
        };
        for (number, table, mut hit) in facts {
            let tables = compiled.tables();
            hit.refined = is_refined(number);
            if !tables.holds(table, &hit) {
                continue;
            }
            self.facts.add(table, hit, tables.only_refutes(table));
        }
        for ((number, leaf), mut hit) in several {
            hit.refined = is_refined(number);
            self.keep_one_of_several(number, leaf, hit);
        }
        if singles.is_empty() {
            return;
        }
        let singles = self.assign_by_writer(singles, won);
        let are_several = singles.len() > 1;
        // a hash set, as an object may have very many hits
        let mut counted: HashSet<(u32, Subject, Values)> = HashSet::default();
        let mut further: BTreeSet<u32> = BTreeSet::new();
        let mut rivals_at: BTreeMap<u32, Vec<Span>> = BTreeMap::new();
        for (other, mark) in parts {
            rivals_at.entry(other).or_default().push(mark);
        }
        let rivals_at: BTreeMap<u32, Places> = rivals_at
            .into_iter()
            .map(|(other, marks)| (other, Places::new(marks.into_iter().zip(0..))))
            .collect();
        for (number, hit, won) in singles {
            let signature = catalogue.at(number as usize);
            let found = Match::of(*hit);
            let object = object_of(signature, &found);
            let values = distinct(signature, &found);
            let counts = !are_several || counted.insert((number, object.clone(), values.clone()));
            let is_further = !further.insert(number);
            let count = found.primary().count;
            let hits = self.signatures.get_mut(&number);
            if let Some(single) = hits.and_then(Hits::single)
                && !is_further
            {
                single.matched += count;
            }
            // a hit that a stronger one superseded is not a match, whichever hits are kept
            if won && let Some(mut hit) = found.hits.into_iter().next() {
                hit.leads &= counts;
                let rivals = rivals_at.iter().filter(|(other, _)| **other != number);
                let rivals = rivals.filter(|(other, places)| {
                    let other = catalogue.at(**other as usize);
                    places.may_supersede(other, (signature, &hit.mark))
                });
                let rivals: Vec<u32> = rivals.map(|(other, _)| *other).collect();
                let key = Key::new(object, values, &hit);
                self.keep(number, (key, rivals), hit, order);
            }
        }
    }

    /// Reassigns the matches of one record to the signatures of its writer, each once. Returns with each whether it
    /// won.
    fn assign_by_writer(
        &mut self,
        singles: Vec<(u32, Box<Hit>)>,
        won: Vec<bool>,
    ) -> Vec<(u32, Box<Hit>, bool)> {
        let compiled = Arc::clone(&self.compiled);
        let catalogue = &compiled.catalogue;
        let mut assigned: Vec<(u32, Box<Hit>, bool)> = Vec::with_capacity(singles.len());
        let mut moved = Vec::new();
        for ((number, hit), won) in singles.into_iter().zip(won) {
            match self.own_signature(catalogue, number, &hit) {
                Some(own) => moved.push((own, hit, won)),
                None => assigned.push((number, hit, won)),
            }
        }
        for (own, hit, won) in moved {
            match assigned.iter_mut().find(|(number, ..)| *number == own) {
                Some((.., known)) => *known |= won,
                None => assigned.push((own, hit, won)),
            }
        }
        assigned
    }

    /// Returns the signature that the record's writer assigns, if it is a single-hit signature, and prepares its entry.
    fn own_signature(&mut self, catalogue: &Catalogue, number: u32, hit: &Hit) -> Option<u32> {
        let own = signature_of_writer(catalogue, number as usize, hit)?;
        let own = u32::try_from(own).ok()?;
        let hits = self.signatures.entry(own);
        let hits = hits.or_insert_with(|| Hits::new(catalogue, own));
        hits.single().map(|_| own)
    }

    /// Keeps a hit that is a match. Once memory is used up, the hits of all objects are trimmed first.
    fn keep(
        &mut self,
        number: u32,
        (key, rivals): (Key, Vec<u32>),
        hit: Hit,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        if self.room < hit.size() && self.capacity == AMPLE {
            self.capacity = TIGHT;
            for kept in self.signatures.values_mut() {
                if let Some(single) = kept.single() {
                    let objects = single.objects.iter_mut();
                    self.room += objects.map(|object| object.hits.trim(TIGHT)).sum::<usize>();
                }
            }
        }
        let hits = self.signatures.get_mut(&number);
        if let Some(single) = hits.and_then(Hits::single) {
            single.keep(key, rivals, hit, self.capacity, &mut self.room, order);
        }
    }

    /// Keeps a hit of a condition over several, if there is capacity.
    fn keep_one_of_several(&mut self, number: u32, leaf: u16, hit: Box<Hit>) {
        let (leaves, at) = match self.signatures.get_mut(&number) {
            Some(Hits::Several(leaves)) => (leaves, Some(usize::from(leaf))),
            Some(Hits::Mixed(mixed)) => (&mut mixed.several, Some(usize::from(leaf))),
            Some(Hits::Single(single)) => {
                let at = single.of_also(leaf);
                (&mut single.also, at)
            }
            Some(Hits::Followed(_)) | None => return,
        };
        if let Some(at) = at
            && !several::keep(leaves, at, hit, &mut self.room_of_several)
        {
            *self.cut.entry((number, leaf)).or_default() += 1;
        }
    }

    /// Adds the numbers of hits of conditions over several that were not kept.
    pub fn left_out(&mut self, hits: BTreeMap<ConditionId, u64>) {
        for (leaf, count) in hits {
            match self.compiled.table_of(leaf) {
                Some(table) => self.facts.leave_out(table, count),
                None => *self.cut.entry(leaf).or_default() += count,
            }
        }
    }

    /// Returns all matches. `settle` adds the year to times without one; `place` sets the object of records that name
    /// none and maps documents to their final order, as `numbers` does. `listed` are the kinds that lists show
    /// completely.
    pub fn finish(
        self,
        settle: impl Fn(Moment) -> Moment + Copy,
        place: impl Fn(&mut Hit) + Copy,
        (numbers, listed): (&[usize], &Listed),
    ) -> Collected {
        let mut collected = Collected::default();
        let settled = |hit: &mut Hit| {
            hit.first = hit.first.map(settle);
            hit.last = hit.last.map(settle);
            place(hit);
        };
        let catalogue = &self.compiled.catalogue;
        let mut singles: Vec<(u32, Single)> = Vec::new();
        for (number, hits) in self.signatures {
            let mut cut = self.cut.range((number, 0)..=(number, u16::MAX));
            let left_out: u64 = cut.clone().map(|(_, count)| count).sum();
            let found = match hits {
                Hits::Single(single) => {
                    collected.details_left_out += left_out;
                    singles.push((number, single));
                    continue;
                }
                Hits::Followed(followed) => {
                    let (found, left_out) = followed.finish(settled);
                    collected.leave_out(number, left_out);
                    found
                }
                several @ (Hits::Several(_) | Hits::Mixed(_)) => {
                    let leaves = match several {
                        Hits::Several(leaves) => leaves,
                        Hits::Mixed(mixed) => {
                            singles.push((number, mixed.single));
                            mixed.several
                        }
                        Hits::Single(_) | Hits::Followed(_) => continue,
                    };
                    let condition = &catalogue.at(number as usize).condition;
                    let mut seen = leaves.iter().map(|leaf| leaf.len() > 0);
                    if !may_hold(condition, &mut seen) {
                        continue;
                    }
                    collected.leave_out(number, left_out);
                    // an object that was not kept might refute the match
                    let refuting = refuting_objects(condition);
                    if cut.any(|((_, leaf), _)| refuting.get(usize::from(*leaf)) == Some(&true)) {
                        continue;
                    }
                    evaluated(condition, leaves, settled, listed)
                }
            };
            let number = number as usize;
            for found in found {
                let own = signature_of_writer(catalogue, number, found.primary());
                let number = own.unwrap_or(number);
                *collected.matched.entry(number).or_default() += 1;
                collected.matches.push((number, found));
            }
        }
        let mut facts = self.facts;
        let number = |document: usize| numbers.get(document).copied().unwrap_or(document);
        facts.settle(number);
        // without facts, their tables need not be built
        if !facts.is_empty() {
            let tables = self.compiled.tables();
            for number in tables.signatures() {
                let of_leaves = tables.of_signature(number).unwrap_or_default();
                collected.join(catalogue, number, of_leaves, &facts, listed);
            }
        }
        for (number, single) in singles {
            collected.take(
                (catalogue, number as usize),
                single,
                settle,
                settled,
                listed,
            );
        }
        sort::by_key(&mut collected.matches, |(number, _)| *number);
        collected
    }
}

/// Returns true if every leaf that a condition needs was seen; `seen` yields that for each leaf in order.
fn may_hold(condition: &Condition, seen: &mut dyn Iterator<Item = bool>) -> bool {
    // each part consumes its own leaves
    let of = |parts: &[Condition], seen: &mut dyn Iterator<Item = bool>| -> Vec<bool> {
        parts.iter().map(|part| may_hold(part, seen)).collect()
    };
    let holds = match &condition.what {
        What::Event(_) | What::Object(_) => seen.next().unwrap_or(false),
        What::Any(parts) => of(parts, seen).contains(&true),
        What::All(parts) | What::Sequence(parts) => !of(parts, seen).contains(&false),
    };
    for further in condition.also.iter().chain(&condition.none) {
        may_hold(further, seen);
    }
    holds
}

/// Returns the matches of a condition over several events.
fn evaluated(
    condition: &Condition,
    leaves: Vec<OfLeaf>,
    settled: impl Fn(&mut Hit) + Copy,
    listed: &Listed,
) -> Vec<Match> {
    let leaves = in_order(leaves, settled);
    if leaves.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    evaluate(condition, &mut leaves.iter(), listed)
}

/// Returns the hits of leaf conditions in input order, settled with what is known at the input's end.
fn in_order(leaves: Vec<OfLeaf>, settled: impl Fn(&mut Hit) + Copy) -> Vec<Vec<Hit>> {
    let mut leaves: Vec<Vec<Hit>> = leaves.into_iter().map(OfLeaf::into_hits).collect();
    leaves.iter_mut().flatten().for_each(settled);
    // hits that hold only for a complete list were added at its end
    for hits in &mut leaves {
        if hits.iter().any(|hit| hit.of_list) {
            sort::by_key(hits, Hit::position);
        } else {
            sort::by_key(hits, |hit| hit.document);
        }
    }
    leaves
}

impl Collected {
    /// Adds the matches of a signature over several objects.
    fn join(
        &mut self,
        catalogue: &Catalogue,
        number: u32,
        tables: &[usize],
        facts: &Facts,
        listed: &Listed,
    ) {
        let condition = &catalogue.at(number as usize).condition;
        let omitted = tables.iter().map(|table| facts.omitted(*table));
        // a table whose facts were all omitted was not empty
        let mut seen = tables
            .iter()
            .map(|table| facts.count(*table) > 0 || facts.omitted(*table) > 0);
        if !may_hold(condition, &mut seen) {
            return;
        }
        self.leave_out(number, omitted.clone().sum());
        let refuting = refuting_objects(condition);
        // an object that was not kept might refute the match
        if omitted
            .zip(refuting)
            .any(|(omitted, refutes)| refutes && omitted > 0)
        {
            return;
        }
        let found = inventory::matches(condition, tables, facts, listed);
        let number = number as usize;
        if !found.is_empty() {
            self.matched.insert(number, found.len() as u64);
        }
        let found = found.into_iter().map(|found| (number, found));
        self.matches.extend(found);
    }

    /// Records the number of hits of a signature that were not kept.
    fn leave_out(&mut self, number: u32, hits: u64) {
        if hits > 0 {
            self.left_out.insert(number as usize, hits);
            self.at_least.insert(number as usize);
        }
    }

    /// Takes the matches of a signature each of whose hits is a match.
    fn take(
        &mut self,
        (catalogue, signature): (&Catalogue, usize),
        single: Single,
        settle: impl Fn(Moment) -> Moment + Copy,
        settled: impl Fn(&mut Hit) + Copy,
        listed: &Listed,
    ) {
        let condition = &catalogue.at(signature).condition;
        if single.matched > 0 {
            *self.matched.entry(signature).or_default() += single.matched;
        }
        if single.further > 0 {
            self.further.insert(signature, single.further);
        }
        if single.any_may_miss {
            self.at_least.insert(signature);
        }
        let also = in_order(single.also, settled);
        let mut objects = single.objects;
        for one in objects.iter_mut().flat_map(|object| &mut object.hits.kept) {
            settled(&mut one.hit);
        }
        sort::by_key(&mut objects, |object| {
            let first = object.hits.kept.first();
            first.map(|one| (one.hit.document, one.number))
        });
        for OfObject {
            hits: object,
            rivals,
        } in objects
        {
            // the end of the input may show who wrote a document
            let mut owns = object
                .kept
                .iter()
                .map(|one| signature_of_writer(catalogue, signature, &one.hit));
            let own = owns.next().flatten();
            let number = own.filter(|own| owns.all(|other| other == Some(*own)));
            let number = number.unwrap_or(signature);
            let rivals_were_cut = rivals
                .iter()
                .any(|rival| self.at_least.contains(&(*rival as usize)));
            if object.count > 0 || object.at_least || rivals_were_cut {
                let [first, last] = object.seen.settle(settle);
                let kept = object.kept.iter().map(|one| one.hit.record_at());
                self.surplus.push(Surplus {
                    signature: number,
                    kept: kept.collect(),
                    count: object.count,
                    first,
                    last,
                    at_least: object.at_least,
                    rivals_were_cut,
                });
            }
            let found = Single::matches(condition, object.kept, &also, listed);
            self.matches
                .extend(found.into_iter().map(|found| (number, found)));
        }
    }
}

impl Hits {
    fn new(catalogue: &Catalogue, number: u32) -> Self {
        let condition = &catalogue.at(number as usize).condition;
        if let Some(followed) = Followed::new(condition) {
            return Hits::Followed(Box::new(followed));
        }
        if condition.is_single() {
            return Hits::Single(Single::new(condition));
        }
        let several = several::of_condition(condition);
        match condition.leaves_alone() {
            Some(alone) => Hits::Mixed(Box::new(Mixed {
                single: Single::new(condition),
                alone,
                several,
            })),
            None => Hits::Several(several),
        }
    }

    /// Returns the hits that are matches alone, if its condition has such.
    fn single(&mut self) -> Option<&mut Single> {
        match self {
            Hits::Single(single) => Some(single),
            Hits::Mixed(mixed) => Some(&mut mixed.single),
            Hits::Followed(_) | Hits::Several(_) => None,
        }
    }
}
