//! Layouts of well-known writers, each identified by its parts in order.

use super::event;
use super::head::Head;
use super::parts::{Kind, Part, Separator};
use crate::log::formats::{Follow, FormatSpec};
use crate::log::header::Shown;
use kwhy_model::Format;

/// Spring Boot's pattern (versions 2 and 3): a process id and ` --- ` before the thread.
pub(in crate::log) const SPRING_BOOT: FormatSpec = FormatSpec {
    format: Format::SpringBoot,
    first: b"0123456789",
    begins: |text| has(text, b" --- ") && is(text, Format::SpringBoot),
    read: |payload| {
        Some(event(
            payload,
            Format::SpringBoot,
            &Head::of(payload.as_str())?,
        ))
    },
    show: shown,
    follow: Follow::RAW,
};

/// The patterns of logback and log4j2 with the thread in brackets before the level, and that of Elasticsearch and
/// Logstash with all parts in brackets.
pub(in crate::log) const LOGBACK: FormatSpec = FormatSpec {
    format: Format::Logback,
    first: b"0123456789[",
    begins: |text| has(text, b"[") && is(text, Format::Logback),
    read: |payload| {
        Some(event(
            payload,
            Format::Logback,
            &Head::of(payload.as_str())?,
        ))
    },
    show: shown,
    follow: Follow::RAW,
};

/// Python's `basicConfig`, the usual ` - ` between its parts, and gunicorn's.
pub(in crate::log) const PYTHON: FormatSpec = FormatSpec {
    format: Format::PythonLogging,
    first: b"0123456789[DIWECFNTS",
    begins: |text| has_marks_of_python(text) && is(text, Format::PythonLogging),
    read: |payload| {
        Some(event(
            payload,
            Format::PythonLogging,
            &Head::of(payload.as_str())?,
        ))
    },
    show: shown,
    follow: Follow::RAW,
};

/// Returns true if the first bytes contain this mark.
fn has(text: &str, mark: &[u8]) -> bool {
    let window = &text.as_bytes()[..text.len().min(72)];
    memchr::memmem::find(window, mark).is_some()
}

/// Returns true if a text contains the marks common to all of Python's layouts; a cheap test.
fn has_marks_of_python(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    match text.as_bytes().get(letters) {
        Some(b':') if letters > 0 => true,
        Some(b'[') if letters == 0 => has(text, b"] [") || has(text, b"]["),
        _ => has(text, b" - "),
    }
}

fn is(text: &str, wanted: Format) -> bool {
    Head::of(text).is_some_and(|head| format(text, &head) == Some(wanted))
}

fn shown(spec: &FormatSpec, text: &str) -> Shown {
    match Head::of(text).filter(|_| (spec.begins)(text)) {
        Some(head) => super::shown(text, &head),
        None => Shown::NoRecord,
    }
}

/// Returns the well-known format that uses this head's layout.
pub(super) fn format(text: &str, head: &Head) -> Option<Format> {
    let parts = head.parts.as_slice();
    let is_name = |part: &Part| matches!(part.kind, Kind::Logger | Kind::Word | Kind::Thread);
    let marked = |mark| move |part: &Part| part.separator == Separator::Mark(mark);
    let level = head.find(Kind::Level)?;
    // other writers use levels of one letter or in lower case
    let is_usual = text
        .get(level.range.clone())?
        .bytes()
        .all(|byte| byte.is_ascii_uppercase())
        && level.range.len() > 1;
    if !is_usual {
        return None;
    }
    if parts.iter().any(marked(" --- ")) {
        return Some(Format::SpringBoot);
    }
    match parts {
        [level, name]
            if level.kind == Kind::Level
                && level.open == 0
                && is_name(name)
                && [level, name].into_iter().all(marked(":")) =>
        {
            Some(Format::PythonLogging)
        }
        [time, thread, level, name]
            if time.kind == Kind::Time
                && time.open == 0
                && thread.open == b'['
                && level.kind == Kind::Level
                && level.open == 0
                && is_name(name)
                && marked(" - ")(name) =>
        {
            Some(Format::Logback)
        }
        [time, level, name]
            if time.kind == Kind::Time
                && level.kind == Kind::Level
                && is_name(name)
                && parts.iter().all(|part| part.open == b'[')
                && time.separator == Separator::None =>
        {
            Some(Format::Logback)
        }
        [time, number, level]
            if time.kind == Kind::Time
                && number.kind == Kind::Number
                && level.kind == Kind::Level
                && parts.iter().all(|part| part.open == b'[') =>
        {
            Some(Format::PythonLogging)
        }
        [time, .., level]
            if time.kind == Kind::Time
                && level.kind == Kind::Level
                && parts.len() < 4
                && parts.iter().all(|part| part.open == 0)
                && marked(" - ")(time) =>
        {
            let is_python = parts[1..parts.len() - 1]
                .iter()
                .all(|part| is_name(part) && marked(" - ")(part));
            is_python.then_some(Format::PythonLogging)
        }
        _ => None,
    }
}
