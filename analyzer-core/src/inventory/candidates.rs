//! The matches of one part of a condition that may be joined to those of another one, found by what both must share.

use std::collections::HashSet;

use super::join::{Join, Partial};
use super::symbols::{Symbol, hash};
use kwhy_signature::{Comparison, Condition, Scope};

/// The namespace and the hash of a label, and the number of an object that has it.
type Labelled = ((Option<Symbol>, u64), u32);

/// The number of candidates up to which the nearest one is looked for. Of more, those that say the same as another one
/// are omitted.
const FEW: usize = 64;

/// What a candidate must share with what it is joined to: its namespace, and values under the same names. Where one side
/// lacks a part of it, all candidates are looked at.
/// Of many shared names the first ones are enough to find them.
type Key = (Option<Symbol>, [Symbol; SHARED]);

/// The number of names whose values candidates are found by.
const SHARED: usize = 3;

/// Numbers of candidates by a key, in order.
type Numbers<K> = Vec<(K, u32)>;

/// Sorts numbers by their keys.
fn sorted<K: Ord>(mut numbers: Numbers<K>) -> Numbers<K> {
    numbers.sort_unstable();
    numbers.shrink_to_fit();
    numbers
}

/// The entries with a key.
fn with_key<'n, K: Ord>(numbers: &'n Numbers<K>, key: &K) -> &'n [(K, u32)] {
    let first = numbers.partition_point(|(known, _)| known < key);
    let rest = numbers.get(first..).unwrap_or_default();
    let end = rest.partition_point(|(known, _)| known <= key);
    rest.get(..end).unwrap_or_default()
}

/// The matches of one part of a condition, by what they must share with the others.
pub(super) struct Candidates<'j, 'f> {
    join: &'j Join<'f>,
    condition: &'j Condition,
    all: Vec<Partial<'f>>,
    /// The names that both sides capture.
    shared: Vec<Symbol>,
    by_key: Numbers<Key>,
    /// Those that lack a part of the key.
    others: Vec<u32>,
    /// Where a selector must select their labels: its name, and those that have a label.
    selector: Option<Symbol>,
    /// Those whose namespace the input does not name, where it must be shared.
    unplaced: Vec<u32>,
    by_label: Numbers<(Option<Symbol>, u64)>,
}

impl<'j, 'f> Candidates<'j, 'f> {
    pub fn new(
        join: &'j Join<'f>,
        condition: &'j Condition,
        (part, known): (&Condition, &[&str]),
        all: Vec<Partial<'f>>,
    ) -> Candidates<'j, 'f> {
        let mut shared = Vec::new();
        part.captures(&mut shared);
        shared.retain(|name| known.contains(name));
        let shared = shared.into_iter();
        let shared = shared.filter_map(|name| join.name(name));
        let mut shared: Vec<Symbol> = shared.filter(|name| Some(*name) != join.item).collect();
        shared.sort_unstable();
        shared.dedup();
        let mut candidates = Candidates {
            join,
            condition,
            all,
            shared,
            by_key: Vec::new(),
            others: Vec::new(),
            selector: None,
            unplaced: Vec::new(),
            by_label: Vec::new(),
        };
        candidates.index_labels(part, known);
        let mut by_key = Vec::new();
        for (number, partial) in (0..).zip(&candidates.all) {
            match candidates.key(partial) {
                Some(key) => by_key.push((key, number)),
                None => candidates.others.push(number),
            }
        }
        let by_key = sorted(by_key);
        let mut kept = Vec::with_capacity(by_key.len());
        for alike in by_key.chunk_by(|(one, _), (other, _)| one == other) {
            let mut said = HashSet::new();
            let is_new = |(_, number): &&(Key, u32)| {
                alike.len() <= FEW
                    || candidates
                        .get(*number)
                        .is_some_and(|partial| said.insert(partial.captures().collect::<Vec<_>>()))
            };
            kept.extend(alike.iter().filter(is_new));
        }
        candidates.by_key = kept;
        candidates
    }

    /// The candidate with a number.
    fn get(&self, number: u32) -> Option<&Partial<'f>> {
        self.all.get(number as usize)
    }

    /// Finds candidates by their labels if one of what they are joined to must select these.
    fn index_labels(&mut self, part: &Condition, known: &[&str]) {
        let mut own = Vec::new();
        part.captures(&mut own);
        let asked = self.condition.comparisons.iter().chain(&part.open);
        let selections = asked.filter_map(Comparison::selection);
        let found = selections
            .filter(|[selector, labels]| known.contains(selector) && own.contains(labels))
            .find_map(|[selector, labels]| {
                Some((self.join.name(selector)?, self.join.name(labels)?))
            });
        let Some((selector, labels)) = found else {
            return;
        };
        self.selector = Some(selector);
        let mut by_label = Vec::new();
        for (number, partial) in (0..).zip(&self.all) {
            let Some(labels) = partial.value(labels) else {
                continue;
            };
            let Some(namespace) = self.scope(partial) else {
                self.unplaced.push(number);
                continue;
            };
            for label in self.join.symbols().text(labels).split(',') {
                by_label.push(((namespace, hash(label.trim())), number));
            }
        }
        self.by_label = sorted(by_label);
    }

    /// The candidates that have the first label which a match's selector demands; none if it demands none by its value.
    fn of_label(&self, partial: &Partial<'f>) -> Option<&[Labelled]> {
        let selector = self.join.symbols().text(partial.value(self.selector?)?);
        let is_plain = |part: &&str| {
            let label = part.split_once('=');
            label.is_some_and(|(key, value)| {
                let is_odd = |c: char| c.is_whitespace() || matches!(c, '!' | '=' | '(' | ')');
                !key.is_empty() && !key.contains(is_odd) && !value.contains(is_odd)
            })
        };
        let label = selector.split(',').map(str::trim).find(is_plain)?;
        // a list in parentheses has commas, too
        if selector.contains('(') {
            return None;
        }
        let key = (self.scope(partial).flatten(), hash(label));
        Some(with_key(&self.by_label, &key))
    }

    /// The namespace that a match must share, if it must; none if the input does not name it.
    fn scope(&self, partial: &Partial<'f>) -> Option<Option<Symbol>> {
        match self.condition.per {
            Scope::Namespace => self.join.namespace(partial).map(Some),
            _ => Some(None),
        }
    }

    /// Returns the key of a match; none if it lacks a part.
    fn key(&self, partial: &Partial<'f>) -> Option<Key> {
        let namespace = self.scope(partial)?;
        let mut values = [Symbol::NONE; SHARED];
        for (slot, name) in values.iter_mut().zip(&self.shared) {
            *slot = partial.value(*name)?;
        }
        Some((namespace, values))
    }

    /// The candidates that may fit a match.
    fn of(&self, partial: &Partial<'f>) -> Box<dyn Iterator<Item = &Partial<'f>> + '_> {
        let labelled = self
            .of_label(partial)
            .filter(|_| self.scope(partial).is_some());
        match (self.key(partial), labelled) {
            (_, Some(labelled)) => {
                let labelled = labelled.iter().filter_map(|(_, number)| self.get(*number));
                let unplaced = self.unplaced.iter();
                Box::new(labelled.chain(unplaced.filter_map(|number| self.get(*number))))
            }
            (Some(key), None) => {
                let keyed = with_key(&self.by_key, &key).iter();
                let others = self.others.iter();
                let keyed = keyed.filter_map(|(_, number)| self.get(*number));
                Box::new(keyed.chain(others.filter_map(|number| self.get(*number))))
            }
            (None, None) => Box::new(self.all.iter()),
        }
    }

    /// Returns true if a candidate fits a match and fulfils a condition.
    pub fn any(&self, partial: &Partial<'f>, mut holds: impl FnMut(&Partial<'f>) -> bool) -> bool {
        self.of(partial)
            .any(|other| self.join.fits(partial, other, self.condition.per) && holds(other))
    }

    /// Of the candidates that fit a match, the one nearest to a place.
    pub fn nearest(&self, partial: &Partial<'f>, at: (usize, usize)) -> Option<&Partial<'f>> {
        let fits = |other: &&Partial<'f>| {
            let value = |name: Symbol| partial.value(name).or_else(|| other.value(name));
            self.join.fits(partial, other, self.condition.per)
                && self.join.compares_with(self.condition, false, value)
        };
        self.of(partial).filter(fits).min_by_key(|other| {
            let (document, start) = self.join.position(other);
            (document != at.0, start.abs_diff(at.1))
        })
    }
}
