//! A named input, decoded to text that is mapped to the original bytes.

mod joined;

use std::sync::OnceLock;

use memchr::memchr_iter;

use super::line::floor_char;
use super::normalize::{Clean, Edit, clean, is_clean, original_offset, utf16_unit};
use kwhy_model::Span;

/// A named input (the paste, a file), decoded to clean text that is mapped to the original bytes.
///
/// Byte order marks, carriage returns before newlines, terminal escapes and zero-width characters are
/// removed from [`Document::text`], and typographic quotes are replaced; [`Document::original_line`] returns
/// the original line. Line numbers are the same in both.
///
/// ```
/// use kwhy_parse::input::Document;
/// let document = Document::new("stdin", b"a \xe2\x80\x9cb\xe2\x80\x9d\r\nc");
/// assert_eq!(document.text(), "a \"b\"\nc");
/// let place = document.place(&(2..5));
/// assert_eq!((place.line, place.column), (1, 3));
/// assert_eq!(place.text, "a “b”");
/// ```
#[derive(Debug)]
pub struct Document {
    name: String,
    original: Option<Vec<u8>>,
    text: String,
    edits: Vec<Edit>,
    line_starts: Vec<usize>,
    invalid: u64,
    /// The places where lines were joined, mapped to the text before joining.
    joins: Vec<Edit>,
    /// The starts of lines that were joined to the previous one without a separator.
    glued: Vec<usize>,
    /// True if all characters are single bytes; computed on demand.
    is_ascii: OnceLock<bool>,
}

/// The position of a span in the input, for display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line number, starting at 1.
    pub line: u64,
    /// The column of the first character in the original line, in characters, starting at 1.
    pub column: u64,
    /// The original line without its newline; invalid bytes are U+FFFD.
    pub text: String,
    /// The range of `text` that the span covers, at most up to the end of the line.
    pub mark: std::ops::Range<usize>,
}

impl Document {
    /// Decodes the bytes of an input.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Document {
        let bytes = bytes.into();
        let (
            original,
            Clean {
                text,
                edits,
                invalid,
            },
        ) = match String::from_utf8(bytes) {
            Ok(text) if is_clean(text.as_bytes()) => (
                None,
                Clean {
                    text,
                    ..Clean::default()
                },
            ),
            other => {
                let bytes = other.map_or_else(|error| error.into_bytes(), String::into_bytes);
                let cleaned = clean(&bytes);
                (Some(bytes), cleaned)
            }
        };
        let line_starts = std::iter::once(0)
            .chain(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
            .collect();
        Document {
            name: name.into(),
            original,
            text,
            edits,
            line_starts,
            invalid,
            joins: Vec::new(),
            glued: Vec::new(),
            is_ascii: OnceLock::new(),
        }
    }

    /// Returns true if lines were joined; the lines of an offset must then be counted by [`Document::line_of`].
    pub fn has_joined_lines(&self) -> bool {
        !self.joins.is_empty()
    }

    /// Returns the input's name: `stdin` or a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the original bytes.
    pub fn original(&self) -> &[u8] {
        self.original.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// Returns the clean text. All spans of events and objects are ranges of its bytes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines, including a last one without a newline.
    pub fn line_count(&self) -> u64 {
        let lines = self.line_starts.len() as u64;
        // a line of escape sequences alone is missing from the clean text
        let bytes = match &self.original {
            Some(original) if !is_utf16(original) => original.as_slice(),
            _ => self.text.as_bytes(),
        };
        let is_ended = bytes.is_empty() || bytes.ends_with(b"\n");
        lines - u64::from(is_ended)
    }

    /// Returns the size of the original in bytes.
    pub fn byte_count(&self) -> u64 {
        self.original.as_ref().map_or(self.text.len(), Vec::len) as u64
    }

    /// Returns the number of byte sequences in the original that were not UTF-8.
    pub fn invalid_sequences(&self) -> u64 {
        self.invalid
    }

    /// Returns the line number of an offset in the text, starting at 1.
    pub fn line_of(&self, at: usize) -> u64 {
        self.line_starts.partition_point(|start| *start <= at) as u64
    }

    /// Returns the range of a line in the text, without its newline.
    pub fn line_span(&self, line: u64) -> Span {
        let index = usize::try_from(line.max(1) - 1).unwrap_or(usize::MAX);
        let Some(&start) = self.line_starts.get(index) else {
            return self.text.len()..self.text.len();
        };
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |next| {
                next - usize::from(!self.is_glued(*next))
            });
        start..end
    }

    /// Returns a line of the original without its newline; invalid bytes become U+FFFD.
    pub fn original_line(&self, line: u64) -> String {
        let span = self.line_span(line);
        let Some(bytes) = &self.original else {
            return self.text[span].to_owned();
        };
        let start = self.original_line_start(bytes, span.start);
        let end = self.original_offset(span.end);
        let line = decode(bytes, start..end.max(start));
        line.trim_end_matches(['\r', '\n'])
            .trim_start_matches('\u{feff}')
            .to_owned()
    }

    /// Maps the start of a line in the text to the start of that line in the original; the end of the text
    /// maps to the end of the original.
    pub fn original_line_begin(&self, start: usize) -> usize {
        match &self.original {
            None => start,
            Some(bytes) if start >= self.text.len() => bytes.len(),
            Some(bytes) => self.original_line_start(bytes, start),
        }
    }

    /// Returns the start of a line in the original: right after the previous newline, so that it includes
    /// what was removed at the start of the line.
    fn original_line_start(&self, bytes: &[u8], start: usize) -> usize {
        let Some(line_end) = start.checked_sub(1) else {
            return 0;
        };
        let line_end = match self.is_glued(start) {
            true => original_offset(&self.edits, original_offset(&self.joins, start) - 1),
            false => self.original_offset(line_end),
        };
        line_end + if is_utf16(bytes) { 2 } else { 1 }
    }

    /// Returns true if the line that starts at this offset was joined to the previous one without a separator.
    fn is_glued(&self, start: usize) -> bool {
        self.glued.binary_search(&start).is_ok()
    }

    /// Returns the place of a span in the original. A span over several lines is cut at the end of the first.
    pub fn place(&self, span: &Span) -> Place {
        let line = self.line_of(span.start.min(self.text.len()));
        let line_span = self.line_span(line);
        let start = span.start.clamp(line_span.start, line_span.end);
        let end = span.end.clamp(start, line_span.end);
        let text = self.original_line(line);
        let within = |at: usize| match &self.original {
            None => at - line_span.start,
            Some(bytes) => {
                let from = self.original_line_start(bytes, line_span.start);
                let before = decode(bytes, from..self.original_offset(at).max(from));
                floor_char(
                    &text,
                    before.trim_start_matches('\u{feff}').len().min(text.len()),
                )
            }
        };
        let mark = within(start)..within(end);
        let column = text[..mark.start].chars().count() as u64 + 1;
        Place {
            line,
            column,
            text,
            mark,
        }
    }

    /// Returns true if a span differs from the original because escapes, carriage returns or invisible
    /// characters were removed. Joined lines do not count.
    pub fn is_cleaned(&self, span: &Span) -> bool {
        let Some(original) = self.original.as_deref() else {
            return false;
        };
        let at = |offset| original_offset(&self.joins, offset);
        let joined = at(span.start)..at(span.end);
        let outer =
            original_offset(&self.edits, joined.start)..original_offset(&self.edits, joined.end);
        // in UTF-16 every character differs in length
        is_utf16(original) || outer.len() != joined.len()
    }

    /// Returns true if the text is the original, unchanged.
    pub(super) fn is_original(&self) -> bool {
        self.original.is_none() && self.joins.is_empty()
    }

    /// Returns the part of its line that a span covers. A span over several lines is cut at the end of the first.
    pub(super) fn mark(&self, span: &Span) -> Span {
        if !self.is_original() {
            return self.place(span).mark;
        }
        let line = self.line_span(self.line_of(span.start.min(self.text.len())));
        let start = span.start.clamp(line.start, line.end);
        let end = span.end.clamp(start, line.end);
        start - line.start..end - line.start
    }

    /// Returns the column, starting at 1, of the offset `at` in the original line that starts at `line`.
    pub(super) fn column(&self, line: usize, at: usize) -> u64 {
        let is_ascii = *self.is_ascii.get_or_init(|| self.text.is_ascii());
        let before = self.text.get(line..at).unwrap_or("");
        let characters = match is_ascii {
            true => before.len(),
            false => before.chars().count(),
        };
        characters as u64 + 1
    }

    /// Maps an offset in the clean text to the original.
    pub fn original_offset(&self, at: usize) -> usize {
        original_offset(&self.edits, original_offset(&self.joins, at))
    }
}

fn is_utf16(bytes: &[u8]) -> bool {
    utf16_unit(bytes).is_some()
}

fn decode(bytes: &[u8], range: Span) -> String {
    let part = bytes
        .get(range.start.min(bytes.len())..range.end.min(bytes.len()))
        .unwrap_or(&[]);
    match utf16_unit(bytes) {
        Some(unit) => {
            let pairs = part.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
            String::from_utf16_lossy(&pairs.collect::<Vec<_>>())
        }
        None => String::from_utf8_lossy(part).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_those_of_the_original() {
        for (text, lines) in [
            ("", 0),
            ("x", 1),
            ("x\r\n", 1),
            ("\u{1b}[31m", 1),
            ("x\n\u{1b}[31m", 2),
            ("x\n\u{1b}[31m\n", 2),
        ] {
            assert_eq!(Document::new("x", text).line_count(), lines, "{text:?}");
        }
    }

    #[test]
    fn places_in_the_original() {
        let document = Document::new(
            "x",
            "\u{feff}one\r\n\x1b[1m\u{201c}two\u{201d}\x1b[0m three\r\n",
        );
        assert_eq!(document.text(), "one\n\"two\" three\n");
        assert_eq!(document.line_count(), 2);
        let at = document.text().find("three").unwrap();
        let place = document.place(&(at..at + 5));
        assert_eq!(place.line, 2);
        assert_eq!(&place.text[place.mark.clone()], "three");
        assert_eq!(place.text, "\u{1b}[1m“two”\u{1b}[0m three");
        let place = document.place(&(0..3));
        assert_eq!((place.line, place.column), (1, 1));
        assert_eq!(&place.text[place.mark], "one");
    }

    #[test]
    fn utf16_places() {
        let mut bytes = vec![0xff, 0xfe];
        for unit in "a\r\nsay \u{201c}hi\u{201d}".encode_utf16() {
            bytes.extend(unit.to_le_bytes());
        }
        let document = Document::new("x", bytes);
        assert_eq!(document.text(), "a\nsay \"hi\"");
        let place = document.place(&(7..9));
        assert_eq!(
            (place.line, place.column, &place.text[place.mark]),
            (2, 6, "hi")
        );
    }

    #[test]
    fn what_only_begins_like_utf16() {
        let mut bytes = b"\xff\xfe\0 of another code \xc3\x28\n".to_vec();
        bytes.extend_from_slice(&b"configmap \"web\" not found\n".repeat(40));
        let document = Document::new("x", bytes);
        assert_eq!(document.line_count(), 41);
        assert!(document.invalid_sequences() > 1);
        assert_eq!(document.original_line(2), "configmap \"web\" not found");
    }

    #[test]
    fn places_after_entities() {
        let document = Document::new("x", "IP:\u{a0}&lt;none&gt; &amp; more\n&amp; x\n");
        assert_eq!(document.text(), "IP: <none> & more\n&amp; x\n");
        let place = document.place(&(4..10));
        assert_eq!(&place.text[place.mark], "&lt;none&gt;");
        assert_eq!(place.column, 5);
        let at = document.text().find("more").unwrap();
        let place = document.place(&(at..at + 4));
        assert_eq!(&place.text[place.mark], "more");
    }

    #[test]
    fn utf16_is_cleaned_alike() {
        let text = "IP:\u{a0}&lt;none&gt;\r\n\u{201c}a\u{200b} \u{2014} b\u{201d}";
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let document = Document::new("x", units.flat_map(u16::to_be_bytes).collect::<Vec<_>>());
        assert_eq!(document.text(), Document::new("x", text).text());
        let place = document.place(&(4..10));
        assert_eq!(&place.text[place.mark], "&lt;none&gt;");
    }

    /// Generates texts full of what cleaning removes.
    fn dirty() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "x", "yz", "\n", "\r\n", "\r", " ", "\t", "&lt;", "&gt;", "&quot;", "&amp;", "&", ";",
            "&#39;", "&nbsp;", "&#10;", "\"", "<", ">", "<br>", "\u{a0}", "\u{2003}", "\u{200b}",
            "\u{feff}", "\u{201c}", "\u{2014}", "\u{1680}", "\x1b[1m", "\x1b", "é", "日",
        ]);
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn the_way_back_is_exact(text in dirty()) {
            let document = Document::new("x", text.as_str());
            prop_assert_eq!(document.text().matches('\n').count(), text.matches('\n').count());
            let mut last = 0;
            for (at, c) in document.text().char_indices() {
                let original = document.original_offset(at);
                prop_assert!(last <= original && original < text.len());
                last = original;
                if matches!(c, 'x' | 'y' | 'z' | '\n' | 'é' | '日') {
                    prop_assert!(text[original..].starts_with(c), "{} at {}", c, original);
                }
            }
            for (line, number) in text.split('\n').zip(1..) {
                if number <= document.line_count() {
                    let shown = line.trim_end_matches('\r').trim_start_matches('\u{feff}');
                    prop_assert_eq!(document.original_line(number), shown);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_line_is_lost_where_lines_are_joined(
            words in prop::collection::vec(("[a-z\"(]{1,12}", prop::sample::select(vec![" ", " ", "\n", "\r\n", "\n    "])), 0..60),
        ) {
            let text: String = words.iter().flat_map(|(word, blank)| [word.as_str(), blank]).collect();
            let text = format!("E0304 05:06:07.123456       1 crane.go:88] lift of the heavy load\n{text}");
            let plain = Document::new("x", text.as_str());
            let joined = Document::new("x", text.as_str()).with_joined_lines();
            prop_assert_eq!(joined.line_count(), plain.line_count());
            for line in 1..=plain.line_count() {
                prop_assert_eq!(joined.original_line(line), plain.original_line(line));
            }
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(joined.text()), words(plain.text()));
            let letters = joined.text().char_indices().filter(|(_, c)| !c.is_whitespace());
            for (at, c) in letters {
                prop_assert!(text[joined.original_offset(at)..].starts_with(c));
            }
        }
    }

    #[test]
    fn empty() {
        let document = Document::new("x", "");
        assert_eq!(document.line_count(), 0);
        assert_eq!(document.place(&(0..4)).text, "");
    }
}
