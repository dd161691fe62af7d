//! Ceph's log to standard error (Ceph 14 to 19, `src/log/Entry.h`, `src/log/Log.cc`):
//! `2024-03-04T05:06:07.123+0000 7f0a1b2c3d40 -1 osd.7 text`.
//!
//! After the time come the thread in hexadecimal digits and the level, padded to two places: -1 is an error, 0 is always
//! written, higher ones are for debugging. Rook's containers put `debug ` before each line.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use kwhy_model::{Event, Field, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Ceph,
    first: b"0123456789d",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::ONE_LINE,
};

/// The least number of digits of a thread.
const THREAD: usize = 8;

struct Head {
    time: Stamp,
    severity: Severity,
    thread: Range<usize>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    if text.starts_with('d') {
        cursor.eat("debug ")?;
    }
    let time = cursor.time()?;
    cursor.eat(" ")?;
    let thread = cursor.run(|byte| byte.is_ascii_hexdigit())?;
    if thread.len() < THREAD || cursor.spaces() == 0 {
        return None;
    }
    let severity = match cursor.eat("-1 ") {
        Some(()) => Severity::Error,
        None => {
            let level = text.get(cursor.digits()?)?;
            cursor.eat(" ")?;
            match level {
                "0" => Severity::Info,
                level if level.len() <= 2 => Severity::Debug,
                _ => return None,
            }
        }
    };
    Some(Head {
        time,
        severity,
        thread,
        message: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(Format::Ceph, payload.text().span(), message);
    event.time = Some(head.time);
    event.severity = Some(head.severity);
    let thread = payload.part(head.thread);
    event.fields.push(Field::text("thread", thread));
    Some(event)
}
