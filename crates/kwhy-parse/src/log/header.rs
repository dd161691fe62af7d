//! The format, time and severity of the record that starts on a line, from the line alone and
//! without reading the rest of the record: for each line of a large log.
//!
//! [`header()`] says what [`parse`](super::parse) says of the line alone. What the short ways cannot tell for sure is read by the full parser, which
//! allocates: a record that reports a Kubernetes event, a line with another record glued to it, JSON
//! keys with escapes. Where they differ from `parse`:
//!
//! - The line is taken without its indentation, as [`detect`](super::detect) does: `parse` takes
//!   an indented panic or envelope for a part of another record.
//! - A line with records glued to it whose own start is not a record counts as the first record
//!   on it.
//! - A report of an event is recognised by its fields' names in plain spelling.
//!
//! Records may change their format or time with their continuation lines: an envelope's parts of one
//! line (`P`) show their form only together.

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

/// The header of a record: what its first line says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The record's format.
    pub format: Format,
    /// The time at which it was written, by the record itself or else by its envelope, which also shows its year.
    pub time: Option<Stamp>,
    /// How severe its writer says it is.
    pub severity: Option<Severity>,
}

/// The header that the first bytes of a record show.
pub(super) enum Shown {
    /// No record of the format starts here.
    NoRecord,
    /// Only the full parser can tell.
    Unclear,
    Record {
        time: Option<Stamp>,
        severity: Option<Severity>,
        /// True if a record that is glued to the line cannot have been read as a part of it.
        whole: bool,
    },
}

/// The fields of a record that reports an event, the rarest first.
static EVENT: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["reason", "object", "type"].map(Finder::new));

thread_local! {
    /// Room for a decoded line, used again.
    static DECODED: Cell<String> = const { Cell::new(String::new()) };
}

/// The record that starts on a line, if one does.
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

/// Only the full parser can tell.
struct Unclear;

/// The header as the full parser reads it.
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

/// The header that the envelopes around a text state.
#[derive(Clone, Copy, Default)]
struct Outer {
    envelopes: u32,
    time: Option<Stamp>,
    severity: Option<Severity>,
}

/// Reads a text with envelopes around it.
fn enveloped(text: &str, outer: Outer) -> Result<Option<Header>, Unclear> {
    // what surely starts a record is in no further envelope
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
    // the parser takes colours out
    let head = if memchr::memchr(0x1b, room.as_bytes()).is_some() {
        Err(Unclear)
    } else {
        enveloped(line_without_end(&room), outer)
    };
    DECODED.set(room);
    head
}

type Found = (Format, (Option<Stamp>, Option<Severity>));

/// Reads the record that starts with a payload; of one form, if that is sure.
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
        // a report of an event has the event's severity
        if form.format != Format::JsonLog && EVENT.iter().all(has) {
            return Err(Unclear);
        }
        return Ok(Some((form.format, (time, severity))));
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
