//! Lines identified only by the level at their start: `[ERROR] text` (CoreDNS with `plugin/name:
//! `), `ERROR: text`, winston's simple format `level: text {"key":"value"}`.
//!
//! Rejected: other level words; `Error: text`, `error: text` and `http: text` without fields, which
//! are output of commands or wrapped text; and `level: true`, which is a YAML member.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::json_members::Members;
use crate::log::level;
use crate::log::payload::Payload;
use kwhy_model::{Event, Format};

/// CoreDNS 1.11 (plugin/pkg/log).
pub(super) const COREDNS: FormatSpec = FormatSpec {
    format: Format::Coredns,
    first: b"[",
    begins: |text| bracketed(text).is_some_and(|head| text[head.rest..].starts_with("plugin/")),
    read: |payload| read(payload, Format::Coredns, bracketed(payload.as_str())?),
    show,
    follow: Follow::RAW,
};

/// Any other writer.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Leveled,
    first: b"[TDIWECFVdiwehvs",
    begins: |text| head(text).is_some(),
    read: |payload| read(payload, Format::Leveled, head(payload.as_str())?),
    show,
    follow: Follow {
        raw: |_| true,
        surely: |line| line.starts_with('\t') && !line.trim().is_empty(),
        chained: |_| false,
        indented: false,
        apart: |_| false,
    },
};

struct Head {
    level: Range<usize>,
    rest: usize,
}

const UPPER: [&str; 9] = [
    "TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "VERBOSE",
];

fn head(text: &str) -> Option<Head> {
    match text.as_bytes().first()? {
        b'[' => bracketed(text),
        b'A'..=b'Z' => upper(text),
        _ => lower(text),
    }
}

fn bracketed(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    cursor.eat("[")?;
    let level = cursor.run(|byte| byte.is_ascii_uppercase())?;
    cursor.eat("] ")?;
    UPPER.contains(&text.get(level.clone())?).then_some(Head {
        level,
        rest: cursor.at(),
    })
}

fn upper(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let level = cursor.run(|byte| byte.is_ascii_uppercase())?;
    cursor.eat(": ")?;
    cursor.spaces();
    (UPPER.contains(&text.get(level.clone())?) && !cursor.rest().is_empty()).then_some(Head {
        level,
        rest: cursor.at(),
    })
}

fn lower(text: &str) -> Option<Head> {
    const LEVELS: [&str; 12] = [
        "info", "warn", "debug", "verbose", "http", "silly", "error", "warning", "notice", "crit",
        "alert", "emerg",
    ];
    let mut cursor = Cursor::new(text);
    let level = cursor.run(|byte| byte.is_ascii_lowercase())?;
    cursor.eat(": ")?;
    let word = text.get(level.clone())?;
    let rest = cursor.rest();
    let with_fields = rest.ends_with('}') && rest.contains("{\"");
    let is_text = !matches!(word, "error" | "http") && !is_scalar(rest.trim());
    (LEVELS.contains(&word) && (with_fields || is_text)).then_some(Head {
        level,
        rest: cursor.at(),
    })
}

/// Returns true for a YAML value that is not a plain string, or that is quoted.
fn is_scalar(text: &str) -> bool {
    matches!(
        text,
        "" | "true"
            | "false"
            | "yes"
            | "no"
            | "on"
            | "off"
            | "null"
            | "~"
            | "|"
            | ">"
            | "{}"
            | "[]"
    ) || text.starts_with(['"', '\'', '|', '>', '&', '*', '['])
        || text.parse::<f64>().is_ok()
}

/// Parses winston's fields: the object at the end of the text, if it parses to the end.
fn object_at_end(text: &str, from: usize) -> Option<usize> {
    const CANDIDATES: usize = 32;
    let end = text.trim_end().len();
    let body = text.get(from..end).filter(|body| body.ends_with('}'))?;
    body.match_indices("{\"")
        .take(CANDIDATES)
        .map(|(at, _)| from + at)
        .find(|open| {
            let mut members = Members::new(text, *open);
            members.by_ref().for_each(drop);
            members.end() == Some(end)
        })
}

fn read<'a>(payload: &Payload<'a>, format: Format, head: Head) -> Option<Event<'a>> {
    let text = payload.as_str();
    let mut start = head.rest;
    let mut component = None;
    let bracketed = text.starts_with('[');
    if format == Format::Coredns {
        let name = text[start..]
            .find(": ")
            .filter(|length| !text[start..start + length].contains(' '));
        if let Some(length) = name {
            component = Some(payload.part(start..start + length));
            start += length + 2;
        }
    }
    let object = if bracketed {
        None
    } else {
        // an object on its own is the message
        object_at_end(text, start).filter(|open| *open > start)
    };
    let end = object.unwrap_or(text.len()).max(start);
    let message = payload.part(start..start + text[start..end].trim_end_matches(' ').len());
    let mut event = Event::new(format, payload.text().span(), message);
    if let Some(open) = object {
        let members = Members::new(text, open);
        event
            .fields
            .extend(members.map(|member| member.field(payload)));
    }
    event.component = component;
    crate::log::layout::take_time(&mut event);
    level::set(&mut event, payload.part(head.level));
    Some(event)
}
