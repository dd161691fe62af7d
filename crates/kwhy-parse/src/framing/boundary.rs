//! The starts of records.
//!
//! [`starts`] decides by a line and the previous one; [`begins_record`] also considers whether the payload of an
//! envelope continues the previous record, for which it runs the reader on the surrounding lines.

use std::borrow::Cow;

use super::classify::{Class, classify, payload_format};
use super::go_frame::is_go_frame;
use super::lines::{line_at, lines_after, lines_before, next_line, text};
use super::partial::{Cri, continues_partial, cut_line};
use crate::log;
use kwhy_model::Format;

/// The number of lines examined to find the end of a journal entry: two entries are shorter, unless a field contains a
/// long text.
pub const ENTRY_LINES: usize = 256;

/// The maximum size of a multi-line object, in bytes.
const MAX_SPREAD: usize = 36 * 1024;

/// The maximum number of lines that [`record_at`] examines.
const MAX_RECORD_LINES: usize = 64;

/// The length in bytes up to which the parts of a split line are joined.
const MAX_WHOLE: usize = 4096;

/// The length at which docker may have split a line.
pub const DOCKER_LINE: usize = 16_000;

/// Returns the format of the record that starts on a line, unless it is the second line of the previous record.
pub fn starts(line: &str, before: &str) -> Option<Format> {
    log::detect(line).filter(|_| !log::is_second_line(before, line))
}

/// Returns the number of lines of the record at an offset if it is a multi-line JSON object; `None`
/// otherwise.
pub fn spread_lines(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let bare = line_at(bytes, at);
    if bare != b"{" && bare != b"{\r" {
        return None;
    }
    log::spread_lines(&String::from_utf8_lossy(
        &rest[..rest.len().min(MAX_SPREAD)],
    ))
}

/// Returns true if a log record starts with the line at this offset, so that no earlier record continues in it.
pub fn begins_record(bytes: &[u8], at: usize) -> bool {
    // cheap check: most lines of objects are indented
    if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"  ")) {
        return false;
    }
    let line = line_at(bytes, at);
    // some locales pad the month with a space
    let line = if log::is_padded_month(line) {
        &line[1..]
    } else {
        line
    };
    // an indented line may be part of a value
    let Some(first) = line.first().filter(|byte| !byte.is_ascii_whitespace()) else {
        return false;
    };
    if !first.is_ascii_graphic() && *first != 0x1b {
        return false;
    }
    if line == b"{" || line == b"{\r" {
        return spread_lines(bytes, at).is_some();
    }
    let begins = match classify(line) {
        // a payload that is a record starts a record of its own
        Class::Record(_) => true,
        Class::Enveloped => !continues_in_envelope(bytes, at, line),
        Class::Json if payload_format(line).is_some() => true,
        Class::Unknown if is_go_frame(line, &bytes[(at + line.len() + 1).min(bytes.len())..]) => {
            false
        }
        Class::Json | Class::Inside | Class::Unknown => {
            log::detect(&text(line)).is_some()
                && !is_second_line(bytes, at, line)
                && !continues_in_envelope(bytes, at, line)
        }
    };
    begins && !continues_partial(bytes, at, line)
}

/// Returns true if the first bytes of the line at this offset show that a log record certainly starts with it.
fn surely_begins_record(bytes: &[u8], at: usize) -> bool {
    let line = line_at(bytes, at);
    let is_sure = match classify(line) {
        Class::Record(_) => true,
        Class::Json => payload_format(line).is_some(),
        Class::Enveloped | Class::Inside | Class::Unknown => false,
    };
    is_sure && !continues_partial(bytes, at, line)
}

/// Returns the lines from an offset up to the next certain start of a record, if a record certainly starts here. They
/// include at least what [`record_at`] returns.
///
/// ```
/// use kwhy_parse::framing::{lines_of_record, record_at};
/// let log = b"I0304 05:06:07.123456       1 a.go:8] one\n  two\nI0304 05:06:07.123456       1 a.go:8] three\n";
/// assert_eq!(lines_of_record(log, 0), record_at(log, 0));
/// assert_eq!(lines_of_record(log, 42), None);
/// ```
pub fn lines_of_record(bytes: &[u8], at: usize) -> Option<&[u8]> {
    if !surely_begins_record(bytes, at) {
        return None;
    }
    lines_up_to(bytes, at, surely_begins_record)
}

/// Returns true if a line is the second line of the record on the previous line.
fn is_second_line(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    let mut before = lines_before(bytes, at);
    before
        .next()
        .is_some_and(|before| log::is_second_line_anywhere(&text(before), &text(line)))
}

/// Returns a line with the parts that follow it in its stream, if the container runtime split it: a part may lack what
/// shows that the line continues a record.
fn whole_line<'b>(bytes: &'b [u8], at: usize, line: &'b [u8]) -> Cow<'b, [u8]> {
    let Some(first) = Cri::of(line).filter(|first| first.partial) else {
        return Cow::Borrowed(line);
    };
    let mut whole = line.to_vec();
    for after in lines_after(bytes, at).take(MAX_RECORD_LINES) {
        let Some(part) = Cri::of(after) else {
            break;
        };
        if part.stream == first.stream {
            whole.extend_from_slice(after.get(part.payload..).unwrap_or_default());
            if !part.partial || whole.len() > MAX_WHOLE {
                break;
            }
        }
    }
    Cow::Owned(whole)
}

/// Returns true if the payload of an enveloped line continues the previous record.
fn continues_in_envelope(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    // a payload that starts a record continues none; fast path for the CRI, the most common envelope
    let payload = Cri::of(line).and_then(|cri| line.get(cri.payload..));
    if payload.and_then(payload_format).is_some() {
        return false;
    }
    let whole = whole_line(bytes, at, line);
    let line = text(&whole);
    if let Some(entry) = entry_at(bytes, at, &line) {
        return entry.continues;
    }
    if log::carries_record(&line) {
        return false;
    }
    let next = next_line(bytes, at).map_or(&[][..], |next| line_at(bytes, next));
    log::continues_in_envelope(&line, &text(next))
        || log::is_raw_line(
            &line,
            lines_before(bytes, at).map(text),
            lines_after(bytes, at).map(text),
        )
}

/// Returns the multi-line journal entry that starts with the line at this offset, if any.
pub fn entry_at(bytes: &[u8], at: usize, line: &str) -> Option<log::EntryAt> {
    if !line.starts_with(['_', 'M', 'T', 'W', 'F', 'S']) || !log::begins_entry(line) {
        return None;
    }
    let mut lines = vec![Cow::Borrowed(line)];
    lines.extend(lines_after(bytes, at).take(ENTRY_LINES).map(text));
    log::entry_at(&lines)
}

/// Returns the lines of the record at an offset; `None` if no record starts there, if it has too many lines, or if a
/// runtime split one of them.
pub fn record_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    if !begins_record(bytes, at) {
        return None;
    }
    lines_up_to(bytes, at, begins_record)
}

/// Returns the lines from an offset up to the next record; `None` if there are too many or a runtime split one of them.
fn lines_up_to(bytes: &[u8], at: usize, starts: fn(&[u8], usize) -> bool) -> Option<&[u8]> {
    let mut end = at;
    for _ in 0..MAX_RECORD_LINES {
        let line = line_at(bytes, end);
        if line.len() >= DOCKER_LINE || cut_line(line).is_some_and(|(_, continues)| continues) {
            return None;
        }
        end = (end + line.len() + 1).min(bytes.len());
        if end == bytes.len() || starts(bytes, end) {
            return bytes.get(at..end);
        }
    }
    None
}
