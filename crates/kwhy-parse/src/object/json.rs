//! Parses JSON text into values, even if it is truncated, wrapped or malformed.
//!
//! Text that does not fit is skipped up to the next member: a member starts with its key in quotes. A
//! closing bracket closes the nearest open one of its kind. Each byte is read once.

use std::borrow::Cow;

use super::ReadBudget;
use super::scalar;
use super::source::Source;
use super::spread::spaces;
use kwhy_model::{Map, Span, TextBuilder, Value};

/// The maximum number of values per output; a block of the engine hardly contains more.
const MAX_NODES: usize = 400_000;

/// Parses JSON: complete values, and members whose brackets were cut off, which form one map.
/// Adds to the budget what is not understood or omitted.
pub(super) fn read<'a>(source: &Source<'a>, budget: &mut ReadBudget<'_>) -> Vec<Value<'a>> {
    let mut reading = Reading {
        source,
        bytes: source.text().as_bytes(),
        at: 0,
        open: Vec::new(),
        entries: Vec::new(),
        items: Vec::new(),
        roots: Vec::new(),
        members: Vec::new(),
        key: None,
        nodes: 0,
        failed: 0,
        depth: usize::try_from(budget.limits.depth).unwrap_or(usize::MAX),
        budget,
    };
    while reading.step() {}
    while !reading.open.is_empty() {
        reading.close();
    }
    let Reading {
        mut roots, members, ..
    } = reading;
    if !members.is_empty() {
        roots.push(Value::Map(members.into_iter().collect()));
    }
    roots
}

/// An open bracket. The contents of all open brackets are kept in two shared vectors.
enum Open<'a> {
    /// An object: the number of entries before it, and the key of the next one.
    Object(usize, Option<Cow<'a, str>>),
    /// A list: the number of items before it.
    List(usize),
    /// An omitted value; true for an object.
    Skipped(bool),
}

impl Open<'_> {
    fn is_object(&self) -> bool {
        matches!(self, Open::Object(..) | Open::Skipped(true))
    }
}

struct Reading<'s, 'l, 'a> {
    source: &'s Source<'a>,
    bytes: &'s [u8],
    at: usize,
    open: Vec<Open<'a>>,
    /// The entries of all open objects.
    entries: Vec<(Cow<'a, str>, Value<'a>)>,
    /// The items of all open lists.
    items: Vec<Value<'a>>,
    roots: Vec<Value<'a>>,
    /// Members outside all brackets.
    members: Vec<(Cow<'a, str>, Value<'a>)>,
    /// The key of the next such member.
    key: Option<Cow<'a, str>>,
    nodes: usize,
    /// The end of the last line reported as not understood.
    failed: usize,
    /// The maximum nesting depth.
    depth: usize,
    budget: &'s mut ReadBudget<'l>,
}

impl<'a> Reading<'_, '_, 'a> {
    /// Processes the next token; returns false at the end.
    fn step(&mut self) -> bool {
        let Some(byte) = self.bytes.get(self.at).copied() else {
            return false;
        };
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => {
                let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
                let end = usize::from(rest.first() == Some(&b'\n'));
                self.at += 1 + end + spaces(rest.get(end..).unwrap_or_default());
            }
            b'{' => self.begin(Open::Object(self.entries.len(), None), Open::Skipped(true)),
            b'[' => self.begin(Open::List(self.items.len()), Open::Skipped(false)),
            b'}' => self.bracket(true),
            b']' => self.bracket(false),
            b'"' => self.string(),
            _ => self.word(),
        }
        true
    }

    fn begin(&mut self, what: Open<'a>, left_out: Open<'a>) {
        let too_deep = self.open.len() >= self.depth;
        let full = too_deep || !self.has_room();
        if full {
            // brackets within omitted ones are not reported again
            if !matches!(self.open.last(), Some(Open::Skipped(_))) {
                self.budget.left_out.too_deep += u64::from(too_deep);
                self.fail();
            }
            if self.open.len() > 4 * self.depth {
                self.at += 1;
                return;
            }
        }
        self.nodes += 1;
        self.at += 1;
        self.open.push(if full { left_out } else { what });
    }

    /// Returns true if one more value may be kept; reports the limit otherwise.
    fn has_room(&mut self) -> bool {
        if self.nodes >= MAX_NODES {
            self.budget.left_out.large_objects = 1;
        }
        self.nodes < MAX_NODES
    }

    /// Handles a closing bracket.
    fn bracket(&mut self, object: bool) {
        self.at += 1;
        let mut open = self.open.iter();
        let Some(place) = open.rposition(|open| open.is_object() == object) else {
            // the closing bracket of an object whose start was cut off
            if object && !self.members.is_empty() {
                let members = std::mem::take(&mut self.members);
                self.roots.push(Value::Map(members.into_iter().collect()));
            }
            return;
        };
        while self.open.len() > place {
            self.close();
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Object(first, _)) => {
                let first = first.min(self.entries.len());
                let map: Map<'a> = self.entries.drain(first..).collect();
                self.give(Some(Value::Map(map)));
            }
            Some(Open::List(first)) => {
                let first = first.min(self.items.len());
                let items = self.items.drain(first..).collect();
                self.give(Some(Value::List(items)));
            }
            Some(Open::Skipped(_)) => self.give(None),
            None => {}
        }
    }

    fn give(&mut self, value: Option<Value<'a>>) {
        match self.open.last_mut() {
            Some(Open::Object(_, key)) => {
                if let (Some(key), Some(value)) = (key.take(), value) {
                    self.entries.push((key, value));
                }
            }
            Some(Open::List(_)) => self.items.extend(value),
            Some(Open::Skipped(_)) => {}
            None => match (self.key.take(), value) {
                (Some(key), Some(value)) => self.members.push((key, value)),
                (None, Some(value @ (Value::Map(_) | Value::List(_)))) => self.roots.push(value),
                _ => {}
            },
        }
    }

    /// Handles a string, which is a key if a colon follows.
    fn string(&mut self) {
        let start = self.at;
        let end = self.string_end();
        self.at = end;
        let after = self.bytes.get(end..).unwrap_or_default();
        let spaces = after
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        let is_key = after.get(spaces) == Some(&b':');
        if is_key {
            let key = self.key_text(start, end);
            match self.open.last_mut() {
                Some(Open::Object(_, slot)) => *slot = Some(key),
                None => self.key = Some(key),
                Some(_) => {}
            }
            return;
        }
        if !self.has_room() {
            return self.give(None);
        }
        self.nodes += 1;
        let text = self.text(start, end);
        self.give(Some(Value::Text(text)));
    }

    /// Returns the offset after a string's closing quote, or the end of its line if it is not closed. A string
    /// wrapped by a terminal continues on lines that do not start a member.
    fn string_end(&self) -> usize {
        let mut at = self.at + 1;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let Some(offset) = memchr::memchr3(b'"', b'\\', b'\n', rest) else {
                return self.bytes.len();
            };
            at += offset;
            match self.bytes.get(at) {
                Some(b'"') => return at + 1,
                Some(b'\\') => at = (at + 2).min(self.bytes.len()),
                _ => {
                    let next = self.bytes.get(at + 1..).unwrap_or_default();
                    let begins = next.iter().find(|b| !matches!(b, b' ' | b'\t'));
                    let continues = begins.is_some_and(|b| !b"\"{}[]\n".contains(b));
                    if !continues {
                        return at;
                    }
                    at += 1;
                }
            }
        }
    }

    /// Returns the range between the quotes.
    fn inner(&self, start: usize, end: usize) -> Span {
        let closed = end > start + 1 && self.bytes.get(end - 1) == Some(&b'"');
        start + 1..end.saturating_sub(usize::from(closed)).max(start + 1)
    }

    fn key_text(&self, start: usize, end: usize) -> Cow<'a, str> {
        let inner = self.inner(start, end);
        let raw = self.source.part(inner.clone());
        if memchr::memchr(b'\\', raw.as_bytes()).is_none()
            && let Some((known, _)) = self.source.slice(inner)
        {
            return Cow::Borrowed(known);
        }
        Cow::Owned(self.text(start, end).as_str().to_owned())
    }

    fn text(&self, start: usize, end: usize) -> kwhy_model::Text<'a> {
        let inner = self.inner(start, end);
        let raw = self.source.part(inner.clone());
        if memchr::memchr2(b'\\', b'\n', raw.as_bytes()).is_none()
            && let Some(text) = self.source.borrowed(inner.clone())
        {
            return text;
        }
        let mut builder = TextBuilder::new();
        let mut kept = 0;
        while let Some(offset) = raw.get(kept..).and_then(|rest| rest.find(['\\', '\n'])) {
            let place = kept + offset;
            builder.push(&raw[kept..place], self.source.place(inner.start + kept));
            let rest = &raw[place..];
            let length = if rest.starts_with('\n') {
                1
            } else {
                let (c, length) = escape(rest);
                let from = inner.start + place;
                builder.push_decoded(
                    c.encode_utf8(&mut [0; 4]),
                    self.source.span(from..from + length),
                );
                length
            };
            kept = place + length;
        }
        let rest = raw.get(kept..).unwrap_or("");
        builder.push(rest, self.source.place(inner.start + kept));
        if builder.is_empty() {
            return kwhy_model::Text::borrowed("", self.source.place(inner.start));
        }
        builder.finish()
    }

    /// Handles a number, `true`, `false`, `null`, or anything that is not JSON.
    fn word(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|b| matches!(b, b',' | b'}' | b']' | b'\n' | b' ' | b'\t' | b'"'))
            .unwrap_or(rest.len());
        let range = self.at..self.at + length.max(1);
        let word = self.source.part(range.clone());
        let span = self.source.span(range.clone());
        let value = match word {
            "null" => None,
            "true" => Some(Value::Boolean(true, span)),
            "false" => Some(Value::Boolean(false, span)),
            _ => match scalar::integer(word) {
                Some(number) => Some(Value::Integer(number, span)),
                None if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                    self.source.borrowed(range.clone()).map(Value::Text)
                }
                None => {
                    self.fail();
                    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.at += line.max(1);
                    return;
                }
            },
        };
        self.at = range.end;
        let has_room = self.has_room();
        self.nodes += 1;
        self.give(value.filter(|_| has_room));
    }

    /// Reports the current line as not understood, unless it consists of dots that replace omitted text.
    fn fail(&mut self) {
        // each line is examined once, however long it is
        if self.at < self.failed {
            return;
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.failed = self.at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if let Some((line, number)) = self.source.line(self.at)
            && !super::recognise::is_ellipsis(line)
            && self.budget.failed.last() != Some(&number)
        {
            self.budget.failed.push(number);
        }
    }
}

/// Decodes the escape at the start of a text; returns the character and the length of the escape.
fn escape(text: &str) -> (char, usize) {
    let c = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\x08',
        Some(b'f') => '\x0c',
        Some(b'u') => return unicode(text),
        Some(b'\n') | None => return ('\\', 1),
        Some(_) => {
            let c = text[1..].chars().next().unwrap_or('\\');
            return (c, 1 + c.len_utf8());
        }
    };
    (c, 2)
}

/// Decodes `\u00e9`, or a surrogate pair of two such escapes.
fn unicode(text: &str) -> (char, usize) {
    let unit = |from: usize| {
        let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    let pair = [first, unit(6).unwrap_or(0)];
    match char::decode_utf16(pair).next() {
        Some(Ok(c)) => (c, if c.len_utf16() == 2 { 12 } else { 6 }),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}
