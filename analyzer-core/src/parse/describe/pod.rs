//! Pods.

use super::container::{CONTAINER, containers, field};
use super::layout::{Below, Block, Node, Schema, Tree, part, trimmed};
use super::read::{
    annotations, entries, integer, labels, number, put, quantities, scalar, seconds, text, text_of,
    time, values,
};
use super::table;
use super::volume::{VOLUME, volumes};
use crate::input::Line;
use crate::model::{Map, Value};

/// Pod-level resources, from 1.32 on.
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
        field("IPs", "ips", Below::Fields(&IPS), values),
        field("Controlled By", "controlled_by", Below::Value, text),
        field("Controllers", "controlled_by", Below::Value, text),
        field("NominatedNodeName", "nominated_node", Below::Value, text),
        field(
            "Resources",
            "resources",
            Below::Fields(&RESOURCES),
            resources,
        ),
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
            Below::Rows(is_row),
            table::rows,
        ),
        field("Conditions", "conditions", Below::Rows(is_row), table::rows),
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

/// What a pod's describe looks like.
pub(super) static SCHEMA: Schema = Schema {
    root: Below::Fields(&POD),
    implied: &[
        &["Containers", ""],
        &["Containers"],
        &["Containers", "", "State"],
        &["Volumes", ""],
        &["Volumes"],
    ],
    levels: &[
        &[
            "Namespace",
            "Node",
            "Start Time",
            "Controlled By",
            "Containers",
            "Init Containers",
            "Conditions",
            "Volumes",
            "QoS Class",
            "Node-Selectors",
            "Tolerations",
        ],
        &[
            "Container ID",
            "Image",
            "Image ID",
            "Port",
            "Host Port",
            "State",
            "Last State",
            "Restart Count",
            "Mounts",
            "SecretName",
            "ConfigMapName",
            "ClaimName",
        ],
        &["Started", "Finished", "Exit Code"],
    ],
};

/// The fields of a pod.
pub(super) fn fields<'a>(tree: &Tree<'a>) -> Map<'a> {
    let mut map = Map::new();
    super::read::add_fields(&mut map, tree, tree.root());
    if let Some(node) = tree.child(tree.root(), "Node")
        && let Some(slash) = node.value.text.find('/')
    {
        let ip = part(node.value, slash + 1, node.value.text.len());
        put(&mut map, "node_ip", scalar(ip));
    }
    if let Some(status) = tree.child(tree.root(), "Status")
        && let Some(lasts) = terminating_for(status.value)
    {
        put(&mut map, "terminating_for_s", super::read::age(lasts));
    }
    map
}

/// `NAME/ADDRESS`, the name.
fn node_name<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let end = node.value.text.find('/').unwrap_or(node.value.text.len());
    scalar(part(node.value, 0, end))
}

/// The phase, without the `(lasts AGE)` of one that is terminating.
fn status<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let end = node.value.text.find(" (").unwrap_or(node.value.text.len());
    scalar(trimmed(part(node.value, 0, end)))
}

/// The age in `Terminating (lasts AGE)`; `(expires DATE)` in old releases has none.
fn terminating_for(line: Line<'_>) -> Option<Line<'_>> {
    let mark = "(lasts ";
    let from = line.text.find(mark)? + mark.len();
    let length = line.text.get(from..)?.find(')')?;
    Some(part(line, from, from + length))
}

fn resources<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    super::read::add_fields(&mut map, tree, node);
    (!map.is_empty()).then_some(Value::Map(map))
}

/// A row of a pod's tables: a name and a status, without colons.
fn is_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (name, status) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let is_status = matches!(status, "Status" | "True" | "False" | "Unknown" | "<none>")
        || status.starts_with("---");
    is_status && !name.ends_with(':')
}

/// `key=value:Effect op=Exists for 300s`; each part may be absent. 1.19 lacked a blank before
/// `op` where there is no key.
fn tolerations<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .map(|line| {
            let mut map = Map::new();
            let mut end = line.text.len();
            let cut = |end: usize| part(line, 0, end).text;
            if let Some(at) = cut(end).rfind(" for ") {
                let seconds = part(line, at + " for ".len(), end);
                let seconds = part(seconds, 0, seconds.text.trim_end_matches('s').len());
                put(&mut map, "seconds", number(seconds));
                end = at;
            }
            let op = "op=Exists";
            if let Some(head) = cut(end).trim_end().strip_suffix(op) {
                let at = head.len() + "op=".len();
                map.insert("op", Value::Text(text_of(part(line, at, at + 6))));
                end = head.len();
            }
            let rest = trimmed(part(line, 0, end));
            let colon = rest.text.rfind(':').unwrap_or(rest.text.len());
            put(
                &mut map,
                "effect",
                scalar(part(rest, colon + 1, rest.text.len())),
            );
            let pair = part(rest, 0, colon);
            let equals = pair.text.find('=').unwrap_or(pair.text.len());
            put(&mut map, "key", scalar(part(pair, 0, equals)));
            put(
                &mut map,
                "value",
                scalar(part(pair, equals + 1, pair.text.len())),
            );
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// `KEY:ACTION when max skew N is exceeded for selector SELECTOR`.
fn topology_spread<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .filter_map(|line| {
            let mut map = Map::new();
            let when = " when max skew ";
            let at = line.text.find(when)?;
            let head = part(line, 0, at);
            let colon = head.text.rfind(':')?;
            put(&mut map, "key", scalar(part(head, 0, colon)));
            let action = part(head, colon + 1, head.text.len());
            put(&mut map, "when_unsatisfiable", scalar(action));
            let skew = part(line, at + when.len(), line.text.len());
            let end = skew.text.find(' ').unwrap_or(skew.text.len());
            put(&mut map, "max_skew", number(part(skew, 0, end)));
            let selector = " for selector ";
            if let Some(at) = skew.text.find(selector) {
                let selector = part(skew, at + selector.len(), skew.text.len());
                put(&mut map, "selector", scalar(selector));
            }
            Some(Value::Map(map))
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}
