//! Parts of a text that keep their position.

use std::ops::Range;

use super::Fact;
use kwhy_model::{Text, TextBuilder};

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) struct Part<'c, 'a> {
    text: &'c Text<'a>,
    start: usize,
    end: usize,
}

impl<'c, 'a> Part<'c, 'a> {
    pub(super) fn new(text: &'c Text<'a>, range: Range<usize>) -> Self {
        Part {
            text,
            start: range.start,
            end: range.end,
        }
    }

    pub(super) fn whole(&self) -> &'c Text<'a> {
        self.text
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    pub(super) fn as_str(&self) -> &'c str {
        self.text.as_str().get(self.start..self.end).unwrap_or("")
    }

    pub(super) fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }

    pub(super) fn to_text(self) -> Text<'a> {
        self.text.slice(self.start..self.end)
    }

    /// Returns the part as the value of a fact.
    pub(super) fn fact(self, fact: Fact) -> (Fact, Text<'a>) {
        (fact, self.to_text())
    }

    /// Returns a fact whose value is `symbol`, mapped to this part.
    pub(super) fn says(self, fact: Fact, symbol: &str) -> (Fact, Text<'a>) {
        let mut builder = TextBuilder::new();
        builder.push_decoded(symbol, self.text.source_span(self.start..self.end));
        (fact, builder.finish())
    }

    /// Returns a part of this part; empty if the range is not on character boundaries.
    pub(super) fn slice(self, range: Range<usize>) -> Self {
        match self.as_str().get(range.clone()) {
            Some(_) => Part {
                text: self.text,
                start: self.start + range.start,
                end: self.start + range.end,
            },
            None => Part {
                text: self.text,
                start: self.end,
                end: self.end,
            },
        }
    }

    pub(super) fn from(self, at: usize) -> Self {
        self.slice(at..self.as_str().len())
    }

    pub(super) fn split_at(self, at: usize) -> (Self, Self) {
        (self.slice(0..at), self.from(at))
    }

    /// Returns the part up to an offset in the whole text.
    pub(super) fn ending(self, end: usize) -> Self {
        Part {
            end: end.clamp(self.start, self.end),
            ..self
        }
    }

    /// Returns the part from this one's start to the other's end.
    pub(super) fn up_to(self, other: Self) -> Self {
        Part {
            end: other.end.max(self.start),
            ..self
        }
    }

    pub(super) fn trim_start(self) -> Self {
        self.from(self.as_str().len() - self.as_str().trim_start().len())
    }

    pub(super) fn trim_end(self) -> Self {
        self.slice(0..self.as_str().trim_end().len())
    }

    pub(super) fn trim(self) -> Self {
        self.trim_start().trim_end()
    }

    pub(super) fn trim_matches(self, chars: &[char]) -> Self {
        let value = self.as_str();
        let start = value.len() - value.trim_start_matches(chars).len();
        self.slice(start..start + value.trim_matches(chars).len())
    }

    pub(super) fn strip_prefix(self, prefix: &str) -> Option<Self> {
        let rest = self.as_str().strip_prefix(prefix)?;
        Some(self.from(self.as_str().len() - rest.len()))
    }

    pub(super) fn strip_suffix(self, suffix: &str) -> Option<Self> {
        let rest = self.as_str().strip_suffix(suffix)?;
        Some(self.slice(0..rest.len()))
    }

    pub(super) fn split_once(self, separator: &str) -> Option<(Self, Self)> {
        let at = self.as_str().find(separator)?;
        Some((self.slice(0..at), self.from(at + separator.len())))
    }

    /// Returns the part between two marks; up to the end if the second is missing.
    pub(super) fn between(self, before: &str, after: &str) -> Option<Self> {
        let (_, rest) = self.split_once(before)?;
        Some(rest.split_once(after).map_or(rest, |(inner, _)| inner))
    }

    /// Finds a phrase delimited by other characters than letters and digits, ignoring case.
    pub(super) fn find_words(self, words: &str) -> Option<Self> {
        let bytes = self.as_str().as_bytes();
        let free = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let first = *words.as_bytes().first()?;
        let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
        memchr::memchr2_iter(lower, upper, bytes).find_map(|at| {
            let end = at + words.len();
            let same = bytes
                .get(at..end)
                .is_some_and(|text| text.eq_ignore_ascii_case(words.as_bytes()));
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            (same && free(before) && free(bytes.get(end))).then(|| self.slice(at..end))
        })
    }

    /// Returns the words, split at white space. A word is a slice of the value, so its offset is the difference
    /// of their addresses.
    pub(super) fn words(self) -> impl DoubleEndedIterator<Item = Part<'c, 'a>> {
        let value = self.as_str();
        value.split_ascii_whitespace().map(move |word| {
            let at = (word.as_ptr() as usize).saturating_sub(value.as_ptr() as usize);
            self.slice(at..at + word.len())
        })
    }
}

/// The remaining segments of a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'c, 'a> {
    text: &'c Text<'a>,
    segments: &'c [Range<usize>],
    first_end: usize,
}

impl<'c, 'a> Cursor<'c, 'a> {
    pub(super) fn new(text: &'c Text<'a>, segments: &'c [Range<usize>]) -> Self {
        Cursor {
            text,
            segments,
            first_end: usize::MAX,
        }
    }

    /// Returns the cursor with a shorter first segment.
    pub(super) fn first_ending(self, end: usize) -> Self {
        Cursor {
            first_end: end,
            ..self
        }
    }

    /// Returns the number of segments.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns the segment at an index, if there is one.
    pub(super) fn part(&self, index: usize) -> Option<Part<'c, 'a>> {
        let range = self.segments.get(index)?;
        let part = Part::new(self.text, range.clone());
        Some(if index == 0 {
            part.ending(self.first_end)
        } else {
            part
        })
    }
}
