//! Evaluates conditions over several objects on the facts of an inventory.
//!
//! The semantics are those of `matcher::evaluate`. That compares every pair; here candidates are found by namespace and
//! by the values that both sides captured under one name, so that a cluster of a hundred thousand objects can be joined
//! with itself.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::candidates::Candidates;
use super::facts::{Fact, Facts};
use super::room::make_room;
use super::symbols::{Symbol, Symbols};
use crate::engine::Listed;
use crate::matcher::{Match, is_known, related};
use kwhy_signature::{Comparison, Condition, Scope, What, leaves};

/// Facts that together fulfil a condition.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    /// The fact that proves most.
    first: Fact,
    /// Boxed, as most facts are never joined to anything.
    joined: Option<Box<Joined>>,
}

/// The further facts and captures of a match.
#[derive(Clone, Debug, Default)]
struct Joined {
    further: Vec<Fact>,
    /// Their captures under names that the earlier facts do not capture.
    captures: Vec<(Symbol, Symbol)>,
}

impl Partial {
    fn of(fact: Fact) -> Partial {
        Partial {
            first: fact,
            joined: None,
        }
    }

    fn facts(&self) -> impl Iterator<Item = Fact> {
        let further = self.joined.iter().flat_map(|joined| &joined.further);
        std::iter::once(self.first).chain(further.copied())
    }
}

/// Evaluates conditions on the facts of an input.
pub(super) struct Join<'f> {
    facts: &'f Facts,
    listed: &'f Listed,
    /// The names of captures.
    names: Vec<(String, Symbol)>,
    /// The name under which `each` captures an item, which may differ between two objects.
    pub(super) item: Option<Symbol>,
    /// A cache of comparisons of two values, as many objects have the same labels.
    known: RefCell<HashMap<(*const Comparison, Symbol, Symbol), bool>>,
}

/// The maximum number of cached comparisons.
const MAX_KNOWN: usize = 1 << 14;

/// Returns the matches of a signature's condition; `tables` are those of its leaves, in order.
pub(crate) fn matches(
    condition: &Condition,
    tables: &[usize],
    facts: &Facts,
    listed: &Listed,
) -> Vec<Match> {
    let mut names = Vec::new();
    all_names(condition, &mut names);
    names.push("item");
    names.sort_unstable();
    names.dedup();
    let symbol = |name: &str| Some((name.to_owned(), facts.symbols.find(name)?));
    let join = Join {
        facts,
        listed,
        names: names.into_iter().filter_map(symbol).collect(),
        item: facts.symbols.find("item"),
        known: RefCell::default(),
    };
    let found = join.evaluate(condition, &mut tables.iter());
    let whole = |partial: &Partial| join.whole(partial);
    found.iter().filter_map(whole).collect()
}

impl<'f> Join<'f> {
    /// The names and values that the facts of a match captured.
    pub(super) fn captures(&self, partial: &Partial) -> impl Iterator<Item = (Symbol, Symbol)> {
        let joined = partial.joined.iter().flat_map(|joined| &joined.captures);
        self.facts.captures(partial.first).chain(joined.copied())
    }

    /// Returns the value that a match captured under a name.
    pub(super) fn value(&self, partial: &Partial, name: Symbol) -> Option<Symbol> {
        let mut captures = self.captures(partial);
        captures
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Adds the facts and captures of another match.
    fn join(&self, partial: &mut Partial, other: &Partial) {
        let mut joined = partial.joined.take().unwrap_or_default();
        joined.further.extend(other.facts());
        for (name, value) in self.captures(other) {
            let own = self.facts.captures(partial.first);
            let mut known = own.chain(joined.captures.iter().copied());
            if known.all(|(known, _)| known != name) {
                joined.captures.push((name, value));
            }
        }
        partial.joined = Some(joined);
    }

    /// Returns the position in the input of the fact that proves most.
    pub(super) fn position(&self, partial: &Partial) -> (usize, usize) {
        self.facts.position(partial.first)
    }

    pub(super) fn namespace(&self, partial: &Partial) -> Option<Symbol> {
        self.facts.namespace(partial.first)
    }

    pub(super) fn name(&self, name: &str) -> Option<Symbol> {
        let mut names = self.names.iter();
        names
            .find(|(known, _)| known == name)
            .map(|(_, symbol)| *symbol)
    }

    /// Returns true if a comparison holds.
    fn holds(&self, comparison: &Comparison, value: impl Fn(Symbol) -> Option<Symbol>) -> bool {
        let text = |name: &str| {
            let value = value(self.name(name)?)?;
            Some(self.symbols().text(value))
        };
        let mut names = comparison.captures();
        let (Some(one), Some(two), None) = (names.next(), names.next(), names.next()) else {
            return comparison.holds(text);
        };
        let value = |name: &str| value(self.name(name)?);
        let (Some(one), Some(two)) = (value(one), value(two)) else {
            return comparison.holds(text);
        };
        let key = (std::ptr::from_ref(comparison), one, two);
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        *known.entry(key).or_insert_with(|| comparison.holds(text))
    }

    pub(super) fn symbols(&self) -> &'f Symbols {
        &self.facts.symbols
    }

    /// Converts facts to a match: the first one leads, the others are details.
    fn whole(&self, partial: &Partial) -> Option<Match> {
        let mut hits: Vec<_> = partial
            .facts()
            .filter_map(|fact| self.facts.hit(fact))
            .collect();
        hits.iter_mut().skip(1).for_each(|hit| hit.leads = false);
        hits.first()?;
        let text = |symbol: Symbol| self.symbols().text(symbol).to_owned();
        let captures = self.captures(partial);
        let captures = captures.map(|(name, value)| (text(name), text(value)));
        Some(Match {
            hits,
            captures: captures.collect(),
        })
    }

    fn evaluate(
        &self,
        condition: &Condition,
        tables: &mut std::slice::Iter<'_, usize>,
    ) -> Vec<Partial> {
        let mut found = match &condition.what {
            What::Any(parts) => {
                let mut parts = parts.iter();
                let first = parts.next().map(|part| self.evaluate(part, tables));
                parts.fold(first.unwrap_or_default(), |mut found, part| {
                    let mut more = self.evaluate(part, tables);
                    make_room(&mut found, more.len());
                    found.append(&mut more);
                    found
                })
            }
            What::All(parts) => self.together(condition, parts, tables),
            What::Object(_) | What::Event(_) | What::Sequence(_) => {
                let table = tables.next().copied().unwrap_or(usize::MAX);
                let mut found = Vec::with_capacity(self.facts.count(table));
                found.extend(self.facts.of_table(table).map(Partial::of));
                found
            }
        };
        found.retain(|partial: &Partial| self.compares(condition, partial, true));
        let known = known_names(condition);
        for further in &condition.also {
            let all = self.evaluate(further, tables);
            let others = Candidates::new(self, condition, (further, &known), all);
            for partial in &mut found {
                if let Some(nearest) = others.nearest(partial, self.position(partial)) {
                    self.join(partial, nearest);
                }
            }
        }
        for absent in &condition.none {
            self.refute(condition, (absent, &known), &mut found, tables, |_, _| true);
        }
        found
    }

    /// Drops the matches that an entry of `none` refutes.
    fn refute(
        &self,
        condition: &Condition,
        (absent, known): (&Condition, &[&str]),
        found: &mut Vec<Partial>,
        tables: &mut std::slice::Iter<'_, usize>,
        counts: impl Fn(&Partial, &Partial) -> bool,
    ) {
        let all = self.evaluate(absent, tables);
        let refuting = Candidates::new(self, condition, (absent, known), all);
        found.retain(|partial| {
            let compares = |other: &Partial| {
                let value = |name| {
                    self.value(other, name)
                        .or_else(|| self.value(partial, name))
                };
                counts(partial, other) && absent.open.iter().all(|open| self.holds(open, value))
            };
            self.is_known(absent, partial) && !refuting.any(partial, compares)
        });
    }

    /// Drops the matches of a condition's first part that an entry of `none` refutes whatever they are joined to. This
    /// is cheap, and most objects are healthy. `tables` are those after the parts.
    fn refute_first(
        &self,
        condition: &Condition,
        parts: &[Condition],
        first: &mut Vec<Partial>,
        mut tables: std::slice::Iter<'_, usize>,
    ) {
        let (Some(part), [], Scope::Namespace) = (parts.first(), &*condition.also, condition.per)
        else {
            return;
        };
        let known = known_names(part);
        let others: Vec<&str> = parts.iter().skip(1).flat_map(known_names).collect();
        for absent in &condition.none {
            let mut own = Vec::new();
            absent.captures(&mut own);
            let asked = absent.open.iter().flat_map(Comparison::captures);
            let is_bound = |name: &str| !others.contains(&name) || known.contains(&name);
            if own.iter().copied().chain(asked).all(is_bound) {
                // if a namespace is unknown, the joined facts decide as well
                let are_named = |partial: &Partial, other: &Partial| {
                    partial
                        .facts()
                        .chain(other.facts())
                        .all(|fact| self.facts.namespace(fact).is_some())
                };
                self.refute(condition, (absent, &known), first, &mut tables, are_named);
            } else {
                self.skip(absent, &mut tables);
            }
        }
    }

    /// Skips the tables of a condition.
    fn skip(&self, condition: &Condition, tables: &mut std::slice::Iter<'_, usize>) {
        let mut all = Vec::new();
        leaves(condition, &mut all);
        all.iter().for_each(|_| {
            tables.next();
        });
    }

    /// Returns, for each match of the first part, its join with the nearest fitting match of every other part.
    fn together(
        &self,
        condition: &Condition,
        parts: &[Condition],
        tables: &mut std::slice::Iter<'_, usize>,
    ) -> Vec<Partial> {
        let Some((first, further)) = parts.split_first() else {
            return Vec::new();
        };
        let mut known = known_names(first);
        let mut anchors = self.evaluate(first, tables);
        let mut after = tables.clone();
        further.iter().for_each(|part| self.skip(part, &mut after));
        self.refute_first(condition, parts, &mut anchors, after);
        // every part must be evaluated, so that the tables stay in step
        let mut others: Vec<Candidates<'_, 'f>> = Vec::new();
        for part in further {
            let all = self.evaluate(part, tables);
            others.push(Candidates::new(self, condition, (part, &known), all));
            known.extend(known_names(part));
        }
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for anchor in anchors {
            let mut at = self.position(&anchor);
            let mut whole = anchor;
            let is_complete = others.iter().all(|candidates| {
                let Some(next) = candidates.nearest(&whole, at) else {
                    return false;
                };
                at = self.position(next);
                self.join(&mut whole, next);
                true
            });
            let mut records: Vec<_> = whole
                .facts()
                .map(|fact| self.facts.position(fact))
                .collect();
            records.sort_unstable();
            // two equal parts find each other twice
            if is_complete && seen.insert(records) {
                found.push(whole);
            }
        }
        found
    }

    /// Returns true if the comparisons hold; while the match is incomplete, those whose values are known.
    fn compares(&self, condition: &Condition, partial: &Partial, complete: bool) -> bool {
        self.compares_with(condition, complete, |name| self.value(partial, name))
    }

    pub(super) fn compares_with(
        &self,
        condition: &Condition,
        complete: bool,
        value: impl Fn(Symbol) -> Option<Symbol>,
    ) -> bool {
        let has = |name: &str| self.name(name).and_then(&value).is_some();
        condition.comparisons.iter().all(|comparison| {
            let is_open = !complete && !comparison.captures().all(has);
            is_open || self.holds(comparison, &value)
        })
    }

    /// Returns true if the input shows whether the object of an entry of `none` exists.
    fn is_known(&self, absent: &Condition, partial: &Partial) -> bool {
        let text = |symbol: Symbol| self.symbols().text(symbol);
        let value = |name: &str| self.value(partial, self.name(name)?).map(text);
        is_known(
            absent,
            self.namespace(partial).map(text),
            value,
            self.listed,
        )
    }

    /// Returns true if no name has two different values, and all facts share what the scope demands.
    pub(super) fn fits(&self, one: &Partial, other: &Partial, scope: Scope) -> bool {
        let agrees = |(name, value): (Symbol, Symbol)| {
            Some(name) == self.item || self.value(other, name).is_none_or(|theirs| theirs == value)
        };
        self.captures(one).all(agrees)
            && one.facts().all(|mine| {
                let mut theirs = other.facts();
                theirs.all(|theirs| self.are_related(mine, theirs, scope))
            })
    }

    fn are_of_one_document(&self, one: Fact, other: Fact) -> bool {
        self.facts.position(one).0 == self.facts.position(other).0
    }

    fn are_related(&self, one: Fact, other: Fact, scope: Scope) -> bool {
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

/// The names for which each match of a condition may have values, without those that `also` adds.
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

/// Collects the names of all captures of a condition, including its `none`.
fn all_names<'c>(condition: &'c Condition, names: &mut Vec<&'c str>) {
    condition.captures(names);
    for absent in &condition.none {
        all_names(absent, names);
    }
    if let What::All(parts) | What::Any(parts) | What::Sequence(parts) = &condition.what {
        parts.iter().for_each(|part| all_names(part, names));
    }
}
