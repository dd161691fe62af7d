//! Conversion of the API's fields to neutral names, kind by kind.
//!
//! A kind is a table of neutral names, paths in the API, and conversions of the values.

mod access;
mod annotated;
mod container;
mod detect_kind;
mod generic;
mod network;
mod node;
mod plain;
mod pod;
mod policy;
mod read;
mod storage;
mod volume;
mod workload;

pub(super) use annotated::annotated;
pub(crate) use detect_kind::{is_condition_type, kind_of_condition};
pub(super) use detect_kind::{is_whole, kind_of_fields, placed};

use kwhy_model::{Map, Value};
use read::{Field, field, flag, integer, labels, same, time};

/// The fields common to all objects.
const IDENTITY: &[Field] = &[
    field("api_version", "apiVersion", same),
    field("name", "metadata.name", same),
    field("namespace", "metadata.namespace", same),
    field("uid", "metadata.uid", same),
    field("resource_version", "metadata.resourceVersion", same),
    field("generation", "metadata.generation", integer),
    field("labels", "metadata.labels", labels),
    field("annotations", "metadata.annotations", read::annotations),
    field("created_time", "metadata.creationTimestamp", time),
    field("deletion_time", "metadata.deletionTimestamp", time),
    field(
        "deletion_grace_period_s",
        "metadata.deletionGracePeriodSeconds",
        integer,
    ),
    field("finalizers", "metadata.finalizers", read::texts),
    field("owners", "metadata.ownerReferences", owners),
    field("controlled_by", "metadata.ownerReferences", controlled_by),
];

/// The capacity reserved for an object's fields; most objects have fewer.
const USUAL: usize = 20;

/// Returns true for API groups whose kinds have a table here.
fn is_known_group(version: &str) -> bool {
    match version.split_once('/') {
        None => true,
        Some((group, _)) => !group.contains('.') || group.ends_with(".k8s.io"),
    }
}

/// Returns the fields of an object.
pub(super) fn fields<'a>(kind: Option<&str>, object: &Map<'a>) -> Map<'a> {
    let mut fields = Map::with_room(USUAL);
    read::add(&mut fields, object, IDENTITY);
    let known = object
        .text("apiVersion")
        .is_none_or(|version| is_known_group(&version));
    let table = kind.filter(|_| known).and_then(table);
    match table {
        Some(table) => {
            read::add(&mut fields, object, table);
            if fields.get("conditions").is_none()
                && let Some(conditions) = object.get("status.conditions").and_then(generic::value)
            {
                fields.insert("conditions", conditions);
            }
        }
        None => generic::add(&mut fields, object),
    }
    if kind == Some("Pod") {
        pod::finish(&mut fields, object);
    }
    terminating(kind, &mut fields, object);
    fields
}

fn table(kind: &str) -> Option<&'static [Field]> {
    Some(match kind {
        "Pod" => pod::POD,
        "PodTemplate" => pod::POD_TEMPLATE,
        "Node" => node::NODE,
        "CSINode" => node::CSI_NODE,
        "Lease" => node::LEASE,
        "Deployment" => workload::DEPLOYMENT,
        "ReplicaSet" | "ReplicationController" => workload::REPLICA_SET,
        "StatefulSet" => workload::STATEFUL_SET,
        "DaemonSet" => workload::DAEMON_SET,
        "Job" => workload::JOB,
        "CronJob" => workload::CRON_JOB,
        "HorizontalPodAutoscaler" => policy::AUTOSCALER,
        "PodDisruptionBudget" => policy::DISRUPTION_BUDGET,
        "ResourceQuota" => policy::QUOTA,
        "LimitRange" => policy::LIMIT_RANGE,
        "PriorityClass" => policy::PRIORITY_CLASS,
        "Service" => network::SERVICE,
        "Endpoints" => network::ENDPOINTS,
        "EndpointSlice" => network::ENDPOINT_SLICE,
        "Ingress" => network::INGRESS,
        "IngressClass" => network::INGRESS_CLASS,
        "NetworkPolicy" => network::NETWORK_POLICY,
        "PersistentVolumeClaim" => storage::CLAIM,
        "PersistentVolume" => storage::VOLUME,
        "StorageClass" => storage::STORAGE_CLASS,
        "Role" | "ClusterRole" => access::ROLE,
        "RoleBinding" | "ClusterRoleBinding" => access::ROLE_BINDING,
        "ServiceAccount" => access::SERVICE_ACCOUNT,
        "ConfigMap" => plain::CONFIG_MAP,
        "Secret" => plain::SECRET,
        "Namespace" => plain::NAMESPACE,
        _ => return None,
    })
}

/// Sets the status that kubectl shows for an object that is being deleted.
fn terminating<'a>(kind: Option<&str>, fields: &mut Map<'a>, object: &Map<'a>) {
    let Some(deleted) = object.get("metadata.deletionTimestamp") else {
        return;
    };
    let phase = object.text("status.phase");
    let ends = match kind {
        Some("Pod") => !matches!(phase.as_deref(), Some("Failed" | "Succeeded")),
        Some("PersistentVolumeClaim" | "PersistentVolume" | "Namespace") => true,
        _ => false,
    };
    if ends {
        fields.insert("status", read::decoded("Terminating", deleted.span()));
        if kind == Some("Pod")
            && let Some(grace) = object.get("metadata.deletionGracePeriodSeconds")
        {
            fields.insert("termination_grace_period_s", grace.clone());
        }
    }
}

const OWNER: &[Field] = &[
    field("kind", "kind", same),
    field("name", "name", same),
    field("controller", "controller", flag),
];

fn owners<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, OWNER)
}

fn controlled_by<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let owner = value
        .items()
        .iter()
        .find(|owner| matches!(owner.get("controller"), Some(Value::Boolean(true, _))))?;
    read::joined(owner, &["kind", "name"], "/")
}
