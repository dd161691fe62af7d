//! The column names that kubectl and similar tools print, the values each accepts, and the fields
//! they become.
//!
//! Sources: kubernetes/kubernetes `pkg/printers/internalversion/printers.go` up to 1.36,
//! kubernetes/kubectl `pkg/metricsutil`, `pkg/cmd/apiresources`; cri-tools `cmd/crictl`;
//! docker/cli `cli/command/formatter`; containerd/nerdctl; helm `cmd/helm`; derailed/k9s
//! `internal/render`; openshift/oc.

use super::fit::Shape;

/// The conversion of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Becomes {
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
pub(super) struct Name {
    pub name: &'static str,
    /// The field's name, if it differs from the column's name in snake case.
    key: &'static str,
    pub shape: Shape,
    pub becomes: Becomes,
}

const fn column(name: &'static str, shape: Shape, becomes: Becomes) -> Name {
    Name {
        name,
        key: "",
        shape,
        becomes,
    }
}

const fn word(name: &'static str) -> Name {
    column(name, Shape::Word, Becomes::Text)
}

const fn words(name: &'static str) -> Name {
    column(name, Shape::Words, Becomes::Text)
}

const fn count(name: &'static str) -> Name {
    column(name, Shape::Count, Becomes::Integer)
}

const fn age(name: &'static str) -> Name {
    column(name, Shape::Age, Becomes::Age)
}

const fn quantity(name: &'static str, key: &'static str) -> Name {
    Name {
        key,
        ..column(name, Shape::Usage, Becomes::Text)
    }
}

impl Name {
    const fn of(self, key: &'static str) -> Name {
        Name { key, ..self }
    }
}

const KNOWN: &[Name] = &[
    column("NAME", Shape::Name, Becomes::Text),
    column("NAMESPACE", Shape::Name, Becomes::Text),
    age("AGE"),
    age("LAST SEEN"),
    age("FIRST SEEN"),
    age("DURATION"),
    age("SINCE"),
    age("UPTIME"),
    age("LAST SCHEDULE").of("last_schedule_age"),
    age("LASTSCHEDULE").of("last_schedule_age"),
    age("REQUESTEDDURATION").of("requested_duration"),
    word("TYPE"),
    word("KIND"),
    word("POD"),
    word("NODE"),
    column("READY", Shape::Ratio, Becomes::Integer),
    word("STATUS"),
    column("RESTARTS", Shape::Restarts, Becomes::Restarts),
    column("IP", Shape::Address, Becomes::Text),
    word("NOMINATED NODE"),
    word("READINESS GATES"),
    column("LABELS", Shape::Word, Becomes::Labels),
    column("CLUSTER-IP", Shape::Address, Becomes::Text),
    column("EXTERNAL-IP", Shape::Address, Becomes::Text),
    column("INTERNAL-IP", Shape::Address, Becomes::Text),
    word("PORT(S)").of("ports"),
    words("SELECTOR"),
    words("ENDPOINTS"),
    column("VOLUME", Shape::Volume, Becomes::Text),
    column("CAPACITY", Shape::Capacity, Becomes::Text),
    column("ACCESS MODES", Shape::AccessModes, Becomes::Text),
    column("ACCESSMODES", Shape::AccessModes, Becomes::Text).of("access_modes"),
    column("STORAGECLASS", Shape::Class, Becomes::Text).of("storage_class"),
    column(
        "VOLUMEATTRIBUTESCLASS",
        Shape::AttributesClass,
        Becomes::Text,
    )
    .of("volume_attributes_class"),
    word("VOLUMEMODE").of("volume_mode"),
    word("RECLAIM POLICY"),
    word("RECLAIMPOLICY").of("reclaim_policy"),
    column("CLAIM", Shape::Claim, Becomes::Text),
    words("REASON"),
    word("PROVISIONER"),
    word("VOLUMEBINDINGMODE").of("volume_binding_mode"),
    word("ALLOWVOLUMEEXPANSION").of("allow_volume_expansion"),
    word("VOLUMESNAPSHOTCLASS").of("volume_snapshot_class"),
    word("ROLES"),
    word("VERSION"),
    words("OS-IMAGE"),
    word("KERNEL-VERSION"),
    word("CONTAINER-RUNTIME"),
    count("UP-TO-DATE"),
    column("AVAILABLE", Shape::Count, Becomes::Integer),
    count("DESIRED"),
    count("CURRENT"),
    count("SUCCESSFUL"),
    word("CONTAINERS"),
    word("IMAGES"),
    words("NODE SELECTOR"),
    words("NODE-SELECTOR"),
    column("COMPLETIONS", Shape::Ratio, Becomes::Text),
    words("SCHEDULE"),
    word("TIMEZONE"),
    word("SUSPEND"),
    count("ACTIVE"),
    word("REFERENCE"),
    words("TARGETS"),
    count("MINPODS").of("min_pods"),
    count("MAXPODS").of("max_pods"),
    count("REPLICAS"),
    word("CLASS"),
    word("HOSTS"),
    column("ADDRESS", Shape::Optional, Becomes::Text),
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
    word("PREEMPTIONPOLICY").of("preemption_policy"),
    word("ATTACHER"),
    word("PV"),
    word("ATTACHED"),
    word("ATTACHREQUIRED").of("attach_required"),
    word("PODINFOONMOUNT").of("pod_info_on_mount"),
    word("STORAGECAPACITY").of("storage_capacity"),
    word("TOKENREQUESTS").of("token_requests"),
    word("REQUIRESREPUBLISH").of("requires_republish"),
    word("MODES"),
    count("DRIVERS"),
    word("HOLDER"),
    word("SERVICE"),
    count("WEBHOOKS"),
    word("ADDRESSTYPE").of("address_type"),
    word("ROLE"),
    word("USERS"),
    word("GROUPS"),
    word("SERVICEACCOUNTS").of("service_accounts"),
    word("PHASE"),
    column("PROGRESS", Shape::Optional, Becomes::Text),
    words("MESSAGE"),
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
    word("READYTOUSE").of("ready_to_use"),
    word("SOURCEPVC").of("source_pvc"),
    word("RESTORESIZE").of("restore_size"),
    word("SNAPSHOTCONTENT").of("snapshot_content"),
    age("CREATIONTIME").of("creation_time"),
    word("SIGNERNAME").of("signer_name"),
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
    column("CONTAINER", Shape::Identifier, Becomes::Text).of("container_id"),
    column("CONTAINER ID", Shape::Identifier, Becomes::Text),
    column("POD ID", Shape::Identifier, Becomes::Text),
    column("IMAGE ID", Shape::Identifier, Becomes::Text),
    word("IMAGE"),
    word("TAG"),
    words("SIZE"),
    words("BLOB SIZE"),
    word("PLATFORM"),
    word("REPOSITORY"),
    column("COMMAND", Shape::Quoted, Becomes::Text),
    column("CREATED", Shape::Ago, Becomes::Ago),
    column("NAMES", Shape::Word, Becomes::Text),
    count("ATTEMPT"),
    word("RUNTIME"),
    // helm
    count("REVISION"),
    column("UPDATED", Shape::Moment, Becomes::Text),
    word("CHART"),
    column("APP VERSION", Shape::Optional, Becomes::Text),
    words("DESCRIPTION"),
    // kubectl api-resources
    column("SHORTNAMES", Shape::Optional, Becomes::Text).of("short_names"),
    column("APIVERSION", Shape::ApiVersion, Becomes::Text).of("api_version"),
    column("NAMESPACED", Shape::Flag, Becomes::Text),
    word("VERBS"),
    column("CATEGORIES", Shape::Optional, Becomes::Text),
    // k9s
    word("PF"),
    word("CPU"),
    word("MEM"),
    word("%CPU/R").of("cpu_request_percent"),
    word("%CPU/L").of("cpu_limit_percent"),
    word("%MEM/R").of("memory_request_percent"),
    word("%MEM/L").of("memory_limit_percent"),
    // oc
    word("HOST/PORT"),
    column("PATH", Shape::Optional, Becomes::Text),
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
    word("DATADIRHOSTPATH").of("data_dir_host_path"),
    count("MONCOUNT").of("mon_count"),
];

/// Columns with a different content in the tables of one kind.
const OF_KIND: &[(&str, Name)] = &[
    ("APIResource", column("KIND", Shape::Kind, Becomes::Text)),
    (
        "Container",
        column("STATUS", Shape::ContainerState, Becomes::ContainerState),
    ),
    (
        "Container",
        column("PORTS", Shape::OptionalWords, Becomes::Text),
    ),
    ("APIService", words("AVAILABLE")),
    ("EndpointSlice", word("PORTS")),
    ("ClusterOperator", word("AVAILABLE")),
    ("Job", column("STATUS", Shape::Optional, Becomes::Text)),
    ("Route", column("PORT", Shape::Optional, Becomes::Text)),
];

/// Returns true if kubectl or a similar tool prints a column of this name.
pub(super) fn is_known(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '%')
        && KNOWN.iter().any(|known| known.name == name)
}

/// Returns the known column of that name in a kind's table.
pub(super) fn of(kind: Option<&str>, name: &str) -> Option<&'static Name> {
    OF_KIND
        .iter()
        .filter(|(of, _)| Some(*of) == kind)
        .map(|(_, column)| column)
        .chain(KNOWN)
        .find(|known| known.name == name)
}

/// Returns the field name of a column: `NOMINATED NODE` is `nominated_node`, `PORT(S)` is `ports`.
pub(super) fn key(kind: Option<&str>, name: &str) -> String {
    if let Some(known) = of(kind, name).filter(|known| !known.key.is_empty()) {
        return known.key.to_owned();
    }
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
    fn each_name_stands_once() {
        for (index, known) in KNOWN.iter().enumerate() {
            assert!(
                KNOWN[..index].iter().all(|other| other.name != known.name),
                "{}",
                known.name
            );
        }
    }
}
