//! The facts about each object that conditions over several objects ask for.

use std::sync::Arc;

use super::chunked::Chunked;
use super::details::{Detail, read_symbol};
use super::numbers::{Numbers, push, push_signed};
use super::rows::{At, List, Rows};
use super::symbols::{Symbol, Symbols};
use crate::hash::{HashMap, HashSet, hash_one};
use crate::matcher::Hit;
use crate::sort;
use kwhy_model::{Format, Subject};

/// The maximum number of bytes that all facts take, with their strings.
const ROOM: usize = 48 << 20;

/// An object in one output.
#[derive(Clone, Debug)]
struct Shown {
    document: u32,
    /// The byte offset of its record.
    record: usize,
    length: u32,
    format: Format,
    kind: Symbol,
    namespace: Symbol,
    name: Symbol,
    node: Symbol,
    /// The line of its first fact, or 0; the lines of later facts are stored relative to it.
    line: u32,
}

/// The result of one pattern on one object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    /// The object's number.
    object: u32,
    row: At,
}

/// Converts a number, or returns `largest` if it does not fit.
pub(super) fn short<T: TryFrom<usize>>(number: usize, largest: T) -> T {
    T::try_from(number).unwrap_or(largest)
}

/// The facts of a table.
#[derive(Clone, Debug, Default)]
struct Table {
    facts: List,
    count: usize,
    /// The object number of the last fact.
    last: u32,
    /// The numbers of the name lists that its facts capture: those of one pattern, or a few.
    names: Vec<u16>,
}

/// The facts of an input.
///
/// A row consists of: the object's number, minus that of the previous row; the number of the name list; the start of
/// the proof, relative to the record; the captured values; the details that a report shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub symbols: Symbols,
    shown: Chunked<Shown>,
    tables: Vec<Table>,
    rows: Rows,
    /// The buffer for the row being written.
    row: Vec<u8>,
    /// The distinct lists of capture names.
    names: Vec<Box<[Symbol]>>,
    /// Hashes of the content of refuting facts.
    said: HashSet<u64>,
    /// The number of facts not kept, by table.
    omitted: HashMap<usize, u64>,
}

impl Facts {
    /// Adds the result of a pattern on an object. Of facts that only refute, repetitions are omitted.
    pub fn add(&mut self, table: usize, hit: Box<Hit>, only_refutes: bool) {
        if self.bytes() > ROOM || !self.add_row(table, hit, only_refutes) {
            self.leave_out(table, 1);
        }
    }

    /// Adds a fact. Returns false if a number is out of range.
    fn add_row(&mut self, table: usize, hit: Box<Hit>, only_refutes: bool) -> bool {
        let captures = hit.captures.iter();
        let values: Vec<Symbol> = captures.map(|(_, value)| self.symbols.add(value)).collect();
        let Some(names) = self.names(table, &hit) else {
            return false;
        };
        if only_refutes {
            let namespace = hit.subject.namespace.as_deref();
            let document = namespace.is_none().then_some(hit.document);
            let said = hash_one((table, document, namespace, names, &values));
            if !self.said.insert(said) {
                return true;
            }
        }
        let object = self.object(&hit);
        let mark = hit.mark.start.saturating_sub(hit.record.start);
        let Some(of_table) = self.tables.get_mut(table) else {
            return false;
        };
        self.row.clear();
        push_signed(&mut self.row, i64::from(object) - i64::from(of_table.last));
        push(&mut self.row, names.into());
        push(&mut self.row, short(mark, u32::MAX).into());
        for value in values {
            push(&mut self.row, value.number().into());
        }
        self.detail(object, hit, !only_refutes);
        let Some(of_table) = self.tables.get_mut(table) else {
            return false;
        };
        let is_added = self.rows.add(&mut of_table.facts, &self.row);
        if is_added {
            of_table.last = object;
            of_table.count += 1;
        }
        is_added
    }

    /// The approximate number of bytes that all facts take, with their strings.
    fn bytes(&self) -> usize {
        self.symbols.bytes()
            + self.shown.bytes()
            + self.rows.bytes()
            + self.said.len() * 2 * size_of::<u64>()
    }

    /// Returns the number of the list of names that a hit captured; `None` if there are too many lists.
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

    /// Encodes the details of a hit. Facts that only refute are never shown.
    fn detail(&mut self, object: u32, hit: Box<Hit>, is_shown: bool) {
        let symbols = &mut self.symbols;
        let container = hit.subject.container.as_deref();
        let container = container.map(|container| symbols.add(container));
        if !is_shown && container.is_none() {
            return;
        }
        let hit = *hit;
        let detail = Detail {
            weight: short(hit.weight, u16::MAX),
            length: hit.mark.len(),
            place: hit.place,
            around: hit.around,
            container,
            ended: hit.ended,
            of_list: hit.of_list,
            refined: hit.refined,
        };
        let Some(shown) = self.shown.get_mut(object as usize) else {
            return;
        };
        if is_shown && shown.line == 0 {
            shown.line = u32::try_from(detail.place.line).unwrap_or(0);
        }
        detail.write(&mut self.row, is_shown, shown.line.into(), symbols);
    }

    /// Returns the number of a hit's object, which is usually that of the previous hit.
    fn object(&mut self, hit: &Hit) -> u32 {
        let document = short(hit.document, u32::MAX);
        let is_last = |last: &Shown| last.document == document && last.record == hit.record.start;
        if !self.shown.last().is_some_and(is_last) {
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
                line: 0,
            });
        }
        short(self.shown.len() - 1, u32::MAX)
    }

    /// Adds to the number of a table's facts that were not kept.
    pub fn leave_out(&mut self, table: usize, facts: u64) {
        *self.omitted.entry(table).or_default() += facts;
    }

    /// Sorts the facts into input order, given the final number of each document. No facts may be added afterwards.
    pub fn settle(&mut self, number: impl Fn(usize) -> usize) {
        self.said = HashSet::default();
        for shown in self.shown.iter_mut() {
            shown.document = short(number(shown.document as usize), u32::MAX);
        }
        for table in 0..self.tables.len() {
            let position = |fact: &Fact| self.position(*fact);
            if !self
                .of_table(table)
                .is_sorted_by_key(|fact| self.position(fact))
            {
                let mut sorted: Vec<Fact> = self.of_table(table).collect();
                sort::by_key(&mut sorted, position);
                self.arrange(table, &sorted);
            }
        }
    }

    /// Stores the facts of a table in a new order.
    fn arrange(&mut self, table: usize, facts: &[Fact]) {
        let mut list = List::default();
        let mut last = 0;
        for fact in facts {
            let mut row = Numbers(self.rows.get(fact.row));
            row.signed();
            self.row.clear();
            push_signed(&mut self.row, i64::from(fact.object) - i64::from(last));
            self.row.extend_from_slice(row.0);
            self.rows.add(&mut list, &self.row);
            last = fact.object;
        }
        if let Some(of_table) = self.tables.get_mut(table) {
            let before = std::mem::replace(&mut of_table.facts, list);
            of_table.last = last;
            self.rows.remove(&before);
        }
    }

    /// Returns true if no object matched any pattern.
    pub fn is_empty(&self) -> bool {
        self.shown.last().is_none() && self.omitted.is_empty()
    }

    /// The facts of a table.
    pub fn of_table(&self, table: usize) -> impl Iterator<Item = Fact> {
        let rows = self
            .tables
            .get(table)
            .map(|table| self.rows.of(&table.facts));
        let mut object = 0;
        rows.into_iter().flatten().map(move |(row, bytes)| {
            object += Numbers(bytes).signed().unwrap_or(0);
            Fact {
                object: object as u32,
                row,
            }
        })
    }

    /// The number of a table's facts.
    pub fn count(&self, table: usize) -> usize {
        self.tables.get(table).map_or(0, |table| table.count)
    }

    /// The number of a table's facts that were not kept.
    pub fn omitted(&self, table: usize) -> u64 {
        self.omitted.get(&table).copied().unwrap_or(0)
    }

    fn shown(&self, fact: Fact) -> Option<&Shown> {
        self.shown.get(fact.object as usize)
    }

    /// The position of a fact in the input.
    pub fn position(&self, fact: Fact) -> (usize, usize) {
        let (_, mark, _) = self.row(fact);
        let shown = self.shown(fact);
        shown.map_or((0, 0), |shown| {
            (shown.document as usize, shown.record + mark)
        })
    }

    /// The namespace of a fact's object; `None` if the input does not name it.
    pub fn namespace(&self, fact: Fact) -> Option<Symbol> {
        self.shown(fact).and_then(|shown| shown.namespace.some())
    }

    /// The names of a fact's captures, the start of its proof relative to its record, and the rest of its row.
    fn row(&self, fact: Fact) -> (&[Symbol], usize, Numbers<'_>) {
        let mut row = Numbers(self.rows.get(fact.row));
        row.signed();
        let names = row
            .number()
            .and_then(|names| self.names.get(names as usize));
        let mark = row.number().unwrap_or(0);
        (names.map_or(&[], |names| names), mark as usize, row)
    }

    /// The names and values that a fact captured.
    pub fn captures(&self, fact: Fact) -> impl Iterator<Item = (Symbol, Symbol)> {
        let (names, _, mut row) = self.row(fact);
        let values = std::iter::from_fn(move || read_symbol(&mut row));
        names.iter().copied().zip(values)
    }

    /// Converts a fact back to the hit it was made from.
    pub fn hit(&self, fact: Fact) -> Option<Hit> {
        let shown = self.shown(fact)?;
        let text = |symbol: Symbol| self.symbols.text(symbol).to_owned();
        let some = |symbol: Symbol| symbol.some().map(text);
        let (names, mark, mut row) = self.row(fact);
        let start = shown.record + mark;
        let captures = names
            .iter()
            .map(|name| Some((text(*name), text(read_symbol(&mut row)?))));
        let captures = captures.collect::<Option<_>>()?;
        let detail = Detail::read(row, shown.line.into(), &self.symbols).unwrap_or_default();
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
            captures,
            weight: detail.weight.into(),
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
