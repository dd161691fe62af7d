//! logr's funcr and stdr (go-logr/logr 1.4): `name: "level"=0 "msg"="text" "key"="value"`.
//!
//! A record without a level is an error. The name precedes a colon. Rejected: texts whose first
//! pair has any other key.

use std::ops::Range;

use memchr::memchr;

use super::{Follow, FormatSpec, show};
use crate::log::logfmt::Pairs;
use crate::log::payload::Payload;
use crate::log::timestamp;
use kwhy_model::{Event, Format, Severity};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::LogrFuncr,
    first: b"\"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    begins: |text| head(text, 0).is_some(),
    read: |payload| read_at(payload, 0),
    show,
    follow: Follow::ONE_LINE,
};

/// Returns the name and the offset of the first pair.
fn head(text: &str, start: usize) -> Option<(Range<usize>, usize)> {
    const FIRST: [&str; 6] = [
        "\"level\"=",
        "\"msg\"=",
        "\"logger\"=",
        "\"ts\"=",
        "\"caller\"=",
        "\"error\"=",
    ];
    let rest = text.get(start..)?;
    let window = &rest.as_bytes()[..rest.len().min(120)];
    let quote = memchr(b'"', window)?;
    let pairs = rest.get(quote..)?;
    if !FIRST.iter().any(|first| pairs.starts_with(first)) || !pairs.contains("\"msg\"=") {
        return None;
    }
    let name = match rest.get(..quote)? {
        "" => start..start,
        before => start..start + before.strip_suffix(": ")?.len(),
    };
    let accepted = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    text.get(name.clone())?
        .bytes()
        .all(accepted)
        .then_some((name, start + quote))
}

/// Reads the record that starts at an offset.
pub(super) fn read_at<'a>(payload: &Payload<'a>, start: usize) -> Option<Event<'a>> {
    let (name, pairs) = head(payload.as_str(), start)?;
    let empty = payload.part(pairs..pairs);
    let mut event = Event::new(Format::LogrFuncr, payload.text().span(), empty);
    event.severity = Some(Severity::Error);
    event.component = Some(name)
        .filter(|name| !name.is_empty())
        .map(|name| payload.part(name));
    let (mut level, mut message) = (false, false);
    for field in Pairs::quoted(payload, pairs) {
        match field.key.as_ref() {
            "level" if !level && !message => {
                level = true;
                event.severity = match field.value.as_str() {
                    "0" => Some(Severity::Info),
                    _ => Some(Severity::Debug),
                };
            }
            "msg" if !message => {
                message = true;
                event.message = field.value;
            }
            "ts" if !message && event.time.is_none() => {
                event.time = timestamp::parse(field.value.as_str());
            }
            "logger" if !message => event.component = Some(field.value),
            // `{"file":"main.go","line":12}`
            "caller" if !message => event.caller = caller(&field.value),
            // `Error(nil, "text")`
            "error" if field.value.as_str() == "null" => {}
            _ => event.fields.push(field),
        }
    }
    message.then_some(event)
}

fn caller<'a>(value: &kwhy_model::Text<'a>) -> Option<kwhy_model::Text<'a>> {
    use crate::log::json_members::Members;
    let text = value.as_str();
    if !text.starts_with('{') {
        return Some(value.clone());
    }
    let (mut file, mut line) = (None, None);
    for member in Members::new(text, 0) {
        match text.get(member.key)? {
            "file" => file = Some(member.value),
            "line" => line = Some(member.value),
            _ => {}
        }
    }
    let (file, line) = (file?, line?);
    let mut builder = kwhy_model::TextBuilder::new();
    builder.push_text(&value.slice(file.clone()));
    let between = value.source_span(file.end..line.start.max(file.end));
    builder.push_decoded(":", between);
    builder.push_text(&value.slice(line));
    Some(builder.finish())
}
