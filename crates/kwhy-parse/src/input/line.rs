//! Lines of a document.

use memchr::memchr_iter;

/// The maximum length of a line in bytes (1 MiB). No log contains longer records, and a file without
/// newlines is not in any known text format.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// A line of a document's text, without its newline and without what was stripped from its
/// left side (a common indentation, a list number, a quote mark). Lines longer than 1 MiB are
/// truncated to that length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line's text.
    pub text: &'a str,
    /// The offset of `text` in the document's text.
    pub start: usize,
    /// The line's number in the document, starting at 1.
    pub number: u64,
}

impl<'a> Line<'a> {
    /// Returns the range of the line in the document.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the line without leading white space.
    pub fn trim_start(&self) -> Line<'a> {
        self.skip(self.indent())
    }

    /// Returns the line without its first `bytes` bytes, which must end on a character boundary.
    pub fn skip(&self, bytes: usize) -> Line<'a> {
        Line {
            text: &self.text[bytes..],
            start: self.start + bytes,
            number: self.number,
        }
    }

    /// Returns the number of leading spaces; a tab counts as one.
    pub fn indent(&self) -> usize {
        match self.first() {
            Some((spaces, _)) => spaces,
            None => self.text.len() - self.text.trim_start().len(),
        }
    }

    /// Returns the first byte that is not a space and the number of spaces before it, if it is ASCII; a fast path, as
    /// most lines are queried several times.
    fn first(&self) -> Option<(usize, u8)> {
        let bytes = self.text.as_bytes();
        let spaces = bytes
            .iter()
            .position(|byte| !matches!(byte, b' ' | b'\t'))?;
        let first = bytes.get(spaces).copied();
        Some((spaces, first.filter(u8::is_ascii_graphic)?))
    }

    /// Returns true if the line contains only white space.
    pub fn is_blank(&self) -> bool {
        self.first().is_none() && self.text.trim().is_empty()
    }
}

/// Returns the lines of a text, numbered from 1. Lines end with `\n`; a trailing one does not start another line.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut ends = memchr_iter(b'\n', text.as_bytes());
    let mut next = 0;
    let lines = std::iter::from_fn(move || {
        let start = next;
        let end = ends.next();
        next = end.map_or(text.len(), |end| end + 1);
        let line = text.get(start..end.unwrap_or(text.len()))?;
        (start < text.len()).then_some((start, line))
    });
    lines.zip(1..).map(|((start, line), number)| Line {
        text: &line[..floor_char(line, MAX_LINE)],
        start,
        number,
    })
}

/// Returns the last character boundary at or before `at`, or the end of a shorter text.
pub fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces() {
        for text in [
            "", "  ", " \u{a0}x", "\u{2003}", " \tx", "x ", " \x0b", " \u{e9}", "\x01 ",
        ] {
            let line = lines(text).next().unwrap_or(Line {
                text,
                start: 0,
                number: 1,
            });
            assert_eq!(
                line.indent(),
                text.len() - text.trim_start().len(),
                "{text:?}"
            );
            assert_eq!(line.is_blank(), text.trim().is_empty(), "{text:?}");
        }
    }

    #[test]
    fn the_rest_of_a_very_long_line_is_not_looked_at() {
        let text = format!("{}\nnext", "\u{e9}".repeat(MAX_LINE));
        let all: Vec<Line<'_>> = lines(&text).collect();
        assert_eq!(all[0].text.len(), MAX_LINE);
        assert_eq!(all[1].text, "next");
        assert_eq!(&text[all[1].span()], "next");
    }
}
