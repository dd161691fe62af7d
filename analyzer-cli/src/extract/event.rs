//! An event as a JSON object.

use analyzer_core::{Carrier, Event, Extract, Severity, Stamp, Stream, Subject, Text};
use serde::ser::Serialize;

use super::fields::Fields;

/// Adds an event as one line.
pub fn line(text: &mut Vec<u8>, part: &Extract<'_>, event: &Event<'_>) {
    let lines = part.lines(&event.span);
    push(
        text,
        &EventJson::of(event, Some((part.source(), lines.start))),
    );
}

/// Adds a value as one line.
pub fn push(text: &mut Vec<u8>, value: &impl Serialize) {
    let before = text.len();
    // writing to memory fails for no value that these types hold
    if serde_json::to_writer(&mut *text, value).is_err() {
        text.truncate(before);
    } else {
        text.push(b'\n');
    }
}

/// An event in JSON. What the input does not say is left out.
#[derive(serde::Serialize)]
pub struct EventJson<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// Only where the zone was not stated: UTC is taken then.
    #[serde(skip_serializing_if = "Option::is_none")]
    zone_stated: Option<bool>,
    /// How far it lies before the time of its writer's record before it, where times run backwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_back_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    age_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    age_resolution_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_age_s: Option<u64>,
    count: u64,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'e Subject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'e str>,
    message: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'e str>,
    #[serde(skip_serializing_if = "Fields::is_empty")]
    fields: Fields<'e>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carrier: Option<CarrierJson<'e>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// What stood around a record.
#[derive(serde::Serialize)]
pub struct CarrierJson<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<Stream>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pod: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<&'e str>,
}

impl<'e> CarrierJson<'e> {
    /// What an event's carrier says.
    pub fn of(carrier: &'e Carrier<'e>) -> Self {
        let text = |text: &'e Option<Text<'e>>| text.as_ref().map(Text::as_str);
        CarrierJson {
            time: carrier.time.as_ref().map(Stamp::to_string),
            stream: carrier.stream,
            namespace: text(&carrier.namespace),
            pod: text(&carrier.pod),
            container: text(&carrier.container),
            node: text(&carrier.node),
            program: text(&carrier.program),
            pid: text(&carrier.pid),
        }
    }
}

impl<'e> EventJson<'e> {
    /// An event, with the document and line where it stands.
    pub fn of(event: &'e Event<'e>, place: Option<(&'e str, u64)>) -> Self {
        let text = |text: &'e Option<Text<'e>>| text.as_ref().map(Text::as_str);
        let is_event = event.reason.is_some() || event.age.is_some();
        let age = event.age;
        EventJson {
            source: place.map(|(source, _)| source),
            line: place.map(|(_, line)| line),
            format: event.format.name(),
            time: event.time.as_ref().map(Stamp::to_string),
            zone_stated: event.time.filter(|time| !time.zone_stated).map(|_| false),
            time_back_s: event.back.map(seconds),
            age_s: age.map(|age| age.seconds),
            age_resolution_s: age.map(|age| age.resolution),
            first_age_s: event.first_age.or(age).map(|age| age.seconds),
            count: event.count,
            kind: event.severity.filter(|_| is_event).map(event_type),
            severity: event.severity.map(Severity::name),
            from: text(&event.component),
            subject: Some(&event.subject).filter(|subject| **subject != Subject::default()),
            reason: text(&event.reason),
            message: event.message.as_str(),
            caller: text(&event.caller),
            fields: Fields(&event.fields),
            carrier: event.carrier.as_deref().map(CarrierJson::of),
            cut: event.cut,
        }
    }
}

/// Nanoseconds as seconds.
pub fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// The type of a Kubernetes event.
pub fn event_type(severity: Severity) -> &'static str {
    if severity <= Severity::Info {
        "Normal"
    } else {
        "Warning"
    }
}
