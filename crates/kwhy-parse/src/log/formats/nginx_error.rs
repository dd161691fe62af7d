//! nginx's error log (nginx 1.22, `ngx_log_error_core`):
//! `2024/03/04 05:06:07 [error] 31#31: *7 text, client: 10.0.0.7, server: a, request: "GET /"`.
//!
//! Quoted values are not escaped: a value ends at `", key: "` or at the end of the line. The worker
//! and the connection are not kept as fields. During startup the format is `nginx: [emerg] text`.
//! The time is local.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use kwhy_model::{Event, Field, Format, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::NginxError,
    first: b"0123456789n",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

const LEVELS: [&str; 8] = [
    "debug", "info", "notice", "warn", "error", "crit", "alert", "emerg",
];

struct Head {
    time: Option<Stamp>,
    level: Option<Range<usize>>,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let mut time = None;
    // messages about a tested configuration have no level
    if let Some(said) = text.strip_prefix("nginx: ")
        && (said.starts_with("the configuration file ") || said.starts_with("configuration file "))
    {
        return Some(Head {
            time,
            level: None,
            rest: "nginx: ".len(),
        });
    }
    if cursor.eat("nginx: [").is_none() {
        if text.as_bytes().get(19..21) != Some(b" [") {
            return None;
        }
        time = Some(cursor.time()?);
        cursor.eat(" [")?;
    }
    let level = cursor.run(|byte| byte.is_ascii_lowercase())?;
    cursor.eat("] ")?;
    if !LEVELS.contains(&text.get(level.clone())?) {
        return None;
    }
    if time.is_some() {
        // `31#31: *7 `
        cursor.digits()?;
        cursor.eat("#")?;
        cursor.digits()?;
        cursor.eat(": ")?;
        let mut connection = cursor.clone();
        if connection.eat("*").is_some()
            && connection.digits().is_some()
            && connection.eat(" ").is_some()
        {
            cursor = connection;
        }
    }
    Some(Head {
        time,
        level: Some(level),
        rest: cursor.at(),
    })
}

/// The keys after the message, in nginx's order.
const KEYS: [&str; 7] = [
    "client",
    "server",
    "request",
    "subrequest",
    "upstream",
    "host",
    "referrer",
];

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let found = fields(text, head.rest);
    // the message also states its object (`upstream: "..."`)
    let message = payload.part(head.rest..text.len());
    let mut event = Event::new(Format::NginxError, payload.text().span(), message);
    event.time = head.time;
    for (key, value) in found {
        let inside = match text.get(value.clone()) {
            Some(quoted)
                if quoted.len() > 1 && quoted.starts_with('"') && quoted.ends_with('"') =>
            {
                value.start + 1..value.end - 1
            }
            _ => value,
        };
        event.fields.push(Field::text(key, payload.part(inside)));
    }
    if let Some(level) = head.level {
        level::set(&mut event, payload.part(level));
    }
    Some(event)
}

/// Returns the keys with their values, including quotes.
fn fields(text: &str, from: usize) -> Vec<(&'static str, Range<usize>)> {
    let mut found: Vec<(&'static str, Range<usize>)> = Vec::new();
    let mut at = from;
    for key in KEYS {
        let literal = format!(", {key}: ");
        // a value may contain something like a key; after a quoted value the quote comes first
        let open = found
            .last()
            .is_some_and(|(_, value)| text[value.start..].starts_with('"'));
        let place = if open {
            text[at..]
                .find(&format!("\"{literal}"))
                .map(|place| at + place + 1)
        } else {
            text[at..].find(&literal).map(|place| at + place)
        };
        let Some(place) = place else {
            continue;
        };
        if let Some((_, value)) = found.last_mut() {
            value.end = place;
        }
        at = place + literal.len();
        found.push((key, at..text.len()));
    }
    if let Some((_, value)) = found.last_mut() {
        value.end = value.start + text[value.start..].trim_end().len();
    }
    found
}
