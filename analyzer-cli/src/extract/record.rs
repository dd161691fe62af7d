//! Log records in a neutral form, one JSON object a line: `line`, `lines`, `level`, `time`,
//! `message`, `logger`, `caller`, `fields`, `error`; what carried it as `carrier`, and `cut` where its end is missing.

use analyzer_core::{Event, Extract, Format, Severity, Stamp, Text};

use super::event::{CarrierJson, push, seconds};
use super::fields::Fields;

/// One line for each log record.
pub fn lines(part: &Extract<'_>) -> Vec<u8> {
    let events = part.parsed.events.iter();
    let mut text = Vec::new();
    for event in events.filter(|event| is_record(event.format)) {
        let lines = part.lines(&event.span);
        push(
            &mut text,
            &Record {
                line: lines.start,
                lines: (lines.end - lines.start).saturating_sub(event.interrupted),
                level: level(event),
                time: event.time.as_ref().map(time),
                year_stated: event.time.filter(|time| !time.year_stated).map(|_| false),
                time_back_s: event.back.map(seconds),
                message: event.message.as_str(),
                logger: logger(event),
                caller: event.caller.as_ref().map(Text::as_str),
                error: ["error", "err"]
                    .iter()
                    .find_map(|key| event.field(key))
                    .map(Text::as_str),
                fields: Fields(&event.fields),
                carrier: event.carrier.as_deref().map(CarrierJson::of),
                cut: event.cut,
            },
        );
    }
    text
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

/// The name of the logger: not what the event is otherwise known to come from.
fn logger<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    let component = event.component.as_ref()?;
    let program = event
        .carrier
        .as_ref()
        .and_then(|carrier| carrier.program.as_ref());
    let others = [event.field("controller"), program];
    let is_other = others.into_iter().flatten().any(|other| other == component);
    (!is_other).then(|| component.as_str())
}

#[derive(serde::Serialize)]
struct Record<'e> {
    line: u64,
    lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// Only where the year was not stated: 1970 is printed then.
    #[serde(skip_serializing_if = "Option::is_none")]
    year_stated: Option<bool>,
    /// How far it lies before the time of its writer's record before it, where times run backwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_back_s: Option<f64>,
    message: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    logger: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'e str>,
    fields: Fields<'e>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carrier: Option<CarrierJson<'e>>,
    /// Whether its end is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

fn time(stamp: &Stamp) -> String {
    let stated = Stamp {
        year_stated: true,
        ..*stamp
    };
    stated.to_string()
}

fn level(event: &Event<'_>) -> Option<&'static str> {
    let word = event
        .field("level")
        .map(|level| level.as_str().to_ascii_lowercase());
    Some(match (event.severity?, word.as_deref()) {
        (Severity::Debug, Some("trace" | "trac" | "trc" | "t" | "10" | "finer" | "finest")) => {
            "trace"
        }
        (Severity::Fatal, Some("panic" | "pani" | "dpanic" | "pnc")) => "panic",
        (severity, _) => severity.name(),
    })
}
