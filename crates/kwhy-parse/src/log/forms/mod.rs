//! The forms of records: what tells each of them, how it is read, how it goes on over lines.
//!
//! A form that is added is a file with its [`Form`] and one line in [`FORMS`].

use super::head::Shown;
use super::payload::Payload;
use crate::input::Line;
use kwhy_model::{Event, Format};

mod audit;
mod capnslog;
mod cursor;
mod envoy;
mod first;
mod funcr;
mod go_log;
mod hclog;
mod java;
mod java_util_logging;
mod jvm;
mod kernel;
mod leveled;
mod nginx_access;
mod nginx_error;
mod panic;
mod pino_pretty;
mod postgresql;
mod python;
mod strict;
mod zerolog_console;

pub(super) use kernel::add_oom_kill;
pub(super) use panic::is_panic;

/// One form of records.
pub(super) struct Form {
    /// What its records are called.
    pub format: Format,
    /// The bytes that its records may begin with; none are all.
    pub first: &'static [u8],
    /// Whether a record of this form begins with a text. It is asked of each line of a log that
    /// begins with one of the bytes: it looks at a literal or a time before all else.
    pub begins: fn(&str) -> bool,
    /// Reads a whole record without its stack trace.
    pub read: for<'a> fn(&Payload<'a>) -> Option<Event<'a>>,
    /// Reads the time and the severity of a record of one line alone.
    pub show: fn(&Form, &str) -> Shown,
    /// How its records go on over lines.
    pub follow: Follow,
}

/// How the records of a form go on over lines, besides stack traces.
pub(super) struct Follow {
    /// Whether lines that begin nothing may be a part of the message of a record with this first
    /// line.
    pub raw: fn(&str) -> bool,
    /// Whether a line that begins no record belongs to the record before it beyond doubt.
    pub surely: fn(&str) -> bool,
    /// Whether indented lines are a part of it whatever they hold, other records and frames too.
    pub indented: bool,
}

impl Follow {
    /// Records of one line.
    pub(super) const ONE_LINE: Follow = Follow {
        raw: |_| false,
        surely: |_| false,
        indented: false,
    };
    /// Messages with raw line ends; indented lines are a part of them beyond doubt.
    pub(super) const RAW: Follow = Follow {
        raw: |_| true,
        surely: |line| line.starts_with([' ', '\t']) && !line.trim().is_empty(),
        indented: false,
    };
}

/// All forms. Where two could begin with a text, the one that stands first is it.
const FORMS: &[Form] = &[
    audit::FORM,
    super::json::FORM,
    // they begin with a date, as zap's form does, which takes any text behind a level
    capnslog::FORM,
    postgresql::FORM,
    hclog::FORM,
    zerolog_console::FORM,
    java::SPRING_BOOT,
    java::LOGBACK,
    nginx_error::FORM,
    go_log::FORM,
    super::zap_console::FORM,
    nginx_access::FORM,
    jvm::FORM,
    pino_pretty::FORM,
    envoy::APPLICATION,
    envoy::ACCESS,
    kernel::FORM,
    python::FORM,
    super::klog::FORM,
    super::logrus::FORM,
    java_util_logging::FORM,
    leveled::COREDNS,
    leveled::FORM,
    funcr::FORM,
    panic::FORM,
];

/// Which forms may begin with a byte.
static BY_BYTE: [u64; 256] = first::by_byte(FORMS);

/// Whether records of a format begin at a line's first byte only: what is indented may be a wrapped
/// text.
pub(super) fn is_unindented(format: Format) -> bool {
    format == Format::Leveled
}

/// Whether a level stands before a text (`info: text`).
pub(super) fn is_leveled(text: &str) -> bool {
    (leveled::FORM.begins)(text)
}

/// Whether a line is the second one of a record that begins on the line before it.
pub fn is_second_line(before: &str, line: &str) -> bool {
    may_be_second_line(line) && java_util_logging::is_head(before)
}

/// Whether a line may be the second one of a record.
pub(super) fn may_be_second_line(line: &str) -> bool {
    java_util_logging::message_start(line).is_some()
}

/// The form of the record that begins with a text.
pub(super) fn find(text: &str) -> Option<&'static Form> {
    candidates(text).find(|form| (form.begins)(text))
}

/// The forms that may begin with a text by its first byte, in their order.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = &'static Form> {
    let first = text.as_bytes().first();
    let mut left = first.map_or(0, |first| BY_BYTE[usize::from(*first)]);
    std::iter::from_fn(move || {
        let index = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        FORMS.get(usize::try_from(index).ok()?)
    })
}

/// How records of a format go on.
pub(super) fn follow(format: Format) -> &'static Follow {
    FORMS
        .iter()
        .find(|form| form.format == format)
        .map_or(&Follow::ONE_LINE, |form| &form.follow)
}

/// The time and the severity by reading the whole line.
pub(super) fn show(form: &Form, text: &str) -> Shown {
    if !(form.begins)(text) {
        return Shown::NoRecord;
    }
    let payload = Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    });
    match (form.read)(&payload) {
        Some(event) => Shown::Record {
            time: event.time,
            severity: event.severity,
            whole: false,
        },
        None => Shown::Unclear,
    }
}

#[cfg(test)]
mod tests;
