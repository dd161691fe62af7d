//! Records that contain another record as a JSON string: a collector's record of the line that a program wrote, and
//! records whose message is itself an object, possibly nested again.

use super::super::formats;
use super::super::json_members::{Member, Members, ValueKind};
use super::super::payload::Payload;
use super::super::record::plain_severity;
use super::super::relayed::merged;
use super::names::{Keys, role};
use super::roles;
use kwhy_model::{Envelope, Event};

/// Returns true if a string may be an object; a cheap test of its first byte and length.
pub(super) fn may_be_object(value: &str) -> bool {
    value.starts_with("{") && value.len() > 2
}

/// Returns true if a text is a complete object that is a record, or one whose first member is a message: its time and
/// level are then those of the outer record.
fn is_record(text: &str) -> bool {
    if !text.starts_with('{') {
        return false;
    }
    let mut keys = Keys::default();
    let mut members = Members::new(text, 0);
    let mut starts = false;
    for (number, member) in members.by_ref().enumerate() {
        let key = text.get(member.key).unwrap_or("");
        starts |= number == 0
            && member.kind == ValueKind::String
            && roles::rank(roles::MESSAGE, key).is_some();
        keys.see(key, role(key), member.kind);
        if keys.is_other() {
            return false;
        }
    }
    let is_whole = members.end() == Some(text.len());
    is_whole && (starts || keys.are_record() || super::detect(text))
}

/// Replaces a record by the one in its message, if there is one. The outer record supplies what the inner one lacks.
pub(super) fn unfolded<'a>(outer: Event<'a>) -> Event<'a> {
    let said = outer.message.as_str();
    if !may_be_object(said.trim_start()) {
        return outer;
    }
    let start = said.len() - said.trim_start().len();
    let text = outer.message.slice(start..start + said.trim().len());
    if !is_record(text.as_str()) {
        return outer;
    }
    match super::read(&Payload::from_text(text)) {
        Some(inner) => merged(inner, outer),
        None => outer,
    }
}

/// Like [`unfolded`], for a line read by a collector, which may have any format.
pub(super) fn unwrapped<'a>(mut outer: Event<'a>) -> Event<'a> {
    let end = outer.message.as_str().trim_end_matches(['\n', '\r']).len();
    outer.message = outer.message.slice(0..end);
    let payload = Payload::from_text(outer.message.clone());
    let text = payload.as_str();
    if is_record(text) {
        return unfolded(outer);
    }
    let inner = formats::find(text).and_then(|form| (form.read)(&payload));
    match inner {
        Some(inner) => merged(inner, outer),
        None => {
            outer.severity = outer.severity.or_else(|| plain_severity(text));
            outer
        }
    }
}

/// Returns the names of the container that a collector added, as an object or as the labels of its stream; `None` if no
/// pod is named.
pub(super) fn envelope<'a>(payload: &Payload<'a>, members: &[Member]) -> Option<Box<Envelope<'a>>> {
    const POD: &[&str] = &["pod_name", "pod"];
    const NAMESPACE: &[&str] = &["namespace_name", "pod_namespace", "namespace"];
    const CONTAINER: &[&str] = &["container_name", "container"];
    const NODE: &[&str] = &["host", "pod_node_name", "node_name", "node"];
    let text = payload.as_str();
    let named = |wanted: &str| {
        members
            .iter()
            .find(|member| text.get(member.key.clone()) == Some(wanted))
    };
    let object = named("kubernetes").or_else(|| named("resource"));
    let mut inside = roles::inside(text, object.or_else(|| named("labels"))?);
    // Stackdriver nests labels in its resource
    let labels = inside
        .iter()
        .find(|member| text.get(member.key.clone()) == Some("labels"));
    if let Some(labels) = labels.filter(|_| named("kubernetes").is_none()) {
        inside = roles::inside(text, labels);
    }
    let value = |names: &[&str]| {
        let at = roles::find(text, &inside, names, |_| true)?;
        let member = inside.get(at)?;
        if member.kind == ValueKind::String {
            return Some(member.text(payload));
        }
        // Elastic's `"pod":{"name":"x"}`
        let deep = roles::inside(text, member);
        let at = roles::find(text, &deep, &["name"], |inner| {
            inner.kind == ValueKind::String
        })?;
        Some(deep.get(at)?.text(payload))
    };
    Some(Box::new(Envelope {
        pod: Some(value(POD)?),
        namespace: value(NAMESPACE),
        container: value(CONTAINER),
        node: value(NODE),
        ..Envelope::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Line, lines};
    use crate::log::{Header, header, parse};
    use kwhy_model::Severity;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn event(text: &str) -> Event<'_> {
        let lines: Vec<Line<'_>> = lines(text).collect();
        let mut events = parse(&lines).events;
        assert_eq!(events.len(), 1, "{text}");
        let event = events.remove(0);
        let Header { time, severity, .. } = header(text).unwrap();
        assert_eq!((time, severity), (event.time, event.severity), "{text}");
        event
    }

    /// The record that the tests nest in others.
    fn inner() -> Value {
        json!({"level":"error","ts":"2031-03-04T05:06:07.5Z","logger":"quay","msg":"lift \"a\" failed","berth":7})
    }

    /// Returns records of collectors and loggers that contain a line.
    fn around(line: &str) -> Vec<Value> {
        vec![
            json!({"date":1930366000.5,"log":format!("{line}\n"),"stream":"stderr","kubernetes":{"pod_name":"crane-0","namespace_name":"dock"}}),
            json!({"kubernetes":{"pod_name":"crane-0"},"log":line}),
            json!({"log":line,"time":"2031-03-04T05:06:08Z","stream":"stdout","x":1}),
            json!({"timestamp":1930366000500u64,"message":line,"logStreamName":"crane"}),
            json!({"textPayload":line,"timestamp":"2031-03-04T05:06:08Z","severity":"INFO"}),
            json!({"labels":{"pod":"crane-0"},"line":line,"timestamp":"2031-03-04T05:06:08Z"}),
            json!({"level":"info","stream":"stderr","time":"2031-03-04T05:06:08Z","msg":line}),
            json!({"@timestamp":"2031-03-04T05:06:08Z","message":line,"kubernetes":{"pod":{"name":"crane-0"}}}),
            json!({"source_type":"kubernetes_logs","timestamp":"2031-03-04T05:06:08Z","message":line}),
        ]
    }

    #[test]
    fn the_inner_record_is_read_however_often_it_is_folded() {
        for once in around(&inner().to_string()) {
            let twice = around(&once.to_string());
            for text in twice.iter().chain([&once]).map(Value::to_string) {
                let event = event(&text);
                assert_eq!(event.message.as_str(), "lift \"a\" failed", "{text}");
                assert_eq!(event.severity, Some(Severity::Error));
                assert_eq!(event.time.unwrap().to_string(), "2031-03-04T05:06:07.5Z");
                assert_eq!(event.component.as_ref().unwrap().as_str(), "quay");
                assert_eq!(event.field("berth").unwrap().as_str(), "7");
            }
        }
    }

    #[test]
    fn the_outer_record_says_what_the_inner_one_does_not() {
        let text = json!({"level":"warn","time":"2031-03-04T05:06:08Z","user":"crane","stream":"stderr","msg":r#"{"message":"tide is low","metres":1.5}"#}).to_string();
        let event = event(&text);
        assert_eq!(event.message.as_str(), "tide is low");
        assert_eq!(event.severity, Some(Severity::Warning));
        assert_eq!(event.time.unwrap().to_string(), "2031-03-04T05:06:08Z");
        assert_eq!(event.field("metres").unwrap().as_str(), "1.5");
        assert_eq!(event.field("user").unwrap().as_str(), "crane");
    }

    #[test]
    fn a_line_of_a_collector_has_any_format() {
        let klog = "E0304 05:06:07.123456       1 quay.go:7] \"Lift failed\" err=\"no arm\"\n";
        let text = json!({"log":klog,"stream":"stderr","date":1930366000.5,"kubernetes":{"pod_name":"crane-0","namespace_name":"dock","container_name":"arm"}}).to_string();
        let read = event(&text);
        assert_eq!(read.message.as_str(), "Lift failed");
        assert_eq!(read.severity, Some(Severity::Error));
        assert_eq!(read.subject.to_string(), "Pod dock/crane-0");
        assert_eq!(read.subject.container.as_deref(), Some("arm"));
        let text =
            json!({"log":"ERROR: no arm\n","stream":"stderr","time":"2031-03-04T05:06:08Z","x":1})
                .to_string();
        let read = event(&text);
        assert_eq!(read.message.as_str(), "no arm");
        assert_eq!(read.severity, Some(Severity::Error));
    }

    #[test]
    fn a_programs_own_message_stays_as_it_is() {
        let said = inner().to_string();
        let quoted = json!(said).to_string();
        for text in [
            r#"{"level":"info","time":"2031-03-04T05:06:08Z","msg":SAID}"#,
            r#"{"severity":"INFO","timestamp":"2031-03-04T05:06:08Z","message":SAID}"#,
            r#"{"ts":1930366000.5,"caller":"a/b.go:7","msg":SAID,"v":0}"#,
        ] {
            let text = text.replace("SAID", &quoted);
            let event = event(&text);
            assert_eq!(event.message.as_str(), said);
            assert_eq!(event.severity, Some(Severity::Info));
        }
    }

    #[test]
    fn messages_that_are_no_records() {
        for said in [
            r#"{"a":1}"#,
            r#"{"kind":"Status","message":"no"}"#,
            r#"{"message":"cut"#,
            r#"{"message":"x"} and more"#,
            "{ braces }",
        ] {
            let text = json!({"time":"2031-03-04T05:06:08Z","msg":said}).to_string();
            assert_eq!(event(&text).message.as_str(), said);
        }
    }

    proptest! {
        /// `header` and the parser agree on a record, whatever its message contains.
        #[test]
        fn any_message_is_read(said in r#"(\{"(msg|level|log|time|message)":"[a-z"\\{}:, ]{0,20}"\}|[{"\\a-z:, }]{0,30})"#, way in 0usize..9) {
            let text = around(&said)[way].to_string();
            event(&text);
        }
    }
}
