//! PersistentVolumeClaims, PersistentVolumes and StorageClasses.

use super::read::{
    self, Field, access_modes, conditions, decoded, field, labels, same, text, texts,
};
use kwhy_model::{Map, Value};

pub(super) const CLAIM: &[Field] = &[
    field("status", "status.phase", same),
    field("storage_class", "spec.storageClassName", same),
    field("volume", "spec.volumeName", same),
    field("volume_mode", "spec.volumeMode", same),
    field("capacity", "", bound_capacity),
    field("access_modes", "", bound_modes),
    field("requested", "spec.resources.requests.storage", text),
    field("requested_modes", "spec.accessModes", access_modes),
    field("data_source", "spec.dataSource", super::generic::value),
    field("selector", "spec.selector", read::selector),
    field("conditions", "status.conditions", conditions),
    field(
        "allocated_resource_statuses",
        "status.allocatedResourceStatuses",
        super::generic::value,
    ),
    field("resize_status", "status.resizeStatus", same),
    field(
        "modify_volume_status",
        "status.modifyVolumeStatus",
        super::generic::value,
    ),
];

pub(super) const VOLUME: &[Field] = &[
    field("status", "status.phase", same),
    field("reason", "status.reason", same),
    field("message", "status.message", same),
    field("storage_class", "spec.storageClassName", same),
    field("claim", "spec.claimRef", claim),
    field("reclaim_policy", "spec.persistentVolumeReclaimPolicy", same),
    field("access_modes", "spec.accessModes", access_modes),
    field("volume_mode", "spec.volumeMode", same),
    field("capacity", "spec.capacity.storage", text),
    field(
        "node_affinity",
        "spec.nodeAffinity.required.nodeSelectorTerms",
        node_affinity,
    ),
    field("source", "spec", super::volume::persistent),
];

pub(super) const STORAGE_CLASS: &[Field] = &[
    field("is_default_class", "metadata.annotations", is_default),
    field("is_default", "metadata.annotations", is_default),
    field("provisioner", "provisioner", same),
    field("parameters", "parameters", labels),
    field("allow_expansion", "allowVolumeExpansion", same),
    field("mount_options", "mountOptions", texts),
    field("reclaim_policy", "reclaimPolicy", same),
    field("binding_mode", "volumeBindingMode", same),
];

/// Returns a value of a claim if it is bound, as its capacity is shown only then.
fn when_bound<'m, 'a>(claim: &'m Value<'a>, path: &str) -> Option<&'m Value<'a>> {
    claim.get("spec.volumeName")?;
    claim.get(path)
}

fn bound_capacity<'a>(claim: &Value<'a>) -> Option<Value<'a>> {
    when_bound(claim, "status.capacity.storage").and_then(text)
}

fn bound_modes<'a>(claim: &Value<'a>) -> Option<Value<'a>> {
    when_bound(claim, "status.accessModes").and_then(access_modes)
}

fn claim<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::joined(value, &["namespace", "name"], "/")
}

fn node_affinity<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let terms = value.items().iter();
    read::list(terms.flat_map(|term| expressions(term, "matchExpressions")))
}

/// Formats each expression of a term: `topology.kubernetes.io/zone in [a, b]`.
pub(super) fn expressions<'a>(term: &Value<'a>, key: &str) -> Vec<Value<'a>> {
    let mut lines = Vec::new();
    for expression in term.get(key).map_or(&[][..], Value::items) {
        let text = |key| {
            expression
                .get(key)
                .and_then(Value::to_text)
                .unwrap_or_default()
        };
        let values = expression.get("values").map_or(&[][..], Value::items);
        let values: Vec<_> = values.iter().filter_map(Value::to_text).collect();
        let mut line = format!("{} {}", text("key"), text("operator").to_lowercase());
        if !values.is_empty() {
            line.push_str(&format!(" [{}]", values.join(", ")));
        }
        lines.push(decoded(&line, expression.span()));
    }
    lines
}

const DEFAULT: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

fn default_mark<'m, 'a>(annotations: &'m Map<'a>) -> Option<&'m Value<'a>> {
    DEFAULT.iter().find_map(|key| annotations.get(key))
}

fn is_default<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Map(annotations) = value else {
        return None;
    };
    let mark = default_mark(annotations)?;
    let is_true = mark.to_text().as_deref() == Some("true");
    Some(Value::Boolean(is_true, mark.span()))
}
