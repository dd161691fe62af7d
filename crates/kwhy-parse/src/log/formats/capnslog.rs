//! capnslog's pretty formatter (coreos/pkg/capnslog 4), used by etcd up to 3.4:
//! `2024-03-04 05:06:07.123456 W | etcdserver: text`.
//!
//! The time is local, without a zone. The package is omitted if it has no name. Rejected: other
//! level letters, more than one space around the bar.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use crate::log::zap_console::is_caller;
use kwhy_model::{Event, Field, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Capnslog,
    first: b"0123456789",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

struct Head {
    time: Stamp,
    caller: Option<Range<usize>>,
    level: Range<usize>,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    if text.as_bytes().get(10) != Some(&b' ') {
        return None;
    }
    let mut cursor = Cursor::new(text);
    let time = cursor.time()?;
    cursor.eat(" ")?;
    let mut caller = None;
    if cursor.eat("[").is_some() {
        caller = Some(cursor.until("] ")?);
    }
    let level = cursor.run(|byte| b"CEWNIDT".contains(&byte))?;
    cursor.eat(" | ")?;
    (level.len() == 1).then_some(Head {
        time,
        caller,
        level,
        rest: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let mut cursor = Cursor::new(text.get(head.rest..)?);
    let name = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let package = cursor.run(name).filter(|_| cursor.eat(": ").is_some());
    let start = match &package {
        Some(_) => head.rest + cursor.at(),
        None => head.rest,
    };
    let message = payload.part(start..text.len());
    let mut event = Event::new(Format::Capnslog, payload.text().span(), message);
    event.time = Some(head.time);
    event.component =
        package.map(|name| payload.part(head.rest + name.start..head.rest + name.end));
    event.caller = head
        .caller
        .filter(|caller| text.get(caller.clone()).is_some_and(is_caller))
        .map(|caller| payload.part(caller));
    event.severity = Some(match text.get(head.level.clone())? {
        "C" => Severity::Fatal,
        "E" => Severity::Error,
        "W" => Severity::Warning,
        "N" | "I" => Severity::Info,
        _ => Severity::Debug,
    });
    if text.get(head.level.clone()) == Some("T") {
        let level = payload.part(head.level);
        event.fields.push(Field::text("level", level));
    }
    Some(event)
}
