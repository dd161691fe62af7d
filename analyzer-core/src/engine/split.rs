//! Places at which a document can be cut: what follows reads the same without what precedes.

use std::borrow::Cow;

use memchr::{memchr, memmem, memrchr};

use super::lookback::OpenLog;
use kwhy_parse::input::{Document, is_clean, is_structural, marked_record};
use kwhy_parse::{describe, log, object};

/// The number of lines that are examined before a text without records is cut anywhere.
const MAX_LINES: usize = 256;

/// The number of bytes in which the start of an output is looked for backwards.
const MAX_INSIDE: usize = 256 * 1024;

/// The number of lines after an entry's first one that are examined: two entries of the journal have no more,
/// unless a field contains a text of many lines.
const ENTRY_LINES: usize = 256;

/// The number of lines in which an unfinished line of a container runtime is looked for backwards.
const MAX_BACK: usize = 128;

/// The byte at or after `from` at which the bytes can be cut. None if all of them belong together as
/// far as they go, and more of them may tell.
pub(crate) fn find(bytes: &[u8], from: usize, may_grow: bool) -> Option<usize> {
    let first = next_line(bytes, from.saturating_sub(1))?;
    let mut at = end_of_entry(bytes, first).unwrap_or(first);
    // it goes back over many lines, and few places depend on it
    let mut inside: Option<bool> = None;
    let mut begun = false;
    let mut structural =
        |begun: bool| begun || *inside.get_or_insert_with(|| is_inside(bytes, first));
    let mut log = OpenLog::default();
    // of two places without a record one that no record before takes is better, then a blank line
    let mut fallback: Option<(bool, bool, usize)> = None;
    for number in 0.. {
        let line = line_at(bytes, at);
        let Some(next) = next_line(bytes, at) else {
            break;
        };
        let is_record = begins_record(bytes, at);
        // the first record after an output belongs to the command above that
        if is_record && !(structural(begun) && is_inside(bytes, at)) {
            return Some(at);
        }
        let blank_before = is_blank_before(bytes, at);
        if (blank_before && begins_object(line)) || begins_item(bytes, at, line) {
            return Some(at);
        }
        if number < MAX_LINES {
            begun |= !is_record && is_structural(&text(line));
        } else if fallback.is_some_and(|(is_free, ..)| is_free) && !structural(begun) {
            break;
        }
        let is_free = !log.takes(bytes, at, is_record);
        let rank = (
            is_free,
            blank_before && !line.starts_with(b" "),
            usize::MAX - at,
        );
        // the stacks of a panic's goroutines belong to it, with the blank line before them
        let stack = if line.is_empty() { next } else { at };
        let of_panic = line_at(bytes, stack).starts_with(b"goroutine ");
        if part(line).is_none() && !of_panic && fallback.is_none_or(|known| known < rank) {
            fallback = Some(rank);
        }
        // no entry is cut in two
        let may_be = matches!(line.first(), Some(b'_' | b'A'..=b'Z'));
        let entry = may_be.then(|| entry(bytes, at, &text(line))).flatten();
        let taken = entry.map_or(0, |entry| entry.lines - 1);
        at = next;
        for _ in 0..taken {
            at = next_line(bytes, at).unwrap_or(at);
        }
    }
    let may_be =
        |(is_free, ..): &(bool, bool, usize)| !may_grow || (*is_free && !structural(begun));
    let (.., place) = fallback.filter(may_be)?;
    Some(usize::MAX - place)
}

/// Returns true if the line at this byte is in the same paragraph as an output with a structure before it:
/// the rows of a table are nothing without its header.
fn is_inside(bytes: &[u8], at: usize) -> bool {
    let mut end = at;
    while let Some(before) = end.checked_sub(1).filter(|_| at - end < MAX_INSIDE) {
        let start = memrchr(b'\n', &bytes[..before]).map_or(0, |end| end + 1);
        let line = &bytes[start..before];
        if line.iter().all(u8::is_ascii_whitespace) || begins_record(bytes, start) {
            return false;
        }
        if is_structural(&text(line)) {
            return true;
        }
        end = start;
    }
    false
}

/// Returns true if a log record starts with the line at this byte, and no line before it continues in it.
pub(crate) fn begins_record(bytes: &[u8], at: usize) -> bool {
    // most lines of objects are indented
    if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"  ")) {
        return false;
    }
    let line = line_at(bytes, at);
    // some locales pad a month
    let line = if log::is_padded_month(line) {
        &line[1..]
    } else {
        line
    };
    // what is indented may be a part of a value
    let Some(first) = line.first().filter(|byte| !byte.is_ascii_whitespace()) else {
        return false;
    };
    if !first.is_ascii_graphic() && *first != 0x1b {
        return false;
    }
    if line == b"{" || line == b"{\r" {
        return log::spread_lines(&text(window(bytes, at))).is_some();
    }
    let begins = match log::kind(line) {
        // what an envelope contains starts a record of its own
        Some(log::Kind::Record(_)) => true,
        Some(log::Kind::Carried) => !goes_on_in_carrier(bytes, at, line),
        None => {
            log::detect(&text(line)).is_some()
                && !is_second_line(bytes, at, line)
                && !goes_on_in_carrier(bytes, at, line)
        }
    };
    begins && !continues_partial(bytes, at, line)
}

/// Returns true if what an envelope contains continues with the record before.
fn goes_on_in_carrier(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    // what starts a record itself continues with none; most envelopes are the CRI's, recognised by their bytes
    let payload = stream(line).and_then(|cri| line.get(cri.payload..));
    if let Some(log::Kind::Record(_)) = payload.and_then(log::kind) {
        return false;
    }
    let line = text(line);
    if let Some(entry) = entry(bytes, at, &line) {
        return entry.goes_on;
    }
    if log::carries_record(&line) {
        return false;
    }
    let next = next_line(bytes, at).map_or(&[][..], |next| line_at(bytes, next));
    log::goes_on_in_carrier(&line, &text(next))
        || log::is_raw_line(
            &line,
            lines_before(bytes, at).map(text),
            lines_behind(bytes, at).map(text),
        )
}

/// The entry of the journal over several lines that starts with the line at this byte.
fn entry(bytes: &[u8], at: usize, line: &str) -> Option<log::EntryAt> {
    if !line.starts_with(['_', 'M', 'T', 'W', 'F', 'S']) || !log::begins_entry(line) {
        return None;
    }
    let mut lines = vec![Cow::Borrowed(line)];
    lines.extend(lines_behind(bytes, at).take(ENTRY_LINES).map(text));
    log::entry_at(&lines)
}

/// The end of the journal entry that the line at this byte is part of.
fn end_of_entry(bytes: &[u8], at: usize) -> Option<usize> {
    let field = line_at(bytes, at).trim_ascii_start();
    let is_field = matches!(field.first(), Some(b'_' | b'A'..=b'Z')) && field.contains(&b'=');
    if !is_field {
        return None;
    }
    let mut start = at;
    for line in lines_before(bytes, at).take(ENTRY_LINES) {
        if line.is_empty() {
            return None;
        }
        start = start.checked_sub(line.len() + 1)?;
        if matches!(line.first(), Some(b'_' | b'A'..=b'Z'))
            && let Some(entry) = entry(bytes, start, &text(line))
        {
            let lines = std::iter::successors(Some(start), |start| next_line(bytes, *start));
            let end = lines.take(entry.lines + 1).last()?;
            return (end > at).then_some(end);
        }
    }
    None
}

/// The lines after the one that starts at a byte.
fn lines_behind(bytes: &[u8], at: usize) -> impl Iterator<Item = &[u8]> {
    let mut at = next_line(bytes, at);
    std::iter::from_fn(move || {
        let start = at.filter(|at| *at < bytes.len())?;
        at = next_line(bytes, start);
        Some(line_at(bytes, start))
    })
}

/// The lines before the one that starts at a byte, the last first.
pub(super) fn lines_before(bytes: &[u8], at: usize) -> impl Iterator<Item = &[u8]> {
    let mut end = at;
    std::iter::from_fn(move || {
        let before = end.checked_sub(1)?;
        end = memrchr(b'\n', &bytes[..before]).map_or(0, |end| end + 1);
        bytes.get(end..before)
    })
}

/// The most bytes that an object spread over lines may take from an offset on.
pub(super) fn window(bytes: &[u8], at: usize) -> &[u8] {
    const LONGEST: usize = 36 * 1024;
    let rest = bytes.get(at..).unwrap_or(&[]);
    &rest[..rest.len().min(LONGEST)]
}

/// Returns true if the line before takes this one as its second.
pub fn is_second_line(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    let start = memrchr(b'\n', &bytes[..before]).map_or(0, |end| end + 1);
    log::is_second_line_anywhere(&text(&bytes[start..before]), &text(line))
}

fn begins_object(line: &[u8]) -> bool {
    line.starts_with(b"Name:") && describe::is_start(&text(line))
}

/// Returns true if an item of a list of objects starts, or the next object of several in YAML or JSON.
pub fn begins_item(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    let next = || next_line(bytes, at).map_or(&b""[..], |next| line_at(bytes, next));
    let before = || {
        let end = at.saturating_sub(1);
        let start = memrchr(b'\n', &bytes[..end]).map_or(0, |end| end + 1);
        &bytes[start..end]
    };
    object::begins_item(line, before, next)
}

/// Returns true if a line of a container runtime's, or one between such lines, follows an unfinished
/// one.
fn continues_partial(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    if part(line).is_none() {
        return false;
    }
    let mut seen = [false; 2];
    let mut end = at;
    for _ in 0..MAX_BACK {
        let Some(before) = end.checked_sub(1) else {
            break;
        };
        let start = memrchr(b'\n', &bytes[..before]).map_or(0, |at| at + 1);
        let Some((stream, partial)) = part(&bytes[start..before]) else {
            break;
        };
        if !std::mem::replace(&mut seen[stream], true) && partial {
            return true;
        }
        if seen == [true; 2] {
            break;
        }
        end = start;
    }
    false
}

/// The stream of a line of the CRI's or docker's, and whether it continues in the stream's next one;
/// `kubectl logs --prefix` may precede it.
pub(super) fn part(line: &[u8]) -> Option<(usize, bool)> {
    let mut line = line;
    if line.starts_with(b"[pod/") {
        let window = &line[..line.len().min(512)];
        line = line.get(memchr(b']', window)? + 2..)?;
    }
    if let Some(cri) = stream(line) {
        return Some((cri.stream, cri.partial));
    }
    let log = line.strip_prefix(b"{\"log\":\"")?;
    let end = memmem::rfind(log, b"\",\"stream\":\"std")?;
    let is_error = log.get(end..)?.starts_with(b"\",\"stream\":\"stderr");
    let escapes = |end: usize| log[..end].iter().rev().take_while(|b| **b == b'\\').count();
    let whole = log[..end].ends_with(b"n") && escapes(end - 1) % 2 == 1;
    Some((usize::from(is_error), !whole))
}

/// The prefix that the CRI writes before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cri {
    /// 0 for standard output.
    pub stream: usize,
    /// True if the line continues in the stream's next one.
    pub partial: bool,
    /// The byte at which the program's own text starts.
    pub payload: usize,
}

/// Reads the head of a line of the CRI.
pub(crate) fn stream(line: &[u8]) -> Option<Cri> {
    let head = &line[..line.len().min(64)];
    if !head.first()?.is_ascii_digit() {
        return None;
    }
    let blank = memchr(b' ', head)?;
    let behind = &head[blank..];
    let (stream, tag) = if let Some(tag) = behind.strip_prefix(b" stdout ") {
        (0, tag)
    } else {
        (1, behind.strip_prefix(b" stderr ")?)
    };
    let length = memchr(b' ', tag).unwrap_or(tag.len());
    Some(Cri {
        stream,
        partial: tag.first() == Some(&b'P'),
        payload: (blank + " stdout ".len() + length + 1).min(line.len()),
    })
}

/// A line as the parsers read it: a record without the marks before it.
pub(super) fn text(line: &[u8]) -> Cow<'_, str> {
    let bare = line.strip_suffix(b"\r").unwrap_or(line);
    match std::str::from_utf8(bare) {
        Ok(text) if is_clean(bare) => Cow::Borrowed(marked_record(text).unwrap_or(text)),
        _ => {
            let document = Document::new("", line);
            let text = document.text();
            Cow::Owned(marked_record(text).unwrap_or(text).to_owned())
        }
    }
}

/// The line that starts at a byte, without its end.
pub(crate) fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at.min(bytes.len())..];
    &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// The start of the line after the one that contains a byte, if its line end is there.
pub(crate) fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    memchr(b'\n', bytes.get(at..)?).map(|end| at + end + 1)
}

fn is_blank_before(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    before.is_empty()
        || before.ends_with(b"\n\n")
        || before.ends_with(b"\n\r\n")
        || memmem::rfind(&before[..before.len() - 1], b"\n")
            .is_some_and(|start| before[start..].iter().all(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_lines_go_on() {
        let text = b"\
2031-03-04T05:06:07Z stdout F done\n\
2031-03-04T05:06:07Z stdout P a long\n\
2031-03-04T05:06:07Z stderr F other\n\
2031-03-04T05:06:07Z stdout F  line\n\
2031-03-04T05:06:07Z stdout F next\n";
        let starts: Vec<bool> = (0..5)
            .map(|line| begins_record(text, at(text, line)))
            .collect();
        assert_eq!(starts, [true, true, false, false, true]);
    }

    #[test]
    fn unfinished_lines_of_docker_go_on() {
        let time = r#""stream":"stdout","time":"2031-03-04T05:06:07Z"}"#;
        let text = format!(
            "[pod/web-0/app] {{\"log\":\"one \\\\n\",{time}\n\
             [pod/web-0/app] {{\"log\":\"line\\n\",{time}\n\
             {{\"log\":\"next\\n\",{time}\n"
        );
        let text = text.as_bytes();
        let starts: Vec<bool> = (0..3)
            .map(|line| begins_record(text, at(text, line)))
            .collect();
        assert_eq!(starts, [true, false, true]);
    }

    #[test]
    fn objects_spread_over_lines_begin_records() {
        let text = b"{\n  \"level\": \"error\",\n  \"msg\": \"no\",\n  \"time\": \"2024-03-04T05:06:07Z\"\n}\n{\n  \"kind\": \"Pod\"\n}\n";
        let starts: Vec<usize> = (0..8)
            .filter(|line| begins_record(text, at(text, *line)))
            .collect();
        assert_eq!(starts, [0]);
    }

    fn at(text: &[u8], line: usize) -> usize {
        memchr::memchr_iter(b'\n', text)
            .take(line)
            .last()
            .map_or(0, |end| end + 1)
    }

    #[test]
    fn entries_that_go_on_begin_no_record() {
        let entry = |message: &str| {
            format!(
                "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1709528767000000\nPRIORITY=6\nMESSAGE={message}\n_PID=7\n\n"
            )
        };
        let messages = [
            "panic: no berth",
            "",
            "goroutine 1 [running]:",
            "main.main()",
            "\t/src/main.go:12 +0x1d",
            "I0304 05:06:07.123456       7 quay.go:7] next",
        ];
        let text: String = messages.iter().map(|message| entry(message)).collect();
        let starts: Vec<usize> = memmem::find_iter(text.as_bytes(), "__CURSOR").collect();
        let begin: Vec<bool> = starts
            .iter()
            .map(|at| begins_record(text.as_bytes(), *at))
            .collect();
        assert!(begin[0] && begin[5], "{begin:?}");
        assert!(!begin[1] && !begin[3] && !begin[4], "{begin:?}");
        let last = entry(messages[5]);
        let middle = last.find("MESSAGE").unwrap();
        assert_eq!(find(last.as_bytes(), middle, false), Some(last.len() - 1));
        // a block ends before the next record only
        assert_eq!(
            find(text.as_bytes(), starts[2] + 40, false),
            Some(starts[5])
        );
    }

    #[test]
    fn cuts() {
        let klog = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n";
        let log = klog.repeat(3);
        assert_eq!(
            find(log.as_bytes(), klog.len() - 1, false),
            Some(klog.len())
        );
        assert_eq!(
            find(log.as_bytes(), klog.len() + 1, false),
            Some(2 * klog.len())
        );
        let describe = "Name:  a\nNamespace:  b\nStatus:  c\n\nName:  d\nNode:  e\n";
        assert_eq!(find(describe.as_bytes(), 3, false), Some(35));
        assert_eq!(find(b"Name:  a\nNode:  b\nNode:  c\n", 3, true), None);
        assert_eq!(find(b"no line end", 3, false), None);
        assert_eq!(find(b"one\ntwo\nthree\n", 1, false), Some(4));
    }
}
