//! Records in the neutral format printed by `kwhy records`.

use kwhy_core::events::{Envelope, Event, Extract, Format, Severity, Stamp, Stream, Text, extract};
use serde_json::{Map, Value, json};

/// Returns all records parsed from a text.
pub fn records(text: &[u8]) -> Vec<Value> {
    let mut all = Vec::new();
    let map = |part: &Extract<'_>| {
        let events = part.parsed.events.iter();
        let records = events.filter(|event| is_record(event.format));
        records.map(|event| record(part, event)).collect::<Vec<_>>()
    };
    extract("log", text, map, |mut more| all.append(&mut more)).unwrap();
    all
}

fn is_record(format: Format) -> bool {
    !matches!(
        format,
        Format::Describe
            | Format::DescribeEvents
            | Format::EventsTable
            | Format::Table
            | Format::Command
            | Format::Prose
    )
}

fn record(part: &Extract<'_>, event: &Event<'_>) -> Value {
    let lines = part.lines(&event.span);
    let mut record = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            record.insert(key.to_owned(), value);
        }
    };
    put("line", Some(json!(lines.start)));
    put(
        "lines",
        Some(json!(lines.end - lines.start - event.interrupted)),
    );
    put("level", level(event).map(|level| json!(level)));
    put("time", event.time.map(|time| json!(time.to_string())));
    put("message", Some(json!(event.message.as_str())));
    put("logger", logger(event).map(|logger| json!(logger)));
    put("caller", text(&event.caller));
    let mut fields = Map::new();
    for field in &event.fields {
        let value = match field.json() {
            Some(json) => serde_json::from_str(json.get()).unwrap(),
            None => json!(field.value.as_str()),
        };
        fields.insert(field.key.to_string(), value);
    }
    put("fields", Some(Value::Object(fields)));
    put("envelope", event.envelope.as_deref().map(envelope));
    put("cut", event.cut.then_some(Value::Bool(true)));
    Value::Object(record)
}

fn text(text: &Option<Text<'_>>) -> Option<Value> {
    text.as_ref().map(|text| json!(text.as_str()))
}

fn logger<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    let component = event.component.as_ref()?;
    let program = event
        .envelope
        .as_ref()
        .and_then(|envelope| envelope.program.as_ref());
    let others = [event.field("controller"), program];
    let is_other = others.into_iter().flatten().any(|other| other == component);
    (!is_other).then(|| component.as_str())
}

fn level(event: &Event<'_>) -> Option<&'static str> {
    Some(match event.severity? {
        Severity::Debug => "debug",
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
        Severity::Fatal => "fatal",
    })
}

fn envelope(envelope: &Envelope<'_>) -> Value {
    let mut all = Map::new();
    let stream = envelope.stream.map(|stream| match stream {
        Stream::Stdout => json!("stdout"),
        Stream::Stderr => json!("stderr"),
    });
    let parts = [
        (
            "time",
            envelope
                .time
                .as_ref()
                .map(Stamp::to_string)
                .map(Value::String),
        ),
        ("stream", stream),
        ("namespace", text(&envelope.namespace)),
        ("pod", text(&envelope.pod)),
        ("container", text(&envelope.container)),
        ("node", text(&envelope.node)),
        ("program", text(&envelope.program)),
        ("pid", text(&envelope.pid)),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            all.insert(key.to_owned(), value);
        }
    }
    Value::Object(all)
}
