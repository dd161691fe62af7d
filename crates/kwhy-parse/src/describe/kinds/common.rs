//! Fields and tables shared by many kinds.

use super::layout::{Content, Field, Node, Tree, field, part, trimmed};
use super::table::{self, CellSyntax, Table, column, no_remark};
use super::values::{age, annotations, labels, put, scalar, text};
use crate::input::Line;
use kwhy_model::{Map, Value};

/// `Name`, present in every object.
pub(super) const NAME: Field = field("Name", "name", Content::Value, text);
/// `Namespace`, present in every namespaced object.
pub(super) const NAMESPACE: Field = field("Namespace", "namespace", Content::Value, text);
/// `Labels`.
pub(super) const LABELS: Field = field("Labels", "labels", Content::Lines, labels);
/// `Annotations`.
pub(super) const ANNOTATIONS: Field =
    field("Annotations", "annotations", Content::Lines, annotations);
/// `CreationTimestamp`.
pub(in super::super) const CREATED: Field = field(
    "CreationTimestamp",
    "created_time",
    Content::Value,
    super::values::time,
);
/// `Selector`.
pub(super) const SELECTOR: Field = field("Selector", "selector", Content::Value, text);
/// `Controlled By`.
pub(super) const CONTROLLED_BY: Field =
    field("Controlled By", "controlled_by", Content::Value, text);
/// `Conditions`, a table.
pub(in super::super) const CONDITIONS_FIELD: Field = field(
    "Conditions",
    "conditions",
    Content::Table(&CONDITIONS),
    conditions,
);

/// The conditions of any kind; each kind prints some of these columns.
pub(super) static CONDITIONS: Table = Table {
    columns: &[
        column("Type", "type", CellSyntax::Word),
        column("Status", "status", CellSyntax::Status),
        column("LastHeartbeatTime", "last_heartbeat_time", CellSyntax::Time),
        column("LastProbeTime", "last_probe_time", CellSyntax::Time),
        column(
            "LastTransitionTime",
            "last_transition_time",
            CellSyntax::Time,
        ),
        column("Reason", "reason", CellSyntax::Word).optional(),
        column("Message", "message", CellSyntax::Rest).optional(),
    ],
    parts: None,
    headless: &[&[0, 1, 2, 4, 5, 6], &[0, 1, 4, 5, 6], &[0, 1, 5, 6]],
    remark: no_remark,
    last_cell_continues: true,
};

/// Parses the rows of a Conditions table.
pub(super) fn conditions<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &CONDITIONS)
}

/// A pod's readiness gates.
pub(super) static GATES: Table = Table {
    columns: &[
        column("Type", "type", CellSyntax::Word),
        column("Status", "status", CellSyntax::Status),
    ],
    parts: None,
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

/// Parses the rows of a table of readiness gates.
pub(super) fn gates<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &GATES)
}

/// The phase, without the `(lasts AGE)` of a terminating object.
pub(super) fn status<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let end = node.value.text.find(" (").unwrap_or(node.value.text.len());
    scalar(trimmed(part(node.value, 0, end)))
}

/// Adds the time since deletion was requested: `Terminating (lasts AGE)`; `(expires DATE)` in old
/// releases has no age.
pub(super) fn terminating<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(status) = tree.child(tree.root(), "Status")
        && let Some(lasts) = between(status.value, "(lasts ", ")")
    {
        put(map, "terminating_for_s", age(lasts));
    }
}

/// Returns the text between two delimiters.
pub(super) fn between<'a>(line: Line<'a>, from: &str, to: &str) -> Option<Line<'a>> {
    let from = line.text.find(from)? + from.len();
    let length = line.text.get(from..)?.find(to)?;
    Some(part(line, from, from + length))
}
