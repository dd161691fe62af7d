//! Messages in the rows of tables, as events.

use super::custom_columns;
use kwhy_model::{Event, Format, Object, Severity, Text, Value};

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
        None => &[
            "message",
            "details",
            "detail",
            "error",
            "last_error",
            "status",
            "reason",
        ],
        Some(_) => &["message"],
    };
    let mut columns = columns.iter().filter_map(|key| object.fields.get(key));
    let message = columns.find_map(|value| match value {
        // a single word is a state
        Value::Text(text) if text.as_str().contains(' ') => Some(text.clone()),
        _ => None,
    })?;
    let reason = match custom_columns::reason(object).or(object.fields.find("reason").cloned()) {
        Some(Value::Text(reason)) => Some(reason),
        _ => None,
    };
    let is_word = |text: &Text<'_>| {
        text.as_str().starts_with(|c: char| c.is_ascii_uppercase())
            && text
                .as_str()
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric())
    };
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
        reason: reason.filter(is_word),
        subject: object.subject.clone(),
        ..Event::new(Format::Table, message.span(), message)
    })
}

#[cfg(test)]
mod tests {
    use crate::input::lines;
    use crate::table::parse;

    #[test]
    fn a_message_has_the_reason_beside_it() {
        for (head, row, reason) in [
            ("REASON", "Gone", Some("Gone")),
            (
                "STATUS",
                "CreateContainerConfigError",
                Some("CreateContainerConfigError"),
            ),
            ("STATUS", "Sad", None),
            ("REASON", "<none>", None),
        ] {
            for message in ["MESSAGE", "MSG", "DETAILS"] {
                let text =
                    format!("NAME      {head:28}{message}\nrye-0     {row:28}no berth for it\n");
                let read = parse(&lines(&text).collect::<Vec<_>>());
                let [event] = read.events.as_slice() else {
                    panic!("{text}{read:?}");
                };
                assert_eq!(event.message.as_str(), "no berth for it", "{text}");
                let own = event.reason.as_ref().map(|reason| reason.as_str());
                assert_eq!(own, reason, "{text}");
            }
        }
    }
}
