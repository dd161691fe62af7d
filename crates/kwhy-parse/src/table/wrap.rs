//! Rows that a terminal cut at its width, so that a word may continue in the next line: lines that
//! belong together become one text that knows the way back.

use crate::input::Line;
use kwhy_model::{Span, Text, TextBuilder};

use super::columns::Cell;

/// The narrowest terminal that is believed.
pub(crate) const NARROWEST: usize = 60;

/// Widths that terminals often have: there one line of this width is enough.
const USUAL: &[usize] = &[80, 100, 120, 132, 160];

/// The most lines that one row may have been cut into.
const MOST_PARTS: usize = 64;

/// A line as it was before a terminal cut it.
#[derive(Clone, Debug)]
pub(crate) struct Whole<'a> {
    pub text: Text<'a>,
    /// The number of its first line.
    pub number: u64,
    /// The number of lines that it takes.
    pub parts: u64,
}

impl<'a> Whole<'a> {
    /// A line as it is.
    pub fn of(line: &Line<'a>) -> Self {
        Whole {
            text: Text::borrowed(line.text, line.start),
            number: line.number,
            parts: 1,
        }
    }

    /// The lines, each of which continued in the next one.
    pub fn join(lines: &[Line<'a>]) -> Option<Self> {
        Whole::join_at(lines, 0)
    }

    /// The lines that were cut at a width, with the spaces at their ends that copying lost.
    pub fn join_at(lines: &[Line<'a>], width: usize) -> Option<Self> {
        let (first, rest) = lines.split_first()?;
        if rest.is_empty() {
            return Some(Whole::of(first));
        }
        let mut builder = TextBuilder::new();
        for (index, line) in lines.iter().enumerate() {
            builder.push(line.text, line.start);
            if let Some(next) = lines.get(index + 1) {
                let lost = " ".repeat(width.saturating_sub(of(line)));
                builder.push_decoded(&lost, line.span().end..next.start);
            }
        }
        Some(Whole {
            text: builder.finish(),
            number: first.number,
            parts: lines.len() as u64,
        })
    }

    /// The line, its bytes counted from its own start.
    pub fn line(&self) -> Line<'_> {
        Line {
            text: self.text.as_str(),
            start: 0,
            number: self.number,
        }
    }

    /// A cell's text in the document.
    pub fn cell(&self, cell: Cell<'_>) -> Text<'a> {
        self.text.slice(cell.span())
    }

    /// A cell's bytes in the document.
    pub fn span(&self, cell: Cell<'_>) -> Span {
        self.text.source_span(cell.span())
    }

    /// The document's bytes without the spaces at both ends.
    pub fn trimmed_span(&self) -> Span {
        self.text.trim().span()
    }

    /// The numbers of its lines.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.number..self.number + self.parts
    }
}

/// The width at which lines were cut: no line is longer, and at least two different lines are
/// exactly as long, or one that is as wide as terminals are. `None` if nothing was cut.
pub(crate) fn width(lines: &[Line<'_>]) -> Option<usize> {
    let mut widest = 0;
    let mut first: Option<&str> = None;
    let mut is_repeated = false;
    for line in lines {
        // bytes are never fewer than characters, so most lines need not be counted
        if line.text.len() < widest.max(NARROWEST) {
            continue;
        }
        let width = of(line);
        if width > widest {
            (widest, first, is_repeated) = (width, Some(line.text), false);
        } else if width == widest && first != Some(line.text) {
            is_repeated = true;
        }
    }
    let is_width = widest >= NARROWEST && (is_repeated || USUAL.contains(&widest));
    is_width.then_some(widest)
}

/// The width of the longest line; none where all are too short to have been cut.
pub(crate) fn longest(lines: &[Line<'_>]) -> usize {
    let long = lines.iter().filter(|line| line.text.len() >= NARROWEST);
    long.map(of)
        .max()
        .filter(|width| *width >= NARROWEST)
        .unwrap_or(usize::MAX)
}

/// Returns true if a line fills the width, so that the next one may continue in it.
pub(crate) fn is_full(line: &Line<'_>, width: usize) -> bool {
    line.text.len() >= width && of(line) == width
}

/// Joins the lines that were cut at a width. A line that `begins` says to start a row continues in
/// no line before it.
pub(crate) fn join<'a>(lines: &[Line<'a>], begins: impl Fn(&Line<'a>) -> bool) -> Vec<Whole<'a>> {
    let Some(width) = width(lines) else {
        return lines.iter().map(Whole::of).collect();
    };
    let mut wholes = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some(first) = rest.first() {
        let mut parts = 1;
        let mut last = first;
        while let Some(next) = rest.get(parts) {
            let goes_on = parts < MOST_PARTS
                && is_full(last, width)
                && next.number == last.number + 1
                && !begins(next);
            if !goes_on {
                break;
            }
            last = next;
            parts += 1;
        }
        let (taken, behind) = rest.split_at(parts);
        wholes.extend(Whole::join(taken));
        rest = behind;
    }
    wholes
}

/// A line's width in characters.
pub(crate) fn of(line: &Line<'_>) -> usize {
    line.text.chars().count()
}
