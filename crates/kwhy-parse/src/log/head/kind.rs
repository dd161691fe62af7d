//! The class of a line by its first bytes.

use memchr::memchr;

use super::super::formats::FormatSpec;
use super::super::timestamp::{leading_date_time, leading_klog_time, leading_syslog_time};
use super::super::{json, klog, logrus, zap_console};
use kwhy_model::Format;

/// The class of a line by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A record of this format, maybe in an envelope.
    Record(Format),
    /// An envelope with something else in it.
    Carried,
}

/// The class of a line, if its first bytes show it beyond doubt.
///
/// Known are klog's header, logrus' `time="…" level=`, JSON objects whose first two members make
/// them records, zap's console form with tabs, the CRI's and syslog's envelopes.
///
/// ```
/// use kwhy_model::Format;
/// use kwhy_parse::log::{Kind, kind};
/// let line = "E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\" err=\"timeout\"";
/// assert_eq!(kind(line.as_bytes()), Some(Kind::Record(Format::Klog)));
/// assert_eq!(kind(b"Name: web-0"), None);
/// ```
pub fn kind(line: &[u8]) -> Option<Kind> {
    let payload = match line.first()? {
        b'0'..=b'9' => {
            let (time, length) = leading_date_time(line)?;
            let rest = line.get(length..)?;
            match cri(rest).filter(|_| line.get(10) == Some(&b'T') && time.zone_stated) {
                Some(payload) => payload,
                None => return is_zap_level(rest).then_some(Kind::Record(Format::ZapConsole)),
            }
        }
        b'A'..=b'S' => match syslog(line) {
            Some(payload) => payload,
            None => return record(line).map(Kind::Record),
        },
        _ => return record(line).map(Kind::Record),
    };
    // one envelope is looked into: a deeper one may be one too many
    let inner = record(payload).or_else(|| is_zap_console(payload).then_some(Format::ZapConsole));
    Some(inner.map_or(Kind::Carried, Kind::Record))
}

/// The form of the record that starts with a text outside of any envelope, where that is beyond doubt.
pub(super) fn form(text: &[u8]) -> Option<&'static FormatSpec> {
    match text.first()? {
        b'I' | b'W' | b'E' | b'F' if is_klog(text) => Some(&klog::FORMAT),
        b't' if is_logrus(text) => Some(&logrus::FORMAT),
        b'{' if is_json(text) => Some(&json::FORMAT),
        b'0'..=b'9' if is_zap_console(text) => Some(&zap_console::FORMAT),
        _ => None,
    }
}

fn record(text: &[u8]) -> Option<Format> {
    match text.first()? {
        b'I' | b'W' | b'E' | b'F' if is_klog(text) => Some(Format::Klog),
        b't' if is_logrus(text) => Some(Format::Logrus),
        b'{' if is_json(text) => Some(Format::JsonLog),
        _ => None,
    }
}

fn run(text: &[u8], accepted: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|byte| accepted(**byte)).count()
}

/// `0304 05:06:07.123456       1 file.go:12]` after the severity.
fn is_klog(text: &[u8]) -> bool {
    klog_caller(text).is_some_and(|caller| {
        let accepted = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        let file = run(&caller[..caller.len().min(100)], accepted);
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
    let (_, length) = leading_klog_time(header)?;
    let rest = header.get(length..)?;
    let blanks = run(rest, |byte| byte == b' ');
    let thread = rest.get(blanks..)?;
    let digits = run(thread, |byte| byte.is_ascii_digit());
    let caller = thread.get(digits..)?.strip_prefix(b" ")?;
    (blanks > 0 && digits > 0).then_some(caller)
}

fn is_logrus(text: &[u8]) -> bool {
    let Some(time) = text.strip_prefix(b"time=\"") else {
        return false;
    };
    let window = &time[..time.len().min(50)];
    window.get(4) == Some(&b'-')
        && memchr(b'"', window).is_some_and(|quote| time[quote + 1..].starts_with(b" level="))
}

/// The number of bytes in which the ends of the first members are looked for.
const NEAR: usize = 64;

/// The key and the value of a member at the start of a text, and what is after it; `None` where
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

/// An object that starts with a level and a time, in any order, or with one of them after which
/// the other occurs third.
fn is_json(text: &[u8]) -> bool {
    let Some(first) = text.strip_prefix(b"{") else {
        return false;
    };
    let mut rest = first;
    let (mut time, mut level) = (false, false);
    for index in 0..3 {
        let Some((key, behind)) = member(rest) else {
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
        let Some(behind) = behind.strip_prefix(b",") else {
            return false;
        };
        rest = behind;
    }
    false
}

/// A time, a tab, a level and a tab.
fn is_zap_console(text: &[u8]) -> bool {
    leading_date_time(text)
        .and_then(|(_, length)| text.get(length..))
        .is_some_and(is_zap_level)
}

/// A level between tabs.
fn is_zap_level(rest: &[u8]) -> bool {
    let Some(level) = rest.strip_prefix(b"\t") else {
        return false;
    };
    let words: [&[u8]; 8] = [
        b"INFO\t", b"info\t", b"DEBUG\t", b"debug\t", b"WARN\t", b"warn\t", b"ERROR\t", b"error\t",
    ];
    words.iter().any(|word| level.starts_with(word))
}

/// The payload after ` stderr F `.
fn cri(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b" std")?;
    let rest = rest
        .strip_prefix(b"out ")
        .or_else(|| rest.strip_prefix(b"err "))?;
    rest.strip_prefix(b"F ")
        .or_else(|| rest.strip_prefix(b"P "))
}

/// The payload after `Mar 04 05:06:07 host program[pid]: `.
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
