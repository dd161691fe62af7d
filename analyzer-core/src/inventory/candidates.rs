//! The matches of one part of a condition that may be joined to those of another part, found by the values that both
//! must share.

use super::by_hash::ByHash;
use super::join::{Join, Partial};
use super::symbols::Symbol;
use kwhy_signature::{Comparison, Condition, Scope};

/// The properties that a candidate must share with the match it is joined to: the namespace, and values under the same
/// names. If one side lacks any of them, all candidates are tried. The first few shared names suffice as a key.
type Key = (Option<Symbol>, [Symbol; SHARED]);

/// The number of shared names whose values are part of the key.
const SHARED: usize = 3;

/// The matches of one part of a condition, indexed by what they must share with the others.
pub(super) struct Candidates<'j, 'f> {
    join: &'j Join<'f>,
    condition: &'j Condition,
    all: Vec<Partial>,
    /// The names that both sides capture.
    shared: Vec<Symbol>,
    by_key: ByHash,
    /// The candidates that lack a part of the key.
    others: Vec<u32>,
    /// The name of the selector that must select the candidates' labels, if there is one.
    selector: Option<Symbol>,
    /// The candidates whose namespace must be shared but is unknown.
    unplaced: Vec<u32>,
    by_label: ByHash,
}

impl<'j, 'f> Candidates<'j, 'f> {
    pub fn new(
        join: &'j Join<'f>,
        condition: &'j Condition,
        (part, known): (&Condition, &[&str]),
        all: Vec<Partial>,
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
            by_key: ByHash::default(),
            others: Vec::new(),
            selector: None,
            unplaced: Vec::new(),
            by_label: ByHash::default(),
        };
        candidates.index_labels(part, known);
        let mut by_key = ByHash::with_capacity(candidates.all.len());
        for (number, partial) in (0..).zip(&candidates.all) {
            match candidates.key(partial) {
                Some(key) => by_key.push(&key, number),
                None => candidates.others.push(number),
            }
        }
        by_key.sort();
        let key = |number: u32| candidates.key(candidates.get(number)?);
        let said = |number: u32| Some(join.captures(candidates.get(number)?).collect::<Vec<_>>());
        by_key.omit_repeated(key, said);
        candidates.by_key = by_key;
        candidates
    }

    /// Returns the candidate with a number.
    fn get(&self, number: u32) -> Option<&Partial> {
        self.all.get(number as usize)
    }

    /// Indexes candidates by label if the other part must select their labels.
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
        let mut by_label = ByHash::with_capacity(self.all.len());
        for (number, partial) in (0..).zip(&self.all) {
            let Some(labels) = self.join.value(partial, labels) else {
                continue;
            };
            let Some(namespace) = self.scope(partial) else {
                self.unplaced.push(number);
                continue;
            };
            for label in self.join.symbols().text(labels).split(',') {
                by_label.push(&(namespace, label.trim()), number);
            }
        }
        by_label.sort();
        self.by_label = by_label;
    }

    /// Returns the candidates with the first `key=value` label that a match's selector demands; `None` if it demands
    /// none.
    fn of_label(&self, partial: &Partial) -> Option<impl Iterator<Item = u32> + '_> {
        let selector = self
            .join
            .symbols()
            .text(self.join.value(partial, self.selector?)?);
        let is_plain = |part: &&str| {
            let label = part.split_once('=');
            label.is_some_and(|(key, value)| {
                let is_odd = |c: char| c.is_whitespace() || matches!(c, '!' | '=' | '(' | ')');
                !key.is_empty() && !key.contains(is_odd) && !value.contains(is_odd)
            })
        };
        let label = selector.split(',').map(str::trim).find(is_plain)?;
        // a list in parentheses contains commas too
        if selector.contains('(') {
            return None;
        }
        Some(
            self.by_label
                .of(ByHash::key(&(self.scope(partial).flatten(), label))),
        )
    }

    /// The namespace that a match must share, if any; `None` if it must but the input does not name it.
    fn scope(&self, partial: &Partial) -> Option<Option<Symbol>> {
        match self.condition.per {
            Scope::Namespace => self.join.namespace(partial).map(Some),
            _ => Some(None),
        }
    }

    /// Returns the key of a match; `None` if it lacks a part.
    fn key(&self, partial: &Partial) -> Option<Key> {
        let namespace = self.scope(partial)?;
        let mut values = [Symbol::NONE; SHARED];
        for (slot, name) in values.iter_mut().zip(&self.shared) {
            *slot = self.join.value(partial, *name)?;
        }
        Some((namespace, values))
    }

    /// Returns the candidates that may fit a match.
    fn of(&self, partial: &Partial) -> Box<dyn Iterator<Item = &Partial> + '_> {
        let labelled = self
            .of_label(partial)
            .filter(|_| self.scope(partial).is_some());
        match (self.key(partial), labelled) {
            (_, Some(labelled)) => {
                let unplaced = self.unplaced.iter().copied();
                Box::new(
                    labelled
                        .chain(unplaced)
                        .filter_map(|number| self.get(number)),
                )
            }
            (Some(key), None) => {
                let others = self.others.iter().copied();
                let keyed = self.by_key.of(ByHash::key(&key)).chain(others);
                Box::new(keyed.filter_map(|number| self.get(number)))
            }
            (None, None) => Box::new(self.all.iter()),
        }
    }

    /// Returns true if some candidate fits a match and satisfies a predicate.
    pub fn any(&self, partial: &Partial, mut holds: impl FnMut(&Partial) -> bool) -> bool {
        self.of(partial)
            .any(|other| self.join.fits(partial, other, self.condition.per) && holds(other))
    }

    /// Returns the candidate nearest to a place among those that fit a match.
    pub fn nearest(&self, partial: &Partial, at: (usize, usize)) -> Option<&Partial> {
        let fits = |other: &&Partial| {
            let value = |name: Symbol| {
                self.join
                    .value(partial, name)
                    .or_else(|| self.join.value(other, name))
            };
            self.join.fits(partial, other, self.condition.per)
                && self.join.compares_with(self.condition, false, value)
        };
        self.of(partial).filter(fits).min_by_key(|other| {
            let (document, start) = self.join.position(other);
            (document != at.0, start.abs_diff(at.1))
        })
    }
}
