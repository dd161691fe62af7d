//! The usual Java patterns: the defaults of logback and log4j2
//! (`05:06:07.123 [main] ERROR c.e.App - text`, in log4j2 with a date before the time), and Spring
//! Boot's
//! (`2024-03-04 05:06:07.123  WARN 7 --- [main] c.e.App   : text`; 3.x adds a zone and the
//! application's name), and that of Elasticsearch and what was made from it
//! (`[2024-03-04T05:06:07,123][WARN ][o.e.App] [node-0] text`).
//!
//! Versions: logback 1.2, log4j2 2.19, Spring Boot 2 and 3. A time of day without a date does not
//! set the record's time. Rejected: levels other than `TRACE DEBUG INFO WARN ERROR FATAL`.

use std::ops::Range;

use memchr::memmem;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use kwhy_model::{Event, Format, Stamp};

/// The patterns of logback and log4j2.
pub(super) const LOGBACK: FormatSpec = FormatSpec {
    format: Format::Logback,
    first: b"0123456789",
    begins: |text| logback(text).is_some(),
    read: |payload| read(payload, Format::Logback, logback(payload.as_str())?),
    show,
    follow: Follow::RAW,
};

/// The pattern of Elasticsearch, OpenSearch and Logstash, with all its parts in brackets.
pub(super) const BRACKETED: FormatSpec = FormatSpec {
    format: Format::Logback,
    first: b"[",
    begins: |text| bracketed(text).is_some(),
    read: |payload| read(payload, Format::Logback, bracketed(payload.as_str())?),
    show,
    follow: Follow::RAW,
};

/// The pattern of Spring Boot.
pub(super) const SPRING_BOOT: FormatSpec = FormatSpec {
    format: Format::SpringBoot,
    first: b"0123456789",
    begins: |text| spring_boot(text).is_some(),
    read: |payload| read(payload, Format::SpringBoot, spring_boot(payload.as_str())?),
    show,
    follow: Follow::RAW,
};

struct Head {
    time: Option<Stamp>,
    level: Range<usize>,
    logger: Range<usize>,
    message: usize,
}

const LEVELS: [&str; 6] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];

fn known_level(cursor: &mut Cursor<'_>, text: &str) -> Option<Range<usize>> {
    let level = cursor.run(|byte| byte.is_ascii_uppercase())?;
    LEVELS.contains(&text.get(level.clone())?).then_some(level)
}

/// Parses `05:06:07.123`.
fn clock(cursor: &mut Cursor<'_>) -> Option<()> {
    for end in [":", ":"] {
        cursor.digits().filter(|digits| digits.len() == 2)?;
        cursor.eat(end)?;
    }
    cursor.digits().filter(|digits| digits.len() == 2)?;
    cursor.eat(".").or_else(|| cursor.eat(","))?;
    cursor.digits().map(|_| ())
}

fn logback(text: &str) -> Option<Head> {
    let window = &text.as_bytes()[..text.len().min(40)];
    memmem::find(window, b" [")?;
    let mut cursor = Cursor::new(text);
    let time = cursor.time();
    if time.is_none() {
        clock(&mut cursor)?;
    }
    cursor.eat(" [")?;
    cursor.until("] ")?;
    let level = known_level(&mut cursor, text)?;
    (cursor.spaces() > 0).then_some(())?;
    let logger = cursor.run(|byte| byte.is_ascii_graphic())?;
    cursor.eat(" - ").or_else(|| cursor.eat(" -"))?;
    Some(Head {
        time,
        level,
        logger,
        message: cursor.at(),
    })
}

fn bracketed(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    cursor.eat("[")?;
    // cheap check before parsing a time
    cursor
        .rest()
        .starts_with(|first: char| first.is_ascii_digit())
        .then_some(())?;
    let time = cursor.time()?;
    cursor.eat("][")?;
    let level = known_level(&mut cursor, text)?;
    cursor.spaces();
    cursor.eat("][")?;
    let logger = cursor.run(|byte| byte.is_ascii_graphic() && byte != b']')?;
    cursor.spaces();
    cursor.eat("]")?;
    cursor.spaces();
    Some(Head {
        time: Some(time),
        level,
        logger,
        message: cursor.at(),
    })
}

fn spring_boot(text: &str) -> Option<Head> {
    // cheap check before parsing a time
    let window = &text.as_bytes()[..text.len().min(72)];
    memmem::find(window, b" --- [")?;
    let mut cursor = Cursor::new(text);
    let time = cursor.time()?;
    (cursor.spaces() > 0).then_some(())?;
    let level = known_level(&mut cursor, text)?;
    cursor.eat(" ")?;
    cursor.digits()?;
    cursor.eat(" --- [")?;
    cursor.until("] ")?;
    // the application's name precedes the thread's; trace identifiers follow it
    while cursor.eat("[").is_some() {
        cursor.until("] ")?;
    }
    let logger = cursor.run(|byte| byte.is_ascii_graphic())?;
    cursor.spaces();
    cursor.eat(": ").or_else(|| cursor.eat(":"))?;
    Some(Head {
        time: Some(time),
        level,
        logger,
        message: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>, format: Format, head: Head) -> Option<Event<'a>> {
    let text = payload.as_str();
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(format, payload.text().span(), message);
    event.time = head.time;
    event.component = Some(payload.part(head.logger));
    level::set(&mut event, payload.part(head.level));
    Some(event)
}
