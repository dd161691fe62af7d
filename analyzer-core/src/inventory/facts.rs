//! What the conditions on several objects ask of each object, in tables: one for each pattern, however many conditions
//! use it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::Arc;

use super::chunks::Chunks;
use super::details::{Detail, Details};
use super::room::make_room;
use super::symbols::{Symbol, Symbols};
use crate::matcher::{Hit, compare};
use kwhy_catalogue::Catalogue;
use kwhy_model::{Format, Subject};
use kwhy_signature::{Comparison, ConditionId, leaves, refuting_objects};

/// The bytes that all facts may take, with their strings.
const ROOM: usize = 48 << 20;

/// The tables of a catalogue: which pattern's facts are in which one.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    of_leaf: HashMap<ConditionId, Leaf>,
    /// The leaves of each signature whose condition is about several objects, in the order of its condition.
    of_signature: HashMap<u32, Vec<usize>>,
    /// By table, whether its facts only refute: of those that say the same one is enough.
    only_refutes: Vec<bool>,
    /// By table, the comparisons of what a fact captured itself.
    comparisons: Vec<Vec<Comparison>>,
}

/// A leaf of a condition on several objects.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    table: usize,
    /// True for the first leaf with the pattern: objects are tested for it only.
    is_tested: bool,
}

impl Tables {
    /// Lists the patterns of a catalogue.
    pub fn new(catalogue: &Catalogue) -> Tables {
        let mut tables = Tables::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, signature) in catalogue.relations() {
            let number = short(number, u32::MAX);
            let mut conditions = Vec::new();
            leaves(&signature.condition, &mut conditions);
            let refuting = refuting_objects(&signature.condition);
            let mut of_signature = Vec::with_capacity(conditions.len());
            for ((leaf, condition), refutes) in (0u16..).zip(conditions).zip(refuting) {
                let next = known.len();
                // what its own values decide is decided when a fact is added
                let pattern = format!("{:?} {:?}", condition.what, condition.comparisons);
                let table = *known.entry(pattern).or_insert(next);
                let is_tested = table == next;
                if is_tested {
                    tables.only_refutes.push(true);
                    tables.comparisons.push(condition.comparisons.clone());
                }
                if let Some(only_refutes) = tables.only_refutes.get_mut(table) {
                    *only_refutes &= refutes;
                }
                tables
                    .of_leaf
                    .insert((number, leaf), Leaf { table, is_tested });
                of_signature.push(table);
            }
            tables.of_signature.insert(number, of_signature);
        }
        tables
    }

    /// Returns the table of a leaf, if its signature is about several objects.
    pub fn of_leaf(&self, leaf: ConditionId) -> Option<usize> {
        self.of_leaf.get(&leaf).map(|leaf| leaf.table)
    }

    /// Returns true if another leaf with the same pattern is tested in its place.
    pub fn is_shared(&self, leaf: ConditionId) -> bool {
        self.of_leaf.get(&leaf).is_some_and(|leaf| !leaf.is_tested)
    }

    /// Returns the tables of a signature's leaves, if it is about several objects.
    pub fn of_signature(&self, number: u32) -> Option<&[usize]> {
        self.of_signature.get(&number).map(Vec::as_slice)
    }

    /// Returns true if what a hit captured compares as the condition of a table asks.
    pub fn holds(&self, table: usize, hit: &Hit) -> bool {
        let comparisons = self.comparisons.get(table);
        comparisons.is_none_or(|comparisons| compare(&hit.captures, comparisons))
    }

    /// Returns true if the facts of a table only refute.
    pub fn only_refutes(&self, table: usize) -> bool {
        self.only_refutes.get(table) == Some(&true)
    }

    /// The signatures that are about several objects.
    pub fn signatures(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.of_signature.keys().copied().collect();
        all.sort_unstable();
        all
    }
}

/// An object as one output shows it.
#[derive(Clone, Debug)]
struct Shown {
    document: u32,
    /// The bytes of the record.
    record: usize,
    length: u32,
    format: Format,
    kind: Symbol,
    namespace: Symbol,
    name: Symbol,
    node: Symbol,
}

/// What a pattern found in an object.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// The object's number.
    object: u32,
    /// The start of the proof, from the start of the record.
    mark: u32,
    /// Where the values that it captured start; `names` is the number of their names.
    captures: u32,
    names: u16,
    weight: u16,
    /// Where what a report shows of it starts among the details, counted from 1, if it may be shown.
    detail: Option<NonZeroU32>,
}

/// Returns a number, or the largest one that there is room for.
fn short<T: TryFrom<usize>>(number: usize, largest: T) -> T {
    T::try_from(number).unwrap_or(largest)
}

/// The facts of a table.
#[derive(Clone, Debug, Default)]
struct Table {
    facts: Vec<Fact>,
    /// The names that its facts capture, by their numbers: those of one pattern, or of a few.
    names: Vec<u16>,
}

/// The facts of an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub symbols: Symbols,
    shown: Vec<Shown>,
    tables: Vec<Table>,
    /// The names of captures, as patterns name them together.
    names: Vec<Box<[Symbol]>>,
    /// The values of the captures of all facts.
    values: Chunks<Symbol>,
    details: Details,
    /// Hashes of what refuting facts say.
    said: HashSet<u64>,
    /// The number of facts.
    added: usize,
    /// The facts that were not kept, by table.
    omitted: HashMap<usize, u64>,
}

impl Facts {
    /// Adds what a pattern found in an object. Of those that only refute, one that says the same as another is omitted.
    pub fn add(&mut self, table: usize, hit: Hit, only_refutes: bool) {
        if self.bytes() > ROOM {
            self.leave_out(table, 1);
            return;
        }
        let captures = hit.captures.iter();
        let values: Vec<Symbol> = captures.map(|(_, value)| self.symbols.add(value)).collect();
        let Some(names) = self.names(table, &hit) else {
            self.leave_out(table, 1);
            return;
        };
        if only_refutes {
            let namespace = hit.subject.namespace.as_deref();
            let document = namespace.is_none().then_some(hit.document);
            let mut hasher = DefaultHasher::new();
            (table, document, namespace, names, &values).hash(&mut hasher);
            if !self.said.insert(hasher.finish()) {
                return;
            }
        }
        let Some(first) = self.values.add(&values) else {
            self.leave_out(table, 1);
            return;
        };
        let fact = Fact {
            object: self.object(&hit),
            mark: short(hit.mark.start.saturating_sub(hit.record.start), u32::MAX),
            captures: first,
            names,
            weight: short(hit.weight, u16::MAX),
            detail: self.detail(hit, !only_refutes),
        };
        if let Some(table) = self.tables.get_mut(table) {
            make_room(&mut table.facts, 1);
            table.facts.push(fact);
            self.added += 1;
        }
    }

    /// About how many bytes all facts take, with their strings.
    fn bytes(&self) -> usize {
        self.symbols.bytes()
            + size_of_val(&*self.shown)
            + self.values.bytes()
            + self.details.bytes()
            + self.said.len() * 2 * size_of::<u64>()
            + self.added * size_of::<Fact>()
    }

    /// Returns the number of the names that a hit captured; none if there are too many such lists of names.
    fn names(&mut self, table: usize, hit: &Hit) -> Option<u16> {
        if self.tables.len() <= table {
            self.tables.resize_with(table + 1, Table::default);
        }
        let of_table = self.tables.get_mut(table)?;
        let (all, symbols) = (&mut self.names, &mut self.symbols);
        let is_same = |number: &&u16| {
            let names = all.get(usize::from(**number)).map_or(&[][..], |it| it);
            let captures = hit.captures.iter();
            names.len() == hit.captures.len()
                && captures
                    .zip(names)
                    .all(|((name, _), known)| symbols.text(*known) == name)
        };
        if let Some(known) = of_table.names.iter().find(is_same) {
            return Some(*known);
        }
        let number = u16::try_from(all.len()).ok()?;
        let names = hit.captures.iter().map(|(name, _)| symbols.add(name));
        all.push(names.collect());
        of_table.names.push(number);
        Some(number)
    }

    /// Keeps what a report shows of a hit, and says where. What only refutes is never shown.
    fn detail(&mut self, hit: Hit, is_shown: bool) -> Option<NonZeroU32> {
        let symbols = &mut self.symbols;
        let container = hit.subject.container.as_deref();
        let container = container.map(|container| symbols.add(container));
        if !is_shown {
            let only = container.map(|container| Detail {
                container: Some(container),
                ..Detail::default()
            });
            return self.details.add(only?, symbols);
        }
        let detail = Detail {
            length: hit.mark.len(),
            place: hit.place,
            around: hit.around,
            container,
            ended: hit.ended,
            of_list: hit.of_list,
            refined: hit.refined,
        };
        self.details.add(detail, symbols)
    }

    /// Returns the number of the object that a hit is about: mostly that of the last one.
    fn object(&mut self, hit: &Hit) -> u32 {
        let document = short(hit.document, u32::MAX);
        let is_last = |last: &Shown| last.document == document && last.record == hit.record.start;
        if !self.shown.last().is_some_and(is_last) {
            make_room(&mut self.shown, 1);
            let symbols = &mut self.symbols;
            let mut add = |text: &Option<String>| symbols.add_some(text.as_deref());
            self.shown.push(Shown {
                document,
                record: hit.record.start,
                length: short(hit.record.len(), u32::MAX),
                format: hit.format,
                kind: add(&hit.subject.kind),
                namespace: add(&hit.subject.namespace),
                name: add(&hit.subject.name),
                node: add(&hit.subject.node),
            });
        }
        short(self.shown.len() - 1, u32::MAX)
    }

    /// Adds to the facts of a table that were not kept.
    pub fn leave_out(&mut self, table: usize, facts: u64) {
        *self.omitted.entry(table).or_default() += facts;
    }

    /// Brings the facts into the order of the input, by what each document's number is in that order.
    pub fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        for shown in &mut self.shown {
            shown.document = short(number(shown.document as usize), u32::MAX);
        }
        let mut tables = std::mem::take(&mut self.tables);
        for table in &mut tables {
            let position = |fact: &Fact| self.position(fact);
            if !table.facts.is_sorted_by_key(position) {
                table.facts.sort_by_key(position);
            }
        }
        self.tables = tables;
    }

    /// Returns true if no object was found that a condition asks for.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.omitted.is_empty()
    }

    /// The facts of a table.
    pub fn of_table(&self, table: usize) -> &[Fact] {
        self.tables.get(table).map_or(&[], |table| &table.facts)
    }

    /// The number of facts of a table that were not kept.
    pub fn omitted(&self, table: usize) -> u64 {
        self.omitted.get(&table).copied().unwrap_or(0)
    }

    fn shown(&self, fact: &Fact) -> Option<&Shown> {
        self.shown.get(fact.object as usize)
    }

    /// The position of a fact in the input.
    pub fn position(&self, fact: &Fact) -> (usize, usize) {
        let shown = self.shown(fact);
        shown.map_or((0, 0), |shown| {
            (shown.document as usize, shown.record + fact.mark as usize)
        })
    }

    /// The namespace of a fact's object; none if the input does not name it.
    pub fn namespace(&self, fact: &Fact) -> Option<Symbol> {
        self.shown(fact).and_then(|shown| shown.namespace.some())
    }

    /// The names and values that a fact captured.
    pub fn captures(&self, fact: &Fact) -> impl Iterator<Item = (Symbol, Symbol)> {
        let names = self.names.get(usize::from(fact.names));
        let names = names.map_or(&[][..], |names| names);
        let values = self.values.since(fact.captures).iter().copied();
        names.iter().copied().zip(values)
    }

    /// Returns a fact as the hit that it was.
    pub fn hit(&self, fact: &Fact) -> Option<Hit> {
        let shown = self.shown(fact)?;
        let text = |symbol: Symbol| self.symbols.text(symbol).to_owned();
        let some = |symbol: Symbol| symbol.some().map(text);
        let start = shown.record + fact.mark as usize;
        let detail = (fact.detail)
            .and_then(|at| self.details.get(at, &self.symbols))
            .unwrap_or_default();
        Some(Hit {
            document: shown.document as usize,
            record: shown.record..shown.record + shown.length as usize,
            mark: start..start + detail.length,
            place: detail.place,
            around: detail.around,
            format: shown.format,
            subject: Arc::new(Subject {
                kind: some(shown.kind),
                namespace: some(shown.namespace),
                name: some(shown.name),
                container: detail.container.map(text),
                node: some(shown.node),
            }),
            ids: None,
            component: None,
            reason: None,
            writers: Vec::new(),
            captures: (self.captures(fact))
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            weight: fact.weight.into(),
            count: 1,
            is_state: true,
            ended: detail.ended,
            of_list: detail.of_list,
            leads: true,
            refined: detail.refined,
            severity: None,
            first: None,
            last: None,
        })
    }
}
