//! The API server's answer that a request failed, as one line: `{"kind":"Status",...,"status":"Failure","message":"..."}`.
//!
//! client-go prints it as the body of a response (`-v=8`), cut after a length; scripts print it after words of their own.
//! Refused: an answer that is a success, or whose message is missing.

use memchr::memmem;

use super::json_members::{Member, Members};
use super::payload::Payload;
use crate::input::Line;
use kwhy_model::{Event, Field, Format, Severity, Subject, Text};

/// The start of an answer, in the order of keys that the API server writes.
const START: &str = "{\"kind\":\"Status\"";

/// The words before a body in client-go's log.
const BODY: &str = "Response Body: ";

/// Returns the offset of the answer if a message is a response's body.
pub(super) fn of_response(message: &str) -> Option<usize> {
    let body = message.strip_prefix(BODY)?;
    body.starts_with(START).then_some(BODY.len())
}

/// Parses the answer at an offset.
pub(super) fn read<'a>(payload: &Payload<'a>, open: usize, format: Format) -> Option<Event<'a>> {
    let text = payload.as_str();
    let mut members = Members::new(text, open);
    let mut event = Event::new(format, payload.text().span(), payload.part(open..open));
    let mut has_message = false;
    let mut take = |member: &Member| {
        let value = || member.text(payload);
        match text.get(member.key.clone()) {
            Some("status") if value().as_str() == "Success" => return None,
            Some("message") => {
                has_message = true;
                event.message = value();
            }
            Some("reason") => event.reason = Some(value()).filter(|reason| !reason.is_empty()),
            Some("code") => event.fields.push(Field::text("code", value())),
            Some("details") => event.subject = subject(text, member),
            _ => {}
        }
        Some(())
    };
    for member in members.by_ref() {
        take(&member)?;
    }
    if let Some(mut member) = members.cut_string() {
        let value = text.get(member.value.clone())?;
        let kept = value
            .rfind(" [truncated ")
            .or_else(|| value.rfind("[truncated "));
        let kept = kept.unwrap_or(value.len());
        member.value.end = member.value.start + kept;
        take(&member)?;
        event.cut = true;
    }
    event.severity = Some(Severity::Warning);
    has_message.then_some(event)
}

fn subject(text: &str, details: &Member) -> Subject {
    let mut subject = Subject::default();
    for member in Members::new(text, details.value.start) {
        let value = text.get(member.value.clone()).map(str::to_owned);
        match text.get(member.key.clone()) {
            Some("kind") => subject.kind = value.map(|kind| Subject::kind_from_word(&kind)),
            Some("name") => subject.name = value,
            _ => {}
        }
    }
    subject
}

/// Returns the severity of the answer at an offset of a line, as [`read`] states it.
pub(super) fn severity(text: &str, open: usize) -> Option<Severity> {
    let line = Line {
        text,
        start: 0,
        number: 1,
    };
    read(&Payload::from_line(line), open, Format::Plain)?.severity
}

/// Splits a line that ends in an answer: the words before it, and its event.
pub(crate) fn at_end<'a>(line: Line<'a>, format: Format) -> Option<(&'a str, Event<'a>)> {
    let text = line.text.trim_end();
    if !text.ends_with('}') {
        return None;
    }
    let open = memmem::find(text.as_bytes(), START.as_bytes())?;
    let line = Line { text, ..line };
    let event = read(&Payload::from_line(line), open, format)?;
    Some((text.get(..open)?.trim_end(), event))
}

/// Reads the body of a response that is a value of a structured record.
pub(super) fn of_value<'a>(body: &Text<'a>, format: Format) -> Option<Event<'a>> {
    body.as_str().starts_with(START).then_some(())?;
    read(&Payload::from_text(body.clone()), 0, format)
}

#[cfg(test)]
mod tests {
    use crate::input::{Line, lines};
    use crate::log::{header, parse};
    use crate::plain;
    use kwhy_model::{Event, Format, Severity};

    const ANSWER: &str = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"berths \"north\" is forbidden: no tide","reason":"Forbidden","details":{"name":"north","kind":"pods"},"code":403}"#;
    const HEAD: &str = "I0304 05:06:07.123456       1 request.go:1212] Response Body: ";

    fn only(text: &str) -> Event<'_> {
        let all: Vec<Line<'_>> = lines(text).collect();
        let mut events = parse(&all).events;
        assert_eq!(events.len(), 1, "{text}");
        events.remove(0)
    }

    fn is_read(event: &Event<'_>) {
        assert_eq!(
            event.message.as_str(),
            "berths \"north\" is forbidden: no tide"
        );
        assert_eq!(event.reason.as_ref().unwrap().as_str(), "Forbidden");
        assert_eq!(event.field("code").unwrap().as_str(), "403");
        assert_eq!(event.subject.name.as_deref(), Some("north"));
    }

    #[test]
    fn the_answer_in_the_body_of_a_response_is_read() {
        let text = format!("{HEAD}{ANSWER}");
        let event = only(&text);
        is_read(&event);
        assert_eq!(event.severity, Some(Severity::Warning));
        assert_eq!(header(&text).unwrap().severity, event.severity);
        assert_eq!(event.caller.unwrap().as_str(), "request.go:1212");
        let block = format!(
            "I0304 05:06:07.123456       1 request.go:1351] \"Response Body\" body=<\n\t{ANSWER}\n >\n"
        );
        is_read(&only(&block));
    }

    #[test]
    fn a_body_that_is_cut_keeps_its_message() {
        let end = ANSWER.find(": no tide").unwrap();
        let text = format!("{HEAD}{} [truncated 1234 chars]", &ANSWER[..end]);
        let event = only(&text);
        assert_eq!(event.message.as_str(), "berths \"north\" is forbidden");
        assert!(event.cut);
    }

    #[test]
    fn other_bodies_stay() {
        for body in [
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","message":"x"}"#,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}"#,
            r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#,
        ] {
            let text = format!("{HEAD}{body}");
            let event = only(&text);
            assert_eq!(event.severity, Some(Severity::Info), "{text}");
            assert!(
                event.message.as_str().starts_with("Response Body: "),
                "{text}"
            );
            assert_eq!(header(&text).unwrap().severity, event.severity);
        }
    }

    #[test]
    fn words_before_an_answer_are_an_event_if_they_report() {
        for (before, events) in [("answer: ", 1), ("lift failed: ", 2)] {
            let text = format!("{before}{ANSWER}");
            let all: Vec<Line<'_>> = lines(&text).collect();
            let parsed = plain::parse(Format::Plain, &all);
            assert_eq!(parsed.events.len(), events, "{text}");
            is_read(parsed.events.last().unwrap());
        }
    }
}
