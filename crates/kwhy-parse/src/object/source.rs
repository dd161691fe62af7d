//! The lines of an output as one text, mapped to the document.

use std::borrow::Cow;
use std::cell::Cell;

use memchr::{memchr, memchr_iter};

use crate::input::Line;
use kwhy_model::{Span, Text};

/// A line, and the number of columns removed before it (`- `).
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub line: Line<'a>,
    pub pad: usize,
}

impl<'a> Row<'a> {
    /// Returns a row for an unchanged line.
    pub fn new(line: Line<'a>) -> Self {
        Row { line, pad: 0 }
    }

    /// Returns the column of the first character that is not a space.
    pub fn indent(&self) -> usize {
        self.pad + self.line.indent()
    }

    /// Returns the line without surrounding white space.
    pub fn bare(&self) -> &'a str {
        self.line.text.trim()
    }

    /// Returns true if the line is a list item.
    pub fn is_item(&self) -> bool {
        let bare = self.bare();
        bare == "-" || bare.starts_with("- ")
    }

    /// Returns the line with its list marker replaced by spaces.
    pub fn without_mark(self) -> Row<'a> {
        let indent = self.line.indent();
        let marked = indent + usize::from(self.is_item());
        Row {
            line: self.line.skip(marked),
            pad: self.pad + marked,
        }
    }
}

/// Rows joined to one text, or a document's text as it is.
#[derive(Debug, Default)]
pub(super) struct Source<'a> {
    text: Cow<'a, str>,
    /// The rows with their offsets in the text; empty if the text is the document's.
    rows: Vec<(usize, Row<'a>)>,
    /// The row of the last query, as a text is read from start to end.
    last: Cell<usize>,
    /// The offset of the last line query, and the number of line ends before it.
    counted: Cell<(usize, u64)>,
}

impl<'a> Source<'a> {
    /// Uses a document's text as it is.
    pub fn whole(text: &'a str) -> Self {
        Source {
            text: Cow::Borrowed(text),
            ..Source::default()
        }
    }

    /// Joins rows with newlines.
    pub fn new(rows: &[Row<'a>]) -> Self {
        let length: usize = rows
            .iter()
            .map(|row| row.line.text.len() + row.pad + 1)
            .sum();
        let mut text = String::with_capacity(length);
        let mut begins = Vec::with_capacity(rows.len());
        for row in rows {
            begins.push((text.len(), *row));
            text.extend(std::iter::repeat_n(' ', row.pad));
            text.push_str(row.line.text);
            text.push('\n');
        }
        Source {
            text: Cow::Owned(text),
            rows: begins,
            ..Source::default()
        }
    }

    /// Returns the text if it is the document's.
    fn own(&self) -> Option<&'a str> {
        match self.text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a part of the text; empty if the range is not on character boundaries.
    pub fn part(&self, range: Span) -> &str {
        self.text.get(range).unwrap_or("")
    }

    /// Returns the index of the row that contains an offset.
    pub fn row_at(&self, at: usize) -> usize {
        let last = self.last.get();
        let near = (last..last + 3).find(|number| {
            let begins = |number| self.rows.get(number).map(|(start, _)| *start <= at);
            begins(*number) == Some(true) && begins(number + 1) != Some(true)
        });
        let number = near.unwrap_or_else(|| self.search(at));
        self.last.set(number);
        number
    }

    fn search(&self, at: usize) -> usize {
        let after = self.rows.partition_point(|(start, _)| *start <= at);
        after.saturating_sub(1)
    }

    /// Returns the line that contains an offset, and its number in the document.
    pub fn line(&self, at: usize) -> Option<(&'a str, u64)> {
        let Some(text) = self.own() else {
            let (_, row) = self.rows.get(self.row_at(at))?;
            return Some((row.line.text, row.line.number));
        };
        let (before, ends) = self.counted.get();
        let (before, ends) = if before <= at { (before, ends) } else { (0, 0) };
        let between = text.as_bytes().get(before..at)?;
        let ends = ends + memchr_iter(b'\n', between).count() as u64;
        self.counted.set((at, ends));
        let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let rest = text.get(start..)?;
        let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        Some((rest.get(..end)?, ends + 1))
    }

    /// Returns the document's number of the line that contains an offset.
    pub fn line_number(&self, at: usize) -> Option<u64> {
        self.line(at).map(|(_, number)| number)
    }

    /// Returns the range of a row in the text, and the row.
    pub fn row(&self, number: usize) -> Option<(Span, Row<'a>)> {
        let (start, row) = self.rows.get(number)?;
        Some((*start..start + row.pad + row.line.text.len(), *row))
    }

    /// Maps an offset in the text to the document.
    pub fn place(&self, at: usize) -> usize {
        if self.own().is_some() {
            return at.min(self.text.len());
        }
        match self.rows.get(self.row_at(at)) {
            Some((start, row)) => {
                let within = at.saturating_sub(start + row.pad);
                row.line.start + within.min(row.line.text.len())
            }
            None => 0,
        }
    }

    /// Maps a range of the text to the document.
    pub fn span(&self, range: Span) -> Span {
        let start = self.place(range.start);
        start..self.place(range.end).max(start)
    }

    /// Returns a range within one row, borrowed from the document.
    pub fn borrowed(&self, range: Span) -> Option<Text<'a>> {
        let (text, start) = self.slice(range)?;
        Some(Text::borrowed(text, start))
    }

    /// Returns a range within one row, and its offset in the document.
    pub fn slice(&self, range: Span) -> Option<(&'a str, usize)> {
        if let Some(text) = self.own() {
            return Some((text.get(range.clone())?, range.start));
        }
        let (whole, row) = self.row(self.row_at(range.start))?;
        let from = range.start.checked_sub(whole.start + row.pad)?;
        let to = range.end.checked_sub(whole.start + row.pad)?;
        Some((row.line.text.get(from..to)?, row.line.start + from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines;

    #[test]
    fn places_are_the_documents() {
        let text = "  - name: web\n    image: x\n";
        let mut rows: Vec<Row<'_>> = lines(text).map(Row::new).collect();
        rows[0] = rows[0].without_mark();
        let source = Source::new(&rows);
        assert_eq!(source.text(), "    name: web\n    image: x\n");
        let at = source.text().find("web").unwrap();
        assert_eq!(&text[source.span(at..at + 3)], "web");
        assert_eq!(source.borrowed(at..at + 3).unwrap().as_str(), "web");
        let both = source.span(at..source.text().len());
        assert_eq!(&text[both], "web\n    image: x");
        assert_eq!(source.borrowed(0..source.text().len()), None);
    }
}
