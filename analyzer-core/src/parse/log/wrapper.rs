//! What carriers put around a log line: the CRI's and docker's log files, `kubectl logs
//! --timestamps` and `--prefix`, journald's and syslog's short forms, and the date that Go's log
//! package and many programs write before their text.
//!
//! A carrier is peeled off whatever the payload is; its time is the record's where the payload
//! has none.

use std::ops::Range;

use memchr::memchr;

use super::forms;
use super::members::{Members, ValueKind};
use super::payload::Payload;
use super::quote::unquote_json;
use super::timestamp::{leading_date_time, leading_syslog_time};
use crate::model::{Stamp, Text};

/// What the carriers of a line say.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrapper<'a> {
    /// Whether any carrier was there.
    pub present: bool,
    pub time: Option<Stamp>,
    pub node: Option<Text<'a>>,
    pub program: Option<Text<'a>>,
    pub pod: Option<Text<'a>>,
    pub container: Option<Text<'a>>,
    /// The stream, where the carrier tells: whether it is standard error.
    pub stderr: Option<bool>,
    /// Whether the line goes on in the stream's next one.
    pub partial: bool,
}

/// Peels the carriers off a line; at most three around each other.
pub(super) fn peel(line: Payload<'_>) -> (Wrapper<'_>, Payload<'_>) {
    let mut wrapper = Wrapper::default();
    let mut payload = line;
    for _ in 0..3 {
        match peel_one(&payload, &mut wrapper) {
            Some(inner) => {
                wrapper.present = true;
                payload = inner;
            }
            None => break,
        }
    }
    (wrapper, payload)
}

fn peel_one<'a>(payload: &Payload<'a>, wrapper: &mut Wrapper<'a>) -> Option<Payload<'a>> {
    let carrier = carrier(payload.as_str())?;
    wrapper.time = carrier.time.or(wrapper.time);
    match carrier.names {
        Names::None => {}
        Names::Program { node, program } => {
            wrapper.node = Some(payload.part(node));
            wrapper.program = Some(payload.part(program));
        }
        Names::Container { pod, container } => {
            wrapper.pod = Some(payload.part(pod));
            wrapper.container = Some(payload.part(container));
        }
    }
    if let Some(stderr) = carrier.stderr {
        wrapper.stderr = Some(stderr);
        wrapper.partial = carrier.partial;
    }
    match carrier.inner {
        Inner::From(start) => Some(payload.skip(start)),
        Inner::Encoded(log) => {
            let decoded = unquote_json(payload, log);
            let kept = without_line_end(decoded.as_str());
            wrapper.partial = kept.len() == decoded.as_str().len();
            let kept = kept.strip_suffix('\r').unwrap_or(kept).len();
            Some(Payload::from_text(decoded.slice(0..kept)))
        }
    }
}

/// What one carrier says and where its payload is, as ranges of the text.
pub(super) struct Carrier {
    pub time: Option<Stamp>,
    pub inner: Inner,
    names: Names,
    stderr: Option<bool>,
    partial: bool,
}

pub(super) enum Inner {
    /// The rest of the text from a byte on.
    From(usize),
    /// The inside of a JSON string.
    Encoded(Range<usize>),
}

enum Names {
    None,
    Program {
        node: Range<usize>,
        program: Range<usize>,
    },
    Container {
        pod: Range<usize>,
        container: Range<usize>,
    },
}

impl Carrier {
    fn new(time: Option<Stamp>, names: Names, inner: usize) -> Self {
        Carrier {
            time,
            names,
            inner: Inner::From(inner),
            stderr: None,
            partial: false,
        }
    }
}

/// A decoded line of docker's without its line end.
pub(super) fn without_line_end(value: &str) -> &str {
    value.strip_suffix('\n').unwrap_or(value)
}

/// The outermost carrier of a line, if it has one.
pub(super) fn carrier(text: &str) -> Option<Carrier> {
    match text.as_bytes().first()? {
        b'0'..=b'9' => dated(text),
        b'A'..=b'Z' => {
            let (time, length) = leading_syslog_time(text)?;
            let (names, inner) = program(text, length, false)?;
            Some(Carrier::new(Some(time), names, inner))
        }
        b'{' if text.starts_with("{\"log\":\"") => docker(text),
        b'[' if text.starts_with("[pod/") => {
            let close = text.find("] ")?;
            let (pod, container) = text[5..close].split_once('/')?;
            if pod.contains(' ') || container.contains(' ') {
                return None;
            }
            let names = Names::Container {
                pod: 5..5 + pod.len(),
                container: 6 + pod.len()..close,
            };
            Some(Carrier::new(None, names, close + 2))
        }
        _ => None,
    }
}

fn dated(text: &str) -> Option<Carrier> {
    let separator = text.as_bytes().get(10).copied();
    if !matches!(separator, Some(b'T' | b' ')) {
        return None;
    }
    let (time, length) = leading_date_time(text)?;
    let rest = text[length..].strip_prefix(' ')?;
    // Go's log package and nginx write the date with slashes
    let with_slashes = separator == Some(b' ') && text.as_bytes().get(4) == Some(&b'/');
    let with_zone = separator == Some(b'T') && time.zone_stated;
    if !with_zone && !with_slashes {
        return None;
    }
    for (stream, stderr) in [("stdout ", false), ("stderr ", true)] {
        let Some(tags) = rest.strip_prefix(stream) else {
            continue;
        };
        let tag_length = memchr(b' ', tags.as_bytes()).unwrap_or(tags.len());
        let tag = tags[..tag_length].split(':').next().unwrap_or("");
        if tag != "F" && tag != "P" {
            continue;
        }
        let skip = length + 1 + stream.len() + tag_length;
        return Some(Carrier {
            stderr: Some(stderr),
            partial: tag == "P",
            ..Carrier::new(Some(time), Names::None, (skip + 1).min(text.len()))
        });
    }
    // a line with a form of its own begins with its own time
    if forms::find(text).is_some() {
        return None;
    }
    if !with_slashes && let Some((names, inner)) = program(text, length, true) {
        return Some(Carrier::new(Some(time), names, inner));
    }
    // a table's row has more blanks or an event's type behind its time
    let row = [" ", "\t", "Normal ", "Warning "];
    let is_row = rest.is_empty() || row.iter().any(|start| rest.starts_with(start));
    if time.digits == 0 && is_row {
        return None;
    }
    Some(Carrier::new(Some(time), Names::None, length + 1))
}

/// ` node program[pid]: ` behind journald's time, and where it ends; where `strict`, only the
/// kernel has no pid.
fn program(text: &str, at: usize, strict: bool) -> Option<(Names, usize)> {
    let rest = text.get(at..)?.strip_prefix(' ')?;
    let host_length = memchr(b' ', rest.as_bytes()).filter(|length| *length > 0)?;
    let behind = &rest[host_length + 1..];
    let word_length = memchr(b' ', behind.as_bytes()).unwrap_or(behind.len());
    let word = behind[..word_length].strip_suffix(':')?;
    let name_length = match word.strip_suffix(']') {
        Some(open) => {
            let bracket = open.find('[')?;
            let pid = &open[bracket + 1..];
            if pid.is_empty() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            bracket
        }
        None if strict && word != "kernel" => return None,
        None => word.len(),
    };
    let accepted = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@:()".contains(&byte);
    let host = &rest[..host_length];
    if name_length == 0
        || !word[..name_length].bytes().all(accepted)
        || !host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        || host.ends_with(':')
    {
        return None;
    }
    let start = at + 1 + host_length + 1;
    let names = Names::Program {
        node: at + 1..at + 1 + host_length,
        program: start..start + name_length,
    };
    Some((names, (start + word_length + 1).min(text.len())))
}

fn docker(text: &str) -> Option<Carrier> {
    let (mut log, mut stderr, mut time) = (None, None, None);
    for member in Members::new(text, 0) {
        if member.kind != ValueKind::String {
            continue;
        }
        match text.get(member.key.clone())? {
            "log" => log = Some(member.value),
            "stream" => stderr = Some(text.get(member.value)? == "stderr"),
            "time" => time = leading_date_time(text.get(member.value)?).map(|(time, _)| time),
            _ => {}
        }
    }
    let (log, stderr, time) = (log?, stderr?, time?);
    Some(Carrier {
        stderr: Some(stderr),
        inner: Inner::Encoded(log),
        ..Carrier::new(Some(time), Names::None, 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn peeled(text: &str) -> (Wrapper<'_>, String) {
        let (wrapper, payload) = peel(Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }));
        let inner = payload.as_str().to_owned();
        (wrapper, inner)
    }

    #[test]
    fn carriers() {
        let (wrapper, inner) = peeled("Nov 20 10:00:00 node-1 kubelet[812]: E1120 10:00:00.1 x");
        assert_eq!(inner, "E1120 10:00:00.1 x");
        assert_eq!(wrapper.node.unwrap().as_str(), "node-1");
        assert_eq!(wrapper.program.unwrap().as_str(), "kubelet");
        let (wrapper, inner) = peeled("2024-03-04T05:06:07.1+08:00 stderr P half a li");
        assert_eq!(
            (inner.as_str(), wrapper.partial, wrapper.stderr),
            ("half a li", true, Some(true))
        );
        let (wrapper, inner) = peeled(
            r#"{"log":"a \u003cb\u003e\n","stream":"stderr","time":"2024-03-04T05:06:07.1Z"}"#,
        );
        assert_eq!((inner.as_str(), wrapper.partial), ("a <b>", false));
        let (wrapper, inner) = peeled("[pod/web-0/app] 2024-03-04T05:06:07.1Z GET /");
        assert_eq!(inner, "GET /");
        assert_eq!(wrapper.pod.unwrap().as_str(), "web-0");
        assert!(wrapper.time.is_some());
    }

    #[test]
    fn dates_before_text() {
        let (wrapper, inner) = peeled("2024/03/04 05:06:07 attempt 1/3: no answer");
        assert_eq!(inner, "attempt 1/3: no answer");
        assert!(wrapper.program.is_none() && wrapper.time.is_some());
        let (wrapper, inner) = peeled("2024-03-04T05:06:07+0000 n1 containerd[60]: ready");
        assert_eq!((inner.as_str(), wrapper.program.is_some()), ("ready", true));
    }

    #[test]
    fn what_is_no_carrier() {
        for text in [
            "2024-03-04T05:06:07Z\tINFO\tready",
            "2024-03-04T05:06:07.123Z INFO ready",
            "2024-03-04T05:06:07Z Warning FailedMount pod/crane-0",
            "2024-03-04T05:06:07Z   crane-0   Running",
            "2024-03-04 05:06:07 was a Monday",
            "Mar 2024 was cold",
            "Name: x",
            "[pod/cut",
        ] {
            assert!(!peeled(text).0.present, "{text}");
        }
    }
}
