//! Envoy's application log (`--log-format` of Envoy 1.29) and its default access log:
//! `[2024-03-04 05:06:07.123][15][warning][config] [source/x.cc:163] text`,
//! `[2024-03-04T05:06:07.123Z] "GET / HTTP/1.1" 503 UF ...`.
//!
//! istio's proxy writes the application log in zap's console format, and an access log with
//! additional columns, which are identified by position.

use std::ops::Range;

use memchr::memchr;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use crate::log::quote::closing_quote;
use kwhy_model::{Event, Field, Format, Severity, Stamp, TextBuilder, Written};

/// The application log.
pub(super) const APPLICATION: FormatSpec = FormatSpec {
    format: Format::Envoy,
    first: b"[",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

/// The access log.
pub(super) const ACCESS: FormatSpec = FormatSpec {
    format: Format::EnvoyAccess,
    first: b"[",
    begins: |text| access_head(text).is_some(),
    read: read_access,
    show,
    follow: Follow::ONE_LINE,
};

struct Head {
    time: Stamp,
    level: Range<usize>,
    logger: Range<usize>,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    cursor.eat("[")?;
    let time = cursor.time()?;
    cursor.eat("][")?;
    cursor.digits()?;
    cursor.eat("][")?;
    let level = cursor.run(|byte| byte.is_ascii_lowercase())?;
    cursor.eat("][")?;
    let logger = cursor.until("]")?;
    cursor.eat(" ")?;
    Some(Head {
        time,
        level,
        logger,
        rest: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let mut start = head.rest;
    let mut caller = None;
    let mut cursor = Cursor::new(&text[start..]);
    if cursor.eat("[").is_some()
        && let Some(place) = cursor.until("] ")
        && text[start + place.start..start + place.end].contains(".cc:")
            | text[start + place.start..start + place.end].contains(".h:")
    {
        caller = Some(payload.part(start + place.start..start + place.end));
        start += cursor.at();
    }
    let message = payload.part(start..text.len());
    let mut event = Event::new(Format::Envoy, payload.text().span(), message);
    event.time = Some(head.time);
    event.component = Some(payload.part(head.logger));
    event.caller = caller;
    level::set(&mut event, payload.part(head.level));
    Some(event)
}

fn access_head(text: &str) -> Option<(Stamp, usize)> {
    let mut cursor = Cursor::new(text);
    cursor.eat("[")?;
    let time = cursor.time()?;
    cursor.eat("] \"")?;
    Some((time, cursor.at() - 1))
}

/// The columns after the status: Envoy's default, and istio's with two more after the flags.
const COLUMNS: [&str; 10] = [
    "response_flags",
    "bytes_received",
    "bytes_sent",
    "duration",
    "upstream_service_time",
    "x_forwarded_for",
    "user_agent",
    "request_id",
    "authority",
    "upstream_host",
];
const ISTIO_COLUMNS: [&str; 19] = [
    "response_flags",
    "response_code_details",
    "connection_termination_details",
    "upstream_transport_failure_reason",
    "bytes_received",
    "bytes_sent",
    "duration",
    "upstream_service_time",
    "x_forwarded_for",
    "user_agent",
    "request_id",
    "authority",
    "upstream_host",
    "upstream_cluster",
    "upstream_local_address",
    "downstream_local_address",
    "downstream_remote_address",
    "requested_server_name",
    "route_name",
];

fn read_access<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let (time, open) = access_head(text)?;
    let close = closing_quote(text, open)?;
    let request = open + 1..close;
    let mut columns = Vec::new();
    let mut at = close + 1;
    while let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(' ')) {
        let start = at + 1;
        let (inside, end) = if rest.starts_with('"') {
            let close = closing_quote(text, start)?;
            (start + 1..close, close + 1)
        } else {
            let end = start + memchr(b' ', rest.as_bytes()).unwrap_or(rest.len());
            (start..end, end)
        };
        columns.push(inside);
        at = end;
    }
    let (status, columns) = columns.split_first()?;
    let mut builder = TextBuilder::new();
    builder.push_text(&payload.part(request.clone()));
    builder.push_decoded(" ", payload.text().source_span(close..status.start));
    builder.push_text(&payload.part(status.clone()));
    let flags = columns.first().and_then(|flags| text.get(flags.clone()));
    if let (Some(flags), Some(first)) = (flags, columns.first())
        && flags != "-"
    {
        let between = payload.text().source_span(status.end..first.start);
        builder.push_decoded(" ", between);
        builder.push_text(&payload.part(first.clone()));
    }
    let span = payload.text().span();
    let mut event = Event::new(Format::EnvoyAccess, span, builder.finish());
    event.time = Some(time);
    let code = text.get(status.clone())?;
    event.severity = Some(match code.as_bytes().first() {
        Some(b'5') => Severity::Error,
        // no response at all
        Some(b'0') if flags.is_some_and(|flags| flags.starts_with('U')) => Severity::Error,
        _ => Severity::Info,
    });
    let names: &[&'static str] = if columns.len() > COLUMNS.len() {
        &ISTIO_COLUMNS
    } else {
        &COLUMNS
    };
    let all = [("request", &request), ("status", status)];
    let rest = names.iter().copied().zip(columns);
    for (key, value) in all.into_iter().chain(rest) {
        if text.get(value.clone()) != Some("-") {
            let written = match key {
                "status"
                | "bytes_received"
                | "bytes_sent"
                | "duration"
                | "upstream_service_time" => Written::Unquoted,
                _ => Written::Text,
            };
            let value = payload.part(value.clone());
            event.fields.push(Field::new(key, value, written));
        }
    }
    Some(event)
}
