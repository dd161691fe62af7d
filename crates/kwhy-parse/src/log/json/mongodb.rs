//! MongoDB's records: the time is an object, the level a letter, and details are under `attr`.

use super::super::json_members::{Member, Members, ValueKind, string_member};
use super::super::payload::Payload;
use super::super::timestamp;
use kwhy_model::{Event, Severity, Stamp};

/// Returns the time of `{"$date":"2024-03-04T05:06:07.123+00:00"}`.
pub(super) fn time(object: &str) -> Option<Stamp> {
    timestamp::parse(string_member(object, "$date")?)
}

/// Returns the severity of a letter: `F`, `E`, `W`, `I`, `D1` to `D5`.
pub(super) fn severity(word: &str) -> Option<Severity> {
    match word.as_bytes().first()? {
        b'F' => Some(Severity::Fatal),
        b'E' => Some(Severity::Error),
        b'W' => Some(Severity::Warning),
        b'I' => Some(Severity::Info),
        b'D' => Some(Severity::Debug),
        _ => None,
    }
}

/// Adds the attributes that are text, and the code name and message of an error among them
/// (`{"error":{"code":13,"codeName":"Unauthorized","errmsg":"text"}}`).
pub(super) fn add_attributes<'a>(
    event: &mut Event<'a>,
    payload: &Payload<'a>,
    attributes: &Member,
) {
    let text = payload.as_str();
    let within = |outer: &Member| {
        let end = outer.value.end;
        Members::new(text, outer.value.start).take_while(move |member| member.value.end <= end)
    };
    for member in within(attributes) {
        match member.kind {
            ValueKind::String => event.fields.push(member.field(payload)),
            ValueKind::Nested => {
                let words = within(&member).find(|inner| {
                    inner.kind == ValueKind::String && text.get(inner.key.clone()) == Some("errmsg")
                });
                event
                    .fields
                    .extend(words.map(|words| words.field_named("error", payload)));
            }
            ValueKind::Literal => {}
        }
    }
}
