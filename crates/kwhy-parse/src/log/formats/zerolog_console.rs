//! zerolog's ConsoleWriter (rs/zerolog 1.33): `5:06AM ERR main.go:10 > text key=value`.
//!
//! The time is RFC 3339 or, by default, a time of day, which does not set the record's time. The
//! message is not quoted, so the fields start where the whole rest parses as fields. Rejected:
//! levels other than `TRC DBG INF WRN ERR FTL PNC ???`.

use std::ops::Range;

use memchr::memmem;

use super::cursor::Cursor;
use super::trailing_pairs::{self, Bare};
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::logfmt::Pairs;
use crate::log::payload::Payload;
use crate::log::zap_console::is_caller;
use kwhy_model::{Event, Format, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::ZerologConsole,
    first: b"0123456789",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

const LEVELS: [&str; 8] = ["TRC", "DBG", "INF", "WRN", "ERR", "FTL", "PNC", "???"];

struct Head {
    time: Option<Stamp>,
    level: Range<usize>,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let time = cursor.time();
    if time.is_none() {
        kitchen(&mut cursor)?;
    }
    cursor.eat(" ")?;
    let start = cursor.at();
    let level = start..start + 3;
    let word = text.get(level.clone())?;
    let ends = matches!(text.as_bytes().get(level.end), None | Some(b' '));
    (ends && LEVELS.contains(&word)).then_some(Head {
        time,
        rest: (level.end + 1).min(text.len()),
        level,
    })
}

/// Parses `5:06AM`.
fn kitchen(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.digits().filter(|hour| hour.len() <= 2)?;
    cursor.eat(":")?;
    cursor.digits().filter(|minute| minute.len() == 2)?;
    cursor.eat("AM").or_else(|| cursor.eat("PM"))
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let mut start = head.rest;
    let mut caller = None;
    if let Some(length) = memmem::find(&text.as_bytes()[start..text.len().min(start + 300)], b" >")
        && is_caller(&text[start..start + length])
    {
        caller = Some(payload.part(start..start + length));
        start += length + 2;
        start += usize::from(text[start..].starts_with(' '));
    }
    let fields = trailing_pairs::start(text, start, Bare::Json);
    let end = fields.map_or(text.len(), |fields| fields - 1).max(start);
    let message = payload.part(start..end);
    let mut event = Event::new(Format::ZerologConsole, payload.text().span(), message);
    if let Some(fields) = fields {
        event.fields.extend(Pairs::new(payload, fields));
    }
    event.time = head.time;
    event.caller = caller;
    event.component = event.field("component").cloned();
    level::set(&mut event, payload.part(head.level));
    Some(event)
}
