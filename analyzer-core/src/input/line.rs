//! Lines of a document.

/// A line of a document's text, without its line end and without what was stripped from its
/// left side (a common indentation, a list number, a quote mark).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line's text.
    pub text: &'a str,
    /// The byte of the document's text at which `text` begins.
    pub start: usize,
    /// The line's number in the document, counted from 1.
    pub number: u64,
}

impl<'a> Line<'a> {
    /// The document's bytes of the line.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The line without the blanks at its left end.
    pub fn trim_start(&self) -> Line<'a> {
        self.skip(self.text.len() - self.text.trim_start().len())
    }

    /// The line without its first `bytes` bytes, which must end at a character.
    pub fn skip(&self, bytes: usize) -> Line<'a> {
        Line {
            text: &self.text[bytes..],
            start: self.start + bytes,
            number: self.number,
        }
    }

    /// The number of blanks at the left end; a tab counts as one.
    pub fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// Whether the line holds nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// The lines of a text, the first with number 1. Line ends are `\n`; none is added at the end.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .zip(1..)
        .map(move |(line, number)| {
            let at = start;
            start += line.len();
            Line {
                text: line.strip_suffix('\n').unwrap_or(line),
                start: at,
                number,
            }
        })
}
