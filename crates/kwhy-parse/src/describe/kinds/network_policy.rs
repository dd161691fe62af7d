//! NetworkPolicies.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE};
use super::layout::{Block, Content, Node, Tree, field, part, trimmed};
use super::values::{add_fields, block, deferred, scalar, text, text_of, time, values_of};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static BLOCK: Block = Block {
    repeats: false,
    fields: &[
        field("CIDR", "cidr", Content::Value, text),
        field("Except", "except", Content::Value, values_of),
    ],
};

static PEER: Block = Block {
    repeats: false,
    fields: &[
        field(
            "NamespaceSelector",
            "namespace_selector",
            Content::Value,
            selector,
        ),
        field("PodSelector", "pod_selector", Content::Value, selector),
        field("IPBlock", "ip_block", Content::Fields(&BLOCK), deferred),
    ],
};

/// The rules of one direction, separated by lines of dashes.
static RULES: Block = Block {
    repeats: true,
    fields: &[
        field("To Port", "port", Content::Value, deferred),
        field("To Port Range", "port", Content::Value, deferred),
        field("From", "peer", Content::Fields(&PEER), block),
        field("To", "peer", Content::Fields(&PEER), block),
        // without rules, their meaning is the only text
        field(
            "<none> (Selected pods are isolated for ingress connectivity)",
            "none",
            Content::Value,
            deferred,
        )
        .bare(),
        field(
            "<none> (Selected pods are isolated for egress connectivity)",
            "none",
            Content::Value,
            deferred,
        )
        .bare(),
    ],
};

static SPEC: Block = Block {
    repeats: false,
    fields: &[
        field("PodSelector", "pod_selector", Content::Value, own_selector),
        field(
            "Allowing ingress traffic",
            "ingress",
            Content::Fields(&RULES),
            rules,
        ),
        field(
            "Not affecting ingress traffic",
            "no_ingress",
            Content::Value,
            deferred,
        )
        .bare(),
        field(
            "Allowing egress traffic",
            "egress",
            Content::Fields(&RULES),
            rules,
        ),
        field(
            "Not affecting egress traffic",
            "no_egress",
            Content::Value,
            deferred,
        )
        .bare(),
        field("Policy Types", "policy_types", Content::Value, values_of),
    ],
};

static POLICY: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        field("Created on", "created_time", Content::Value, time),
        LABELS,
        ANNOTATIONS,
        field("Spec", "spec", Content::Fields(&SPEC), deferred),
    ],
};

/// NetworkPolicies.
pub(super) static KIND: Kind = kind("NetworkPolicy", &POLICY).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(spec) = tree.child(tree.root(), "Spec") {
        add_fields(map, tree, spec);
    }
}

/// Returns a selector; `<none>` selects everything and is kept.
fn selector<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    (!node.value.text.is_empty()).then(|| Value::Text(text_of(node.value)))
}

/// Returns the selector of the policy's own pods, without the remark that it selects all.
fn own_selector<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let end = node
        .value
        .text
        .find(" (Allowing")
        .unwrap_or(node.value.text.len());
    scalar(trimmed(part(node.value, 0, end)))
}

fn rules<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut items: Vec<Map<'a>> = Vec::new();
    let (mut ports, mut peers): (Vec<Value<'a>>, Vec<Value<'a>>) = (Vec::new(), Vec::new());
    let mut open = false;
    let mut has_peers = false;
    let mut close = |ports: &mut Vec<Value<'a>>, peers: &mut Vec<Value<'a>>| {
        let mut map = Map::new();
        map.insert("ports", Value::List(std::mem::take(ports)));
        map.insert("peers", Value::List(std::mem::take(peers)));
        items.push(map);
    };
    for child in tree.children(node) {
        let name = child.field.map_or("", |field| field.name);
        match name {
            "port" => {
                if has_peers {
                    close(&mut ports, &mut peers);
                    has_peers = false;
                }
                open = true;
                if !child.value.text.starts_with("<any>") {
                    ports.extend(scalar(child.value));
                }
            }
            "peer" => {
                (open, has_peers) = (true, true);
                peers.extend(peer(tree, child));
            }
            _ => {}
        }
    }
    if open {
        close(&mut ports, &mut peers);
    }
    (!items.is_empty()).then(|| Value::List(items.into_iter().map(Value::Map).collect()))
}

fn peer<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if node.value.text.starts_with("<any>") {
        return None;
    }
    let mut map = Map::new();
    add_fields(&mut map, tree, node);
    if let Some(addresses) = tree.child(node, "IPBlock") {
        add_fields(&mut map, tree, addresses);
    }
    (!map.is_empty()).then_some(Value::Map(map))
}
