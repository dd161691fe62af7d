//! StatefulSets.

use super::common::{ANNOTATIONS, CREATED, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Below, Block, Node, Tree, field};
use super::template::POD_TEMPLATE;
use super::values::{annotations, counts, groups, integer, labels, put, scalar, text, values_of};
use super::{Kind, controller};
use kwhy_model::{Map, Value};

static STRATEGY: Block = Block {
    repeats: false,
    fields: &[
        field("Partition", "partition", Below::Value, integer),
        field("MaxUnavailable", "max_unavailable", Below::Value, text),
    ],
};

static RETENTION: Block = Block {
    repeats: false,
    fields: &[
        field("WhenDeleted", "when_deleted", Below::Value, text),
        field("WhenScaled", "when_scaled", Below::Value, text),
    ],
};

static CLAIMS: Block = Block {
    repeats: true,
    fields: &[
        field("Name", "name", Below::Value, text),
        field("StorageClass", "storage_class", Below::Value, text),
        field("Labels", "labels", Below::Lines, labels),
        field("Annotations", "annotations", Below::Lines, annotations),
        field("Capacity", "capacity", Below::Value, capacity),
        field("Access Modes", "access_modes", Below::Value, values_of),
    ],
};

static STATEFUL_SET: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        CREATED,
        SELECTOR,
        LABELS,
        ANNOTATIONS,
        field("Service Name", "service_name", Below::Value, text),
        field(
            "Pod Management Policy",
            "pod_management_policy",
            Below::Value,
            text,
        ),
        field("Replicas", "replicas", Below::Value, counts),
        field(
            "Update Strategy",
            "update_strategy",
            Below::Fields(&STRATEGY),
            strategy,
        ),
        field(
            "Persistent Volume Claim Retention Policy",
            "claim_retention",
            Below::Fields(&RETENTION),
            super::values::block,
        ),
        field("Pods Status", "pods_status", Below::Value, counts),
        POD_TEMPLATE,
        field(
            "Volume Claims",
            "volume_claims",
            Below::Fields(&CLAIMS),
            groups,
        ),
    ],
};

/// StatefulSets.
pub(super) static KIND: Kind = controller("StatefulSet", &STATEFUL_SET).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(strategy) = tree.child(tree.root(), "Update Strategy") {
        for child in tree.children(strategy) {
            if let Some(field) = child.field {
                put(map, field.name, (field.read)(tree, child));
            }
        }
    }
}

fn strategy<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    scalar(node.value)
}

/// Returns a quantity; the driver's default is `None`.
fn capacity<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    scalar(node.value).filter(|_| node.value.text != "<default>")
}
