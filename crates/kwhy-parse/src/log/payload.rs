//! The text of one record, as it stands in the document or joined from lines and wrappers.

use std::borrow::Cow;
use std::ops::Range;

use crate::input::Line;
use kwhy_model::Text;

/// The text of one record with the way back to the document. A record that stands in the
/// document as it is lends its parts without a copy.
#[derive(Clone, Debug)]
pub(super) struct Payload<'a> {
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

    /// Whether it stands in the document as it is.
    pub(super) fn stands(&self) -> bool {
        self.standing.is_some()
    }

    pub(super) fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// A part as text; an empty one if the range is no range of whole characters.
    pub(super) fn part(&self, range: Range<usize>) -> Text<'a> {
        self.text.slice(range)
    }

    /// A part as a name.
    pub(super) fn name(&self, range: Range<usize>) -> Cow<'a, str> {
        match self.standing {
            Some(standing) => Cow::Borrowed(standing.get(range).unwrap_or("")),
            None => Cow::Owned(self.text.as_str().get(range).unwrap_or("").to_owned()),
        }
    }

    /// A part of the payload.
    pub(super) fn within(&self, range: Range<usize>) -> Payload<'a> {
        Payload {
            text: self.text.slice(range.clone()),
            standing: self
                .standing
                .map(|standing| standing.get(range).unwrap_or("")),
        }
    }

    /// The payload from a byte on, which must begin a character.
    pub(super) fn skip(&self, bytes: usize) -> Payload<'a> {
        Payload {
            text: self.text.slice(bytes..self.as_str().len()),
            standing: self.standing.and_then(|standing| standing.get(bytes..)),
        }
    }
}
