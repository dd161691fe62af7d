//! CloudNativePG's relayed records (`pkg/management/logpipe`, CloudNativePG 1.0 to 1.25): a line of PostgreSQL's CSV log as
//! an object, `{"level":"info","ts":"...","logger":"postgres","msg":"record","record":{"error_severity":"FATAL","message":"text"}}`.
//!
//! The outer level is always info; message and severity are those of PostgreSQL.

use super::super::formats::postgresql_severity;
use super::super::json_members::{Member, Members, ValueKind, string_member};
use super::super::payload::Payload;
use kwhy_model::{Event, Severity};

/// Returns the severity that PostgreSQL states in a member of the record; `None` for other members.
pub(super) fn severity(text: &str, member: &Member) -> Option<Severity> {
    if member.kind != ValueKind::Nested || text.get(member.key.clone()) != Some("record") {
        return None;
    }
    let word = string_member(text.get(member.value.clone())?, "error_severity")?;
    postgresql_severity(word)
}

/// Replaces the outer message and severity by those of PostgreSQL, and adds its detail as a field.
pub(super) fn unwrap<'a>(event: &mut Event<'a>, payload: &Payload<'a>, member: &Member) {
    let text = payload.as_str();
    let Some(severity) = severity(text, member) else {
        return;
    };
    event.severity = Some(severity);
    let end = member.value.end;
    let inner = Members::new(text, member.value.start).take_while(|inner| inner.value.end <= end);
    for inner in inner.filter(|inner| inner.kind == ValueKind::String) {
        match text.get(inner.key.clone()) {
            Some("message") => event.message = inner.text(payload),
            Some("detail" | "hint" | "sql_state_code") => event.fields.push(inner.field(payload)),
            _ => {}
        }
    }
}
