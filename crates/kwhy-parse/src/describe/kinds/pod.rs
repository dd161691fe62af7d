//! Pods.

use super::Kind;
use super::common::{CONDITIONS, GATES, conditions, gates, status, terminating};
use super::container::{CONTAINER, containers};
use super::layout::{Below, Block, Node, Schema, Tree, field, part};
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
        field("Limits", "limits", Below::Entries, quantities),
        field("Requests", "requests", Below::Entries, quantities),
    ],
};

static IPS: Block = Block {
    repeats: true,
    fields: &[field("IP", "ip", Below::Value, text)],
};

static POD: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Below::Value, text),
        field("Namespace", "namespace", Below::Value, text),
        field("Priority", "priority", Below::Value, integer),
        field("Priority Class Name", "priority_class", Below::Value, text),
        field("PriorityClassName", "priority_class", Below::Value, text),
        field("Runtime Class Name", "runtime_class", Below::Value, text),
        field("Service Account", "service_account", Below::Value, text),
        field("Security Policy", "security_policy", Below::Value, text),
        field("Node", "node", Below::Value, node_name),
        field("Start Time", "start_time", Below::Value, time),
        field("Labels", "labels", Below::Lines, labels),
        field("Annotations", "annotations", Below::Lines, annotations),
        field("Status", "status", Below::Value, status),
        field(
            "Termination Grace Period",
            "termination_grace_period_s",
            Below::Value,
            seconds,
        ),
        field("Reason", "reason", Below::Value, text),
        field("Message", "message", Below::Text, text),
        field("SeccompProfile", "seccomp_profile", Below::Value, text),
        field("LocalhostProfile", "localhost_profile", Below::Value, text),
        field("IP", "ip", Below::Value, text),
        field("IPs", "ips", Below::Fields(&IPS), ips),
        field("Controlled By", "controlled_by", Below::Value, text),
        field("Controllers", "controlled_by", Below::Value, text),
        field("NominatedNodeName", "nominated_node", Below::Value, text),
        field("Resources", "resources", Below::Fields(&RESOURCES), block),
        field(
            "Init Containers",
            "init_containers",
            Below::Named(&CONTAINER),
            containers,
        ),
        field(
            "Containers",
            "containers",
            Below::Named(&CONTAINER),
            containers,
        ),
        field(
            "Ephemeral Containers",
            "ephemeral_containers",
            Below::Named(&CONTAINER),
            containers,
        ),
        field(
            "Readiness Gates",
            "readiness_gates",
            Below::Table(&GATES),
            gates,
        ),
        field(
            "Conditions",
            "conditions",
            Below::Table(&CONDITIONS),
            conditions,
        ),
        field("Volumes", "volumes", Below::Named(&VOLUME), volumes),
        field("QoS Class", "qos_class", Below::Value, text),
        field("QoS Tier", "qos_class", Below::Value, text),
        field("Node-Selectors", "node_selectors", Below::Lines, labels),
        field("Tolerations", "tolerations", Below::Lines, tolerations),
        field(
            "Topology Spread Constraints",
            "topology_spread",
            Below::Lines,
            topology_spread,
        ),
        field(
            "SchedulingGroup",
            "scheduling_group",
            Below::Any,
            super::generic::value,
        ),
        field("Workload", "workload", Below::Any, super::generic::value),
    ],
};

/// Pods.
pub(super) static KIND: Kind = Kind {
    name: "Pod",
    schema: Schema {
        root: Below::Fields(&POD),
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
