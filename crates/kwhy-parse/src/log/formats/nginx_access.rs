//! nginx's access log in the combined format (nginx 1.22, `log_format combined`; Apache's is the
//! same) and in that of ingress-nginx (`log-format-upstream`):
//! `10.0.0.7 - bob [02/Jan/2006:15:04:05 -0700] "GET / HTTP/1.1" 200 3 "ref" "agent" ...`.
//!
//! The message is the request with its status. nginx's `\x22` escapes are decoded in the fields.
//! Rejected: formats with a different start.

use std::ops::Range;

use memchr::memchr;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use crate::log::quote::{closing_quote, unquote_bytes};
use crate::log::timestamp::leading_common_log_time;
use kwhy_model::{Event, Field, Format, Severity, Stamp, TextBuilder, Written};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::NginxAccess,
    first: b"0123456789abcdefABCDEF:",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::ONE_LINE,
};

struct Head {
    address: Range<usize>,
    user: Range<usize>,
    time: Stamp,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let window = &text.as_bytes()[..text.len().min(160)];
    let open = memchr(b'[', window).filter(|open| *open > 5)?;
    // `02/`
    if window.get(open + 3) != Some(&b'/') {
        return None;
    }
    let (address, rest) = text.get(..open)?.split_once(" - ")?;
    let user = rest.strip_suffix(' ')?;
    let is_address = address
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || b".:%".contains(&byte));
    if !is_address || address.is_empty() {
        return None;
    }
    let (time, length) = leading_common_log_time(text.get(open + 1..)?)?;
    let rest = open + 1 + length;
    text.get(rest..)?.strip_prefix("] \"")?;
    Some(Head {
        address: 0..address.len(),
        user: address.len() + 3..address.len() + 3 + user.len(),
        time,
        rest: rest + 2,
    })
}

/// The fields after the user agent in ingress-nginx's format.
const INGRESS: [&str; 9] = [
    "request_length",
    "request_time",
    "proxy_upstream_name",
    "proxy_alternative_upstream_name",
    "upstream_addr",
    "upstream_response_length",
    "upstream_response_time",
    "upstream_status",
    "req_id",
];

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let close = closing_quote(text, head.rest)?;
    let request = head.rest + 1..close;
    let mut cursor = Cursor::new(text.get(close + 1..)?);
    cursor.eat(" ")?;
    let shift = |range: Range<usize>| close + 1 + range.start..close + 1 + range.end;
    let status = shift(cursor.digits()?);
    let mut bytes = None;
    if cursor.eat(" ").is_some() {
        bytes = cursor.run(|byte| byte != b' ').map(shift);
    }
    let mut builder = TextBuilder::new();
    builder.push_text(&payload.part(request.clone()));
    builder.push_decoded(" ", payload.text().source_span(request.end..status.start));
    builder.push_text(&payload.part(status.clone()));
    let span = payload.text().span();
    let mut event = Event::new(Format::NginxAccess, span, builder.finish());
    event.time = Some(head.time);
    event.severity = Some(match text.as_bytes().get(status.start) {
        Some(b'5') => Severity::Error,
        _ => Severity::Info,
    });
    let mut add = |key: &'static str, value| {
        let written = match key {
            "status" | "body_bytes_sent" | "request_length" | "request_time" => Written::Unquoted,
            // with several upstreams these are lists, so text
            "upstream_response_length" | "upstream_response_time" | "upstream_status" => {
                Written::Unquoted
            }
            _ => Written::Text,
        };
        event.fields.push(Field::new(key, value, written));
    };
    add("remote_addr", payload.part(head.address));
    if text.get(head.user.clone()) != Some("-") {
        add("remote_user", payload.part(head.user));
    }
    add("request", unquote_bytes(payload, request));
    add("status", payload.part(status));
    let Some(bytes) = bytes else {
        return Some(event);
    };
    let mut at = bytes.end;
    add("body_bytes_sent", payload.part(bytes));
    for key in ["http_referer", "http_user_agent"] {
        if !text.get(at..)?.starts_with(" \"") {
            return Some(event);
        }
        let Some(close) = closing_quote(text, at + 1) else {
            return Some(event);
        };
        if text.get(at + 2..close) != Some("-") {
            add(key, unquote_bytes(payload, at + 2..close));
        }
        at = close + 1;
    }
    for key in INGRESS {
        let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(' ')) else {
            break;
        };
        let start = at + 1;
        let mut end = start + memchr(b' ', rest.as_bytes()).unwrap_or(rest.len());
        // several upstreams: `10.0.0.1:80, 10.0.0.2:80`
        while text.get(..end)?.ends_with([',', ':']) && end < text.len() {
            let after = text.get(end + 1..)?;
            end += 1 + memchr(b' ', after.as_bytes()).unwrap_or(after.len());
        }
        let value = text.get(start..end)?;
        let inside = match value.strip_prefix('[') {
            Some(value) if value.ends_with(']') => start + 1..end - 1,
            _ => start..end,
        };
        if !inside.is_empty() && value != "-" {
            add(key, payload.part(inside));
        }
        at = end;
    }
    Some(event)
}
