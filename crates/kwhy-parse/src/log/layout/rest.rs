//! The text after a head: the message, and values after it as pairs or as an object.

use std::ops::Range;

use super::trailing;
use crate::log::formats::{Bare, pairs_start};
use crate::log::json_members::{Members, nested_end};
use crate::log::logfmt::{Pairs, is_plain_key};
use crate::log::payload::Payload;
use crate::log::quote::unquote_json;
use kwhy_model::{Field, Written};

/// A message and the values that follow it.
pub(super) struct Rest<'a> {
    pub(super) message: Range<usize>,
    pub(super) fields: Vec<Field<'a>>,
    /// The logger, if it follows the message.
    pub(super) logger: Option<Range<usize>>,
}

/// The maximum number of possible object starts to examine.
const CANDIDATES: usize = 8;

/// What the head reveals of its writer's conventions.
#[derive(Clone, Copy, Default)]
pub(super) struct Habits {
    /// The level is in square brackets, as in hclog and structlog.
    pub(super) bracketed: bool,
    /// Padding and possibly a bracketed logger follow the message, as in structlog, whose levels are in lower case.
    pub(super) padded: bool,
    /// No logger follows the message.
    pub(super) nameless: bool,
    /// The level has four letters and the time starts with a month, as in slog-term.
    pub(super) four_letters: bool,
}

impl Rest<'_> {
    /// Returns a message without values.
    pub(super) fn of(message: Range<usize>) -> Self {
        Rest {
            message,
            fields: Vec::new(),
            logger: None,
        }
    }
}

pub(super) fn read<'a>(payload: &Payload<'a>, from: usize, habits: Habits) -> Rest<'a> {
    let text = payload.as_str();
    let end = text.trim_end().len().max(from);
    if let Some((start, fields)) = object(payload, from, end).filter(|(start, _)| *start > from) {
        return Rest {
            message: from..start,
            fields,
            logger: None,
        };
    }
    if habits.four_letters
        && let Some((start, fields)) = listed(payload, from, end)
    {
        return Rest {
            message: from..start,
            fields,
            logger: None,
        };
    }
    let start = pairs_start(text, from, Bare::Json).filter(|start| *start > from);
    let (mut message, fields) = match start {
        Some(start) => (
            from..text[..start].trim_end().len().max(from),
            Pairs::new(payload, start).collect(),
        ),
        None => (from..text.len(), Vec::new()),
    };
    let said = text.get(message.clone()).unwrap_or("");
    if habits.bracketed && !fields.is_empty() && said.ends_with(':') {
        message.end -= 1;
    }
    let mut logger = None;
    if habits.padded {
        message.end = message.start + said.trim_end_matches(' ').len();
        // structlog writes the logger after the message
        let said = text.get(message.clone()).unwrap_or("");
        if let Some((length, name)) = trailing::logger(said).filter(|_| !habits.nameless) {
            let start = message.start + name;
            logger = Some(start..message.start + said.len() - 1);
            message.end = message.start + length;
        }
    }
    Rest {
        message,
        fields,
        logger,
    }
}

/// Parses the members that slog-term lists after the message (`, key: value`); also returns the message's end.
pub(super) fn listed<'a>(
    payload: &Payload<'a>,
    from: usize,
    end: usize,
) -> Option<(usize, Vec<Field<'a>>)> {
    let text = payload.as_str();
    let mut fields = Vec::new();
    let mut at = end;
    while let Some(comma) = text.get(from..at)?.rfind(", ") {
        let start = from + comma + 2;
        let Some(colon) = text.get(start..at)?.find(": ") else {
            break;
        };
        let key = text.get(start..start + colon)?;
        if !is_plain_key(key) {
            break;
        }
        fields.push(listed_member(payload, start, colon, at));
        at = from + comma;
    }
    fields.reverse();
    (!fields.is_empty()).then_some((at, fields))
}

/// Parses a list of members that fills the range: `key: value, key: value`.
pub(super) fn members<'a>(payload: &Payload<'a>, range: Range<usize>) -> Vec<Field<'a>> {
    let (first, mut fields) =
        listed(payload, range.start, range.end).unwrap_or((range.end, Vec::new()));
    let text = payload.as_str().get(range.start..first).unwrap_or("");
    if let Some(colon) = text
        .find(": ")
        .filter(|colon| is_plain_key(&text[..*colon]))
    {
        fields.insert(0, listed_member(payload, range.start, colon, first));
    }
    fields
}

/// Returns the member of a list in `start..end` whose key ends `colon` bytes after the start.
fn listed_member<'a>(payload: &Payload<'a>, start: usize, colon: usize, end: usize) -> Field<'a> {
    let key = payload.name(start..start + colon);
    let value = start + colon + 2..end;
    let is_quoted = payload
        .as_str()
        .get(value.clone())
        .is_some_and(|value| value.len() > 1 && value.starts_with('"') && value.ends_with('"'));
    match is_quoted {
        true => Field::new(
            key,
            unquote_json(payload, value.start + 1..value.end - 1),
            Written::Text,
        ),
        false => Field::new(key, payload.part(value), Written::Bare),
    }
}

/// Returns the end of the message and the members of an object that ends the text, after a space or a tab.
pub(super) fn object<'a>(
    payload: &Payload<'a>,
    from: usize,
    end: usize,
) -> Option<(usize, Vec<Field<'a>>)> {
    let text = payload.as_str();
    let body = text.get(from..end)?;
    if !body.ends_with('}') {
        return None;
    }
    for (at, _) in body.match_indices("{\"").take(CANDIDATES) {
        let start = from + at;
        let before = text.get(from..start)?;
        if !(before.is_empty() || before.ends_with([' ', '\t']))
            || nested_end(text, start) != Some(end)
        {
            continue;
        }
        let fields = Members::new(text, start)
            .map(|member| member.field(payload))
            .collect();
        return Some((
            from + before.trim_end_matches(['\t', '|', ' ']).len(),
            fields,
        ));
    }
    None
}
