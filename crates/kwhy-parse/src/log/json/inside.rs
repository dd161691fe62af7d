//! Records whose own parts are in a nested object: serializers put them under `fields`, `record` or `data`.

use super::super::json_members::{Member, Members, ValueKind};
use super::super::payload::Payload;
use super::super::{level, timestamp};
use super::{place, roles};
use kwhy_model::Event;

/// Returns true if a nested object supplies the message, level or time that the record itself lacks.
pub(super) fn holds_record(text: &str) -> bool {
    let members: Vec<Member> = Members::new(text, 0).collect();
    let top = |names: &[&str]| {
        roles::find(text, &members, names, |member| {
            member.kind != ValueKind::Nested
        })
        .is_some()
    };
    let (time, level, message) = (top(roles::TIME), top(roles::LEVEL), top(roles::MESSAGE));
    // a writer configured without times still names its source
    let is_named = top(&["target", "logger", "logger_name", "module_path"]);
    members
        .iter()
        .filter(|member| roles::may_hold(text, member))
        .any(|object| {
            let message = message || roles::has(text, object, roles::MESSAGE);
            let level = level || roles::has(text, object, roles::LEVEL);
            let time = time || roles::has(text, object, roles::TIME);
            message
                && level
                && (time || is_named || text.get(object.key.clone()) == Some("@fields"))
        })
}

/// Takes the parts that the record lacks, and the error, from a nested object. If it has any of them, its other members
/// become fields of the record, and the function returns true.
pub(super) fn take_inside<'a>(
    event: &mut Event<'a>,
    payload: &Payload<'a>,
    object: &Member,
    wants_message: bool,
) -> bool {
    let text = payload.as_str();
    let members = roles::inside(text, object);
    let is_text = |member: &Member| member.kind == ValueKind::String;
    let mut taken = Vec::new();
    if wants_message && let Some(at) = roles::find(text, &members, roles::MESSAGE, is_text) {
        event.message = members[at].text(payload);
        taken.push(at);
    }
    let is_level = |member: &Member| {
        text.get(member.value.clone())
            .and_then(level::severity)
            .is_some()
    };
    if event.severity.is_none()
        && let Some(at) = roles::find(text, &members, roles::LEVEL, |member| {
            is_level(member) || member.kind == ValueKind::Nested
        })
    {
        let deep = roles::inside(text, &members[at]);
        let found = if members[at].kind == ValueKind::Nested {
            roles::find(text, &deep, roles::LEVEL_INSIDE, is_level).and_then(|at| deep.get(at))
        } else {
            members.get(at)
        };
        if let Some(member) = found {
            level::set_field(event, member.field_named("level", payload));
            taken.push(at);
        }
    }
    if event.time.is_none() {
        let stamp = |member: &Member| text.get(member.value.clone()).and_then(timestamp::parse);
        let found = roles::find(text, &members, roles::TIME, |member| {
            stamp(member).is_some() || member.kind == ValueKind::Nested
        });
        if let Some(at) = found.filter(|_| !taken.is_empty()) {
            let deep = roles::inside(text, &members[at]);
            let of_object = || {
                roles::find(text, &deep, roles::TIME_INSIDE, |member| {
                    stamp(member).is_some()
                })
                .and_then(|at| stamp(&deep[at]))
            };
            event.time = stamp(&members[at])
                .filter(|_| members[at].kind != ValueKind::Nested)
                .or_else(of_object);
            if event.time.is_some() {
                taken.push(at);
            }
        }
    }
    match roles::find(text, &members, &["error", "err"], |_| true).and_then(|at| members.get(at)) {
        Some(error) if error.kind == ValueKind::Nested => add_error(event, payload, error),
        Some(error) => event.fields.push(error.field_named("error", payload)),
        None => {}
    }
    if taken.is_empty() {
        return false;
    }
    if event.component.is_none()
        && let Some(at) = roles::find(text, &members, roles::LOGGER, is_text)
    {
        event.component = Some(members[at].text(payload));
        taken.push(at);
    }
    let line = roles::find(text, &members, roles::LINE, |member| {
        member.kind == ValueKind::Literal
    });
    if event.caller.is_none()
        && let Some((line, file)) = line.zip(roles::find(text, &members, roles::FILE, |_| true))
    {
        let deep = roles::inside(text, &members[file]);
        let name = if members[file].kind == ValueKind::Nested {
            roles::find(text, &deep, &["name", "path"], is_text).and_then(|at| deep.get(at))
        } else {
            members.get(file)
        };
        if let Some(name) = name {
            event.caller = Some(place(
                &name.text(payload),
                Some(members[line].text(payload)),
            ));
            taken.extend([line, file]);
        }
    }
    let others = members.iter().enumerate();
    for (_, member) in others.filter(|(at, _)| !taken.contains(at)) {
        let is_extra = text.get(member.key.clone()) == Some("extra");
        if is_extra && member.kind == ValueKind::Nested {
            event.fields.extend(
                roles::inside(text, member)
                    .iter()
                    .map(|inner| inner.field(payload)),
            );
        } else {
            event.fields.push(member.field(payload));
        }
    }
    true
}

/// Adds an error object (`{"type":"TypeError","message":"text","stack":".."}`): its message and its
/// stack trace.
pub(super) fn add_error<'a>(event: &mut Event<'a>, payload: &Payload<'a>, object: &Member) {
    let text = payload.as_str();
    let inside = Members::new(text, object.value.start)
        .take_while(|member| member.value.end <= object.value.end)
        .filter(|member| member.kind == ValueKind::String);
    for member in inside {
        match text.get(member.key.clone()) {
            Some("message") => event.fields.push(member.field_named("error", payload)),
            Some("stack") if event.stack.is_none() => {
                event.stack = Some(payload.text().source_span(member.value));
            }
            _ => {}
        }
    }
}
