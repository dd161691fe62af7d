//! Endpoints and EndpointSlices.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE};
use super::layout::{Below, Block, Node, Tree, field};
use super::table::{self, Cell, Table, column, no_remark};
use super::values::{block, boolean, groups, text, values_of};
use super::{Kind, kind};
use kwhy_model::Value;

static PORTS: Table = Table {
    columns: &[
        column("Name", "name", Cell::Word).optional(),
        column("Port", "port", Cell::Count),
        column("Protocol", "protocol", Cell::Word),
    ],
    parts: None,
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

static SUBSETS: Block = Block {
    repeats: true,
    fields: &[
        field("Addresses", "addresses", Below::Value, values_of),
        field(
            "NotReadyAddresses",
            "not_ready_addresses",
            Below::Value,
            values_of,
        ),
        field("Ports", "ports", Below::Table(&PORTS), ports),
    ],
};

static ENDPOINTS_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("Subsets", "subsets", Below::Fields(&SUBSETS), groups),
    ],
};

/// Endpoints.
pub(super) static ENDPOINTS: Kind = kind("Endpoints", &ENDPOINTS_BLOCK);

static STATE: Block = Block {
    repeats: false,
    fields: &[
        field("Ready", "ready", Below::Value, boolean),
        field("Serving", "serving", Below::Value, boolean),
        field("Terminating", "terminating", Below::Value, boolean),
    ],
};

static ENDPOINT: Block = Block {
    repeats: true,
    fields: &[
        field("- Addresses", "addresses", Below::Value, values_of),
        // the list marker may have been stripped as that of a quotation
        field("Addresses", "addresses", Below::Value, values_of),
        field("Conditions", "conditions", Below::Fields(&STATE), block),
        field("Hostname", "hostname", Below::Value, text),
        field("TargetRef", "target_ref", Below::Value, text),
        field("NodeName", "node_name", Below::Value, text),
        field("Zone", "zone", Below::Value, text),
    ],
};

static SLICE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("AddressType", "address_type", Below::Value, text),
        field("Ports", "ports", Below::Table(&PORTS), ports),
        field(
            "Endpoints",
            "endpoints",
            Below::Fields(&ENDPOINT),
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
