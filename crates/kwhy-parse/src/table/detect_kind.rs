//! Detection of table headers and of the kind they list.

/// The first columns of kubectl's tables.
const FIRST_COLUMNS: &[&str] = &[
    "NAME",
    "NAMESPACE",
    "LAST SEEN",
    "TYPE",
    "KIND",
    "POD",
    "NODE",
    "CONTAINER ID",
    "POD ID",
];

/// First columns accepted only if the whole header identifies a kind: other programs print them
/// too.
const FIRST_IF_KIND_KNOWN: &[&str] = &[
    "CONTAINER",
    "IMAGE",
    "REPOSITORY",
    "REVISION",
    "CURRENT",
    "CLUSTER",
];

/// First columns of a table that lost its names, accepted if the others certainly identify a kind.
const FIRST_WITHOUT_NAMES: &[&str] = &["READY", "STATUS"];

/// Kinds with a set of columns unique to them, most specific first.
const KINDS: &[(&str, &[&str])] = &[
    ("DataVolume", &["PHASE", "PROGRESS", "RESTARTS"]),
    ("Pod", &["READY", "STATUS", "RESTARTS"]),
    ("Pod", &["STATUS", "RESTARTS", "AGE"]),
    ("Pod", &["POD ID", "STATE", "RUNTIME"]),
    ("Pod", &["POD ID", "CREATED", "STATE", "NAMESPACE"]),
    ("Container", &["CONTAINER ID", "IMAGE"]),
    ("Container", &["CONTAINER", "IMAGE", "STATE"]),
    ("Image", &["IMAGE", "TAG", "IMAGE ID"]),
    ("Image", &["REPOSITORY", "TAG", "IMAGE ID"]),
    ("Release", &["REVISION", "UPDATED", "CHART"]),
    ("APIResource", &["NAMESPACED", "KIND"]),
    ("Context", &["CURRENT", "NAME", "CLUSTER"]),
    ("ComponentStatus", &["STATUS", "MESSAGE", "ERROR"]),
    ("Node", &["STATUS", "ROLES", "VERSION"]),
    ("Node", &["STATUS", "KERNEL-VERSION", "KUBELET-VERSION"]),
    ("Node", &["CPU(cores)", "CPU%"]),
    ("Node", &["CPU(cores)", "CPU(%)"]),
    ("Pod", &["CPU(cores)", "MEMORY(bytes)"]),
    ("Service", &["CLUSTER-IP", "EXTERNAL-IP"]),
    ("EndpointSlice", &["ADDRESSTYPE", "ENDPOINTS"]),
    ("Endpoints", &["ENDPOINTS", "AGE"]),
    ("PersistentVolume", &["CLAIM", "CAPACITY"]),
    ("PersistentVolumeClaim", &["STATUS", "VOLUME", "CAPACITY"]),
    ("StorageClass", &["PROVISIONER"]),
    ("VolumeAttachment", &["ATTACHER", "ATTACHED"]),
    ("CSINode", &["DRIVERS", "AGE"]),
    ("CSIDriver", &["ATTACHREQUIRED"]),
    ("DaemonSet", &["NODE SELECTOR", "DESIRED"]),
    ("DaemonSet", &["NODE-SELECTOR", "DESIRED"]),
    ("Deployment", &["UP-TO-DATE", "AVAILABLE"]),
    ("DeploymentConfig", &["DESIRED", "CURRENT", "TRIGGERED BY"]),
    ("ReplicaSet", &["DESIRED", "CURRENT", "READY"]),
    ("Job", &["COMPLETIONS"]),
    ("Job", &["DESIRED", "SUCCESSFUL"]),
    ("CronJob", &["SCHEDULE", "SUSPEND"]),
    ("HorizontalPodAutoscaler", &["REFERENCE", "MINPODS"]),
    ("Route", &["HOST/PORT", "SERVICES"]),
    ("Ingress", &["HOSTS", "ADDRESS"]),
    ("IngressClass", &["CONTROLLER", "PARAMETERS"]),
    ("ControllerRevision", &["CONTROLLER", "REVISION"]),
    ("Secret", &["TYPE", "DATA"]),
    ("ConfigMap", &["DATA", "AGE"]),
    ("ServiceAccount", &["SECRETS", "AGE"]),
    ("ResourceQuota", &["REQUEST", "LIMIT"]),
    ("PodDisruptionBudget", &["ALLOWED DISRUPTIONS"]),
    ("NetworkPolicy", &["POD-SELECTOR"]),
    ("PriorityClass", &["GLOBAL-DEFAULT"]),
    ("CertificateSigningRequest", &["SIGNERNAME", "REQUESTOR"]),
    ("Lease", &["HOLDER", "AGE"]),
    ("APIService", &["SERVICE", "AVAILABLE"]),
    ("ClusterOperator", &["AVAILABLE", "PROGRESSING", "DEGRADED"]),
    ("CephCluster", &["DATADIRHOSTPATH", "MONCOUNT"]),
];

/// Tables with so few columns that only the complete set identifies the kind.
const EXACT: &[(&str, &[&str])] = &[
    ("StatefulSet", &["READY", "AGE"]),
    ("StatefulSet", &["READY", "AGE", "CONTAINERS", "IMAGES"]),
    ("StatefulSet", &["DESIRED", "CURRENT", "AGE"]),
    (
        "StatefulSet",
        &["DESIRED", "CURRENT", "AGE", "CONTAINERS", "IMAGES"],
    ),
    ("Namespace", &["STATUS", "AGE"]),
    // Kubernetes 1.6 and 1.7
    ("Node", &["STATUS", "AGE", "VERSION"]),
    (
        "Node",
        &[
            "STATUS",
            "AGE",
            "VERSION",
            "EXTERNAL-IP",
            "OS-IMAGE",
            "KERNEL-VERSION",
        ],
    ),
    ("CustomResourceDefinition", &["CREATED AT"]),
];

/// Returns true if a table may start with this column.
pub(super) fn is_first(column: &str) -> bool {
    FIRST_COLUMNS.contains(&column)
}

/// Returns true if a table may start with this column, provided that its header identifies a kind.
pub(super) fn is_first_if_kind_known(column: &str) -> bool {
    FIRST_IF_KIND_KNOWN.contains(&column)
}

/// Returns true if a table without the names of its objects may start with this column.
pub(super) fn is_first_without_names(column: &str) -> bool {
    FIRST_WITHOUT_NAMES.contains(&column)
}

/// Returns true if the first column of some table starts with this word.
pub(super) fn may_be_first(word: &str) -> bool {
    let columns = (FIRST_COLUMNS.iter())
        .chain(FIRST_IF_KIND_KNOWN)
        .chain(FIRST_WITHOUT_NAMES);
    let mut words = columns.filter_map(|column| column.split(' ').next());
    words.any(|known| known == word)
}

/// Returns the kind whose table has these columns.
pub(super) fn of_header(columns: &[&str]) -> Option<&'static str> {
    let has = |name: &&str| columns.contains(name);
    let own: Vec<&str> = columns
        .iter()
        .copied()
        .filter(|name| !matches!(*name, "NAMESPACE" | "NAME" | "LABELS"))
        .collect();
    let whole = EXACT.iter().find(|(_, names)| *names == own.as_slice());
    whole
        .or_else(|| KINDS.iter().find(|(_, names)| names.iter().all(has)))
        .map(|(kind, _)| *kind)
}

/// Returns the kind of a row with this status if it differs from that of the header: before 1.6, kubectl printed the
/// same columns for nodes as for namespaces.
pub(super) fn of_status(kind: Option<&str>, status: &str) -> Option<&'static str> {
    let is_of_node = matches!(
        status.split(',').next(),
        Some("Ready" | "NotReady" | "Unknown")
    );
    (kind == Some("Namespace") && is_of_node).then_some("Node")
}

/// Returns true if the kind is identified by so few columns that other kinds print them too, in old
/// releases or as custom columns.
pub(crate) fn is_ambiguous(kind: &str) -> bool {
    EXACT.iter().any(|(known, _)| *known == kind)
}

/// Returns true if kubectl prints the word as a pod's status: a phase, the reason of a state, or
/// either for an init container (`Init:0/1`, `Init:CrashLoopBackOff`).
pub(super) fn is_pod_status(word: &str) -> bool {
    let own = word.strip_prefix("Init:").unwrap_or(word);
    let is_code = |prefix: &str| {
        own.strip_prefix(prefix)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_reason = own.len() < 64
        && own.starts_with(|c: char| c.is_ascii_uppercase())
        && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_reason || is_code("ExitCode:") || is_code("Signal:") || super::align::is_ratio(own)
}
