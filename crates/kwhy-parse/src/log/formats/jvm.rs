//! The JVM's unified logging (JEP 158, OpenJDK 9 to 21, `-Xlog`): `[0.012s][info][gc] text`,
//! `[2024-03-04T05:06:07.123+0000][warning][os,thread] text`.
//!
//! Decorations are bracketed and in a fixed order: date, uptime, milliseconds and nanoseconds of
//! both, host, process, thread, level, tags. The user selects which are printed. Every line of a
//! message carries them. Rejected: a line without a time before its level.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use crate::log::timestamp::epoch;
use kwhy_model::{Event, Field, Format, Stamp, Written};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::JvmUnified,
    first: b"[",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::ONE_LINE,
};

/// The maximum number of decorations. Two of the twelve are alternative spellings of a time.
const DECORATIONS: usize = 12;

const LEVELS: [&str; 5] = ["error", "warning", "info", "debug", "trace"];

#[derive(Default)]
struct Head {
    time: Option<Stamp>,
    uptime: Option<Range<usize>>,
    host: Option<Range<usize>>,
    /// The process and the thread.
    ids: Vec<Range<usize>>,
    level: Range<usize>,
    tags: Option<Range<usize>>,
    rest: usize,
}

/// Consumes a bracketed decoration; returns its inside without padding.
fn bracket(cursor: &mut Cursor<'_>, text: &str) -> Option<Range<usize>> {
    cursor.eat("[")?;
    let inside = cursor.until("]")?;
    let value = text.get(inside.clone())?.trim_end_matches(' ');
    (!value.is_empty()).then(|| inside.start..inside.start + value.len())
}

fn head(text: &str) -> Option<Head> {
    // a date with `T`, or a number: brackets of other writers start differently
    if !text.as_bytes().get(1)?.is_ascii_digit() {
        return None;
    }
    let mut head = Head::default();
    let mut cursor = Cursor::new(text);
    for number in 0..DECORATIONS {
        let range = bracket(&mut cursor, text)?;
        let value = text.get(range.clone())?;
        if LEVELS.contains(&value) {
            head.level = range;
            let mut after = cursor.clone();
            head.tags = bracket(&mut after, text).filter(|tags| is_tags(text, tags));
            if head.tags.is_some() {
                cursor = after;
            }
            cursor
                .eat(" ")
                .or_else(|| cursor.rest().is_empty().then_some(()))?;
            head.rest = cursor.at();
            return (number > 0).then_some(head);
        }
        if let Some(stamp) = date(value) {
            head.time = Some(stamp);
        } else if let Some(digits) = value
            .strip_suffix("ms")
            .or_else(|| value.strip_suffix("ns"))
            .or_else(|| value.strip_suffix('s'))
            .filter(|digits| is_number(digits))
        {
            // an uptime with this many digits would be 30 years
            let is_date = digits.len() >= 13 && !value.ends_with("ns") || digits.len() >= 19;
            match epoch(digits).filter(|_| is_date) {
                Some(stamp) => head.time = head.time.or(Some(stamp)),
                None => head.uptime = head.uptime.or(Some(range)),
            }
        } else if number > 0 && value.bytes().all(|byte| byte.is_ascii_digit()) {
            head.ids.push(range);
        } else if number > 0 && head.host.is_none() && is_host(value) {
            head.host = Some(range);
        } else {
            return None;
        }
    }
    None
}

/// Parses `2024-03-04T05:06:07.123+0000`.
fn date(value: &str) -> Option<Stamp> {
    let mut cursor = Cursor::new(value);
    let stamp = cursor.time()?;
    let is_whole = cursor.rest().is_empty() && value.as_bytes().get(10) == Some(&b'T');
    is_whole.then_some(stamp)
}

fn is_number(digits: &str) -> bool {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction]
        .iter()
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_host(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

fn is_tags(text: &str, tags: &Range<usize>) -> bool {
    text.get(tags.clone()).is_some_and(|tags| {
        tags.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b',')
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.rest..text.len());
    let mut event = Event::new(Format::JvmUnified, payload.text().span(), message);
    event.time = head.time;
    event.component = head.tags.map(|tags| payload.part(tags));
    level::set(&mut event, payload.part(head.level));
    let ids: &[&'static str] = match head.ids.len() {
        1 => &["id"],
        _ => &["pid", "tid"],
    };
    let ids = ids.iter().copied().zip(head.ids);
    let named = [("uptime", head.uptime), ("hostname", head.host)];
    let named = named
        .into_iter()
        .filter_map(|(key, range)| Some((key, range?)));
    for (key, range) in named.chain(ids) {
        let written = match key {
            "pid" | "tid" | "id" => Written::Unquoted,
            _ => Written::Text,
        };
        event
            .fields
            .push(Field::new(key, payload.part(range), written));
    }
    Some(event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn event(text: &str) -> Option<Event<'_>> {
        read(&Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }))
    }

    #[test]
    fn decorations() {
        let default = event("[0.012s][info   ][gc,init] Using Serial").unwrap();
        assert_eq!(default.message.as_str(), "Using Serial");
        assert_eq!(default.component.as_ref().unwrap().as_str(), "gc,init");
        assert_eq!(default.field("uptime").unwrap().as_str(), "0.012s");
        assert_eq!(default.time, None);
        let all = event(
            "[2024-03-04T05:06:07.123+0100][0.052s][1709525167123ms][52ms][crane-0][1][7][warning][gc     ] slow",
        )
        .unwrap();
        assert_eq!(all.time.unwrap().to_string(), "2024-03-04T04:06:07.123Z");
        assert_eq!(all.field("tid").unwrap().as_str(), "7");
        assert_eq!(all.field("hostname").unwrap().as_str(), "crane-0");
        assert_eq!(all.component.unwrap().as_str(), "gc");
        let millis = event("[1709525167123ms][error] no tags").unwrap();
        assert_eq!(millis.time.unwrap().to_string(), "2024-03-04T04:06:07.123Z");
    }

    #[test]
    fn others() {
        for line in [
            "[info][gc] no time",
            "[2024-03-04 05:06:07.123][15][warning][config] envoy's",
            "[12345.678901] kernel",
            "[0.012s] no level",
            "[0.012s][info][gc]text",
            "[0.012s][info][gc",
            "[1][2][3] a list",
        ] {
            assert!(head(line).is_none(), "{line}");
        }
    }
}
