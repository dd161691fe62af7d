//! Groups similar events: events whose messages differ only in values share a row with their count,
//! rate, first and last time and an example.
//!
//! Variable parts are found in three steps. Within a message, by shape ([`mask`]): numbers, addresses,
//! generated names, paths, quoted words. Between messages, as in Drain (He et al., 2017): templates
//! of the same length that agree in their prefix and in most of their parts are merged, with
//! `ANY` where they differ, if the differing parts are identifiers (`web-0`, `com.example.cart`); a word may be what
//! the message is about (`VM started`, `VM stopped`). At the end, words count as values if many templates, or one with
//! a value, differ only in them (`values`). These steps process templates rather than events, in the order of the
//! input, so the result does not depend on the number of threads.

pub mod mask;
mod values;

use std::borrow::Cow;
use std::collections::HashMap;

use kwhy_model::{Event, Severity, Stamp, Text};

use mask::ANY;

/// The maximum number of rows; events of further templates are only counted.
const MAX_ROWS: usize = 4096;

/// The maximum number of rows with the same prefix compared with a new template.
const MAX_CANDIDATES: usize = 64;

/// The number of leading parts that must agree, unless they are identifiers.
const PREFIX_LEN: usize = 2;

/// The minimum share of parts that must agree, in percent.
const SIMILARITY_PERCENT: usize = 60;

/// Messages with more words than this may have words that count as values by comparison with other messages; in a
/// shorter one, a single word may carry all the meaning.
const SHORT: usize = 3;

/// Events grouped by the constant parts of their messages.
///
/// ```
/// use kwhy_parse::{templates::Folded, self as parse, input::{Document, lines}};
/// let log = "\
/// time=\"2024-03-04T05:06:07Z\" level=error msg=\"dial tcp 10.0.0.1:80: connection refused\"
/// time=\"2024-03-04T05:06:09Z\" level=error msg=\"dial tcp 10.0.0.2:80: connection refused\"
/// ";
/// let document = Document::new("x", log);
/// let parsed = parse::log::parse(&lines(document.text()).collect::<Vec<_>>());
/// let mut folded = Folded::new();
/// for event in &parsed.events {
///     folded.add(event, ("x", document.line_of(event.span.start)));
/// }
/// let rows = folded.rows();
/// assert_eq!(rows[0].template, "dial tcp <ip>: connection refused");
/// assert_eq!((rows[0].count, rows[0].line), (2, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Folded {
    rows: Vec<Row>,
    /// Row indices by template as first seen, before generalisation.
    known: HashMap<Key, usize>,
    /// Row indices by the properties that must agree: severity, reason, prefix and length.
    alike: HashMap<Key, Vec<usize>>,
    /// The number of events beyond [`MAX_ROWS`].
    further: u64,
    /// True if merging rows no longer frees enough capacity.
    is_full: bool,
    /// The row of each event, if requested.
    lines: Option<Vec<Assigned>>,
}

/// An event's document and line, and the index of its row.
type Assigned = (std::sync::Arc<str>, u64, usize);

/// The row that an event belongs to.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct FoldedLine {
    /// The document of the event.
    pub source: String,
    /// The line on which the event starts, starting at 1.
    pub line: u64,
    /// The index of its template, in the order of the templates' first events.
    pub template: usize,
}

type Key = (Option<Severity>, Option<String>, Vec<String>);

#[derive(Clone, Debug)]
struct Row {
    severity: Option<Severity>,
    reason: Option<String>,
    tokens: Vec<String>,
    count: u64,
    first: Option<Stamp>,
    last: Option<Stamp>,
    source: String,
    line: u64,
    example: String,
}

/// A group of similar events.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FoldedRow {
    /// The message and error, with placeholders for parts that vary: `<ip>`, `<duration>`, `<number>`, `<path>`, `<size>`,
    /// `<time>` or `<uuid>` where each has that type, otherwise `<*>`.
    pub template: String,
    /// The number of events.
    pub count: u64,
    /// The severity according to the writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The earliest time, if any event has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Stamp>,
    /// The latest time, if any event has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Stamp>,
    /// The events per minute from the first to the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<f64>,
    /// The document of the example, which is the first event.
    pub source: String,
    /// The example's line, counted from 1.
    pub line: u64,
    /// The example's message.
    pub example: String,
}

/// The maximum length of an example, in bytes.
const MAX_EXAMPLE_BYTES: usize = 512;

impl Folded {
    /// Creates an empty set of groups.
    pub fn new() -> Folded {
        Folded::default()
    }

    /// Creates an empty set of groups that also keeps the row of each event.
    pub fn with_lines() -> Folded {
        Folded {
            lines: Some(Vec::new()),
            ..Folded::default()
        }
    }

    /// Returns the row of each event, in order; empty unless requested by [`Folded::with_lines`].
    pub fn lines(&self) -> impl Iterator<Item = FoldedLine> {
        let (_, places) = values::compacted(&self.rows);
        let lines = self.lines.iter().flatten();
        lines.filter_map(move |(source, line, row)| {
            Some(FoldedLine {
                source: source.to_string(),
                line: *line,
                template: *places.get(*row)?,
            })
        })
    }

    /// Records that an event belongs to a row.
    fn assign(&mut self, (source, line): (&str, u64), row: Option<usize>) {
        if let (Some(lines), Some(row)) = (&mut self.lines, row) {
            let known = lines.last().filter(|(last, ..)| last.as_ref() == source);
            let source = known.map_or_else(|| source.into(), |(last, ..)| last.clone());
            lines.push((source, line, row));
        }
    }

    /// Adds an event, with its document and line.
    pub fn add(&mut self, event: &Event<'_>, (source, line): (&str, u64)) {
        let texts = text_of(event);
        let message = texts.as_ref();
        let reason = event.reason.as_ref().map(|text| text.as_str().to_owned());
        let tokens = mask::typed(message);
        let time = event.time;
        let key = (event.severity, reason, untyped(&tokens));
        if let Some(at) = self.known.get(&key).copied()
            && let Some(row) = self.rows.get_mut(at)
        {
            row.generalise(&tokens);
            row.take(event.count, time, time);
            self.assign((source, line), Some(at));
            return;
        }
        let cut = crate::input::floor_char(message, MAX_EXAMPLE_BYTES);
        let at = self.insert(
            key.clone(),
            Row {
                severity: key.0,
                reason: key.1,
                tokens: tokens.into_iter().map(str::to_owned).collect(),
                count: event.count,
                first: time,
                last: time,
                source: source.to_owned(),
                line,
                example: message.get(..cut).unwrap_or("").to_owned(),
            },
        );
        self.assign((source, line), at);
    }

    /// Merges the groups of a later part of the input.
    pub fn merge(&mut self, later: Folded) {
        self.further += later.further;
        let mut places = Vec::with_capacity(later.rows.len());
        for row in later.rows {
            let key = row.key();
            let known = self.known.get(&key).copied();
            places.push(
                match known.and_then(|at| Some((at, self.rows.get_mut(at)?))) {
                    Some((at, known)) => {
                        known.generalise(&row.tokens);
                        known.take(row.count, row.first, row.last);
                        Some(at)
                    }
                    None => self.insert(key, row),
                },
            );
        }
        for (source, line, row) in later.lines.into_iter().flatten() {
            self.assign((&source, line), places.get(row).copied().flatten());
        }
    }

    /// Adds a row, or merges it into a similar one; returns its index, or `None` if there are too many rows.
    fn insert(&mut self, key: Key, row: Row) -> Option<usize> {
        let alike = self.alike.entry(row.group()).or_default();
        let same = alike.iter().copied().find(|at| {
            self.rows
                .get(*at)
                .is_some_and(|known| known.is_similar(&row))
        });
        if let Some(at) = same
            && let Some(known) = self.rows.get_mut(at)
        {
            known.generalise(&row.tokens);
            known.take(row.count, row.first, row.last);
            if self.known.len() < 4 * MAX_ROWS {
                self.known.insert(key, at);
            }
            return Some(at);
        }
        if self.rows.len() >= MAX_ROWS {
            if !self.is_full {
                self.compact();
                return self.insert(key, row);
            }
            self.further += row.count;
            return None;
        }
        if alike.len() < MAX_CANDIDATES {
            alike.push(self.rows.len());
        }
        self.known.insert(key, self.rows.len());
        self.rows.push(row);
        Some(self.rows.len() - 1)
    }

    /// Merges rows that differ only in values, to free capacity.
    fn compact(&mut self) {
        let (rows, places) = values::compacted(&self.rows);
        // do not repeat this for a small gain
        self.is_full = rows.len() > MAX_ROWS / 2;
        self.rows = rows;
        self.known = (0..)
            .zip(&self.rows)
            .map(|(at, row)| (row.key(), at))
            .collect();
        self.alike.clear();
        for (at, row) in self.rows.iter().enumerate() {
            let alike = self.alike.entry(row.group()).or_default();
            if alike.len() < MAX_CANDIDATES {
                alike.push(at);
            }
        }
        for (.., row) in self.lines.iter_mut().flatten() {
            *row = places.get(*row).copied().unwrap_or(*row);
        }
    }

    /// Returns the number of events in no row because there were too many templates.
    pub fn further(&self) -> u64 {
        self.further
    }

    /// Returns the rows, most severe first, then most frequent.
    pub fn rows(&self) -> Vec<FoldedRow> {
        let (mut rows, _) = values::compacted(&self.rows);
        rows.sort_by_key(|row| {
            let severe = row
                .severity
                .filter(|severity| *severity >= Severity::Warning);
            (std::cmp::Reverse(severe), std::cmp::Reverse(row.count))
        });
        rows.iter().map(Row::to_folded).collect()
    }
}

/// Replaces typed placeholders in tokens by [`ANY`].
fn untyped<T: AsRef<str>>(tokens: &[T]) -> Vec<String> {
    let tokens = tokens.iter().map(AsRef::as_ref);
    tokens
        .map(|token| mask::untyped(token).to_owned())
        .collect()
}

/// Returns the message, followed by the error if that is a field of its own.
fn text_of<'e>(event: &'e Event<'_>) -> Cow<'e, str> {
    let message = event.message.as_str();
    let error = event.texts().nth(1).map(Text::as_str);
    match error.filter(|error| !error.is_empty() && !message.contains(error)) {
        Some(error) if message.is_empty() => Cow::Borrowed(error),
        Some(error) => Cow::Owned(format!("{message}: {error}")),
        None => Cow::Borrowed(message),
    }
}

impl Row {
    /// Returns what events of the same template have in common, whatever their values.
    fn key(&self) -> Key {
        (self.severity, self.reason.clone(), untyped(&self.tokens))
    }

    /// Returns what similar templates have in common: severity, reason, length and first parts.
    fn group(&self) -> Key {
        let start = self.tokens.iter().take(PREFIX_LEN);
        let shape = |token: &String| match mask::is_identifier(token) {
            true => ANY.to_owned(),
            false => token.clone(),
        };
        let mut prefix: Vec<String> = start.map(shape).collect();
        prefix.push(self.tokens.len().to_string());
        (self.severity, self.reason.clone(), prefix)
    }

    fn take(&mut self, count: u64, first: Option<Stamp>, last: Option<Stamp>) {
        self.count += count;
        self.first = match (self.first, first) {
            (Some(a), Some(b)) if b.nanos < a.nanos => Some(b),
            (known, new) => known.or(new),
        };
        self.last = match (self.last, last) {
            (Some(a), Some(b)) if b.nanos > a.nanos => Some(b),
            (known, new) => known.or(new),
        };
    }

    /// Returns true if most parts agree and all others are identifiers; a variable part agrees with any.
    fn is_similar(&self, other: &Row) -> bool {
        let parts = || self.tokens.iter().zip(&other.tokens);
        let agree = |mine: &str, theirs: &str| {
            let mine = mask::untyped(mine);
            mine == ANY || mine == mask::untyped(theirs)
        };
        let equal =
            parts().filter(|(mine, theirs)| mask::is_word_token(mine) && agree(mine, theirs));
        let words = self.words();
        self.tokens.len() == other.tokens.len()
            && words > SHORT
            && equal.count() * 100 >= words * SIMILARITY_PERCENT
            && parts().all(|(mine, theirs)| {
                agree(mine, theirs) || mask::is_identifier(mine) && mask::is_identifier(theirs)
            })
    }

    /// Returns the number of its words and values.
    fn words(&self) -> usize {
        let tokens = self.tokens.iter();
        tokens.filter(|token| mask::is_word_token(token)).count()
    }

    fn generalise<T: AsRef<str>>(&mut self, tokens: &[T]) {
        for (mine, theirs) in self.tokens.iter_mut().zip(tokens) {
            if mine != theirs.as_ref() {
                ANY.clone_into(mine);
            }
        }
    }

    fn to_folded(&self) -> FoldedRow {
        let minutes = match (self.first, self.last) {
            (Some(first), Some(last)) => last.seconds_since(&first) / 60.0,
            _ => 0.0,
        };
        let rate = (self.count - 1) as f64 / minutes;
        FoldedRow {
            template: mask::text(&self.tokens),
            count: self.count,
            severity: self.severity,
            reason: self.reason.clone(),
            first: self.first,
            last: self.last,
            per_minute: (minutes > 0.0).then(|| (rate * 100.0).round() / 100.0),
            source: self.source.clone(),
            line: self.line,
            example: self.example.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
