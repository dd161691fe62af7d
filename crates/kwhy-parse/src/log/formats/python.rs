//! Python's logging (3.11): the default of `basicConfig` (`ERROR:app.db:text`), the usual
//! `%(asctime)s - %(name)s - %(levelname)s - %(message)s`, gunicorn's
//! `[2024-03-04 05:06:07 +0000] [7] [ERROR] text`.
//!
//! Levels are `DEBUG INFO WARNING ERROR CRITICAL` and those that programs commonly add; others are
//! rejected.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use kwhy_model::{Event, Format, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::PythonLogging,
    first: b"0123456789[DIWECNFTS",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

struct Head {
    time: Option<Stamp>,
    logger: Option<Range<usize>>,
    level: Range<usize>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    match text.as_bytes().first()? {
        b'[' => bracketed(text),
        b'0'..=b'9' => dashed(text),
        _ => basic(text),
    }
}

fn known_level(cursor: &mut Cursor<'_>, text: &str) -> Option<Range<usize>> {
    const LEVELS: [&str; 10] = [
        "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "NOTSET", "FATAL", "NOTICE", "TRACE",
        "SUCCESS",
    ];
    let level = cursor.run(|byte| byte.is_ascii_uppercase())?;
    LEVELS.contains(&text.get(level.clone())?).then_some(level)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-/<>".contains(&byte)
}

fn basic(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let level = known_level(&mut cursor, text)?;
    cursor.eat(":")?;
    let logger = cursor.run(is_name)?;
    cursor.eat(":")?;
    Some(Head {
        time: None,
        logger: Some(logger),
        level,
        message: cursor.at(),
    })
}

fn dashed(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let time = cursor.time()?;
    cursor.eat(" - ")?;
    // some configurations omit the name
    let mut named = cursor.clone();
    let mut logger = named.run(is_name);
    if logger.is_some() && named.eat(" - ").is_some() {
        let mut after = named.clone();
        if known_level(&mut after, text).is_some() {
            cursor = named;
        } else {
            logger = None;
        }
    } else {
        logger = None;
    }
    let level = known_level(&mut cursor, text)?;
    cursor.eat(" - ").or_else(|| cursor.eat(": "))?;
    Some(Head {
        time: Some(time),
        logger,
        level,
        message: cursor.at(),
    })
}

fn bracketed(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    cursor.eat("[")?;
    let time = cursor.time()?;
    cursor.eat("] [")?;
    cursor.digits()?;
    cursor.eat("] [")?;
    let level = known_level(&mut cursor, text)?;
    cursor.eat("]")?;
    cursor
        .eat(" ")
        .or_else(|| cursor.rest().is_empty().then_some(()))?;
    Some(Head {
        time: Some(time),
        logger: None,
        level,
        message: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(Format::PythonLogging, payload.text().span(), message);
    event.time = head.time;
    event.component = head.logger.map(|logger| payload.part(logger));
    level::set(&mut event, payload.part(head.level));
    Some(event)
}
