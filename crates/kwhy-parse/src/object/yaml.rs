//! Parses YAML text into values.
//!
//! A block of lines is parsed as a whole first. If the parser fails, the block is split by its
//! indentation into the entries of its map or list, and each is parsed on its own, so that a malformed line
//! costs only its own entry. Each line is parsed once at each of a few levels, so the time is linear.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use super::ReadBudget;
use super::block_style::{self, Bounds};
use super::loose_scalar;
use super::scalar;
use super::source::{Row, Source};
use crate::input::ReadLimits;
use kwhy_model::{LeftOut, Map, Span, Value};

/// The maximum number of values per block; a block of the engine hardly contains more.
const MAX_NODES: usize = 400_000;

/// The maximum number of times a malformed block is split.
const MAX_SPLITS: usize = 12;

/// Parses a block of lines. Adds to the budget what is not understood or omitted.
pub(super) fn read<'a>(rows: &[Row<'a>], budget: &mut ReadBudget<'_>) -> Vec<Value<'a>> {
    block(rows, MAX_SPLITS, budget)
}

fn block<'a>(rows: &[Row<'a>], splits: usize, budget: &mut ReadBudget<'_>) -> Vec<Value<'a>> {
    let bounds = Bounds {
        depth: usize::try_from(budget.limits.depth).unwrap_or(usize::MAX),
        nodes: MAX_NODES,
    };
    block_style::read(rows, bounds).unwrap_or_else(|| any_style(rows, splits, budget))
}

/// Parses a block of lines in any style of YAML.
pub(super) fn any_style<'a>(
    rows: &[Row<'a>],
    splits: usize,
    budget: &mut ReadBudget<'_>,
) -> Vec<Value<'a>> {
    let source = Source::new(rows);
    let mut reading = Reading::new(&source, budget.limits);
    match reading.run() {
        Ok(()) => {
            budget.left_out.add(reading.omitted);
            budget.failed.extend(reading.left_out);
            reading.roots
        }
        Err(at) if splits == 0 || rows.len() < 2 => {
            budget.left_out.add(reading.omitted);
            budget.failed.extend(source.line_number(at));
            reading.finish()
        }
        Err(_) => split(rows, splits - 1, budget),
    }
}

/// Parses the entries of a malformed block one by one.
fn split<'a>(rows: &[Row<'a>], splits: usize, budget: &mut ReadBudget<'_>) -> Vec<Value<'a>> {
    let filled = rows.iter().filter(|row| !row.line.is_blank());
    let base = filled.map(Row::indent).min().unwrap_or(0);
    let is_head = |row: &Row<'_>| row.indent() == base && (row.is_item() || key(row).is_some());
    let is_strange = |row: &Row<'_>| {
        !row.line.is_blank()
            && row.indent() == base
            && !is_head(row)
            && !row.bare().starts_with('#')
    };
    if rows.iter().any(is_strange) {
        let strange = rows.iter().filter(|row| is_strange(row));
        budget.failed.extend(strange.map(|row| row.line.number));
        let others = rows.iter().filter(|row| !is_strange(row));
        return block(&others.copied().collect::<Vec<_>>(), splits, budget);
    }
    let mut entries: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
    let mut items = Vec::new();
    let mut others = Vec::new();
    let mut rest = rows;
    while let Some((first, after)) = rest.split_first() {
        let under_key = is_head(first) && !first.is_item();
        // the items of a key's list may have the indentation of the key
        let end = after
            .iter()
            .position(|row| is_head(row) && !(under_key && row.is_item()))
            .unwrap_or(after.len());
        let (part, after) = rest.split_at(end + 1);
        rest = after;
        if under_key {
            entries.extend(entry(part, splits, budget));
        } else if is_head(first) {
            items.extend(item(part, splits, budget));
        } else if part.iter().any(|row| !row.line.is_blank()) {
            // deeper lines whose parent was cut off
            others.extend(block(part, splits, budget));
        }
    }
    if !items.is_empty() {
        others.push(Value::List(items));
    }
    if !entries.is_empty() {
        others.push(Value::Map(entries.into_iter().collect()));
    }
    others
}

/// Parses a list item.
fn item<'a>(rows: &[Row<'a>], splits: usize, budget: &mut ReadBudget<'_>) -> Option<Value<'a>> {
    let (first, rest) = rows.split_first()?;
    let mut unmarked = vec![first.without_mark()];
    unmarked.extend_from_slice(rest);
    merged(block(&unmarked, splits, budget))
}

/// Parses a key with its value.
fn entry<'a>(
    rows: &[Row<'a>],
    splits: usize,
    budget: &mut ReadBudget<'_>,
) -> Option<(Cow<'a, str>, Value<'a>)> {
    let (first, rest) = rows.split_first()?;
    let (name, value) = key(first)?;
    let source = Source::new(rows);
    let mut reading = Reading::new(&source, budget.limits);
    if reading.run().is_ok()
        && let Some(Value::Map(map)) = reading.roots.first()
    {
        budget.left_out.add(reading.omitted);
        let value = map.iter().next().map(|(_, value)| value.clone())?;
        return Some((Cow::Borrowed(name), value));
    }
    if value.text.is_empty() || value.text.starts_with('#') {
        return Some((Cow::Borrowed(name), merged(block(rest, splits, budget))?));
    }
    let (text, unread) = loose_scalar::text(&source, rows, value)?;
    let unread = unread.iter().filter(|row| !row.line.is_blank());
    budget.failed.extend(unread.map(|row| row.line.number));
    Some((Cow::Borrowed(name), Value::Text(text)))
}

/// Merges the parts of a malformed block.
fn merged(mut parts: Vec<Value<'_>>) -> Option<Value<'_>> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let mut entries = Vec::new();
    let mut items = Vec::new();
    for part in parts {
        match part {
            Value::Map(map) => entries.extend(map),
            Value::List(list) => items.extend(list),
            scalar => items.push(scalar),
        }
    }
    Some(if entries.is_empty() {
        Value::List(items)
    } else {
        Value::Map(entries.into_iter().collect())
    })
}

/// Returns the key at the start of a row, and the rest of the line.
fn key<'a>(row: &Row<'a>) -> Option<(&'a str, crate::input::Line<'a>)> {
    let line = row.line.trim_start();
    let colon = super::recognise::key_length(line.text)?;
    let name = line.text.get(..colon)?.trim_matches(['"', '\'']);
    Some((name, line.skip(colon + 1).trim_start()))
}

/// An open map or list.
enum Open<'a> {
    Map {
        entries: Vec<(Cow<'a, str>, Value<'a>)>,
        key: Key<'a>,
        anchor: usize,
    },
    List {
        items: Vec<Value<'a>>,
        anchor: usize,
    },
    /// An omitted collection, with the number of collections open inside it.
    Skipped(usize),
}

/// The state of an open map between its keys and values.
enum Key<'a> {
    Awaited,
    Known(Cow<'a, str>),
    /// A key that is not text; its value is omitted.
    Strange,
}

struct Reading<'s, 'a> {
    source: &'s Source<'a>,
    /// The byte offset of each character; empty for ASCII.
    bytes: Vec<usize>,
    open: Vec<Open<'a>>,
    roots: Vec<Value<'a>>,
    nodes: usize,
    /// The maximum nesting depth.
    depth: usize,
    /// The values of anchors, if the budget allowed for them.
    anchors: HashMap<usize, Value<'a>>,
    /// The number of further values to which anchors and aliases may expand.
    room: u64,
    omitted: LeftOut,
    /// The first line omitted because of a limit.
    left_out: Option<u64>,
}

impl<'s, 'a> Reading<'s, 'a> {
    fn new(source: &'s Source<'a>, limits: &ReadLimits) -> Self {
        let text = source.text();
        Reading {
            source,
            bytes: if text.is_ascii() {
                Vec::new()
            } else {
                text.char_indices().map(|(at, _)| at).collect()
            },
            open: Vec::new(),
            roots: Vec::new(),
            nodes: 0,
            depth: usize::try_from(limits.depth).unwrap_or(usize::MAX),
            anchors: HashMap::new(),
            room: limits.aliases,
            omitted: LeftOut::default(),
            left_out: None,
        }
    }

    /// Converts the parser's character offset to a byte offset.
    fn byte(&self, character: usize) -> usize {
        let end = self.source.text().len();
        if self.bytes.is_empty() {
            character.min(end)
        } else {
            self.bytes.get(character).copied().unwrap_or(end)
        }
    }

    /// Parses everything; the error is the offset at which the parser failed.
    fn run(&mut self) -> Result<(), usize> {
        let source = self.source;
        let mut parser = Parser::new(StrInput::new(source.text()));
        while let Some(next) = parser.next_event() {
            let (event, span) = match next {
                Ok(next) => next,
                Err(error) => return Err(self.byte(error.marker().index())),
            };
            let range = self.byte(span.start.index())..self.byte(span.end.index());
            match event {
                Event::Scalar(text, style, anchor, _) => {
                    self.scalar(&text, style, range, anchor);
                }
                Event::Alias(anchor) => self.alias(anchor),
                Event::MappingStart(anchor, _) => self.begin(
                    range.start,
                    Open::Map {
                        entries: Vec::new(),
                        key: Key::Awaited,
                        anchor,
                    },
                ),
                Event::SequenceStart(anchor, _) => self.begin(
                    range.start,
                    Open::List {
                        items: Vec::new(),
                        anchor,
                    },
                ),
                Event::MappingEnd | Event::SequenceEnd => self.end(),
                Event::StreamEnd => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the values parsed so far.
    fn finish(mut self) -> Vec<Value<'a>> {
        while !self.open.is_empty() {
            self.end();
        }
        self.roots
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, range: Span, anchor: usize) {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            self.leave_out(range.start);
            return self.give(None);
        }
        match self.open.last_mut() {
            Some(Open::Skipped(_)) => {}
            Some(Open::Map { key, .. }) if matches!(key, Key::Awaited) => {
                *key = Key::Known(match self.source.slice(range) {
                    Some((known, _)) if known == text => Cow::Borrowed(known),
                    _ => Cow::Owned(text.to_owned()),
                });
            }
            _ => {
                let range = self.after_anchor(range, anchor);
                let value = scalar::value(self.source, range, style, text);
                self.remember(anchor, value.as_ref());
                self.give(value);
            }
        }
    }

    /// Returns the span of a scalar without its anchor, which the parser includes.
    fn after_anchor(&self, range: Span, anchor: usize) -> Span {
        let text = self.source.slice(range.clone()).map(|(text, _)| text);
        let Some(text) = text.filter(|text| anchor > 0 && text.starts_with('&')) else {
            return range;
        };
        let after = text.trim_start_matches(|c: char| !c.is_ascii_whitespace());
        range.end - after.trim_ascii_start().len()..range.end
    }

    /// Stores the value of an anchor, if the budget allows; 0 means no anchor.
    fn remember(&mut self, anchor: usize, value: Option<&Value<'a>>) {
        if let Some(value) = value.filter(|_| anchor > 0)
            && self.takes(value)
        {
            self.anchors.insert(anchor, value.clone());
        }
    }

    /// Deducts a value's size from the budget of aliases; returns false if it does not suffice.
    fn takes(&mut self, value: &Value<'_>) -> bool {
        let mut room = self.room;
        let fits = count_down(value, &mut room);
        if fits {
            self.room = room;
        }
        fits
    }

    /// Resolves an alias.
    fn alias(&mut self, anchor: usize) {
        if matches!(self.open.last(), Some(Open::Skipped(_))) {
            return;
        }
        let value = self.anchors.get(&anchor).cloned();
        let value = value.filter(|value| self.takes(value));
        self.omitted.aliases += u64::from(value.is_none());
        self.give(value);
    }

    fn leave_out(&mut self, at: usize) {
        if self.left_out.is_none() {
            self.left_out = self.source.line_number(at);
        }
    }

    fn begin(&mut self, at: usize, what: Open<'a>) {
        if let Some(Open::Skipped(depth)) = self.open.last_mut() {
            *depth += 1;
        } else if self.open.len() >= self.depth || self.nodes > MAX_NODES {
            self.omitted.too_deep += u64::from(self.open.len() >= self.depth);
            self.leave_out(at);
            self.open.push(Open::Skipped(0));
        } else {
            self.open.push(what);
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Skipped(depth)) if depth > 0 => self.open.push(Open::Skipped(depth - 1)),
            Some(Open::Skipped(_)) => self.give(None),
            Some(Open::Map {
                entries, anchor, ..
            }) => {
                let value = Value::Map(entries.into_iter().collect::<Map<'a>>());
                self.remember(anchor, Some(&value));
                self.give(Some(value));
            }
            Some(Open::List { items, anchor }) => {
                let value = Value::List(items);
                self.remember(anchor, Some(&value));
                self.give(Some(value));
            }
            None => {}
        }
    }

    fn give(&mut self, value: Option<Value<'a>>) {
        match self.open.last_mut() {
            None => self.roots.extend(value),
            Some(Open::Skipped(_)) => {}
            Some(Open::List { items, .. }) => items.extend(value),
            Some(Open::Map { entries, key, .. }) => match std::mem::replace(key, Key::Awaited) {
                Key::Awaited => *key = Key::Strange,
                Key::Strange => {}
                Key::Known(name) => entries.extend(value.map(|value| (name, value))),
            },
        }
    }
}

/// Subtracts the number of values in a value from `left`; returns false if there are more.
fn count_down(value: &Value<'_>, left: &mut u64) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Map(map) => map.iter().all(|(_, value)| count_down(value, left)),
        Value::List(items) => items.iter().all(|value| count_down(value, left)),
        _ => true,
    }
}
