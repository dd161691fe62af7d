//! Messages in the rows of tables, as events.

use kwhy_model::{Event, Format, Object, Severity, Value};

/// Condition columns that are healthy when true.
const HEALTHY_WHEN_TRUE: [&str; 8] = [
    "ready",
    "synced",
    "available",
    "healthy",
    "installed",
    "succeeded",
    "established",
    "reconciled",
];

/// Returns the message in a custom resource's row. Most print the message of their `Ready`
/// condition, in a column of that name or in place of the status or reason. For kinds with columns
/// of their own, a message counts only next to a condition.
pub(super) fn event<'a>(kind: Option<&str>, object: &Object<'a>) -> Option<Event<'a>> {
    let columns: &[&str] = match kind {
        None => &["message", "status", "reason"],
        Some(_) => &["message"],
    };
    let mut columns = columns.iter().filter_map(|key| object.fields.get(key));
    let message = columns.find_map(|value| match value {
        // a single word is a state
        Value::Text(text) if text.as_str().contains(' ') => Some(text.clone()),
        _ => None,
    })?;
    let states = || {
        HEALTHY_WHEN_TRUE
            .iter()
            .filter_map(|key| object.fields.text(key))
    };
    let is_state = |state: &str| matches!(state, "True" | "False" | "Unknown");
    if kind.is_some() && !states().any(|state| is_state(&state)) {
        return None;
    }
    let is_degraded = object
        .fields
        .text("degraded")
        .is_some_and(|state| state == "True");
    let is_bad = states().any(|state| matches!(&*state, "False" | "Unknown"));
    let is_good = states().any(|state| state == "True") && !is_bad && !is_degraded;
    let severity = if is_good {
        Severity::Info
    } else {
        Severity::Warning
    };
    Some(Event {
        severity: Some(severity),
        subject: object.subject.clone(),
        ..Event::new(Format::Table, message.span(), message)
    })
}
