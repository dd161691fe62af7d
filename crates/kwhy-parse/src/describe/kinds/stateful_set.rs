//! StatefulSets.

use super::common::{ANNOTATIONS, CREATED, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Block, Content, Node, Tree, field};
use super::template::POD_TEMPLATE;
use super::values::{annotations, counts, groups, integer, labels, put, scalar, text, values_of};
use super::{Kind, controller};
use kwhy_model::{Map, Value};

static STRATEGY: Block = Block {
    repeats: false,
    fields: &[
        field("Partition", "partition", Content::Value, integer),
        field("MaxUnavailable", "max_unavailable", Content::Value, text),
    ],
};

static RETENTION: Block = Block {
    repeats: false,
    fields: &[
        field("WhenDeleted", "when_deleted", Content::Value, text),
        field("WhenScaled", "when_scaled", Content::Value, text),
    ],
};

static CLAIMS: Block = Block {
    repeats: true,
    fields: &[
        field("Name", "name", Content::Value, text),
        field("StorageClass", "storage_class", Content::Value, text),
        field("Labels", "labels", Content::Lines, labels),
        field("Annotations", "annotations", Content::Lines, annotations),
        field("Capacity", "capacity", Content::Value, capacity),
        field("Access Modes", "access_modes", Content::Value, values_of),
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
        field("Service Name", "service_name", Content::Value, text),
        field(
            "Pod Management Policy",
            "pod_management_policy",
            Content::Value,
            text,
        ),
        field("Replicas", "replicas", Content::Value, counts),
        field(
            "Update Strategy",
            "update_strategy",
            Content::Fields(&STRATEGY),
            strategy,
        ),
        field(
            "Persistent Volume Claim Retention Policy",
            "claim_retention",
            Content::Fields(&RETENTION),
            super::values::block,
        ),
        field("Pods Status", "pods_status", Content::Value, counts),
        POD_TEMPLATE,
        field(
            "Volume Claims",
            "volume_claims",
            Content::Fields(&CLAIMS),
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
