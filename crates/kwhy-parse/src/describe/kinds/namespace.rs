//! Namespaces, ResourceQuotas and LimitRanges.

use super::common::{ANNOTATIONS, CONDITIONS_FIELD, LABELS};
use super::layout::{Below, Block, Node, Tree, field};
use super::table::{self, Cell, Table, column, no_remark};
use super::values::{add_to_group, deferred, put, scalar, text, values_of};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static RESOURCES: Table = Table {
    columns: &[
        column("Resource", "resource", Cell::Word),
        column("Used", "used", Cell::Word),
        column("Hard", "hard", Cell::Word),
    ],
    parts: None,
    headless: &[],
    remark: is_help,
    last_cell_continues: false,
};

/// Returns true for the explanation of a scope, printed below the scopes.
fn is_help(line: &str) -> bool {
    line.starts_with("* ")
}

static LIMIT_ROWS: Table = Table {
    columns: &[
        column("Type", "type", Cell::Word),
        column("Resource", "resource", Cell::Word),
        column("Min", "min", Cell::Dash),
        column("Max", "max", Cell::Dash),
        column("Default Request", "default_request", Cell::Dash),
        column("Default Limit", "default_limit", Cell::Dash),
        column("Max Limit/Request Ratio", "max_ratio", Cell::Dash),
    ],
    parts: None,
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

/// A quota; its rows are below its last key.
static QUOTA_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Below::Table(&RESOURCES), text_alone),
        field(
            "Namespace",
            "namespace",
            Below::Table(&RESOURCES),
            text_alone,
        ),
        field("Scopes", "scopes", Below::Table(&RESOURCES), values_of),
    ],
};

/// ResourceQuotas.
pub(super) static QUOTA: Kind = kind("ResourceQuota", &QUOTA_BLOCK).finish(resources);

static QUOTAS: Block = Block {
    repeats: true,
    fields: &[
        field("Name", "name", Below::Table(&RESOURCES), text_alone),
        field("Scopes", "scopes", Below::Table(&RESOURCES), values_of),
    ],
};

static LIMITS_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Below::Table(&LIMIT_ROWS), text_alone),
        field(
            "Namespace",
            "namespace",
            Below::Table(&LIMIT_ROWS),
            text_alone,
        ),
    ],
};

/// LimitRanges.
pub(super) static LIMITS: Kind = kind("LimitRange", &LIMITS_BLOCK).finish(limit_rows);

static NAMESPACE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Below::Value, text),
        LABELS,
        ANNOTATIONS,
        field("Status", "status", Below::Value, text),
        CONDITIONS_FIELD,
        field("Resource Quotas", "quotas", Below::Fields(&QUOTAS), quotas).bare(),
        field("No resource quota.", "no_quota", Below::Value, deferred).bare(),
        field(
            "Resource Limits",
            "limits",
            Below::Table(&LIMIT_ROWS),
            limits,
        )
        .bare(),
        field(
            "No LimitRange resource.",
            "no_limits",
            Below::Value,
            deferred,
        )
        .bare(),
    ],
};

/// Namespaces.
pub(super) static NAMESPACE: Kind = kind("Namespace", &NAMESPACE_BLOCK);

fn text_alone<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    scalar(node.value)
}

/// Adds the rows below all keys of the object.
fn add_rows<'a>(map: &mut Map<'a>, tree: &Tree<'a>, table: &Table, name: &'static str) {
    let lines: Vec<_> = tree
        .children(tree.root())
        .flat_map(|node| node.lines.iter().copied())
        .collect();
    put(map, name, table.rows(&lines));
}

fn resources<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    add_rows(map, tree, &RESOURCES, "resources");
}

fn limit_rows<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    add_rows(map, tree, &LIMIT_ROWS, "limits");
}

fn limits<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &LIMIT_ROWS)
}

/// Parses the quotas of a namespace, each with its rows.
fn quotas<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut items: Vec<Map<'a>> = Vec::new();
    let mut seen = Vec::new();
    for child in tree.children(node) {
        add_to_group(&mut items, &mut seen, tree, child);
        if let Some(item) = items.last_mut() {
            put(item, "resources", RESOURCES.rows(&child.lines));
        }
    }
    (!items.is_empty()).then(|| Value::List(items.into_iter().map(Value::Map).collect()))
}
