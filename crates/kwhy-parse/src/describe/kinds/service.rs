//! Services.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Block, Content, Node, Tree, field, is_absent, part, trimmed};
use super::values::{deferred, integer, number, put, scalar, split, text, values_of, words};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static SERVICE: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        SELECTOR,
        field("Type", "type", Content::Value, text),
        field("IP Family Policy", "ip_family_policy", Content::Value, text),
        field("IP Families", "ip_families", Content::Value, values_of),
        field("IP Family", "ip_families", Content::Value, values_of),
        field("IP", "ip", Content::Value, text).repeatable(),
        field("IPs", "ips", Content::Value, values_of),
        field("External IPs", "external_ips", Content::Value, values_of),
        field(
            "Desired LoadBalancer IP",
            "desired_load_balancer_ip",
            Content::Value,
            text,
        ),
        field("External Name", "external_name", Content::Value, text),
        field(
            "LoadBalancer Ingress",
            "load_balancer_ingress",
            Content::Value,
            values_of,
        ),
        field("Port", "port", Content::Value, deferred).repeatable(),
        field("TargetPort", "target_port", Content::Value, deferred).repeatable(),
        field("AppProtocol", "app_protocol", Content::Value, deferred).repeatable(),
        field("NodePort", "node_port", Content::Value, deferred).repeatable(),
        field("Endpoints", "endpoints", Content::Value, deferred).repeatable(),
        field("Session Affinity", "session_affinity", Content::Value, text),
        field(
            "External Traffic Policy",
            "external_traffic_policy",
            Content::Value,
            text,
        ),
        field(
            "Internal Traffic Policy",
            "internal_traffic_policy",
            Content::Value,
            text,
        ),
        field(
            "HealthCheck NodePort",
            "health_check_node_port",
            Content::Value,
            integer,
        ),
        field(
            "LoadBalancer Source Ranges",
            "source_ranges",
            Content::Value,
            values_of,
        ),
        field(
            "Traffic Distribution",
            "traffic_distribution",
            Content::Value,
            text,
        ),
    ],
};

/// Services.
pub(super) static KIND: Kind = kind("Service", &SERVICE).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    // the second one, up to 1.30, is the address that the user asked for
    let mut addresses = tree
        .children(tree.root())
        .filter(|node| node.key.text == "IP");
    if let (Some(first), Some(second)) = (addresses.next(), addresses.next()) {
        put(map, "ip", scalar(first.value));
        put(map, "desired_load_balancer_ip", scalar(second.value));
    }
    let mut ports: Vec<Map<'a>> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for node in tree.children(tree.root()) {
        let name = match node.field.map(|field| field.name) {
            Some(name @ ("port" | "target_port" | "app_protocol" | "node_port" | "endpoints")) => {
                name
            }
            _ => continue,
        };
        if name == "port" || seen.is_empty() || seen.contains(&name) {
            ports.push(Map::new());
            seen.clear();
        }
        seen.push(name);
        if let Some(port) = ports.last_mut() {
            add_to_port(port, name, node);
        }
    }
    if !ports.is_empty() {
        map.insert(
            "ports",
            Value::List(ports.into_iter().map(Value::Map).collect()),
        );
    }
}

fn add_to_port<'a>(port: &mut Map<'a>, name: &'static str, node: &Node<'a>) {
    let value = node.value;
    match name {
        // the port's name precedes it
        "port" | "node_port" => {
            let mut words: Vec<_> = words(value).collect();
            let number = words.pop().and_then(scalar);
            if name == "port" {
                put(port, "name", words.first().copied().and_then(scalar));
            }
            put(port, name, number);
        }
        "endpoints" => {
            let more = value.text.find(" + ").unwrap_or(value.text.len());
            let shown = trimmed(part(value, 0, more));
            if shown.text.is_empty() || is_absent(shown.text) {
                let span = if shown.text.is_empty() {
                    node.key.span()
                } else {
                    shown.span()
                };
                port.insert("no_endpoints", Value::Boolean(true, span));
                return;
            }
            let addresses = split(shown, [',']).filter_map(scalar).collect();
            port.insert("endpoints", Value::List(addresses));
            let count = words(part(value, more + " + ".len(), value.text.len())).next();
            put(port, "endpoints_more", count.and_then(number));
        }
        _ => put(port, name, scalar(value)),
    }
}
