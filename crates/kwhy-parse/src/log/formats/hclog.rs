//! hclog's text format (hashicorp/go-hclog 1.6):
//! `2024-03-04T05:06:07.123Z [ERROR] agent.server: text: key=value other="a b"`.
//!
//! Quoted values escape the quote and control characters but not the backslash, so a value ends at
//! the first quote that no backslash precedes and that a pair or the end follows. A value with line
//! breaks is a block: `key=`, then lines prefixed with `  | `. Rejected: lines without a time,
//! where only the level identifies the format.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use crate::log::quote::unquote_controls;
use crate::log::zap_console::is_caller;
use kwhy_model::{Event, Field, Format, Stamp, Text, TextBuilder, Written};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Hclog,
    first: b"0123456789",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::RAW,
};

fn head(text: &str) -> Option<(Stamp, Range<usize>, usize)> {
    const LEVELS: [&str; 6] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "?????"];
    // cheap check before parsing a time
    let window = &text.as_bytes()[..text.len().min(32)];
    memchr(b'[', window)?;
    let mut cursor = Cursor::new(text);
    let time = cursor
        .time()
        .filter(|time| time.zone_stated && time.digits == 3)?;
    cursor.eat(" [")?;
    let level = cursor.run(|byte| byte.is_ascii_uppercase() || byte == b'?')?;
    cursor.eat("]")?;
    let known = text
        .get(level.clone())
        .is_some_and(|word| LEVELS.contains(&word));
    // the level is padded to seven columns
    let wanted = 6 - level.len().min(5);
    let spaces = cursor
        .rest()
        .bytes()
        .take_while(|byte| *byte == b' ')
        .count();
    if spaces < wanted && !cursor.rest().is_empty() || cursor.rest().starts_with(" plugin/") {
        return None;
    }
    let rest = cursor.at() + spaces.min(wanted);
    known.then_some((time, level, rest))
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let (time, level, mut start) = head(text)?;
    let mut caller = None;
    let mut component = None;
    // `dir/file.go:12: `, then `name: `
    for _ in 0..2 {
        let rest = &text[start..];
        let word = &rest[..rest.find([' ', '\n']).unwrap_or(rest.len())];
        let Some(name) = word.strip_suffix(':') else {
            break;
        };
        let part = payload.part(start..start + name.len());
        if caller.is_none() && component.is_none() && is_caller(name) {
            caller = Some(part);
        } else if component.is_none() && !name.is_empty() && !name.contains('=') {
            component = Some(part);
        } else {
            break;
        }
        start = (start + word.len() + 1).min(text.len());
    }
    let (end, fields) = fields(payload, start);
    let message = payload.part(start..end);
    let mut event = Event::new(Format::Hclog, payload.text().span(), message);
    event.time = Some(time);
    event.caller = caller;
    event.component = component;
    event.fields = fields;
    level::set(&mut event, payload.part(level));
    Some(event)
}

/// Splits off the pairs: returns the end of the message, which is the first `:` after which
/// everything parses as pairs, and the pairs.
fn fields<'a>(payload: &Payload<'a>, start: usize) -> (usize, Vec<Field<'a>>) {
    const CANDIDATES: usize = 64;
    let text = payload.as_str();
    let bytes = text.as_bytes();
    // an empty message leaves nothing before its pairs
    if let Some(fields) = pairs(payload, start) {
        return (start, fields);
    }
    let body = bytes.get(start..).unwrap_or(&[]);
    for colon in memchr_iter(b':', body).take(CANDIDATES) {
        let at = start + colon + 1;
        if !matches!(bytes.get(at), Some(b' ' | b'\n')) {
            continue;
        }
        if let Some(fields) = pairs(payload, at) {
            return (at - 1, fields);
        }
    }
    (text.len(), Vec::new())
}

/// Parses pairs from an offset to the end; `None` if anything else occurs there.
fn pairs<'a>(payload: &Payload<'a>, start: usize) -> Option<Vec<Field<'a>>> {
    let text = payload.as_str();
    let mut at = start;
    let mut fields = Vec::new();
    while !text.get(at..)?.trim().is_empty() {
        let rest = &text[at..];
        let key_start = at + (rest.len() - rest.trim_start_matches([' ', '\n']).len());
        let key_length = key_length(&text[key_start..])?;
        let value = key_start + key_length + 1;
        let written = match text.as_bytes().get(value) {
            Some(b'"' | b'\n') => Written::Text,
            _ => Written::Bare,
        };
        let (value, end) = value_at(payload, value)?;
        let key = payload.name(key_start..key_start + key_length);
        fields.push(Field::new(key, value, written));
        at = end;
    }
    (!fields.is_empty()).then_some(fields)
}

/// Returns the length of a key. Keys are written verbatim, so one may contain spaces, though few.
fn key_length(text: &str) -> Option<usize> {
    let window = &text.as_bytes()[..text.len().min(120)];
    let length = memchr(b'=', window)?;
    let key = text.get(..length)?;
    let plain = !key.is_empty() && !key.contains(['"', '\n', ':', ',', '(']) && !key.ends_with(' ');
    (plain && key.split(' ').count() <= 3).then_some(length)
}

/// Parses a value; also returns the offset after it.
fn value_at<'a>(payload: &Payload<'a>, start: usize) -> Option<(Text<'a>, usize)> {
    let text = payload.as_str();
    let rest = text.get(start..)?;
    match rest.as_bytes().first() {
        Some(b'"') => {
            let close = start + quoted_end(rest)?;
            let value = unquote_controls(payload, start + 1..close);
            Some((value, close + 1))
        }
        Some(b'\n') if rest.starts_with("\n  | ") => block(payload, start),
        Some(b'[') => {
            let length = list_end(rest).unwrap_or_else(|| bare_end(rest));
            Some((payload.part(start..start + length), start + length))
        }
        _ => {
            let length = bare_end(rest);
            Some((payload.part(start..start + length), start + length))
        }
    }
}

fn bare_end(text: &str) -> usize {
    text.find([' ', '\n']).unwrap_or(text.len())
}

/// Returns the end of a bracketed list, ignoring brackets in quotes.
fn list_end(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quoted = !quoted,
            b']' if !quoted => {
                let after = text.as_bytes().get(at + 1);
                return matches!(after, None | Some(b' ' | b'\n')).then_some(at + 1);
            }
            b'\n' => return None,
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    None
}

/// Returns the offset of the quote that closes the one at the start of the text.
fn quoted_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let ends = |at: usize| match bytes.get(at + 1) {
        None | Some(b'\n') => true,
        Some(b' ') => {
            let rest = text.get(at + 2..).unwrap_or("");
            rest.trim().is_empty() || key_length(rest.trim_start()).is_some()
        }
        _ => false,
    };
    let mut last_escaped = None;
    for at in memchr_iter(b'"', bytes).skip(1) {
        if bytes.get(at - 1) != Some(&b'\\') {
            if ends(at) {
                return Some(at);
            }
        } else if last_escaped.is_none() && ends(at) {
            last_escaped = Some(at);
        }
    }
    last_escaped
}

/// Parses a block: lines prefixed with `  | `.
fn block<'a>(payload: &Payload<'a>, start: usize) -> Option<(Text<'a>, usize)> {
    let text = payload.as_str();
    let mut builder = TextBuilder::new();
    let mut at = start;
    let mut first = true;
    while let Some(line) = text.get(at..).and_then(|rest| rest.strip_prefix("\n  | ")) {
        let line_start = at + 5;
        let end = line_start + memchr(b'\n', line.as_bytes()).unwrap_or(line.len());
        if !first {
            builder.push_decoded("\n", payload.text().source_span(at..at + 5));
        }
        first = false;
        builder.push_text(&unquote_controls(payload, line_start..end));
        at = end;
    }
    Some((builder.finish(), at))
}
