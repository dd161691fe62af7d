//! PostgreSQL's log to standard error (PostgreSQL 10 to 17, `src/backend/utils/error/elog.c`) with
//! the usual prefixes `%m [%p] ` and Debian's `%m [%p] %q%u@%d `:
//! `2024-03-04 05:06:07.123 UTC [42] quay@tides FATAL:  text`.
//!
//! The zone is a name: names other than UTC and GMT are ignored and the time counts as local. The
//! DETAIL, HINT, CONTEXT and STATEMENT of a record are records of their own; further lines of a
//! text start with a tab. The severity word stays in the message, as clients print it too. FATAL
//! ends a session, PANIC the server.

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use kwhy_model::{Event, Field, Format, Severity, Stamp};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Postgresql,
    first: b"0123456789",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow {
        raw: |_| true,
        surely: |line| line.starts_with('\t') && !line.trim().is_empty(),
        chained: |_| false,
        indented: false,
        apart: |_| false,
    },
};

/// The words of `error_severity`, and of the parts of a report.
const WORDS: &[(&str, Severity)] = &[
    ("LOG", Severity::Info),
    ("ERROR", Severity::Error),
    ("FATAL", Severity::Error),
    ("PANIC", Severity::Fatal),
    ("WARNING", Severity::Warning),
    ("NOTICE", Severity::Info),
    ("INFO", Severity::Info),
    ("DEBUG", Severity::Debug),
    ("DETAIL", Severity::Info),
    ("HINT", Severity::Info),
    ("CONTEXT", Severity::Info),
    ("STATEMENT", Severity::Info),
    ("QUERY", Severity::Info),
    ("LOCATION", Severity::Info),
];

/// Returns the severity of a word of `error_severity`.
pub(in crate::log) fn severity(word: &str) -> Option<Severity> {
    let (_, severity) = WORDS.iter().find(|(known, _)| *known == word)?;
    Some(*severity)
}

struct Head {
    time: Stamp,
    severity: Severity,
    process: Range<usize>,
    session: Option<Range<usize>>,
    message: usize,
}

fn head(text: &str) -> Option<Head> {
    let bytes = text.as_bytes();
    if bytes.get(10) != Some(&b' ') || bytes.get(19) != Some(&b'.') {
        return None;
    }
    let mut cursor = Cursor::new(text);
    let mut time = cursor.time()?;
    if !time.zone_stated {
        cursor.eat(" ")?;
        let zone = cursor.run(|byte| byte.is_ascii_alphanumeric() || b"+-/_".contains(&byte))?;
        // these print the time itself
        time.zone_stated = matches!(text.get(zone)?, "UTC" | "GMT" | "Etc/UTC");
    }
    cursor.eat(" [")?;
    let process = cursor.digits()?;
    if cursor.eat("-").is_some() {
        cursor.digits()?;
    }
    cursor.eat("] ")?;
    let mut session = None;
    let mut ahead = cursor.clone();
    if let Some(name) = ahead.run(|byte| byte.is_ascii_graphic())
        && text.get(name.clone())?.contains('@')
        && ahead.eat(" ").is_some()
    {
        session = Some(name);
        cursor = ahead;
    }
    let message = cursor.at();
    let word = cursor.run(|byte| byte.is_ascii_uppercase())?;
    // DEBUG1 to DEBUG5
    let _ = cursor.digits();
    cursor.eat(":")?;
    let severity = severity(text.get(word)?)?;
    (cursor.spaces() > 0).then_some(Head {
        time,
        severity,
        process,
        session,
        message,
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.message..text.len());
    let mut event = Event::new(Format::Postgresql, payload.text().span(), message);
    event.time = Some(head.time);
    event.severity = Some(head.severity);
    let process = payload.part(head.process);
    event.fields.push(Field::text("pid", process));
    if let Some(session) = head.session {
        let session = payload.part(session);
        event.fields.push(Field::text("session", session));
    }
    Some(event)
}
