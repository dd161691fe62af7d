//! Log records in a neutral form, one JSON object a line: `line`, `lines`, `level`, `time`, `message`, `logger`,
//! `caller`, `fields`, `error` and `envelope`. There are also `time_back_s` if times run backwards, `cleaned` if
//! escapes or invisible characters were removed, and `cut` if the end is missing.

use kwhy_core::events::{Event, Extract, Severity, Text};

use super::event::{envelope, seconds, time};
use super::fields;
use super::json::Object;
use super::tokens::Tokens;

/// Returns one line for each log record, with the name of its document if `named` is true.
pub fn lines(part: &Extract<'_>, names: Tokens<'_>, named: bool) -> Vec<u8> {
    let source = named.then(|| part.source());
    let events = part.parsed.events.iter();
    let mut text = Vec::new();
    for event in events.filter(|event| event.format.is_log()) {
        record(&mut text, (part, source), &names.event(event));
        text.push(b'\n');
    }
    text
}

fn record(text: &mut Vec<u8>, (part, source): (&Extract<'_>, Option<&str>), event: &Event<'_>) {
    let lines = part.lines(&event.span);
    let own = (lines.end - lines.start).saturating_sub(event.interrupted);
    let mut json = Object::open(text);
    json.some("source", source);
    json.plain("line", Some(lines.start));
    json.plain("lines", Some(own));
    json.some("level", level(event));
    time(&mut json, event.time);
    json.plain("time_back_s", event.back.map(seconds));
    json.string("message", event.message.as_str());
    json.some("logger", logger(event));
    json.piece("caller", &event.caller);
    json.some("error", event.error().map(Text::as_str));
    json.json("fields", |text| fields::object(text, &event.fields));
    if let Some(own) = &event.envelope {
        json.json("envelope", |text| envelope(text, own));
    }
    json.plain("cleaned", part.is_cleaned(&event.span).then_some(true));
    json.plain("cut", event.cut.then_some(true));
    json.close();
}

/// Returns the name of the logger; `None` if the component is that of the `controller` field or of the envelope.
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
    let word = event
        .field("level")
        .map(|level| level.as_str().to_ascii_lowercase());
    Some(match (event.severity?, word.as_deref()) {
        (
            Severity::Debug,
            Some("trace" | "trac" | "trc" | "trce" | "t" | "silly" | "10" | "finer" | "finest"),
        ) => "trace",
        (Severity::Fatal, Some("panic" | "pani" | "dpanic" | "pnc")) => "panic",
        (severity, _) => severity.name(),
    })
}
