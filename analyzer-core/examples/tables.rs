//! Reads tables of `kubectl get` and Events tables on standard input and prints their rows as
//! JSON: `{"pods": [...], "events": [...]}`.

use std::io::Read;

use analyzer_core::{Document, Event, Object, Severity, parse};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let document = Document::new("stdin", bytes);
    let parsed = parse::document(&document);
    let answer = json!({
        "pods": parsed.objects.iter().map(row).collect::<Vec<_>>(),
        "events": parsed.events.iter().map(event).collect::<Vec<_>>(),
        "not_understood": parsed.not_understood,
    });
    serde_json::to_writer(std::io::stdout().lock(), &answer)?;
    Ok(())
}

fn row(object: &Object<'_>) -> Value {
    let scalar = |value: &analyzer_core::Value<'_>| match value {
        analyzer_core::Value::Integer(number, _) => json!(number),
        analyzer_core::Value::Boolean(flag, _) => json!(flag),
        analyzer_core::Value::Text(text) => {
            json!(Some(text.as_str()).filter(|text| *text != "<none>"))
        }
        _ => json!(value),
    };
    let fields = object.fields.iter();
    let mut row: Value = fields
        .map(|(key, value)| (key.to_owned(), scalar(value)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    row["kind"] = json!(object.subject.kind);
    row["namespace"] = json!(object.subject.namespace);
    row["name"] = json!(object.subject.name);
    row
}

fn event(event: &Event<'_>) -> Value {
    let field = |key| event.field(key).map_or("", |text| text.as_str());
    let subject = &event.subject;
    let word = |part: &Option<String>| part.clone().unwrap_or_default();
    let component = event.component.as_ref().map_or("", |text| text.as_str());
    let source = match field("host") {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    };
    let age = event.age.map(|age| age.seconds);
    json!({
        "namespace": field("namespace"),
        "age_s": age,
        "first_age_s": event.first_age.map(|age| age.seconds).or(age),
        "count": event.count,
        "type": if event.severity == Some(Severity::Warning) { "Warning" } else { "Normal" },
        "reason": event.reason.as_ref().map_or("", |text| text.as_str()),
        "object": format!("{}/{}", word(&subject.kind).to_lowercase(), word(&subject.name)),
        "subobject": field("subobject"),
        "source": source,
        "from": component,
        "message": event.message.as_str(),
        "name": field("name"),
        "subject": subject,
    })
}
