//! HorizontalPodAutoscalers.

use super::common::{ANNOTATIONS, CONDITIONS_FIELD, CREATED, LABELS, NAME, NAMESPACE};
use super::layout::{Block, Content, Field, Node, Tree, field, part, trimmed};
use super::values::{block, counts, integer, lines, put, text, text_of};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static RULES: Block = Block {
    repeats: false,
    fields: &[
        field(
            "Stabilization Window",
            "stabilization_window",
            Content::Value,
            text,
        ),
        field("Select Policy", "select_policy", Content::Value, text),
        field("Tolerance", "tolerance", Content::Value, text),
        field("Policies", "policies", Content::Rows(is_policy), lines),
    ],
};

static BEHAVIOR: Block = Block {
    repeats: false,
    fields: &[
        field("Scale Up", "scale_up", Content::Fields(&RULES), block),
        field("Scale Down", "scale_down", Content::Fields(&RULES), block),
    ],
};

fn is_policy(line: &str) -> bool {
    line.trim_start().starts_with("- Type:")
}

const fn pods(key: &'static str) -> Field {
    field(key, "replicas", Content::Value, counts)
}

static AUTOSCALER: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        CREATED,
        field("Reference", "reference", Content::Value, text),
        // autoscaling/v1
        field(
            "Target CPU utilization",
            "target_cpu_utilization",
            Content::Value,
            text,
        ),
        field(
            "Current CPU utilization",
            "current_cpu_utilization",
            Content::Value,
            text,
        ),
        field("Metrics", "metrics", Content::Entries, metrics),
        field("Min replicas", "min_replicas", Content::Value, integer),
        field("Max replicas", "max_replicas", Content::Value, integer),
        field("Behavior", "behavior", Content::Fields(&BEHAVIOR), block),
        pods("Deployment pods"),
        pods("ReplicaSet pods"),
        pods("ReplicationController pods"),
        pods("StatefulSet pods"),
        CONDITIONS_FIELD,
    ],
};

/// HorizontalPodAutoscalers.
pub(super) static KIND: Kind = kind("HorizontalPodAutoscaler", &AUTOSCALER).finish(finish);

/// Adds the replicas of a target kind without a field of its own, such as `Rollout pods`.
fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    let other = tree
        .children(tree.root())
        .find(|node| node.field.is_none() && node.key.text.ends_with(" pods"));
    if let Some(node) = other {
        put(map, "replicas", counts(tree, node));
    }
}

/// Parses `METRIC:  CURRENT / TARGET`.
fn metrics<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = tree
        .children(node)
        .map(|child| {
            let mut map = Map::new();
            map.insert("metric", Value::Text(text_of(child.key)));
            let value = child.value;
            let slash = value.text.rfind(" / ").unwrap_or(value.text.len());
            let current = trimmed(part(value, 0, slash));
            let target = trimmed(part(value, slash + 3, value.text.len()));
            // an unknown value may be the very problem, so `<unknown>` is kept
            for (name, amount) in [("current", current), ("target", target)] {
                if !amount.text.is_empty() {
                    map.insert(name, Value::Text(text_of(amount)));
                }
            }
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}
