//! An event as a JSON object.

use kwhy_core::Subject;
use kwhy_core::events::{Envelope, Event, Extract, Severity, Stamp, Stream};
use serde::ser::Serialize;

use super::fields;
use super::json::Object;
use kwhy_render::json as written;

/// Appends an event as a line of JSON.
pub fn line(text: &mut Vec<u8>, part: &Extract<'_>, event: &Event<'_>) {
    let lines = part.lines(&event.span);
    object(text, event, Some((part.source(), lines.start)));
    text.push(b'\n');
}

/// Appends a value as a line of JSON; nothing if it cannot be serialised.
pub fn push(text: &mut Vec<u8>, value: &impl Serialize) {
    if let Some(json) = written::text(value) {
        text.extend(json.into_bytes());
        text.push(b'\n');
    }
}

/// Appends an event as a JSON object, with its document and line if given. What the input does not state is omitted.
pub fn object(text: &mut Vec<u8>, event: &Event<'_>, place: Option<(&str, u64)>) {
    let is_event = event.reason.is_some() || event.age.is_some();
    let age = event.age;
    let mut json = Object::open(text);
    json.some("source", place.map(|(source, _)| source));
    json.plain("line", place.map(|(_, line)| line));
    json.string("format", event.format.name());
    time(&mut json, event.time);
    json.plain("time_back_s", event.back.map(seconds));
    json.plain("age_s", age.map(|age| age.seconds));
    json.plain("age_resolution_s", age.map(|age| age.resolution));
    let first = event.first_age.or(age);
    json.plain("first_age_s", first.map(|age| age.seconds));
    json.plain("count", Some(event.count));
    json.some("type", event.severity.filter(|_| is_event).map(event_type));
    json.some("severity", event.severity.map(Severity::name));
    json.piece("from", &event.component);
    if event.subject != Subject::default() {
        json.json("subject", |text| subject(text, &event.subject));
    }
    json.piece("reason", &event.reason);
    json.string("message", event.message.as_str());
    json.piece("caller", &event.caller);
    if !event.fields.is_empty() {
        json.json("fields", |text| fields::object(text, &event.fields));
    }
    if let Some(own) = &event.envelope {
        json.json("envelope", |text| envelope(text, own));
    }
    json.plain("cut", event.cut.then_some(true));
    json.close();
}

fn subject(text: &mut Vec<u8>, subject: &Subject) {
    let mut json = Object::open(text);
    json.some("kind", subject.kind.as_deref());
    json.some("namespace", subject.namespace.as_deref());
    json.some("name", subject.name.as_deref());
    json.some("container", subject.container.as_deref());
    json.some("node", subject.node.as_deref());
    json.close();
}

/// Adds a time, with flags for what the input does not state: UTC is assumed without a zone, 1970 without a year.
pub fn time(json: &mut Object<'_>, time: Option<Stamp>) {
    json.displayed("time", time.as_ref().map(Stamp::rfc3339));
    let unstated = time.filter(|time| !time.zone_stated);
    json.plain("zone_stated", unstated.map(|_| false));
    let unstated = time.filter(|time| !time.year_stated);
    json.plain("year_stated", unstated.map(|_| false));
}

/// Appends the envelope of a record as a JSON object.
pub fn envelope(text: &mut Vec<u8>, envelope: &Envelope<'_>) {
    let mut json = Object::open(text);
    time(&mut json, envelope.time);
    let stream = envelope.stream.map(|stream| match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    });
    json.some("stream", stream);
    json.piece("namespace", &envelope.namespace);
    json.piece("pod", &envelope.pod);
    json.piece("container", &envelope.container);
    json.piece("node", &envelope.node);
    json.piece("program", &envelope.program);
    json.piece("pid", &envelope.pid);
    json.close();
}

/// Converts nanoseconds to seconds.
pub fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// Returns the type of a Kubernetes event of this severity.
pub fn event_type(severity: Severity) -> &'static str {
    if severity <= Severity::Info {
        "Normal"
    } else {
        "Warning"
    }
}

#[cfg(test)]
mod tests {
    use kwhy_core::events::{lines, parse};

    use super::*;

    #[test]
    fn a_subject_is_written_as_everywhere() {
        let whole = Subject {
            container: Some("a\"".to_owned()),
            node: Some("berth-1".to_owned()),
            ..Subject::new("Pod", Some("dock"), "crane-0")
        };
        for known in [whole, Subject::default()] {
            let mut text = Vec::new();
            subject(&mut text, &known);
            assert_eq!(text, serde_json::to_vec(&known).unwrap());
        }
    }

    #[test]
    fn an_event_is_one_object() {
        let log = "2024-03-04T05:06:07.5Z stderr F E0304 05:06:07.25       1 a.go:8] \"No \\\"arm\\\"\" pod=\"dock/crane-0\" n=7";
        let events = parse::log::parse(&lines(log).collect::<Vec<_>>()).events;
        let mut text = Vec::new();
        object(&mut text, &events[0], Some(("x\ny", 3)));
        assert_eq!(
            String::from_utf8(text).unwrap(),
            r#"{"source":"x\ny","line":3,"format":"klog","time":"2024-03-04T05:06:07.25Z","count":1,"severity":"error","subject":{"kind":"Pod","namespace":"dock","name":"crane-0"},"message":"No \"arm\"","caller":"a.go:8","fields":{"pod":"dock/crane-0","n":7},"envelope":{"time":"2024-03-04T05:06:07.5Z","stream":"stderr"}}"#
        );
    }
}
