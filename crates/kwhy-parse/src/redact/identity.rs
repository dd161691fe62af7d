//! Replaces names and addresses by tokens: the same value has the same token everywhere.
//!
//! Names are those that the input marks as such ([`Identities::add`]), and those that follow a kind word in
//! a text. Hosts, addresses, e-mail addresses, images and ids are recognised by their shape. Names that Kubernetes
//! itself uses in every cluster are kept.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::maker::Maker;
use super::shape_of_identity::{self as shape, Shape};
use kwhy_model::Subject;

/// The maximum number of values that get their own token.
pub(super) const MAX_VALUES: usize = 200_000;

/// Names that reveal nothing about a cluster.
const COMMON: &[&str] = &[
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "kubernetes",
    "kube-dns",
    "coredns",
    "kubelet",
    "kube-proxy",
    "kube-apiserver",
    "kube-scheduler",
    "kube-controller-manager",
    "cloud-controller-manager",
    "etcd",
    "containerd",
    "kube-root-ca.crt",
    "system",
    "serviceaccount",
    "localhost",
    "cluster.local",
    "svc",
    "true",
    "false",
    "none",
    // path segments after a kind
    "logs",
    "log",
    "status",
    "events",
];

/// Kinds whose names are those of programs and products rather than of a cluster.
const OF_PRODUCTS: &[&str] = &[
    "Unit",
    "CustomResourceDefinition",
    "APIService",
    "CSIDriver",
    "PriorityClass",
    "FlowSchema",
    "PriorityLevelConfiguration",
];

/// Values and their tokens.
///
/// ```
/// use kwhy_parse::redact::Identities;
/// let mut identities = Identities::new(None);
/// identities.add("Namespace", "shop");
/// let text = identities.redact("pod \"web-0\" of shop cannot reach 192.0.2.7:443");
/// assert_eq!(text, "pod \"pod-1\" of namespace-1 cannot reach address-1:443");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Identities {
    /// The token of each value.
    pub(super) tokens: HashMap<String, Token>,
    /// The number of values of each kind, and the number of their replacements.
    pub(super) counts: BTreeMap<String, (u64, u64)>,
    /// Generates tokens.
    maker: Maker,
    /// Names of products, which are kept.
    public: HashSet<String>,
    /// Names of static pods, without the node.
    static_pods: Vec<String>,
}

/// The token of a value.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: String,
    pub text: String,
}

impl Identities {
    /// Creates an empty set. With a key, a token depends only on the key and the value.
    pub fn new(key: Option<&str>) -> Identities {
        Identities {
            maker: Maker::new(key),
            ..Identities::default()
        }
    }

    /// Gives tokens the shape of the values they replace, for copies that are parsed again: an address stays an
    /// address, a host a host, and a generated name keeps its suffix, so that it still names a pod of its owner. If two
    /// addresses would get the same token, the later one gets another, so that even with a key the tokens of addresses
    /// depend on earlier addresses. Once the tokens of a shape are exhausted, further values get ordinary tokens.
    ///
    /// ```
    /// use kwhy_parse::redact::Identities;
    /// let mut identities = Identities::new(None).shaped();
    /// let text = "pod web-6d5f9c7b8-kq2xz cannot reach 10.0.0.7:443 of db.acme.example";
    /// let copied = "pod deployment-1-6d5f9c7b8-kq2xz cannot reach 10.0.0.3:443 of host-1.site.example";
    /// assert_eq!(identities.redact(text), copied);
    /// ```
    pub fn shaped(mut self) -> Identities {
        self.maker.is_shaped = true;
        self
    }

    /// Keeps these names of products, which reveal nothing about a cluster.
    pub fn with_public(mut self, names: impl IntoIterator<Item = String>) -> Identities {
        self.public.extend(names);
        self
    }

    /// Adds names of static pods, to which the kubelet appends the node's name.
    pub fn with_static_pods<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Identities {
        self.static_pods
            .extend(names.into_iter().map(str::to_owned));
        self
    }

    /// Returns the node in the name of a static pod.
    fn node_of<'n>(&self, kind: &str, pod: &'n str) -> Option<&'n str> {
        let names = self.static_pods.iter().filter(|_| kind == "pod");
        let mut nodes = names.filter_map(|name| pod.strip_prefix(name.as_str())?.strip_prefix('-'));
        nodes.find(|node| node.len() > 1)
    }

    /// Returns true if a name is kept.
    pub(super) fn is_public(&self, name: &str) -> bool {
        COMMON.contains(&name) || self.public.contains(name) || Subject::is_kind_word(name)
    }

    /// Returns each kind with the number of values replaced and the number of replacements.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        let counts = self.counts.iter().filter(|(_, (_, times))| *times > 0);
        counts.map(|(kind, (values, times))| (kind.as_str(), *values, *times))
    }

    /// Adds a name of an object of a kind.
    pub fn add(&mut self, kind: &str, name: &str) {
        let name = name.trim();
        let is_name = name.len() > 1
            && name.bytes().all(shape::is_of_piece)
            && !name.bytes().all(|byte| byte.is_ascii_digit());
        if is_name && !self.is_public(name) && !OF_PRODUCTS.contains(&kind) {
            self.token(kind, name);
            if kind.eq_ignore_ascii_case("pod") {
                self.add_owners(name);
            }
        }
    }

    /// Adds the owners' names derived from a pod's name, which occur in its labels.
    fn add_owners(&mut self, pod: &str) {
        let Some((set, end)) = pod.rsplit_once('-') else {
            return;
        };
        if shape::piece(pod) == Some(Shape::Pod) {
            self.add("replicaset", set);
            set.rsplit_once('-')
                .iter()
                .for_each(|(name, _)| self.add("deployment", name));
        } else if end.bytes().all(|byte| byte.is_ascii_digit()) {
            self.add("statefulset", set);
        }
    }

    /// Adds the names of an object.
    pub fn add_subject(&mut self, subject: &Subject) {
        if let Some(namespace) = &subject.namespace {
            self.add("namespace", namespace);
        }
        if let Some(node) = &subject.node {
            self.add("node", node);
        }
        if let Some(name) = &subject.name {
            self.add(subject.kind.as_deref().unwrap_or("object"), name);
        }
        // short container names are also words: app, web, api
        if let Some(container) = subject.container.as_deref().filter(|name| name.len() > 3) {
            self.add("container", container);
        }
    }

    /// Returns the token of a value, generating it if necessary.
    pub(super) fn token(&mut self, kind: &str, value: &str) -> String {
        if let Some(token) = self.tokens.get(value) {
            return token.text.clone();
        }
        let kind = kind.to_ascii_lowercase();
        let (values, _) = self.counts.entry(kind.clone()).or_default();
        *values += 1;
        let number = *values;
        let text = match self.maker.is_shaped {
            true => self.token_of_parts(&kind, value),
            false => None,
        };
        let text = text.unwrap_or_else(|| self.maker.token(&kind, value, number));
        if self.tokens.len() < MAX_VALUES {
            let token = Token {
                kind,
                text: text.clone(),
            };
            self.tokens.insert(value.to_owned(), token);
        }
        text
    }

    /// Returns the token of a name that contains that of its owner, its node or its address.
    fn token_of_parts(&mut self, kind: &str, value: &str) -> Option<String> {
        if let Some((of, owner)) = shape::owner(kind, value) {
            // without a token for the owner, the name is kept too
            if self.is_public(owner) {
                return Some(value.to_owned());
            }
            let end = value.get(owner.len()..)?;
            return Some(self.token(of, owner) + end);
        }
        if kind == "address" {
            let address = value.strip_prefix("ip-")?.replace('-', ".");
            let token = self.token("address", &address);
            return Some(format!("ip-{}", token.replace('.', "-")));
        }
        let node = self.node_of(kind, value)?;
        let name = value.strip_suffix(node)?;
        Some(name.to_owned() + &self.token("node", node))
    }
}
