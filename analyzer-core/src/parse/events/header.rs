//! What the columns of an Events table mean.

use crate::input::Line;
use crate::parse::table::columns::{Cell, Columns};

/// What a column of an Events table holds.
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

impl Role {
    /// The role of a header's name, in any case and with or without a blank.
    fn of(name: &str) -> Option<Role> {
        let is = |known: &str| {
            name.bytes()
                .filter(|byte| *byte != b' ')
                .map(|byte| byte.to_ascii_lowercase())
                .eq(known.bytes())
        };
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
        NAMES
            .iter()
            .find(|(known, _)| is(known))
            .map(|(_, role)| *role)
    }
}

/// The header of an Events table.
#[derive(Clone, Debug)]
pub(super) struct Header<'h> {
    columns: Columns<'h>,
    roles: Vec<Role>,
}

impl<'h> Header<'h> {
    /// Reads a header line; `None` if it is none. Every column must be one that events have, and
    /// type, reason and message must be among them, so that a Conditions table is refused; or the
    /// object and an age, where a terminal cut the rest off.
    pub fn read(line: &'h str) -> Option<Header<'h>> {
        let start = line.trim_start();
        // cheap refusal of almost every line
        if !start.starts_with(['T', 'L', 'F', 'N', 'C', 'R', 'A']) {
            return None;
        }
        let columns = Columns::read(line)?;
        let roles = columns.names().map(Role::of).collect::<Option<Vec<_>>>()?;
        let has = |role| roles.contains(&role);
        // a terminal may have cut the message's name off
        let is_whole = has(Role::Message) || (has(Role::LastSeen) && has(Role::Object));
        (has(Role::Type) && has(Role::Reason) && is_whole).then_some(Header { columns, roles })
    }

    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// The roles with the cells of a row that stands in the header's columns.
    pub fn cells<'a>(&self, line: &Line<'a>) -> Option<Vec<(Role, Cell<'a>)>> {
        let cells = self.columns.cells(line)?;
        Some(self.roles.iter().copied().zip(cells).collect())
    }
}
