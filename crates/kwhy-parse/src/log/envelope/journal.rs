//! journald's single-line formats (systemd 252, `src/shared/logs-show.c`) and the files written by
//! rsyslog:
//!
//! - short, short-precise, rsyslog's traditional files: `Mar 04 05:06:07 node program[pid]: text`;
//!   in East Asian locales `3月 04 05:06:07 node program[pid]: text`
//! - short-iso, short-iso-precise, rsyslog's default files:
//!   `2024-03-04T05:06:07+0000 node program[pid]: text`
//! - short-full, with-unit: `Mon 2024-03-04 05:06:07 UTC node program[pid]: text`
//! - short-unix: `1709528767.123456 node program[pid]: text`
//! - short-monotonic: `[ 12345.678901] node program[pid]: text`
//!
//! If the time is a number or could precede any text, only the kernel may lack a pid.

use memchr::memchr;

use super::super::timestamp::{epoch, leading_date_time, leading_syslog_time};
use super::{Inner, Layer, Names, run};
use kwhy_model::Stamp;

/// Parses lines that start with a month or a day of the week.
pub(super) fn named(text: &str) -> Option<Layer> {
    if let Some((time, length)) = leading_syslog_time(text) {
        // slog-term puts its level where the host would be
        if crate::log::level::starts_with_upper(text.get(length + 1..).unwrap_or("")) {
            return None;
        }
        return program(text, length, Pid::Optional).map(|found| found.at(Some(time)));
    }
    let (time, length) = full(text)?;
    program(text, length, Pid::Optional).map(|found| found.at(Some(time)))
}

/// Parses lines that start with a numbered month, as in East Asian locales.
pub(super) fn with_numbered_month(text: &str) -> Option<Layer> {
    // the month sign follows one or two digits
    let sign = text.as_bytes().get(1..3)?;
    if sign.is_ascii() {
        return None;
    }
    let (time, length) = leading_syslog_time(text)?;
    program(text, length, Pid::Optional).map(|found| found.at(Some(time)))
}

/// Parses `Mon 2024-03-04 05:06:07 UTC`.
fn full(text: &str) -> Option<(Stamp, usize)> {
    let (day, rest) = (text.get(..3)?, text.get(3..)?.strip_prefix(' ')?);
    if !["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&day) {
        return None;
    }
    let (time, length) = leading_date_time(rest)?;
    let zone = rest.get(length..)?.strip_prefix(' ')?;
    let letters = run(zone.as_bytes(), |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-')
    });
    let is_utc = matches!(zone.get(..letters)?, "UTC" | "GMT");
    let known = is_utc || time.zone_stated;
    (letters > 0).then_some((
        Stamp {
            zone_stated: known,
            ..time
        },
        4 + length + 1 + letters,
    ))
}

/// Parses lines that start with a date or an epoch.
pub(super) fn numbered(text: &str) -> Option<Layer> {
    if text.as_bytes().get(10) == Some(&b'T') {
        let (time, length) = leading_date_time(text).filter(|(time, _)| time.zone_stated)?;
        return program(text, length, Pid::Required).map(|found| found.at(Some(time)));
    }
    let digits = run(text.as_bytes().get(..text.len().min(18))?, |byte| {
        byte.is_ascii_digit() || byte == b'.'
    });
    // ten digits of seconds and six after the point
    if digits != 17 || text.as_bytes().get(10) != Some(&b'.') {
        return None;
    }
    let time = epoch(text.get(..digits)?)?;
    program(text, digits, Pid::Required).map(|found| found.at(Some(time)))
}

/// Parses `[ 12345.678901] node program[pid]: text`, in seconds since boot.
pub(super) fn monotonic(text: &str) -> Option<Layer> {
    let window = text.get(1..text.len().min(24)).unwrap_or("");
    let close = memchr(b']', window.as_bytes())?;
    let number = window.get(..close)?.trim_start_matches(' ');
    let (seconds, fraction) = number.split_once('.')?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(seconds) || !digits(fraction) || fraction.len() != 6 {
        return None;
    }
    program(text, close + 2, Pid::Required).map(|found| found.at(None))
}

/// The requirement of a pid for programs other than the kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pid {
    Required,
    Optional,
}

/// The parts after the time.
pub(super) struct Program {
    names: Names,
    start: usize,
}

impl Program {
    pub(super) fn at(self, time: Option<Stamp>) -> Layer {
        Layer::new(time, self.names, Inner::From(self.start))
    }
}

/// Parses ` node program[pid]: ` after a time.
pub(super) fn program(text: &str, at: usize, pid: Pid) -> Option<Program> {
    let rest = text.get(at..)?.strip_prefix(' ')?;
    let window = rest.as_bytes().get(..rest.len().min(256))?;
    let host_length = memchr(b' ', window).filter(|length| *length > 0)?;
    let host = rest.get(..host_length)?;
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if !host.bytes().all(is_host) || host.ends_with(':') {
        return None;
    }
    let tag = tag(text, at + 1 + host_length + 1)?;
    let name = text.get(tag.names.program.clone()?)?;
    if pid == Pid::Required && tag.names.pid.is_none() && name != "kernel" {
        return None;
    }
    Some(Program {
        names: Names {
            node: Some(at + 1..at + 1 + host_length),
            ..tag.names
        },
        start: tag.start,
    })
}

/// Parses `program[pid]: ` at an offset.
pub(super) fn tag(text: &str, at: usize) -> Option<Program> {
    let rest = text.get(at..)?;
    let window = rest.as_bytes().get(..rest.len().min(256))?;
    let length = memchr(b' ', window).unwrap_or(rest.len());
    let word = rest.get(..length)?.strip_suffix(':')?;
    let (name, pid) = match word.strip_suffix(']') {
        Some(open) => {
            let (name, pid) = open.rsplit_once('[')?;
            if pid.is_empty() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            (
                name,
                Some(at + name.len() + 1..at + name.len() + 1 + pid.len()),
            )
        }
        None => (word, None),
    };
    let accepted = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@:()\\".contains(&byte);
    if name.is_empty() || !name.bytes().all(accepted) {
        return None;
    }
    Some(Program {
        names: Names {
            program: Some(at..at + name.len()),
            pid,
            ..Names::default()
        },
        start: (at + length + 1).min(text.len()),
    })
}
