//! JSON logs with one object per line: zap (production, development, istio, etcd), logrus, klog,
//! log/slog, zerolog, hclog, pino and similar writers.
//!
//! Accepted: an object with a message and a level or a time under one of the usual names, possibly
//! truncated or followed by other text. Rejected: any other object, such as a Kubernetes object or
//! an API server's `Status`. String values are decoded; nested values are kept as written.

use super::formats::{Follow, FormatSpec};
use super::json_members::{Member, Members, ValueKind, nested_end, string_member};
use super::level;
use super::payload::Payload;
use super::record::error_field;
use super::timestamp;
use super::zap_console::is_caller;
use kwhy_model::{Event, Format, Severity, Text, TextBuilder};

mod cloudnative_pg;
mod encoded;
mod header;
mod inside;
mod mongodb;
mod names;
mod roles;

use inside::{add_error, holds_record, take_inside};
use names::{Keys, MONGODB, ZAP, ZEROLOG, role};

/// One object per line.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::JsonLog,
    first: b"{",
    begins: detect,
    read,
    show: |_, text| header::time_and_severity(text),
    follow: Follow::ONE_LINE,
};

/// Returns true if an object is a log record, on one line or several.
pub(super) fn detect(text: &str) -> bool {
    if !text.starts_with('{') {
        return false;
    }
    let mut keys = Keys::default();
    for member in Members::new(text, 0) {
        let key = text.get(member.key).unwrap_or("");
        keys.see(key, role(key), member.kind);
        if keys.is_other() {
            return false;
        }
        if keys.are_record() {
            return true;
        }
    }
    keys.may_be_record() && holds_record(text)
}

/// Returns true if a text is one whole object.
pub(super) fn is_whole(text: &str) -> bool {
    nested_end(text, 0) == Some(text.trim_end().len())
}

/// Returns true if a text is a complete object with a message that is not a Kubernetes object.
pub(super) fn is_said(text: &str) -> bool {
    const MESSAGE: &[&str] = &["msg", "message", "event", "log_message"];
    let mut said = false;
    let mut members = Members::new(text, 0);
    for member in members.by_ref() {
        let key = text.get(member.key).unwrap_or("");
        if matches!(key, "apiVersion" | "kind") {
            return false;
        }
        said |= member.kind == ValueKind::String && MESSAGE.contains(&key);
    }
    said && text.starts_with('{') && members.end() == Some(text.trim_end().len())
}

/// The keys of a record.
fn keys<'t>(text: &'t str, members: &[Member]) -> Keys<'t> {
    let mut keys = Keys::default();
    for member in members {
        let key = text.get(member.key.clone()).unwrap_or("");
        keys.see(key, role(key), member.kind);
    }
    keys
}

/// Returns the severity of klog's JSON, which has no level: information has a verbosity, errors do
/// not.
fn klog_severity(verbose: bool) -> Severity {
    if verbose {
        Severity::Info
    } else {
        Severity::Error
    }
}

/// Parses a record.
fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    if !text.starts_with('{') {
        return None;
    }
    let mut walk = Members::new(text, 0);
    let mut members: Vec<Member> = walk.by_ref().collect();
    let keys = keys(text, &members);
    let names = keys.names();
    let key = |member: &Member| text.get(member.key.clone()).unwrap_or("");
    // zerolog writes its own message last; elsewhere the first message is the writer's own
    let own = |wanted: &[&str]| {
        members
            .iter()
            .position(|member| wanted.contains(&key(member)))
    };
    // the first of several names whose value is accepted
    let of_any = |wanted: &[&str], accepts: &dyn Fn(&str) -> bool| {
        members.iter().position(|member| {
            wanted.contains(&key(member))
                && member.kind != ValueKind::Nested
                && text.get(member.value.clone()).is_some_and(accepts)
        })
    };
    let is_zerolog = std::ptr::eq(names, &ZEROLOG);
    let is_mongodb = std::ptr::eq(names, &MONGODB);
    let mut message = if is_zerolog {
        members.len().checked_sub(1)
    } else {
        let said = |member: &Member| {
            member.kind == ValueKind::String && names.message.contains(&key(member))
        };
        members.iter().position(said).or_else(|| own(names.message))
    };
    // a truncated value still has a text, but neither a time nor a level
    let cut = walk.cut_string();
    let is_message = |member: &Member| names.message.contains(&key(member));
    if (is_zerolog || message.is_none()) && cut.as_ref().is_some_and(is_message) {
        message = Some(members.len());
    }
    let text_at = message;
    let front = |wanted: &[&str]| {
        own(wanted)
            .filter(|index| !names.in_front || text_at.is_none_or(|message| *index < message))
    };
    let (mut time, mut level, stack) = (own(names.time), own(names.level), own(names.stack));
    if names.is_any() {
        time = of_any(names.time, &|time| timestamp::parse(time).is_some()).or(time);
        level = of_any(names.level, &|word| level::severity(word).is_some()).or(level);
    }
    if std::ptr::eq(names, &ZAP) {
        // klog writes no level, so one after the message is the user's
        level = front(names.level);
    }
    if is_zerolog {
        // the user's members precede the writer's own
        time = members
            .iter()
            .rposition(|member| names.time.contains(&key(member)));
    }
    let (mut logger, mut caller) = (front(names.logger), front(names.caller));
    let is_plain = |member: &Member| member.kind != ValueKind::Nested;
    let is_text = |member: &Member| member.kind == ValueKind::String;
    if message.is_none() {
        message = roles::find(text, &members, roles::MESSAGE, is_text);
    }
    let line_read = match keys.are_collected() {
        true => roles::find(text, &members, roles::LINE_READ, is_text),
        false => None,
    };
    message = line_read.or(message);
    if !std::ptr::eq(names, &ZAP) {
        time = time.or_else(|| {
            roles::find(text, &members, roles::TIME, |member| {
                is_plain(member)
                    && text
                        .get(member.value.clone())
                        .and_then(timestamp::parse)
                        .is_some()
            })
        });
        level = level.or_else(|| {
            roles::find(text, &members, roles::LEVEL, |member| {
                is_plain(member)
                    && text
                        .get(member.value.clone())
                        .and_then(level::severity)
                        .is_some()
            })
        });
    }
    let mut line = None;
    if names.is_any() {
        let is_free = |at: &usize| Some(*at) != message && Some(*at) != level;
        logger =
            logger.or_else(|| roles::find(text, &members, roles::LOGGER, is_text).filter(is_free));
        let is_place = |member: &Member| {
            member.kind == ValueKind::String
                && text.get(member.value.clone()).is_some_and(is_caller)
                || member.kind == ValueKind::Nested && source(payload, member).is_some()
        };
        caller = caller
            .filter(|at| members.get(*at).is_some_and(is_place))
            .or_else(|| roles::find(text, &members, roles::CALLER, is_place));
        if caller.is_none() {
            line = roles::find(text, &members, roles::LINE, is_plain);
            caller = roles::find(text, &members, roles::FILE, is_text).filter(|_| line.is_some());
            line = line.filter(|_| caller.is_some());
        }
    } else {
        // tracing's events, whose members are beside the record's own
        let is_target = |member: &Member| {
            is_text(member)
                && text.get(member.value.clone()).is_some_and(|name| {
                    name.starts_with(|first: char| first.is_ascii_alphabetic())
                        && name
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || b"_:.-".contains(&byte))
                })
        };
        let target = || {
            keys.has_timestamp
                .then(|| roles::find(text, &members, &["target"], is_target))
                .flatten()
        };
        logger = logger.or_else(|| front(&["N", "logger"])).or_else(target);
        caller = caller.or_else(|| front(&["C", "caller"]));
    }
    if caller.is_none() {
        let is_caller = |member: &Member| {
            is_text(member) && text.get(member.value.clone()).is_some_and(is_caller)
        };
        caller = roles::find(text, &members, &["file"], is_caller);
        if caller.is_none() {
            let number = roles::find(text, &members, &["line", "line_number"], |member| {
                member.kind == ValueKind::Literal
            });
            caller = roles::find(text, &members, &["file", "filename"], is_text)
                .filter(|_| number.is_some());
            line = number.filter(|_| caller.is_some());
        }
        if line.is_some() {
            logger = logger.or_else(|| roles::find(text, &members, &["target"], is_text));
        }
    }
    if caller.is_none() {
        // bunyan's `src`
        caller = roles::find(text, &members, &["src"], |member| {
            member.kind == ValueKind::Nested && source(payload, member).is_some()
        });
    }

    let verbose = members.iter().any(|member| key(member) == "v");

    members.extend(cut);
    let empty = payload.part(0..0);
    let mut event = Event::new(Format::JsonLog, payload.text().span(), empty);
    event.cut = walk.is_cut();
    event.fields.reserve(members.len());
    for (index, member) in members.iter().enumerate() {
        let at = Some(index);
        let stamp = || {
            let time = text.get(member.value.clone())?;
            match is_mongodb {
                true => mongodb::time(time),
                false => timestamp::parse(time),
            }
        };
        if at == time
            && let Some(stamp) = stamp()
        {
            event.time = Some(stamp);
        } else if at == level && is_mongodb {
            event.severity = text.get(member.value.clone()).and_then(mongodb::severity);
        } else if at == level && member.kind != ValueKind::Nested {
            level::set_field(&mut event, member.field_named("level", payload));
        } else if at == message {
            event.message = member.text(payload);
        } else if at == stack && member.kind == ValueKind::String {
            event.stack = Some(payload.text().source_span(member.value.clone()));
        } else if at == logger && member.kind == ValueKind::String {
            event.component = Some(member.text(payload));
            if key(member) == "component" {
                event.fields.push(member.field(payload));
            }
        } else if let Some(line) = line
            .and_then(|line| members.get(line))
            .filter(|_| at == caller)
        {
            event.caller = Some(place(&member.text(payload), Some(line.text(payload))));
        } else if line.is_some() && at == line {
        } else if at == caller && member.kind == ValueKind::String {
            event.caller = Some(member.text(payload));
        } else if at == caller && member.kind == ValueKind::Nested {
            event.caller = source(payload, member);
        } else {
            if roles::may_hold(text, member)
                && take_inside(&mut event, payload, member, message.is_none())
            {
                continue;
            }
            if is_mongodb && key(member) == "attr" {
                mongodb::add_attributes(&mut event, payload, member);
            }
            event.fields.push(member.field(payload));
            if member.kind == ValueKind::Nested && matches!(key(member), "err" | "error") {
                add_error(&mut event, payload, member);
            }
            if member.kind == ValueKind::String && FLAT_ERRORS.contains(&key(member)) {
                event.fields.push(error_field(member.text(payload)));
            }
        }
    }
    if level.is_none() && std::ptr::eq(names, &ZAP) {
        event.severity = Some(klog_severity(verbose));
    }
    if event.message.as_str() == "record"
        && let Some(record) = members.iter().find(|member| key(member) == "record")
    {
        cloudnative_pg::unwrap(&mut event, payload, record);
    }
    event.envelope = encoded::envelope(payload, &members);
    let is_line = message
        .and_then(|at| members.get(at))
        .is_some_and(|member| {
            member.kind == ValueKind::String
                && (keys.is_message_read() || key(member) == "textPayload")
        });
    Some(match line_read {
        Some(_) => encoded::unwrapped(event),
        None if is_line => encoded::unfolded(event),
        None => event,
    })
}

/// Names of an error's message where objects are written flat: the Elastic Common Schema (`error.*`) and OpenTelemetry's
/// semantic conventions (`exception.*`).
const FLAT_ERRORS: [&str; 2] = ["error.message", "exception.message"];

/// Formats slog's `{"function":"..","file":"x.go","line":7}` as `x.go:7`.
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
    Some(place(&file?, line))
}

/// Joins a file and a line.
fn place<'a>(file: &Text<'a>, line: Option<Text<'a>>) -> Text<'a> {
    let mut builder = TextBuilder::new();
    builder.push_text(file);
    if let Some(line) = line {
        let between = file.span().end..line.span().start.max(file.span().end);
        builder.push_decoded(":", between);
        builder.push_text(&line);
    }
    builder.finish()
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
    fn flat_errors() {
        for name in ["error.message", "exception.message"] {
            let text = format!(
                r#"{{"@timestamp":"2024-03-04T05:06:07.123Z","log.level":"ERROR","message":"no start","{name}":"open /srv/oven: permission denied"}}"#
            );
            let event = event(&text);
            assert_eq!(
                event.field("error").unwrap().as_str(),
                "open /srv/oven: permission denied"
            );
        }
    }

    #[test]
    fn records_of_postgresql() {
        let text = r#"{"level":"info","ts":"2024-03-04T05:06:07Z","logger":"postgres","msg":"record","logging_pod":"db-1","record":{"log_time":"2024-03-04 05:06:07.123 UTC","error_severity":"FATAL","sql_state_code":"28P01","message":"no \"bread\" for you","detail":"it is cold"}}"#;
        let event = event(text);
        assert_eq!(event.severity, Some(Severity::Error));
        assert_eq!(event.message.as_str(), "no \"bread\" for you");
        assert_eq!(event.field("detail").unwrap().as_str(), "it is cold");
        assert_eq!(event.field("sql_state_code").unwrap().as_str(), "28P01");
        // another program's own word
        let other = super::tests::event(
            r#"{"level":"info","ts":"2024-03-04T05:06:07Z","msg":"record","record":{"message":"x"}}"#,
        );
        assert_eq!(other.message.as_str(), "record");
        assert_eq!(other.severity, Some(Severity::Info));
    }

    #[test]
    fn mongodb() {
        let text = r#"{"t":{"$date":"2024-03-04T05:06:07.123+00:00"},"s":"E","c":"STORAGE","id":22435,"ctx":"initandlisten","msg":"WiredTiger error","attr":{"error":13,"message":"open: Permission denied"}}"#;
        let event = event(text);
        assert_eq!(event.message.as_str(), "WiredTiger error");
        assert_eq!(event.severity, Some(Severity::Error));
        assert_eq!(event.component.as_ref().unwrap().as_str(), "STORAGE");
        assert!(event.time.is_some());
        assert_eq!(
            event.field("message").unwrap().as_str(),
            "open: Permission denied"
        );
        let text = r#"{"t":{"$date":"2024-03-04T05:06:07.123+00:00"},"s":"D2","c":"REPL","id":1,"ctx":"x","msg":"heartbeat","attr":{"error":{"code":13,"errmsg":"not allowed"}}}"#;
        let event = super::tests::event(text);
        assert_eq!(event.severity, Some(Severity::Debug));
        assert_eq!(event.field("error").unwrap().as_str(), "not allowed");
        assert!(!detect(r#"{"s":"E","c":"STORAGE","id":1}"#));
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
    fn truncated_records_are_marked() {
        let whole =
            r#"{"level":"error","ts":1709528767.5,"msg":"lift \"a\" failed","n":{"a":"b"}}"#;
        let message = whole.find("lift").unwrap();
        for end in message..whole.len() {
            let event = event(&whole[..end]);
            assert!(event.cut, "{end}");
            assert!("lift \"a\" failed".starts_with(event.message.as_str().trim_end_matches('\\')));
        }
        assert!(!event(whole).cut && !event(&format!("{whole} junk")).cut);
        assert!(!event(&whole.replace(",\"n\"", " \"n\"")).cut);
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
    fn levels_of_npm_and_members_beside_the_record() {
        let debug = Some(Severity::Debug);
        for level in ["SILLY", "silly", "HTTP", "VERBOSE"] {
            let nested = format!(
                r#"{{"@timestamp":"2024-03-04T05:06:07Z","@fields":{{"level":"{level}","id":"a7"}},"message":"no berth"}}"#
            );
            let event = event(&nested);
            assert_eq!(event.severity, debug, "{level}");
            assert_eq!(event.field("id").unwrap().as_str(), "a7", "{level}");
        }
        let target = r#"{"timestamp":"2024-03-04T05:06:07Z","level":"INFO","message":"no berth","id":7,"target":"quay::arm"}"#;
        assert_eq!(event(target).component.unwrap().as_str(), "quay::arm");
        // a target that is not a name belongs to the user
        let target = target.replace("quay::arm", "10.0.0.7:80/arm");
        let event = event(&target);
        assert_eq!(event.component, None);
        assert_eq!(event.field("target").unwrap().as_str(), "10.0.0.7:80/arm");
    }

    #[test]
    fn objects_that_are_not_records() {
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
