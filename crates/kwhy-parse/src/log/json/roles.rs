//! The roles of members by their names, whatever the writer: for the parts of a record that its writer's own names
//! do not show. Members of an object inside count after those of the record itself.

use super::super::json_members::{Member, Members, ValueKind};

/// Names of each part, the surest first. They are compared in lower case, without marks before them.
pub(super) const TIME: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "t",
    "datetime",
    "asctime",
    "date",
];
pub(super) const LEVEL: &[&str] = &[
    "level",
    "severity",
    "lvl",
    "levelname",
    "log.level",
    "log_level",
    "loglevel",
    "level_name",
    "severity_text",
    "severitytext",
    "l",
    "s",
];
/// Names of a time and a level in an object that is one of them.
pub(super) const TIME_INSIDE: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "t",
    "datetime",
    "asctime",
    "log_time",
    "date",
    "$date",
    "repr",
];
pub(super) const LEVEL_INSIDE: &[&str] = &[
    "level",
    "severity",
    "lvl",
    "levelname",
    "log_level",
    "sev",
    "name",
];
pub(super) const MESSAGE: &[&str] = &[
    "msg",
    "message",
    "m",
    "log_message",
    "short_message",
    "mt",
    "event",
    "text",
    "body",
    "textpayload",
    "full_message",
];
/// Names of the line that a collector read.
pub(super) const LINE_READ: &[&str] = &["log", "line"];
pub(super) const LOGGER: &[&str] = &[
    "logger",
    "logger_name",
    "loggername",
    "log.logger",
    "log_logger",
    "n",
    "scope",
    "component",
    "channel",
    "category",
    "sourcecontext",
    "target",
    "name",
    "module",
    "module_path",
    "ctx",
];
pub(super) const CALLER: &[&str] = &["caller", "c", "source", "src", "location", "origin"];
pub(super) const FILE: &[&str] = &[
    "file",
    "filename",
    "file_name",
    "source_file",
    "pathname",
    "log.origin.file.name",
];
pub(super) const LINE: &[&str] = &[
    "line",
    "line_number",
    "linenumber",
    "lineno",
    "source_line",
    "log.origin.file.line",
];

/// Objects in which a record's own parts may lie.
pub(super) const INSIDE: &[&str] = &[
    "fields",
    "record",
    "data",
    "context",
    "extra",
    "log",
    "attributes",
    "attr",
    "jsonpayload",
    "kv",
    "payload",
    "labels",
];

/// A name as it is compared: without marks before it, in lower case.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['@', '_'])
}

/// The rank of a name among those of a part; the first is the surest.
pub(super) fn rank(names: &[&str], name: &str) -> Option<usize> {
    let name = bare(name);
    names
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// The surest member of a part that a test accepts.
pub(super) fn find(
    text: &str,
    members: &[Member],
    names: &[&str],
    accepts: impl Fn(&Member) -> bool,
) -> Option<usize> {
    let ranked = members.iter().enumerate().filter_map(|(at, member)| {
        let rank = rank(names, text.get(member.key.clone())?)?;
        accepts(member).then_some((rank, at))
    });
    ranked.min().map(|(_, at)| at)
}

/// The members of an object inside.
pub(super) fn inside(text: &str, object: &Member) -> Vec<Member> {
    if object.kind != ValueKind::Nested || text.as_bytes().get(object.value.start) != Some(&b'{') {
        return Vec::new();
    }
    Members::new(text, object.value.start).collect()
}

/// Returns true if a member is an object that may contain a record's own parts.
pub(super) fn may_hold(text: &str, member: &Member) -> bool {
    member.kind == ValueKind::Nested
        && text
            .get(member.key.clone())
            .is_some_and(|key| rank(INSIDE, key).is_some())
}

/// Returns true if an object inside has a member with one of these names.
pub(super) fn has(text: &str, object: &Member, names: &[&str]) -> bool {
    inside(text, object).iter().any(|member| {
        text.get(member.key.clone())
            .is_some_and(|key| rank(names, key).is_some())
    })
}
