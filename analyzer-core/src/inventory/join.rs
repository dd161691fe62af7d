//! Conditions on several objects, over the facts of an inventory.
//!
//! The meaning is that of `matcher::evaluate`. There each pair is looked at; here candidates are found by the namespace
//! and by the values that both sides captured under one name, so that a cluster of a hundred thousand objects can be
//! held against itself.

use std::collections::{HashMap, HashSet};

use super::facts::{Fact, Facts};
use super::symbols::{Symbol, Symbols};
use crate::engine::Listed;
use crate::matcher::{Match, is_known, related};
use kwhy_signature::{Condition, Scope, What};

/// The number of candidates up to which the nearest one is looked for. Of more, those that say the same as another one
/// are left out.
const FEW: usize = 64;

/// Facts that together fulfil a condition; the one that proves most comes first.
#[derive(Clone, Debug)]
struct Partial<'f> {
    facts: Vec<&'f Fact>,
    captures: Vec<(Symbol, Symbol)>,
}

impl<'f> Partial<'f> {
    fn value(&self, name: Symbol) -> Option<Symbol> {
        let mut captures = self.captures.iter();
        captures
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    /// Adds the facts and captures of another one.
    fn join(&mut self, other: &Partial<'f>) {
        self.facts.extend(&other.facts);
        for (name, value) in &other.captures {
            if self.value(*name).is_none() {
                self.captures.push((*name, *value));
            }
        }
    }
}

/// Evaluates conditions on the facts of an input.
struct Join<'f> {
    facts: &'f Facts,
    listed: &'f Listed,
    /// The name of what `each` found, which may differ between two objects.
    item: Option<Symbol>,
}

/// Returns the matches of a signature's condition; `tables` are those of its leaves, in their order.
pub(crate) fn matches(
    condition: &Condition,
    tables: &[usize],
    facts: &Facts,
    listed: &Listed,
) -> Vec<Match> {
    let join = Join {
        facts,
        listed,
        item: facts.symbols.find("item"),
    };
    let found = join.evaluate(condition, &mut tables.iter());
    let whole = |partial: &Partial<'_>| join.whole(partial);
    found.iter().filter_map(whole).collect()
}

impl<'f> Join<'f> {
    fn of_fact(&self, fact: &'f Fact) -> Partial<'f> {
        Partial {
            facts: vec![fact],
            captures: self.facts.captures(fact).to_vec(),
        }
    }

    /// The position in the input of what proves most.
    fn position(&self, partial: &Partial<'f>) -> (usize, usize) {
        let first = partial.facts.first();
        first.map_or((0, 0), |fact| self.facts.position(fact))
    }

    fn namespace(&self, partial: &Partial<'f>) -> Option<Symbol> {
        self.facts.namespace(partial.facts.first()?)
    }

    fn symbols(&self) -> &'f Symbols {
        &self.facts.symbols
    }

    /// Makes the match of facts: the first leads, the others are details of it.
    fn whole(&self, partial: &Partial<'f>) -> Option<Match> {
        let mut hits: Vec<_> = (partial.facts.iter())
            .filter_map(|fact| self.facts.hit(fact))
            .collect();
        hits.iter_mut().skip(1).for_each(|hit| hit.leads = false);
        hits.first()?;
        let text = |symbol: Symbol| self.symbols().text(symbol).to_owned();
        let captures = partial.captures.iter();
        let captures = captures.map(|(name, value)| (text(*name), text(*value)));
        Some(Match {
            hits,
            captures: captures.collect(),
        })
    }

    fn evaluate(
        &self,
        condition: &Condition,
        tables: &mut std::slice::Iter<'_, usize>,
    ) -> Vec<Partial<'f>> {
        let mut found = match &condition.what {
            What::Any(parts) => {
                let parts = parts.iter();
                parts.flat_map(|part| self.evaluate(part, tables)).collect()
            }
            What::All(parts) => self.together(condition, parts, tables),
            What::Object(_) | What::Event(_) | What::Sequence(_) => {
                let table = tables.next().copied().unwrap_or(usize::MAX);
                let facts = self.facts.of_table(table).iter();
                facts.map(|fact| self.of_fact(fact)).collect()
            }
        };
        found.retain(|partial: &Partial<'f>| self.compares(condition, partial, true));
        let known = known_names(condition);
        for further in &condition.also {
            let all = self.evaluate(further, tables);
            let others = Candidates::new(self, condition, (further, &known), all);
            for partial in &mut found {
                if let Some(nearest) = others.nearest(partial, self.position(partial)) {
                    partial.join(nearest);
                }
            }
        }
        for absent in &condition.none {
            let all = self.evaluate(absent, tables);
            let refuting = Candidates::new(self, condition, (absent, &known), all);
            found.retain(|partial| {
                self.is_known(absent, partial)
                    && !refuting.any(partial, |other| {
                        let mut open = absent.open.iter();
                        open.all(|comparison| {
                            comparison.holds(|name| {
                                let name = self.symbols().find(name)?;
                                let value = other.value(name).or_else(|| partial.value(name))?;
                                Some(self.symbols().text(value))
                            })
                        })
                    })
            });
        }
        found
    }

    /// For each match of the first part, the nearest fitting match of every other part.
    fn together(
        &self,
        condition: &Condition,
        parts: &[Condition],
        tables: &mut std::slice::Iter<'_, usize>,
    ) -> Vec<Partial<'f>> {
        let Some((first, further)) = parts.split_first() else {
            return Vec::new();
        };
        let mut known = known_names(first);
        let first = self.evaluate(first, tables);
        // every part must be evaluated, so that the tables stay in step
        let mut others: Vec<Candidates<'_, 'f>> = Vec::new();
        for part in further {
            let all = self.evaluate(part, tables);
            others.push(Candidates::new(self, condition, (part, &known), all));
            known.extend(known_names(part));
        }
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for anchor in first {
            let mut at = self.position(&anchor);
            let mut whole = anchor;
            let is_complete = others.iter().all(|candidates| {
                let Some(next) = candidates.nearest(&whole, at) else {
                    return false;
                };
                at = self.position(next);
                whole.join(next);
                true
            });
            let mut records: Vec<_> = whole
                .facts
                .iter()
                .map(|fact| self.facts.position(fact))
                .collect();
            records.sort_unstable();
            // two alike parts find each other twice
            if is_complete && seen.insert(records) {
                found.push(whole);
            }
        }
        found
    }

    /// Returns true if the comparisons hold; before the match is complete, those whose values are known.
    fn compares(&self, condition: &Condition, partial: &Partial<'f>, complete: bool) -> bool {
        self.compares_with(condition, complete, |name| partial.value(name))
    }

    fn compares_with(
        &self,
        condition: &Condition,
        complete: bool,
        value: impl Fn(Symbol) -> Option<Symbol>,
    ) -> bool {
        let text = |name: &str| {
            let value = value(self.symbols().find(name)?)?;
            Some(self.symbols().text(value))
        };
        condition.comparisons.iter().all(|comparison| {
            let is_open = !complete && !comparison.captures().all(|name| text(name).is_some());
            is_open || comparison.holds(text)
        })
    }

    /// Returns true if the input shows whether there is what an entry of `none` asks for.
    fn is_known(&self, absent: &Condition, partial: &Partial<'f>) -> bool {
        let text = |symbol: Symbol| self.symbols().text(symbol);
        let value = |name: &str| partial.value(self.symbols().find(name)?).map(text);
        is_known(
            absent,
            self.namespace(partial).map(text),
            value,
            self.listed,
        )
    }

    /// Returns true if no name has two values, and all facts share what the scope demands.
    fn fits(&self, one: &Partial<'f>, other: &Partial<'f>, scope: Scope) -> bool {
        let agrees = |(name, value): &(Symbol, Symbol)| {
            Some(*name) == self.item || other.value(*name).is_none_or(|theirs| theirs == *value)
        };
        one.captures.iter().all(agrees)
            && one.facts.iter().all(|mine| {
                let mut theirs = other.facts.iter();
                theirs.all(|theirs| self.are_related(mine, theirs, scope))
            })
    }

    fn are_of_one_document(&self, one: &Fact, other: &Fact) -> bool {
        self.facts.position(one).0 == self.facts.position(other).0
    }

    fn are_related(&self, one: &Fact, other: &Fact, scope: Scope) -> bool {
        match scope {
            Scope::Input => true,
            Scope::Namespace => match (self.facts.namespace(one), self.facts.namespace(other)) {
                (Some(one), Some(other)) => one == other,
                _ => self.are_of_one_document(one, other),
            },
            Scope::Source => self.are_of_one_document(one, other),
            Scope::Node | Scope::Subject | Scope::Owner => {
                let hits = self.facts.hit(one).zip(self.facts.hit(other));
                hits.is_some_and(|(one, other)| related(&one, &other, scope))
            }
        }
    }
}

/// What a candidate must share with what it is joined to: its namespace, and values under the same names. Where one side
/// lacks a part of it, all candidates are looked at.
type Key = (Option<Symbol>, Vec<Symbol>);

/// The matches of one part of a condition, by what they must share with the others.
struct Candidates<'j, 'f> {
    join: &'j Join<'f>,
    condition: &'j Condition,
    all: Vec<Partial<'f>>,
    /// The names that both sides capture.
    shared: Vec<Symbol>,
    by_key: HashMap<Key, Vec<usize>>,
    /// Those that lack a part of the key.
    others: Vec<usize>,
}

impl<'j, 'f> Candidates<'j, 'f> {
    fn new(
        join: &'j Join<'f>,
        condition: &'j Condition,
        (part, known): (&Condition, &[&str]),
        all: Vec<Partial<'f>>,
    ) -> Candidates<'j, 'f> {
        let mut shared = Vec::new();
        part.captures(&mut shared);
        shared.retain(|name| known.contains(name));
        let shared = shared.into_iter();
        let shared = shared.filter_map(|name| join.symbols().find(name));
        let mut shared: Vec<Symbol> = shared.filter(|name| Some(*name) != join.item).collect();
        shared.sort_unstable();
        shared.dedup();
        let mut candidates = Candidates {
            join,
            condition,
            all,
            shared,
            by_key: HashMap::new(),
            others: Vec::new(),
        };
        for (number, partial) in candidates.all.iter().enumerate() {
            match candidates.key(partial) {
                Some(key) => candidates.by_key.entry(key).or_default().push(number),
                None => candidates.others.push(number),
            }
        }
        let all = &candidates.all;
        for numbers in candidates
            .by_key
            .values_mut()
            .filter(|numbers| numbers.len() > FEW)
        {
            let mut said = HashSet::new();
            numbers.retain(|number| {
                all.get(*number)
                    .is_some_and(|partial| said.insert(&partial.captures))
            });
        }
        candidates
    }

    /// Returns the key of a match; none if it lacks a part.
    fn key(&self, partial: &Partial<'f>) -> Option<Key> {
        let namespace = match self.condition.per {
            Scope::Namespace => Some(self.join.namespace(partial)?),
            _ => None,
        };
        let values = self.shared.iter().map(|name| partial.value(*name));
        Some((namespace, values.collect::<Option<Vec<_>>>()?))
    }

    /// The candidates that may fit a match.
    fn of(&self, partial: &Partial<'f>) -> Box<dyn Iterator<Item = &Partial<'f>> + '_> {
        let all = |numbers: &'_ [usize]| -> Vec<&Partial<'f>> {
            numbers
                .iter()
                .filter_map(|number| self.all.get(*number))
                .collect()
        };
        match self.key(partial) {
            Some(key) => {
                let keyed = self.by_key.get(&key).map_or(&[][..], Vec::as_slice);
                Box::new(all(keyed).into_iter().chain(all(&self.others)))
            }
            None => Box::new(self.all.iter()),
        }
    }

    /// Returns true if a candidate fits a match and fulfils a condition.
    fn any(&self, partial: &Partial<'f>, mut holds: impl FnMut(&Partial<'f>) -> bool) -> bool {
        self.of(partial)
            .any(|other| self.join.fits(partial, other, self.condition.per) && holds(other))
    }

    /// Of the candidates that fit a match, the one nearest to a place.
    fn nearest(&self, partial: &Partial<'f>, at: (usize, usize)) -> Option<&Partial<'f>> {
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

/// The names that each match of a condition may have values of, without what only adds to it.
fn known_names(condition: &Condition) -> Vec<&str> {
    let mut names = Vec::new();
    condition.leaf_captures(&mut names);
    if let What::All(parts) | What::Any(parts) | What::Sequence(parts) = &condition.what {
        for part in parts {
            names.extend(known_names(part));
        }
    }
    names
}
