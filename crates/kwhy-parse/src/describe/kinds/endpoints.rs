//! Endpoints and EndpointSlices.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE};
use super::layout::{Block, Content, Node, Tree, field};
use super::table::{self, CellSyntax, Table, column, no_remark};
use super::values::{block, boolean, groups, text, values_of};
use super::{Kind, kind};
use kwhy_model::Value;

static PORTS: Table = Table {
    columns: &[
        column("Name", "name", CellSyntax::Word).optional(),
        column("Port", "port", CellSyntax::Count),
        column("Protocol", "protocol", CellSyntax::Word),
    ],
    parts: None,
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

static SUBSETS: Block = Block {
    repeats: true,
    fields: &[
        field("Addresses", "addresses", Content::Value, values_of),
        field(
            "NotReadyAddresses",
            "not_ready_addresses",
            Content::Value,
            values_of,
        ),
        field("Ports", "ports", Content::Table(&PORTS), ports),
    ],
};

static ENDPOINTS_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("Subsets", "subsets", Content::Fields(&SUBSETS), groups),
    ],
};

/// Endpoints.
pub(super) static ENDPOINTS: Kind = kind("Endpoints", &ENDPOINTS_BLOCK);

static STATE: Block = Block {
    repeats: false,
    fields: &[
        field("Ready", "ready", Content::Value, boolean),
        field("Serving", "serving", Content::Value, boolean),
        field("Terminating", "terminating", Content::Value, boolean),
    ],
};

static ENDPOINT: Block = Block {
    repeats: true,
    fields: &[
        field("- Addresses", "addresses", Content::Value, values_of),
        // the list marker may have been stripped as that of a quotation
        field("Addresses", "addresses", Content::Value, values_of),
        field("Conditions", "conditions", Content::Fields(&STATE), block),
        field("Hostname", "hostname", Content::Value, text),
        field("TargetRef", "target_ref", Content::Value, text),
        field("NodeName", "node_name", Content::Value, text),
        field("Zone", "zone", Content::Value, text),
    ],
};

static SLICE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("AddressType", "address_type", Content::Value, text),
        field("Ports", "ports", Content::Table(&PORTS), ports),
        field(
            "Endpoints",
            "endpoints",
            Content::Fields(&ENDPOINT),
            endpoints,
        ),
    ],
};

/// EndpointSlices.
pub(super) static SLICE: Kind = kind("EndpointSlice", &SLICE_BLOCK);

fn ports<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &PORTS)
}

fn endpoints<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let Some(Value::List(mut items)) = groups(tree, node) else {
        return None;
    };
    for item in &mut items {
        if let Some(ready) = item.get("conditions.ready").cloned()
            && let Value::Map(map) = item
        {
            map.insert("ready", ready);
        }
    }
    Some(Value::List(items))
}
