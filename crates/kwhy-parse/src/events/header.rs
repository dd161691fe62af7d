//! Roles of the columns of an Events table.

use crate::input::Line;
use crate::table::columns::{Cell, Columns};
use crate::table::unwrap;
use kwhy_model::Span;

/// The content of a column of an Events table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Namespace,
    LastSeen,
    FirstSeen,
    Count,
    Type,
    Reason,
    Object,
    Kind,
    Name,
    Subobject,
    Source,
    Message,
}

/// Column names of Events tables, without spaces.
const NAMES: &[(&str, Role)] = &[
    ("namespace", Role::Namespace),
    ("lastseen", Role::LastSeen),
    ("age", Role::LastSeen),
    ("firstseen", Role::FirstSeen),
    ("count", Role::Count),
    ("type", Role::Type),
    ("reason", Role::Reason),
    ("object", Role::Object),
    ("kind", Role::Kind),
    ("name", Role::Name),
    ("subobject", Role::Subobject),
    ("subobjectpath", Role::Subobject),
    ("from", Role::Source),
    ("source", Role::Source),
    ("message", Role::Message),
];

/// Further names that people give to columns of events (`-o custom-columns`).
const CHOSEN: &[(&str, Role)] = &[
    ("LAST", Role::LastSeen),
    ("TIME", Role::LastSeen),
    ("POD", Role::Object),
    ("MSG", Role::Message),
];

impl Role {
    /// Returns the role of a column name, in any case and with or without a space.
    fn of(name: &str) -> Option<Role> {
        let is = |known: &str| {
            name.bytes()
                .filter(|byte| *byte != b' ')
                .map(|byte| byte.to_ascii_lowercase())
                .eq(known.bytes())
        };
        NAMES
            .iter()
            .find(|(known, _)| is(known))
            .map(|(_, role)| *role)
    }

    /// Returns the role of a name that somebody chose.
    fn of_chosen(name: &str) -> Option<Role> {
        let mut known = CHOSEN.iter();
        let chosen = known.find(|(known, _)| *known == name);
        chosen.map(|(_, role)| *role)
    }

    /// Returns the role of an upper-case name whose end is missing.
    fn from_prefix(name: &str) -> Option<Role> {
        let name = name.to_ascii_lowercase();
        NAMES
            .iter()
            .find(|(known, _)| known.starts_with(name.as_str()))
            .map(|(_, role)| *role)
    }
}

/// Returns true if the first word of a line may start the name of an events column.
fn may_be_first(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or("");
    let word = word.trim_end_matches(['\u{2191}', '\u{2193}']);
    let is = |known: &str| word.eq_ignore_ascii_case(known);
    NAMES.iter().any(|(name, _)| is(name)) || is("last") || is("first") || word == "TIME"
}

/// Returns the rule that underlines a header if copying moved it onto the header's line.
pub(super) fn rule(line: &str) -> Option<Span> {
    let start = memchr::memmem::find(line.as_bytes(), b" --")?;
    let rest = line.get(start..)?;
    let after = rest.trim_start_matches([' ', '\t', '-']);
    Some(start..line.len() - after.len())
}

/// The header of an Events table.
#[derive(Clone, Debug)]
pub(super) struct Header<'h> {
    columns: Columns<'h>,
    roles: Vec<Role>,
}

impl<'h> Header<'h> {
    /// Parses a header line; `None` if it is not one. Every column must be one that events have,
    /// and type, reason and message must be among them, which excludes Conditions tables. Up to 1.1
    /// there was no type, but a count and the times. If a terminal wrapped the line, an age is
    /// enough.
    pub fn read(line: &'h str) -> Option<Header<'h>> {
        let start = line.trim_start();
        // cheap rejection of almost every line
        if !start.starts_with(['T', 'L', 'F', 'N', 'C', 'R', 'A', 'O']) || !may_be_first(start) {
            return None;
        }
        let line = match rule(line) {
            Some(rule) => line.get(..rule.start)?,
            None => line,
        };
        let columns = Columns::read(line)?;
        let is_long = line.len() >= unwrap::MIN_WIDTH;
        let count = columns.names().count();
        let role = |(index, name)| {
            // a terminal may have cut the last name
            Role::of(name)
                .or_else(|| Role::of_chosen(name))
                .or_else(|| Role::from_prefix(name).filter(|_| is_long && index + 1 == count))
        };
        let roles = columns.names().enumerate().map(role);
        let roles = roles.collect::<Option<Vec<_>>>()?;
        let has = |role| roles.contains(&role);
        let has_type = has(Role::Type) || (has(Role::Count) && has(Role::LastSeen));
        let is_whole = has_type && has(Role::Reason) && has(Role::Message);
        let is_cut = is_long && has(Role::LastSeen) && count > 3;
        // chosen columns, without a type; those of other objects start with a name
        let is_first = |role: &&Role| matches!(role, Role::LastSeen | Role::Object | Role::Reason);
        let is_chosen = || {
            let is_upper = !line.bytes().any(|byte| byte.is_ascii_lowercase());
            let of_event = has(Role::Reason) || has(Role::Object);
            let is_last = roles.last() == Some(&Role::Message);
            is_upper && is_last && of_event && roles.first().filter(is_first).is_some()
        };
        (is_whole || is_cut || is_chosen()).then_some(Header { columns, roles })
    }

    /// Returns the columns and the index of the type; `None` without a type, or if the message is not last.
    pub fn layout(self) -> Option<(Columns<'h>, usize)> {
        let of_type = self.roles.iter().position(|role| *role == Role::Type)?;
        (self.roles.last() == Some(&Role::Message)).then_some((self.columns, of_type))
    }

    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Returns true if one column is to the left of another.
    pub fn is_before(&self, one: Role, other: Role) -> bool {
        let position = |role| self.roles.iter().position(|known| *known == role);
        position(one) < position(other)
    }

    /// Splits a row that is aligned with the header, and pairs each cell with its role.
    pub fn cells<'a>(&self, line: &Line<'a>) -> Option<Vec<(Role, Cell<'a>)>> {
        let cells = self.columns.cells(line)?;
        Some(self.roles.iter().copied().zip(cells).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::parse;
    use crate::input::lines;

    #[test]
    fn chosen_columns() {
        for (header, row) in [
            (
                "LAST OBJECT REASON MESSAGE",
                "2026-03-04T05:06:07Z   crane-0   Sad",
            ),
            ("REASON OBJECT MESSAGE", "Sad                    crane-0"),
            ("OBJECT MSG", "crane-0"),
            ("TIME TYPE REASON POD MSG", "5m   Warning   Sad   crane-0"),
        ] {
            let cells = |text: &str| {
                let words = text.split_whitespace();
                words.map(|word| format!("{word:24}")).collect::<String>()
            };
            let text = format!("{}\n{}no berth for it\n", cells(header), cells(row));
            let all: Vec<_> = lines(&text).collect();
            let read = parse(&all);
            let [event] = read.events.as_slice() else {
                panic!("{text}{read:?}");
            };
            assert_eq!(event.message.as_str(), "no berth for it", "{text}");
            assert_eq!(event.subject.name.as_deref(), Some("crane-0"), "{text}");
            let reason = event.reason.as_ref().map(|reason| reason.as_str());
            assert_eq!(reason, row.contains("Sad").then_some("Sad"), "{text}");
        }
    }

    #[test]
    fn columns_of_other_objects() {
        for header in [
            "NAME      REASON    MESSAGE",
            "NAMESPACE      NAME      REASON    MESSAGE",
            "LAST      MESSAGE",
            "REASON    OBJECT",
            "Reason    Message",
            "REASON    STATUS    MESSAGE",
        ] {
            assert!(Header::read(header).is_none(), "{header}");
        }
    }
}
