//! Pods and pod templates.

use super::container::{containers, of_template};
use super::read::{self, Field, conditions, decoded, field, integer, labels, same, selector, time};
use super::volume::volumes;
use kwhy_model::{Map, Value};

pub(super) const POD: &[Field] = &[
    field("priority", "spec.priority", integer),
    field("priority_class", "spec.priorityClassName", same),
    field("runtime_class", "spec.runtimeClassName", same),
    field("service_account", "spec.serviceAccountName", same),
    field("restart_policy", "spec.restartPolicy", same),
    field("scheduler", "spec.schedulerName", same),
    field("host_network", "spec.hostNetwork", same),
    field("node", "spec.nodeName", same),
    field("start_time", "status.startTime", time),
    field("status", "status.phase", same),
    field("reason", "status.reason", same),
    field("message", "status.message", same),
    field(
        "seccomp_profile",
        "spec.securityContext.seccompProfile.type",
        same,
    ),
    field(
        "security_context",
        "spec.securityContext",
        super::generic::value,
    ),
    field("ip", "status.podIP", same),
    field("ips", "status.podIPs", ips),
    field("nominated_node", "status.nominatedNodeName", same),
    field("conditions", "status.conditions", conditions),
    field("volumes", "spec.volumes", volumes),
    field("qos_class", "status.qosClass", same),
    field("node_selectors", "spec.nodeSelector", labels),
    field("affinity", "spec.affinity", super::generic::value),
    field(
        "node_affinity",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
        required_terms,
    ),
    field("tolerations", "spec.tolerations", tolerations),
    field(
        "topology_spread",
        "spec.topologySpreadConstraints",
        topology_spread,
    ),
    field("image_pull_secrets", "spec.imagePullSecrets", names),
];

const TEMPLATE: &[Field] = &[
    field("labels", "metadata.labels", labels),
    field("annotations", "metadata.annotations", read::annotations),
    field("service_account", "spec.serviceAccountName", same),
    field("priority_class", "spec.priorityClassName", same),
    field("runtime_class", "spec.runtimeClassName", same),
    field("restart_policy", "spec.restartPolicy", same),
    field("init_containers", "spec.initContainers", of_template),
    field("containers", "spec.containers", of_template),
    field("volumes", "spec.volumes", volumes),
    field("node_selectors", "spec.nodeSelector", labels),
    field("affinity", "spec.affinity", super::generic::value),
    field("tolerations", "spec.tolerations", tolerations),
    field(
        "topology_spread",
        "spec.topologySpreadConstraints",
        topology_spread,
    ),
    field("image_pull_secrets", "spec.imagePullSecrets", names),
];

pub(super) const POD_TEMPLATE: &[Field] = &[field("pod_template", "template", template)];

/// Returns the pod template of a workload.
pub(super) fn template<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::map(value, TEMPLATE)
}

/// Returns the alternative terms of a required node affinity, each a list of requirements as kubectl
/// prints them for volumes. Terms that match fields are marked: `metadata.name field`.
fn required_terms<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(value.items().iter().filter_map(|term| {
        let fields = term.get("matchFields").map_or(&[][..], Value::items).iter();
        let fields = fields.map(|field| decoded("metadata.name field", field.span()));
        let expressions = super::storage::expressions(term, "matchExpressions");
        read::list(expressions.into_iter().chain(fields))
    }))
}

/// The maximum number of readiness gates per pod; few have any.
const MAX_GATES: usize = 64;

/// Adds fields that combine a pod's specification and status.
pub(super) fn finish<'a>(fields: &mut Map<'a>, pod: &Map<'a>) {
    for (name, specs, statuses) in [
        (
            "init_containers",
            "spec.initContainers",
            "status.initContainerStatuses",
        ),
        ("containers", "spec.containers", "status.containerStatuses"),
        (
            "ephemeral_containers",
            "spec.ephemeralContainers",
            "status.ephemeralContainerStatuses",
        ),
    ] {
        if let Some(value) = containers(pod.get(specs), pod.get(statuses)) {
            fields.insert(name, value);
        }
    }
    if pod.get("spec.nodeName").is_some()
        && let Some(address) = pod.get("status.hostIP").and_then(same)
    {
        fields.insert("node_ip", address);
    }
    let gates = pod.items("spec.readinessGates").iter().take(MAX_GATES);
    let gates = gates.filter_map(|gate| {
        let kind = gate.get("conditionType")?;
        let wanted = kind.to_text()?;
        let mut map = Map::new();
        map.insert("type", same(kind)?);
        let condition = pod.items("status.conditions").iter().find(|condition| {
            condition.get("type").and_then(Value::to_text).as_deref() == Some(&*wanted)
        });
        if let Some(status) = condition.and_then(|condition| condition.get("status")) {
            map.insert("status", status.clone());
        }
        Some(Value::Map(map))
    });
    if let Some(gates) = read::list(gates) {
        fields.insert("readiness_gates", gates);
    }
}

fn ips<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(
        value
            .items()
            .iter()
            .filter_map(|item| same(item.get("ip")?)),
    )
}

/// Returns the names in a list of references.
pub(super) fn names<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(
        value
            .items()
            .iter()
            .filter_map(|item| same(item.get("name")?)),
    )
}

const TOLERATION: &[Field] = &[
    field("key", "key", same),
    field("value", "value", read::text),
    field("effect", "effect", same),
    field("op", "operator", exists),
    field("seconds", "tolerationSeconds", integer),
];

/// Returns the operator if it is `Exists`, the only one that kubectl prints.
fn exists<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    same(value).filter(|value| value.to_text().as_deref() == Some("Exists"))
}

pub(super) fn tolerations<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, TOLERATION)
}

const SPREAD: &[Field] = &[
    field("key", "topologyKey", same),
    field("when_unsatisfiable", "whenUnsatisfiable", same),
    field("max_skew", "maxSkew", integer),
    field("selector", "labelSelector", selector),
];

fn topology_spread<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, SPREAD)
}
