//! The API server's audit log (audit.k8s.io/v1, `--audit-log-format=json`): one `Event` per line.
//!
//! The message is the verb, the request path and the response code. A code of 500 or above is an
//! error, one of 400 or above a warning. Rejected: audit events inside a list or spread over
//! several lines.

use std::ops::Range;

use super::{Follow, FormatSpec, show};
use crate::log::json_members::{Member, Members, ValueKind};
use crate::log::payload::Payload;
use crate::log::timestamp;
use kwhy_model::{Event, Format, Severity, TextBuilder};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::KubeAudit,
    first: b"{",
    begins: |text| is_audit(text.as_bytes()),
    read,
    show,
    follow: Follow::ONE_LINE,
};

/// Returns true if a record starts with a text.
pub fn is_audit(text: &[u8]) -> bool {
    let starts: [&[u8]; 2] = [
        b"{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/",
        b"{\"apiVersion\":\"audit.k8s.io/",
    ];
    starts.iter().any(|start| text.starts_with(start))
}

fn find<'m>(text: &str, members: &'m [Member], key: &str) -> Option<&'m Member> {
    members
        .iter()
        .find(|member| text.get(member.key.clone()) == Some(key))
}

/// Returns a member of an object nested in the record.
fn inside(text: &str, object: Option<&Member>, key: &str) -> Option<Member> {
    let object = object.filter(|object| object.kind == ValueKind::Nested)?;
    Members::new(text, object.value.start)
        .take_while(|member| member.value.end <= object.value.end)
        .find(|member| text.get(member.key.clone()) == Some(key))
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let members: Vec<Member> = Members::new(text, 0).collect();
    let member = |key: &str| find(text, &members, key);
    let status = member("responseStatus");
    let code = inside(text, status, "code");
    let mut builder = TextBuilder::new();
    let mut end: Option<usize> = None;
    let mut say = |range: Range<usize>| {
        if let Some(end) = end {
            let between = payload
                .text()
                .source_span(end.min(range.start)..range.start);
            builder.push_decoded(" ", between);
        }
        builder.push_text(&payload.part(range.clone()));
        end = Some(range.end);
    };
    let spoken = [member("verb"), member("requestURI"), code.as_ref()];
    for part in spoken.into_iter().flatten() {
        say(part.value.clone());
    }
    let span = payload.text().span();
    let mut event = Event::new(Format::KubeAudit, span, builder.finish());
    event.time = ["stageTimestamp", "requestReceivedTimestamp"]
        .iter()
        .find_map(|key| timestamp::parse(text.get(member(key)?.value.clone())?));
    let number = code
        .as_ref()
        .and_then(|code| text.get(code.value.clone())?.parse::<u32>().ok());
    event.severity = Some(match number {
        Some(500..) => Severity::Error,
        Some(400..) => Severity::Warning,
        _ => Severity::Info,
    });
    let object = member("objectRef");
    let named = [
        ("user", inside(text, member("user"), "username")),
        ("verb", member("verb").cloned()),
        ("requestURI", member("requestURI").cloned()),
        ("code", code.clone()),
        ("status_reason", inside(text, status, "reason")),
        ("error", inside(text, status, "message")),
        ("resource", inside(text, object, "resource")),
        ("namespace", inside(text, object, "namespace")),
        ("name", inside(text, object, "name")),
        ("stage", member("stage").cloned()),
        ("auditID", member("auditID").cloned()),
        ("userAgent", member("userAgent").cloned()),
        ("sourceIPs", member("sourceIPs").cloned()),
    ];
    for (key, member) in named {
        let Some(member) = member else {
            continue;
        };
        event.fields.push(member.field_named(key, payload));
    }
    Some(event)
}
