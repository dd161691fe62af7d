//! Monolog's line formatter (PHP, Monolog 1 to 3; the default of Laravel, Symfony and others):
//! `[2024-03-04 05:06:07] production.ERROR: text {"exception":"..."} []`.
//!
//! Monolog 2 and 3 print the time with its zone: `[2024-03-04T05:06:07.123456+00:00]`. The context and the extra data
//! follow the message as JSON; what is in the context becomes fields.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::layout;
use crate::log::payload::Payload;
use kwhy_model::{Event, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Monolog,
    first: b"[",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

/// The names of the levels (RFC 5424).
const LEVELS: &[(&str, Severity)] = &[
    ("DEBUG", Severity::Debug),
    ("INFO", Severity::Info),
    ("NOTICE", Severity::Info),
    ("WARNING", Severity::Warning),
    ("ERROR", Severity::Error),
    ("CRITICAL", Severity::Fatal),
    ("ALERT", Severity::Fatal),
    ("EMERGENCY", Severity::Fatal),
];

struct Head {
    time: Stamp,
    severity: Severity,
    channel: Range<usize>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    cursor.eat("[")?;
    let time = cursor.time()?;
    cursor.eat("] ")?;
    let channel = cursor.run(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))?;
    cursor.eat(".")?;
    let word = text.get(cursor.run(|byte| byte.is_ascii_uppercase())?)?;
    let (_, severity) = LEVELS.iter().find(|(known, _)| *known == word)?;
    cursor.eat(": ")?;
    Some(Head {
        time,
        severity: *severity,
        channel,
        message: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let mut said = text.get(head.message..)?.trim_end();
    // an empty context and empty extra data
    for _ in 0..2 {
        let rest = said.strip_suffix(" []").or(said.strip_suffix(" {}"));
        said = rest.unwrap_or(said);
    }
    let end = head.message + said.len();
    let context = layout::trailing_object(payload, head.message..end);
    let (message, fields) = context.unwrap_or((end, Vec::new()));
    let message = payload.part(head.message..message);
    let mut event = Event::new(Format::Monolog, payload.text().span(), message);
    event.time = Some(head.time);
    event.severity = Some(head.severity);
    event.component = Some(payload.part(head.channel));
    event.fields = fields;
    Some(event)
}
