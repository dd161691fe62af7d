//! Pod templates of controllers, and the parts that pods share with them.

use super::container::{CONTAINER, containers};
use super::layout::{Block, Content, Field, Node, Tree, field, part, trimmed};
use super::values::{annotations, block, entries, labels, number, put, scalar, text, text_of};
use super::volume::{VOLUME, volumes};
use kwhy_model::{Map, Value};

static TEMPLATE: Block = Block {
    repeats: false,
    fields: &[
        field("Labels", "labels", Content::Lines, labels),
        field("Annotations", "annotations", Content::Lines, annotations),
        field("Service Account", "service_account", Content::Value, text),
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
        field("Volumes", "volumes", Content::Named(&VOLUME), volumes),
        field(
            "Topology Spread Constraints",
            "topology_spread",
            Content::Lines,
            topology_spread,
        ),
        field(
            "Priority Class Name",
            "priority_class",
            Content::Value,
            text,
        ),
        field("Node-Selectors", "node_selectors", Content::Lines, labels),
        field("Tolerations", "tolerations", Content::Lines, tolerations),
    ],
};

/// The template of a controller's pods.
pub(super) const POD_TEMPLATE: Field = field(
    "Pod Template",
    "pod_template",
    Content::Fields(&TEMPLATE),
    block,
);

/// The blocks in which a text that was cut within a template may start.
pub(super) const IMPLIED: &[&[&str]] = &[
    &["Pod Template", "Containers", ""],
    &["Pod Template", "Containers"],
    &["Pod Template", "Volumes", ""],
    &["Pod Template", "Volumes"],
    &["Pod Template"],
];

/// Parses `key=value:Effect op=Exists for 300s`; each part is optional. 1.19 lacked a space before
/// `op` if there was no key.
pub(super) fn tolerations<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
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

/// Parses `KEY:ACTION when max skew N is exceeded for selector SELECTOR`.
pub(super) fn topology_spread<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
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
