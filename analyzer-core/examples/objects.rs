//! Reads the output of `kubectl describe`, or objects as YAML or JSON, on stdin and prints the objects
//! as JSON.
#![allow(clippy::print_stdout)]

use std::io::Read;

use analyzer_core::{Document, Event, Format, lines, parse, segments};
use serde_json::{Map, Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let document = Document::new("stdin", bytes);
    let lines: Vec<_> = lines(document.text()).collect();
    let segments = segments(document.text());
    let is_object = |format| matches!(format, Format::ObjectYaml | Format::ObjectJson);
    let parsed = if segments.iter().any(|segment| is_object(segment.format)) {
        parse::segments(&segments)
    } else {
        parse::describe::parse(&lines)
    };
    let mut objects = Vec::new();
    for object in &parsed.objects {
        let mut map = Map::new();
        map.insert("kind".into(), json!(object.subject.kind));
        map.insert("namespace".into(), json!(object.subject.namespace));
        map.insert("name".into(), json!(object.subject.name));
        for (key, value) in object.fields.iter() {
            map.entry(key).or_insert_with(|| value_json(value));
        }
        let fields = object
            .fields
            .scalars()
            .into_iter()
            .filter_map(|(path, value)| {
                let name = path.split(" / ").next().unwrap_or("");
                let is_identity = matches!(
                    name,
                    "name" | "namespace" | "labels" | "annotations" | "no_events"
                );
                (!is_identity).then(|| json!({"path": path, "value": value}))
            });
        map.insert("fields".into(), fields.collect());
        let events = parsed
            .events
            .iter()
            .filter(|event| {
                object.span.start <= event.span.start && event.span.end <= object.span.end
            })
            .map(event_json)
            .collect();
        map.insert("events".into(), Value::Array(events));
        objects.push(Value::Object(map));
    }
    println!(
        "{}",
        json!({"objects": objects, "not_understood": parsed.not_understood})
    );
    Ok(())
}

fn value_json(value: &analyzer_core::Value<'_>) -> Value {
    match value {
        analyzer_core::Value::Text(text) => json!(text.as_str()),
        analyzer_core::Value::Integer(number, _) => json!(number),
        analyzer_core::Value::Boolean(flag, _) => json!(flag),
        analyzer_core::Value::Map(map) => map
            .iter()
            .map(|(key, value)| (key.to_owned(), value_json(value)))
            .collect(),
        analyzer_core::Value::List(items) => items.iter().map(value_json).collect(),
    }
}

fn event_json(event: &Event<'_>) -> Value {
    json!({
        "type": event.severity.map(|severity| match severity {
            analyzer_core::Severity::Info => "Normal",
            _ => "Warning",
        }),
        "reason": event.reason.as_ref().map(|text| text.as_str()),
        "age_s": event.age.map(|age| age.seconds),
        "first_age_s": event.first_age.or(event.age).map(|age| age.seconds),
        "count": event.count,
        "from": event.component.as_ref().map(|text| text.as_str()),
        "message": event.message.as_str(),
    })
}
