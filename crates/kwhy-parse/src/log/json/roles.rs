//! The roles of members by common names, whatever the writer: for parts of a record that its writer's own names
//! do not cover. Members of a nested object rank after those of the record itself.

use super::super::json_members::{Member, Members, ValueKind};

/// Names of each part, the surest first; compared in lower case, without marks before them.
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
/// Names of a time or a level within an object.
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
/// Names of a line read by a collector.
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

/// Names of objects that may contain a record's own parts.
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

/// Removes the marks before a name.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['@', '_'])
}

/// Returns the rank of a name among those of a part; 0 is the surest.
pub(super) fn rank(names: &[&str], name: &str) -> Option<usize> {
    let name = bare(name);
    names
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the index of the surest member of a part that a test accepts.
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

/// Returns the members of a nested object.
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

/// Returns true if a nested object has a member with one of these names.
pub(super) fn has(text: &str, object: &Member, names: &[&str]) -> bool {
    inside(text, object).iter().any(|member| {
        text.get(member.key.clone())
            .is_some_and(|key| rank(names, key).is_some())
    })
}
