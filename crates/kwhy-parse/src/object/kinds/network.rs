//! Services, their endpoints, and the ingresses and policies in front of them.

use super::read::{self, Field, decoded, field, joined, same, selector, text, texts};
use kwhy_model::{Map, Value};

pub(super) const SERVICE: &[Field] = &[
    field("selector", "spec.selector", selector),
    field("type", "spec.type", same),
    field("ip", "spec.clusterIP", same),
    field("ips", "spec.clusterIPs", texts),
    field("ip_families", "spec.ipFamilies", texts),
    field("ip_family_policy", "spec.ipFamilyPolicy", same),
    field("external_ips", "spec.externalIPs", texts),
    field("external_name", "spec.externalName", same),
    field(
        "load_balancer_ingress",
        "status.loadBalancer.ingress",
        balancers,
    ),
    field("ports", "spec.ports", service_ports),
    field("session_affinity", "spec.sessionAffinity", same),
    field(
        "external_traffic_policy",
        "spec.externalTrafficPolicy",
        same,
    ),
    field(
        "internal_traffic_policy",
        "spec.internalTrafficPolicy",
        same,
    ),
    field("health_check_node_port", "spec.healthCheckNodePort", same),
    field("source_ranges", "spec.loadBalancerSourceRanges", texts),
];

pub(super) const ENDPOINTS: &[Field] = &[field("subsets", "subsets", subsets)];

pub(super) const ENDPOINT_SLICE: &[Field] = &[
    field("address_type", "addressType", same),
    field("ports", "ports", ports),
    field("endpoints", "endpoints", endpoints),
];

pub(super) const INGRESS: &[Field] = &[
    field("addresses", "status.loadBalancer.ingress", balancers),
    field("ingress_class", "spec.ingressClassName", same),
    field("default_backend", "spec.defaultBackend", backend),
    field("tls", "spec.tls", tls),
    field("rules", "spec.rules", rules),
];

pub(super) const INGRESS_CLASS: &[Field] = &[
    field("controller", "spec.controller", same),
    field("parameters_ref", "spec.parameters", super::generic::value),
];

pub(super) const NETWORK_POLICY: &[Field] = &[
    field("pod_selector", "spec.podSelector", selector),
    field("policy_types", "spec.policyTypes", texts),
    field("ingress", "spec.ingress", directions),
    field("egress", "spec.egress", directions),
];

/// Formats `10.0.0.1`, `10.0.0.1 (VIP)` or a hostname.
fn balancers<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(value.items().iter().filter_map(|item| {
        let address = item.get("ip").or_else(|| item.get("hostname"))?;
        match item.get("ipMode").and_then(Value::to_text) {
            Some(mode) => {
                let shown = format!("{} ({mode})", address.to_text()?);
                Some(decoded(&shown, address.span()))
            }
            None => same(address),
        }
    }))
}

fn service_ports<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(value.items().iter().map(|port| {
        let mut map = Map::new();
        if let Some(name) = port.get("name").and_then(same) {
            map.insert("name", name);
        }
        let protocol = port.get("protocol").and_then(Value::to_text);
        let protocol = protocol.as_deref().unwrap_or("TCP");
        for (name, keys) in [
            ("port", ["port", "port"]),
            // defaults to the port itself
            ("target_port", ["targetPort", "port"]),
            ("node_port", ["nodePort", "nodePort"]),
        ] {
            let number = keys.iter().find_map(|key| port.get(key));
            if let Some(number) = number
                && let Some(shown) = number.to_text()
                && shown != "0"
            {
                map.insert(name, decoded(&format!("{shown}/{protocol}"), number.span()));
            }
        }
        Value::Map(map)
    }))
}

const PORT: &[Field] = &[
    field("name", "name", same),
    field("port", "port", same),
    field("protocol", "protocol", same),
];

fn ports<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, PORT)
}

fn subsets<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    const SUBSET: &[Field] = &[
        field("addresses", "addresses", addresses),
        field("not_ready_addresses", "notReadyAddresses", addresses),
        field("ports", "ports", ports),
    ];
    read::each(value, SUBSET)
}

fn addresses<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(
        value
            .items()
            .iter()
            .filter_map(|item| same(item.get("ip")?)),
    )
}

fn endpoints<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    const ENDPOINT: &[Field] = &[
        field("addresses", "addresses", texts),
        field("ready", "conditions.ready", same),
        field("serving", "conditions.serving", same),
        field("terminating", "conditions.terminating", same),
        field("hostname", "hostname", same),
        field("node_name", "nodeName", same),
        field("zone", "zone", same),
        field("target_ref", "targetRef", reference),
    ];
    read::each(value, ENDPOINT)
}

fn reference<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    joined(value, &["kind", "name"], "/")
}

/// Returns `service:port` or the referenced object, also from the API up to 1.21.
fn backend<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let shown = |name: &Value<'a>, port: Option<&Value<'a>>| {
        let port = port.and_then(Value::to_text);
        let text = format!("{}:{}", name.to_text()?, port.as_deref().unwrap_or(""));
        Some(decoded(text.trim_end_matches(':'), value.span()))
    };
    if let Some(service) = value.get("service") {
        let port = service
            .get("port.number")
            .or_else(|| service.get("port.name"));
        return shown(service.get("name")?, port);
    }
    if let Some(name) = value.get("serviceName") {
        return shown(name, value.get("servicePort"));
    }
    let resource = value.get("resource")?;
    let text = |key: &str| {
        resource
            .get(key)
            .and_then(Value::to_text)
            .unwrap_or_default()
    };
    let group = text("apiGroup");
    let group = if group.is_empty() { "<none>" } else { &group };
    let shown = format!(
        "APIGroup: {group}, Kind: {}, Name: {}",
        text("kind"),
        text("name")
    );
    Some(decoded(&shown, resource.span()))
}

fn tls<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    const TLS: &[Field] = &[
        field("secret", "secretName", same),
        field("hosts", "hosts", texts),
    ];
    read::each(value, TLS)
}

fn rules<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let mut rules = Vec::new();
    for rule in value.items() {
        let paths = rule.get("http.paths").map_or(&[][..], Value::items);
        for path in paths {
            let mut map = Map::new();
            // a longer text is not a host, and would be copied for each path
            let host = rule.get("host").filter(|host| host.span().len() <= 1024);
            let host = host.and_then(same);
            map.insert("host", host.unwrap_or_else(|| decoded("*", rule.span())));
            if let Some(shown) = path.get("path").and_then(same) {
                map.insert("path", shown);
            }
            if let Some(backend) = path.get("backend").and_then(backend) {
                map.insert("backend", backend);
            }
            rules.push(Value::Map(map));
        }
    }
    read::list(rules.into_iter())
}

/// Returns the rules of one direction of a network policy.
fn directions<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let rule = |rule: &Value<'a>| {
        let mut map = Map::new();
        if let Some(ports) = rule.get("ports").and_then(policy_ports) {
            map.insert("ports", ports);
        }
        let peers = rule.get("from").or_else(|| rule.get("to"));
        let peers = peers.map_or(&[][..], Value::items).iter().map(peer);
        if let Some(peers) = read::list(peers) {
            map.insert("peers", peers);
        }
        Value::Map(map)
    };
    read::list(value.items().iter().map(rule))
}

/// Formats `5432-5439/TCP`.
fn policy_ports<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(value.items().iter().filter_map(|port| {
        let number = port.get("port")?;
        let last = port.get("endPort").and_then(Value::to_text);
        let last = last.map_or_else(String::new, |last| format!("-{last}"));
        let protocol = port.get("protocol").and_then(Value::to_text);
        let protocol = protocol.as_deref().unwrap_or("TCP");
        let shown = format!("{}{last}/{protocol}", number.to_text()?);
        Some(decoded(&shown, number.span()))
    }))
}

fn peer<'a>(peer: &Value<'a>) -> Value<'a> {
    let mut map = Map::new();
    for (name, key) in [
        ("namespace_selector", "namespaceSelector"),
        ("pod_selector", "podSelector"),
    ] {
        if let Some(said) = peer.get(key) {
            // an empty selector selects everything
            let all = || decoded("<none>", read::place(said, peer));
            map.insert(name, selector(said).unwrap_or_else(all));
        }
    }
    if let Some(cidr) = peer.get("ipBlock.cidr").and_then(text) {
        map.insert("cidr", cidr);
    }
    if let Some(except) = peer.get("ipBlock.except").and_then(texts) {
        map.insert("except", except);
    }
    Value::Map(map)
}
