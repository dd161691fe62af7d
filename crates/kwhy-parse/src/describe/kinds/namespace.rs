//! Namespaces, ResourceQuotas and LimitRanges.

use super::common::{ANNOTATIONS, CONDITIONS_FIELD, LABELS};
use super::layout::{Block, Content, Node, Tree, field};
use super::table::{self, CellSyntax, Table, column, no_remark};
use super::values::{add_to_group, deferred, put, scalar, text, values_of};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static RESOURCES: Table = Table {
    columns: &[
        column("Resource", "resource", CellSyntax::Word),
        column("Used", "used", CellSyntax::Word),
        column("Hard", "hard", CellSyntax::Word),
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
        column("Type", "type", CellSyntax::Word),
        column("Resource", "resource", CellSyntax::Word),
        column("Min", "min", CellSyntax::Dash),
        column("Max", "max", CellSyntax::Dash),
        column("Default Request", "default_request", CellSyntax::Dash),
        column("Default Limit", "default_limit", CellSyntax::Dash),
        column("Max Limit/Request Ratio", "max_ratio", CellSyntax::Dash),
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
        field("Name", "name", Content::Table(&RESOURCES), text_alone),
        field(
            "Namespace",
            "namespace",
            Content::Table(&RESOURCES),
            text_alone,
        ),
        field("Scopes", "scopes", Content::Table(&RESOURCES), values_of),
    ],
};

/// ResourceQuotas.
pub(super) static QUOTA: Kind = kind("ResourceQuota", &QUOTA_BLOCK).finish(resources);

static QUOTAS: Block = Block {
    repeats: true,
    fields: &[
        field("Name", "name", Content::Table(&RESOURCES), text_alone),
        field("Scopes", "scopes", Content::Table(&RESOURCES), values_of),
    ],
};

static LIMITS_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Content::Table(&LIMIT_ROWS), text_alone),
        field(
            "Namespace",
            "namespace",
            Content::Table(&LIMIT_ROWS),
            text_alone,
        ),
    ],
};

/// LimitRanges.
pub(super) static LIMITS: Kind = kind("LimitRange", &LIMITS_BLOCK).finish(limit_rows);

static NAMESPACE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Content::Value, text),
        LABELS,
        ANNOTATIONS,
        field("Status", "status", Content::Value, text),
        CONDITIONS_FIELD,
        field(
            "Resource Quotas",
            "quotas",
            Content::Fields(&QUOTAS),
            quotas,
        )
        .bare(),
        field("No resource quota.", "no_quota", Content::Value, deferred).bare(),
        field(
            "Resource Limits",
            "limits",
            Content::Table(&LIMIT_ROWS),
            limits,
        )
        .bare(),
        field(
            "No LimitRange resource.",
            "no_limits",
            Content::Value,
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
