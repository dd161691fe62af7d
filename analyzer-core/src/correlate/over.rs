//! Faults that are over: the last output about their object shows it healthy, and they have not been seen for long
//! enough.

use std::collections::HashMap;

use super::graph::{Graph, Users};
use super::group::Group;
use super::health::Health;
use super::restart::STABLE;
use super::snapshots::{ObjectSnapshot, Snapshots};
use crate::matcher::{Hit, Moment};
use kwhy_catalogue::Catalogue;
use kwhy_model::Subject;

/// The number of seconds for which a fault must not be seen if its object recovered after it.
const QUIET: i128 = 120;

/// The same if the object was healthy all along, or its containers were restarted.
const LONG_QUIET: i128 = 600;

/// The same if the object was healthy all along and the fault lasted no longer than `BURST`.
const BURST_QUIET: i128 = 300;

/// The maximum number of seconds for which a one-off fault lasts: retries take longer, or have pauses.
const BURST: i128 = 60;

/// The number of seconds without an event about an object after which no controller is still retrying.
const RETRIED: i128 = 1800;

/// The maximum number of objects of a group that are checked.
const MAX_OBJECTS: usize = 256;

/// The maximum number of objects that use another one and are checked in its place.
const MAX_USERS: usize = 64;

/// The number of seconds after which a fault of something that the input does not show is over if the whole cluster is
/// healthy: controllers retry at least this often.
const SETTLED: i128 = 1000;

/// The number of its mean intervals for which a repeated fault must not be seen to count as over.
const PAUSES: i128 = 2;

/// The number of consecutive failures after which a probe acts, unless `failureThreshold` says otherwise.
pub(super) const PROBE_THRESHOLD: u64 = 3;

const NANOS: i128 = 1_000_000_000;

/// The recency of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Recency {
    /// The last output of the object shows it, or it was seen shortly before the end.
    Now,
    /// The input shows no time.
    Unknown,
    /// It has not been seen for some time, and for longer than its usual intervals.
    Quiet,
}

/// Decides which faults are over.
pub(super) struct Over<'i> {
    pub catalogue: &'i Catalogue,
    pub snapshots: &'i Snapshots,
    pub graph: &'i Graph,
    pub users: Users<'i>,
    /// The names of the documents.
    pub names: &'i [String],
    /// The latest time of the records of each document, in nanoseconds since 1970.
    pub ends: &'i [Option<i128>],
    /// The time at which the input was collected, or the latest time in it, in nanoseconds since 1970.
    pub now: Option<i128>,
    /// A snapshot of a node if everything that the input shows of its cluster is healthy.
    pub well_cluster: Option<&'i ObjectSnapshot>,
    /// The times at which each signature last matched about each object, whatever the values.
    pub last: LastSeen,
}

/// The times at which each signature last matched about each object.
#[derive(Default)]
pub(super) struct LastSeen {
    of_object: HashMap<(usize, Subject), Moment>,
    /// The latest time of a hit of each document, in nanoseconds since 1970.
    of_document: HashMap<usize, i128>,
}

impl LastSeen {
    pub fn new(groups: &[Group]) -> LastSeen {
        let mut last = LastSeen::default();
        for group in groups {
            if let Some(seen) = group.last {
                let known = last
                    .of_object
                    .entry((group.signature, group.subject.clone()));
                let known = known.or_insert(seen);
                *known = known.later(seen);
            }
            for hit in &group.hits {
                if let Some(Moment::At(stamp)) = hit.last {
                    let known = last.of_document.entry(hit.document).or_insert(stamp.nanos);
                    *known = stamp.nanos.max(*known);
                }
            }
        }
        last
    }

    fn of_document(&self, document: usize) -> Option<i128> {
        self.of_document.get(&document).copied()
    }

    fn of(&self, group: &Group) -> Option<Moment> {
        self.of_object
            .get(&(group.signature, group.subject.clone()))
            .copied()
    }
}

impl Over<'_> {
    /// Returns the hit that shows a group to be over; `None` unless each of its objects is.
    pub fn shown(&self, group: &Group) -> Option<Hit> {
        // a cause's id shows whether the fault is that an object does not exist
        let is_absence = self
            .catalogue
            .at(group.signature)
            .cause
            .ends_with("-missing");
        let mut shown: Option<Hit> = None;
        let mut seen: Vec<&Subject> = Vec::new();
        for hit in proofs(group).rev() {
            if seen.contains(&&*hit.subject) {
                continue;
            }
            seen.push(&hit.subject);
            if seen.len() > MAX_OBJECTS {
                return None;
            }
            if self.is_gone(group, hit) {
                shown.get_or_insert_with(|| hit.clone());
                continue;
            }
            let snapshot = match self.snapshots.completed_job(&hit.subject) {
                Some(job) => job,
                None => self.well_since(group, hit, is_absence)?,
            };
            shown.get_or_insert_with(|| Hit {
                document: snapshot.document(),
                place: snapshot.place.clone(),
                ..hit.clone()
            });
        }
        shown
    }

    /// Returns how recently the fault of a group was seen.
    pub fn recency(&self, group: &Group) -> Recency {
        let pause = PAUSES * Course::of(group).pause();
        let is_well = |hit: &Hit| {
            let current = self.snapshots.current(&hit.subject);
            current.is_some_and(|snapshot| snapshot.state.health == Health::Well)
        };
        let of_hit = |hit: &Hit| match self.age_in_stream(group, hit) {
            _ if hit.is_state && !is_well(hit) && !self.snapshots.is_outdated(hit) => Recency::Now,
            Some(age) if age <= LONG_QUIET.max(pause) => Recency::Now,
            Some(_) => Recency::Quiet,
            None if hit.is_state && !self.snapshots.is_outdated(hit) => Recency::Now,
            None => Recency::Unknown,
        };
        let all = proofs(group).map(of_hit);
        all.min().unwrap_or(Recency::Unknown)
    }

    /// The seconds from the last sign of a fault to the end of the input; for a log, to the end of that log.
    fn age_in_stream(&self, group: &Group, last: &Hit) -> Option<i128> {
        let age = self.age(group, last)?;
        let of_records = self.ends.get(last.document).copied().flatten();
        // sections of a log need not be in order of time
        let end = of_records.max(self.last.of_document(last.document));
        let end = end.filter(|_| last.format.is_log());
        let before_now = self.now.zip(end).map(|(now, end)| (now - end) / NANOS);
        Some(age - before_now.unwrap_or(0).max(0))
    }

    /// Returns true if a fault is about a pod or a namespace that has been deleted: the input lists the namespaces of
    /// the cluster, or the pods of the namespace or of the node, without it.
    fn is_gone(&self, group: &Group, last: &Hit) -> bool {
        let pod = &last.subject;
        let is_named = pod.kind.as_deref() == Some("Pod") && pod.name.is_some();
        let namespace = pod.namespace.as_deref();
        let age = self.age(group, last);
        if age.is_none_or(|age| age < 0) || self.workload(pod).is_some_and(has_status) {
            return false;
        }
        // whatever prevents pods from being created leaves a namespace empty too
        let family = self.catalogue.at(group.signature).family();
        let is_of_pods = !matches!(family, "api" | "workload" | "none");
        let is_deserted = |namespace: &str| {
            self.snapshots.is_namespace_gone(namespace)
                || (is_of_pods && self.snapshots.is_emptied(namespace))
        };
        let of_group = group.subject.namespace.as_deref();
        if of_group.or(namespace).is_some_and(is_deserted) {
            return true;
        }
        let current = self.snapshots.current(pod);
        let is_listed = namespace.is_some_and(|namespace| self.snapshots.lists_pods(namespace));
        (is_named && is_listed && current.is_none())
            || (is_named
                && age.is_some_and(|age| age >= QUIET)
                && !current.is_some_and(has_status)
                && self.snapshots.is_gone_from_node(pod))
    }

    /// Returns the snapshot that shows the fault to be over for the object of its last hit.
    fn well_since(&self, group: &Group, last: &Hit, is_absence: bool) -> Option<&ObjectSnapshot> {
        let age = self.age(group, last)?;
        let course = Course::of_object(group, &last.subject);
        let about = [&group.subject, &last.subject];
        for subject in about {
            if let Some(snapshot) = self.snapshots.current(subject) {
                match snapshot.state.health {
                    Health::Well => {
                        return self
                            .is_quiet((group, course), snapshot, subject, age)
                            .then_some(snapshot);
                    }
                    Health::Unwell => return None,
                    Health::Present if is_absence && age >= QUIET => return Some(snapshot),
                    // failed operations are retried, with pauses of up to a quarter of an hour
                    Health::Present
                        if last.reason.is_some() && age >= RETRIED.max(3 * course.lasted) =>
                    {
                        return Some(snapshot);
                    }
                    Health::Present => {}
                }
            }
        }
        if is_absence && age >= QUIET {
            let mut namespaces = about
                .iter()
                .filter(|subject| subject.kind.as_deref() == Some("Namespace"));
            let found = namespaces
                .find_map(|namespace| self.snapshots.any_in_namespace(namespace.name.as_deref()?));
            if found.is_some() {
                return found;
            }
        }
        if let Some(found) = about
            .iter()
            .find_map(|subject| self.users((group, course), subject, age))
        {
            return found;
        }
        let workload = about.iter().find_map(|subject| self.workload(subject));
        // the node stands for a pod that the input does not show, if the node is at fault
        let family = self.catalogue.at(group.signature).family();
        let is_of_node = last.subject.name.is_none() || matches!(family, "node" | "sandbox");
        let node = || {
            let node = last.subject.node.as_deref().filter(|_| is_of_node)?;
            self.snapshots.current_node(node)
        };
        let writer = || {
            let of_document = self.graph.of_document(self.names.get(last.document)?);
            let of_document = of_document.and_then(|writer| self.snapshots.current(&writer));
            let mut pods = last
                .writers
                .iter()
                .map(|name| Subject::new("Pod", None, name));
            let named = || pods.find_map(|pod| self.snapshots.current(&pod));
            of_document.or_else(named).filter(|_| last.format.is_log())
        };
        let Some(snapshot) = workload.or_else(node).or_else(writer) else {
            return self.well_cluster.filter(|_| age >= course.settling());
        };
        let is_over = snapshot.state.health == Health::Well
            && self.is_quiet((group, course), snapshot, &Subject::default(), age);
        is_over.then_some(snapshot)
    }

    /// Returns the workload of a pod or ReplicaSet that the input does not show because it was replaced.
    fn workload(&self, subject: &Subject) -> Option<&ObjectSnapshot> {
        let kinds = match subject.kind.as_deref()? {
            "Pod" => ["Deployment", "DaemonSet", "StatefulSet"].as_slice(),
            "ReplicaSet" => &["Deployment"],
            _ => return None,
        };
        let name = subject
            .workload()
            .filter(|name| Some(*name) != subject.name.as_deref())?;
        let of_kind = |kind: &&str| {
            let workload = Subject::new(kind, subject.namespace.as_deref(), name);
            self.snapshots.current(&workload)
        };
        kinds.iter().find_map(of_kind)
    }

    /// Returns the snapshot of one of the objects that use another one, if all of them are healthy. The outer `Option`
    /// is `None` if no user is known.
    fn users(
        &self,
        group: (&Group, Course),
        subject: &Subject,
        age: i128,
    ) -> Option<Option<&ObjectSnapshot>> {
        let users = self.users.of(subject, MAX_USERS);
        let mut known = users.iter().filter_map(|user| self.snapshots.current(user));
        let first = known.next()?;
        let is_over = |snapshot: &ObjectSnapshot| {
            snapshot.state.health == Health::Well
                && self.is_quiet(group, snapshot, &Subject::default(), age)
        };
        Some((is_over(first) && known.all(is_over)).then_some(first))
    }

    /// The seconds since a fault of an object was last seen.
    fn age(&self, group: &Group, last: &Hit) -> Option<i128> {
        // another value of the same fault shows that it continues
        let others = self.last.of(group).filter(|seen| Some(*seen) != group.last);
        let counted = group.last.filter(|_| group.more > 0).or(others);
        let seen = match (last.last, counted) {
            (Some(last), Some(counted)) => Some(last.later(counted)),
            // a log record without a time takes that of the group
            (None, None) if last.format.is_log() => group.last,
            (last, counted) => last.or(counted),
        };
        if seen.is_none()
            && let Some(ended) = last.ended
        {
            return Some((self.now? - ended) / NANOS);
        }
        match seen? {
            Moment::At(stamp) => Some((self.now? - stamp.nanos) / NANOS),
            Moment::Ago(seconds) => Some(i128::from(seconds)),
        }
    }

    /// Returns true if a fault was last seen so long ago that its object, which is healthy, has recovered.
    fn is_quiet(
        &self,
        (group, course): (&Group, Course),
        snapshot: &ObjectSnapshot,
        subject: &Subject,
        age: i128,
    ) -> bool {
        let state = &snapshot.state;
        let mut containers = state.containers.iter();
        let container = subject.container.as_ref();
        let container = container.and_then(|name| containers.find(|known| known.name == *name));
        let since = container.map_or(state.since, |container| container.started);
        // at most as long as the object has been healthy
        let well_for = self
            .now
            .zip(since)
            .map(|(now, since)| (now - since) / NANOS);
        let recovered = well_for.is_some_and(|well_for| well_for <= age);
        let quiet = well_for.filter(|_| recovered).unwrap_or(age);
        let mut needed = match recovered {
            true => QUIET.max(PAUSES * course.pause()),
            false => course.quiet(),
        };
        let restarts = container.map_or(snapshot.restarts(), |container| container.restarts);
        if group.hits.iter().all(is_probe) && restarts == 0 && course.count < PROBE_THRESHOLD {
            // too few failures for the probe to act, and no sign of them in the object's state
            return true;
        }
        let family = self.catalogue.at(group.signature).family();
        if recovered && restarts > 0 && matches!(family, "container" | "workload") {
            // it may be restarted again after running for as long as before
            let lived = self
                .now
                .zip(state.created)
                .map(|(now, created)| (now - created) / NANOS);
            let each = lived.map_or(0, |lived| lived / i128::from(restarts + 1));
            needed = needed.max(LONG_QUIET).max(each.min(STABLE));
        }
        quiet >= needed
    }
}

/// The seconds since events were last seen, with their course.
fn age_and_course(
    (first, last): (Option<Moment>, Option<Moment>),
    count: u64,
    now: Option<i128>,
) -> Option<(i128, Course)> {
    let age = match last? {
        Moment::At(stamp) => (now? - stamp.nanos) / NANOS,
        Moment::Ago(seconds) => i128::from(seconds),
    };
    let lasted = seconds(first, last);
    Some((age, Course { lasted, count }))
}

/// Returns true if events about a healthy object have not been seen for so long that they are over.
pub(super) fn is_quiet(
    seen: (Option<Moment>, Option<Moment>),
    count: u64,
    now: Option<i128>,
) -> Option<bool> {
    let (age, course) = age_and_course(seen, count, now)?;
    Some(age >= course.quiet())
}

/// Returns true if events in a healthy cluster have not been seen for so long that they are over, whatever they are
/// about.
pub(super) fn is_settled(
    seen: (Option<Moment>, Option<Moment>),
    count: u64,
    now: Option<i128>,
) -> Option<bool> {
    let (age, course) = age_and_course(seen, count, now)?;
    Some(age >= course.settling())
}

/// Returns true if a hit is the event of a failed probe.
fn is_probe(hit: &Hit) -> bool {
    hit.reason.as_deref() == Some("Unhealthy") || !hit.leads
}

/// Returns true if an object was read from a cluster: a manifest has no status, so no health.
fn has_status(snapshot: &ObjectSnapshot) -> bool {
    snapshot.state.health != Health::Present
}

/// The hits that prove the fault, without accompanying details.
pub(super) fn proofs(group: &Group) -> impl DoubleEndedIterator<Item = &Hit> {
    let has_leading = group.hits.iter().any(|hit| hit.leads);
    let is_proof = move |hit: &&Hit| hit.leads || !has_leading;
    group.hits.iter().filter(is_proof)
}

/// The duration and the number of occurrences of a fault.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    /// The seconds from the first to the last occurrence.
    lasted: i128,
    count: u64,
}

impl Course {
    fn of(group: &Group) -> Course {
        Course {
            lasted: seconds(group.first, group.last),
            count: group.count,
        }
    }

    /// The course of the fault of one object, or of the whole group if some of its hits were not kept.
    fn of_object(group: &Group, subject: &Subject) -> Course {
        if group.more > 0 {
            return Course::of(group);
        }
        let own = || group.hits.iter().filter(|hit| *hit.subject == *subject);
        let first = own().filter_map(|hit| hit.first).reduce(Moment::earlier);
        let last = own().filter_map(|hit| hit.last).reduce(Moment::later);
        Course {
            lasted: seconds(first, last),
            count: own().map(|hit| hit.count).sum(),
        }
    }

    /// The seconds without it after which it is over if its object was healthy all along.
    fn quiet(self) -> i128 {
        let needed = match self.lasted <= BURST {
            true => BURST_QUIET,
            false => LONG_QUIET.max(self.lasted / 2),
        };
        needed.max(PAUSES * self.pause())
    }

    /// The seconds without it after which it is over if the whole cluster is healthy.
    fn settling(self) -> i128 {
        SETTLED.max(3 * self.lasted).max(PAUSES * self.pause())
    }

    /// The mean number of seconds between two occurrences.
    fn pause(self) -> i128 {
        match self.count {
            0 | 1 => 0,
            count => self.lasted / i128::from(count - 1),
        }
    }
}

fn seconds(first: Option<Moment>, last: Option<Moment>) -> i128 {
    match (first, last) {
        (Some(first), Some(last)) => first.distance(&last).unwrap_or(0.0) as i128,
        _ => 0,
    }
}
