//! `journalctl -o json` (systemd 252): one object per line. Every value is a string, except lists
//! of bytes for anything that is not printable UTF-8 and `null` for values that are too long.

use memchr::memmem;

use super::super::json_members::{Member, Members};
use super::super::payload::Payload;
use super::super::timestamp::epoch;
use super::{Inner, Layer, LineEnd, Names, is_string};
use kwhy_model::{Severity, Text, TextBuilder};

pub(super) fn layer(text: &str) -> Option<Layer> {
    // all journal field names are upper case or start with an underscore
    let name = text.get(1..)?.trim_start_matches(' ').strip_prefix('"')?;
    let first = name.as_bytes().first()?;
    if !(first.is_ascii_uppercase() || *first == b'_')
        || memmem::find(text.as_bytes(), b"\"__REALTIME_TIMESTAMP\"").is_none()
    {
        return None;
    }
    let mut names = Names::default();
    let (mut time, mut message, mut severity) = (None, None, None);
    let mut unit = None;
    for member in Members::new(text, 0) {
        let value = text.get(member.value.clone())?;
        match text.get(member.key.clone())? {
            "__REALTIME_TIMESTAMP" => time = epoch(value),
            "MESSAGE" => message = Some(inner(&member, value)),
            "PRIORITY" => severity = severity_of(value),
            "_HOSTNAME" => names.node = Some(member.value),
            "SYSLOG_IDENTIFIER" => names.program = Some(member.value),
            "_COMM" | "_SYSTEMD_UNIT" if is_string(member.kind) => {
                unit = unit.or(Some(member.value));
            }
            "_PID" => names.pid = Some(member.value),
            "SYSLOG_PID" => names.pid = names.pid.or(Some(member.value)),
            _ => {}
        }
    }
    names.program = names.program.or(unit);
    Some(Layer {
        severity,
        ..Layer::new(
            Some(time?),
            names,
            // an oversized or missing value leaves nothing to read
            message.unwrap_or(Inner::Within(0..0)),
        )
    })
}

fn inner(member: &Member, value: &str) -> Inner {
    if is_string(member.kind) {
        Inner::Json(member.value.clone(), LineEnd::None)
    } else if value.starts_with('[') {
        Inner::Bytes(member.value.clone())
    } else {
        Inner::Within(0..0)
    }
}

/// Returns the severity of a syslog priority, with or without its facility.
pub(super) fn severity_of(priority: &str) -> Option<Severity> {
    Some(match priority.parse::<u16>().ok()? & 7 {
        0..=2 => Severity::Fatal,
        3 => Severity::Error,
        4 => Severity::Warning,
        5 | 6 => Severity::Info,
        _ => Severity::Debug,
    })
}

/// Decodes a list of bytes; a list of strings (a repeated field) yields its first.
pub(super) fn from_bytes<'a>(payload: &Payload<'a>, list: std::ops::Range<usize>) -> Text<'a> {
    let whole = payload.text().source_span(list.clone());
    let text = payload.as_str().get(list.clone()).unwrap_or("");
    let items = text.trim_start_matches('[');
    if items.trim_start().starts_with('"') {
        let open = list.start + text.len() - items.trim_start().len();
        return match super::super::quote::closing_quote(payload.as_str(), open) {
            Some(close) => super::unquote_json(payload, open + 1..close),
            None => payload.part(list.start..list.start),
        };
    }
    let mut builder = TextBuilder::new();
    // the bytes of an incomplete character, and their position
    let mut pending: Vec<u8> = Vec::with_capacity(4);
    let mut from = whole.start;
    let mut at = list.start + (text.len() - items.len());
    for item in items.split(',') {
        let number = item.trim_matches([' ', ']']);
        let end = payload.text().source_span(at..at + item.len()).end;
        at += item.len() + 1;
        let Ok(byte) = number.parse::<u8>() else {
            break;
        };
        pending.push(byte);
        loop {
            match std::str::from_utf8(&pending) {
                Ok(decoded) => {
                    builder.push_decoded(decoded, from..end);
                    pending.clear();
                }
                // more bytes may complete it
                Err(error) if error.error_len().is_none() => break,
                Err(error) => {
                    let wrong = error.valid_up_to() + error.error_len().unwrap_or(1);
                    builder.push_decoded("\u{fffd}", from..end);
                    pending.drain(..wrong.min(pending.len()));
                }
            }
            from = end;
            if pending.is_empty() {
                break;
            }
        }
    }
    if !pending.is_empty() {
        builder.push_decoded("\u{fffd}", from..whole.end.max(from));
    }
    builder.finish()
}
