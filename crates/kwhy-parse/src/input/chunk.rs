//! A part of a document that is parsed on its own.

use std::sync::OnceLock;

use super::document::{Document, Place};
use super::line::floor_char;
use crate::redact::{MARK, Secrets};
use kwhy_model::Span;

/// The maximum length in bytes of a line kept as evidence (4 KiB); a longer one is reduced to the part around the mark.
const MAX_TEXT: usize = 4096;

/// The number of bytes of a long line that are kept before the mark.
const BEFORE: usize = 1024;

/// The distance from the mark within which secrets are searched; nothing beyond it is kept.
const NEAR: usize = 2 * MAX_TEXT;

/// A place in a line where characters are omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The offset at which they were omitted.
    pub at: usize,
    /// The number of omitted characters.
    pub characters: u64,
}

/// Some lines of a document, or a part of one, with their position in it.
#[derive(Debug)]
pub struct Chunk {
    /// The index of the document.
    pub document: usize,
    /// The offset in the document at which it starts.
    pub first_byte: usize,
    /// The number of lines of the document before it.
    pub lines_before: u64,
    /// The lines as a document of their own.
    pub text: Document,
    /// The omitted parts, if it is a part of a line.
    pub gaps: Vec<Gap>,
    /// The ends of list items, if it is a part of a line that contains a list: the evidence for an item is then only
    /// the text since the previous item.
    pub ends: Vec<usize>,
    /// The ranges of its secrets, computed on demand.
    pub secrets: OnceLock<Secrets>,
}

impl Chunk {
    /// Maps a span to the document.
    pub fn whole(&self, span: &Span) -> Span {
        self.first_byte + span.start..self.first_byte + span.end
    }

    /// Returns the ranges of its secrets.
    pub fn secrets(&self) -> &Secrets {
        self.secrets.get_or_init(|| Secrets::of(self.text.text()))
    }

    /// Masks the secrets in a value that was read from a range of the text.
    pub fn hide(&self, range: &Span, value: &mut String) {
        if !self.secrets().is_empty() {
            self.secrets().hide(self.text.text(), range, value);
        }
    }

    /// Masks the secrets in a place's line, from which the first `left_out` bytes were removed.
    fn mask(&self, at: usize, left_out: usize, place: &mut Place) {
        let line = self.text.line_span(self.text.line_of(at));
        let near = line.start.max(at.saturating_sub(NEAR))..line.end.min(at.saturating_add(NEAR));
        for secret in self.secrets().within(&near).iter().rev() {
            let own = secret.start.max(line.start)..secret.end.min(line.end);
            let hidden = self.text.mark(&own);
            let within = |at: usize| at.saturating_sub(left_out).min(place.text.len());
            let hidden = within(hidden.start)..within(hidden.end);
            if hidden.is_empty() {
                continue;
            }
            place.text.replace_range(hidden.clone(), MARK);
            let end = hidden.start + MARK.len();
            let moved = |at: usize, inside: usize| match at {
                at if at >= hidden.end => at - hidden.len() + MARK.len(),
                at if at > hidden.start => inside,
                at => at,
            };
            place.mark = moved(place.mark.start, hidden.start)..moved(place.mark.end, end);
        }
    }

    /// Reduces a place's line to the list item that contains an offset, which does not depend on how the line was
    /// split. Returns the number of bytes removed before it.
    fn cut_to_item(&self, at: usize, place: &mut Place) -> usize {
        let next = self.ends.partition_point(|end| *end <= at);
        let before = next.checked_sub(1).and_then(|last| self.ends.get(last));
        let line = place.text.len();
        let from_mark = |end: usize, mark: usize| (end + mark).saturating_sub(at);
        let start = before.map_or(0, |end| from_mark(*end, place.mark.start));
        let end = self
            .ends
            .get(next)
            .map_or(line, |end| from_mark(*end, place.mark.start));
        let start = floor_char(&place.text, start.min(place.mark.start));
        let end = floor_char(&place.text, end.max(place.mark.end));
        place.text = place.text[start..end].to_owned();
        place.mark = place.mark.start - start..place.mark.end - start;
        start
    }

    /// Returns the place of a span in a line of list items, with only the item as its line: the rest of a long line is
    /// not copied. Also returns the number of bytes of the line before the item.
    fn place_of_item(&self, span: &Span) -> (Place, usize) {
        let text = self.text.text();
        let line = self.text.line_of(span.start.min(text.len()));
        let whole = self.text.line_span(line);
        let mark = self.text.mark(span);
        let at = span.start;
        let next = self.ends.partition_point(|end| *end <= at);
        let from_mark = |end: &usize| (end + mark.start).saturating_sub(at);
        let before = next.checked_sub(1).and_then(|last| self.ends.get(last));
        let start = before.map_or(0, from_mark);
        let end = self.ends.get(next).map_or(whole.len(), from_mark);
        let own = text.get(whole.clone()).unwrap_or("");
        let start = floor_char(own, start.min(mark.start));
        let end = floor_char(own, end.max(mark.end));
        let place = Place {
            line,
            column: self.text.column(whole.start, whole.start + mark.start),
            text: own.get(start..end).unwrap_or("").to_owned(),
            mark: mark.start - start..mark.end - start,
        };
        (place, start)
    }

    /// Returns the place of a span in the document. Secrets in its line are masked.
    pub fn place(&self, span: &Span) -> Place {
        let (mut place, item) = match self.text.is_original() && !self.ends.is_empty() {
            true => {
                let (place, start) = self.place_of_item(span);
                (place, Some(start))
            }
            false => (self.text.place(span), None),
        };
        place.line += self.lines_before;
        if !self.gaps.is_empty() {
            let at = self.text.original_offset(span.start);
            let before = self.gaps.iter().take_while(|gap| gap.at <= at);
            place.column += before.map(|gap| gap.characters).sum::<u64>();
        }
        let left_out = match (item, self.ends.is_empty()) {
            (Some(start), _) => start,
            (None, true) => 0,
            (None, false) => self.cut_to_item(self.text.original_offset(span.start), &mut place),
        };
        self.mask(span.start.min(self.text.text().len()), left_out, &mut place);
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
        let chunk = Chunk {
            document: 0,
            first_byte: 100,
            lines_before: 7,
            text: Document::new("x", "one\ntwo\n"),
            gaps: Vec::new(),
            ends: Vec::new(),
            secrets: OnceLock::new(),
        };
        let place = chunk.place(&(4..7));
        assert_eq!(
            (place.line, place.column, place.text.as_str()),
            (9, 1, "two")
        );
        assert_eq!(chunk.whole(&(4..7)), 104..107);
    }

    #[test]
    fn of_a_long_line_the_part_around_the_mark_stays() {
        let line = format!("{}needle{}", "\u{e9}".repeat(9000), "y".repeat(9000));
        let chunk = Chunk {
            document: 0,
            first_byte: 0,
            lines_before: 0,
            text: Document::new("x", line),
            gaps: Vec::new(),
            ends: Vec::new(),
            secrets: OnceLock::new(),
        };
        let place = chunk.place(&(18_000..18_006));
        assert!(place.text.len() <= MAX_TEXT);
        assert_eq!(&place.text[place.mark], "needle");
        assert_eq!(place.column, 9001);
    }

    #[test]
    fn columns_count_what_is_left_out() {
        let gap = |at, characters| Gap { at, characters };
        let chunk = Chunk {
            document: 0,
            first_byte: 0,
            lines_before: 0,
            text: Document::new("x", "abcdef"),
            gaps: vec![gap(0, 100), gap(3, 10)],
            ends: Vec::new(),
            secrets: OnceLock::new(),
        };
        let column = |at: usize| chunk.place(&(at..at + 1)).column;
        assert_eq!((column(0), column(2), column(3)), (101, 103, 114));
    }
}
