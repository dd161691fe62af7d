//! The causal rules and facts about clusters that complement the signatures.

include!(concat!(env!("OUT_DIR"), "/knowledge.rs"));

/// The effects of causes: `mechanisms.yaml`.
#[derive(Debug)]
pub struct Mechanisms {
    /// Causes whose log records state themselves what went wrong.
    pub quoting: &'static [&'static str],
    /// The rules in file order.
    pub rules: &'static [CausalRule],
}

/// Causes with their effects.
#[derive(Debug)]
pub struct CausalRule {
    /// Causes, or families of causes (`image/*`).
    pub causes: &'static [&'static str],
    /// The distance within which the effects appear.
    pub distance: Distance,
    /// Causes, families or signatures.
    pub effects: &'static [&'static str],
}

/// The distance from a cause within which an effect appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// On the same object, its workload, and the objects that depend on it.
    Owner,
    /// Only on objects that depend on the object at fault.
    Callers,
    /// Only on objects that call the same host.
    Host,
    /// On everything that runs on the same node.
    Node,
    /// In the same log or paste.
    Source,
    /// In the whole cluster.
    Input,
}

/// Facts about clusters that no object states: `topology.yaml`.
#[derive(Debug)]
pub struct Topology {
    /// Services whose pods have a different name, each with the workload that serves it.
    pub served_by: &'static [(ObjectName, ObjectName)],
    /// Workloads whose pods' names end in a node's name.
    pub static_pods: &'static [&'static str],
    /// The hosts of registries, each with the name that image references use.
    pub registries: &'static [(&'static str, &'static str)],
    /// The signs by which calls of the API server are recognised.
    pub api_server: ApiServer,
}

/// A name, with its namespace if it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The namespace.
    pub namespace: Option<&'static str>,
    /// The name.
    pub name: &'static str,
}

/// The signs by which calls of the API server are recognised.
#[derive(Debug)]
pub struct ApiServer {
    /// The namespace and name of the Service that pods call.
    pub service: (&'static str, &'static str),
    /// Its ports.
    pub ports: &'static [&'static str],
    /// The paths of the API server's resources.
    pub paths: &'static [&'static str],
}

/// An entry of `writers.yaml`: writers whose faults form a family of their own.
#[derive(Debug)]
pub struct WriterRule {
    /// Programs, units, containers and components.
    pub writers: &'static [&'static str],
    /// Source files as named in klog records.
    pub files: &'static [&'static str],
    /// Texts one of which the record must contain; if empty, any record counts.
    pub words: &'static [&'static str],
    /// Texts that hardly any other program writes and that identify the writer of a frame. A rule with marks applies to
    /// frames, one without to records whose words are known.
    pub marks: &'static [&'static str],
    /// The causes that are reported differently.
    pub causes: &'static [&'static str],
    /// The signature that they are reported as.
    pub signature: &'static str,
}

/// Returns the known cause of a community rule, by the rule's id; `None` if no cause is known for it.
///
/// ```
/// use kwhy_catalogue::community_cause;
/// assert_eq!(community_cause("CRE-0000-0000"), None);
/// assert_eq!(community_cause("cre-2025-0077"), Some("node/disk-full"));
/// ```
pub fn community_cause(id: &str) -> Option<&'static str> {
    let id = id.to_ascii_uppercase();
    let at = COMMUNITY.binary_search_by_key(&id.as_str(), |(known, _)| known);
    at.ok().map(|at| COMMUNITY[at].1)
}

/// Returns the effects of causes.
pub fn mechanisms() -> &'static Mechanisms {
    &MECHANISMS
}

/// Returns the facts about clusters.
pub fn topology() -> &'static Topology {
    &TOPOLOGY
}

/// Returns the writers whose faults form families of their own; the first entry that applies counts.
pub fn writers() -> &'static [WriterRule] {
    WRITERS
}
