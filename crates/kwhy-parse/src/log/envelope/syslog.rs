//! Syslog with its priority: RFC 3164 (`<13>Mar  4 05:06:07 node program[pid]: text`) and RFC 5424
//! (`<165>1 2024-03-04T05:06:07.003Z node program pid msgid [id key="value"] text`).

use memchr::memchr;

use super::super::timestamp::{leading_date_time, leading_syslog_time};
use super::journal::{Pid, program, tag};
use super::journal_json::severity_of;
use super::{Inner, Layer, Names};

pub(super) fn layer(text: &str) -> Option<Layer> {
    let window = text.get(1..text.len().min(5)).unwrap_or("");
    let priority = window.get(..memchr(b'>', window.as_bytes())?)?;
    // eight severities for each of 24 facilities
    let number: u16 = priority.parse().ok().filter(|number| *number < 192)?;
    if priority != number.to_string() {
        return None;
    }
    let start = 1 + priority.len() + 1;
    let layer = rfc5424(text, start).or_else(|| rfc3164(text, start))?;
    Some(Layer {
        severity: severity_of(priority),
        ..layer
    })
}

/// Programs on the same node omit its name.
fn rfc3164(text: &str, start: usize) -> Option<Layer> {
    let (time, length) = leading_syslog_time(text.get(start..)?)?;
    let after = start + length;
    // slog-term puts its level where the host would be
    if crate::log::level::starts_with_upper(text.get(after + 1..).unwrap_or("")) {
        return None;
    }
    let found = program(text, after, Pid::Optional).or_else(|| tag(text, after + 1))?;
    Some(found.at(Some(time)))
}

fn rfc5424(text: &str, start: usize) -> Option<Layer> {
    let rest = text.get(start..)?.strip_prefix("1 ")?;
    let mut at = start + 2;
    let mut words = [(at, at); 5];
    let mut left = rest;
    for found in &mut words {
        let length = memchr(b' ', left.as_bytes())?;
        *found = (at, at + length);
        at += length + 1;
        left = left.get(length + 1..)?;
    }
    let [time, host, program, pid, _message_id] = words;
    let stamp = text.get(time.0..time.1)?;
    let time = if stamp == "-" {
        None
    } else {
        Some(
            leading_date_time(stamp)
                .filter(|(_, length)| *length == stamp.len())?
                .0,
        )
    };
    let name =
        |(start, end): (usize, usize)| (text.get(start..end) != Some("-")).then_some(start..end);
    let data = structured_data(left)?;
    let after = left.get(data..)?;
    let space = usize::from(after.starts_with(' '));
    let mark = after.get(space..).unwrap_or("");
    let mark = mark.len() - mark.trim_start_matches('\u{feff}').len();
    let names = Names {
        node: name(host),
        program: name(program),
        pid: name(pid),
        ..Names::default()
    };
    Some(Layer::new(
        time,
        names,
        Inner::From((at + data + space + mark).min(text.len())),
    ))
}

/// Returns the length of `-` or `[id key="value"][id]`, in whose values `"`, `\` and `]` are
/// escaped.
fn structured_data(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'-') {
        return Some(1);
    }
    let mut at = 0;
    while bytes.get(at) == Some(&b'[') {
        let mut quoted = false;
        loop {
            at += 1;
            match bytes.get(at)? {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b']' if !quoted => break,
                _ => {}
            }
        }
        at += 1;
    }
    (at > 0 && text.is_char_boundary(at)).then_some(at)
}
