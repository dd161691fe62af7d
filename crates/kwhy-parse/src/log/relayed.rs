//! Relayed records: a supervisor logs each line that its child process prints as a message of its own.

use super::formats;
use super::payload::Payload;
use crate::framing::payload_format;
use kwhy_model::Event;

/// Returns true if the first bytes of a message show that it is certainly a record itself.
pub(super) fn is_record(message: &str) -> bool {
    payload_format(message.as_bytes()).is_some()
}

/// Replaces a record by the one in its message, if there is one.
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

/// Returns the inner record; the outer one supplies what it lacks.
pub(super) fn merged<'a>(inner: Event<'a>, outer: Event<'a>) -> Event<'a> {
    let mut fields = inner.fields;
    let known = fields.len();
    // the outer level is dropped if the inner record has a severity
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
        envelope: inner.envelope.or(outer.envelope),
        cut: inner.cut | outer.cut,
        fields,
        ..inner
    }
}

#[cfg(test)]
mod tests {
    use crate::input::{Line, lines};
    use crate::log::{header, parse};
    use kwhy_model::Severity;

    const INNER: &[&str] = &[
        "F0304 05:06:07.123456       1 quay.go:7] \"Lift failed\" berth=\"7\"",
        "time=\"2031-03-04T05:06:07Z\" level=fatal msg=\"Lift failed\" berth=7",
    ];

    #[test]
    fn the_record_of_the_program_that_was_run_is_read() {
        for outer in [
            "2031-03-04 05:06:08,123 INFO     ",
            "2031-03-04 05:06:08,123 INFO  [main] quay.Runner - ",
            "2031-03-04 05:06:08,123 - quay.runner - INFO - ",
        ] {
            for inner in INNER {
                let text = format!("{outer}{inner}\n{outer}the tide is low\n");
                let all: Vec<Line<'_>> = lines(&text).collect();
                let events = parse(&all).events;
                assert_eq!(events.len(), 2, "{text}");
                assert_eq!(events[0].message.as_str(), "Lift failed", "{text}");
                assert_eq!(events[0].severity, Some(Severity::Fatal), "{text}");
                assert_eq!(events[0].field("berth").unwrap().as_str(), "7", "{text}");
                assert_eq!(events[1].severity, Some(Severity::Info), "{text}");
                let head = header(all[0].text).unwrap();
                assert_eq!(
                    (head.time, head.severity),
                    (events[0].time, events[0].severity)
                );
            }
        }
    }

    #[test]
    fn a_sentence_that_only_starts_like_a_record_stays() {
        for said in [
            "F0304 is the berth of the crane",
            "time is up: level=7",
            "E0304 05:06 no lift",
        ] {
            let text = format!("2031-03-04 05:06:08,123 INFO  [main] quay.Runner - {said}\n");
            let all: Vec<Line<'_>> = lines(&text).collect();
            let events = parse(&all).events;
            assert_eq!(events[0].severity, Some(Severity::Info), "{text}");
            assert!(events[0].message.as_str().starts_with(&said[..5]), "{text}");
        }
    }
}
