//! The dependency graph of the input's objects: a pod on its node and claims, a Service on the pods
//! that it selects, a Deployment on its pods.

mod document_paths;
mod endpoints;
mod from_events;
mod from_objects;
mod hosts;
mod ids;
mod labels;
mod namespaces;
mod path_search;
mod topology;
mod users;

use std::cmp::Ordering;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use crate::matcher::Hit;
use crate::sort;
use kwhy_model::{Event, Object, Subject};

use super::group::Group;
use document_paths::Paths;
use endpoints::Host;
use ids::IdOwners;
use labels::Labels;
use namespaces::Namespaces;
use topology::{api_server, calls_api_server, static_pod};

pub(super) use path_search::Reach;
pub(super) use topology::static_workload;
pub(super) use users::Users;

/// The maximum number of edges kept for objects of one name.
const MAX_OF_NAME: usize = 64;

/// The maximum number of edges kept in all, about 8 MB.
const MAX_EDGES: usize = 20_000;

/// Up to this many edges of one name are stored without spare capacity.
const FEW: usize = 4;

/// The maximum number of addresses kept.
const MAX_ADDRESSES: usize = 10_000;

/// The maximum number of lines of a group that are searched for unreachable endpoints.
const MAX_LINES: usize = 8;

/// An object, with the index of the document that names it.
pub(crate) type Named = (usize, Subject);

/// The owner of an address, or of an id, with the index of the document that says so.
type Owner = (usize, Arc<Subject>);

/// The dependencies between objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// The edges, by the dependant's name.
    by_dependant: BTreeMap<String, Vec<Edge>>,
    count: usize,
    /// The owners of addresses and host names.
    addresses: BTreeMap<String, Owner>,
    labels: Labels,
    /// The objects of this part of the input, whose names are indexed when it is merged.
    objects: Vec<Arc<Subject>>,
    paths: Paths,
    namespaces: Namespaces,
    ids: IdOwners,
    omitted: Omitted,
}

/// The numbers of items omitted because a limit was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Omitted {
    /// Relations between two objects.
    pub relations: u64,
    pub addresses: u64,
    /// The labels of pods.
    pub pods: u64,
    pub selectors: u64,
    /// Ids of pods and containers.
    pub ids: u64,
    /// Snapshots of objects, the last of which counts.
    pub snapshots: u64,
}

impl Omitted {
    fn add(&mut self, other: Omitted) {
        self.relations += other.relations;
        self.addresses += other.addresses;
        self.pods += other.pods;
        self.selectors += other.selectors;
        self.ids += other.ids;
        self.snapshots += other.snapshots;
    }
}

/// A dependency of one object on another, as stated in one document.
#[derive(Clone, Debug, PartialEq)]
struct Edge {
    document: usize,
    dependant: Arc<Subject>,
    /// The relation, as a verb: `uses`, `runs on`.
    verb: &'static str,
    on: Arc<Subject>,
}

impl Graph {
    /// Adds an object of the document with this index.
    pub fn object(&mut self, document: usize, object: &Object<'_>) {
        // shared by all that is kept about it
        let this = Arc::new(plain(&object.subject));
        from_objects::edges(object, &this, |dependant, verb, on| {
            self.add(Edge {
                document,
                dependant,
                verb,
                on,
            });
        });
        hosts::awaited(object, |registry| {
            self.add(Edge {
                document,
                dependant: Arc::clone(&this),
                verb: "pulls from",
                on: Arc::new(registry),
            });
        });
        from_objects::addresses(object, &this, |address, owner| {
            self.add_address(address, (document, owner), &as_read);
        });
        from_objects::hosts(object, &this, |host, owner| {
            self.add_address(host, (document, owner), &as_read);
        });
        self.labels.object(document, object, &this);
        self.ids.object(document, object, Arc::clone(&this));
        self.objects.push(this);
    }

    /// Adds what a record says about the ids it contains. `order` compares documents.
    pub fn add_ids(&mut self, hit: &Hit, order: &impl Fn(usize, usize) -> Ordering) {
        for (id, of) in hit.ids.iter().flat_map(|ids| &ids.stated) {
            self.ids
                .add(id, (hit.document, Arc::new(of.clone())), order);
        }
    }

    /// Sets the object of a record that names only ids, if the input resolves them.
    pub fn place(&self, hit: &mut Hit) {
        self.ids.place(hit);
    }

    /// Adds an event of the document with this index.
    pub fn event(&mut self, document: usize, event: &Event<'_>) {
        // log records are parsed only where a signature might match
        if event.format.is_structured() {
            self.namespaces.add(&event.subject);
        }
        if let Some((dependant, verb, on)) = from_events::edge(event) {
            self.add(Edge {
                document,
                dependant: Arc::new(dependant),
                verb,
                on: Arc::new(on),
            });
        }
    }

    fn add(&mut self, edge: Edge) {
        let Some(name) = &edge.dependant.name else {
            return;
        };
        // tables print `<none>`
        let is_name = |name: &String| !name.starts_with('<');
        if !edge.on.name.as_ref().is_some_and(is_name) {
            return;
        }
        let known = self.by_dependant.get(name).map_or(&[][..], Vec::as_slice);
        if known.contains(&edge) {
            return;
        }
        if self.count >= MAX_EDGES || known.len() >= MAX_OF_NAME {
            self.omitted.relations += 1;
            return;
        }
        self.count += 1;
        if let Some(known) = self.by_dependant.get_mut(name) {
            // most names have one or two: spare capacity would dominate the graph's memory
            if known.len() < FEW {
                known.reserve_exact(1);
            }
            known.push(edge);
        } else {
            self.by_dependant.insert(name.clone(), vec![edge]);
        }
    }

    /// Records the owner of an address: that of the first document that states it. A pod on the
    /// host network has its node's address, which belongs to the node.
    fn add_address(
        &mut self,
        address: String,
        owner: Owner,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let is_node = |owner: &Owner| owner.1.kind.as_deref() == Some("Node");
        let has_room = self.addresses.len() < MAX_ADDRESSES;
        match self.addresses.entry(address) {
            Entry::Occupied(mut known) => {
                let is_first = || order(owner.0, known.get().0) == Ordering::Less;
                let goes_before = match (is_node(&owner), is_node(known.get())) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => is_first(),
                };
                if goes_before {
                    known.insert(owner);
                }
            }
            Entry::Vacant(free) if has_room => {
                free.insert(owner);
            }
            Entry::Vacant(_) => self.omitted.addresses += 1,
        }
    }

    /// Merges the graph of a later part of the input. `order` compares documents.
    pub fn absorb(&mut self, later: Graph, order: &impl Fn(usize, usize) -> Ordering) {
        for edge in later.by_dependant.into_values().flatten() {
            self.add(edge);
        }
        for (address, owner) in later.addresses {
            self.add_address(address, owner, order);
        }
        self.omitted.add(later.omitted);
        self.labels.absorb(later.labels);
        self.namespaces.absorb(later.namespaces);
        for object in later.objects {
            self.paths.add(&object);
            self.namespaces.add(&object);
        }
        self.ids.absorb(later.ids, order);
    }

    /// Maps document indices to their final order.
    pub fn renumber(&mut self, numbers: &[usize]) {
        for edges in self.by_dependant.values_mut() {
            for edge in edges.iter_mut() {
                super::renumber(&mut edge.document, numbers);
            }
            sort::by_key(edges, |edge| edge.document);
        }
        let owners = self.addresses.values_mut();
        owners.for_each(|(document, _)| super::renumber(document, numbers));
        self.labels.renumber(numbers);
    }

    /// Resolves the input's selectors to pods and drops data that is needed only while reading. `documents` are the
    /// names that will be looked up.
    pub fn settle(&mut self, documents: &[String]) {
        self.paths.keep(documents);
        let labels = std::mem::take(&mut self.labels);
        self.omitted.add(labels.omitted);
        let (selected, more) = labels.selected();
        self.omitted.relations += more;
        for (document, dependant, on) in selected {
            self.add(Edge {
                document,
                dependant,
                verb: "selects",
                on,
            });
        }
    }

    /// The numbers of omitted items.
    pub fn omitted(&self) -> Omitted {
        Omitted {
            ids: self.ids.omitted,
            ..self.omitted
        }
    }

    /// The node that a pod runs on, if the input states it.
    pub fn node_of(&self, document: usize, pod: &Subject) -> Option<String> {
        if pod.kind.as_deref() != Some("Pod") || pod.name.is_none() {
            return None;
        }
        let pod = plain(pod);
        let mut edges = self.of((document, &pod));
        let of_edges = edges.find_map(|edge| {
            let is_node = edge.on.kind.as_deref() == Some("Node");
            edge.on.name.clone().filter(|_| is_node)
        });
        let of_static = || static_pod(pod.name.as_deref()?).map(|(_, node)| node.to_owned());
        of_edges.or_else(of_static)
    }

    /// The namespace of an object, if the input has only one of its kind and name.
    pub fn namespace_of(&self, subject: &Subject) -> Option<String> {
        self.namespaces.of(subject)
    }

    /// The pod or node that a document's name refers to.
    pub fn of_document(&self, name: &str) -> Option<Subject> {
        self.paths.of(name)
    }

    /// The endpoints that the lines of a group could not reach: Services by name, and the owners of
    /// addresses and hosts.
    pub fn needed(&self, group: &Group) -> Vec<Named> {
        let mut needed: Vec<Named> = Vec::new();
        for hit in group.hits.iter().take(MAX_LINES) {
            let calls = endpoints::calls(&hit.place.text);
            let api_server = calls.iter().any(calls_api_server).then(api_server);
            let called = calls.iter().filter_map(|call| match call.host()? {
                Host::Address(name) | Host::Outside(name) => self.owner_of(&name),
                Host::Name(name, namespace) => {
                    let namespace = namespace.or_else(|| hit.subject.namespace.clone());
                    let service = Subject::new("Service", namespace.as_deref(), &name);
                    Some((hit.document, service))
                }
            });
            for named in called.chain(api_server.map(|service| (hit.document, service))) {
                if !needed.contains(&named) {
                    needed.push(named);
                }
            }
        }
        needed
    }

    /// The owner of an address or host name.
    fn owner_of(&self, address: &str) -> Option<Named> {
        let (document, owner) = self.addresses.get(address)?;
        Some((*document, Subject::clone(owner)))
    }

    /// Returns true if a message calls the API server through its Service.
    fn is_api_server(&self, call: &endpoints::Call<'_>) -> bool {
        let called = match call.host() {
            Some(Host::Address(name) | Host::Outside(name)) => self.owner_of(&name),
            Some(Host::Name(name, Some(namespace))) => {
                Some((0, Subject::new("Service", Some(&namespace), &name)))
            }
            _ => None,
        };
        called.is_some_and(|(_, subject)| subject == api_server())
    }

    /// Returns true if the lines of a group name the unreachable endpoint only by an address inside
    /// the cluster whose owner is unknown.
    pub fn calls_unknown(&self, group: &Group) -> bool {
        let mut unknown = false;
        for hit in group.hits.iter().take(MAX_LINES) {
            for host in endpoints::hosts(&hit.place.text) {
                match host {
                    Host::Address(address) if !self.addresses.contains_key(&address) => {
                        unknown |= endpoints::is_inside(&address);
                    }
                    Host::Outside(_) => {}
                    _ => return false,
                }
            }
        }
        unknown
    }
}

/// Orders positions within one document.
fn as_read(a: usize, b: usize) -> Ordering {
    a.cmp(&b)
}

/// The object without its container and node.
pub(super) fn plain(subject: &Subject) -> Subject {
    Subject {
        kind: subject.kind.clone(),
        namespace: subject.namespace.clone(),
        name: subject.name.clone(),
        container: None,
        node: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(dependant: (&str, &str), verb: &'static str, on: (&str, &str)) -> Edge {
        Edge {
            document: 0,
            dependant: Arc::new(Subject::new(dependant.0, Some("shop"), dependant.1)),
            verb,
            on: Arc::new(Subject::new(on.0, Some("shop"), on.1)),
        }
    }

    #[test]
    fn a_way_over_several_objects() {
        let mut graph = Graph::default();
        graph.add(edge(("Ingress", "front"), "sends to", ("Service", "web")));
        graph.add(edge(("Service", "web"), "selects", ("Pod", "web-0")));
        graph.add(edge(
            ("Pod", "web-0"),
            "uses",
            ("PersistentVolumeClaim", "data"),
        ));
        graph.add(edge(("Pod", "web-0"), "uses", ("Secret", "web")));
        let named = |kind: &str, name: &str| (0, Subject::new(kind, Some("shop"), name));
        let (front, data) = (
            named("Ingress", "front"),
            named("PersistentVolumeClaim", "data"),
        );
        let (steps, words) = graph.path(&front, &data).unwrap();
        assert_eq!(
            (steps, words.as_str()),
            (
                3,
                "Ingress shop/front sends to Service shop/web, which selects Pod shop/web-0, which uses PersistentVolumeClaim shop/data"
            )
        );
        assert!(graph.path(&data, &front).is_none());
        assert!(graph.path(&front, &front).is_none());
    }

    #[test]
    fn cycles_end() {
        let mut graph = Graph::default();
        graph.add(edge(("Pod", "a"), "uses", ("Pod", "b")));
        graph.add(edge(("Pod", "b"), "uses", ("Pod", "a")));
        let named = |name: &str| (0, Subject::new("Pod", Some("shop"), name));
        assert!(graph.path(&named("a"), &named("c")).is_none());
    }

    #[test]
    fn a_node_keeps_its_address() {
        let mut graph = Graph::default();
        let owner = |kind, name| (0, Arc::new(Subject::new(kind, None, name)));
        let (proxy, node) = (owner("Pod", "kube-proxy-x7"), owner("Node", "quay-4"));
        for owner in [&proxy, &node, &proxy] {
            graph.add_address("192.0.2.44".to_owned(), owner.clone(), &as_read);
        }
        assert_eq!(graph.addresses["192.0.2.44"], node);
        assert_eq!(graph.omitted(), Omitted::default());
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let mut graph = Graph::default();
        for _ in 0..2 {
            for number in 0..MAX_OF_NAME + 3 {
                graph.add(edge(("Pod", "a"), "uses", ("Secret", &number.to_string())));
            }
        }
        // a repeated item is not lost; one beyond the limit is counted again
        assert_eq!(graph.omitted().relations, 6);
        let mut later = Graph::default();
        for number in 0..MAX_ADDRESSES + 2 {
            later.add_address(
                number.to_string(),
                (0, Arc::new(Subject::new("Node", None, "n"))),
                &as_read,
            );
        }
        assert_eq!(later.omitted().addresses, 2);
        graph.add_address(
            "other".to_owned(),
            (0, Arc::new(Subject::new("Node", None, "m"))),
            &as_read,
        );
        graph.absorb(later, &as_read);
        assert_eq!(graph.omitted().addresses, 3);
    }
}
