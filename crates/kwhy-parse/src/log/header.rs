//! The format, time and severity of the record that starts on a line, derived from that line alone:
//! called for each line of a large log.
//! [`header()`] returns what [`parse`](super::parse) would return for the line alone. Where the fast paths are
//! unsure, the full parser decides, which allocates: a record that reports a Kubernetes event, a line with
//! another record glued to it, JSON keys with escapes. Differences from `parse`:
//!
//! - Indentation is ignored, as in [`detect`](super::detect); `parse` treats
//!   an indented panic or envelope as part of another record.
//! - A line with records glued to it whose own start is not a record counts as the first record
//!   on it.
//! - A report of an event is recognised only if its keys are written without escapes.
//!
//! Continuation lines may change a record's format or time: the partial lines (`P`) of an envelope
//! reveal their format only when joined.

use std::cell::Cell;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::envelope::{Inner, MAX_ENVELOPES, layer, line_without_end, nearer};
use super::formats;
use super::interleaved::GLUED;
use super::quote::push_unquoted_json;
use super::reader::Reader;
use super::record::plain_severity;
use crate::framing::payload_format;
use crate::input::Line;
use kwhy_model::{Format, Severity, Stamp};

/// The header of a record: what its first line states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The record's format.
    pub format: Format,
    /// The record's own time or else that of its envelope, which also supplies a missing year or zone.
    pub time: Option<Stamp>,
    /// The severity stated by the writer.
    pub severity: Option<Severity>,
}

/// The result of examining only the first bytes of a record.
pub(super) enum Shown {
    /// No record of the format starts here.
    NoRecord,
    /// Only the full parser can tell.
    Unclear,
    Record {
        time: Option<Stamp>,
        severity: Option<Severity>,
        /// True if the parsed part cannot include a second record glued to the line.
        whole: bool,
    },
}

/// The keys of a record that reports an event, the rarest first.
static EVENT: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["reason", "object", "type"].map(Finder::new));

thread_local! {
    /// A reusable buffer for a decoded line.
    static DECODED: Cell<String> = const { Cell::new(String::new()) };
}

/// Returns the header of the record that starts on a line, if any.
///
/// ```
/// use kwhy_parse::log::header;
/// use kwhy_model::{Format, Severity};
/// let line = "E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\" err=\"timeout\"";
/// let found = header(line).unwrap();
/// assert_eq!(found.format, Format::Klog);
/// assert_eq!(found.severity, Some(Severity::Error));
/// assert_eq!(found.time.unwrap().to_string(), "03-04T05:06:07.123456");
/// assert_eq!(header("Name: web-0"), None);
/// ```
pub fn header(line: &str) -> Option<Header> {
    let text = line.trim_start();
    let indented = text.len() < line.len();
    let head = match enveloped(text, Outer::default()) {
        Ok(head) => head,
        Err(Unclear) => full(text),
    };
    head.filter(|head| !indented || !formats::is_unindented(head.format))
}

/// The error of the fast paths: only the full parser can tell.
struct Unclear;

/// Returns the header as determined by the full parser.
fn full(text: &str) -> Option<Header> {
    let format = super::detect(text)?;
    let line = Line {
        text,
        start: 0,
        number: 1,
    };
    let parsed = Reader::new().read(&[line]);
    let event = parsed.events.first();
    Some(Header {
        format,
        time: event.and_then(|event| event.time),
        severity: event.and_then(|event| event.severity),
    })
}

/// The header stated by the envelopes around a text.
#[derive(Clone, Copy, Default)]
struct Outer {
    envelopes: u32,
    time: Option<Stamp>,
    severity: Option<Severity>,
}

/// Reads a text with envelopes around it.
fn enveloped(text: &str, outer: Outer) -> Result<Option<Header>, Unclear> {
    // no further envelope precedes what is certainly a record
    let sure = payload_format(text.as_bytes()).and_then(formats::spec);
    if sure.is_none()
        && outer.envelopes < MAX_ENVELOPES
        && let Some(layer) = layer(text)
    {
        let outer = Outer {
            envelopes: outer.envelopes + 1,
            time: nearer(layer.time, outer.time),
            severity: layer.severity.or(outer.severity),
        };
        return match layer.inner {
            Inner::From(start) => enveloped(text.get(start..).unwrap_or(""), outer),
            Inner::Within(range) => enveloped(text.get(range).unwrap_or(""), outer),
            Inner::Json(log, _) => decoded(text, log, outer),
            Inner::Bytes(_) => Err(Unclear),
        };
    }
    let is_enveloped = outer.envelopes > 0;
    let payload = text.trim_start();
    let Some((format, shown)) = record(payload, sure, is_enveloped)? else {
        return Ok(is_enveloped.then(|| Header {
            format: Format::Plain,
            time: outer.time,
            severity: plain_severity(text).or(outer.severity),
        }));
    };
    let (time, severity) = match format {
        Format::Plain => (None, plain_severity(text)),
        _ => shown,
    };
    Ok(Some(Header {
        format,
        time: nearer(time, outer.time),
        severity: severity.or(outer.severity),
    }))
}

fn decoded(text: &str, log: Range<usize>, outer: Outer) -> Result<Option<Header>, Unclear> {
    let mut room = DECODED.take();
    room.clear();
    push_unquoted_json(&mut room, text.get(log).unwrap_or(""));
    // the full parser removes colour sequences
    let head = if memchr::memchr(0x1b, room.as_bytes()).is_some() {
        Err(Unclear)
    } else {
        enveloped(line_without_end(&room), outer)
    };
    DECODED.set(room);
    head
}

type Found = (Format, (Option<Stamp>, Option<Severity>));

/// Parses the header of a payload; `sure` is its format if that is already certain.
fn record(
    text: &str,
    sure: Option<&'static formats::FormatSpec>,
    is_enveloped: bool,
) -> Result<Option<Found>, Unclear> {
    let others = formats::candidates(if sure.is_some() { "" } else { text });
    for form in sure.into_iter().chain(others) {
        let (time, severity) = match (form.show)(form, text) {
            Shown::NoRecord => continue,
            Shown::Unclear => return Err(Unclear),
            Shown::Record { whole, .. } if !whole && !is_enveloped && GLUED.may_be(text) => {
                return Err(Unclear);
            }
            Shown::Record { time, severity, .. } => (time, severity),
        };
        let has = |word: &Finder<'_>| word.find(text.as_bytes()).is_some();
        // a record that reports an event takes the event's severity
        if form.format != Format::JsonLog && EVENT.iter().all(has) {
            return Err(Unclear);
        }
        return Ok(Some((form.format, (time, severity))));
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
