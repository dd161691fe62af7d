//! Decoded text that is mapped to the bytes it came from.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A byte range of a document's text, end-exclusive.
pub type Span = Range<usize>;

/// A part of a document's text, decoded (escapes resolved, wrapped lines joined), in which
/// every byte is mapped to the document.
///
/// Text that occurs verbatim in the document is borrowed from it and needs no map.
///
/// ```
/// use kwhy_model::Text;
/// let text = Text::borrowed("not found", 40);
/// assert_eq!(text.source_span(4..9), 44..49);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Text<'a> {
    value: Cow<'a, str>,
    base: usize,
    /// Boxed, as objects contain many texts and few of them have any.
    pieces: Option<Box<Pieces>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pieces(Vec<Piece>);

/// `decoded..` corresponds to `source.start..source.end`, up to the next piece's `decoded`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    decoded: usize,
    source: Span,
}

impl<'a> Text<'a> {
    /// Returns text that occurs verbatim in the document at offset `start`.
    pub fn borrowed(value: &'a str, start: usize) -> Self {
        Text {
            value: Cow::Borrowed(value),
            base: start,
            pieces: None,
        }
    }

    /// Returns the pieces; empty for text that occurs verbatim in the document.
    fn pieces(&self) -> &[Piece] {
        self.pieces.as_ref().map_or(&[], |pieces| &pieces.0)
    }

    /// Returns the decoded text.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Returns true if the text is empty.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// Returns the range of the document that the whole text came from.
    pub fn span(&self) -> Span {
        self.source_span(0..self.value.len())
    }

    /// Returns the range of the document that a range of the decoded text came from.
    ///
    /// A range that extends beyond the end is truncated.
    pub fn source_span(&self, range: Range<usize>) -> Span {
        let end = range.end.min(self.value.len());
        let start = range.start.min(end);
        if self.pieces.is_none() {
            return self.base + start..self.base + end;
        }
        let first = self.to_source_start(start);
        if end == start {
            return first..first;
        }
        let last = self.to_source_end(end);
        if last >= first {
            return first..last;
        }
        // the pieces are in another order than in the document
        let (front, back) = (self.piece_at(end - 1).0, self.piece_at(start).0);
        front.source.start.min(first)..back.source.end.max(last)
    }

    fn piece_at(&self, decoded: usize) -> (&Piece, usize) {
        let pieces = self.pieces();
        let next = pieces.partition_point(|piece| piece.decoded <= decoded);
        let index = next.saturating_sub(1);
        let end = pieces
            .get(index + 1)
            .map_or(self.value.len(), |piece| piece.decoded);
        (&pieces[index], end)
    }

    fn to_source_start(&self, decoded: usize) -> usize {
        let (piece, end) = self.piece_at(decoded);
        if end - piece.decoded == piece.source.len() {
            piece.source.start + (decoded - piece.decoded)
        } else {
            piece.source.start
        }
    }

    fn to_source_end(&self, decoded: usize) -> usize {
        let (piece, end) = self.piece_at(decoded - 1);
        if end - piece.decoded == piece.source.len() {
            piece.source.start + (decoded - piece.decoded)
        } else {
            piece.source.end
        }
    }

    /// Returns a part of this text with its mapping; empty if the range is not on character
    /// boundaries.
    pub fn slice(&self, range: Range<usize>) -> Text<'a> {
        let Some(part) = self.value.get(range.clone()) else {
            return Text::borrowed("", self.base);
        };
        let value = match &self.value {
            Cow::Borrowed(value) => Cow::Borrowed(&value[range.clone()]),
            Cow::Owned(_) => Cow::Owned(part.to_owned()),
        };
        if self.pieces.is_none() {
            return Text {
                value,
                base: self.base + range.start,
                pieces: None,
            };
        }
        let mut pieces = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (_, end) = self.piece_at(at);
            let stop = end.min(range.end);
            pieces.push(Piece {
                decoded: at - range.start,
                source: self.source_span(at..stop),
            });
            at = stop;
        }
        Text {
            value,
            base: self.to_source_start(range.start.min(self.value.len())),
            pieces: boxed(pieces),
        }
    }

    /// Returns the text without surrounding white space.
    pub fn trim(&self) -> Text<'a> {
        let value = self.as_str();
        let start = value.len() - value.trim_start().len();
        self.slice(start..start + value.trim().len())
    }

    /// Returns the text with owned characters.
    pub fn into_owned(self) -> Text<'static> {
        Text {
            value: Cow::Owned(self.value.into_owned()),
            base: self.base,
            pieces: self.pieces,
        }
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.as_str(), self.span())
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Text<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

fn boxed(pieces: Vec<Piece>) -> Option<Box<Pieces>> {
    (!pieces.is_empty()).then(|| Box::new(Pieces(pieces)))
}

/// Builds a [`Text`] from pieces of a document, for decoders.
///
/// ```
/// use kwhy_model::TextBuilder;
/// // the document contains `say \"hi\"` from byte 10 on
/// let mut builder = TextBuilder::new();
/// builder.push("say ", 10);
/// builder.push_decoded("\"", 14..16);
/// builder.push("hi", 16);
/// builder.push_decoded("\"", 18..20);
/// let text = builder.finish();
/// assert_eq!(text.as_str(), "say \"hi\"");
/// assert_eq!(text.source_span(4..8), 14..20);
/// ```
#[derive(Debug, Default)]
pub struct TextBuilder {
    value: String,
    pieces: Vec<Piece>,
}

impl TextBuilder {
    /// Returns an empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends text that occurs verbatim in the document at offset `start`.
    pub fn push(&mut self, text: &str, start: usize) {
        if text.is_empty() {
            return;
        }
        let decoded = self.value.len();
        if let Some(last) = self.pieces.last_mut()
            && last.source.end == start
            && last.source.len() == decoded - last.decoded
        {
            last.source.end = start + text.len();
        } else {
            self.pieces.push(Piece {
                decoded,
                source: start..start + text.len(),
            });
        }
        self.value.push_str(text);
    }

    /// Appends decoded text that came from the range `source` of the document.
    pub fn push_decoded(&mut self, text: &str, source: Span) {
        if text.is_empty() {
            return;
        }
        self.pieces.push(Piece {
            decoded: self.value.len(),
            source,
        });
        self.value.push_str(text);
    }

    /// Appends another text with its mapping.
    pub fn push_text(&mut self, text: &Text<'_>) {
        if text.pieces.is_none() {
            self.push(text.as_str(), text.base);
            return;
        }
        let decoded = self.value.len();
        self.pieces.extend(text.pieces().iter().map(|piece| Piece {
            decoded: decoded + piece.decoded,
            source: piece.source.clone(),
        }));
        self.value.push_str(text.as_str());
    }

    /// Returns true if nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// Returns the text added so far.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Returns the text.
    pub fn finish(self) -> Text<'static> {
        let base = self.pieces.first().map_or(0, |piece| piece.source.start);
        if let [only] = self.pieces.as_slice()
            && only.source.len() == self.value.len()
        {
            return Text {
                value: Cow::Owned(self.value),
                base,
                pieces: None,
            };
        }
        Text {
            value: Cow::Owned(self.value),
            base,
            pieces: boxed(self.pieces),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined() -> Text<'static> {
        let mut builder = TextBuilder::new();
        builder.push("caused by", 10);
        builder.push_decoded(" ", 19..25);
        builder.push_decoded("\"", 25..27);
        builder.push("x", 27);
        builder.finish()
    }

    #[test]
    fn spans_of_parts_in_another_order_hold_all_of_them() {
        let mut builder = TextBuilder::new();
        builder.push("cannot bake", 40);
        builder.push_decoded(": ", 51..51);
        builder.push("no flour", 10);
        let text = builder.finish();
        assert_eq!(text.span(), 10..51);
        assert_eq!(text.source_span(7..16), 10..51);
        assert_eq!(text.source_span(0..6), 40..46);
        assert_eq!(text.source_span(13..15), 10..12);
    }

    #[test]
    fn spans_survive_escapes_and_joins() {
        let text = joined();
        assert_eq!(text.as_str(), "caused by \"x");
        assert_eq!(text.span(), 10..28);
        assert_eq!(text.source_span(0..9), 10..19);
        assert_eq!(text.source_span(0..10), 10..25);
        assert_eq!(text.source_span(10..11), 25..27);
        assert_eq!(text.source_span(11..12), 27..28);
    }

    #[test]
    fn slices_keep_the_way_back() {
        let part = joined().slice(7..12);
        assert_eq!(part.as_str(), "by \"x");
        assert_eq!(part.source_span(0..2), 17..19);
        assert_eq!(part.source_span(3..5), 25..28);
        assert_eq!(joined().slice(0..4).trim().span(), 10..14);
    }

    #[test]
    fn adjacent_pieces_merge() {
        let mut builder = TextBuilder::new();
        builder.push("ab", 5);
        builder.push("cd", 7);
        let text = builder.finish();
        assert!(text.pieces().is_empty());
        assert_eq!(text.source_span(1..3), 6..8);
    }
}
