//! Go's `log` package, and log/slog's default handler, which writes through it:
//! `2024/03/04 05:06:07 main.go:10: text`, `2024/03/04 05:06:07 ERROR text key="value"`.
//!
//! The time is local, without a zone, with microseconds if configured. slog does not quote its
//! message, so the attributes start at the first place from which the whole rest parses as
//! attributes. logr's stdr appends pairs of its own. Rejected: dates with dashes.

use std::ops::Range;

use memchr::memchr_iter;

use super::funcr;
use super::trailing_pairs::{self, Bare};
use super::{Follow, FormatSpec, show};
use crate::log::layout;
use crate::log::level;
use crate::log::logfmt::Pairs;
use crate::log::payload::Payload;
use crate::log::timestamp::leading_date_time;
use crate::log::zap_console::is_caller;
use kwhy_model::{Event, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::GoLog,
    first: b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ[",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

/// The maximum length of a prefix.
const MAX_PREFIX: usize = 24;

/// The number of slashes examined for the date's first one.
const MAX_SLASHES: usize = 4;

struct Head {
    time: Stamp,
    /// The prefix set by `log.SetPrefix`, before the time.
    prefix: usize,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let bytes = text.as_bytes();
    let window = &bytes[..bytes.len().min(MAX_PREFIX + 5)];
    // a prefix may be a path: `common/sensor: 2024/03/04 05:06:07 text`
    let prefix = memchr_iter(b'/', window)
        .take(MAX_SLASHES)
        .filter_map(|slash| slash.checked_sub(4))
        .find(|prefix| {
            let is = |at: usize, byte: u8| bytes.get(prefix + at) == Some(&byte);
            is(7, b'/') && is(10, b' ') && is(13, b':')
        })?;
    let dated = text.get(prefix..)?;
    let (time, length) = leading_date_time(dated).filter(|(time, _)| !time.zone_stated)?;
    let after = dated.get(length..)?.strip_prefix(' ')?;
    // brackets or marks around the level show another writer's layout
    if after.starts_with(['|', '-', ':', '[', '<', '(']) && layout::is_marked(text) {
        return None;
    }
    Some(Head {
        time,
        prefix,
        rest: prefix + length + 1,
    })
}

/// Parses `ERROR ` or `INFO+2 ` at an offset; also returns where the message starts.
fn slog_level(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let rest = text.get(at..)?;
    let name = ["DEBUG", "INFO", "WARN", "ERROR"]
        .iter()
        .find(|name| rest.starts_with(**name))?;
    let offset = rest[name.len()..]
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-'))
        .count();
    let length = name.len() + offset;
    rest[length..]
        .starts_with(' ')
        .then_some((at..at + length, at + length + 1))
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let Head {
        time,
        prefix,
        rest: mut start,
    } = head(text)?;
    let mut caller = None;
    let first = &text[start..];
    let length = first.find(' ').unwrap_or(first.len());
    if let Some(word) = first[..length].strip_suffix(':')
        && is_caller(word)
    {
        caller = Some(payload.part(start..start + word.len()));
        start = (start + length + 1).min(text.len());
    }
    let mut event = if let Some((level, message)) = slog_level(text, start) {
        let fields = trailing_pairs::start(text, message, Bare::WithoutEquals);
        let end = fields.map_or(text.len(), |fields| fields - 1).max(message);
        let part = payload.part(message..end);
        let mut event = Event::new(Format::GoLog, payload.text().span(), part);
        if let Some(fields) = fields {
            event.fields.extend(Pairs::new(payload, fields));
        }
        level::set(&mut event, payload.part(level));
        event
    } else if let Some(event) = funcr::read_at(payload, start) {
        event
    } else {
        let part = payload.part(start..text.len());
        let mut event = Event::new(Format::GoLog, payload.text().span(), part);
        event.severity = level::stated(&text[start..]).or_else(|| {
            // a word with a colon after the caller is a level: `main.go:10: Error: text`
            let (word, _) = text[start..]
                .split_once(": ")
                .filter(|_| caller.is_some())?;
            Severity::from_word(word)
        });
        event
    };
    event.format = Format::GoLog;
    event.time = Some(time);
    let name = text[..prefix].trim_matches([' ', ':', '[', ']']);
    if let Some(at) = text.find(name).filter(|_| !name.is_empty()) {
        event.component = event.component.or(Some(payload.part(at..at + name.len())));
    }
    event.caller = caller.or(event.caller);
    Some(event)
}
