//! Decoded text that knows the way back to the bytes it came from.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A byte range of a document's text, half open.
pub type Span = Range<usize>;

/// A piece of a document's text, decoded (escapes resolved, wrapped lines joined), with a map
/// from every decoded byte to the document's bytes.
///
/// Text that occurs in the document as it is borrows from it and needs no map.
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
    /// Apart, as few texts have any and objects contain many texts.
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
    /// Text that occurs in the document at byte `start` exactly as it is.
    pub fn borrowed(value: &'a str, start: usize) -> Self {
        Text {
            value: Cow::Borrowed(value),
            base: start,
            pieces: None,
        }
    }

    /// The pieces; none of a text that occurs in the document as it is.
    fn pieces(&self) -> &[Piece] {
        self.pieces.as_ref().map_or(&[], |pieces| &pieces.0)
    }

    /// The decoded text.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// Returns true if there is no text.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The document's bytes that the whole text came from.
    pub fn span(&self) -> Span {
        self.source_span(0..self.value.len())
    }

    /// The document's bytes that a range of the decoded text came from.
    ///
    /// A range past the end is cut at the end.
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
        // the parts were put together in another order than that of the document
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

    /// A part of this text, with its own way back; an empty one if the range is not a range of
    /// whole characters.
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

    /// The same text without the spaces at both ends.
    pub fn trim(&self) -> Text<'a> {
        let value = self.as_str();
        let start = value.len() - value.trim_start().len();
        self.slice(start..start + value.trim().len())
    }

    /// The same text, owning its characters.
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
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text that occurs in the document at byte `start` as it is.
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

    /// Appends decoded text whose original is the document's bytes `source`.
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

    /// Adds another text with its own way back.
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

    /// The text that was added so far.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// The text.
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
