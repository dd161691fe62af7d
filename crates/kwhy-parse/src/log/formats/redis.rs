//! Redis' and Valkey's log (Redis 2.8 to 8, Valkey 8, `serverLogRaw` in `src/server.c`):
//! `17:S 04 Mar 2024 05:06:07.123 # text`.
//!
//! The letter is the role of the process: M primary, S replica, C child that saves, X sentinel. The mark is the level: `.`
//! debug, `-` verbose, `*` notice, `#` warning, which is the highest. The time is local and without a zone; releases before
//! 3.2 leave out the year, those before 3.0 have `[17]` in place of `17:M`.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use crate::log::timestamp::written;
use kwhy_model::{Event, Field, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Redis,
    first: b"0123456789[",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::ONE_LINE,
};

struct Head {
    time: Stamp,
    severity: Severity,
    process: Range<usize>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let is_old = cursor.eat("[").is_some();
    let process = cursor.digits()?;
    if is_old {
        cursor.eat("] ")?;
    } else {
        cursor.eat(":")?;
        cursor.run(|byte| b"CMSX".contains(&byte))?;
        cursor.eat(" ")?;
    }
    let found = written::leading(cursor.rest())?;
    let time = found.stamp?;
    let mark = text.get(cursor.at() + found.length..)?;
    let severity = match mark.as_bytes().first_chunk::<3>()? {
        b" . " | b" - " => Severity::Debug,
        b" * " => Severity::Info,
        b" # " => Severity::Warning,
        _ => return None,
    };
    Some(Head {
        time,
        severity,
        process,
        message: text.len() - mark.len() + 3,
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(Format::Redis, payload.text().span(), message);
    event.time = Some(head.time);
    event.severity = Some(head.severity);
    event
        .fields
        .push(Field::text("pid", payload.part(head.process)));
    Some(event)
}
