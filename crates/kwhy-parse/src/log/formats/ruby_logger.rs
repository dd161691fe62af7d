//! Ruby's `Logger` (the default formatter of the gem logger, Ruby 1.8 to 3.4; also Rails, Sidekiq 4, Chef, Vagrant):
//! `E, [2024-03-04T05:06:07.123456 #17] ERROR -- quay: text`.
//!
//! The time is local and without a zone. The name may be missing: `ERROR -- : text`.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use kwhy_model::{Event, Field, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::RubyLogger,
    first: b"DIWEFA",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

struct Head {
    time: Stamp,
    process: Range<usize>,
    severity: Option<Severity>,
    name: Range<usize>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    cursor.run(|byte| b"DIWEFA".contains(&byte))?;
    cursor.eat(", [")?;
    let time = cursor.time()?;
    cursor.eat(" #")?;
    let process = cursor.digits()?;
    cursor.eat("]")?;
    cursor.spaces();
    let word = cursor.run(|byte| byte.is_ascii_uppercase())?;
    cursor.eat(" -- ")?;
    let name = cursor.until(": ").or_else(|| cursor.until(":"))?;
    Some(Head {
        time,
        process,
        severity: level::severity(text.get(word)?),
        name,
        message: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(Format::RubyLogger, payload.text().span(), message);
    event.time = Some(head.time);
    event.severity = head.severity;
    let process = payload.part(head.process);
    event.fields.push(Field::text("pid", process));
    if !head.name.is_empty() {
        event.component = Some(payload.part(head.name));
    }
    Some(event)
}
