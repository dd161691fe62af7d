//! Columns of a table aligned with spaces.
//!
//! kubectl aligns with Go's tabwriter: offsets count characters, not bytes, and at least two spaces
//! separate a cell from the next column.

use memchr::memchr;

use super::names;
use crate::input::Line;
use kwhy_model::Span;

/// The maximum number of columns of a table.
const MAX_COLUMNS: usize = 40;

/// The maximum length of a header line, in bytes.
const MAX_HEADER_LENGTH: usize = 4096;

/// The width of a tab stop.
const TAB: usize = 8;

/// Two-word column names. In a header squeezed to single spaces, nothing else distinguishes them
/// from two columns.
const TWO_WORDS: &[(&str, &str)] = &[
    ("LAST", "SEEN"),
    ("FIRST", "SEEN"),
    ("LAST", "SCHEDULE"),
    ("LAST", "TRANSITION"),
    ("LAST", "BACKUP"),
    ("NOMINATED", "NODE"),
    ("READINESS", "GATES"),
    ("ACCESS", "MODES"),
    ("RECLAIM", "POLICY"),
    ("NODE", "SELECTOR"),
    ("POD", "LABELS"),
    ("CREATED", "AT"),
    ("ALLOWED", "DISRUPTIONS"),
    ("MIN", "AVAILABLE"),
    ("MAX", "UNAVAILABLE"),
    ("SYNC", "STATUS"),
    ("HEALTH", "STATUS"),
    ("APP", "VERSION"),
    ("POD", "ID"),
    ("CONTAINER", "ID"),
    ("IMAGE", "ID"),
    ("BLOB", "SIZE"),
    ("DISPLAY", "NAME"),
    ("IMAGE", "REPOSITORY"),
    ("TRIGGERED", "BY"),
];

/// A part of a line and its offset in the document, or in a joined row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    /// The text, without surrounding spaces.
    pub text: &'a str,
    /// The offset of its first byte.
    pub start: usize,
}

impl<'a> Cell<'a> {
    /// Returns the trimmed part of a line; an empty cell if the range is out of bounds.
    pub fn of(line: &Line<'a>, range: Span) -> Cell<'a> {
        let start = range.start.min(line.text.len());
        let part = line.text.get(range).unwrap_or("");
        let trimmed = part.trim_start();
        Cell {
            text: trimmed.trim_end(),
            start: line.start + start + (part.len() - trimmed.len()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn span(&self) -> Span {
        self.start..self.start + self.text.len()
    }

    /// Returns the cell without its first `bytes` bytes and the spaces after them.
    pub fn skip(&self, bytes: usize) -> Cell<'a> {
        let rest = self.text.get(bytes..).unwrap_or("");
        let trimmed = rest.trim_start();
        Cell {
            text: trimmed,
            start: self.start + self.text.len() - trimmed.len(),
        }
    }

    /// Returns the cell without the marks of emphasis or code around one word: `_**ErrImagePull**_`.
    pub fn unmarked(&self) -> Cell<'a> {
        let is_mark = |byte: &u8| matches!(byte, b'*' | b'_' | b'`');
        let bytes = self.text.as_bytes();
        let marks = bytes.iter().take_while(|byte| is_mark(byte)).count();
        let inner = bytes
            .len()
            .checked_sub(marks)
            .and_then(|end| bytes.get(marks..end));
        let is_word = |inner: &[u8]| {
            let ends = [inner.first(), inner.last()];
            ends.into_iter()
                .all(|end| end.is_some_and(u8::is_ascii_alphanumeric))
        };
        let (before, after) = (bytes.iter().take(marks), bytes.iter().rev().take(marks));
        if marks == 0 || !inner.is_some_and(is_word) || !before.eq(after) {
            return *self;
        }
        Cell {
            text: self
                .text
                .get(marks..self.text.len() - marks)
                .unwrap_or(self.text),
            start: self.start + marks,
        }
    }

    /// Returns the first `bytes` bytes of the cell, without trailing spaces.
    pub fn first(&self, bytes: usize) -> Cell<'a> {
        Cell {
            text: self.text.get(..bytes).unwrap_or(self.text).trim_end(),
            start: self.start,
        }
    }
}

/// Yields the byte range of each word, and true if it follows a wide gap (two spaces or a tab) or
/// starts the text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (Span, bool)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start();
        if trimmed.is_empty() {
            return None;
        }
        let gap = &rest[..rest.len() - trimmed.len()];
        let start = at + gap.len();
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let wide = at == 0 || gap.len() > 1 || gap.contains('\t');
        at = start + length;
        Some((start..at, wide))
    })
}

/// A column: its name as printed and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column<'h> {
    pub name: &'h str,
    /// The position of its first character, in characters.
    at: usize,
}

/// The columns of a header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns<'h> {
    columns: Vec<Column<'h>>,
    /// True if the header still has its original layout, so that its offsets delimit the cells.
    aligned: bool,
    /// True if single tabs separate the columns, as in the output of helm and spreadsheets.
    tabbed: bool,
}

impl<'h> Columns<'h> {
    /// Splits a header line; `None` if it has fewer than two columns or too many.
    pub fn read(header: &'h str) -> Option<Columns<'h>> {
        if header.len() > MAX_HEADER_LENGTH {
            return None;
        }
        let mut spans: Vec<(Span, bool)> = Vec::new();
        for word in words(header) {
            if spans.len() > 2 * MAX_COLUMNS {
                return None;
            }
            spans.push(word);
        }
        let aligned = spans.iter().skip(1).any(|(_, wide)| *wide);
        let mut merged: Vec<Span> = Vec::new();
        for (span, wide) in spans {
            let joins = !wide
                && merged.last().is_some_and(|before| {
                    let (one, other) = (&header[before.clone()], &header[span.clone()]);
                    is_two_words(one, other)
                        || (aligned && !(is_single_column(one) && is_single_column(other)))
                });
            match merged.last_mut() {
                Some(before) if joins => before.end = span.end,
                _ => merged.push(span),
            }
        }
        if merged.len() < 2 || merged.len() > MAX_COLUMNS {
            return None;
        }
        let gaps = merged.windows(2).map(|pair| match pair {
            [before, after] => header.get(before.end..after.start).unwrap_or(""),
            _ => "",
        });
        let tabbed = gaps
            .map(|gap| gap.bytes().filter(|byte| *byte == b'\t').count())
            .all(|tabs| tabs == 1);
        let mut positions = screen_positions(header).peekable();
        let columns = merged
            .into_iter()
            .map(|span| {
                while positions.next_if(|(_, byte)| *byte < span.start).is_some() {}
                Column {
                    at: positions.peek().map_or(0, |(position, _)| *position),
                    // k9s marks the column it sorts by
                    name: header[span].trim_end_matches(['\u{2191}', '\u{2193}']),
                }
            })
            .collect();
        Some(Columns {
            columns,
            aligned,
            tabbed,
        })
    }

    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    pub fn names(&self) -> impl Iterator<Item = &'h str> {
        self.columns.iter().map(|column| column.name)
    }

    /// Returns the position of a column in characters; `None` if it does not predict that of the
    /// cells.
    pub fn position(&self, column: usize) -> Option<usize> {
        let column = self.columns.get(column)?;
        (self.aligned && !self.tabbed).then_some(column.at)
    }

    /// Splits a row at the header's offsets, one cell per column; `None` if the row is not aligned
    /// with these columns. A row indented differently from the header is also tried at its own
    /// indentation.
    pub fn cells<'a>(&self, line: &Line<'a>) -> Option<Vec<Cell<'a>>> {
        if !self.aligned {
            return None;
        }
        if self.tabbed {
            return self.tabbed_cells(line);
        }
        let first = self.columns.first()?.at;
        let indent = line.indent();
        self.cells_at(line, 0, 0).or_else(|| {
            (indent != first)
                .then(|| self.cells_at(line, first, indent))
                .flatten()
        })
    }

    /// Splits a row at its tabs, if that gives one cell per column.
    fn tabbed_cells<'a>(&self, line: &Line<'a>) -> Option<Vec<Cell<'a>>> {
        let mut at = line.indent();
        let row = line.text.get(at..)?;
        if row.bytes().filter(|byte| *byte == b'\t').count() + 1 != self.columns.len() {
            return None;
        }
        let cells = row.split('\t').map(|part| {
            let cell = Cell::of(line, at..at + part.len());
            at += part.len() + 1;
            cell
        });
        Some(cells.collect())
    }

    /// Splits a row that is shifted right of the header by `to - from` characters.
    fn cells_at<'a>(&self, line: &Line<'a>, from: usize, to: usize) -> Option<Vec<Cell<'a>>> {
        if line.text.is_ascii() && memchr(b'\t', line.text.as_bytes()).is_none() {
            return self.cells_of_ascii(line, from, to);
        }
        let mut bounds = Vec::with_capacity(self.columns.len() + 1);
        let mut positions = screen_positions(line.text).peekable();
        for column in &self.columns {
            let wanted = (column.at + to).checked_sub(from)?;
            // columns ascend, so one pass over the line finds them all
            while positions
                .next_if(|(position, _)| *position < wanted)
                .is_some()
            {}
            bounds.push(positions.peek().map_or(line.text.len(), |(_, byte)| *byte));
        }
        self.cells_between(line, bounds)
    }

    /// A fast path for ASCII without tabs, where a position is an offset.
    fn cells_of_ascii<'a>(&self, line: &Line<'a>, from: usize, to: usize) -> Option<Vec<Cell<'a>>> {
        let bytes = line.text.as_bytes();
        let start = |column: &Column<'h>| {
            let wanted = (column.at + to).checked_sub(from)?;
            Some(wanted.min(bytes.len()))
        };
        let begin = start(self.columns.first()?)?;
        if !bytes.get(..begin)?.iter().all(is_space) {
            return None;
        }
        let mut cells = Vec::with_capacity(self.columns.len());
        let mut at = begin;
        for number in 1..=self.columns.len() {
            let end = match self.columns.get(number) {
                Some(next) => start(next)?,
                None => bytes.len(),
            };
            let part = bytes.get(at..end)?;
            let spaces = part.iter().rev().take_while(|byte| is_space(byte)).count();
            let length = part.len() - spaces;
            // a gap before the next column must be wide, unless the line ends
            let before = end.checked_sub(2).and_then(|two| bytes.get(two..end));
            let is_wide = before.is_some_and(|two| two.iter().all(is_space));
            let begins_late = length > 0 && part.first().is_some_and(is_space);
            if begins_late || !(is_wide || end == bytes.len()) {
                return None;
            }
            cells.push(Cell {
                text: line.text.get(at..at + length)?,
                start: line.start + if length > 0 { at } else { end },
            });
            at = end;
        }
        Some(cells)
    }

    /// Splits a row at the offsets at which its columns start.
    fn cells_between<'a>(&self, line: &Line<'a>, mut bounds: Vec<usize>) -> Option<Vec<Cell<'a>>> {
        if bounds
            .first()
            .is_some_and(|first| !line.text[..*first].trim().is_empty())
        {
            return None;
        }
        for &bound in bounds.iter().skip(1) {
            let before = &line.text[..bound];
            let gap = before.len() - before.trim_end().len();
            let is_wide = gap > 1 || before.ends_with('\t');
            if !is_wide && bound != line.text.len() {
                return None;
            }
        }
        bounds.push(line.text.len());
        let mut cells = Vec::with_capacity(self.columns.len());
        for pair in bounds.windows(2) {
            let &[start, end] = pair else { return None };
            let cell = Cell::of(line, start..end);
            if !cell.is_empty() && cell.start != line.start + start {
                return None;
            }
            cells.push(cell);
        }
        Some(cells)
    }
}

/// Returns true for ASCII white space, as defined by [`char::is_whitespace`].
pub(super) fn is_space(byte: &u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Yields the screen position and the byte offset of each character.
pub(crate) fn screen_positions(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut position = 0;
    text.char_indices().map(move |(byte, c)| {
        let at = position;
        position = if c == '\t' {
            (position / TAB + 1) * TAB
        } else {
            position + 1
        };
        (at, byte)
    })
}

/// Returns true if the word is a column on its own. Up to 1.8, describe separated the names of its
/// event columns by a single space.
fn is_single_column(word: &str) -> bool {
    names::is_known(word) || matches!(word, "FirstSeen" | "LastSeen" | "FIRSTSEEN" | "LASTSEEN")
}

fn is_two_words(first: &str, second: &str) -> bool {
    TWO_WORDS
        .iter()
        .any(|(a, b)| a.eq_ignore_ascii_case(first) && b.eq_ignore_ascii_case(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line<'_> {
        Line {
            text,
            start: 100,
            number: 1,
        }
    }

    #[test]
    fn headers_with_two_words() {
        let aligned = Columns::read("NAME    LAST SEEN   SOME THING").unwrap();
        assert_eq!(
            aligned.names().collect::<Vec<_>>(),
            ["NAME", "LAST SEEN", "SOME THING"]
        );
        let squeezed = Columns::read("NAME NODE NOMINATED NODE AGE").unwrap();
        assert_eq!(
            squeezed.names().collect::<Vec<_>>(),
            ["NAME", "NODE", "NOMINATED NODE", "AGE"]
        );
        assert!(Columns::read("NAME").is_none());
    }

    #[test]
    fn offsets_count_characters() {
        let columns = Columns::read("NAME   OWNER   AGE").unwrap();
        let cells = columns.cells(&line("web    zoë     5d")).unwrap();
        assert_eq!(cells[1].text, "zoë");
        assert_eq!((cells[2].text, cells[2].start), ("5d", 116));
        assert_eq!(
            columns.cells(&line("web            5d")).unwrap()[1].text,
            ""
        );
        assert!(columns.cells(&line("web zoe 5d and more")).is_none());
    }

    #[test]
    fn rows_at_another_indentation() {
        let columns = Columns::read("NAME   AGE").unwrap();
        let cells = columns.cells(&line("   web    5d")).unwrap();
        assert_eq!((cells[0].text, cells[1].text), ("web", "5d"));
    }
}
