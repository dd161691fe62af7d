//! Deployments, ReplicaSets and ReplicationControllers.

use super::common::{
    ANNOTATIONS, CONDITIONS_FIELD, CONTROLLED_BY, CREATED, LABELS, NAME, NAMESPACE, SELECTOR,
    between,
};
use super::layout::{Block, Content, Node, Tree, field, part, trimmed};
use super::template::POD_TEMPLATE;
use super::values::{counts, deferred, integer, number, put, scalar, split, text};
use super::{Kind, controller};
use crate::input::Line;
use kwhy_model::{Map, Value};

static DEPLOYMENT_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        CREATED,
        LABELS,
        ANNOTATIONS,
        SELECTOR,
        field("Replicas", "replicas", Content::Value, counts),
        field("StrategyType", "strategy", Content::Value, text),
        field(
            "MinReadySeconds",
            "min_ready_seconds",
            Content::Value,
            integer,
        ),
        field(
            "RollingUpdateStrategy",
            "rolling_update",
            Content::Value,
            deferred,
        ),
        POD_TEMPLATE,
        CONDITIONS_FIELD,
        field(
            "OldReplicaSets",
            "old_replica_sets",
            Content::Value,
            replica_sets,
        ),
        field(
            "OldReplicaSet",
            "old_replica_sets",
            Content::Value,
            replica_sets,
        ),
        field(
            "NewReplicaSet",
            "new_replica_set",
            Content::Value,
            new_replica_set,
        ),
    ],
};

/// Deployments.
pub(super) static DEPLOYMENT: Kind =
    controller("Deployment", &DEPLOYMENT_BLOCK).finish(rolling_update);

static REPLICA_SET_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        SELECTOR,
        LABELS,
        ANNOTATIONS,
        CONTROLLED_BY,
        field("Replicas", "replicas", Content::Value, counts),
        field("Pods Status", "pods_status", Content::Value, counts),
        POD_TEMPLATE,
        CONDITIONS_FIELD,
    ],
};

/// ReplicaSets and ReplicationControllers, which have the same layout.
pub(super) static REPLICA_SET: Kind = controller("ReplicaSet", &REPLICA_SET_BLOCK);

/// Parses `25% max unavailable, 1 max surge`.
fn rolling_update<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    let Some(node) = tree.child(tree.root(), "RollingUpdateStrategy") else {
        return;
    };
    for piece in split(node.value, [',']) {
        for (name, words) in [
            ("max_unavailable", " max unavailable"),
            ("max_surge", " max surge"),
        ] {
            if let Some(amount) = piece.text.strip_suffix(words) {
                put(map, name, scalar(part(piece, 0, amount.len())));
            }
        }
    }
}

/// Parses `NAME (n/m replicas created)`.
fn replica_set<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let end = line.text.find(" (").unwrap_or(line.text.len());
    let mut map = Map::new();
    put(&mut map, "name", scalar(trimmed(part(line, 0, end))));
    if let Some(counts) = between(line, "(", " replicas created") {
        let mut counts = split(counts, ['/']);
        put(&mut map, "created", counts.next().and_then(number));
        put(&mut map, "desired", counts.next().and_then(number));
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

fn replica_sets<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = split(node.value, [',']).filter_map(replica_set).collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn new_replica_set<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    replica_set(node.value)
}
