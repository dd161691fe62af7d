//! Log lines. Formats are told apart line by line, as they mix in one stream.
//!
//! logrus text, zap's console form, JSON objects and klog are read, each also inside a carrier
//! (journald, the CRI's and docker's files, `kubectl logs --timestamps`). Other lines in a
//! carrier, and panics, become events of [`Format::Plain`].

mod forms;
mod frame;
mod glued;
mod head;
mod json;
mod klog;
mod level;
mod logrus;
mod members;
mod open;
mod pairs;
mod payload;
mod quote;
mod record;
mod subject;
mod timestamp;
mod wrapper;
mod zap_console;

pub(crate) use frame::is_frame;
#[doc(hidden)]
pub use head::{Head, Kind, head, kind};
pub(crate) use open::{OpenLog, SPREAD_LINES, begin, is_spread_object, may_be_raw};

use crate::input::Line;
use crate::model::{Format, Parsed};

/// The format of the record that begins on this line, if one does.
///
/// ```
/// use analyzer_core::{Format, parse::log::detect};
/// let line = r#"E0304 05:06:07.123456       1 sync.go:88] "Sync failed" err="timeout""#;
/// assert_eq!(detect(line), Some(Format::Klog));
/// assert_eq!(detect("time=\"2024-03-04T05:06:07Z\" level=info msg=ready"), Some(Format::Logrus));
/// assert_eq!(detect("Name: web-0"), None);
/// ```
pub fn detect(line: &str) -> Option<Format> {
    begin(line).map(|begun| begun.format)
}

/// Whether a line that begins no record continues the one of `format` before it (a stack
/// trace's frame, the next line of a value). Blank lines do not.
///
/// ```
/// use analyzer_core::{Format, parse::log::continues};
/// assert!(continues(Format::ZapConsole, "example.io/app.(*Loop).Run"));
/// assert!(continues(Format::Klog, "\ttext of a value"));
/// assert!(!continues(Format::Logrus, "Then restart the pod."));
/// ```
pub fn continues(format: Format, line: &str) -> bool {
    (forms::follow(format).surely)(line) || (!line.trim().is_empty() && is_frame(line))
}

/// Reads the lines of a log, in any mix of formats.
///
/// The span of an event reaches from its first line to its last one; where writers interrupt
/// each other, the interrupting events' spans lie inside it.
///
/// ```
/// use analyzer_core::{lines, parse::log::parse};
/// let text = "time=\"2024-03-04T05:06:07Z\" level=error msg=\"sync of \\\"a\\\" failed\"\n";
/// let parsed = parse(&lines(text).collect::<Vec<_>>());
/// assert_eq!(parsed.events[0].message.as_str(), "sync of \"a\" failed");
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    record::Reader::new().read(lines)
}

#[cfg(test)]
mod tests;
