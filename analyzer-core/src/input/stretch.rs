//! A stretch of a document that is read by itself.

use super::document::{Document, Place};
use super::line::floor_char;
use crate::model::Span;

/// The most of a line that is kept as proof (4 KiB); of a longer one it is the part around the mark.
const MAX_TEXT: usize = 4096;

/// How much of a long line is kept before the mark.
const BEFORE: usize = 1024;

/// A place in a line at which characters of it are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The byte behind which they stood.
    pub at: usize,
    pub characters: u64,
}

/// Some lines of a document, or a part of one, with their place in it.
#[derive(Debug)]
pub(crate) struct Stretch {
    /// The document's number.
    pub document: usize,
    /// The document's byte at which it begins.
    pub first_byte: usize,
    /// How many lines of the document stand before it.
    pub lines_before: u64,
    pub text: Document,
    /// What is left out of its line, if it is a part of one.
    pub gaps: Vec<Gap>,
}

impl Stretch {
    /// The document's bytes of a span.
    pub fn whole(&self, span: &Span) -> Span {
        self.first_byte + span.start..self.first_byte + span.end
    }

    /// Where a span stands in the document.
    pub fn place(&self, span: &Span) -> Place {
        let mut place = self.text.place(span);
        place.line += self.lines_before;
        if !self.gaps.is_empty() {
            let at = self.text.original_offset(span.start);
            let before = self.gaps.iter().take_while(|gap| gap.at <= at);
            place.column += before.map(|gap| gap.characters).sum::<u64>();
        }
        if place.text.len() > MAX_TEXT {
            let start = floor_char(&place.text, place.mark.start.saturating_sub(BEFORE));
            let end = floor_char(&place.text, start + MAX_TEXT);
            place.text = place.text[start..end].to_owned();
            let within = |at: usize| at.clamp(start, end) - start;
            place.mark = within(place.mark.start)..within(place.mark.end);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_the_documents() {
        let stretch = Stretch {
            document: 0,
            first_byte: 100,
            lines_before: 7,
            text: Document::new("x", "one\ntwo\n"),
            gaps: Vec::new(),
        };
        let place = stretch.place(&(4..7));
        assert_eq!(
            (place.line, place.column, place.text.as_str()),
            (9, 1, "two")
        );
        assert_eq!(stretch.whole(&(4..7)), 104..107);
    }

    #[test]
    fn of_a_long_line_the_part_around_the_mark_stays() {
        let line = format!("{}needle{}", "\u{e9}".repeat(9000), "y".repeat(9000));
        let stretch = Stretch {
            document: 0,
            first_byte: 0,
            lines_before: 0,
            text: Document::new("x", line),
            gaps: Vec::new(),
        };
        let place = stretch.place(&(18_000..18_006));
        assert!(place.text.len() <= MAX_TEXT);
        assert_eq!(&place.text[place.mark], "needle");
        assert_eq!(place.column, 9001);
    }

    #[test]
    fn columns_count_what_is_left_out() {
        let gap = |at, characters| Gap { at, characters };
        let stretch = Stretch {
            document: 0,
            first_byte: 0,
            lines_before: 0,
            text: Document::new("x", "abcdef"),
            gaps: vec![gap(0, 100), gap(3, 10)],
        };
        let column = |at: usize| stretch.place(&(at..at + 1)).column;
        assert_eq!((column(0), column(2), column(3)), (101, 103, 114));
    }
}
