//! Nodes.

use super::common::{ANNOTATIONS, CONDITIONS_FIELD, CREATED, LABELS, NAME, between};
use super::generic::snake_case;
use super::layout::{Block, Content, Node, Tree, field, part};
use super::table::{self, CellSyntax, Table, column, no_remark};
use super::values::{
    block, boolean, entries, put, quantities, scalar, text, text_of, time, values_of,
};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static LEASE: Block = Block {
    repeats: false,
    fields: &[
        field("HolderIdentity", "holder", Content::Value, text),
        field("AcquireTime", "acquire_time", Content::Value, time),
        field("RenewTime", "renew_time", Content::Value, time),
    ],
};

static PODS: Table = Table {
    columns: &[
        column("Namespace", "namespace", CellSyntax::Word),
        column("Name", "name", CellSyntax::Word),
        column("CPU Requests", "cpu_requests", CellSyntax::Amount).percent("cpu_requests_percent"),
        column("CPU Limits", "cpu_limits", CellSyntax::Amount).percent("cpu_limits_percent"),
        column("Memory Requests", "memory_requests", CellSyntax::Amount)
            .percent("memory_requests_percent"),
        column("Memory Limits", "memory_limits", CellSyntax::Amount)
            .percent("memory_limits_percent"),
        // since 1.18
        column("Age", "age_s", CellSyntax::Age).optional(),
    ],
    parts: None,
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

static ALLOCATED: Table = Table {
    columns: &[
        column("Resource", "resource", CellSyntax::Word),
        column("Requests", "requests", CellSyntax::Amount).percent("requests_percent"),
        column("Limits", "limits", CellSyntax::Amount).percent("limits_percent"),
        // one row for both, up to 1.11
        column("CPU Requests", "cpu_requests", CellSyntax::Amount).percent("cpu_requests_percent"),
        column("CPU Limits", "cpu_limits", CellSyntax::Amount).percent("cpu_limits_percent"),
        column("Memory Requests", "memory_requests", CellSyntax::Amount)
            .percent("memory_requests_percent"),
        column("Memory Limits", "memory_limits", CellSyntax::Amount)
            .percent("memory_limits_percent"),
    ],
    parts: None,
    headless: &[&[0, 1, 2], &[3, 4, 5, 6]],
    remark: is_remark,
    last_cell_continues: false,
};

static NODE: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        field("Roles", "roles", Content::Value, values_of),
        field("Role", "roles", Content::Value, values_of),
        LABELS,
        ANNOTATIONS,
        CREATED,
        field("Taints", "taints", Content::Lines, taints),
        field("Unschedulable", "unschedulable", Content::Value, boolean),
        field("Lease", "lease", Content::Fields(&LEASE), block),
        CONDITIONS_FIELD,
        field("Addresses", "addresses", Content::Entries, addresses),
        field("Capacity", "capacity", Content::Entries, quantities),
        field("Allocatable", "allocatable", Content::Entries, quantities),
        field("System Info", "system_info", Content::Entries, system_info),
        field("PodCIDR", "pod_cidr", Content::Value, text),
        field("PodCIDRs", "pod_cidrs", Content::Value, values_of),
        field("ExternalID", "external_id", Content::Value, text),
        field("ProviderID", "provider_id", Content::Value, text),
        field("Non-terminated Pods", "pods", Content::Table(&PODS), pods),
        field(
            "Allocated resources",
            "allocated",
            Content::Table(&ALLOCATED),
            allocated,
        ),
    ],
};

/// Nodes.
pub(super) static KIND: Kind = kind("Node", &NODE).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(pods) = tree.child(tree.root(), "Non-terminated Pods")
        && let Some(total) = between(pods.value, "(", " in total")
    {
        put(map, "pods_total", super::values::number(total));
    }
}

fn is_remark(line: &str) -> bool {
    line.starts_with("(Total limits may be over")
}

/// Parses `key=value:Effect`; the value is optional.
fn taints<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .map(|line| {
            let mut map = Map::new();
            let colon = line.text.rfind(':').unwrap_or(line.text.len());
            let pair = part(line, 0, colon);
            let equals = pair.text.find('=').unwrap_or(pair.text.len());
            put(&mut map, "key", scalar(part(pair, 0, equals)));
            let value = part(pair, equals + 1, pair.text.len());
            put(&mut map, "value", scalar(value));
            let effect = part(line, colon + 1, line.text.len());
            put(&mut map, "effect", scalar(effect));
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn addresses<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut items: Vec<_> = tree
        .children(node)
        .map(|child| {
            let mut map = Map::new();
            map.insert("type", Value::Text(text_of(child.key)));
            put(&mut map, "address", scalar(child.value));
            Value::Map(map)
        })
        .collect();
    // before 1.9 addresses were printed without a type, separated by commas
    if let Some(Value::List(own)) = values_of(tree, node) {
        items.extend(own.into_iter().map(|address| {
            let mut map = Map::new();
            map.insert("address", address);
            Value::Map(map)
        }));
    }
    (!items.is_empty()).then_some(Value::List(items))
}

fn system_info<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for child in tree.children(node) {
        if let Some(value) = scalar(child.value) {
            map.insert_labelled(snake_case(child.key.text), child.key.text, value);
        }
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

fn pods<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &PODS)
}

fn allocated<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let Some(Value::List(rows)) = table::rows(node, &ALLOCATED) else {
        return None;
    };
    let mut items = Vec::new();
    for row in rows {
        if row.get("resource").is_some() {
            items.push(row);
            continue;
        }
        for resource in ["cpu", "memory"] {
            let mut map = Map::new();
            for name in ["requests", "requests_percent", "limits", "limits_percent"] {
                if let Some(value) = row.get(&format!("{resource}_{name}")) {
                    map.insert(name, value.clone());
                }
            }
            let span = map.span();
            let mut name = kwhy_model::TextBuilder::new();
            name.push_decoded(resource, span);
            map.insert("resource", Value::Text(name.finish()));
            items.push(Value::Map(map));
        }
    }
    Some(Value::List(items))
}
