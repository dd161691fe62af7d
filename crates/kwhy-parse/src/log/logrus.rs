//! logrus text (sirupsen/logrus TextFormatter) with and without a terminal, and the logfmt lines of
//! log/slog and go-kit, which differ only in key names.
//!
//! Accepted: pairs with two of a time, a level and a message; a time and a caller; lines of two or more pairs, one of
//! them a message; the terminal format `ERRO[0012] text   key=value`, without the time if a caller follows the level. On a terminal the
//! time may be seconds since start, which does not set the record's time. Rejected: any other `key=value` line.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::formats::{Follow, FormatSpec, pair_count};
use super::header::Shown;
use super::level;
use super::logfmt::{Pairs, is_plain_key};
use super::payload::Payload;
use super::timestamp::{self, leading_date_time};
use super::zap_console::is_caller;
use crate::input::Line;
use kwhy_model::{Event, Field, Format, Severity, Stamp};

/// The logfmt format and the terminal format.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Logrus,
    first: b"abcdefghijklmnopqrstuvwxyz@TDIWEFP",
    begins: detect,
    read,
    show: |_, text| match usual_time_and_severity(text) {
        Some((time, severity)) => Shown::Record {
            time,
            severity,
            whole: true,
        },
        None => time_and_severity(text),
    },
    follow: Follow {
        raw: |first| !first.contains("=\""),
        surely: |_| false,
        // on a terminal, messages are printed as they are
        chained: |first| first.starts_with(|first: char| first.is_ascii_uppercase()),
        indented: false,
        apart: super::klog::is_output_of_command,
    },
};

/// Returns true if a record of either format starts on this line.
pub(super) fn detect(text: &str) -> bool {
    is_logfmt(text) || terminal_head(text).is_some()
}

fn is_logfmt(text: &str) -> bool {
    const FIRST: [&str; 6] = ["time=", "level=", "ts=", "t=", "logger=", "msg="];
    let window = &text.as_bytes()[..text.len().min(MAX_WINDOW)];
    if !FIRST.iter().any(|key| text.starts_with(key)) {
        return is_unusual_logfmt(text, window);
    }
    let is_usual = memchr_iter(b'=', window).any(|at| {
        let before = &window[..at];
        before.ends_with(b" level") || before.ends_with(b" msg") || before.ends_with(b" lvl")
    });
    is_usual || is_unusual_logfmt(text, window)
}

/// The number of bytes searched for keys.
const MAX_WINDOW: usize = 300;

/// Returns true for pairs with at least two of a time, a level and a message, under any name and in any order, for a time
/// and a caller, or for several pairs with a message and nothing else.
fn is_unusual_logfmt(text: &str, window: &[u8]) -> bool {
    let Some(first) = memchr(b'=', &window[..window.len().min(40)]) else {
        return false;
    };
    if !text.get(..first).is_some_and(is_plain_key) {
        return false;
    }
    let (mut time, mut level, mut message, mut caller) = (false, false, false, false);
    for at in memchr_iter(b'=', window) {
        let before = &window[..at];
        let start = memchr::memrchr(b' ', before).map_or(0, |space| space + 1);
        let key = std::str::from_utf8(&before[start..]).unwrap_or("");
        match role(key) {
            Some(Role::Time) => time = true,
            Some(Role::Level) => level = true,
            Some(Role::Message) => message = true,
            None if key == "caller" => {
                let value = text.get(at + 1..).and_then(|value| value.split(' ').next());
                caller = value.is_some_and(is_caller);
            }
            None => {}
        }
    }
    usize::from(time) + usize::from(level) + usize::from(message) > 1
        || time && caller
        || message
            && !is_of_auditd(text)
            && pair_count(first_line(text)).is_some_and(|pairs| pairs > 1)
}

/// Returns true for a record of auditd, whose `msg` is only an identifier.
fn is_of_auditd(text: &str) -> bool {
    text.starts_with("type=") && first_line(text).contains(" msg=audit(")
}

/// Returns the severity of a record without a level that has a value under this key.
fn severity_of_key(key: &str) -> Option<Severity> {
    match key {
        "err" | "error" => Some(Severity::Error),
        "warning" | "warn" => Some(Severity::Warning),
        "info" => Some(Severity::Info),
        _ => None,
    }
}

/// Returns true if a line consists of pairs, one of which is a message.
pub(super) fn is_said(text: &str) -> bool {
    let is_message = |field: Field<'_>| {
        role(&field.key) == Some(Role::Message) && !field.value.as_str().is_empty()
    };
    !is_of_auditd(text)
        && pair_count(first_line(text)).is_some()
        && Pairs::new(&line(text), 0).any(is_message)
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or(text)
}

/// Returns a payload that consists of this text.
fn line(text: &str) -> Payload<'_> {
    Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    })
}

/// The role of a pair in a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Time,
    Level,
    Message,
}

/// Returns the role of a key, if it has one.
fn role(key: &str) -> Option<Role> {
    Some(match key.trim_start_matches('@') {
        "time" | "ts" | "t" | "timestamp" | "datetime" => Role::Time,
        "level" | "lvl" | "severity" | "log.level" | "loglevel" => Role::Level,
        "msg" | "message" | "event" | "log_message" => Role::Message,
        _ => return None,
    })
}

fn level_length(text: &str) -> usize {
    text.bytes()
        .take(8)
        .take_while(u8::is_ascii_uppercase)
        .count()
}

/// The head of the terminal format.
struct Terminal {
    level: Range<usize>,
    /// The contents of the brackets after the level; empty without a time.
    inside: Range<usize>,
    /// The offset of the caller or the message.
    rest: usize,
}

/// Parses `INFO[0000]`, `ERRO[2024-03-04T05:06:07Z]`, and a level right before a caller: `INFO/src/quay.go:7`.
fn terminal_head(text: &str) -> Option<Terminal> {
    const LEVELS: [&str; 12] = [
        "TRAC", "DEBU", "INFO", "WARN", "ERRO", "FATA", "PANI", "TRACE", "DEBUG", "WARNING",
        "ERROR", "FATAL",
    ];
    let length = level_length(text);
    if !LEVELS.contains(&text.get(..length)?) {
        return None;
    }
    let rest = text.get(length..)?;
    let Some(inside) = rest.trim_start().strip_prefix('[') else {
        let place = rest.split([' ', '\n']).next()?;
        let is_place = is_caller(place) && place.contains(".go:") && !place.starts_with(':');
        return is_place.then_some(Terminal {
            level: 0..length,
            inside: length..length,
            rest: length,
        });
    };
    let digits = inside
        .bytes()
        .take(10)
        .take_while(u8::is_ascii_digit)
        .count();
    let is_time = digits >= 4
        && inside
            .as_bytes()
            .get(digits)
            .is_some_and(|byte| matches!(byte, b']' | b'-'));
    let open = text.len() - inside.len();
    let close = open + inside.find(']')?;
    is_time.then_some(Terminal {
        level: 0..length,
        inside: open..close,
        rest: close + 1,
    })
}

/// Returns the time and the level of a line that starts with both, in this order: other pairs are
/// then irrelevant.
fn leading_time_and_level(text: &str) -> Option<(Stamp, &str)> {
    let keys = ["time=", "ts=", "t="];
    let value = keys.iter().find_map(|key| text.strip_prefix(key))?;
    let (value, quoted) = match value.strip_prefix('"') {
        Some(inside) => (inside, true),
        None => (value, false),
    };
    let (time, length) = leading_date_time(value)?;
    let after = value.get(length..)?;
    let after = if quoted {
        after.strip_prefix('"')?
    } else {
        after
    };
    let level = after.strip_prefix(" level=")?;
    let length = level
        .bytes()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let ends = matches!(level.as_bytes().get(length), None | Some(b' '));
    Some((time, level.get(..length)?)).filter(|_| ends && length > 0)
}

/// Extracts only the time and the severity of the usual line. No other format starts like this.
fn usual_time_and_severity(text: &str) -> Option<(Option<Stamp>, Option<Severity>)> {
    let (time, level) = leading_time_and_level(text)?;
    Some((Some(time), level::severity(level)))
}

/// Extracts the time and the severity of any other line.
fn time_and_severity(text: &str) -> Shown {
    if is_logfmt(text) {
        return logfmt_time_and_severity(text);
    }
    let Some(head) = terminal_head(text) else {
        return Shown::NoRecord;
    };
    let inside = text.get(head.inside).unwrap_or("");
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    let (time, length) = match leading_date_time(inside) {
        Some((time, length)) => (Some(time), length),
        None => (None, digits),
    };
    if length != inside.len() {
        return Shown::Unclear;
    }
    Shown::Record {
        time,
        severity: level::severity(&text[head.level]),
        whole: true,
    }
}

/// Extracts the time and the severity as [`logfmt`] parses them, stopping once both are known.
fn logfmt_time_and_severity(text: &str) -> Shown {
    let (mut time, mut level) = (None, None);
    let (mut by_key, mut message_seen) = (None, false);
    for field in Pairs::new(&line(text), 0) {
        match field.key.as_ref() {
            key if time.is_none() && role(key) == Some(Role::Time) => {
                time = timestamp::parse(field.value.as_str());
            }
            key if level.is_none() && role(key) == Some(Role::Level) => level = Some(field.value),
            key if role(key) == Some(Role::Message) => message_seen = true,
            key => by_key = by_key.or(severity_of_key(key)),
        }
        if time.is_some() && level.is_some() {
            break;
        }
    }
    Shown::Record {
        time,
        severity: match level {
            Some(level) => level::severity(level.as_str()),
            None => by_key.filter(|_| !message_seen),
        },
        whole: false,
    }
}

/// Parses a record.
fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    if is_logfmt(text) {
        Some(logfmt(payload))
    } else if let Some(head) = terminal_head(text) {
        Some(terminal(payload, head))
    } else {
        is_said(text).then(|| logfmt(payload))
    }
}

fn logfmt<'a>(payload: &Payload<'a>) -> Event<'a> {
    let empty = payload.part(0..0);
    let mut event = Event::new(Format::Logrus, payload.text().span(), empty);
    let (mut level_seen, mut message_seen) = (false, false);
    let mut pairs = Pairs::new(payload, 0);
    for field in pairs.by_ref() {
        match field.key.as_ref() {
            key if event.time.is_none() && role(key) == Some(Role::Time) => {
                match timestamp::parse(field.value.as_str()) {
                    Some(time) => event.time = Some(time),
                    None => event.fields.push(field),
                }
            }
            key if !level_seen && role(key) == Some(Role::Level) => {
                level_seen = true;
                level::set(&mut event, field.value);
            }
            key if !message_seen && role(key) == Some(Role::Message) => {
                message_seen = true;
                event.message = field.value;
            }
            "file" | "caller" | "source" | "location"
                if event.caller.is_none() && is_caller(field.value.as_str()) =>
            {
                event.caller = Some(field.value);
            }
            _ => event.fields.push(field),
        }
    }
    event.cut = pairs.is_cut();
    // go-kit's records may have only an error: `ts=... caller=... err="text"`
    let mut keys = event.fields.iter();
    if !message_seen
        && let Some((severity, value)) =
            keys.find_map(|field| Some((severity_of_key(&field.key)?, field.value.clone())))
    {
        event.message = value;
        if !level_seen {
            event.severity = Some(severity);
        }
    }
    event.component = event
        .field("component")
        .or_else(|| event.field("logger"))
        .or_else(|| {
            event
                .field("target")
                .filter(|_| event.field("module_path").is_none())
        })
        .cloned();
    event
}

fn terminal<'a>(payload: &Payload<'a>, head: Terminal) -> Event<'a> {
    let text = payload.as_str();
    let mut start = head.rest;
    let mut caller = None;
    if !text[start..].starts_with(' ') {
        // the caller directly follows the bracket: `file:12 func()`
        let length = text[start..].find(' ').unwrap_or(text.len() - start);
        if is_caller(&text[start..start + length]) {
            caller = Some(start..start + length);
            start += length;
            let function = text[start..].trim_start();
            let length = function.find(' ').unwrap_or(function.len());
            if function[..length].ends_with("()") {
                start = text.len() - function.len() + length;
            }
        }
    }
    start += usize::from(text[start..].starts_with(' '));
    let fields = terminal_fields(text, start);
    let message = text[start..fields.unwrap_or(text.len())].trim_end();
    let mut event = Event::new(
        Format::Logrus,
        payload.text().span(),
        payload.part(start..start + message.len()),
    );
    event.time = leading_date_time(&text[head.inside]).map(|(time, _)| time);
    event.caller = caller.map(|range| payload.part(range));
    if let Some(at) = fields {
        let mut pairs = Pairs::new(payload, at);
        event.fields.extend(pairs.by_ref());
        event.cut = pairs.is_cut();
    }
    event.component = event.field("component").cloned();
    level::set(&mut event, payload.part(head.level));
    event
}

/// Returns the offset of the fields: the message is padded to 44 columns, and two spaces follow a
/// longer one. If nothing else matches, one space is tried, for text whose spaces were collapsed.
fn terminal_fields(text: &str, start: usize) -> Option<usize> {
    const PADDED: usize = 44;
    let body = &text[start..];
    let columns: usize = body
        .char_indices()
        .nth(PADDED)
        .map_or(body.len(), |(at, _)| at);
    let is_key = |at: usize| {
        let window = body.as_bytes().get(at..body.len().min(at + 200));
        window
            .and_then(|window| memchr(b'=', window))
            .and_then(|length| body.get(at..at + length))
            .is_some_and(is_plain_key)
    };
    let mut run = 0;
    for (at, byte) in body.bytes().enumerate() {
        if byte == b' ' {
            run += 1;
            continue;
        }
        // a message that contained colours is shorter than its padding suggests
        if run >= 2 && (at >= columns || run >= 8) && is_key(at) {
            return Some(start + at);
        }
        run = 0;
    }
    let single = body.len() < PADDED || !body.contains("  ");
    let mut candidates = body.match_indices(' ').map(|(at, _)| at + 1);
    candidates
        .find(|at| {
            single
                && is_key(*at)
                && body[*at..]
                    .split(' ')
                    .take(64)
                    .all(|word| word.contains('='))
        })
        .map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event<'_> {
        read(&Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }))
        .unwrap()
    }

    #[test]
    fn records_without_a_level_and_a_message() {
        let event = event(
            r#"ts=2024-03-04T05:06:07Z caller=quay.go:7 component=crane warning="berth is full" berth=7"#,
        );
        assert_eq!(event.severity, Some(Severity::Warning));
        assert_eq!(event.message.as_str(), "berth is full");
        assert_eq!(event.component.unwrap().as_str(), "crane");
        assert!(detect("caller=quay.go:7 ts=2024-03-04T05:06:07Z err=full"));
        assert!(!detect("ts=2024-03-04T05:06:07Z caller=me err=full"));
    }

    #[test]
    fn text_format() {
        let event = event(
            r#"time="2024-03-04T05:06:07.100200300+08:00" level=error msg="sync of \"dock/a\" failed" error="exit status 1" file="sync.go:12" func="sync.(*Loop).Run()" component=syncer"#,
        );
        assert_eq!(event.severity, Some(Severity::Error));
        assert_eq!(event.message.as_str(), "sync of \"dock/a\" failed");
        assert_eq!(event.caller.as_ref().unwrap().as_str(), "sync.go:12");
        assert_eq!(event.component.as_ref().unwrap().as_str(), "syncer");
        assert_eq!(
            event.time.unwrap().to_string(),
            "2024-03-03T21:06:07.100200300Z"
        );
    }

    #[test]
    fn terminal_format() {
        let event = event(
            "ERRO[0012]worker.go:88 main.work() job a=b failed                               error=\"exit status 1\" id=17",
        );
        assert_eq!(event.message.as_str(), "job a=b failed");
        assert_eq!(event.caller.as_ref().unwrap().as_str(), "worker.go:88");
        assert_eq!(event.field("error").unwrap().as_str(), "exit status 1");
        assert_eq!(event.time, None);
    }

    #[test]
    fn a_terminal_without_times() {
        let event =
            event("ERRO/srv/quay/lift.go:88 main.(*Arm).lift() no berth                     id=17");
        assert_eq!(event.message.as_str(), "no berth");
        assert_eq!(
            event.caller.as_ref().unwrap().as_str(),
            "/srv/quay/lift.go:88"
        );
        assert_eq!(event.severity, Some(Severity::Error));
        assert_eq!(event.field("id").unwrap().as_str(), "17");
    }

    #[test]
    fn pairs_and_nothing_else() {
        let event = event(r#"event='lift "a" failed' logger=quay.arm path=/srv/x user='old joe'"#);
        assert_eq!(event.message.as_str(), "lift \"a\" failed");
        assert_eq!(event.component.as_ref().unwrap().as_str(), "quay.arm");
        assert_eq!(event.field("user").unwrap().as_str(), "old joe");
        assert_eq!(event.severity, None);
        for (line, is) in [
            ("msg=\"no berth\" id=7", true),
            ("msg=\"no berth\" id=7 and more", false),
            ("msg=\"no berth\"", false),
            ("berth=7 id=9", false),
        ] {
            assert_eq!(detect(line), is, "{line}");
        }
        assert!(is_said("msg=\"no berth\"") && !is_said("berth=7 id=9"));
        assert!(!is_said(
            "type=SECCOMP msg=audit(1709528767.123:81): pid=991 comm=\"crane\""
        ));
    }

    #[test]
    fn other_lines() {
        for line in [
            "time flies",
            "level=3",
            "INFO[x] y",
            "export time=1",
            "INFO: x",
            "time=5s",
        ] {
            assert!(!detect(line), "{line}");
        }
    }
}
