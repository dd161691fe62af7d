//! The column names that kubectl and similar tools print, the values each accepts, and the fields
//! they become.
//!
//! Sources: kubernetes/kubernetes `pkg/printers/internalversion/printers.go` up to 1.36,
//! kubernetes/kubectl `pkg/metricsutil`, `pkg/cmd/apiresources`; cri-tools `cmd/crictl`;
//! docker/cli `cli/command/formatter`; containerd/nerdctl; helm `cmd/helm`; derailed/k9s
//! `internal/render`; openshift/oc.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::align::ColumnType;

/// The conversion of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    /// The text as printed.
    Text,
    /// An integer, if it parses as one.
    Integer,
    /// Seconds, with `_s` appended to the name, if it parses as an age.
    Age,
    /// `2 (3d23h ago)`.
    Restarts,
    /// `a=b,c=d`.
    Labels,
    /// docker's `3 hours ago`: seconds, with `_age_s` appended to the name.
    Ago,
    /// docker's `Exited (137) 3 hours ago`.
    ContainerState,
}

/// A known column.
pub(super) struct KnownColumn {
    pub name: &'static str,
    /// The field's name, if it differs from the column's name in snake case.
    key: &'static str,
    pub column_type: ColumnType,
    pub conversion: Conversion,
}

const fn column(
    name: &'static str,
    column_type: ColumnType,
    conversion: Conversion,
) -> KnownColumn {
    KnownColumn {
        name,
        key: "",
        column_type,
        conversion,
    }
}

const fn word(name: &'static str) -> KnownColumn {
    column(name, ColumnType::Word, Conversion::Text)
}

const fn words(name: &'static str) -> KnownColumn {
    column(name, ColumnType::Words, Conversion::Text)
}

const fn count(name: &'static str) -> KnownColumn {
    column(name, ColumnType::Count, Conversion::Integer)
}

const fn age(name: &'static str) -> KnownColumn {
    column(name, ColumnType::Age, Conversion::Age)
}

const fn quantity(name: &'static str, key: &'static str) -> KnownColumn {
    KnownColumn {
        key,
        ..column(name, ColumnType::Usage, Conversion::Text)
    }
}

impl KnownColumn {
    const fn key(self, key: &'static str) -> KnownColumn {
        KnownColumn { key, ..self }
    }
}

const KNOWN: &[KnownColumn] = &[
    column("NAME", ColumnType::Name, Conversion::Text),
    column("NAMESPACE", ColumnType::Name, Conversion::Text),
    age("AGE"),
    age("LAST SEEN"),
    age("FIRST SEEN"),
    age("DURATION"),
    age("SINCE"),
    age("UPTIME"),
    age("LAST SCHEDULE").key("last_schedule_age"),
    age("LASTSCHEDULE").key("last_schedule_age"),
    age("REQUESTEDDURATION").key("requested_duration"),
    word("TYPE"),
    word("KIND"),
    word("POD"),
    word("NODE"),
    column("READY", ColumnType::Ratio, Conversion::Integer),
    word("STATUS"),
    column("RESTARTS", ColumnType::Restarts, Conversion::Restarts),
    column("IP", ColumnType::Address, Conversion::Text),
    word("NOMINATED NODE"),
    word("READINESS GATES"),
    column("LABELS", ColumnType::Word, Conversion::Labels),
    column("CLUSTER-IP", ColumnType::Address, Conversion::Text),
    column("EXTERNAL-IP", ColumnType::Address, Conversion::Text),
    column("INTERNAL-IP", ColumnType::Address, Conversion::Text),
    word("PORT(S)").key("ports"),
    words("SELECTOR"),
    words("ENDPOINTS"),
    column("VOLUME", ColumnType::Volume, Conversion::Text),
    column("CAPACITY", ColumnType::Capacity, Conversion::Text),
    column("ACCESS MODES", ColumnType::AccessModes, Conversion::Text),
    column("ACCESSMODES", ColumnType::AccessModes, Conversion::Text).key("access_modes"),
    column("STORAGECLASS", ColumnType::Class, Conversion::Text).key("storage_class"),
    column(
        "VOLUMEATTRIBUTESCLASS",
        ColumnType::AttributesClass,
        Conversion::Text,
    )
    .key("volume_attributes_class"),
    word("VOLUMEMODE").key("volume_mode"),
    word("RECLAIM POLICY"),
    word("RECLAIMPOLICY").key("reclaim_policy"),
    column("CLAIM", ColumnType::Claim, Conversion::Text),
    words("REASON"),
    word("PROVISIONER"),
    word("VOLUMEBINDINGMODE").key("volume_binding_mode"),
    word("ALLOWVOLUMEEXPANSION").key("allow_volume_expansion"),
    word("VOLUMESNAPSHOTCLASS").key("volume_snapshot_class"),
    word("ROLES"),
    word("VERSION"),
    words("OS-IMAGE"),
    word("KERNEL-VERSION"),
    word("CONTAINER-RUNTIME"),
    count("UP-TO-DATE"),
    column("AVAILABLE", ColumnType::Count, Conversion::Integer),
    count("DESIRED"),
    count("CURRENT"),
    count("SUCCESSFUL"),
    word("CONTAINERS"),
    word("IMAGES"),
    words("NODE SELECTOR"),
    words("NODE-SELECTOR"),
    column("COMPLETIONS", ColumnType::Ratio, Conversion::Text),
    words("SCHEDULE"),
    word("TIMEZONE"),
    word("SUSPEND"),
    count("ACTIVE"),
    word("REFERENCE"),
    words("TARGETS"),
    count("MINPODS").key("min_pods"),
    count("MAXPODS").key("max_pods"),
    count("REPLICAS"),
    word("CLASS"),
    word("HOSTS"),
    column("ADDRESS", ColumnType::Optional, Conversion::Text),
    words("PORTS"),
    word("CONTROLLER"),
    word("PARAMETERS"),
    count("DATA"),
    count("SECRETS"),
    words("REQUEST"),
    words("LIMIT"),
    word("CREATED AT"),
    word("MIN AVAILABLE"),
    word("MAX UNAVAILABLE"),
    count("ALLOWED DISRUPTIONS"),
    words("POD-SELECTOR"),
    word("POD LABELS"),
    word("VALUE"),
    word("GLOBAL-DEFAULT"),
    word("PREEMPTIONPOLICY").key("preemption_policy"),
    word("ATTACHER"),
    word("PV"),
    word("ATTACHED"),
    word("ATTACHREQUIRED").key("attach_required"),
    word("PODINFOONMOUNT").key("pod_info_on_mount"),
    word("STORAGECAPACITY").key("storage_capacity"),
    word("TOKENREQUESTS").key("token_requests"),
    word("REQUIRESREPUBLISH").key("requires_republish"),
    word("MODES"),
    count("DRIVERS"),
    word("HOLDER"),
    word("SERVICE"),
    count("WEBHOOKS"),
    word("ADDRESSTYPE").key("address_type"),
    word("ROLE"),
    word("USERS"),
    word("GROUPS"),
    word("SERVICEACCOUNTS").key("service_accounts"),
    word("PHASE"),
    column("PROGRESS", ColumnType::Optional, Conversion::Text),
    words("MESSAGE"),
    words("MSG").key("message"),
    words("ERROR"),
    word("STATE"),
    quantity("CPU(cores)", "cpu"),
    quantity("CPU%", "cpu_percent"),
    quantity("CPU(%)", "cpu_percent"),
    quantity("MEMORY(bytes)", "memory"),
    quantity("MEMORY%", "memory_percent"),
    quantity("MEMORY(%)", "memory_percent"),
    word("HEALTH"),
    word("SYNC STATUS"),
    word("HEALTH STATUS"),
    word("READYTOUSE").key("ready_to_use"),
    word("SOURCEPVC").key("source_pvc"),
    word("RESTORESIZE").key("restore_size"),
    word("SNAPSHOTCONTENT").key("snapshot_content"),
    age("CREATIONTIME").key("creation_time"),
    word("SIGNERNAME").key("signer_name"),
    word("REQUESTOR"),
    word("CONDITION"),
    word("HANDLER"),
    // events, listed to distinguish their header from other tables
    word("OBJECT"),
    word("SUBOBJECT"),
    word("FROM"),
    word("SOURCE"),
    count("COUNT"),
    // container runtimes
    column("CONTAINER", ColumnType::Identifier, Conversion::Text).key("container_id"),
    column("CONTAINER ID", ColumnType::Identifier, Conversion::Text),
    column("POD ID", ColumnType::Identifier, Conversion::Text),
    column("IMAGE ID", ColumnType::Identifier, Conversion::Text),
    word("IMAGE"),
    word("TAG"),
    words("SIZE"),
    words("BLOB SIZE"),
    word("PLATFORM"),
    word("REPOSITORY"),
    column("COMMAND", ColumnType::Quoted, Conversion::Text),
    column("CREATED", ColumnType::Ago, Conversion::Ago),
    column("NAMES", ColumnType::Word, Conversion::Text),
    count("ATTEMPT"),
    word("RUNTIME"),
    // helm
    count("REVISION"),
    column("UPDATED", ColumnType::Timestamp, Conversion::Text),
    word("CHART"),
    column("APP VERSION", ColumnType::Optional, Conversion::Text),
    words("DESCRIPTION"),
    // kubectl api-resources
    column("SHORTNAMES", ColumnType::Optional, Conversion::Text).key("short_names"),
    column("APIVERSION", ColumnType::ApiVersion, Conversion::Text).key("api_version"),
    column("NAMESPACED", ColumnType::Flag, Conversion::Text),
    word("VERBS"),
    column("CATEGORIES", ColumnType::Optional, Conversion::Text),
    // k9s
    word("PF"),
    word("CPU"),
    word("MEM"),
    word("%CPU/R").key("cpu_request_percent"),
    word("%CPU/L").key("cpu_limit_percent"),
    word("%MEM/R").key("memory_request_percent"),
    word("%MEM/L").key("memory_limit_percent"),
    // oc
    word("HOST/PORT"),
    column("PATH", ColumnType::Optional, Conversion::Text),
    word("SERVICES"),
    word("TERMINATION"),
    word("WILDCARD"),
    words("DISPLAY NAME"),
    word("IMAGE REPOSITORY"),
    word("TAGS"),
    word("TRIGGERED BY"),
    word("PROGRESSING"),
    word("DEGRADED"),
    // custom resources of Rook
    word("DATADIRHOSTPATH").key("data_dir_host_path"),
    count("MONCOUNT").key("mon_count"),
];

/// Columns with a different content in the tables of one kind.
const OF_KIND: &[(&str, KnownColumn)] = &[
    (
        "APIResource",
        column("KIND", ColumnType::Kind, Conversion::Text),
    ),
    (
        "Container",
        column(
            "STATUS",
            ColumnType::ContainerState,
            Conversion::ContainerState,
        ),
    ),
    (
        "Container",
        column("PORTS", ColumnType::OptionalWords, Conversion::Text),
    ),
    ("APIService", words("AVAILABLE")),
    ("EndpointSlice", word("PORTS")),
    ("ClusterOperator", word("AVAILABLE")),
    (
        "Job",
        column("STATUS", ColumnType::Optional, Conversion::Text),
    ),
    (
        "Route",
        column("PORT", ColumnType::Optional, Conversion::Text),
    ),
];

/// Returns true if kubectl or a similar tool prints a column of this name.
pub(super) fn is_known(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '%')
        && KNOWN.iter().any(|known| known.name == name)
}

/// Returns the known column of that name in a kind's table.
pub(super) fn find(kind: Option<&str>, name: &str) -> Option<&'static KnownColumn> {
    OF_KIND
        .iter()
        .filter(|(of, _)| Some(*of) == kind)
        .map(|(_, column)| column)
        .chain(KNOWN)
        .find(|known| known.name == name)
}

/// Returns the field name of a column: `NOMINATED NODE` is `nominated_node`, `PORT(S)` is `ports`.
pub(super) fn key(kind: Option<&str>, name: &str) -> Cow<'static, str> {
    /// The keys of the known columns, computed once.
    static KEYS: LazyLock<Vec<String>> =
        LazyLock::new(|| KNOWN.iter().map(|known| key_of(known.name)).collect());
    if let Some(known) = find(kind, name).filter(|known| !known.key.is_empty()) {
        return Cow::Borrowed(known.key);
    }
    let known = KNOWN.iter().position(|known| known.name == name);
    match known.and_then(|number| KEYS.get(number)) {
        Some(key) => Cow::Borrowed(key),
        None => Cow::Owned(key_of(name)),
    }
}

/// Derives the key from a column's name.
fn key_of(name: &str) -> String {
    let plain = name.split('(').next().unwrap_or(name);
    let mut key = String::with_capacity(plain.len() + 8);
    for c in plain.chars() {
        match c {
            '%' => key.push_str("_percent"),
            '?' => {}
            _ if c.is_alphanumeric() => key.extend(c.to_lowercase()),
            _ => key.push('_'),
        }
    }
    let trimmed = key.trim_matches('_');
    if trimmed.len() < key.len() {
        trimmed.to_owned()
    } else {
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for (name, wanted) in [
            ("NOMINATED NODE", "nominated_node"),
            ("PORT(S)", "ports"),
            ("CPU%", "cpu_percent"),
            ("%CPU/R", "cpu_request_percent"),
            ("PAUSED?", "paused"),
            ("OWNER TEAM", "owner_team"),
            ("UP-TO-DATE", "up_to_date"),
        ] {
            assert_eq!(key(None, name), wanted);
        }
        assert_eq!(key(Some("ConfigMap"), "STORAGECLASS"), "storage_class");
    }

    #[test]
    fn names_are_unique() {
        for (index, known) in KNOWN.iter().enumerate() {
            assert!(
                KNOWN[..index].iter().all(|other| other.name != known.name),
                "{}",
                known.name
            );
        }
    }
}
