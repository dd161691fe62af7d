//! Detection of an object's kind from its keys: only the generic describer prints the kind.

use std::collections::HashSet;

use super::super::condition_row::{self, is_condition_row};
use super::super::recognise::is_container_reason;
use super::layout::Entry;
use super::raw_data;
use crate::input::Line;

/// The kind detected in lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct DetectedKind<'a> {
    /// The kind.
    pub kind: &'a str,
    /// True if the generic describer printed the lines, which states the kind.
    pub is_generic: bool,
}

/// The keys that identify a kind: any one of `any`, or all of `all`.
struct KindKeys {
    kind: &'static str,
    any: &'static [&'static str],
    all: &'static [&'static str],
}

const fn kind_keys(
    kind: &'static str,
    any: &'static [&'static str],
    all: &'static [&'static str],
) -> KindKeys {
    KindKeys { kind, any, all }
}

/// The identifying keys of each kind; the first match decides.
const KIND_KEYS: &[KindKeys] = &[
    // keys absent from pod templates
    kind_keys(
        "Pod",
        &["QoS Class", "Container ID", "Restart Count", "Last State"],
        &[],
    ),
    kind_keys(
        "Node",
        &[
            "System Info",
            "Non-terminated Pods",
            "Allocated resources",
            "Taints",
            "Roles",
            "PodCIDR",
        ],
        &[],
    ),
    kind_keys(
        "CronJob",
        &["Concurrency Policy", "Last Schedule Time"],
        &[],
    ),
    kind_keys(
        "Deployment",
        &[
            "StrategyType",
            "OldReplicaSets",
            "NewReplicaSet",
            "RollingUpdateStrategy",
        ],
        &[],
    ),
    // OpenShift: openshift/oc `pkg/cli/cmd/describe`
    kind_keys(
        "ImageStream",
        &["Image Lookup", "Image Repository", "Unique Images"],
        &[],
    ),
    kind_keys("BuildConfig", &["Build Run Policy", "Triggered by"], &[]),
    kind_keys("DeploymentConfig", &[], &["Latest Version", "Triggers"]),
    kind_keys("StatefulSet", &["Update Strategy", "Volume Claims"], &[]),
    kind_keys("DaemonSet", &["Desired Number of Nodes Scheduled"], &[]),
    kind_keys("Job", &["Pods Statuses", "Parallelism"], &[]),
    kind_keys(
        "ReplicaSet",
        &["Pods Status"],
        &["Replicas", "Pod Template"],
    ),
    kind_keys(
        "StorageClass",
        &[
            "IsDefaultClass",
            "VolumeBindingMode",
            "AllowVolumeExpansion",
        ],
        &[],
    ),
    kind_keys(
        "PersistentVolumeClaim",
        &["Used By", "Mounted By"],
        &["StorageClass", "Volume"],
    ),
    kind_keys(
        "PersistentVolume",
        &["Reclaim Policy", "Node Affinity"],
        &["StorageClass", "Claim"],
    ),
    // a volume's own keys are decided on above
    kind_keys(
        "PersistentVolumeClaim",
        &[],
        &["Access Modes", "VolumeMode"],
    ),
    kind_keys(
        "Service",
        &["Session Affinity", "TargetPort", "IP Family Policy"],
        &[],
    ),
    kind_keys("EndpointSlice", &["AddressType"], &[]),
    kind_keys("Endpoints", &["Subsets"], &[]),
    kind_keys(
        "CSINode",
        &["Node ID", "Allocatables"],
        &["CreationTimestamp", "Spec"],
    ),
    kind_keys(
        "Ingress",
        &["Default backend", "Ingress Class"],
        &["Rules", "Address"],
    ),
    kind_keys(
        "HorizontalPodAutoscaler",
        &[
            "Min replicas",
            "Max replicas",
            "Deployment pods",
            "Target CPU utilization",
        ],
        &[],
    ),
    kind_keys(
        "PodDisruptionBudget",
        &["Min available", "Max unavailable", "Allowed disruptions"],
        &[],
    ),
    kind_keys("PriorityClass", &["GlobalDefault", "PreemptionPolicy"], &[]),
    kind_keys("NetworkPolicy", &["Created on"], &[]),
    kind_keys(
        "ServiceAccount",
        &["Image pull secrets", "Mountable secrets"],
        &[],
    ),
    kind_keys("IngressClass", &["Controller"], &[]),
    kind_keys("Role", &["PolicyRule"], &[]),
    kind_keys("RoleBinding", &[], &["Role", "Subjects"]),
    kind_keys("VolumeAttributesClass", &["DriverName"], &[]),
    kind_keys("CertificateSigningRequest", &["Requesting User"], &[]),
    kind_keys("IPAddress", &["Parent Reference"], &[]),
    kind_keys("ServiceCIDR", &["CIDRs"], &[]),
];

/// Keys of a pod that templates of pods have too.
const POD_KEYS: &[&str] = &[
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
];

/// Controllers whose events are about one kind. Sources: kubernetes/kubernetes `pkg/controller`, v1.32.
const REPORTERS: &[(&str, &str)] = &[
    ("cronjob-controller", "CronJob"),
    ("daemonset-controller", "DaemonSet"),
    ("deployment-controller", "Deployment"),
    ("horizontal-pod-autoscaler", "HorizontalPodAutoscaler"),
    ("job-controller", "Job"),
    ("persistentvolume-controller", "PersistentVolumeClaim"),
    ("replicaset-controller", "ReplicaSet"),
    ("service-controller", "Service"),
    ("statefulset-controller", "StatefulSet"),
];

/// The number of events whose reporter is looked at.
const MAX_EVENTS: usize = 16;

/// Keys of a pod's containers. Without any identifying key they indicate a pod without its top.
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

/// Returns the kind of the object in the lines; `events` are those of its events.
pub(in super::super) fn detect<'a>(
    lines: &[Line<'a>],
    events: &[Line<'_>],
) -> Option<DetectedKind<'a>> {
    let built_in = |kind| DetectedKind {
        kind,
        is_generic: false,
    };
    let first = lines.iter().find(|line| !line.is_blank());
    if first.is_some_and(|line| is_condition_row(line.text)) {
        return condition_row::kind(lines.iter().map(|line| line.text)).map(built_in);
    }
    let (layout, raw) = raw_data::split(lines);
    let entries = || layout.iter().map(|line| Entry::new(*line));
    let base = entries()
        .filter(|entry| entry.key.is_some_and(|key| key.text == "Name"))
        .map(|entry| entry.line.indent())
        .next()
        .or_else(|| {
            let keyed = entries().filter(|entry| entry.key.is_some());
            keyed.map(|entry| entry.line.indent()).min()
        });
    let mut keys = HashSet::new();
    let mut custom = None;
    let mut is_container = false;
    let mut of_replicas = None;
    for entry in entries() {
        let Some(key) = entry.key else {
            if let Some(kind) = kind_of_title(entry.value.text) {
                return Some(built_in(kind));
            }
            continue;
        };
        is_container |= CONTAINER_KEYS.contains(&key.text) || is_container_reason(&entry);
        if base.is_none_or(|base| entry.line.indent() <= base) {
            if key.text == "Events" {
                break;
            }
            if key.text == "Kind" {
                custom = custom.or(Some(entry.value.text));
            }
            if key.text == "Replicas" {
                of_replicas = kind_of_replicas(entry.value.text);
            }
            keys.insert(key.text);
        }
    }
    // if the top was cut off, `Kind` may belong to a nested part unless these keys are present
    let is_own = ["API Version", "Metadata"]
        .iter()
        .any(|key| keys.contains(key));
    if let Some(kind) = custom.filter(|kind| !kind.is_empty() && is_own) {
        return Some(DetectedKind {
            kind,
            is_generic: true,
        });
    }
    if !raw.is_empty() {
        let kind = if keys.contains("Type") {
            "Secret"
        } else {
            "ConfigMap"
        };
        return Some(built_in(kind));
    }
    let of_keys = || {
        let known = KIND_KEYS.iter().find(|known| {
            known.any.iter().any(|key| keys.contains(key))
                || (!known.all.is_empty() && known.all.iter().all(|key| keys.contains(key)))
        });
        known.map(|known| known.kind)
    };
    // templates of pods have containers too
    let is_pod = is_container || POD_KEYS.iter().any(|key| keys.contains(key));
    of_replicas
        .or_else(of_keys)
        .or_else(|| condition_row::kind(layout.iter().map(|line| line.text)))
        .or_else(|| kind_of_reporter(events))
        .or(is_pod.then_some("Pod"))
        .map(built_in)
}

/// Returns the kind whose replicas are counted in this way.
fn kind_of_replicas(counts: &str) -> Option<&'static str> {
    if counts.contains(" desired | ") {
        let is_updated = counts.contains(" updated | ");
        return Some(if is_updated {
            "Deployment"
        } else {
            "StatefulSet"
        });
    }
    counts.contains(" current / ").then_some("ReplicaSet")
}

/// Returns the kind that the reporter of the events shows.
fn kind_of_reporter(events: &[Line<'_>]) -> Option<&'static str> {
    events.iter().take(MAX_EVENTS).find_map(|line| {
        let mut words = line.text.split_whitespace();
        words.find_map(|word| {
            let mut known = REPORTERS.iter();
            known.find(|(name, _)| *name == word).map(|(_, kind)| *kind)
        })
    })
}

/// Returns true if lines of unknown kind are part of the generic describer's output: no other
/// describer prints the time of a condition on a line of its own.
pub(in super::super) fn is_generic_part(lines: &[Line<'_>]) -> bool {
    lines
        .iter()
        .any(|line| Entry::new(*line).key_text() == "Last Transition Time")
}

/// Returns the kind identified by a line without a colon.
fn kind_of_title(text: &str) -> Option<&'static str> {
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("Resource"), Some("Used"), Some("Hard")) => Some("ResourceQuota"),
        (Some("Type"), Some("Resource"), Some("Min")) => Some("LimitRange"),
        (Some("Type"), Some("Status"), Some("LastHeartbeatTime")) => Some("Node"),
        (Some("Type"), Some("Status"), Some("LastProbeTime")) => Some("PersistentVolumeClaim"),
        (Some("Progressing"), Some("True" | "False" | "Unknown"), Some(_))
            if words.next().is_none() =>
        {
            Some("Deployment")
        }
        (Some("No"), Some("LimitRange" | "resource"), Some("resource." | "quota."))
        | (Some("Resource"), Some("Quotas" | "Limits"), None) => Some("Namespace"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Document;

    const TEMPLATE: &str = "Pod Template:\n  Labels:  app=crane\n  Containers:\n   crane:\n    Image:      dock.example/crane:7\n    Port:       <none>\n";

    fn kind(text: &str) -> Option<String> {
        let document = Document::new("x", text);
        let read = crate::document(&document);
        assert_eq!(read.objects.len(), 1, "{text}");
        read.objects[0].subject.kind.clone()
    }

    #[test]
    fn a_describe_from_its_middle_on() {
        let by = |reporter: &str| {
            let row = format!("  Warning  Sad  3m  {reporter}  no berth\n");
            format!("{TEMPLATE}Events:\n  Type  Reason  Age  From  Message\n{row}")
        };
        let conditions =
            |header: &str, row: &str| format!("{TEMPLATE}Conditions:\n  {header}\n{row}");
        let of_claim = "Access Modes:  RWO\nVolumeMode:    Filesystem\n";
        for (text, wanted) in [
            (by("job-controller"), "Job"),
            (by("statefulset-controller"), "StatefulSet"),
            (by("kubelet"), "Pod"),
            (
                format!("Replicas:  3 desired | 1 updated | 3 total\n{TEMPLATE}"),
                "Deployment",
            ),
            (
                format!("Replicas:  3 desired | 3 total\n{TEMPLATE}"),
                "StatefulSet",
            ),
            (
                format!("Replicas:  2 current / 3 desired\n{TEMPLATE}"),
                "ReplicaSet",
            ),
            (
                conditions(
                    "Type         Status  Reason",
                    "  Progressing  False   ProgressDeadlineExceeded\n",
                ),
                "Deployment",
            ),
            (
                conditions("Type          Status", "  PodScheduled  False\n"),
                "Pod",
            ),
            (
                "Conditions:\n  Type           Status  Reason      Message\n  ScalingActive  False   NoMetrics   there are none\nEvents:  <none>\n".to_owned(),
                "HorizontalPodAutoscaler",
            ),
            (
                "Conditions:\n  Type      Status  LastProbeTime  LastTransitionTime  Reason  Message\n  Odd       True    Mon, 01 Jan 0001 00:00:00 +0000   Tue, 03 Feb 2026 10:00:00 +0100           no room\n".to_owned(),
                "PersistentVolumeClaim",
            ),
            (
                format!("Status:  Pending\nAnnotations:  a: b\nFinalizers:  [c]\n{of_claim}"),
                "PersistentVolumeClaim",
            ),
            (
                format!("Reclaim Policy:  Retain\n{of_claim}Node Affinity:  <none>\n"),
                "PersistentVolume",
            ),
            (
                "Min replicas:  2\nMax replicas:  9\n".to_owned(),
                "HorizontalPodAutoscaler",
            ),
            (
                "Name:  crane\nNamespace:  dock\nLatest Version:  2\nReplicas:  1\nTriggers:  Config\n".to_owned(),
                "DeploymentConfig",
            ),
        ] {
            assert_eq!(kind(&text).as_deref(), Some(wanted), "{text}");
        }
    }
}
