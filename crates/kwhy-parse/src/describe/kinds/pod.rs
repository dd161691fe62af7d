//! Pods.

use super::Kind;
use super::common::{CONDITIONS, GATES, conditions, gates, status, terminating};
use super::container::{CONTAINER, containers};
use super::layout::{Block, Content, Node, Schema, Tree, field, part};
use super::template::{tolerations, topology_spread};
use super::values::{
    annotations, block, integer, labels, list, put, quantities, scalar, seconds, text, time,
};
use super::volume::{VOLUME, volumes};
use kwhy_model::{Map, Value};

/// Pod-level resources, since 1.32.
static RESOURCES: Block = Block {
    repeats: false,
    fields: &[
        field("Limits", "limits", Content::Entries, quantities),
        field("Requests", "requests", Content::Entries, quantities),
    ],
};

static IPS: Block = Block {
    repeats: true,
    fields: &[field("IP", "ip", Content::Value, text)],
};

static POD: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Content::Value, text),
        field("Namespace", "namespace", Content::Value, text),
        field("Priority", "priority", Content::Value, integer),
        field(
            "Priority Class Name",
            "priority_class",
            Content::Value,
            text,
        ),
        field("PriorityClassName", "priority_class", Content::Value, text),
        field("Runtime Class Name", "runtime_class", Content::Value, text),
        field("Service Account", "service_account", Content::Value, text),
        field("Security Policy", "security_policy", Content::Value, text),
        field("Node", "node", Content::Value, node_name),
        field("Start Time", "start_time", Content::Value, time),
        field("Labels", "labels", Content::Lines, labels),
        field("Annotations", "annotations", Content::Lines, annotations),
        field("Status", "status", Content::Value, status),
        field(
            "Termination Grace Period",
            "termination_grace_period_s",
            Content::Value,
            seconds,
        ),
        field("Reason", "reason", Content::Value, text),
        field("Message", "message", Content::Text, text),
        field("SeccompProfile", "seccomp_profile", Content::Value, text),
        field(
            "LocalhostProfile",
            "localhost_profile",
            Content::Value,
            text,
        ),
        field("IP", "ip", Content::Value, text),
        field("IPs", "ips", Content::Fields(&IPS), ips),
        field("Controlled By", "controlled_by", Content::Value, text),
        field("Controllers", "controlled_by", Content::Value, text),
        field("NominatedNodeName", "nominated_node", Content::Value, text),
        field("Resources", "resources", Content::Fields(&RESOURCES), block),
        field(
            "Init Containers",
            "init_containers",
            Content::Named(&CONTAINER),
            containers,
        ),
        field(
            "Containers",
            "containers",
            Content::Named(&CONTAINER),
            containers,
        ),
        field(
            "Ephemeral Containers",
            "ephemeral_containers",
            Content::Named(&CONTAINER),
            containers,
        ),
        field(
            "Readiness Gates",
            "readiness_gates",
            Content::Table(&GATES),
            gates,
        ),
        field(
            "Conditions",
            "conditions",
            Content::Table(&CONDITIONS),
            conditions,
        ),
        field("Volumes", "volumes", Content::Named(&VOLUME), volumes),
        field("QoS Class", "qos_class", Content::Value, text),
        field("QoS Tier", "qos_class", Content::Value, text),
        field("Node-Selectors", "node_selectors", Content::Lines, labels),
        field("Tolerations", "tolerations", Content::Lines, tolerations),
        field(
            "Topology Spread Constraints",
            "topology_spread",
            Content::Lines,
            topology_spread,
        ),
        field(
            "SchedulingGroup",
            "scheduling_group",
            Content::Any,
            super::generic::value,
        ),
        field("Workload", "workload", Content::Any, super::generic::value),
    ],
};

/// Pods.
pub(super) static KIND: Kind = Kind {
    name: "Pod",
    schema: Schema {
        root: Content::Fields(&POD),
        implied: &[
            &["Containers", ""],
            &["Containers"],
            &["Containers", "", "State"],
            &["Volumes", ""],
            &["Volumes"],
        ],
        generic: false,
    },
    finish,
};

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(node) = tree.child(tree.root(), "Node")
        && let Some(slash) = node.value.text.find('/')
    {
        let ip = part(node.value, slash + 1, node.value.text.len());
        put(map, "node_ip", scalar(ip));
    }
    terminating(map, tree);
}

/// Returns the name in `NAME/ADDRESS`.
fn node_name<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let end = node.value.text.find('/').unwrap_or(node.value.text.len());
    scalar(part(node.value, 0, end))
}

/// Returns the addresses on the key's line and below it.
fn ips<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut items = match list(node.value) {
        Some(Value::List(items)) => items,
        _ => Vec::new(),
    };
    items.extend(tree.children(node).filter_map(|child| scalar(child.value)));
    (!items.is_empty()).then_some(Value::List(items))
}
