//! The causal rules and the facts about clusters, beside the signatures.

include!(concat!(env!("OUT_DIR"), "/knowledge.rs"));

/// The effects of causes: `mechanisms.yaml`.
#[derive(Debug)]
pub struct Mechanisms {
    /// Causes whose log records say themselves what went wrong.
    pub quoting: &'static [&'static str],
    /// The rules in the order of the file.
    pub rules: &'static [CausalRule],
}

/// Causes with what they bring about.
#[derive(Debug)]
pub struct CausalRule {
    /// Causes, or families of them (`image/*`).
    pub causes: &'static [&'static str],
    /// The distance at which the effects show.
    pub distance: Distance,
    /// Causes, families and signatures.
    pub effects: &'static [&'static str],
}

/// The distance from a cause at which an effect shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// On the same object, its workload, and what depends on it.
    Owner,
    /// Only on what depends on the object.
    Callers,
    /// Only where the same host is called.
    Host,
    /// On whatever runs on the same node.
    Node,
    /// In the same log or paste.
    Source,
    /// In the whole cluster.
    Input,
}

/// Facts about clusters that no object states: `topology.yaml`.
#[derive(Debug)]
pub struct Topology {
    /// Services whose pods do not have their name, each with the workload that serves it.
    pub served_by: &'static [(ObjectName, ObjectName)],
    /// Workloads of which a node's name ends the pods' names.
    pub static_pods: &'static [&'static str],
    /// Hosts of a registry with the name that images give it.
    pub registries: &'static [(&'static str, &'static str)],
    /// The marks of a call of the API server.
    pub api_server: ApiServer,
}

/// A name, with its namespace if that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The namespace.
    pub namespace: Option<&'static str>,
    /// The name.
    pub name: &'static str,
}

/// The marks of a call of the API server.
#[derive(Debug)]
pub struct ApiServer {
    /// The namespace and name of the Service that pods call.
    pub service: (&'static str, &'static str),
    /// Its ports.
    pub ports: &'static [&'static str],
    /// The paths of its resources.
    pub paths: &'static [&'static str],
}

/// Writers whose faults are a family of their own: an entry of `writers.yaml`.
#[derive(Debug)]
pub struct WriterRule {
    /// Programs, units, containers and components.
    pub writers: &'static [&'static str],
    /// Source files that klog names.
    pub files: &'static [&'static str],
    /// Texts one of which the record contains; none if any record counts.
    pub words: &'static [&'static str],
    /// Texts that hardly any others write, by which a frame is known to be theirs. A rule with some is about frames, one
    /// without about records whose words are known.
    pub marks: &'static [&'static str],
    /// The causes that are reported otherwise.
    pub causes: &'static [&'static str],
    /// The signature that they are reported as.
    pub signature: &'static str,
}

/// Returns the cause that a rule of the community stands for, by the rule's id; none for one that no cause is known to
/// mean.
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

/// Returns whose faults are a family of their own; the first entry that fits counts.
pub fn writers() -> &'static [WriterRule] {
    WRITERS
}
