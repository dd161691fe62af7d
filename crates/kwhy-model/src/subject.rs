//! The object that an event or a finding is about.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// The object that an event is about: kind, namespace and name, and where known the container
/// in it and the node it runs on. What the input does not say is absent.
///
/// ```
/// use kwhy_model::Subject;
/// let pod = Subject::new("Pod", Some("shop"), "web-0");
/// assert_eq!(pod.to_string(), "Pod shop/web-0");
/// ```
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subject {
    /// The kind in its API spelling, such as `Pod`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The object's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The container inside the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The node that it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// The cluster-scoped kinds of the API server's own groups.
const CLUSTER_SCOPED: [&str; 19] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ComponentStatus",
    "CustomResourceDefinition",
    "GatewayClass",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
];

impl Subject {
    /// Returns a subject with a kind, namespace and name.
    pub fn new(kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Subject {
            kind: Some(kind.to_owned()),
            namespace: namespace.map(str::to_owned),
            name: Some(name.to_owned()),
            ..Subject::default()
        }
    }

    /// Returns true if nothing is known about the object.
    pub fn is_unknown(&self) -> bool {
        self.kind.is_none() && self.name.is_none() && self.namespace.is_none()
    }

    /// Fills in what is unknown from `other`. The name is copied only if the kinds agree.
    pub fn fill_from(&mut self, other: &Subject) {
        let same_object = match (&self.name, &other.name) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => true,
        };
        if self.name.is_none() && (self.kind.is_none() || self.kind == other.kind) {
            self.kind = self.kind.take().or_else(|| other.kind.clone());
            self.name = other.name.clone();
        }
        if self.namespace.is_none() {
            self.namespace = other.namespace.clone();
        }
        if same_object {
            self.container = self.container.take().or_else(|| other.container.clone());
            self.node = self.node.take().or_else(|| other.node.clone());
        }
    }

    /// Returns true if its kind is a cluster-scoped kind of the API.
    ///
    /// ```
    /// use kwhy_model::Subject;
    /// assert!(Subject::new("PersistentVolume", None, "tide-1").is_cluster_scoped());
    /// assert!(!Subject::new("Pod", None, "tide-1").is_cluster_scoped());
    /// ```
    pub fn is_cluster_scoped(&self) -> bool {
        self.kind.as_deref().is_some_and(Subject::is_of_cluster)
    }

    /// Returns true for a cluster-scoped kind of the API.
    pub fn is_of_cluster(kind: &str) -> bool {
        CLUSTER_SCOPED.contains(&kind)
    }

    /// Returns the API spelling of a kind as written by people and tables: `pod`, `pods`, `po`, `pvc`,
    /// `deployment.apps`. An unknown word is returned unchanged.
    pub fn kind_from_word(word: &str) -> String {
        Subject::known_kind(word).unwrap_or(word).to_owned()
    }

    /// Returns true if a word names a kind known to this crate.
    pub fn is_kind_word(word: &str) -> bool {
        Subject::known_kind(word).is_some()
    }

    /// Returns the kind named by a word, in its API spelling; `None` if unknown.
    pub fn known_kind(word: &str) -> Option<&'static str> {
        let plain = word.split('.').next().unwrap_or(word).as_bytes();
        let words = &*WORDS;
        // called for the name of each value of each record; the length and first letter rule out most words
        let first = plain.first()?.to_ascii_lowercase().wrapping_sub(b'a');
        let lengths = words.lengths.get(usize::from(first))?;
        if plain.len() >= LONGEST || lengths & (1 << plain.len()) == 0 {
            return None;
        }
        let mut lower = [0; LONGEST];
        let lower = lower.get_mut(..plain.len())?;
        lower.copy_from_slice(plain);
        lower.make_ascii_lowercase();
        words.kinds.get(std::str::from_utf8(lower).ok()?).copied()
    }
}

/// An exclusive upper bound on the length of the words in [`KINDS`].
const LONGEST: usize = 40;

/// All words of [`KINDS`] in lower case.
struct KindWords {
    kinds: HashMap<String, &'static str>,
    /// For each first letter, a bit set of the lengths of the words that start with it.
    lengths: [u64; 26],
}

static WORDS: LazyLock<KindWords> = LazyLock::new(|| {
    let of_kind = |(kind, words): &(&'static str, &[&'static str])| {
        let own = std::iter::once(*kind).chain(words.iter().copied());
        let kind = *kind;
        own.map(move |word| (word.to_ascii_lowercase(), kind))
            .collect::<Vec<_>>()
    };
    // the first kind wins if a word names several
    let kinds: HashMap<_, _> = KINDS.iter().rev().flat_map(of_kind).collect();
    let mut lengths = [0; 26];
    for word in kinds.keys() {
        let first = word
            .as_bytes()
            .first()
            .map(|first| first.wrapping_sub(b'a'));
        if let Some(lengths) = first.and_then(|first| lengths.get_mut(usize::from(first))) {
            *lengths |= 1 << word.len().min(LONGEST);
        }
    }
    KindWords { kinds, lengths }
});

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut wrote = false;
        if let Some(kind) = &self.kind {
            f.write_str(kind)?;
            wrote = true;
        }
        match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => {
                write!(f, "{}{namespace}/{name}", if wrote { " " } else { "" })
            }
            (None, Some(name)) => write!(f, "{}{name}", if wrote { " " } else { "" }),
            (Some(namespace), None) => {
                write!(
                    f,
                    "{}in namespace {namespace}",
                    if wrote { " " } else { "" }
                )
            }
            (None, None) => Ok(()),
        }
    }
}

/// Kinds with the words that kubectl accepts for them (plurals and short names).
const KINDS: &[(&str, &[&str])] = &[
    ("Pod", &["pods", "po"]),
    ("Node", &["nodes", "no"]),
    ("Service", &["services", "svc"]),
    ("Endpoints", &["endpoint", "ep"]),
    ("EndpointSlice", &["endpointslices"]),
    ("Ingress", &["ingresses", "ing"]),
    ("IngressClass", &["ingressclasses"]),
    ("GatewayClass", &["gatewayclasses"]),
    ("HTTPRoute", &["httproutes"]),
    ("ReferenceGrant", &["referencegrants"]),
    ("Deployment", &["deployments", "deploy"]),
    ("ReplicaSet", &["replicasets", "rs"]),
    ("ReplicationController", &["replicationcontrollers", "rc"]),
    ("StatefulSet", &["statefulsets", "sts"]),
    ("DaemonSet", &["daemonsets", "ds"]),
    ("Job", &["jobs"]),
    ("CronJob", &["cronjobs", "cj"]),
    ("PersistentVolumeClaim", &["persistentvolumeclaims", "pvc"]),
    ("PersistentVolume", &["persistentvolumes", "pv"]),
    ("StorageClass", &["storageclasses", "sc"]),
    ("VolumeAttachment", &["volumeattachments"]),
    ("ConfigMap", &["configmaps", "cm"]),
    ("Secret", &["secrets"]),
    ("ServiceAccount", &["serviceaccounts", "sa"]),
    ("Namespace", &["namespaces", "ns"]),
    ("ResourceQuota", &["resourcequotas", "quota"]),
    ("LimitRange", &["limitranges", "limits"]),
    (
        "HorizontalPodAutoscaler",
        &["horizontalpodautoscalers", "hpa"],
    ),
    ("PodDisruptionBudget", &["poddisruptionbudgets", "pdb"]),
    ("NetworkPolicy", &["networkpolicies", "netpol"]),
    ("Event", &["events", "ev"]),
    (
        "CustomResourceDefinition",
        &["customresourcedefinitions", "crd", "crds"],
    ),
    ("DataVolume", &["datavolumes", "dv"]),
    ("CephCluster", &["cephclusters"]),
    ("PriorityClass", &["priorityclasses", "pc"]),
    ("CSINode", &["csinodes"]),
    ("Lease", &["leases"]),
    ("APIService", &["apiservices"]),
    ("Role", &["roles"]),
    ("ClusterRole", &["clusterroles"]),
    ("RoleBinding", &["rolebindings"]),
    ("ClusterRoleBinding", &["clusterrolebindings"]),
    (
        "MutatingWebhookConfiguration",
        &["mutatingwebhookconfigurations"],
    ),
    (
        "ValidatingWebhookConfiguration",
        &["validatingwebhookconfigurations"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_kinds() {
        assert_eq!(Subject::kind_from_word("pods"), "Pod");
        assert_eq!(Subject::kind_from_word("deployment.apps"), "Deployment");
        assert_eq!(Subject::kind_from_word("PVC"), "PersistentVolumeClaim");
        assert_eq!(Subject::kind_from_word("kafkatopics"), "kafkatopics");
    }

    #[test]
    fn filling_never_mixes_objects() {
        let mut replica_set = Subject::new("ReplicaSet", None, "web-5d9");
        let mut pod = Subject::new("Pod", Some("shop"), "web-5d9-x");
        pod.node = Some("node-1".into());
        replica_set.fill_from(&pod);
        assert_eq!(replica_set.to_string(), "ReplicaSet shop/web-5d9");
        assert_eq!(replica_set.node, None);
    }
}
