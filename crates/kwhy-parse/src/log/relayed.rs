//! Records that another program wrote to its own log: what runs a program logs each line of its output as a message.

use super::formats;
use super::payload::Payload;
use crate::framing::payload_format;
use kwhy_model::Event;

/// Returns true if a message is surely a record itself, by its first bytes.
pub(super) fn is_record(message: &str) -> bool {
    payload_format(message.as_bytes()).is_some()
}

/// A record with the one that its message is in its place, if that is one.
pub(super) fn unwrapped(outer: Event<'_>) -> Event<'_> {
    let format = payload_format(outer.message.as_str().as_bytes());
    let inner = format.and_then(formats::spec).and_then(|form| {
        let payload = Payload::from_text(outer.message.clone());
        (form.read)(&payload)
    });
    match inner {
        Some(inner) => merged(inner, outer),
        None => outer,
    }
}

/// The inner one of two records; what it does not say the outer one does.
pub(super) fn merged<'a>(inner: Event<'a>, outer: Event<'a>) -> Event<'a> {
    let mut fields = inner.fields;
    let known = fields.len();
    // a level that the inner record has itself
    let is_new = |key: &str| !(key == "level" && inner.severity.is_some());
    for field in outer.fields {
        let is_known = fields[..known].iter().any(|known| known.key == field.key);
        if !is_known && is_new(&field.key) {
            fields.push(field);
        }
    }
    Event {
        format: outer.format,
        span: outer.span,
        time: inner.time.or(outer.time),
        severity: inner.severity.or(outer.severity),
        component: inner.component.or(outer.component),
        caller: inner.caller.or(outer.caller),
        stack: inner.stack.or(outer.stack),
        carrier: inner.carrier.or(outer.carrier),
        cut: inner.cut | outer.cut,
        fields,
        ..inner
    }
}
