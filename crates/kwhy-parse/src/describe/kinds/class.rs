//! Cluster-scoped kinds with a short description: StorageClasses, CSINodes, PriorityClasses.

use super::common::{ANNOTATIONS, CREATED, LABELS, NAME};
use super::layout::{Block, Content, Node, Tree, field};
use super::values::{boolean, entries, integer, lines, pairs, put, scalar, text, values_of};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static STORAGE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        field("IsDefaultClass", "is_default", Content::Value, boolean),
        field("Annotations", "annotations", Content::Text, pairs),
        field("Provisioner", "provisioner", Content::Value, text),
        field("Parameters", "parameters", Content::Value, pairs),
        field(
            "AllowVolumeExpansion",
            "allow_expansion",
            Content::Value,
            boolean,
        ),
        field("MountOptions", "mount_options", Content::Lines, lines),
        field("ReclaimPolicy", "reclaim_policy", Content::Value, text),
        field("VolumeBindingMode", "binding_mode", Content::Value, text),
        field(
            "AllowedTopologies",
            "allowed_topologies",
            Content::Entries,
            topologies,
        ),
    ],
};

/// StorageClasses.
pub(super) static STORAGE: Kind = kind("StorageClass", &STORAGE_BLOCK);

fn topologies<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = tree
        .children(node)
        .flat_map(entries)
        .filter_map(scalar)
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

static PRIORITY_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        field("Value", "value", Content::Value, integer),
        field("GlobalDefault", "global_default", Content::Value, boolean),
        field(
            "PreemptionPolicy",
            "preemption_policy",
            Content::Value,
            text,
        ),
        field("Description", "description", Content::Text, text),
        field("Annotations", "annotations", Content::Text, pairs),
    ],
};

/// PriorityClasses.
pub(super) static PRIORITY: Kind = kind("PriorityClass", &PRIORITY_BLOCK);

static ALLOCATABLES: Block = Block {
    repeats: false,
    fields: &[field("Count", "count", Content::Value, integer)],
};

static DRIVER: Block = Block {
    repeats: false,
    fields: &[
        field("Node ID", "node_id", Content::Value, text),
        field(
            "Allocatables",
            "allocatables",
            Content::Fields(&ALLOCATABLES),
            super::values::block,
        ),
        field("Topology Keys", "topology_keys", Content::Value, values_of),
    ],
};

static SPEC: Block = Block {
    repeats: false,
    fields: &[field(
        "Drivers",
        "drivers",
        Content::Named(&DRIVER),
        drivers,
    )],
};

static CSI_NODE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        LABELS,
        ANNOTATIONS,
        CREATED,
        field(
            "Spec",
            "spec",
            Content::Fields(&SPEC),
            super::values::deferred,
        ),
    ],
};

/// CSINodes.
pub(super) static CSI_NODE: Kind = kind("CSINode", &CSI_NODE_BLOCK).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(spec) = tree.child(tree.root(), "Spec") {
        super::values::add_fields(map, tree, spec);
    }
}

fn drivers<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = tree
        .children(node)
        .map(|driver| {
            let mut map = Map::new();
            put(&mut map, "name", scalar(driver.key));
            super::values::add_fields(&mut map, tree, driver);
            if let Some(count) = map.get("allocatables.count").cloned() {
                map.insert("count", count);
            }
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}
