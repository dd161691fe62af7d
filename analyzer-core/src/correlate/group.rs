//! Groups the matches of one signature about one object.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::matcher::{Hit, Match, Moment};
use crate::sort;
use kwhy_catalogue::Catalogue;
use kwhy_model::{Format, Subject};
use kwhy_signature::Signature;

use super::identity::{agree, distinct};
use super::{Graph, Surplus, render};

/// The maximum number of groups of one signature and name that are searched for a more specific
/// one.
const MAX_RIVALS: usize = 64;

/// Captured values by name.
pub(super) type Values = Vec<(String, String)>;

/// The matches of one signature about one object.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The signature's index in the catalogue.
    pub signature: usize,
    /// The indices of community rules with the same cause about the same records.
    pub rules: Vec<usize>,
    /// The object at fault.
    pub subject: Subject,
    /// Further objects with the same fault.
    pub others: Vec<Subject>,
    /// True if its signature matched more objects than are distinguished.
    pub others_at_least: bool,
    /// The match that fills the templates.
    pub best: Match,
    /// The hits that prove it, in input order, deduplicated.
    pub hits: Vec<Hit>,
    /// The number of further hits that were counted but not kept.
    pub more: u64,
    /// The captured values that distinguish it from other faults of the same object.
    pub values: Vec<(String, String)>,
    pub count: u64,
    /// The differing values of further faults of the object.
    pub variants: Vec<Values>,
    /// True if `count` is a lower bound.
    pub at_least: bool,
    /// True if its program continued, and ended later for a different reason.
    pub survived: bool,
    /// True if it would be a fault only if something suffered from it, and nothing in the input does.
    pub is_note: bool,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

/// Groups the matches of one signature about one object. Also returns, by signature, the number of
/// counted matches that may belong to several groups.
pub(crate) fn group(
    catalogue: &Catalogue,
    matches: Vec<(usize, Match)>,
    surplus: Vec<Surplus>,
    graph: &Graph,
) -> (Vec<Group>, Vec<(usize, u64)>) {
    let subjects = matches
        .iter()
        .map(|(number, found)| render::subject(catalogue.at(*number), found));
    let namespaces = Namespaces::of(subjects.collect::<Vec<_>>().iter());
    let mut groups: Vec<Group> = Vec::new();
    let mut by_key: HashMap<(usize, Subject, Values), usize> = HashMap::new();
    let mut by_record: HashMap<(usize, (usize, usize)), usize> = HashMap::new();
    for (number, found) in matches {
        let mut subject = render::subject(catalogue.at(number), &found);
        namespaces.complete(&mut subject, graph);
        let record = found.primary().record_at();
        let values = distinct(catalogue.at(number), &found);
        let at = match by_key.entry((number, key(&subject), values.clone())) {
            Entry::Occupied(known) => {
                groups[*known.get()].add(found);
                *known.get()
            }
            Entry::Vacant(free) => {
                groups.push(Group::new(number, subject, values, found));
                *free.insert(groups.len() - 1)
            }
        };
        if !surplus.is_empty() {
            by_record.insert((number, record), at);
        }
    }
    // counted matches belong to the group of the kept ones, unless an overlap took all of those
    let mut unplaced = Vec::new();
    for more in surplus {
        let kept = more.kept.iter();
        let mut of: Vec<usize> = kept
            .filter_map(|record| by_record.get(&(more.signature, *record)).copied())
            .collect();
        of.sort_unstable();
        of.dedup();
        match of.as_slice() {
            [] => {}
            [only] => {
                groups[*only].at_least |= more.at_least;
                groups[*only].count_more(more.count, more.first, more.last);
            }
            several => {
                unplaced.push((more.signature, more.count));
                several.iter().for_each(|at| groups[*at].at_least = true);
            }
        }
    }
    about_nodes(catalogue, &mut groups);
    merge_vague(&mut groups);
    for group in &mut groups {
        group.settle();
    }
    (groups, unplaced)
}

/// The namespaces in which matches place objects, by kind and name; `None` for names that occur in several.
struct Namespaces(HashMap<(String, String), Option<String>>);

impl Namespaces {
    fn of<'s>(subjects: impl Iterator<Item = &'s Subject>) -> Namespaces {
        let mut known: HashMap<(String, String), Option<String>> = HashMap::new();
        for subject in subjects {
            let (Some(kind), Some(name), Some(namespace)) =
                (&subject.kind, &subject.name, &subject.namespace)
            else {
                continue;
            };
            match known.entry((kind.clone(), name.clone())) {
                Entry::Vacant(free) => drop(free.insert(Some(namespace.clone()))),
                Entry::Occupied(mut other) if other.get().as_ref() != Some(namespace) => {
                    other.insert(None);
                }
                Entry::Occupied(_) => {}
            }
        }
        Namespaces(known)
    }

    /// Sets the namespace of an object whose record names none, if all objects of its kind and name are in one.
    fn complete(&self, subject: &mut Subject, graph: &Graph) {
        let (Some(kind), Some(name), None) = (&subject.kind, &subject.name, &subject.namespace)
        else {
            return;
        };
        if !subject.is_cluster_scoped() {
            let named = self.0.get(&(kind.clone(), name.clone()));
            subject.namespace = match named {
                Some(named) => named.clone(),
                None => graph.namespace_of(subject),
            };
        }
    }
}

/// The number of times that a fault occurred. A failure and the reaction to it are cluster events with different
/// reasons, but one fault.
fn happened<'h>(hits: impl Iterator<Item = &'h Hit>) -> u64 {
    let mut others = 0;
    let mut of_reasons: HashMap<&str, u64> = HashMap::new();
    for hit in hits {
        match hit.reason.as_deref().filter(|_| !hit.format.is_log()) {
            Some(reason) => *of_reasons.entry(reason).or_default() += hit.occurrences(),
            None => others += hit.occurrences(),
        }
    }
    others + of_reasons.into_values().max().unwrap_or_default()
}

/// Moves the groups of node faults to the node, whichever pod's event reports them.
fn about_nodes(catalogue: &Catalogue, groups: &mut Vec<Group>) {
    let mut at: HashMap<(usize, String, Values), usize> = HashMap::new();
    let all = std::mem::take(groups);
    for mut group in all {
        let signature = catalogue.at(group.signature);
        let node = group.subject.node.clone();
        let is_of_node = signature.family() == "node" && signature.subject.is_none();
        let Some(node) = node.filter(|_| is_of_node) else {
            groups.push(group);
            continue;
        };
        group.subject = Subject::new("Node", None, &node);
        let of_node = (group.signature, node, group.values.clone());
        match at.get(&of_node) {
            Some(&known) => groups[known].join(group),
            None => {
                at.insert(of_node, groups.len());
                groups.push(group);
            }
        }
    }
    // a pod on an unknown node belongs to the only node with this fault
    let of_one_node = |vague: &Group, clear: &Group| {
        let (vague, clear) = (&vague.subject, &clear.subject);
        let is_pod = vague.kind.as_deref() == Some("Pod");
        is_pod && vague.node.is_none() && clear.kind.as_deref() == Some("Node")
    };
    let is_of_node = |group: &Group| {
        let signature = catalogue.at(group.signature);
        let is_of_node = signature.family() == "node" && signature.subject.is_none();
        // other groups stay separate
        Some(if is_of_node {
            String::new()
        } else {
            group.subject.to_string()
        })
    };
    merge_into_only(groups, is_of_node, of_one_node);
}

/// The object of a match, as it distinguishes groups of one signature.
pub(crate) fn object_of(signature: &Signature, found: &Match) -> Subject {
    Subject {
        node: None,
        ..render::subject(signature, found)
    }
}

/// The identity of an object: a pod's containers are distinct; nodes are ignored except for systemd units, whose names
/// repeat on every machine.
fn key(subject: &Subject) -> Subject {
    let is_unit = subject.kind.as_deref() == Some("Unit");
    Subject {
        node: subject.node.clone().filter(|_| is_unit),
        ..subject.clone()
    }
}

/// Merges each group into the only one of its signature that says more about the same object: it
/// adds captured values, a namespace or container, or a name where this one has none.
fn merge_vague(groups: &mut Vec<Group>) {
    let same_name = |group: &Group| group.subject.name.clone();
    merge_into_only(groups, same_name, |vague, clear| {
        vague.values.len() < clear.values.len() && key(&vague.subject) == key(&clear.subject)
    });
    merge_into_only(groups, same_name, |vague, clear| {
        let (vague, clear) = (&vague.subject, &clear.subject);
        let completes =
            |mine: &Option<String>, theirs: &Option<String>| mine.is_none() || mine == theirs;
        vague.name.is_some()
            && vague.name == clear.name
            && key(vague) != key(clear)
            && completes(&vague.kind, &clear.kind)
            && completes(&vague.namespace, &clear.namespace)
            && completes(&vague.container, &clear.container)
    });
    merge_into_only(
        groups,
        |_| None,
        |vague, clear| vague.subject.name.is_none() && clear.subject.name.is_some(),
    );
}

/// Merges each group into the group of its signature and bucket that supersedes it, if there is
/// exactly one.
fn merge_into_only(
    groups: &mut Vec<Group>,
    bucket: impl Fn(&Group) -> Option<String>,
    gives_way: impl Fn(&Group, &Group) -> bool,
) {
    let mut buckets: HashMap<(usize, Option<String>), Vec<usize>> = HashMap::new();
    for (at, group) in groups.iter().enumerate() {
        let key = (group.signature, bucket(group));
        buckets.entry(key).or_default().push(at);
    }
    let mut into: Vec<Option<usize>> = vec![None; groups.len()];
    for rivals in buckets.values().filter(|rivals| rivals.len() <= MAX_RIVALS) {
        for &mine in rivals {
            let mut clearer = rivals
                .iter()
                .filter(|other| gives_way(&groups[mine], &groups[**other]))
                .filter(|other| agree(&groups[mine].values, &groups[**other].values));
            into[mine] = clearer.next().copied().filter(|_| clearer.next().is_none());
        }
    }
    // a merged group may be the only candidate of a third
    let root = |mut at: usize| {
        for _ in 0..into.len() {
            match into[at] {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    };
    let mut all: Vec<Option<Group>> = std::mem::take(groups).into_iter().map(Some).collect();
    for (mine, clear) in into.iter().enumerate() {
        if clear.is_some()
            && let Some(vague) = all[mine].take()
            && let Some(clear) = &mut all[root(mine)]
        {
            clear.join(vague);
        }
    }
    groups.extend(all.into_iter().flatten());
}

impl Group {
    fn new(signature: usize, subject: Subject, values: Values, found: Match) -> Group {
        let hits = found.hits.clone();
        Group {
            signature,
            subject,
            others: Vec::new(),
            others_at_least: false,
            rules: Vec::new(),
            best: found,
            hits,
            more: 0,
            values,
            variants: Vec::new(),
            count: 0,
            at_least: false,
            survived: false,
            is_note: false,
            first: None,
            last: None,
        }
    }

    fn add(&mut self, found: Match) {
        self.hits.extend(found.hits.iter().cloned());
        self.show(found);
    }

    /// Merges a group of the same object.
    fn join(&mut self, other: Group) {
        self.hits.extend(other.hits);
        self.count_more(other.more, other.first, other.last);
        self.at_least |= other.at_least;
        self.show(other.best);
    }

    /// Takes a community rule with the same cause about the same records.
    pub(super) fn join_rule(&mut self, rule: Group) {
        self.rules.push(rule.signature);
        self.rules.extend(rule.rules);
    }

    /// Replaces the best match if this one is more informative.
    fn show(&mut self, found: Match) {
        if self.informativeness(&found) > self.informativeness(&self.best) {
            self.best = found;
        }
    }

    /// Ranks a match by how much it says about the fault. Events say more than states.
    fn informativeness(&self, found: &Match) -> (u8, usize, bool) {
        let happened = !found.primary().is_state;
        (self.witness(found), found.captures.len(), happened)
    }

    /// Ranks the reporter by its closeness to the fault: others report about the object, it reports
    /// about itself, the kernel carries out requests.
    fn witness(&self, found: &Match) -> u8 {
        let primary = found.primary();
        let subject = &primary.subject;
        let own = subject.name.is_some()
            && subject.kind == self.subject.kind
            && subject.name == self.subject.name;
        match primary.component.as_deref() {
            _ if primary.format == Format::Kernel => 2,
            Some("kernel") => 2,
            _ => u8::from(own),
        }
    }

    /// Merges a group of the same object with different captured values.
    pub fn take_variant(&mut self, mut other: Group) {
        // the more informative one is shown; on a tie the first in the input
        let position = |group: &Group| Reverse(group.best.primary().position());
        let (mine, theirs) = (
            self.informativeness(&self.best),
            self.informativeness(&other.best),
        );
        if (theirs, position(&other)) > (mine, position(self)) {
            std::mem::swap(&mut self.best, &mut other.best);
            std::mem::swap(&mut self.values, &mut other.values);
        }
        self.variants.push(std::mem::take(&mut other.values));
        self.take_all(other);
    }

    /// Merges a group with the same fault of another object.
    pub fn take(&mut self, mut other: Group) {
        self.others.push(std::mem::take(&mut other.subject));
        self.take_all(other);
    }

    fn take_all(&mut self, other: Group) {
        self.others.extend(other.others);
        self.variants.extend(other.variants);
        self.at_least |= other.at_least;
        self.hits.extend(other.hits);
        self.count_more(other.more, other.first, other.last);
    }

    fn count_more(&mut self, count: u64, first: Option<Moment>, last: Option<Moment>) {
        self.more += count;
        self.first = self.first.into_iter().chain(first).reduce(Moment::earlier);
        self.last = self.last.into_iter().chain(last).reduce(Moment::later);
    }

    /// Sorts and counts its hits.
    pub fn settle(&mut self) {
        let mut seen = HashSet::new();
        sort::by_key(&mut self.hits, |hit| (hit.position(), !hit.leads));
        self.hits
            .retain(|hit| seen.insert((hit.document, hit.record.start, hit.mark.start)));
        // parts of one proof count once
        let mut records = HashSet::new();
        let leading = self
            .hits
            .iter()
            .filter(|hit| hit.leads && records.insert((hit.document, hit.record.start)));
        let kept = match self.more {
            0 => happened(leading),
            // hits that were not kept have no known reason
            _ => leading.map(Hit::occurrences).sum(),
        };
        let shown: HashSet<&Subject> = self.hits.iter().map(|hit| &*hit.subject).collect();
        // if only states prove it, each object counts once
        self.count = match kept + self.more {
            0 => shown.len().max(1) as u64,
            happened => happened,
        };
        // prefer absolute times: ages have a different zero in each output
        let moments = |own: Option<Moment>, pick: fn(&Hit) -> Option<Moment>| {
            let all: Vec<Moment> = self.hits.iter().filter_map(pick).chain(own).collect();
            let absolute: Vec<Moment> = all
                .iter()
                .copied()
                .filter(|m| matches!(m, Moment::At(_)))
                .collect();
            if absolute.is_empty() { all } else { absolute }
        };
        self.first = moments(self.first, |hit| hit.first)
            .into_iter()
            .reduce(Moment::earlier);
        self.last = moments(self.last, |hit| hit.last)
            .into_iter()
            .reduce(Moment::later);
    }
}
