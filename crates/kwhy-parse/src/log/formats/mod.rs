//! Record formats: how each is detected and parsed, and how its records continue over lines.
//!
//! To add a format, add a file with its [`FormatSpec`] and a line in [`FORMATS`].

use super::header::Shown;
use super::payload::Payload;
use crate::input::Line;
use kwhy_model::{Event, Format};

mod audit;
mod bitnami;
mod capnslog;
mod ceph;
mod cursor;
mod dispatch;
mod envoy;
mod funcr;
mod go_log;
mod hclog;
mod java_util_logging;
mod jvm;
mod kernel;
mod level_prefix;
mod monolog;
mod nginx_access;
mod nginx_error;
mod panic;
mod pino_pretty;
mod postgresql;
mod redis;
mod ruby_logger;
mod trailing_pairs;
mod zerolog_console;

pub(crate) use audit::is_audit;
pub(super) use kernel::add_oom_kill;
pub(super) use panic::is_panic;
pub(super) use postgresql::severity as postgresql_severity;
pub(super) use trailing_pairs::{Bare, count as pair_count, start as pairs_start};

/// One record format.
pub(super) struct FormatSpec {
    /// The name of the format.
    pub format: Format,
    /// The bytes a record may start with; empty for any byte.
    pub first: &'static [u8],
    /// Returns true if a record of this format starts at the text. Called for every line of a log
    /// that starts with one of `first`, so it checks a literal or a time before anything else.
    pub begins: fn(&str) -> bool,
    /// Parses a whole record without its stack trace.
    pub read: for<'a> fn(&Payload<'a>) -> Option<Event<'a>>,
    /// Extracts only the time and the severity of a single-line record.
    pub show: fn(&FormatSpec, &str) -> Shown,
    /// The rules for continuation lines.
    pub follow: Follow,
}

/// The rules by which a record continues over lines, apart from stack traces.
pub(crate) struct Follow {
    /// Returns true if unrecognised lines may continue the message of a record with this first
    /// line.
    pub raw: fn(&str) -> bool,
    /// Returns true if an unrecognised line certainly belongs to the preceding record.
    pub surely: fn(&str) -> bool,
    /// Returns true if the message of a record with this first line, if it may continue, certainly does on lines that are
    /// indented or follow one ending in a colon.
    pub chained: fn(&str) -> bool,
    /// True if indented lines belong to the record whatever they contain, even other records or
    /// frames.
    pub indented: bool,
    /// Returns true if an unrecognised line never continues a record, whatever the other rules say: output that the
    /// program prints beside its log.
    pub apart: fn(&str) -> bool,
}

impl Follow {
    /// Records of a single line.
    pub(super) const ONE_LINE: Follow = Follow {
        raw: |_| false,
        surely: |_| false,
        chained: |_| false,
        indented: false,
        apart: |_| false,
    };
    /// Messages with raw line breaks; indented lines certainly belong to them.
    pub(super) const RAW: Follow = Follow {
        raw: |_| true,
        surely: |line| line.starts_with([' ', '\t']) && !line.trim().is_empty(),
        chained: |_| false,
        indented: false,
        apart: |_| false,
    };
}

/// All formats. If several could match a text, the first one wins.
const FORMATS: &[FormatSpec] = &[
    audit::FORMAT,
    super::json::FORMAT,
    // these start with a date, like zap's format, which accepts any text after a level
    capnslog::FORMAT,
    postgresql::FORMAT,
    ceph::FORMAT,
    hclog::FORMAT,
    zerolog_console::FORMAT,
    super::layout::SPRING_BOOT,
    super::layout::LOGBACK,
    nginx_error::FORMAT,
    go_log::FORMAT,
    super::zap_console::FORMAT,
    nginx_access::FORMAT,
    jvm::FORMAT,
    pino_pretty::FORMAT,
    envoy::APPLICATION,
    envoy::ACCESS,
    kernel::FORMAT,
    super::klog::FORMAT,
    super::logrus::FORMAT,
    java_util_logging::FORMAT,
    super::layout::PYTHON,
    level_prefix::COREDNS,
    redis::FORMAT,
    ruby_logger::FORMAT,
    monolog::FORMAT,
    bitnami::FORMAT,
    super::layout::FORMAT,
    level_prefix::FORMAT,
    funcr::FORMAT,
    panic::FORMAT,
];

/// The formats that can start with each byte.
static BY_BYTE: [u64; 256] = dispatch::by_byte(FORMATS);

/// Returns true for formats whose records never start on an indented line, as indented text may be
/// wrapped.
pub(super) fn is_unindented(format: Format) -> bool {
    format == Format::Leveled
}

/// Returns true if the text starts with a level (`info: text`).
pub(super) fn has_level_prefix(text: &str) -> bool {
    (level_prefix::FORMAT.begins)(text)
}

/// Returns true if the line is the second one of a record that starts on the line before it.
pub fn is_second_line(before: &str, line: &str) -> bool {
    may_be_second_line(line) && java_util_logging::is_head(before)
}

/// Returns true if the line may be the second one of a record.
pub(super) fn may_be_second_line(line: &str) -> bool {
    java_util_logging::message_start(line).is_some()
}

/// Returns the format of the record that starts at a text.
pub(super) fn find(text: &str) -> Option<&'static FormatSpec> {
    candidates(text).find(|spec| (spec.begins)(text))
}

/// Returns the formats that can start with the text's first byte, in order of precedence.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = &'static FormatSpec> {
    let first = text.as_bytes().first();
    let mut left = first.map_or(0, |first| BY_BYTE[usize::from(*first)]);
    std::iter::from_fn(move || {
        let index = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        FORMATS.get(usize::try_from(index).ok()?)
    })
}

/// Returns the specification of a format.
pub(super) fn spec(format: Format) -> Option<&'static FormatSpec> {
    FORMATS.iter().find(|spec| spec.format == format)
}

/// Returns the continuation rules of a format.
pub(crate) fn follow(format: Format) -> &'static Follow {
    spec(format).map_or(&Follow::ONE_LINE, |spec| &spec.follow)
}

/// Extracts the time and the severity by parsing the whole line.
pub(super) fn show(spec: &FormatSpec, text: &str) -> Shown {
    if !(spec.begins)(text) {
        return Shown::NoRecord;
    }
    let payload = Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    });
    match (spec.read)(&payload) {
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
