//! Log lines. Formats are distinguished line by line, as they mix in one stream.
//!
//! Each format has a file in `formats`, and is parsed inside envelopes too (journald, the files of the CRI and docker,
//! `kubectl logs --timestamps`). Other lines in an envelope, and panics, become events of [`Format::Plain`].

mod api_status;
mod continuation;
pub(crate) mod envelope;
pub(crate) mod formats;
mod header;
mod interleaved;
mod json;
mod json_members;
mod json_sentences;
mod klog;
mod layout;
mod level;
mod logfmt;
mod logrus;
mod payload;
mod quote;
mod reader;
mod record;
mod relayed;
mod said;
#[cfg(test)]
mod samples;
mod stack_frame;
pub(crate) mod stack_trace;
mod subject;
pub(crate) mod timestamp;
mod zap_console;

pub(crate) use api_status::at_end as api_status_at_end;
pub(crate) use continuation::is_raw_line;
pub use continuation::{is_second_line_anywhere, second_line_severity};
pub(crate) use formats::is_audit;
pub use formats::is_second_line;
#[doc(hidden)]
pub use header::{Header, header};
pub(crate) use json_sentences::sentences as json_sentences;
pub(crate) use klog::is_cut_head;
pub(crate) use level::stated as stated_severity;
pub use timestamp::is_padded_month;

use self::stack_frame::is_frame;
use crate::framing::payload_format;
use crate::input::Line;
use kwhy_model::{Format, Parsed, Stamp, Text, TextBuilder};

/// Returns the lines of a record as the program wrote them, without the envelopes that a runtime or a collector added.
/// `None` if there is no envelope.
///
/// ```
/// use kwhy_parse::log::unwrapped;
/// let line = r#"{"log":"shelf \"a\" is bare\n","stream":"stderr","time":"2024-03-04T05:06:07.1Z"}"#;
/// assert_eq!(unwrapped(line).unwrap().as_str(), "shelf \"a\" is bare");
/// assert!(unwrapped("shelf is bare").is_none());
/// ```
pub fn unwrapped(record: &str) -> Option<Text<'_>> {
    let mut sources = envelope::Sources::default();
    let mut whole = TextBuilder::new();
    let (mut start, mut any) = (0, false);
    for (number, text) in (1..).zip(record.split('\n')) {
        let line = Line {
            text,
            start,
            number,
        };
        let (envelope, payload) =
            envelope::peel_from(payload::Payload::from_line(line), &mut sources);
        any |= envelope.present;
        if number > 1 {
            whole.push_decoded("\n", start - 1..start);
        }
        whole.push_text(payload.text());
        start += text.len() + 1;
    }
    any.then(|| whole.finish())
}

/// Returns the format of the record that starts on this line, if any.
///
/// ```
/// use kwhy_model::Format;
/// use kwhy_parse::log::detect;
/// let line = r#"E0304 05:06:07.123456       1 sync.go:88] "Sync failed" err="timeout""#;
/// assert_eq!(detect(line), Some(Format::Klog));
/// assert_eq!(detect("time=\"2024-03-04T05:06:07Z\" level=info msg=ready"), Some(Format::Logrus));
/// assert_eq!(detect("Name: web-0"), None);
/// ```
pub fn detect(line: &str) -> Option<Format> {
    let text = line.trim_start();
    let indented = text.len() < line.len();
    let line = Line {
        text,
        start: 0,
        number: 1,
    };
    let (envelopes, payload) = envelope::peel(payload::Payload::from_line(line));
    formats::find(payload.as_str().trim_start())
        .map(|form| form.format)
        .or(envelopes.present.then_some(Format::Plain))
        .filter(|format| !indented || !formats::is_unindented(*format))
}

/// Returns true if a line starts with an envelope.
pub(crate) fn is_enveloped(text: &str) -> bool {
    envelope::layer(text).is_some()
}

/// Returns the host named by the envelope of a line.
pub(crate) fn host(text: &str) -> Option<&str> {
    envelope::layer(text)?.node(text)
}

/// Returns true if another record may start inside a line because no newline separated two writers.
pub fn may_hold_another(line: &str) -> bool {
    interleaved::GLUED.may_be(line)
}

/// Returns the date and time at the start of a value.
pub fn stated_time(text: &str) -> Option<Stamp> {
    let (stamp, _) = timestamp::leading_date_time(text)?;
    Some(stamp)
}

/// Returns true if the payload of a line's outermost envelope is a record, judging by its first bytes.
pub fn carries_record(line: &str) -> bool {
    match envelope::layer(line).map(|layer| layer.inner) {
        Some(envelope::Inner::From(start)) => {
            let payload = line.as_bytes().get(start..).unwrap_or_default();
            payload_format(payload).is_some()
        }
        _ => false,
    }
}

/// Returns true if the payload of an enveloped line continues the preceding record: it is empty or indented, closes a
/// multi-line object, or is part of a stack trace. `next` is the line after.
pub fn continues_in_envelope(line: &str, next: &str) -> bool {
    let inner = |text| {
        let (envelopes, payload) = envelope::peel(payload::Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }));
        envelopes.present.then_some(payload)
    };
    // the first line of a multi-line entry does not contain its message
    if begins_entry(line) {
        return false;
    }
    let Some(payload) = inner(line) else {
        return false;
    };
    let next = inner(next);
    continues_record(
        payload.as_str(),
        next.as_ref().map(payload::Payload::as_str),
    )
}

/// Returns true if a multi-line entry starts on a line (journald's export and verbose formats).
pub fn begins_entry(line: &str) -> bool {
    envelope::Block::begin(line).is_some()
}

/// A multi-line entry of the journal.
pub struct EntryAt {
    /// True if its message continues the record in the preceding entry.
    pub continues: bool,
    /// The number of its lines.
    pub lines: usize,
}

/// Returns the multi-line entry that starts on the first of these lines, if any.
pub fn entry_at(lines: &[impl AsRef<str>]) -> Option<EntryAt> {
    let lines: Vec<Line<'_>> = lines
        .iter()
        .map(|text| Line {
            text: text.as_ref(),
            start: 0,
            number: 1,
        })
        .collect();
    let (first, following) = lines.split_first()?;
    let (entry, taken) = envelope::Block::read(first, following)?;
    let following = following.get(taken..).unwrap_or(&[]);
    let next = following.iter().position(|line| !line.is_blank());
    let next = next
        .and_then(|at| following.get(at..)?.split_first())
        .and_then(|(first, following)| envelope::Block::read(first, following));
    let next = next.map(|(entry, _)| entry.message);
    Some(EntryAt {
        continues: continues_record(
            entry.message.as_str(),
            next.as_ref().map(payload::Payload::as_str),
        ),
        lines: taken + 1,
    })
}

/// Returns true if a payload continues the record in the preceding line or entry of its envelope.
fn continues_record(text: &str, next: Option<&str>) -> bool {
    let is_of_trace = |text: &str| stack_trace::Trace::default().take(text).is_some();
    text.is_empty()
        || text.starts_with([' ', '\t', '}'])
        || ((is_of_trace(text) || (stack_trace::is_head(text) && next.is_some_and(is_of_trace)))
            && formats::find(text).is_none())
}

/// The maximum size of a multi-line object, in bytes.
const MAX_SPREAD: usize = 32 * 1024;

/// Returns the number of lines of the record at the start of a text if it is a multi-line JSON object; `None`
/// otherwise.
pub fn spread_lines(text: &str) -> Option<usize> {
    let rest = text
        .strip_prefix("{\n")
        .or_else(|| text.strip_prefix("{\r\n"))?;
    let mut length = text.len() - rest.len();
    for (index, line) in rest.split_inclusive('\n').enumerate() {
        length += line.len();
        match line.trim_end_matches(['\n', '\r']) {
            "}" => {
                let object = text.get(..length)?;
                return json::detect(object).then_some(index + 2);
            }
            "{" => return None,
            _ if length > MAX_SPREAD || index >= reader::SPREAD_LINES => return None,
            _ => {}
        }
    }
    None
}

/// Returns true if a line that starts no record continues the one of `format` before it (a stack
/// trace's frame, the next line of a value). Blank lines do not.
///
/// ```
/// use kwhy_model::Format;
/// use kwhy_parse::log::continues;
/// assert!(continues(Format::ZapConsole, "example.io/app.(*Loop).Run"));
/// assert!(continues(Format::Klog, "\ttext of a value"));
/// assert!(!continues(Format::Logrus, "Then restart the pod."));
/// ```
pub fn continues(format: Format, line: &str) -> bool {
    (formats::follow(format).surely)(line) || (!line.trim().is_empty() && is_frame(line))
}

/// Parses the lines of a log, in any mix of formats.
///
/// The span of an event extends from its first line to its last; where writers interrupt
/// each other, it includes the spans of the interrupting events.
///
/// ```
/// use kwhy_parse::{log::parse, input::lines};
/// let text = "time=\"2024-03-04T05:06:07Z\" level=error msg=\"sync of \\\"a\\\" failed\"\n";
/// let parsed = parse(&lines(text).collect::<Vec<_>>());
/// assert_eq!(parsed.events[0].message.as_str(), "sync of \"a\" failed");
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    reader::Reader::new().read(lines)
}

/// Returns true if a line is the source location or a context of the record above it, as in tracing's pretty format.
pub(crate) fn is_place_of_record(line: &str) -> bool {
    layout::ends(line)
}

/// Returns true if a line starts with a level that a mark or a space follows.
pub(crate) fn starts_with_level(line: &str) -> bool {
    let bare = line.trim_start();
    let line = bare.trim_start_matches(['[', '<', '(']);
    let letters = line.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_end = |byte: &u8| b" \t:|])>".contains(byte);
    let is_in_brackets = || {
        line.len() < bare.len()
            && line
                .get(letters..)
                .is_some_and(|end| end.starts_with([']', '>', ')']))
    };
    line.as_bytes().get(letters).is_some_and(is_end)
        && (letters > 1 || letters == 1 && is_in_brackets())
        && level::of_head(&line[..letters]).is_some()
}

/// Returns true if nearly all lines share a head with a level, end in pairs with recurring keys, or are objects or
/// pairs with a message.
pub(crate) fn is_stream(lines: &[Line<'_>]) -> bool {
    Stream::of(lines).is_some_and(|stream| stream.is_sure())
}

/// The structure common to nearly all lines of a text.
pub(crate) enum Stream {
    Said(&'static said::Said),
    Head(layout::Layout),
}

impl Stream {
    pub(crate) fn of(lines: &[Line<'_>]) -> Option<Stream> {
        if let Some(said) = said::of(lines) {
            return Some(Stream::Said(said));
        }
        let layout = layout::learn(lines).filter(|layout| layout.is_of_all(lines));
        layout.map(Stream::Head)
    }

    /// Returns true if more than a time shows that the lines are records.
    pub(crate) fn is_sure(&self) -> bool {
        match self {
            Stream::Said(_) => true,
            Stream::Head(layout) => layout.is_sure(),
        }
    }

    /// Returns true if each line has this structure; for heads, indented lines are ignored.
    pub(crate) fn is_of_each(&self, lines: &[Line<'_>]) -> bool {
        match self {
            Stream::Said(said) => lines.iter().all(|line| (said.is)(line.text)),
            Stream::Head(layout) => layout.is_of_each(lines),
        }
    }
}

/// Parses the lines of a log like [`parse`], but learns the layout of their heads from the first lines. Used by
/// conversions, which read whole streams; a diagnosis parses each record on its own.
pub fn parse_stream<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    reader::Reader::new().learning(lines).read(lines)
}

#[cfg(test)]
mod tests;
