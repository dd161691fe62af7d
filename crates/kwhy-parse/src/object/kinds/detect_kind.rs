//! Detection of the kind of an object whose start was cut off, by its fields.

use std::borrow::Cow;

use crate::describe::is_reason_of_container;
use kwhy_model::{Map, Value};

/// The maximum number of conditions examined per object; few have more than ten.
const MAX_CONDITIONS: usize = 64;

/// Paths of fields, any of which identifies the kind.
const KINDS: &[(&str, &[&str])] = &[
    (
        "Pod",
        &[
            "status.containerStatuses",
            "status.initContainerStatuses",
            "status.ephemeralContainerStatuses",
            "status.podIP",
            "status.hostIP",
            "status.qosClass",
            "spec.containers",
            "spec.nodeName",
        ],
    ),
    ("CronJob", &["spec.jobTemplate", "status.lastScheduleTime"]),
    (
        "Job",
        &[
            "spec.backoffLimit",
            "spec.completions",
            "spec.completionMode",
            "status.completionTime",
            "status.uncountedTerminatedPods",
        ],
    ),
    (
        "StatefulSet",
        &[
            "spec.volumeClaimTemplates",
            "spec.podManagementPolicy",
            "spec.serviceName",
        ],
    ),
    (
        "DaemonSet",
        &["status.numberReady", "status.desiredNumberScheduled"],
    ),
    (
        "Deployment",
        &[
            "spec.strategy",
            "spec.progressDeadlineSeconds",
            "status.unavailableReplicas",
            "status.updatedReplicas",
        ],
    ),
    ("ReplicaSet", &["status.fullyLabeledReplicas"]),
    (
        "Node",
        &[
            "status.nodeInfo",
            "status.allocatable",
            "status.daemonEndpoints",
            "spec.podCIDR",
            "spec.taints",
        ],
    ),
    (
        "PersistentVolume",
        &["spec.claimRef", "spec.persistentVolumeReclaimPolicy"],
    ),
    (
        "PersistentVolumeClaim",
        &[
            "spec.resources.requests.storage",
            "spec.volumeName",
            "status.allocatedResourceStatuses",
        ],
    ),
    (
        "VolumeAttachment",
        &[
            "spec.attacher",
            "status.attachError",
            "status.detachError",
            "status.attached",
        ],
    ),
    (
        "Service",
        &[
            "spec.clusterIP",
            "spec.sessionAffinity",
            "spec.externalTrafficPolicy",
        ],
    ),
    (
        "HorizontalPodAutoscaler",
        &["spec.scaleTargetRef", "status.currentMetrics"],
    ),
    (
        "PodDisruptionBudget",
        &["status.disruptionsAllowed", "spec.minAvailable"],
    ),
    ("NetworkPolicy", &["spec.podSelector", "spec.policyTypes"]),
    ("Ingress", &["spec.ingressClassName", "spec.defaultBackend"]),
    ("Endpoints", &["subsets"]),
];

/// Condition types that only one kind has. Sources: `k8s.io/api` (core/v1, batch/v1, autoscaling/v2,
/// policy/v1), apiextensions.k8s.io/v1.
const CONDITIONS: &[(&str, &[&str])] = &[
    (
        "Pod",
        &[
            "ContainersReady",
            "DisruptionTarget",
            "PodReadyToStartContainers",
            "PodResizePending",
            "PodScheduled",
        ],
    ),
    (
        "Node",
        &[
            "DiskPressure",
            "MemoryPressure",
            "NetworkUnavailable",
            "PIDPressure",
        ],
    ),
    ("Job", &["FailureTarget", "SuccessCriteriaMet"]),
    (
        "PersistentVolumeClaim",
        &[
            "ControllerResizeError",
            "FileSystemResizePending",
            "ModifyVolumeError",
            "ModifyingVolume",
            "NodeResizeError",
            "Resizing",
        ],
    ),
    (
        "HorizontalPodAutoscaler",
        &["AbleToScale", "ScalingActive", "ScalingLimited"],
    ),
    ("PodDisruptionBudget", &["DisruptionAllowed"]),
    (
        "Namespace",
        &[
            "NamespaceContentRemaining",
            "NamespaceDeletionContentFailure",
            "NamespaceDeletionDiscoveryFailure",
            "NamespaceDeletionGroupVersionParsingFailure",
            "NamespaceFinalizersRemaining",
        ],
    ),
    (
        "CustomResourceDefinition",
        &["Established", "NamesAccepted"],
    ),
];

/// Condition types of a Job that other kinds have too, but without the time of a probe.
const OF_JOB: &[&str] = &["Complete", "Failed", "Suspended"];

/// Condition types that several kinds have.
const SHARED_CONDITIONS: &[&str] = &[
    "Available",
    "Complete",
    "Failed",
    "Initialized",
    "Progressing",
    "Ready",
    "ReplicaFailure",
    "Suspended",
];

/// Returns the only kind that has conditions of this type, if there is one.
pub(crate) fn kind_of_condition(kind: &str) -> Option<&'static str> {
    let mut all = CONDITIONS.iter();
    all.find(|(_, types)| types.contains(&kind))
        .map(|(of, _)| *of)
}

/// Returns true if a word is a condition type of a built-in kind.
pub(crate) fn is_condition_type(word: &str) -> bool {
    SHARED_CONDITIONS.contains(&word) || kind_of_condition(word).is_some()
}

/// Keys of an object's parts; a fragment with one of them belongs to that part.
const PARTS: &[(&str, &[&str])] = &[
    (
        "status",
        &[
            "conditions",
            "containerStatuses",
            "initContainerStatuses",
            "ephemeralContainerStatuses",
            "phase",
            "hostIP",
            "podIP",
            "qosClass",
            "observedGeneration",
            "loadBalancer",
        ],
    ),
    (
        "spec",
        &[
            "containers",
            "initContainers",
            "template",
            "nodeName",
            "restartPolicy",
            "tolerations",
            "volumes",
            "replicas",
            "selector",
            "accessModes",
        ],
    ),
    (
        "metadata",
        &[
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
        ],
    ),
];

/// Top-level keys of an object.
const OWN: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "status",
    "items",
    "subsets",
];

/// Returns true if a map is a condition on its own.
fn is_condition(map: &Map<'_>) -> bool {
    let is_state =
        |status: Cow<'_, str>| matches!(&*status, "True" | "False" | "Unknown" | "true" | "false");
    map.text("type").is_some()
        && map.text("status").is_some_and(is_state)
        && [
            "reason",
            "message",
            "lastTransitionTime",
            "lastHeartbeatTime",
        ]
        .iter()
        .any(|key| map.get(key).is_some())
}

/// Returns the state of a container (`waiting` or `terminated`) if a map is one on its own.
fn state_of_container(map: &Map<'_>) -> Option<&'static str> {
    let reason = map.text("reason");
    if map.get("type").is_some() || !reason.is_some_and(|reason| is_reason_of_container(&reason)) {
        return None;
    }
    const ENDED: &[&str] = &[
        "ContainerCannotRun",
        "ContainerStatusUnknown",
        "OOMKilled",
        "StartError",
    ];
    let has_ended = map.get("exitCode").is_some()
        || map
            .text("reason")
            .is_some_and(|reason| ENDED.contains(&&*reason));
    Some(if has_ended { "terminated" } else { "waiting" })
}

/// Nests a map under a key.
fn below<'a>(key: &'static str, map: Map<'a>) -> Map<'a> {
    let mut outer = Map::new();
    outer.insert(key, Value::Map(map));
    outer
}

/// Returns true if a map is an object, or contains whole parts of one.
pub(in crate::object) fn is_whole(map: &Map<'_>) -> bool {
    if is_condition(map) {
        return false;
    }
    map.is_empty() || OWN.iter().any(|key| map.get(key).is_some())
}

/// Returns the entries of an object that consists of the part in a map.
pub(in crate::object) fn placed<'a>(map: Map<'a>) -> Vec<(Cow<'a, str>, Value<'a>)> {
    if is_whole(&map) {
        return map.into_iter().collect();
    }
    let is_of_state = |map: &Map<'_>| {
        ["waiting", "terminated"].iter().any(|kind| {
            map.len() == 1
                && map
                    .get(kind)
                    .is_some_and(|state| state.get("reason").is_some())
        })
    };
    let (map, is_state) = match state_of_container(&map) {
        Some(state) => (below("state", below(state, map)), true),
        None if is_of_state(&map) => (below("state", map), true),
        None => (map, false),
    };
    if is_condition(&map) {
        let mut status = Map::new();
        status.insert("conditions", Value::List(vec![Value::Map(map)]));
        return vec![(Cow::Borrowed("status"), Value::Map(status))];
    }
    let is_status = is_state
        || ["lastState", "restartCount", "containerID"]
            .iter()
            .any(|key| map.get(key).is_some())
        || map.get("state").is_some_and(|state| {
            ["waiting", "running", "terminated"]
                .iter()
                .any(|kind| state.get(kind).is_some())
        });
    if is_status {
        let mut status = Map::new();
        status.insert("containerStatuses", Value::List(vec![Value::Map(map)]));
        return vec![(Cow::Borrowed("status"), Value::Map(status))];
    }
    let part = PARTS
        .iter()
        .find(|(_, keys)| keys.iter().any(|key| map.get(key).is_some()))
        .map(|(part, _)| *part);
    match part {
        Some(part) => vec![(Cow::Borrowed(part), Value::Map(map))],
        None => map.into_iter().collect(),
    }
}

/// Returns the kind that the fields and conditions identify, for an object without a head.
pub(in crate::object) fn kind_of_fields(map: &Map<'_>) -> Option<&'static str> {
    let by_field = KINDS
        .iter()
        .find(|(_, paths)| paths.iter().any(|path| map.get(path).is_some()));
    let by_condition = || {
        let conditions = map.items("status.conditions").iter();
        conditions.take(MAX_CONDITIONS).find_map(|condition| {
            let word = condition.get("type")?.to_text()?;
            let of_job = || {
                let is_probed = condition.get("lastProbeTime").is_some();
                (is_probed && OF_JOB.contains(&&*word)).then_some("Job")
            };
            kind_of_condition(&word).or_else(of_job)
        })
    };
    by_field.map(|(kind, _)| *kind).or_else(by_condition)
}

#[cfg(test)]
mod tests {
    use crate::input::Document;

    #[test]
    fn fragments_of_a_status() {
        let resize = "status:\n  conditions:\n  - lastProbeTime: null\n    message: no room\n    status: \"True\"\n    type: ControllerResizeError\n  phase: Bound\n";
        let failed = "status:\n  conditions:\n  - lastProbeTime: \"2026-03-04T05:06:07Z\"\n    message: no luck\n    reason: BackoffLimitExceeded\n    status: \"True\"\n    type: Failed\n  failed: 7\n";
        for (text, kind, message) in [
            (
                "status:\n  attachError:\n    message: 'no berth'\n    time: \"2026-03-04T05:06:07Z\"\n  attached: false\n",
                Some("VolumeAttachment"),
                "no berth",
            ),
            (
                "\"status\": {\n  \"attachError\": {\n    \"message\": \"no berth\"\n  },\n  \"attached\": false\n}\n",
                Some("VolumeAttachment"),
                "no berth",
            ),
            (resize, Some("PersistentVolumeClaim"), "no room"),
            (failed, Some("Job"), "no luck"),
            // other kinds fail without being probed
            (
                &failed.replace("lastProbeTime", "lastUpdateTime"),
                None,
                "no luck",
            ),
            (
                "status:\n  state: error\n  lastError: 'no \"north\"'\n",
                None,
                "no \"north\"",
            ),
            (
                "waiting:\n  message: no lift\n  reason: CreateContainerError\n",
                Some("Pod"),
                "no lift",
            ),
            (
                "terminated:\n  exitCode: 7\n  reason: Error\n  message: no oil\n",
                Some("Pod"),
                "no oil",
            ),
            (
                "\"terminated\": {\n  \"exitCode\": 7,\n  \"message\": \"no oil\",\n  \"reason\": \"Error\"\n}\n",
                Some("Pod"),
                "no oil",
            ),
        ] {
            let document = Document::new("x", text);
            let read = crate::document(&document);
            let kinds: Vec<_> = read
                .objects
                .iter()
                .map(|it| it.subject.kind.as_deref())
                .collect();
            assert_eq!(kinds, [kind], "{text}");
            let said: Vec<_> = read.events.iter().map(|it| it.message.as_str()).collect();
            assert_eq!(said, [message], "{text}");
        }
    }

    #[test]
    fn other_text_is_no_status() {
        for text in [
            "waiting:\n  for: the tide\n",
            "waiting: for the tide\n",
            "status:\n  note: all is well\n",
            "terminated:\n  yesterday\n",
        ] {
            let document = Document::new("x", text);
            assert!(crate::document(&document).objects.is_empty(), "{text}");
        }
    }
}
