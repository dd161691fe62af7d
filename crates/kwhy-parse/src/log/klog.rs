//! klog v1 and v2, glog (k8s.io/klog, golang/glog, C++ glog): `E0304 05:06:07.123456 1 x.go:1] `.
//!
//! Accepted after the header: plain text, the structured format (`"msg" key="value"`, blocks),
//! klogr's older format (`"msg"="text" "key"="value"`), the event recorder's
//! `Event(v1.ObjectReference{...}): type: 'Warning' reason: 'X' text`. A header that lost its
//! beginning (`x.go:297] text`) is parsed too: such a record has a caller but neither time nor
//! severity.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::api_status;
use super::formats::{Follow, FormatSpec};
use super::header::Shown;
use super::logfmt::{Pairs, is_plain_key};
use super::payload::Payload;
use super::quote::{closing_quote, unquote_go};
use super::timestamp::leading_klog_time;
use super::zap_console::is_caller;
use crate::input::Line;
use kwhy_model::{Event, Format, Severity, Stamp, Subject};

/// klog's header and the text after it.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Klog,
    // a truncated header can start with any byte
    first: b"",
    begins: detect,
    read,
    show: |_, text| match time_and_severity(text) {
        Some((time, severity)) => Shown::Record {
            time,
            severity,
            whole: true,
        },
        None => Shown::NoRecord,
    },
    follow: Follow {
        raw: is_raw,
        surely: |line| {
            line.starts_with('\t')
                || line.starts_with(" >")
                || (line.starts_with(' ') && !line.trim().is_empty())
        },
        chained: |_| false,
        indented: false,
        apart: is_output_of_command,
    },
};

struct Header {
    severity: Option<Severity>,
    time: Option<Stamp>,
    caller: Range<usize>,
    rest: usize,
}

/// Returns true if a line starts with klog's header or the end of one.
fn detect(text: &str) -> bool {
    header(text).is_some()
}

/// Returns true if a record's text may continue on raw lines: a structured one has line breaks only
/// in blocks.
fn is_raw(first: &str) -> bool {
    let payload = Payload::from_line(Line {
        text: first,
        start: 0,
        number: 1,
    });
    let rest = header(first).map(|header| header.rest);
    let rest = rest.map(|rest| rest + usize::from(first[rest..].starts_with(' ')));
    rest.is_none_or(|rest| structured(&payload, rest).is_none())
}

/// Returns true if a line is output that a command prints between its libraries' log records, so that it
/// continues none of them: kubeadm's `[preflight] text`, `error: text`, `Error from server: text`.
pub(super) fn is_output_of_command(line: &str) -> bool {
    const STARTS: [&str; 4] = [
        "error: ",
        "error execution phase ",
        "Error from server",
        "Unable to connect to the server: ",
    ];
    let is_phase = || {
        let (word, text) = line
            .strip_prefix('[')
            .and_then(|inside| inside.split_once("] "))
            .unwrap_or_default();
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && text.starts_with(|first: char| first.is_ascii_alphabetic())
    };
    match line.as_bytes().first() {
        Some(b'[') => is_phase(),
        Some(b'e' | b'E' | b'U') => STARTS.iter().any(|start| line.starts_with(start)),
        _ => false,
    }
}

/// Returns true if a text starts with a complete header.
pub(super) fn is_whole_header(text: &str) -> bool {
    whole_header(text).is_some()
}

/// Returns true if klog's header starts on one line and ends on the next; `between` is what the line break replaced.
pub(crate) fn is_cut_head(line: &str, between: &str, next: &str) -> bool {
    // the longest start of a header: the time, the thread and a path
    const LONGEST: usize = 100;
    if !next.contains(']') {
        return false;
    }
    let from = crate::input::floor_char(line, line.len().saturating_sub(LONGEST));
    let tail = line.get(from..).unwrap_or("");
    let mut starts = tail.match_indices(['I', 'W', 'E', 'F']).filter(|(at, _)| {
        let is_word = *at == 0 || tail.as_bytes()[at - 1] == b' ';
        is_word
            && tail[at + 1..]
                .bytes()
                .take(4)
                .filter(u8::is_ascii_digit)
                .count()
                == 4
    });
    starts.next_back().is_some_and(|(at, _)| {
        let head = &tail[at..];
        !is_whole_header(head) && is_whole_header(&format!("{head}{between}{next}"))
    })
}

fn header(text: &str) -> Option<Header> {
    whole_header(text).or_else(|| partial_header(text))
}

fn whole_header(text: &str) -> Option<Header> {
    let severity = match text.as_bytes().first()? {
        b'I' => Severity::Info,
        b'W' => Severity::Warning,
        b'E' => Severity::Error,
        b'F' => Severity::Fatal,
        _ => return None,
    };
    if !text.as_bytes().get(1)?.is_ascii_digit() {
        return None;
    }
    let (time, length) = leading_klog_time(text.get(1..)?)?;
    let rest = text.get(1 + length..)?;
    let thread = rest.trim_start_matches(' ');
    let digits = thread.bytes().take_while(u8::is_ascii_digit).count();
    let caller = thread.get(digits..)?.strip_prefix(' ')?;
    if digits == 0 || thread.len() == rest.len() {
        return None;
    }
    let start = text.len() - caller.len();
    let caller = caller_end(&text[start..])?;
    Some(Header {
        severity: Some(severity),
        time: Some(time),
        caller: start..start + caller,
        rest: start + caller + 1,
    })
}

/// Returns the length of `file.go:12` before a `]`.
fn caller_end(text: &str) -> Option<usize> {
    let window = text.as_bytes().get(..text.len().min(200))?;
    let end = memchr(b']', window)?;
    let caller = text.get(..end)?;
    (is_caller(caller) || caller.starts_with("???:")).then_some(end)
}

fn partial_header(text: &str) -> Option<Header> {
    let window = text.as_bytes().get(..text.len().min(120))?;
    // cheap check: the first word rules out most texts
    let first = memchr2(b' ', b']', window)?;
    if window.get(first) == Some(&b' ')
        && !matches!(window.first(), Some(b'0'..=b'9' | b':' | b'.' | b' '))
    {
        return None;
    }
    let end = memchr(b']', window)?;
    let before = text.get(..end)?;
    let start = before.rfind(' ').map_or(0, |space| space + 1);
    let caller = &before[start..];
    let lost = &before[..start];
    let is_rest_of_header = lost
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b":. ".contains(&byte));
    let (_, after) = text.split_at(end + 1);
    if !is_rest_of_header
        || !is_caller(caller)
        || !caller.contains(".go:")
        || !after.starts_with(' ')
    {
        return None;
    }
    Some(Header {
        severity: None,
        time: None,
        caller: start..end,
        rest: end + 1,
    })
}

/// Extracts the time and the severity of a record that is not structured.
fn time_and_severity(text: &str) -> Option<(Option<Stamp>, Option<Severity>)> {
    let header = header(text)?;
    let rest = header.rest + usize::from(text[header.rest..].starts_with(' '));
    let stated = recorded(text, rest).and_then(|recorded| recorded.severity);
    let answered = || {
        let open = api_status::of_response(text.get(rest..)?)?;
        api_status::severity(text, rest + open)
    };
    Some((header.time, stated.or_else(answered).or(header.severity)))
}

/// Parses a record without its stack trace.
fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let header = header(text)?;
    let rest = header.rest + usize::from(text[header.rest..].starts_with(' '));
    let mut event = structured(payload, rest)
        .map(with_body)
        .or_else(|| recorded_event(payload, rest))
        .or_else(|| {
            let open = rest + api_status::of_response(&text[rest..])?;
            api_status::read(payload, open, Format::Klog)
        })
        .unwrap_or_else(|| {
            let message = payload.part(rest..text.len());
            // a structured message whose end is missing
            let cut = text[rest..].starts_with('"') && closing_quote(text, rest).is_none();
            Event {
                cut,
                ..Event::new(Format::Klog, payload.text().span(), message)
            }
        });
    event.time = header.time;
    event.severity = event.severity.or(header.severity);
    event.caller = Some(payload.part(header.caller));
    Some(event)
}

/// Replaces the message of a structured record by that of the API server's answer in its body.
fn with_body(event: Event<'_>) -> Event<'_> {
    if event.message.as_str() != "Response Body" {
        return event;
    }
    let body = event.field("body");
    match body.and_then(|body| api_status::of_value(body, Format::Klog)) {
        // the first line of the record does not show the severity
        Some(answer) => Event {
            span: event.span,
            severity: None,
            ..answer
        },
        None => event,
    }
}

fn structured<'a>(payload: &Payload<'a>, start: usize) -> Option<Event<'a>> {
    let text = payload.as_str();
    let (name, open) = match text.get(start..)? {
        rest if rest.starts_with('"') => (None, start),
        rest => {
            let is_name = |text: &str| {
                let mut bytes = text.bytes();
                !text.is_empty()
                    && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
            };
            // klogr separates its name by a space alone
            let separators = [": \"", " \"msg\"="].into_iter();
            let mut names = separators.filter_map(|mark| rest.split_once(mark));
            let (name, _) = names.find(|(name, _)| is_name(name))?;
            let length = name.len();
            let gap = if rest[length..].starts_with(':') {
                2
            } else {
                1
            };
            (Some(start..start + length), start + length + gap)
        }
    };
    let close = closing_quote(text, open)?;
    let span = payload.text().span();
    let mut event = if text.as_bytes().get(close + 1) == Some(&b'=') {
        let mut event = Event::new(Format::Klog, span, payload.part(start..start));
        let mut pairs = Pairs::quoted(payload, open);
        event.fields.extend(pairs.by_ref());
        event.cut = pairs.is_cut();
        let at = event.fields.iter().position(|field| field.key == "msg")?;
        event.message = event.fields.remove(at).value;
        event
    } else {
        let message = unquote_go(payload, open + 1..close);
        let mut event = Event::new(Format::Klog, span, message);
        let rest = text[close + 1..].trim_end();
        if !rest.is_empty() {
            // a sentence that starts with a quoted name is not a structured record
            let key = rest.strip_prefix(' ')?.split('=').next()?;
            let words = key.split(' ').take(4).collect::<Vec<_>>();
            if key.len() + 1 >= rest.len()
                || words.len() > 3
                || !words.iter().all(|word| is_plain_key(word))
            {
                return None;
            }
            let mut pairs = Pairs::quoted(payload, close + 1);
            event.fields.extend(pairs.by_ref());
            event.cut = pairs.is_cut();
        } else if name.is_some() && event.message.is_empty() {
            return None;
        }
        event
    };
    event.component = name.map(|range| payload.part(range));
    if let Some(at) = event.fields.iter().rposition(|field| field.key == "logger") {
        event.component = Some(event.fields.remove(at).value);
    }
    Some(event)
}

/// The parts of an event recorder's text, as ranges of it.
struct Recorded<'t> {
    reference: &'t str,
    severity: Option<Severity>,
    reason: Range<usize>,
    message: usize,
}

/// Parses `Event(v1.ObjectReference{Kind:"Pod", ...}): type: 'Warning' reason: 'X' text`.
fn recorded(text: &str, start: usize) -> Option<Recorded<'_>> {
    let rest = text.get(start..)?;
    if !rest.starts_with("Event(") {
        return None;
    }
    let open = rest.find("ObjectReference{").filter(|at| *at < 20)?;
    let close = rest.find("}): type: ")?;
    let reference = rest.get(open + "ObjectReference{".len()..close)?;
    let at = start + close + "}): type: ".len();
    let (kind, after) = single_quoted(text, at)?;
    let reason_at = after + " reason: ".len();
    text.get(after..)?.strip_prefix(" reason: ")?;
    let (reason, after) = single_quoted(text, reason_at)?;
    Some(Recorded {
        reference,
        severity: Severity::from_word(&text[kind]),
        reason,
        message: after + usize::from(text[after..].starts_with(' ')),
    })
}

fn recorded_event<'a>(payload: &Payload<'a>, start: usize) -> Option<Event<'a>> {
    let text = payload.as_str();
    let recorded = recorded(text, start)?;
    let mut event = Event::new(
        Format::Klog,
        payload.text().span(),
        payload.part(recorded.message..text.len()),
    );
    event.severity = recorded.severity;
    event.reason = Some(payload.part(recorded.reason));
    event.subject = referenced(recorded.reference);
    Some(event)
}

fn single_quoted(text: &str, open: usize) -> Option<(Range<usize>, usize)> {
    let inside = text.get(open..)?.strip_prefix('\'')?;
    let length = inside.find('\'')?;
    Some((open + 1..open + 1 + length, open + length + 2))
}

/// Parses the inside of a printed `ObjectReference`.
fn referenced(reference: &str) -> Subject {
    let value = |name: &str| {
        let inside = reference.match_indices(name).find_map(|(at, _)| {
            let begins = at == 0 || reference.as_bytes().get(at - 1) == Some(&b' ');
            reference[at + name.len()..]
                .strip_prefix(":\"")
                .filter(|_| begins)
        })?;
        let value = &inside[..inside.find('"')?];
        (!value.is_empty()).then(|| value.to_owned())
    };
    let kind = value("Kind");
    let name = value("Name");
    let node = name.clone().filter(|_| kind.as_deref() == Some("Node"));
    Subject {
        namespace: value("Namespace").filter(|_| kind.as_deref() != Some("Node")),
        container: value("FieldPath").and_then(|path| container_of(&path)),
        kind,
        name,
        node,
    }
}

/// Returns the container of a field path such as `spec.containers{web}`.
pub(super) fn container_of(path: &str) -> Option<String> {
    let (_, inside) = path.split_once('{')?;
    Some(inside.strip_suffix('}')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn event(text: &str) -> Event<'_> {
        read(&Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }))
        .unwrap()
    }

    #[test]
    fn structured_records() {
        let event = event(
            r#"E0304 05:06:07.123456    1234 pod_workers.go:1298] "Error syncing pod, skipping" err="failed to \"StartContainer\"" pod="dock/crane-0" logger="kubelet""#,
        );
        assert_eq!(event.severity, Some(Severity::Error));
        assert_eq!(event.message.as_str(), "Error syncing pod, skipping");
        assert_eq!(
            event.field("err").unwrap().as_str(),
            "failed to \"StartContainer\""
        );
        assert_eq!(event.component.as_ref().unwrap().as_str(), "kubelet");
        assert_eq!(
            event.caller.as_ref().unwrap().as_str(),
            "pod_workers.go:1298"
        );
        assert!(!event.time.unwrap().year_stated);
    }

    #[test]
    fn pairs_of_klogr() {
        for head in ["oven/bakes ", "oven/bakes: ", ""] {
            let text = format!(
                r#"E0304 05:06:07.123456 1 bake.go:9] {head}"msg"="cannot bake" "error"="no flour" "rye"=7"#
            );
            let event = event(&text);
            assert_eq!(event.message.as_str(), "cannot bake", "{head}");
            assert_eq!(event.field("error").unwrap().as_str(), "no flour");
            assert_eq!(event.component.is_some(), !head.is_empty());
        }
    }

    #[test]
    fn plain_records() {
        let quoted = event(r#"W0304 05:06:07.123456 1 x.go:7] "crane-0" is not known, retry=3"#);
        assert_eq!(
            quoted.message.as_str(),
            r#""crane-0" is not known, retry=3"#
        );
        let partial = event("import-loop.go:29] error processing pvc \"dock/data\"");
        assert_eq!(
            partial.message.as_str(),
            "error processing pvc \"dock/data\""
        );
        assert_eq!((partial.severity, partial.time), (None, None));
    }

    #[test]
    fn recorded_events() {
        let event = event(
            r#"I0304 05:06:07.123456 1 event.go:221] Event(v1.ObjectReference{Kind:"Pod", Namespace:"dock", Name:"crane-0", UID:"1-2", APIVersion:"v1", ResourceVersion:"7", FieldPath:"spec.containers{arm}"}): type: 'Warning' reason: 'FailedMount' MountVolume.SetUp failed"#,
        );
        assert_eq!(event.reason.as_ref().unwrap().as_str(), "FailedMount");
        assert_eq!(event.severity, Some(Severity::Warning));
        assert_eq!(event.subject.to_string(), "Pod dock/crane-0");
        assert_eq!(event.subject.container.as_deref(), Some("arm"));
        assert_eq!(event.message.as_str(), "MountVolume.SetUp failed");
    }

    #[test]
    fn mangled_recorded_events() {
        let event = event("I0304 05:06:07.1 1 event.go:2] Event(}): type: ObjectReference{");
        assert_eq!(event.reason, None);
    }

    #[test]
    fn other_lines() {
        for line in [
            "Error: x",
            "I0304",
            "E1234 is a code",
            "[1] x.go:1] y",
            "a.go:1]",
            "Events:",
        ] {
            assert!(!detect(line), "{line}");
        }
    }
}
