//! The start scripts of Bitnami's images (`liblog.sh`, also in images that copied it): `quay 05:06:07.12 ERROR ==> text`.
//!
//! The time is local and without a date or a zone; others print a whole time. The name is missing where a script sets none,
//! the time too in images before 2020. Greetings lack the level and the arrow: accepted after a name and hundredths.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use crate::log::timestamp::written;
use kwhy_model::{Event, Format, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Bitnami,
    first: b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    begins: |text| head(text).is_some(),
    read,
    show,
    // other programs' output follows line by line
    follow: Follow::ONE_LINE,
};

/// The longest name of a script's module.
const MAX_NAME: usize = 40;

struct Head {
    name: Option<Range<usize>>,
    time: Option<Stamp>,
    level: Option<Range<usize>>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let mut name = None;
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        if let Some(level) = arrow(&mut cursor) {
            return Some(Head {
                name,
                time: None,
                level: Some(level),
                message: cursor.at(),
            });
        }
        let window = &text.as_bytes()[..text.len().min(MAX_NAME + 2)];
        let is_of_name =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let length = window.iter().take_while(|byte| is_of_name(**byte)).count();
        // most lines of any log end here
        if window.get(length) != Some(&b' ') || !window.get(length + 1)?.is_ascii_digit() {
            return None;
        }
        name = cursor.run(is_of_name);
        cursor.eat(" ")?;
    }
    let found = written::leading(cursor.rest()).or_else(|| utc(cursor.rest()))?;
    let (clock, rest) = cursor.rest().split_at_checked(found.length)?;
    let is_of_script = clock.len() == "05:06:07.12".len() && clock.as_bytes().get(8) == Some(&b'.');
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    let start = cursor.at() + found.length;
    cursor.skip(found.length + spaces);
    let level = arrow(&mut cursor).filter(|_| spaces > 0);
    if level.is_none() && !(name.is_some() && is_of_script && (spaces > 0 || rest.is_empty())) {
        return None;
    }
    let message = match level {
        Some(_) => cursor.at(),
        None => start + spaces,
    };
    Some(Head {
        name,
        time: found.stamp,
        level,
        message,
    })
}

/// Parses a time of day in UTC: `05:06:07.12Z`.
fn utc(text: &str) -> Option<written::Written> {
    let length = text.bytes().take(16).position(|byte| byte == b'Z')?;
    let found = written::leading(text.get(..length)?)?;
    (found.length == length).then_some(written::Written {
        stamp: None,
        length: length + 1,
    })
}

/// Consumes a level, padded to five letters, and the arrow.
fn arrow(cursor: &mut Cursor<'_>) -> Option<Range<usize>> {
    const LEVELS: [&str; 5] = ["DEBUG", "INFO", "WARN", "ERROR", "TRACE"];
    let rest = cursor.rest();
    let level = LEVELS.iter().find(|level| rest.starts_with(**level))?;
    let after = &rest[level.len()..];
    let spaces = after.len() - after.trim_start_matches(' ').len();
    let mark = after.get(spaces..)?.strip_prefix("==>")?;
    (spaces > 0 && (mark.is_empty() || mark.starts_with(' '))).then_some(())?;
    let start = cursor.at();
    let blank = mark.len() - mark.trim_start_matches(' ').len();
    cursor.skip(level.len() + spaces + "==>".len() + blank);
    Some(start..start + level.len())
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(Format::Bitnami, payload.text().span(), message);
    event.time = head.time;
    event.component = head.name.map(|name| payload.part(name));
    if let Some(word) = head.level {
        level::set(&mut event, payload.part(word));
    }
    Some(event)
}

#[cfg(test)]
mod tests {
    use crate::input::{Line, lines};
    use crate::log::{detect, parse};
    use kwhy_model::{Format, Severity};

    #[test]
    fn name_level_and_message_are_read() {
        for (line, name, severity, message) in [
            (
                "quay 05:06:07.12 ERROR ==> no berth",
                Some("quay"),
                Some(Severity::Error),
                "no berth",
            ),
            (
                "quay-lift 05:06:07.12 INFO  ==> ** Lifting **",
                Some("quay-lift"),
                Some(Severity::Info),
                "** Lifting **",
            ),
            (
                "quay 05:06:07.12Z WARN  ==> low tide",
                Some("quay"),
                Some(Severity::Warning),
                "low tide",
            ),
            (
                "quay 2031-03-04T05:06:07.123Z ERROR ==> no berth",
                Some("quay"),
                Some(Severity::Error),
                "no berth",
            ),
            (
                " 05:06:07.12 ERROR ==> no berth",
                None,
                Some(Severity::Error),
                "no berth",
            ),
            (
                "ERROR ==> no berth",
                None,
                Some(Severity::Error),
                "no berth",
            ),
            (
                "quay 05:06:07.12 Welcome to the quay",
                Some("quay"),
                None,
                "Welcome to the quay",
            ),
            ("quay 05:06:07.12 ", Some("quay"), None, ""),
        ] {
            let all: Vec<Line<'_>> = lines(line).collect();
            let events = parse(&all).events;
            let [event] = events.as_slice() else {
                panic!("{line}: {events:?}");
            };
            assert_eq!(event.format, Format::Bitnami, "{line}");
            let component = event.component.as_ref().map(kwhy_model::Text::as_str);
            assert_eq!(component, name, "{line}");
            assert_eq!(event.severity, severity, "{line}");
            assert_eq!(event.message.as_str().trim(), message, "{line}");
        }
    }

    #[test]
    fn output_of_programs_between_is_not_of_a_record() {
        let text = "quay 05:06:07.12 INFO  ==> Lifting\nchown: no berth\nquay 05:06:07.13 INFO  ==> Done\n";
        let all: Vec<Line<'_>> = lines(text).collect();
        let parsed = parse(&all);
        assert_eq!(parsed.events.len(), 2);
        assert_eq!(parsed.not_understood, [2]);
    }

    #[test]
    fn other_lines_are_not_of_it() {
        for line in [
            "==> Pouring the quay",
            "Error ==> no berth",
            "quay 7 lifts ==> no berth",
            "quay 05:06:07 the tide is low",
            "quay 05:06:07.123 the tide is low",
            "lifted at 05:06:07.12 ERROR ==> x",
            "ERROR==> x",
        ] {
            assert_ne!(detect(line), Some(Format::Bitnami), "{line}");
        }
    }
}
