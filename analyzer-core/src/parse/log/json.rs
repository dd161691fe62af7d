//! Logs with one JSON object a line: zap (production, development, istio, etcd), logrus, klog,
//! log/slog, zerolog, hclog, pino and what looks like them.
//!
//! Accepted: an object with a message and a level or a time under one of the usual names; it may
//! be cut off, or have junk behind it. Refused: any other object, such as a Kubernetes object or
//! an API server's `Status`. Values keep their text: strings are decoded, nested values stand as
//! they are written.

use super::level;
use super::members::{Member, Members, ValueKind, string_member};
use super::payload::Payload;
use super::timestamp;
use crate::model::{Event, Field, Format, Severity, Text, TextBuilder};

/// The names that a writer gives to a record's own parts.
struct Names {
    time: &'static [&'static str],
    level: &'static [&'static str],
    message: &'static [&'static str],
    logger: &'static [&'static str],
    caller: &'static [&'static str],
    stack: &'static [&'static str],
    /// Whether the logger and the caller stand before the message, so that later members of
    /// these names are the user's.
    in_front: bool,
}

const ZAP: Names = Names {
    time: &["ts"],
    level: &["level"],
    message: &["msg"],
    logger: &["logger"],
    caller: &["caller"],
    stack: &["stacktrace"],
    in_front: true,
};
const ZAP_DEVELOPMENT: Names = Names {
    time: &["T"],
    level: &["L"],
    message: &["M"],
    logger: &["N"],
    caller: &["C"],
    stack: &["S"],
    in_front: true,
};
const LOGRUS: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["msg"],
    logger: &["component"],
    caller: &["file"],
    stack: &[],
    in_front: false,
};
const SLOG: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["msg"],
    logger: &["logger", "component"],
    caller: &["source"],
    stack: &[],
    in_front: false,
};
const ZEROLOG: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["message"],
    logger: &["component", "logger"],
    caller: &["caller"],
    stack: &["stack"],
    in_front: false,
};
const HCLOG: Names = Names {
    time: &["@timestamp"],
    level: &["@level"],
    message: &["@message"],
    logger: &["@module"],
    caller: &["@caller"],
    stack: &["stacktrace"],
    in_front: false,
};
const BUNYAN: Names = Names {
    time: &["time"],
    level: &["level"],
    message: &["msg"],
    logger: &["name"],
    caller: &[],
    stack: &[],
    in_front: false,
};
const ANY: Names = Names {
    time: &["ts", "time", "timestamp", "@timestamp", "T", "asctime", "t"],
    level: &["level", "severity", "lvl", "L", "levelname", "log.level"],
    message: &["msg", "message", "M", "MESSAGE"],
    logger: &["logger", "scope", "N", "module", "component", "logger_name"],
    caller: &["caller", "C", "source"],
    stack: &["stacktrace", "stack", "stack_trace", "S"],
    in_front: false,
};

/// Whether a line is a log record of this form.
pub(super) fn detect(text: &str) -> bool {
    if !text.starts_with('{') {
        return false;
    }
    let has = |names: &[&[&str]], key: &str| names.iter().any(|names| names.contains(&key));
    let (mut time, mut level, mut message) = (false, false, false);
    for (index, member) in Members::new(text, 0).enumerate() {
        let key = text.get(member.key).unwrap_or("");
        if index == 0 && matches!(key, "apiVersion" | "kind") {
            return false;
        }
        let plain = member.kind != ValueKind::Nested;
        time |= plain && has(&[ANY.time, HCLOG.time], key);
        level |= plain && has(&[ANY.level, HCLOG.level], key);
        message |= member.kind == ValueKind::String && has(&[ANY.message, HCLOG.message], key);
        if (message && (time || level)) || (time && level) {
            return true;
        }
    }
    false
}

fn names(text: &str, members: &[Member]) -> &'static Names {
    let key = |index: usize| {
        let member: Option<&Member> = members.get(index);
        member
            .and_then(|member| text.get(member.key.clone()))
            .unwrap_or("")
    };
    let has = |name: &str| (0..members.len()).any(|index| key(index) == name);
    let sorted = (1..members.len()).all(|index| key(index - 1) <= key(index));
    match (key(0), key(1)) {
        _ if has("@level") || has("@message") => &HCLOG,
        _ if has("hostname") && has("pid") && has("level") && has("msg") => &BUNYAN,
        ("L", _) => &ZAP_DEVELOPMENT,
        ("level", "ts") | ("ts", _) => &ZAP,
        ("time", "level") => &SLOG,
        _ if sorted && has("time") && has("level") && has("msg") => &LOGRUS,
        ("level", _) if key(members.len().saturating_sub(1)) == "message" => &ZEROLOG,
        _ => &ANY,
    }
}

/// Reads a record.
pub(super) fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    if !text.starts_with('{') {
        return None;
    }
    let members: Vec<Member> = Members::new(text, 0).collect();
    let names = names(text, &members);
    let key = |member: &Member| text.get(member.key.clone()).unwrap_or("");
    // zerolog's own message is its last one, everywhere else the first is the writer's own
    let own = |wanted: &[&str]| {
        members
            .iter()
            .position(|member| wanted.contains(&key(member)))
    };
    let message = if std::ptr::eq(names, &ZEROLOG) {
        members.len().checked_sub(1)
    } else {
        own(names.message)
    };
    let front = |wanted: &[&str]| {
        own(wanted)
            .filter(|index| !names.in_front || message.is_none_or(|message| *index < message))
    };
    let (time, level, stack) = (own(names.time), own(names.level), own(names.stack));
    let (logger, caller) = (front(names.logger), front(names.caller));

    let empty = payload.part(0..0);
    let mut event = Event::new(Format::JsonLog, payload.text().span(), empty);
    event.fields.reserve(members.len());
    for (index, member) in members.iter().enumerate() {
        let at = Some(index);
        if at == time
            && let Some(stamp) = text.get(member.value.clone()).and_then(timestamp::parse)
        {
            event.time = Some(stamp);
        } else if at == level && member.kind != ValueKind::Nested {
            level::set(&mut event, member.text(payload));
        } else if at == message {
            event.message = member.text(payload);
        } else if at == stack && member.kind == ValueKind::String {
            event.stack = Some(payload.text().source_span(member.value.clone()));
        } else if at == logger && member.kind == ValueKind::String {
            event.component = Some(member.text(payload));
            if key(member) == "component" {
                event.fields.push(field(payload, member));
            }
        } else if at == caller && member.kind == ValueKind::String {
            event.caller = Some(member.text(payload));
        } else if at == caller && member.kind == ValueKind::Nested {
            event.caller = source(payload, member);
        } else {
            event.fields.push(field(payload, member));
        }
    }
    if level.is_none() && std::ptr::eq(names, &ZAP) {
        // klog's JSON has no level: information has a verbosity, errors have none
        let verbose = event.field("v").is_some();
        event.severity = Some(if verbose {
            Severity::Info
        } else {
            Severity::Error
        });
    }
    Some(event)
}

fn field<'a>(payload: &Payload<'a>, member: &Member) -> Field<'a> {
    Field {
        key: member.name(payload),
        value: member.text(payload),
    }
}

/// slog's `{"function":"..","file":"x.go","line":7}` as `x.go:7`.
fn source<'a>(payload: &Payload<'a>, member: &Member) -> Option<Text<'a>> {
    let text = payload.as_str();
    string_member(text.get(member.value.clone())?, "file")?;
    let (mut file, mut line) = (None, None);
    // one level down, where a value is a range of the whole text again
    for inner in Members::new(text, member.value.start) {
        match text.get(inner.key.clone())? {
            "file" => file = Some(inner.text(payload)),
            "line" => line = Some(inner.text(payload)),
            _ => {}
        }
    }
    let mut builder = TextBuilder::new();
    let file = file?;
    builder.push_text(&file);
    if let Some(line) = line {
        let between = file.span().end..line.span().start.max(file.span().end);
        builder.push_decoded(":", between);
        builder.push_text(&line);
    }
    Some(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn event(text: &str) -> Event<'_> {
        assert!(detect(text), "{text}");
        read(&Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }))
        .unwrap()
    }

    #[test]
    fn zap() {
        let text = r#"{"level":"error","ts":1709528767.1234567,"logger":"ctrl","caller":"app/sync.go:88","msg":"sync of \"a\" failed","key":"dock/a","obj":{"name":"a"},"error":"not found","stacktrace":"main.sync\n\t/src/sync.go:88"} junk"#;
        let event = event(text);
        assert_eq!(event.message.as_str(), "sync of \"a\" failed");
        assert_eq!(event.field("obj").unwrap().as_str(), r#"{"name":"a"}"#);
        assert_eq!(event.component.as_ref().unwrap().as_str(), "ctrl");
        assert!(text[event.stack.clone().unwrap()].starts_with("main.sync\\n"));
        assert_eq!(event.time.unwrap().digits, 7);
    }

    #[test]
    fn other_writers() {
        let klog = event(
            r#"{"ts":1709528768000.1,"caller":"kubelet/pod.go:9","msg":"Failed","err":"timeout"}"#,
        );
        assert_eq!(klog.severity, Some(Severity::Error));
        let slog = event(
            r#"{"time":"2024-03-04T05:06:07Z","level":"WARN","source":{"function":"f","file":"/src/a.go","line":7},"msg":"slow"}"#,
        );
        assert_eq!(slog.caller.unwrap().as_str(), "/src/a.go:7");
        let zerolog = event(r#"{"level":"info","msg":"mine","time":1709528767,"message":"ready"}"#);
        assert_eq!(zerolog.message.as_str(), "ready");
        let logrus = event(
            r#"{"level":"info","message":"mine","msg":"ready","time":"2024-03-04T05:06:07Z"}"#,
        );
        assert_eq!(logrus.message.as_str(), "ready");
    }

    #[test]
    fn other_objects() {
        for line in [
            r#"{"apiVersion":"v1","kind":"Pod","message":"x","time":"y"}"#,
            r#"{"kind":"Status","message":"x"}"#,
            r#"{"a":1}"#,
            "{",
            "{{ .Values.msg }}",
        ] {
            assert!(!detect(line), "{line}");
        }
    }
}
