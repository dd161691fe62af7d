//! The text of one record, borrowed from the document or joined from several lines or envelopes.

use std::borrow::Cow;
use std::ops::Range;

use crate::input::Line;
use kwhy_model::Text;

/// The text of one record with its mapping to the document. If a record occurs verbatim in the
/// document, its parts are borrowed.
#[derive(Clone, Debug)]
pub(crate) struct Payload<'a> {
    text: Text<'a>,
    standing: Option<&'a str>,
}

impl<'a> Payload<'a> {
    pub(super) fn from_line(line: Line<'a>) -> Self {
        Payload {
            text: Text::borrowed(line.text, line.start),
            standing: Some(line.text),
        }
    }

    pub(super) fn from_text(text: Text<'a>) -> Self {
        Payload {
            text,
            standing: None,
        }
    }

    pub(super) fn as_str(&self) -> &str {
        match self.standing {
            Some(standing) => standing,
            None => self.text.as_str(),
        }
    }

    /// Returns true if the text occurs verbatim in the document.
    pub(super) fn is_verbatim(&self) -> bool {
        self.standing.is_some()
    }

    pub(super) fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// Returns a part as text; empty if the range is not on character boundaries.
    pub(super) fn part(&self, range: Range<usize>) -> Text<'a> {
        self.text.slice(range)
    }

    /// Returns a part as a name.
    pub(super) fn name(&self, range: Range<usize>) -> Cow<'a, str> {
        match self.standing {
            Some(standing) => Cow::Borrowed(standing.get(range).unwrap_or("")),
            None => Cow::Owned(self.text.as_str().get(range).unwrap_or("").to_owned()),
        }
    }

    /// Returns a part of the payload.
    pub(super) fn within(&self, range: Range<usize>) -> Payload<'a> {
        Payload {
            text: self.text.slice(range.clone()),
            standing: self
                .standing
                .map(|standing| standing.get(range).unwrap_or("")),
        }
    }

    /// Returns the payload from an offset, which must be a character boundary.
    pub(super) fn skip(&self, bytes: usize) -> Payload<'a> {
        Payload {
            text: self.text.slice(bytes..self.as_str().len()),
            standing: self.standing.and_then(|standing| standing.get(bytes..)),
        }
    }
}
