//! What a header tells: whether it is one, and of which kind.

/// The first columns of kubectl's tables.
const FIRST: &[&str] = &[
    "NAME",
    "NAMESPACE",
    "LAST SEEN",
    "TYPE",
    "KIND",
    "POD",
    "NODE",
];

/// Column names that kubectl prints, for headers that were squeezed to single blanks.
const KNOWN: &[&str] = &[
    "NAME",
    "NAMESPACE",
    "LAST SEEN",
    "FIRST SEEN",
    "TYPE",
    "KIND",
    "POD",
    "NODE",
    "READY",
    "STATUS",
    "RESTARTS",
    "AGE",
    "IP",
    "NOMINATED NODE",
    "READINESS GATES",
    "LABELS",
    "CLUSTER-IP",
    "EXTERNAL-IP",
    "INTERNAL-IP",
    "PORT(S)",
    "SELECTOR",
    "ENDPOINTS",
    "VOLUME",
    "CAPACITY",
    "ACCESS MODES",
    "ACCESSMODES",
    "STORAGECLASS",
    "VOLUMEATTRIBUTESCLASS",
    "VOLUMEMODE",
    "RECLAIM POLICY",
    "RECLAIMPOLICY",
    "CLAIM",
    "REASON",
    "PROVISIONER",
    "VOLUMEBINDINGMODE",
    "ALLOWVOLUMEEXPANSION",
    "ROLES",
    "VERSION",
    "OS-IMAGE",
    "KERNEL-VERSION",
    "CONTAINER-RUNTIME",
    "UP-TO-DATE",
    "AVAILABLE",
    "DESIRED",
    "CURRENT",
    "CONTAINERS",
    "IMAGES",
    "NODE SELECTOR",
    "NODE-SELECTOR",
    "COMPLETIONS",
    "SUCCESSFUL",
    "DURATION",
    "SCHEDULE",
    "TIMEZONE",
    "SUSPEND",
    "ACTIVE",
    "LAST SCHEDULE",
    "REFERENCE",
    "TARGETS",
    "MINPODS",
    "MAXPODS",
    "REPLICAS",
    "CLASS",
    "HOSTS",
    "ADDRESS",
    "PORTS",
    "CONTROLLER",
    "PARAMETERS",
    "DATA",
    "SECRETS",
    "REQUEST",
    "LIMIT",
    "CREATED AT",
    "MIN AVAILABLE",
    "MAX UNAVAILABLE",
    "ALLOWED DISRUPTIONS",
    "POD-SELECTOR",
    "VALUE",
    "GLOBAL-DEFAULT",
    "PREEMPTIONPOLICY",
    "ATTACHER",
    "PV",
    "ATTACHED",
    "DRIVERS",
    "HOLDER",
    "SERVICE",
    "WEBHOOKS",
    "ADDRESSTYPE",
    "ROLE",
    "PHASE",
    "PROGRESS",
    "MESSAGE",
    "STATE",
    "CPU(cores)",
    "CPU%",
    "MEMORY(bytes)",
    "MEMORY%",
    "HEALTH",
    "SYNC STATUS",
    "HEALTH STATUS",
    "READYTOUSE",
    "SOURCEPVC",
    "SIGNERNAME",
    "REQUESTOR",
    "CONDITION",
    "HANDLER",
];

/// Kinds with the columns that only they have together, the most telling first.
const KINDS: &[(&str, &[&str])] = &[
    ("DataVolume", &["PHASE", "PROGRESS", "RESTARTS"]),
    ("Pod", &["READY", "STATUS", "RESTARTS"]),
    ("Node", &["STATUS", "ROLES", "VERSION"]),
    ("Node", &["CPU(cores)", "CPU%"]),
    ("Pod", &["CPU(cores)", "MEMORY(bytes)"]),
    ("Service", &["CLUSTER-IP", "EXTERNAL-IP"]),
    ("EndpointSlice", &["ADDRESSTYPE", "ENDPOINTS"]),
    ("Endpoints", &["ENDPOINTS", "AGE"]),
    ("PersistentVolume", &["CLAIM", "CAPACITY"]),
    ("PersistentVolumeClaim", &["STATUS", "VOLUME", "CAPACITY"]),
    ("StorageClass", &["PROVISIONER"]),
    ("VolumeAttachment", &["ATTACHER", "ATTACHED"]),
    ("CSINode", &["DRIVERS", "AGE"]),
    ("DaemonSet", &["NODE SELECTOR", "DESIRED"]),
    ("DaemonSet", &["NODE-SELECTOR", "DESIRED"]),
    ("Deployment", &["UP-TO-DATE", "AVAILABLE"]),
    ("ReplicaSet", &["DESIRED", "CURRENT", "READY"]),
    ("Job", &["COMPLETIONS"]),
    ("CronJob", &["SCHEDULE", "SUSPEND"]),
    ("HorizontalPodAutoscaler", &["REFERENCE", "MINPODS"]),
    ("Ingress", &["HOSTS", "ADDRESS"]),
    ("IngressClass", &["CONTROLLER", "PARAMETERS"]),
    ("Secret", &["TYPE", "DATA"]),
    ("ConfigMap", &["DATA", "AGE"]),
    ("ServiceAccount", &["SECRETS", "AGE"]),
    ("ResourceQuota", &["REQUEST", "LIMIT"]),
    ("PodDisruptionBudget", &["ALLOWED DISRUPTIONS"]),
    ("NetworkPolicy", &["POD-SELECTOR"]),
    ("PriorityClass", &["GLOBAL-DEFAULT"]),
    ("Lease", &["HOLDER", "AGE"]),
    ("APIService", &["SERVICE", "AVAILABLE"]),
];

/// Tables whose columns are so few that only all of them together tell the kind.
const WHOLE: &[(&str, &[&str])] = &[
    ("StatefulSet", &["READY", "AGE"]),
    ("StatefulSet", &["READY", "AGE", "CONTAINERS", "IMAGES"]),
    ("Namespace", &["STATUS", "AGE"]),
];

/// Whether a table may begin with this column.
pub(super) fn is_first(column: &str) -> bool {
    FIRST.contains(&column)
}

pub(super) fn is_known_column(column: &str) -> bool {
    KNOWN.contains(&column)
}

/// The kind whose table has these columns.
pub(super) fn of_header(columns: &[&str]) -> Option<&'static str> {
    let has = |name: &&str| columns.contains(name);
    let own: Vec<&str> = columns
        .iter()
        .copied()
        .filter(|name| !matches!(*name, "NAMESPACE" | "NAME" | "LABELS"))
        .collect();
    let whole = WHOLE.iter().find(|(_, names)| *names == own.as_slice());
    whole
        .or_else(|| KINDS.iter().find(|(_, names)| names.iter().all(has)))
        .map(|(kind, _)| *kind)
}

/// Whether a word is one that kubectl prints as a pod's status: a phase, a reason of a state,
/// or these of an init container (`Init:0/1`, `Init:CrashLoopBackOff`).
pub(super) fn is_pod_status(word: &str) -> bool {
    let own = word.strip_prefix("Init:").unwrap_or(word);
    let is_code = |prefix: &str| {
        own.strip_prefix(prefix)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_reason = own.len() < 64
        && own.starts_with(|c: char| c.is_ascii_uppercase())
        && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_reason || is_code("ExitCode:") || is_code("Signal:") || super::fit::is_ratio(own)
}
