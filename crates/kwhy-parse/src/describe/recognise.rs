//! Recognition of single lines of a describe.

use super::condition_row::is_condition_row;
use super::layout::{Entry, is_absent};
use crate::input::Line;

/// The syntax of a key's value.
#[derive(Clone, Copy)]
enum ValueSyntax {
    /// Anything: no other text contains this key.
    Any,
    /// Nothing: a title.
    Title,
    /// One word, `<none>` or nothing.
    Word,
    /// A word with a slash, or `<none>`.
    Path,
    /// A number.
    Number,
    /// Numbers of replicas.
    Counts,
    /// `True` or `False`.
    Flag,
    /// A date in RFC 1123.
    Date,
    /// `key=value`, or `<none>`.
    Pair,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// Reasons for which only a container waits or terminates, as set by the kubelet (kubernetes/kubernetes
/// `pkg/kubelet/container/sync_result.go`, `pkg/kubelet/images/types.go`, `pkg/kubelet/kuberuntime`, v1.32).
const CONTAINER_REASONS: &[&str] = &[
    "ContainerCannotRun",
    "ContainerCreating",
    "ContainerStatusUnknown",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "CreateContainerError",
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "OOMKilled",
    "PodInitializing",
    "PostStartHookError",
    "PreCreateHookError",
    "PreStartHookError",
    "RegistryUnavailable",
    "RunContainerError",
    "SignatureValidationFailed",
    "StartError",
];

/// Keys of kubectl's describers that identify a describe if the value has this syntax.
const KEYS: &[(&str, ValueSyntax)] = &[
    ("Access Modes", ValueSyntax::Word),
    ("Annotations", ValueSyntax::OneOf(&["<none>"])),
    ("CSINode", ValueSyntax::Word),
    ("ClaimName", ValueSyntax::Word),
    ("Command", ValueSyntax::Title),
    ("Conditions", ValueSyntax::Title),
    ("ConfigMapName", ValueSyntax::Word),
    ("ConfigMapOptional", ValueSyntax::Word),
    ("Container ID", ValueSyntax::Word),
    ("Containers", ValueSyntax::Title),
    ("Controlled By", ValueSyntax::Path),
    ("CreationTimestamp", ValueSyntax::Date),
    ("Deployment pods", ValueSyntax::Any),
    ("DownwardAPI", ValueSyntax::Word),
    ("Environment", ValueSyntax::OneOf(&["", "<none>"])),
    ("Environment Variables from", ValueSyntax::Title),
    ("Ephemeral Containers", ValueSyntax::Title),
    ("Events", ValueSyntax::OneOf(&["", "<none>"])),
    ("Exit Code", ValueSyntax::Number),
    ("External Traffic Policy", ValueSyntax::Word),
    ("Finished", ValueSyntax::Date),
    ("Host Port", ValueSyntax::Any),
    ("Host Ports", ValueSyntax::Any),
    ("HostPathType", ValueSyntax::Word),
    ("IP Families", ValueSyntax::Word),
    ("IP Family Policy", ValueSyntax::Word),
    ("IPs", ValueSyntax::Word),
    ("Image", ValueSyntax::Path),
    ("Image ID", ValueSyntax::Word),
    ("Init Containers", ValueSyntax::Title),
    ("IsDefaultClass", ValueSyntax::Word),
    ("Labels", ValueSyntax::Pair),
    (
        "Last State",
        ValueSyntax::OneOf(&["Terminated", "Waiting", "Running"]),
    ),
    ("Last Transition Time", ValueSyntax::Word),
    ("Limits", ValueSyntax::Title),
    ("Max replicas", ValueSyntax::Number),
    ("Min replicas", ValueSyntax::Number),
    ("Mounts", ValueSyntax::OneOf(&["", "<none>"])),
    ("Namespace", ValueSyntax::Word),
    ("NewReplicaSet", ValueSyntax::Any),
    ("Node", ValueSyntax::Path),
    ("Node-Selectors", ValueSyntax::Pair),
    ("NominatedNodeName", ValueSyntax::Word),
    ("OldReplicaSets", ValueSyntax::Any),
    ("Pod Template", ValueSyntax::Title),
    ("Pods Status", ValueSyntax::Any),
    ("Pods Statuses", ValueSyntax::Any),
    ("Priority Class Name", ValueSyntax::Word),
    ("QoS Class", ValueSyntax::Word),
    ("Ready", ValueSyntax::Flag),
    ("Reason", ValueSyntax::OneOf(CONTAINER_REASONS)),
    ("Reclaim Policy", ValueSyntax::Word),
    ("Replicas", ValueSyntax::Counts),
    ("Requests", ValueSyntax::Title),
    ("Restart Count", ValueSyntax::Number),
    ("SecretName", ValueSyntax::Word),
    ("Service Account", ValueSyntax::Word),
    ("Session Affinity", ValueSyntax::Word),
    ("SizeLimit", ValueSyntax::Word),
    ("Start Time", ValueSyntax::Date),
    ("Started", ValueSyntax::Date),
    (
        "State",
        ValueSyntax::OneOf(&["Terminated", "Waiting", "Running"]),
    ),
    (
        "Status",
        ValueSyntax::OneOf(&[
            "Pending",
            "Running",
            "Succeeded",
            "Failed",
            "Unknown",
            "Bound",
            "Lost",
            "Released",
            "Available",
        ]),
    ),
    ("StorageClass", ValueSyntax::Word),
    ("StrategyType", ValueSyntax::Word),
    ("System Info", ValueSyntax::Title),
    ("TargetPort", ValueSyntax::Path),
    ("TokenExpirationSeconds", ValueSyntax::Number),
    ("Tolerations", ValueSyntax::Any),
    (
        "Type",
        ValueSyntax::OneOf(&[
            "ClusterIP",
            "ExternalName",
            "LoadBalancer",
            "NodePort",
            "Opaque",
            "bootstrap.kubernetes.io/token",
            "helm.sh/release.v1",
            "kubernetes.io/basic-auth",
            "kubernetes.io/dockercfg",
            "kubernetes.io/dockerconfigjson",
            "kubernetes.io/service-account-token",
            "kubernetes.io/ssh-auth",
            "kubernetes.io/tls",
        ]),
    ),
    ("VolumeBindingMode", ValueSyntax::Word),
    ("VolumeMode", ValueSyntax::Word),
    ("Volumes", ValueSyntax::OneOf(&["", "<none>"])),
];

/// Lines without a colon: titles that follow an empty line, and notes in their place.
const TITLES: &[&str] = &[
    "BinaryData",
    "Data",
    "No LimitRange resource.",
    "No resource quota.",
    "Resource Limits",
    "Resource Quotas",
];

fn entry(line: &str) -> Entry<'_> {
    Entry::new(Line {
        text: line,
        start: 0,
        number: 1,
    })
}

/// Returns true if the line starts a describe: `Name:` and the name of one object.
pub(super) fn is_start(line: &str) -> bool {
    let entry = entry(line);
    entry.key_text() == "Name" && is_object_name(entry.value.text)
}

/// Returns true if the word can be the name of an object. Names of RBAC objects and custom kinds
/// may contain colons; redacted names contain `*`, `<` and the like.
pub(super) fn is_object_name(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 253
        && !word.contains(char::is_whitespace)
        && !word.ends_with([',', ';', '"', '{'])
        && !word.starts_with(['"', '\'', '{', '[', '('])
        && word.contains(char::is_alphanumeric)
}

/// Returns true if the line certainly belongs to a describe: a known key with a value of its syntax.
pub(super) fn is_field(line: &str) -> bool {
    if is_condition_row(line) {
        return true;
    }
    let entry = entry(line);
    let Some(key) = entry.key else {
        return TITLES.contains(&entry.value.text) || is_header_of_conditions(entry.value.text);
    };
    let Ok(at) = KEYS.binary_search_by(|(known, _)| (*known).cmp(key.text)) else {
        return false;
    };
    KEYS.get(at)
        .is_some_and(|(_, form)| form.fits(entry.value.text))
}

/// Returns true if the entry is a reason that only a container has.
pub(super) fn is_container_reason(entry: &Entry<'_>) -> bool {
    entry.key_text() == "Reason" && is_reason_of_container(entry.value.text)
}

/// Returns true if a word is a reason that only a container has.
pub(crate) fn is_reason_of_container(word: &str) -> bool {
    CONTAINER_REASONS.contains(&word)
}

/// Returns true if the line on its own states a condition: a reason that only a container has, or a condition's row.
pub(super) fn is_state(line: &str) -> bool {
    is_container_reason(&entry(line)) || is_condition_row(line)
}

/// Returns true if the line is the header of a Conditions table with times.
fn is_header_of_conditions(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("Type")
        && words.next() == Some("Status")
        && matches!(
            words.next(),
            Some("LastHeartbeatTime" | "LastProbeTime" | "LastTransitionTime")
        )
}

impl ValueSyntax {
    fn fits(self, value: &str) -> bool {
        let is_word = !value.contains(char::is_whitespace) && !value.ends_with(',');
        match self {
            ValueSyntax::Any => true,
            ValueSyntax::Title => value.is_empty(),
            ValueSyntax::Word => is_word && !value.starts_with(['"', '{', '[']),
            ValueSyntax::Path => {
                is_absent(value) || (is_word && value.contains(['/', ':', '.']) && value.len() > 2)
            }
            ValueSyntax::Number => !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()),
            ValueSyntax::Counts => value.contains(" desired | ") || value.contains(" current / "),
            ValueSyntax::Flag => matches!(value, "True" | "False"),
            ValueSyntax::Date => {
                let mut words = value.split_whitespace();
                is_absent(value)
                    || (words
                        .next()
                        .is_some_and(|day| day.len() == 4 && day.ends_with(','))
                        && words.count() >= 4)
            }
            ValueSyntax::Pair => {
                is_absent(value)
                    || (is_word && value.contains('=') && !value.starts_with(['"', '{']))
            }
            ValueSyntax::OneOf(words) => words.contains(&value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted() {
        assert!(KEYS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn starts() {
        for line in [
            "Name: web-0",
            "Name:             web-0",
            "  Name:  system:node",
            "Name:\tweb",
        ] {
            assert!(is_start(line), "{line}");
        }
        for line in [
            "name: web-0",
            "Name:",
            "Name: the pod that fails",
            "Name:web",
            "- Name: \"x\",",
            "NAME   READY",
        ] {
            assert!(!is_start(line), "{line}");
        }
    }

    #[test]
    fn certain_fields() {
        for line in [
            "Namespace:    shop",
            "Node:         <none>",
            "    Container ID:   ",
            "    Last State:     Terminated",
            "      Started:      Tue, 03 Feb 2026 10:00:00 +0100",
            "Tolerations:  node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
            "QoS Class: Burstable",
            "      Reason:       CrashLoopBackOff",
            "Containers:",
            "    Last Transition Time:  2024-03-04T05:06:07Z",
            "  Type    Status  LastHeartbeatTime   LastTransitionTime   Reason   Message",
        ] {
            assert!(is_field(line), "{line}");
        }
        for line in [
            "Note: the pod restarts",
            "namespace: shop",
            "Namespace: the one we use",
            "image: nginx",
            "State: it never gets ready",
            "Started: yesterday, after the upgrade",
            "Reason: the upgrade",
            "Reason: Evicted",
            "reason: CrashLoopBackOff",
            "Containers: two of them",
            "http://x/y",
            "",
            ":",
        ] {
            assert!(!is_field(line), "{line}");
        }
    }
}
