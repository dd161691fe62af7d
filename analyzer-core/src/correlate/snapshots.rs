//! Snapshots of the same object: the latest one shows its current state.

mod object;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::group::Group;
use super::health::{Health, State};
use super::situations::{self, Shown};
use crate::engine::Listed;
use crate::hash::{HashMap, HashSet};
use crate::matcher::Hit;
use crate::report::{KindHealth, Level, Role, Situation};
use crate::sort;
use kwhy_catalogue::Catalogue;
use kwhy_model::{Format, Subject};
use object::{Shape, name_key};

pub(crate) use object::ObjectSnapshot;

/// The maximum number of snapshots kept, about 12 MB.
const MAX_SNAPSHOTS: usize = 20_000;

/// The maximum number of parent folders of a list that may name its namespace: `NAMESPACE/pods.json`,
/// `NAMESPACE/core/pods.yaml`.
const MAX_FOLDERS: usize = 2;

/// The kinds whose health is reported first.
const FIRST_KINDS: [&str; 3] = ["Pod", "Node", "PersistentVolumeClaim"];

/// The snapshots of an input, in input order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshots {
    #[allow(
        clippy::vec_box,
        reason = "a table of all that grows is copied, and is there twice meanwhile"
    )]
    all: Vec<Box<ObjectSnapshot>>,
    of_object: HashMap<u64, Numbers>,
    /// The numbers of snapshots, by a hash of kind and name.
    of_name: HashMap<u64, Numbers>,
    /// Kinds, namespaces and nodes, which many objects share.
    shared: HashSet<Arc<str>>,
    /// The numbers of the last snapshots of all objects.
    currents: OnceLock<Vec<usize>>,
    /// The number of the first object's snapshot, by namespace.
    of_namespace: HashMap<String, usize>,
    /// The names of nodes.
    nodes: BTreeSet<String>,
    /// The kinds and namespaces that the input's lists show completely.
    listed: Listed,
    /// The documents with an empty list whose namespace only the path names, with the list's kind.
    empty_lists: BTreeSet<(usize, String)>,
    /// The numbers of snapshots, by document and byte offset.
    by_place: BTreeMap<(usize, usize), usize>,
    /// The number of snapshots that were not kept.
    pub omitted: u64,
    /// The kinds of the omitted snapshots.
    omitted_kinds: BTreeSet<String>,
    /// The objects that are unhealthy according to their last omitted snapshot, with their kinds, up to
    /// [`MAX_SNAPSHOTS`].
    omitted_unwell: HashMap<u64, String>,
}

/// The numbers of snapshots: usually there is only one.
#[derive(Clone, Debug)]
enum Numbers {
    One(usize),
    Several(Vec<usize>),
}

impl Numbers {
    /// Adds the number of a snapshot to those of a key.
    fn add(of: &mut HashMap<u64, Numbers>, key: u64, number: usize) {
        match of.entry(key) {
            Entry::Vacant(free) => {
                free.insert(Numbers::One(number));
            }
            Entry::Occupied(mut known) => match known.get_mut() {
                Numbers::Several(all) => all.push(number),
                Numbers::One(one) => *known.get_mut() = Numbers::Several(vec![*one, number]),
            },
        }
    }

    fn as_slice(&self) -> &[usize] {
        match self {
            Numbers::One(one) => std::slice::from_ref(one),
            Numbers::Several(all) => all,
        }
    }
}

/// Returns the one copy of a string that all snapshots share.
fn shared(all: &mut HashSet<Arc<str>>, text: &Arc<str>) -> Arc<str> {
    if let Some(known) = all.get(text) {
        return Arc::clone(known);
    }
    all.insert(Arc::clone(text));
    Arc::clone(text)
}

impl Snapshots {
    /// Adds the next snapshot.
    pub fn add(&mut self, mut snapshot: ObjectSnapshot) {
        self.currents.take();
        let number = self.all.len();
        if number >= MAX_SNAPSHOTS {
            self.omit(&snapshot);
            return;
        }
        snapshot.kind = shared(&mut self.shared, &snapshot.kind);
        let optional = [&mut snapshot.namespace, &mut snapshot.node];
        for text in optional.into_iter().flatten() {
            *text = shared(&mut self.shared, text);
        }
        snapshot.state.containers.shrink_to_fit();
        self.index(number, &snapshot);
        self.all.push(Box::new(snapshot));
    }

    /// Indexes a snapshot's number under all of its keys.
    fn index(&mut self, number: usize, snapshot: &ObjectSnapshot) {
        Numbers::add(&mut self.of_object, snapshot.key, number);
        let name = name_key(&snapshot.kind, &snapshot.name);
        Numbers::add(&mut self.of_name, name, number);
        if let Some(namespace) = &snapshot.namespace
            && !self.of_namespace.contains_key(&**namespace)
        {
            self.of_namespace.insert(namespace.to_string(), number);
        }
        if &*snapshot.kind == "Node" {
            self.nodes.insert(snapshot.name.to_string());
        }
        let place = (snapshot.document, snapshot.span.start);
        self.by_place.insert(place, number);
    }

    /// Counts a snapshot that is not kept, and remembers whether its object is healthy.
    fn omit(&mut self, snapshot: &ObjectSnapshot) {
        self.omitted += 1;
        if !self.omitted_kinds.contains(&*snapshot.kind) {
            self.omitted_kinds.insert(snapshot.kind.to_string());
        }
        if snapshot.state.health != Health::Unwell {
            self.omitted_unwell.remove(&snapshot.key);
        } else if self.omitted_unwell.len() < MAX_SNAPSHOTS {
            let kind = snapshot.kind.to_string();
            self.omitted_unwell.insert(snapshot.key, kind);
        }
    }

    /// Adds the kinds and namespaces that lists show completely.
    pub fn add_listed(&mut self, listed: Listed) {
        self.listed.add(listed);
    }

    /// Adds an empty list of a kind, with its namespace if the list names it.
    pub fn add_empty_list(&mut self, document: usize, of: &Subject) {
        let Some(kind) = of.kind.as_deref() else {
            return;
        };
        self.listed.add_extent(kind, of.namespace.clone());
        if of.namespace.is_none() && !of.is_cluster_scoped() {
            self.empty_lists.insert((document, kind.to_owned()));
        }
    }

    /// Derives the namespaces of empty lists that do not name theirs from the folders that the documents are in.
    pub fn name_empty_lists(&mut self, names: &[String]) {
        for (document, kind) in std::mem::take(&mut self.empty_lists) {
            let Some(name) = names.get(document) else {
                continue;
            };
            let folders = name.rsplit(['/', '\\']).skip(1).take(MAX_FOLDERS);
            for folder in folders {
                self.listed.add_extent(&kind, Some(folder.to_owned()));
            }
        }
    }

    /// The kinds and namespaces of which the input shows all objects.
    pub fn listed(&self) -> &Listed {
        &self.listed
    }

    /// Maps document indices to their final order.
    pub fn renumber(&mut self, numbers: &[usize]) {
        let empty = std::mem::take(&mut self.empty_lists);
        let number = |document: usize| numbers.get(document).copied().unwrap_or(document);
        let empty = empty.into_iter();
        self.empty_lists = empty
            .map(|(document, kind)| (number(document), kind))
            .collect();
        let is_same = |(number, other): (usize, &usize)| number == *other;
        if numbers.iter().enumerate().all(is_same)
            && self
                .all
                .is_sorted_by_key(|snapshot| snapshot.place_in_input())
        {
            return;
        }
        let mut all = std::mem::take(&mut self.all);
        for snapshot in &mut all {
            super::renumber(&mut snapshot.document, numbers);
        }
        if !all.is_sorted_by_key(|snapshot| snapshot.place_in_input()) {
            sort::by_key(&mut all, |snapshot| snapshot.place_in_input());
        }
        self.currents.take();
        self.of_object.clear();
        self.of_name.clear();
        self.of_namespace.clear();
        self.by_place.clear();
        for (number, snapshot) in all.iter().enumerate() {
            self.index(number, snapshot);
        }
        self.all = all;
    }

    /// The snapshot with a number.
    fn at(&self, number: usize) -> Option<&ObjectSnapshot> {
        self.all.get(number).map(AsRef::as_ref)
    }

    /// Returns the last snapshot, of any shape, that shows the health of an object; if the order of several is unknown,
    /// an unhealthy one.
    pub fn current(&self, subject: &Subject) -> Option<&ObjectSnapshot> {
        let (kind, name) = (subject.kind.as_ref()?, subject.name.as_ref()?);
        let namespace = subject.namespace.as_deref();
        let machine = subject.node.as_deref().filter(|_| kind == "Unit");
        self.at(self.last(kind, (namespace, machine), name)?)
    }

    /// Returns the number of the last snapshot that shows the health of an object.
    fn last(
        &self,
        kind: &str,
        (namespace, machine): (Option<&str>, Option<&str>),
        name: &str,
    ) -> Option<usize> {
        let of_name = self.of_name.get(&name_key(kind, name))?.as_slice().iter();
        let all = of_name.filter_map(|number| Some((*number, self.at(*number)?)));
        let is_same = |(_, snapshot): &(usize, &ObjectSnapshot)| {
            let same_namespace = match (snapshot.namespace.as_deref(), namespace) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            let same_machine = match (snapshot.machine(), machine) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            *snapshot.kind == *kind && *snapshot.name == *name && same_namespace && same_machine
        };
        let worse = |state: &State| match state.health {
            Health::Unwell => 2,
            Health::Well => 1,
            Health::Present => 0,
        };
        let last = all.filter(is_same).reduce(|last, next| {
            let (known, snapshot) = (last.1, next.1);
            match snapshot.is_after(known) {
                _ if snapshot.state.health == Health::Present => last,
                _ if known.state.health == Health::Present => next,
                Some(true) => next,
                Some(false) => last,
                None if worse(&snapshot.state) > worse(&known.state) => next,
                None => last,
            }
        });
        last.map(|(number, _)| number)
    }

    /// Returns the last snapshot of each object, in input order of the objects.
    fn currents(&self) -> impl Iterator<Item = &ObjectSnapshot> {
        let numbers = self.currents.get_or_init(|| {
            let mut seen = HashSet::default();
            let objects = self.all.iter().filter_map(|snapshot| {
                let place = (snapshot.namespace.as_deref(), snapshot.machine());
                let key = (&*snapshot.kind, place, &*snapshot.name);
                seen.insert(key).then_some(key)
            });
            let last = objects.filter_map(|(kind, place, name)| self.last(kind, place, name));
            last.collect()
        });
        numbers.iter().filter_map(|number| self.at(*number))
    }

    /// Returns the snapshot of any object in a namespace, which shows that the namespace exists.
    pub fn any_in_namespace(&self, namespace: &str) -> Option<&ObjectSnapshot> {
        let number = self.of_namespace.get(namespace)?;
        self.at(*number)
    }

    /// Returns the last snapshot of a node, by its name or by its unqualified host name.
    pub fn current_node(&self, host: &str) -> Option<&ObjectSnapshot> {
        let of_name = |name: &str| self.current(&Subject::new("Node", None, name));
        of_name(host).or_else(|| {
            let is_of_host = |name: &&String| {
                name.strip_prefix(host)
                    .is_some_and(|domain| domain.starts_with('.'))
            };
            let mut names = self.nodes.iter().filter(is_of_host);
            let only = names.next().filter(|_| names.next().is_none())?;
            of_name(only)
        })
    }

    /// The latest time in any object's conditions, in nanoseconds since 1970: nodes renew theirs every few minutes.
    pub fn latest(&self) -> Option<i128> {
        self.all
            .iter()
            .filter_map(|snapshot| snapshot.version.time)
            .max()
    }

    /// Returns the last snapshot of a node if all nodes are shown to be healthy and no other object is unhealthy.
    pub fn well_cluster(&self) -> Option<&ObjectSnapshot> {
        let node = self.current(&Subject::new("Node", None, self.nodes.first()?))?;
        let mut all = self.currents();
        let are_well = self.omitted_unwell.is_empty() && !all.any(|one| self.is_unwell(one));
        (are_well && node.state.health == Health::Well).then_some(node)
    }

    /// Returns true if an object is unhealthy, unless it is a failed pod whose Job has completed.
    fn is_unwell(&self, snapshot: &ObjectSnapshot) -> bool {
        snapshot.state.health == Health::Unwell && self.completed_job(&snapshot.subject()).is_none()
    }

    /// Counts the objects of each kind by their health, pods and nodes first; `collected` is the time of the
    /// collection, in nanoseconds since 1970.
    pub fn health(&self, collected: Option<i128>) -> Vec<KindHealth> {
        let mut kinds: BTreeMap<(usize, &str), KindHealth> = BTreeMap::new();
        for snapshot in self.currents() {
            match snapshot.state.health {
                Health::Present => {}
                // counted below
                _ if self.omitted_unwell.contains_key(&snapshot.key) => {}
                Health::Well => {
                    let restart = snapshot.state.restart.as_ref();
                    let is_recent = restart.is_some_and(|restart| restart.is_recent(collected));
                    let kind = self.kind_health(&mut kinds, &snapshot.kind);
                    kind.well += 1;
                    kind.restarted += u64::from(is_recent);
                }
                Health::Unwell if !self.is_unwell(snapshot) => {}
                Health::Unwell => {
                    let kind = self.kind_health(&mut kinds, &snapshot.kind);
                    kind.unwell += 1;
                    if kind.unwell_objects.len() < KindHealth::NAMED {
                        kind.unwell_objects.push(snapshot.subject());
                    }
                }
            }
        }
        for kind in self.omitted_unwell.values() {
            self.kind_health(&mut kinds, kind).unwell += 1;
        }
        kinds.into_values().collect()
    }

    /// The entry of a kind in the health counts.
    fn kind_health<'h, 'k>(
        &self,
        kinds: &'h mut BTreeMap<(usize, &'k str), KindHealth>,
        kind: &'k str,
    ) -> &'h mut KindHealth {
        let first = FIRST_KINDS.iter().position(|first| *first == kind);
        let key = (first.unwrap_or(FIRST_KINDS.len()), kind);
        kinds.entry(key).or_insert_with(|| KindHealth {
            kind: kind.to_owned(),
            at_least: self.omitted_kinds.contains(kind),
            ..KindHealth::default()
        })
    }

    /// Returns the situations that the last snapshots show; `now` is the time of the collection, in nanoseconds since
    /// 1970.
    pub fn situations(&self, now: Option<i128>) -> Vec<Situation> {
        let objects: Vec<Shown<'_>> = self.currents().map(ObjectSnapshot::shown).collect();
        situations::of(&objects, now)
    }

    /// Returns the Job of a pod if the Job is complete, so that a failed attempt no longer matters.
    pub fn completed_job(&self, pod: &Subject) -> Option<&ObjectSnapshot> {
        let is_pod = pod.kind.as_deref() == Some("Pod");
        let name = pod.workload().filter(|_| is_pod)?;
        let job = Subject::new("Job", pod.namespace.as_deref(), name);
        let job = self.current(&job)?;
        (job.state.health == Health::Well).then_some(job)
    }

    /// Returns true if the input contains the describe of an object or the status of a unit.
    pub fn has_describe(&self, object: &Subject) -> bool {
        self.has(object, Shape::Describe)
    }

    /// Returns true if the input contains an object as YAML or JSON.
    pub fn has_object(&self, object: &Subject) -> bool {
        self.has(object, Shape::Object)
    }

    fn has(&self, object: &Subject, shape: Shape) -> bool {
        let (Some(kind), Some(name)) = (&object.kind, &object.name) else {
            return false;
        };
        let known = self.of_name.get(&name_key(kind, name));
        let mut known = known
            .map_or(&[][..], Numbers::as_slice)
            .iter()
            .filter_map(|at| self.at(*at));
        known.any(|known| {
            let namespaces = (known.namespace.as_deref(), object.namespace.as_deref());
            let is_same = !matches!(namespaces, (Some(one), Some(other)) if one != other);
            known.shape == shape && is_same
        })
    }

    /// Returns true if the input lists the pods of a namespace.
    pub fn lists_pods(&self, namespace: &str) -> bool {
        self.listed.lists("Pod", Some(namespace))
    }

    /// Returns true if nothing runs in a namespace any more: the input lists its pods, and shows neither a pod nor a
    /// workload in it.
    pub fn is_emptied(&self, namespace: &str) -> bool {
        const WORKLOADS: [&str; 7] = [
            "Pod",
            "Deployment",
            "ReplicaSet",
            "StatefulSet",
            "DaemonSet",
            "Job",
            "CronJob",
        ];
        let runs = |snapshot: &ObjectSnapshot| {
            let own = snapshot.namespace.as_deref();
            own.is_none_or(|own| own == namespace) && WORKLOADS.contains(&&*snapshot.kind)
        };
        self.lists_pods(namespace) && !self.all.iter().any(|snapshot| runs(snapshot))
    }

    /// Returns true if a namespace has been deleted: the input lists the cluster's namespaces without it.
    pub fn is_namespace_gone(&self, namespace: &str) -> bool {
        let all = self.listed.namespaces();
        all.contains("kube-system") && !all.contains(namespace)
    }

    /// Returns true if the describe of a pod's node lists the pods that run there without it.
    pub fn is_gone_from_node(&self, pod: &Subject) -> bool {
        let listed = || {
            let node = self.current_node(pod.node.as_deref()?)?;
            let subject = Subject::new("Node", None, &node.name);
            let of_name = self
                .of_name
                .get(&name_key("Node", subject.name.as_deref()?))?;
            let all = of_name.as_slice().iter();
            let all = all.filter_map(|number| self.at(*number));
            all.filter_map(|snapshot| snapshot.pods.as_deref())
                .next_back()
        };
        let key =
            |namespace: Option<&str>, name: &str| name_key(namespace.unwrap_or_default(), name);
        listed().is_some_and(|pods| {
            let name = pod.name.as_deref().unwrap_or_default();
            !pods.contains(&key(pod.namespace.as_deref(), name))
        })
    }

    /// Returns the snapshot that contains a hit.
    fn own(&self, hit: &Hit) -> Option<&ObjectSnapshot> {
        let (document, at) = hit.record_at();
        let mut before = self.by_place.range((document, 0)..=(document, at));
        let snapshot = self.at(*before.next_back()?.1)?;
        let is_event = hit.format == Format::DescribeEvents
            && snapshot.shape == Shape::Describe
            && hit.subject.name.as_deref() == Some(&*snapshot.name);
        (is_event || snapshot.span.contains(&at)).then_some(snapshot)
    }

    /// Returns the last snapshot of an object, if it is later than `own`.
    fn later<'p>(&'p self, own: &'p ObjectSnapshot) -> Option<&'p ObjectSnapshot> {
        let of_object = self.of_object.get(&own.key)?.as_slice();
        // most objects have one snapshot
        if of_object.len() < 2 {
            return None;
        }
        let all = of_object.iter().filter_map(|number| self.at(*number));
        // a snapshot of unknown order does not count as later
        let last = all.fold(own, |last, snapshot| {
            if snapshot.is_after(last) == Some(true) {
                snapshot
            } else {
                last
            }
        });
        (last.place_in_input() != own.place_in_input()).then_some(last)
    }

    /// Returns true if a hit is in a snapshot that the input has a later version of.
    pub fn is_outdated(&self, hit: &Hit) -> bool {
        let own = self.own(hit);
        own.is_some_and(|own| self.later(own).is_some())
    }

    /// Returns, for each group, a hit in the snapshot that shows it to be resolved: the last
    /// snapshot of every object of the group is later, and shows no fault.
    pub fn superseded(&self, catalogue: &Catalogue, groups: &[Group]) -> Vec<Option<Hit>> {
        let is_failing = |group: &&Group| {
            let signature = catalogue.at(group.signature);
            signature.role != Role::Benign && signature.severity >= Level::Warning
        };
        let hits = groups
            .iter()
            .filter(is_failing)
            .flat_map(|group| &group.hits);
        let is_failing: HashSet<(usize, usize)> = hits
            .filter_map(|hit| Some(self.own(hit)?.place_in_input()))
            .collect();
        let over = |group: &Group| {
            let mut shown: Option<&ObjectSnapshot> = None;
            for hit in &group.hits {
                let own = self.own(hit)?;
                let last = self.later(own)?;
                // a container that restarts repeatedly is healthy in between
                let is_sound =
                    !is_failing.contains(&last.place_in_input()) && last.restarts <= own.restarts;
                shown = Some(last).filter(|_| is_sound);
                shown?;
            }
            let (snapshot, hit) = (shown?, group.hits.last()?);
            // hits that were only counted are not known to be resolved
            (group.more == 0).then(|| Hit {
                document: snapshot.document,
                place: snapshot.place.clone(),
                ..hit.clone()
            })
        };
        groups.iter().map(over).collect()
    }
}

#[cfg(test)]
mod tests;
