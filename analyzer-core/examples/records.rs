//! Prints the records of a log from standard input, one JSON object a line.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::io::Read;

use analyzer_core::{Document, Event, Severity, Stamp, lines, parse::log};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let document = Document::new("stdin", bytes);
    let lines: Vec<_> = lines(document.text()).collect();
    let parsed = log::parse(&lines);
    // the lines of an event that another one interrupts are the other's
    let ranges: Vec<_> = parsed
        .events
        .iter()
        .map(|event| {
            let last = event.span.end.max(event.span.start + 1) - 1;
            document.line_of(event.span.start)..document.line_of(last) + 1
        })
        .collect();
    let mut inner: HashMap<usize, u64> = HashMap::new();
    let mut outer: Vec<usize> = Vec::new();
    let spans: Vec<_> = parsed.events.iter().map(|event| &event.span).collect();
    for (index, span) in spans.iter().enumerate() {
        outer.retain(|open| spans[*open].end > span.start);
        for open in &outer {
            let (inside, around) = (&ranges[index], &ranges[*open]);
            if inside.start > around.start && inside.end < around.end {
                *inner.entry(*open).or_default() += inside.end - inside.start;
            }
        }
        outer.push(index);
    }
    for (index, (event, range)) in parsed.events.iter().zip(&ranges).enumerate() {
        let count = range.end - range.start - inner.get(&index).copied().unwrap_or(0);
        println!("{}", neutral(event, range.start, count));
    }
    Ok(())
}

fn neutral(event: &Event<'_>, line: u64, count: u64) -> Value {
    let text = |text: &Option<analyzer_core::Text<'_>>| text.as_ref().map(|text| text.to_string());
    let error = ["error", "err"].iter().find_map(|key| event.field(key));
    let fields: serde_json::Map<String, Value> = event
        .fields
        .iter()
        .map(|field| {
            let value = field.value.as_str();
            let nested = value
                .starts_with(['{', '['])
                .then(|| serde_json::from_str(value).ok());
            (
                field.key.to_string(),
                nested.flatten().unwrap_or_else(|| json!(value)),
            )
        })
        .collect();
    json!({
        "line": line,
        "lines": count,
        "level": level(event),
        "time": event.time.as_ref().map(Stamp::to_string).map(with_year),
        "message": event.message.as_str(),
        "logger": text(&event.component),
        "caller": text(&event.caller),
        "fields": fields,
        "error": error.map(|error| error.as_str()),
        "subject": &event.subject,
        "reason": text(&event.reason),
    })
}

fn with_year(time: String) -> String {
    if time.as_bytes().get(4) == Some(&b'-') {
        time
    } else {
        format!("1970-{time}Z")
    }
}

fn level(event: &Event<'_>) -> Option<&'static str> {
    let word = event
        .field("level")
        .map(|level| level.as_str().to_lowercase());
    match (event.severity?, word.as_deref()) {
        (Severity::Debug, Some("trace" | "trac" | "10")) => Some("trace"),
        (Severity::Fatal, Some("panic" | "pani" | "dpanic")) => Some("panic"),
        (Severity::Debug, _) => Some("debug"),
        (Severity::Info, _) => Some("info"),
        (Severity::Warning, _) => Some("warning"),
        (Severity::Error, _) => Some("error"),
        (Severity::Fatal, _) => Some("fatal"),
    }
}
