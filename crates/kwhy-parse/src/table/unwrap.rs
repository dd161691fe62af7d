//! Rows that a terminal wrapped at its width, possibly in the middle of a word. Lines that belong
//! together become one text that maps back to the document.

use crate::input::Line;
use kwhy_model::{Span, Text, TextBuilder};

use super::columns::Cell;

/// The narrowest plausible terminal.
pub(crate) const MIN_WIDTH: usize = 60;

/// Common terminal widths, for which a single full line is enough evidence.
const COMMON_WIDTHS: &[usize] = &[80, 100, 120, 132, 160];

/// The maximum number of lines that one row may be wrapped over.
const MAX_PARTS: usize = 64;

/// A line as it was before a terminal wrapped it.
#[derive(Clone, Debug)]
pub(crate) struct LogicalLine<'a> {
    pub text: Text<'a>,
    /// The number of its first line.
    pub number: u64,
    /// The number of lines it occupies.
    pub parts: u64,
}

impl<'a> LogicalLine<'a> {
    /// Returns a line that was not wrapped.
    pub fn of(line: &Line<'a>) -> Self {
        LogicalLine {
            text: Text::borrowed(line.text, line.start),
            number: line.number,
            parts: 1,
        }
    }

    /// Joins lines each of which continues on the next one.
    pub fn join(lines: &[Line<'a>]) -> Option<Self> {
        LogicalLine::join_at(lines, 0)
    }

    /// Joins lines that were wrapped at a width, restoring the trailing spaces lost in copying.
    pub fn join_at(lines: &[Line<'a>], width: usize) -> Option<Self> {
        let (first, rest) = lines.split_first()?;
        if rest.is_empty() {
            return Some(LogicalLine::of(first));
        }
        let mut builder = TextBuilder::new();
        for (index, line) in lines.iter().enumerate() {
            builder.push(line.text, line.start);
            if let Some(next) = lines.get(index + 1) {
                let lost = " ".repeat(width.saturating_sub(width_of(line)));
                builder.push_decoded(&lost, line.span().end..next.start);
            }
        }
        Some(LogicalLine {
            text: builder.finish(),
            number: first.number,
            parts: lines.len() as u64,
        })
    }

    /// Returns the line, with offsets counted from its own start.
    pub fn line(&self) -> Line<'_> {
        Line {
            text: self.text.as_str(),
            start: 0,
            number: self.number,
        }
    }

    /// Returns the text of a cell, located in the document.
    pub fn cell(&self, cell: Cell<'_>) -> Text<'a> {
        self.text.slice(cell.span())
    }

    /// Returns the span of a cell in the document.
    pub fn span(&self, cell: Cell<'_>) -> Span {
        self.text.source_span(cell.span())
    }

    /// Returns the span in the document, without surrounding spaces.
    pub fn trimmed_span(&self) -> Span {
        self.text.trim().span()
    }

    /// Returns the numbers of its lines.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.number..self.number + self.parts
    }
}

/// Returns the width at which lines were wrapped: no line is longer, and at least two different
/// lines have exactly this width, or one if it is a common terminal width. `None` if nothing was
/// wrapped.
pub(crate) fn width(lines: &[Line<'_>]) -> Option<usize> {
    let mut widest = 0;
    let mut first: Option<&str> = None;
    let mut is_repeated = false;
    for line in lines {
        // there are at least as many bytes as characters, so most lines need no counting
        if line.text.len() < widest.max(MIN_WIDTH) {
            continue;
        }
        let width = width_of(line);
        if width > widest {
            (widest, first, is_repeated) = (width, Some(line.text), false);
        } else if width == widest && first != Some(line.text) {
            is_repeated = true;
        }
    }
    let is_width = widest >= MIN_WIDTH && (is_repeated || COMMON_WIDTHS.contains(&widest));
    is_width.then_some(widest)
}

/// Returns the width of the longest line; `usize::MAX` if all are too short to have been wrapped.
pub(crate) fn longest(lines: &[Line<'_>]) -> usize {
    let long = lines.iter().filter(|line| line.text.len() >= MIN_WIDTH);
    long.map(width_of)
        .max()
        .filter(|width| *width >= MIN_WIDTH)
        .unwrap_or(usize::MAX)
}

/// Returns true if the line fills the width, so that it may continue on the next one.
pub(crate) fn is_full(line: &Line<'_>, width: usize) -> bool {
    line.text.len() >= width && width_of(line) == width
}

/// Joins the lines that were wrapped at a width. A line for which `begins` returns true starts a
/// row and continues no previous line.
pub(crate) fn join<'a>(
    lines: &[Line<'a>],
    begins: impl Fn(&Line<'a>) -> bool,
) -> Vec<LogicalLine<'a>> {
    let Some(width) = width(lines) else {
        return lines.iter().map(LogicalLine::of).collect();
    };
    let mut joined = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some(first) = rest.first() {
        let mut parts = 1;
        let mut last = first;
        while let Some(next) = rest.get(parts) {
            let continues = parts < MAX_PARTS
                && is_full(last, width)
                && next.number == last.number + 1
                && !begins(next);
            if !continues {
                break;
            }
            last = next;
            parts += 1;
        }
        let (lines_of_row, after) = rest.split_at(parts);
        joined.extend(LogicalLine::join(lines_of_row));
        rest = after;
    }
    joined
}

/// Returns the width of a line in characters.
pub(crate) fn width_of(line: &Line<'_>) -> usize {
    line.text.chars().count()
}
