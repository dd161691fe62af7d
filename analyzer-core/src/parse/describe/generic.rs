//! Kinds without a schema of their own: the kind from its fields, the fields as they stand.

use std::collections::{HashMap, HashSet};

use super::layout::{Below, Entry, Node, Schema, Tree, is_nothing, trimmed};
use super::read::{annotations, entries, labels, scalar, text, text_of, time};
use super::table;
use crate::input::Line;
use crate::model::{Map, Value};

/// Anything, by its indentation.
static SCHEMA: Schema = Schema {
    root: Below::Any,
    implied: &[],
    levels: &[],
};

/// Keys, and a table without a title.
static TABLE_SCHEMA: Schema = Schema {
    root: Below::Table,
    implied: &[],
    levels: &[],
};

/// What the describe of a kind looks like.
pub(super) fn schema(kind: Option<&str>) -> &'static Schema {
    match kind {
        Some("ResourceQuota" | "LimitRange") => &TABLE_SCHEMA,
        _ => &SCHEMA,
    }
}

/// A kind with keys of which any, or of which all, tell it.
struct Mark {
    kind: &'static str,
    any: &'static [&'static str],
    all: &'static [&'static str],
}

const fn mark(
    kind: &'static str,
    any: &'static [&'static str],
    all: &'static [&'static str],
) -> Mark {
    Mark { kind, any, all }
}

/// The kinds' marks among an object's own keys; the first that fits decides.
const MARKS: &[Mark] = &[
    // what a pod template lacks
    mark(
        "Pod",
        &["QoS Class", "Container ID", "Restart Count", "Last State"],
        &[],
    ),
    mark(
        "Node",
        &["System Info", "Non-terminated Pods", "Allocated resources"],
        &["Roles", "Taints"],
    ),
    mark(
        "CronJob",
        &["Concurrency Policy", "Last Schedule Time"],
        &[],
    ),
    mark(
        "Deployment",
        &[
            "StrategyType",
            "OldReplicaSets",
            "NewReplicaSet",
            "RollingUpdateStrategy",
        ],
        &[],
    ),
    mark("StatefulSet", &["Update Strategy", "Volume Claims"], &[]),
    mark("DaemonSet", &["Desired Number of Nodes Scheduled"], &[]),
    mark("Job", &["Pods Statuses", "Parallelism"], &[]),
    mark(
        "ReplicaSet",
        &["Pods Status"],
        &["Replicas", "Pod Template"],
    ),
    mark(
        "StorageClass",
        &[
            "IsDefaultClass",
            "VolumeBindingMode",
            "AllowVolumeExpansion",
        ],
        &[],
    ),
    mark(
        "PersistentVolumeClaim",
        &["Used By", "Mounted By"],
        &["StorageClass", "Volume"],
    ),
    mark(
        "PersistentVolume",
        &["Reclaim Policy", "Node Affinity"],
        &["StorageClass", "Claim"],
    ),
    mark(
        "Service",
        &["Session Affinity", "TargetPort", "IP Family Policy"],
        &[],
    ),
    mark("EndpointSlice", &["AddressType"], &[]),
    mark("Endpoints", &["Subsets"], &[]),
    mark(
        "Ingress",
        &["Default backend", "Ingress Class"],
        &["Rules", "Address"],
    ),
    mark(
        "HorizontalPodAutoscaler",
        &["Min replicas", "Max replicas", "Deployment pods"],
        &[],
    ),
    mark(
        "PodDisruptionBudget",
        &["Min available", "Max unavailable"],
        &[],
    ),
    mark("PriorityClass", &["GlobalDefault", "PreemptionPolicy"], &[]),
    mark("NetworkPolicy", &["Created on"], &[]),
    mark(
        "ServiceAccount",
        &["Image pull secrets", "Mountable secrets"],
        &[],
    ),
    mark("IngressClass", &["Controller"], &[]),
    mark("Role", &["PolicyRule"], &[]),
    mark("RoleBinding", &[], &["Role", "Subjects"]),
    mark("VolumeAttributesClass", &["DriverName"], &[]),
    mark(
        "Pod",
        &[
            "Containers",
            "Init Containers",
            "QoS Class",
            "Node-Selectors",
            "IPs",
            "Service Account",
            "Start Time",
            "Priority",
            "Priority Class Name",
            "Node",
            "Tolerations",
            "Volumes",
        ],
        &[],
    ),
];

/// Keys of a pod's containers: with none of the marks they tell a pod cut off at its top.
const CONTAINER_KEYS: &[&str] = &[
    "Container ID",
    "Image ID",
    "Image",
    "Host Port",
    "Host Ports",
    "State",
    "Last State",
    "Restart Count",
    "Exit Code",
    "Mounts",
    "Readiness",
    "Liveness",
    "SecretName",
    "ConfigMapName",
    "ClaimName",
    "TokenExpirationSeconds",
];

/// The kind of the object that lines show.
pub(super) fn kind<'a>(lines: &[Line<'a>]) -> Option<&'a str> {
    let entries = || lines.iter().map(|line| Entry::new(*line));
    let base = entries()
        .filter(|entry| entry.key.is_some_and(|key| key.text == "Name"))
        .map(|entry| entry.line.indent())
        .next()
        .or_else(|| {
            let keyed = entries().filter(|entry| entry.key.is_some());
            keyed.map(|entry| entry.line.indent()).min()
        })?;
    let mut keys = HashSet::new();
    let mut custom = None;
    let mut is_container = false;
    let mut previous = "";
    for entry in entries() {
        let Some(key) = entry.key else {
            let text = entry.value.text;
            if text.starts_with("====") {
                match previous {
                    "Data" if keys.contains("Type") => return Some("Secret"),
                    "Data" => return Some("ConfigMap"),
                    _ => {}
                }
            }
            let mut words = text.split_whitespace();
            match (words.next(), words.next(), words.next()) {
                (Some("Resource"), Some("Used"), Some("Hard")) => return Some("ResourceQuota"),
                (Some("Type"), Some("Resource"), Some("Min")) => return Some("LimitRange"),
                (Some("No"), Some("LimitRange" | "resource"), Some("resource." | "quota."))
                | (Some("Resource"), Some("Quotas"), None) => {
                    return Some("Namespace");
                }
                _ => {}
            }
            previous = text;
            continue;
        };
        is_container |= CONTAINER_KEYS.contains(&key.text);
        if entry.line.indent() <= base {
            if key.text == "Events" {
                break;
            }
            if key.text == "Kind" && keys.contains("API Version") {
                custom = Some(entry.value.text);
            }
            keys.insert(key.text);
        }
    }
    if custom.is_some_and(|kind| !kind.is_empty()) {
        return custom;
    }
    MARKS
        .iter()
        .find(|mark| {
            mark.any.iter().any(|key| keys.contains(key))
                || (!mark.all.is_empty() && mark.all.iter().all(|key| keys.contains(key)))
        })
        .map(|mark| mark.kind)
        .or(is_container.then_some("Pod"))
}

/// All fields of an object.
pub(super) fn fields<'a>(tree: &Tree<'a>) -> Map<'a> {
    let mut map = Map::new();
    add(&mut map, tree, tree.children(tree.root()));
    if let Some(rows) = table::rows(tree, tree.root()) {
        map.insert("rows", rows);
    }
    map
}

/// Adds nodes under their keys' names; a repeated key becomes a list.
pub(super) fn add<'n, 'a: 'n>(
    map: &mut Map<'a>,
    tree: &Tree<'a>,
    nodes: impl Iterator<Item = &'n Node<'a>>,
) {
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<(String, Vec<Value<'a>>)> = Vec::new();
    for node in nodes {
        let Some(value) = value(tree, node) else {
            continue;
        };
        let name = snake_case(node.key.text);
        let index = *names.entry(name).or_insert_with_key(|name| {
            groups.push((name.clone(), Vec::new()));
            groups.len() - 1
        });
        if let Some((_, values)) = groups.get_mut(index) {
            values.push(value);
        }
    }
    for (name, mut values) in groups {
        let value = match (values.len(), values.pop()) {
            (1, Some(only)) => only,
            (_, Some(last)) => {
                values.push(last);
                Value::List(values)
            }
            (_, None) => continue,
        };
        map.insert(name, value);
    }
}

/// What a node holds: text, a map of what stands below, the rows of a table, or lines.
pub(super) fn value<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    match node.key.text {
        "Labels" => return labels(tree, node),
        "Annotations" => return annotations_below(tree, node),
        _ => {}
    }
    if !node.children.is_empty() {
        return Some(below(tree, node));
    }
    if node.lines.is_empty() {
        return match node.key.text {
            "CreationTimestamp" | "Start Time" | "Completed At" => time(tree, node),
            // that there is none is what may be wrong, such as a Service's endpoints
            _ if is_nothing(node.value.text) => Some(Value::Text(text_of(node.value))),
            _ => scalar(node.value),
        };
    }
    if node
        .lines
        .iter()
        .take(2)
        .any(|line| table::is_header(line.text))
    {
        return table::rows(tree, node);
    }
    if node.key.text == "Message" {
        return text(tree, node);
    }
    let items: Vec<_> = entries(node)
        .map(|line| Value::Text(text_of(line)))
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// The nodes below a node: a map, or a list of maps where keys come again, as the elements of a
/// list follow each other without a mark.
fn below<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Value<'a> {
    let nodes: Vec<_> = tree.children(node).collect();
    let first = nodes.first().map_or("", |node| node.key.text);
    let mut seen = HashSet::new();
    let mut starts = vec![0];
    for (index, node) in nodes.iter().enumerate() {
        let key = node.key.text;
        if index > 0 && (key == first || seen.contains(key)) {
            seen.clear();
            starts.push(index);
        }
        seen.insert(key);
    }
    let map = |from: usize, to: usize| {
        let mut map = Map::new();
        if let Some(own) = scalar(node.value).filter(|_| from == 0) {
            map.insert("value", own);
        }
        let part = nodes.get(from..to).unwrap_or(&[]);
        add(&mut map, tree, part.iter().copied());
        Value::Map(map)
    };
    if starts.len() == 1 && node.key.text != "Conditions" {
        return map(0, nodes.len());
    }
    let ends = starts.iter().skip(1).copied().chain([nodes.len()]);
    let items = starts.iter().zip(ends).map(|(from, to)| map(*from, to));
    Value::List(items.collect())
}

/// Annotations whose further lines were placed as nodes.
fn annotations_below<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = match annotations(tree, node) {
        Some(Value::Map(map)) => map,
        _ => Map::new(),
    };
    for child in tree.children(node) {
        if let Some(value) = text(tree, child) {
            map.insert(child.key.text, value);
        }
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

/// A key as a field's name: `StorageClass` and `Storage Class` are `storage_class`.
pub(super) fn snake_case(key: &str) -> String {
    let key = match key {
        "QoS Class" => "Qos Class",
        key => key,
    };
    let chars: Vec<char> = key.trim().chars().take(128).collect();
    let mut name = String::with_capacity(key.len() + 4);
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let starts = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_uppercase()
                        && after.is_some_and(|a| a.is_lowercase() && !is_plural(&chars, at)))
            });
        if starts && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    while name.ends_with('_') {
        name.pop();
    }
    name
}

/// Whether the capital at a place ends an acronym's plural: `IPs`, `PodCIDRs`.
fn is_plural(chars: &[char], at: usize) -> bool {
    chars.get(at + 1) == Some(&'s') && chars.get(at + 2).is_none_or(|c| !c.is_alphanumeric())
}

/// Whether a line is the title of raw data, which is no part of the layout.
pub(super) fn is_data_title(line: Line<'_>, next: Option<&Line<'_>>) -> bool {
    matches!(line.text.trim(), "Data" | "BinaryData")
        && next.is_some_and(|next| trimmed(*next).text.starts_with("===="))
}
