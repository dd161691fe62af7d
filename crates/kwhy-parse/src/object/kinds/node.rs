//! Nodes and related kinds.

use super::read::{self, Field, conditions, decoded, field, labels, same, texts, time};
use kwhy_model::Value;

pub(super) const NODE: &[Field] = &[
    field("roles", "metadata.labels", roles),
    field("unschedulable", "", unschedulable),
    field("taints", "spec.taints", taints),
    field("conditions", "status.conditions", conditions),
    field("addresses", "status.addresses", addresses),
    field("capacity", "status.capacity", labels),
    field("allocatable", "status.allocatable", labels),
    field("system_info", "status.nodeInfo", super::generic::value),
    field("pod_cidr", "spec.podCIDR", same),
    field("pod_cidrs", "spec.podCIDRs", texts),
    field("provider_id", "spec.providerID", same),
];

/// Returns the roles according to the labels.
fn roles<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Map(labels) = value else {
        return None;
    };
    read::list(labels.iter().filter_map(|(key, value)| {
        match key.strip_prefix("node-role.kubernetes.io/") {
            Some("") => None,
            Some(role) => Some(decoded(role, value.span())),
            None if key == "kubernetes.io/role" => same(value),
            None => None,
        }
    }))
}

fn unschedulable<'a>(node: &Value<'a>) -> Option<Value<'a>> {
    let spec = node.get("spec")?;
    let said = spec.get("unschedulable").cloned();
    Some(said.unwrap_or_else(|| Value::Boolean(false, spec.span())))
}

const TAINT: &[Field] = &[
    field("key", "key", same),
    field("value", "value", read::text),
    field("effect", "effect", same),
    field("time_added", "timeAdded", time),
];

fn taints<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, TAINT)
}

const ADDRESS: &[Field] = &[
    field("type", "type", same),
    field("address", "address", same),
];

fn addresses<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, ADDRESS)
}

pub(super) const CSI_NODE: &[Field] = &[field("drivers", "spec.drivers", drivers)];

const DRIVER: &[Field] = &[
    field("name", "name", same),
    field("node_id", "nodeID", same),
    field("count", "allocatable.count", same),
    field("topology_keys", "topologyKeys", texts),
];

fn drivers<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, DRIVER)
}

pub(super) const LEASE: &[Field] = &[
    field("holder", "spec.holderIdentity", same),
    field("acquire_time", "spec.acquireTime", time),
    field("renew_time", "spec.renewTime", time),
    field("spec", "spec", super::generic::value),
];
