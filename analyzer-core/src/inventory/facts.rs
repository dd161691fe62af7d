//! What the conditions on several objects ask of each object, in tables: one for each pattern, however many conditions
//! use it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;

use super::symbols::{Symbol, Symbols};
use crate::matcher::Hit;
use kwhy_catalogue::Catalogue;
use kwhy_model::{Format, Subject};
use kwhy_parse::input::Place;
use kwhy_signature::{Comparison, ConditionId, leaves, refuting_objects};

/// The bytes that all facts may take, with their strings.
const ROOM: usize = 96 << 20;

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
        let value = |name: &str| {
            let captured = hit.captures.iter().find(|(known, _)| known == name);
            captured.map(|(_, value)| value.as_str())
        };
        let mut comparisons = self.comparisons.get(table).into_iter().flatten();
        comparisons.all(|comparison| comparison.holds(value))
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
    /// The bytes of the proof, from the start of the record.
    mark: u32,
    length: u32,
    proof: CompactPlace,
    container: Symbol,
    /// Where its captures start, and how many there are.
    captures: (u32, u16),
    weight: u16,
    of_list: bool,
    refined: bool,
    /// What few facts have, by its number.
    rest: Option<NonZeroU32>,
}

/// What few facts have.
#[derive(Clone, Debug)]
struct Rest {
    around: Box<[CompactPlace]>,
    ended: Option<i128>,
}

/// A line beside the one that proves something.
#[derive(Clone, Debug)]
struct CompactPlace {
    line: u32,
    column: u32,
    text: Symbol,
    in_text: (u32, u32),
}

impl CompactPlace {
    fn new(place: Place, symbols: &mut Symbols) -> CompactPlace {
        let Place {
            line,
            column,
            text,
            mark,
        } = place;
        let within = |byte: usize| short(byte.min(text.len()), u32::MAX);
        CompactPlace {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            text: symbols.add(&text),
            in_text: (within(mark.start), within(mark.end)),
        }
    }

    fn place(&self, symbols: &Symbols) -> Place {
        Place {
            line: self.line.into(),
            column: self.column.into(),
            text: symbols.text(self.text).to_owned(),
            mark: self.in_text.0 as usize..self.in_text.1 as usize,
        }
    }
}

/// Returns a number, or the largest one that there is room for.
fn short<T: TryFrom<usize>>(number: usize, largest: T) -> T {
    T::try_from(number).unwrap_or(largest)
}

/// The facts of an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub symbols: Symbols,
    shown: Vec<Shown>,
    tables: Vec<Vec<Fact>>,
    /// The names and values of all facts.
    captures: Vec<(Symbol, Symbol)>,
    rest: Vec<Rest>,
    /// Hashes of what refuting facts say.
    said: HashSet<u64>,
    /// The facts that were not kept, by table.
    omitted: HashMap<usize, u64>,
    bytes: usize,
}

impl Facts {
    /// Adds what a pattern found in an object. Of those that only refute, one that says the same as another is omitted.
    pub fn add(&mut self, table: usize, hit: Hit, only_refutes: bool) {
        if self.bytes + self.symbols.bytes() > ROOM {
            self.leave_out(table, 1);
            return;
        }
        let symbols = &mut self.symbols;
        let captures = hit.captures.iter();
        let captures: Vec<_> = captures
            .map(|(name, value)| (symbols.add(name), symbols.add(value)))
            .collect();
        if only_refutes {
            let namespace = hit.subject.namespace.as_deref();
            let document = namespace.is_none().then_some(hit.document);
            let mut hasher = DefaultHasher::new();
            (table, document, namespace, &captures).hash(&mut hasher);
            if !self.said.insert(hasher.finish()) {
                return;
            }
        }
        let object = self.object(&hit);
        let first = short(self.captures.len(), u32::MAX);
        let count = short(captures.len(), u16::MAX);
        self.captures.extend(captures);
        // what only refutes is never shown
        let is_shown = !only_refutes;
        let has_rest = is_shown && (!hit.around.is_empty() || hit.ended.is_some());
        let rest = has_rest.then(|| {
            let around = hit.around.into_iter();
            let around: Box<[CompactPlace]> = around
                .map(|place| CompactPlace::new(place, &mut self.symbols))
                .collect();
            self.bytes += size_of::<Rest>() + size_of_val(&*around);
            let ended = hit.ended;
            self.rest.push(Rest { around, ended });
            NonZeroU32::new(short(self.rest.len(), u32::MAX))
        });
        let place = Some(hit.place).filter(|_| is_shown).unwrap_or_default();
        let proof = CompactPlace::new(place, &mut self.symbols);
        let fact = Fact {
            object,
            mark: short(hit.mark.start.saturating_sub(hit.record.start), u32::MAX),
            length: short(hit.mark.len(), u32::MAX),
            proof,
            container: self.symbols.add_some(hit.subject.container.as_deref()),
            captures: (first, count),
            weight: short(hit.weight, u16::MAX),
            of_list: hit.of_list,
            refined: hit.refined,
            rest: rest.flatten(),
        };
        self.bytes += size_of::<Fact>() + usize::from(count) * size_of::<(Symbol, Symbol)>();
        if self.tables.len() <= table {
            self.tables.resize_with(table + 1, Vec::new);
        }
        if let Some(facts) = self.tables.get_mut(table) {
            // doubling would take as much again
            if facts.len() == facts.capacity() {
                facts.reserve_exact(facts.len() / 4 + 16);
            }
            facts.push(fact);
        }
    }

    /// Returns the number of the object that a hit is about: mostly that of the last one.
    fn object(&mut self, hit: &Hit) -> u32 {
        let document = short(hit.document, u32::MAX);
        let is_last = |last: &Shown| last.document == document && last.record == hit.record.start;
        if !self.shown.last().is_some_and(is_last) {
            let symbols = &mut self.symbols;
            let mut add = |text: &Option<String>| symbols.add_some(text.as_deref());
            self.bytes += size_of::<Shown>();
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
        for facts in &mut tables {
            facts.sort_by_key(|fact| self.position(fact));
        }
        self.tables = tables;
    }

    /// Returns true if no object was found that a condition asks for.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.omitted.is_empty()
    }

    /// The facts of a table.
    pub fn of_table(&self, table: usize) -> &[Fact] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
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
    pub fn captures(&self, fact: &Fact) -> &[(Symbol, Symbol)] {
        let (first, count) = (fact.captures.0 as usize, usize::from(fact.captures.1));
        self.captures.get(first..first + count).unwrap_or_default()
    }

    /// Returns a fact as the hit that it was.
    pub fn hit(&self, fact: &Fact) -> Option<Hit> {
        let shown = self.shown(fact)?;
        let text = |symbol: Symbol| self.symbols.text(symbol).to_owned();
        let some = |symbol: Symbol| symbol.some().map(text);
        let start = shown.record + fact.mark as usize;
        let rest = fact
            .rest
            .and_then(|number| self.rest.get(number.get() as usize - 1));
        let captures = self.captures(fact).iter();
        Some(Hit {
            document: shown.document as usize,
            record: shown.record..shown.record + shown.length as usize,
            mark: start..start + fact.length as usize,
            place: fact.proof.place(&self.symbols),
            around: rest.map_or(Vec::new(), |rest| {
                let around = rest.around.iter();
                around.map(|line| line.place(&self.symbols)).collect()
            }),
            format: shown.format,
            subject: Subject {
                kind: some(shown.kind),
                namespace: some(shown.namespace),
                name: some(shown.name),
                container: some(fact.container),
                node: some(shown.node),
            },
            ids: None,
            component: None,
            reason: None,
            writers: Vec::new(),
            captures: captures
                .map(|(name, value)| (text(*name), text(*value)))
                .collect(),
            weight: fact.weight.into(),
            count: 1,
            is_state: true,
            ended: rest.and_then(|rest| rest.ended),
            of_list: fact.of_list,
            leads: true,
            refined: fact.refined,
            severity: None,
            first: None,
            last: None,
        })
    }
}
