//! Classifies lines by their first bytes: a fast path for the formats that fill most logs.
//!
//! Anything it cannot decide is left to the parsers: [`Class::Unknown`] is never wrong, only slow.

use memchr::memchr;

use super::partial::Cri;
use crate::log;
use crate::log::timestamp::{date_time_length, klog_time_length, leading_syslog_time};
use crate::object;
use kwhy_model::Format;

/// The class of a line by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A record of this format, possibly in an envelope.
    Record(Format),
    /// An envelope around any other payload: a record of its own, or a continuation line.
    Enveloped,
    /// A JSON object on one line that is not a Kubernetes object: a record in all but rare cases.
    Json,
    /// A line that starts neither a record nor structured output.
    Inside,
    /// The first bytes do not decide.
    Unknown,
}

/// Returns the class of a line.
///
/// Recognises klog's header, logrus' `time="…" level=`, zap's console format with tabs, the API server's audit log,
/// JSON objects, and the envelopes of the CRI and syslog.
///
/// ```
/// use kwhy_model::Format;
/// use kwhy_parse::framing::{Class, classify};
/// let line = "E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\" err=\"timeout\"";
/// assert_eq!(classify(line.as_bytes()), Class::Record(Format::Klog));
/// assert_eq!(classify(b"2024-03-04T05:06:07.123456789Z stderr F hoist"), Class::Enveloped);
/// assert_eq!(classify(b"Name: web-0"), Class::Unknown);
/// ```
pub fn classify(line: &[u8]) -> Class {
    match Cri::of(line) {
        Some(cri) => enveloped(line.get(cri.payload..).unwrap_or_default()),
        None => classify_bare(line),
    }
}

/// Returns the class of an enveloped line by its payload. Only one envelope is examined, as a further one might exceed
/// the maximum depth.
fn enveloped(payload: &[u8]) -> Class {
    payload_format(payload).map_or(Class::Enveloped, Class::Record)
}

/// Returns the class of a line without the CRI's prefix.
#[inline]
pub fn classify_bare(line: &[u8]) -> Class {
    let Some(first) = line.first() else {
        return Class::Inside;
    };
    match first {
        b'0'..=b'9' => {
            if is_zap_console(line) {
                Class::Record(Format::ZapConsole)
            } else {
                Class::Unknown
            }
        }
        b'I' | b'W' | b'E' | b'F' if is_klog(line) => Class::Record(Format::Klog),
        b'A'..=b'S' => syslog(line).map_or(Class::Unknown, enveloped),
        b't' if is_logrus(line) => Class::Record(Format::Logrus),
        b'{' if log::is_audit(line) => Class::Record(Format::KubeAudit),
        b'{' => json(line),
        b'}' | b']' | b',' => Class::Inside,
        // the location of a function in a stack trace
        b'\t' if line.get(1) == Some(&b'/') => Class::Inside,
        _ => Class::Unknown,
    }
}

/// Returns true if the first bytes of a record recognised by [`classify`] state an error level.
pub fn is_error(format: Format, line: &[u8]) -> bool {
    match format {
        Format::Klog => matches!(line.first(), Some(b'E' | b'F')),
        Format::ZapConsole => memchr(b'\t', &line[..line.len().min(48)])
            .and_then(|tab| line.get(tab + 1))
            .is_some_and(|level| matches!(level, b'E' | b'e' | b'F' | b'P')),
        _ => false,
    }
}

/// Returns the format of a record without envelopes, if its first bytes are unmistakable.
pub(crate) fn payload_format(text: &[u8]) -> Option<Format> {
    match text.first()? {
        b'I' | b'W' | b'E' | b'F' if is_klog(text) => Some(Format::Klog),
        b't' if is_logrus(text) => Some(Format::Logrus),
        b'{' if is_json(text) => Some(Format::JsonLog),
        b'{' if log::is_audit(text) => Some(Format::KubeAudit),
        b'0'..=b'9' if is_zap_console(text) => Some(Format::ZapConsole),
        _ => None,
    }
}

fn json(line: &[u8]) -> Class {
    if line.get(1) != Some(&b'"') || object::is_compact_head(line) {
        Class::Unknown
    } else {
        Class::Json
    }
}

fn run(text: &[u8], accepted: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|byte| accepted(**byte)).count()
}

/// The bytes allowed in a file's path.
const PATH: [bool; 256] = {
    let mut path = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let is_mark = matches!(byte as u8, b'_' | b'-' | b'.' | b'/');
        path[byte] = (byte as u8).is_ascii_alphanumeric() || is_mark;
        byte += 1;
    }
    path
};

/// Returns true for `0304 05:06:07.123456       1 file.go:12]` after the severity.
fn is_klog(text: &[u8]) -> bool {
    klog_caller(text).is_some_and(|caller| {
        let file = run(&caller[..caller.len().min(100)], |byte| {
            PATH[usize::from(byte)]
        });
        let line = caller.get(file + 1..).unwrap_or(&[]);
        let digits = run(&line[..line.len().min(10)], |byte| byte.is_ascii_digit());
        file > 3
            && caller[..file].ends_with(b".go")
            && !caller[0].is_ascii_digit()
            && caller.get(file) == Some(&b':')
            && digits > 0
            && line.get(digits) == Some(&b']')
    })
}

fn klog_caller(text: &[u8]) -> Option<&[u8]> {
    let header = text.get(1..)?;
    if !header.first()?.is_ascii_digit() {
        return None;
    }
    let length = klog_time_length(header)?;
    let rest = header.get(length..)?;
    let spaces = run(rest, |byte| byte == b' ');
    let thread = rest.get(spaces..)?;
    let digits = run(thread, |byte| byte.is_ascii_digit());
    let caller = thread.get(digits..)?.strip_prefix(b" ")?;
    (spaces > 0 && digits > 0).then_some(caller)
}

fn is_logrus(text: &[u8]) -> bool {
    let Some(time) = text.strip_prefix(b"time=\"") else {
        return false;
    };
    let window = &time[..time.len().min(50)];
    window.get(4) == Some(&b'-')
        && memchr(b'"', window).is_some_and(|quote| time[quote + 1..].starts_with(b" level="))
}

/// The maximum length of a key or a value.
const NEAR: usize = 64;

/// Parses the JSON member at the start of a text; returns its key and the rest after it. `None` if
/// the value is nested, long or contains an escape.
fn member(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let key = text.strip_prefix(b"\"")?;
    let length = memchr(b'"', &key[..key.len().min(NEAR)])?;
    let (key, rest) = (&key[..length], key.get(length + 1..)?);
    if key.contains(&b'\\') {
        return None;
    }
    let value = rest.strip_prefix(b":")?;
    let end = if let Some(inside) = value.strip_prefix(b"\"") {
        let close = memchr(b'"', &inside[..inside.len().min(NEAR)])?;
        if inside[..close].contains(&b'\\') {
            return None;
        }
        close + 2
    } else {
        let accepted = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        Some(run(&value[..value.len().min(NEAR)], accepted)).filter(|length| *length > 0)?
    };
    Some((key, value.get(end..)?))
}

/// Returns true for an object that starts with a level and a time, in any order, or with one of them and has
/// the other as its third member.
fn is_json(text: &[u8]) -> bool {
    let Some(first) = text.strip_prefix(b"{") else {
        return false;
    };
    let mut rest = first;
    let (mut time, mut level) = (false, false);
    for index in 0..3 {
        let Some((key, after)) = member(rest) else {
            return false;
        };
        match key {
            b"level" | b"severity" => level = true,
            b"ts" | b"time" | b"timestamp" => time = true,
            _ if index == 0 => return false,
            _ => {}
        }
        if time && level {
            return true;
        }
        let Some(after) = after.strip_prefix(b",") else {
            return false;
        };
        rest = after;
    }
    false
}

/// Returns true for a time, a tab, a level and a tab.
fn is_zap_console(text: &[u8]) -> bool {
    date_time_length(text)
        .and_then(|(length, _)| text.get(length..))
        .is_some_and(is_zap_level)
}

/// Returns true for a level between tabs.
fn is_zap_level(rest: &[u8]) -> bool {
    let Some(level) = rest.strip_prefix(b"\t") else {
        return false;
    };
    let words: [&[u8]; 8] = [
        b"INFO\t", b"info\t", b"DEBUG\t", b"debug\t", b"WARN\t", b"warn\t", b"ERROR\t", b"error\t",
    ];
    words.iter().any(|word| level.starts_with(word))
}

/// Returns the payload after `Mar 04 05:06:07 host program[pid]: `.
fn syslog(text: &[u8]) -> Option<&[u8]> {
    let (_, length) = leading_syslog_time(text)?;
    let rest = text.get(length..)?.strip_prefix(b" ")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let host = run(rest, plain);
    let rest = rest.get(host..)?.strip_prefix(b" ")?;
    let program = run(rest, plain);
    let rest = rest.get(program..)?.strip_prefix(b"[")?;
    let pid = run(rest, |byte| byte.is_ascii_digit());
    let payload = rest.get(pid..)?.strip_prefix(b"]: ")?;
    (host > 0 && program > 0 && pid > 0).then_some(payload)
}
