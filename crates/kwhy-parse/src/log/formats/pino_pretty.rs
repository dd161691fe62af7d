//! pino-pretty (10 to 13), through which pino's users pipe their logs: `[05:06:07.123] INFO (17):
//! text` and, indented by four spaces, one member `key: value` per line.
//!
//! The default time is a time of day, which does not set the record's time; it may be a date or
//! milliseconds since 1970. The parentheses contain the logger's name, the process and its host.
//! Values are JSON, possibly over several lines, except the `stack` of an error.

use std::ops::Range;

use memchr::memchr;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::json_members::Members;
use crate::log::layout;
use crate::log::level;
use crate::log::payload::Payload;
use crate::log::quote::unquote_json;
use crate::log::timestamp::epoch;
use kwhy_model::{Event, Field, Format, Stamp, Written};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::PinoPretty,
    first: b"[TDIWEFU",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow {
        indented: true,
        ..Follow::RAW
    },
};

const LEVELS: [&str; 7] = [
    "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "USERLVL",
];

/// The indentation of members.
const INDENT: &str = "    ";

struct Head {
    time: Option<Stamp>,
    level: Range<usize>,
    /// `name/17 on host`
    writer: Range<usize>,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let (time, level) = if text.starts_with('[') {
        let time = bracketed_time(text, &mut cursor)?;
        (time, known_level(text, &mut cursor)?)
    } else {
        // with the level first
        let level = known_level(text, &mut cursor)?;
        cursor.eat(" ")?;
        (bracketed_time(text, &mut cursor)?, level)
    };
    // the writer may be omitted
    cursor.spaces();
    let writer = if cursor.eat("(").is_some() {
        cursor.until("):")?
    } else {
        cursor.eat(":")?;
        cursor.at()..cursor.at()
    };
    cursor
        .eat(" ")
        .or_else(|| (cursor.rest().is_empty() || cursor.rest().starts_with('\n')).then_some(()))?;
    Some(Head {
        time,
        level,
        writer,
        rest: cursor.at(),
    })
}

fn known_level(text: &str, cursor: &mut Cursor<'_>) -> Option<Range<usize>> {
    let level = cursor.run(|byte| byte.is_ascii_uppercase())?;
    LEVELS.contains(&text.get(level.clone())?).then_some(level)
}

/// Parses `[time]` and the space or colon after it.
fn bracketed_time(text: &str, cursor: &mut Cursor<'_>) -> Option<Option<Stamp>> {
    let start = cursor.at();
    cursor.eat("[")?;
    let window = text.as_bytes().get(start + 1..text.len().min(start + 64))?;
    let found = time(text.get(start + 1..start + 1 + memchr(b']', window)?)?)?;
    cursor.until("]")?;
    cursor.spaces();
    Some(found)
}

/// Parses a time of day, a date with one, or milliseconds.
fn time(inside: &str) -> Option<Option<Stamp>> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits(inside) {
        return epoch(inside).map(Some);
    }
    let mut parts = inside.split([':', '.']);
    if parts.clone().count() == 4 && parts.all(digits) {
        return Some(None);
    }
    Cursor::new(inside).time().map(Some)
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let (end, members) = members(text, head.rest);
    // as one object on the message's line
    let object = layout::trailing_object(payload, head.rest..text.trim_end().len())
        .filter(|_| members.is_empty());
    let end = object.as_ref().map_or(end, |(start, _)| *start);
    let said = text.get(head.rest..end).unwrap_or("").trim_end();
    let message = payload.part(head.rest..head.rest + said.len());
    let mut event = Event::new(Format::PinoPretty, payload.text().span(), message);
    event.time = head.time;
    level::set(&mut event, payload.part(head.level));
    writer(payload, head.writer, &mut event);
    event
        .fields
        .extend(object.into_iter().flat_map(|(_, fields)| fields));
    for (key, value) in members {
        let field = match text.get(value.clone()) {
            Some(quoted)
                if quoted.len() > 1 && quoted.starts_with('"') && quoted.ends_with('"') =>
            {
                let inside = value.start + 1..value.end - 1;
                Field::text(payload.name(key), unquote_json(payload, inside))
            }
            Some(object) => {
                if object.starts_with('{') && text.get(key.clone()) == Some("err") {
                    // the stack is not JSON, and follows the message
                    let mut inside = Members::new(text, value.start);
                    let said = inside.find(|member| {
                        member.value.end <= value.end
                            && text.get(member.key.clone()) == Some("message")
                    });
                    let said = said.map(|member| member.field_named("error", payload));
                    event.fields.extend(said);
                }
                Field::new(payload.name(key), payload.part(value), Written::Unquoted)
            }
            None => continue,
        };
        event.fields.push(field);
    }
    Some(event)
}

/// A key and its value.
type Member = (Range<usize>, Range<usize>);

/// Returns the end of the message, and the members after it with their values.
fn members(text: &str, from: usize) -> (usize, Vec<Member>) {
    let mut found: Vec<Member> = Vec::new();
    let mut end = None;
    let mut at = from;
    for line in text.get(from..).unwrap_or("").split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line_end = start + line.trim_end_matches(['\n', '\r']).len();
        if start == from {
            continue;
        }
        let Some(member) = line.strip_prefix(INDENT) else {
            continue;
        };
        // deeper lines and closing brackets belong to the value that is open
        let key = member
            .find(':')
            .filter(|_| !member.starts_with([' ', '}', ']']));
        if let Some(length) = key {
            end = end.or(Some(start - 1));
            let key = start + INDENT.len()..start + INDENT.len() + length;
            let after = text.get(key.end + 1..line_end).unwrap_or("");
            let spaces = after.len() - after.trim_start_matches(' ').len();
            found.push((key.clone(), key.end + 1 + spaces..line_end));
        } else if let Some((_, value)) = found.last_mut() {
            value.end = line_end;
        }
    }
    (end.unwrap_or(text.len()), found)
}

/// Parses `name/17 on host`, each part of which is optional.
fn writer<'a>(payload: &Payload<'a>, writer: Range<usize>, event: &mut Event<'a>) {
    let Some(text) = payload.as_str().get(writer.clone()) else {
        return;
    };
    let who = match text.split_once(" on ") {
        Some((who, host)) => {
            let host = payload.part(writer.end - host.len()..writer.end);
            event.fields.push(Field::text("hostname", host));
            who
        }
        None => text,
    };
    let (name, pid) = match who.rsplit_once('/') {
        Some((name, pid)) => (name, pid),
        None if who.bytes().all(|byte| byte.is_ascii_digit()) => ("", who),
        None => (who, ""),
    };
    let end = writer.start + who.len();
    if !pid.is_empty() {
        let pid = payload.part(end - pid.len()..end);
        event.fields.push(Field::new("pid", pid, Written::Unquoted));
    }
    if !name.is_empty() {
        event.component = Some(payload.part(writer.start..writer.start + name.len()));
    }
}

#[cfg(test)]
mod tests {
    use crate::log::parse;
    use kwhy_model::Severity;

    #[test]
    fn members_and_errors() {
        let text = "\
[05:06:07.123] INFO (17): listening
    port: 8080
    tls: {
      \"cert\": \"/srv/a.pem\"
    }
[2024-03-04 05:06:08.5 +0000] ERROR (crane/17 on berth-1): lift failed
    err: {
      \"type\": \"Error\",
      \"message\": \"no \\\"arm\\\"\",
      \"stack\":
          Error: no \"arm\"
              at lift (/srv/crane.js:7:3)
    }
    retries: 3
    why: \"a: b\"
";
        let lines: Vec<_> = crate::input::lines(text).collect();
        let events = parse(&lines).events;
        assert_eq!(events.len(), 2);
        let (one, two) = (&events[0], &events[1]);
        assert_eq!(one.message.as_str(), "listening");
        assert_eq!(one.time, None);
        assert_eq!(one.field("port").unwrap().as_str(), "8080");
        let tls = one.fields.iter().find(|field| field.key == "tls").unwrap();
        assert!(tls.json().is_some());
        assert_eq!(two.severity, Some(Severity::Error));
        assert_eq!(two.time.unwrap().to_string(), "2024-03-04T05:06:08.5Z");
        assert_eq!(two.message.as_str(), "lift failed");
        assert_eq!(two.field("error").unwrap().as_str(), "no \"arm\"");
        assert_eq!(two.field("hostname").unwrap().as_str(), "berth-1");
        assert_eq!(two.component.as_ref().unwrap().as_str(), "crane");
        assert_eq!(two.field("retries").unwrap().as_str(), "3");
        assert_eq!(two.field("why").unwrap().as_str(), "a: b");
        assert_eq!(two.span.end, text.len() - 1);
    }
}
