//! The relation of two findings: by their objects, the dependencies of these, and their times.

use std::collections::BTreeSet;

use crate::matcher::{Hit, Moment, node, related, subjects_agree};
use kwhy_catalogue::Catalogue;
use kwhy_model::Subject;
use kwhy_signature::{Needs, Scope};

use super::super::graph::plain;
use super::super::name_match;
use super::super::render;
use super::rules::Allowed;
use super::{Graph, Group, MAX_HITS, MAX_SEARCHED, Named, Reach, Why};

/// The maximum number of objects of a group that are considered.
const MAX_SUBJECTS: usize = 64;

/// The closeness of a fault that occurs in the same log but is not a reason.
pub(super) const NEIGHBOUR: u8 = 0;

/// The minimum length in bytes of a name or error link for its repetition not to be a coincidence.
const MIN_QUOTE: usize = 8;

/// The delay in seconds with which controllers and kubelets may report.
const DELAY: f64 = 600.0;

/// Two groups, the first of which may explain the second.
pub(super) struct Pair<'g> {
    pub cause: &'g Group,
    pub symptom: &'g Group,
    /// The objects of the cause.
    pub mine: &'g [Named],
    /// The objects of the symptom.
    pub theirs: &'g [Named],
    /// The endpoints that the symptom could not reach.
    pub needed: &'g [Named],
    /// The objects that the first objects of the cause and of the symptom depend on.
    pub reached: (&'g [Reach<'g>], &'g [Reach<'g>]),
    /// The objects that the first unreachable endpoints of each depend on.
    pub reached_by_calls: (&'g [Reach<'g>], &'g [Reach<'g>]),
    /// The names of the pods that the symptom cannot work without.
    pub providers: &'g [Provider],
    /// The names by which the cause is known.
    pub known_by: &'g [String],
    /// The hosts of the cause and of the symptom.
    pub hosts: (&'g BTreeSet<String>, &'g BTreeSet<String>),
    /// True if the symptom refers to an address whose owner is unknown.
    pub calls_unknown: bool,
}

impl Pair<'_> {
    /// Returns the closeness and the reason if the first group explains the second; [`NEIGHBOUR`]
    /// if it would, but the second one names a different cause itself.
    pub fn relation(&self, rule: Allowed, graph: &Graph) -> Option<(u8, Why)> {
        if self.is_apart_in_time() {
            return None;
        }
        let on = rule.on;
        // effects on callers appear in the callers' own records
        if !rule.apart && self.is_same_event() {
            return Some((5, "same event".into()));
        }
        if rule.quoting && self.is_in_same_log() {
            let (closeness, why) = if self.quotes() {
                (4, "quotes its error")
            } else {
                (NEIGHBOUR, "same log")
            };
            return Some((closeness, why.into()));
        }
        if rule.only_host {
            return self.same_host();
        }
        if let Some(subject) = self.kin(false).filter(|_| !rule.apart) {
            return Some((4, format!("same object: {subject}").into()));
        }
        if on >= Scope::Owner {
            if let Some(subject) = self.kin(true).filter(|_| !rule.apart) {
                let workload = subject.workload().unwrap_or_default();
                return Some((3, format!("same workload: {workload}").into()));
            }
            if let Some(provider) = self.provider() {
                return Some((2, format!("needs {provider}").into()));
            }
            if let Some((steps, why)) = self.path(rule.is_called) {
                return Some((if steps == 1 { 3 } else { 2 }, why.into()));
            }
            let mut named = name_match::mentioned(self.known_by, self.symptom);
            if let Some(name) = named.take_if(|_| !rule.apart) {
                return Some((2, format!("names {name}").into()));
            }
        }
        if rule.at_host {
            if let Some(same) = self.same_host() {
                return Some(same);
            }
            // each involves a different host
            if rule.host_decides && !self.hosts.0.is_empty() && !self.hosts.1.is_empty() {
                return None;
            }
        }
        if let Some(callee) = self.likely_callee(graph).filter(|_| rule.is_called) {
            return Some((1, format!("calls an address as {callee} has one").into()));
        }
        if rule.apart {
            return None;
        }
        // both name their objects, and these differ
        if !self.mine.is_empty() && !self.theirs.is_empty() && on <= Scope::Owner {
            return None;
        }
        // a callee does not depend on its caller
        let is_called = |b: &Named| {
            let mut needed = self.reached_by_calls.0.iter();
            needed.any(|a| a.path_to(b).is_some())
        };
        if self.theirs.iter().take(MAX_SEARCHED).any(is_called) {
            return None;
        }
        if self.hits().any(|(a, b)| related(a, b, on)) {
            let why = match on {
                Scope::Node => "same node",
                Scope::Input => "same cluster",
                _ => "same input",
            };
            return Some((1, why.into()));
        }
        None
    }

    /// Returns the host that both involve.
    fn same_host(&self) -> Option<(u8, Why)> {
        let host = self.hosts.0.intersection(self.hosts.1).next()?;
        Some((2, format!("same host: {host}").into()))
    }

    /// Returns the Service at fault if it is in the namespace of a symptom that calls an unknown
    /// address, and is not the symptom's own.
    fn likely_callee(&self, graph: &Graph) -> Option<&Subject> {
        if !self.calls_unknown {
            return None;
        }
        let callee = self.mine.iter().find(|(_, subject)| {
            let is_serving = matches!(subject.kind.as_deref(), Some("Service" | "Endpoints"));
            let mut theirs = self.theirs.iter();
            let is_near = |b: &Named| subject.namespace == b.1.namespace;
            is_serving && subject.namespace.is_some() && theirs.any(is_near)
        })?;
        let mut theirs = self.theirs.iter().take(MAX_SEARCHED);
        let is_own = theirs.any(|b| graph.path(callee, b).is_some());
        (!is_own).then_some(&callee.1)
    }

    /// Returns the pod at fault if the symptom cannot work without it.
    fn provider(&self) -> Option<&Subject> {
        let provides = |(_, subject): &&Named| {
            let name = subject.name.as_deref().unwrap_or_default();
            let mut providers = self.providers.iter();
            subject.kind.as_deref() == Some("Pod")
                && providers.any(|wanted| {
                    wanted.is(name)
                        && (wanted.on != Scope::Node || !self.hits().all(are_on_other_nodes))
                })
        };
        self.mine.iter().find(provides).map(|(_, subject)| subject)
    }

    /// Returns the relation if both describe one fault in different words.
    pub fn same_fault(&self) -> Option<(u8, Why)> {
        let why = || Some((2, "the same fault in other words".into()));
        if self.is_apart_in_time() {
            return None;
        }
        if self.kin(true).is_some() {
            return why();
        }
        // about a node, or about nothing that has a name
        let is_wide = |named: &[Named]| {
            let mut kinds = named.iter().map(|(_, subject)| subject.kind.as_deref());
            kinds.all(|kind| kind == Some("Node"))
        };
        if (is_wide(self.mine) || is_wide(self.theirs)) && !self.hits().all(are_on_other_nodes) {
            return why();
        }
        None
    }

    /// Returns the shortest path from an object of the symptom to one of the cause. A callee does
    /// not depend on its caller.
    fn path(&self, is_called: bool) -> Option<(usize, String)> {
        let to = || self.mine.iter().zip(self.reached.0);
        let from = self.theirs.iter().zip(self.reached.1);
        let ways =
            from.flat_map(|b| to().map(move |a| (a, b)))
                .filter_map(|((a, by_a), (b, by_b))| {
                    // a dependency may also fail for lack of its dependant: a claim for its pod
                    let back = || {
                        let path = by_a.path_to(b).filter(|_| !is_called);
                        path.filter(|(steps, _)| *steps == 1)
                    };
                    by_b.path_to(a).or_else(back)
                });
        let needed = self.needed.iter().zip(self.reached_by_calls.1);
        let over_needed = needed
            .flat_map(|b| to().map(move |(a, _)| (a, b)))
            .filter_map(|(a, (b, by_b))| {
                if subjects_agree(&a.1, &b.1, false, false) {
                    return Some((1, format!("needs {}", a.1)));
                }
                let (steps, why) = by_b.path_to(a)?;
                Some((steps + 1, format!("needs {why}")))
            });
        ways.chain(over_needed).min_by_key(|(steps, _)| *steps)
    }

    fn hits(&self) -> impl Iterator<Item = (&Hit, &Hit)> {
        let theirs = || self.symptom.hits.iter().take(MAX_HITS);
        let mine = self.cause.hits.iter().take(MAX_HITS);
        mine.flat_map(move |a| theirs().map(move |b| (a, b)))
    }

    fn is_same_event(&self) -> bool {
        self.hits()
            .any(|(a, b)| !a.is_state && a.document == b.document && a.record == b.record)
    }

    /// Returns true if all evidence of both is in records of the same logs, so that proximity is
    /// all that is known.
    fn is_in_same_log(&self) -> bool {
        let is_logged = |hit: &Hit| !hit.is_state && hit.format.is_log();
        let (mine, theirs) = (&self.cause.hits, &self.symptom.hits);
        let documents: BTreeSet<usize> = theirs.iter().map(|hit| hit.document).collect();
        theirs.iter().all(is_logged)
            && mine
                .iter()
                .all(|hit| is_logged(hit) && documents.contains(&hit.document))
    }

    /// Returns true if a record of the symptom repeats a link of the cause's error, or names its
    /// object.
    fn quotes(&self) -> bool {
        let values = self.cause.values.iter().map(|(_, value)| value.as_str());
        let names: Vec<&str> = values.filter(|value| value.len() >= MIN_QUOTE).collect();
        self.hits().any(|(mine, theirs)| {
            let text = theirs.place.text.as_str();
            let proof = mine.place.text.get(mine.place.mark.clone());
            let mut links = proof.unwrap_or_default().split(": ").map(str::trim);
            names.iter().any(|name| text.contains(name))
                || links.any(|link| link.len() >= MIN_QUOTE && text.contains(link))
        })
    }

    /// Returns the object that both share, or the workload that both belong to.
    fn kin(&self, workload: bool) -> Option<&Subject> {
        let agrees = |a: &&Named| {
            let mut theirs = self.theirs.iter();
            theirs.any(|b| subjects_agree(&a.1, &b.1, a.0 == b.0, workload))
        };
        self.mine.iter().find(agrees).map(|(_, subject)| subject)
    }

    fn is_apart_in_time(&self) -> bool {
        are_apart_in_time(self.cause, self.symptom)
    }
}

/// The minimum number of seconds after the last sign of a cause for which a symptom must continue to outlast it, and
/// the minimum number of times that the symptom must be seen.
const OUTLASTED: f64 = 600.0;
const MANY: u64 = 3;

/// Returns true if the cause ended before the symptom started, or started after it had ended.
pub(super) fn are_apart_in_time(cause: &Group, symptom: &Group) -> bool {
    let far = |earlier: Option<_>, later: Option<_>| match (earlier, later) {
        (Some(ended), Some(began)) => is_long_after(&began, &ended),
        _ => false,
    };
    far(cause.last, symptom.first) || far(symptom.last, cause.first)
}

/// Returns true if a symptom recurs, rather than being a state that lasts.
pub(super) fn is_repeated(symptom: &Group) -> bool {
    symptom.count >= MANY && symptom.hits.iter().any(|hit| !hit.is_state)
}

/// Returns true if a symptom continues long after its supposed cause was last seen, so that something else must sustain
/// it.
pub(super) fn outlasts(symptom: &Group, cause: &Group) -> bool {
    let (Some(end), Some(last)) = (symptom.last, cause.last) else {
        return false;
    };
    let lasted = |group: &Group| match (group.first, group.last) {
        (Some(first), Some(last)) => first.distance(&last).unwrap_or(0.0),
        _ => 0.0,
    };
    let gap = end.distance(&last).filter(|_| end.is_comparable(&last));
    symptom.count >= MANY
        && end.is_after(&last) == Some(true)
        && gap.is_some_and(|gap| {
            gap > OUTLASTED
                .max(3.0 * lasted(cause))
                .max(lasted(symptom) / 2.0)
        })
}

fn is_long_after(later: &Moment, earlier: &Moment) -> bool {
    later.is_comparable(earlier)
        && later.is_after(earlier) == Some(true)
        && later
            .distance(earlier)
            .is_some_and(|seconds| seconds > DELAY)
}

/// Returns true if two hits are known to be on different nodes.
fn are_on_other_nodes((a, b): (&Hit, &Hit)) -> bool {
    match (node(&a.subject), node(&b.subject)) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    }
}

/// A pod that another object cannot work without.
pub(super) struct Provider {
    name: String,
    on: Scope,
}

impl Provider {
    /// Returns true if a pod's name equals the wanted one up to its `*`, or shares two words with
    /// it.
    fn is(&self, pod: &str) -> bool {
        if let Some(start) = self.name.strip_suffix('*') {
            return pod.starts_with(start);
        }
        let words = |name: &str| -> Vec<String> {
            name.split(['.', '-', '/']).map(str::to_owned).collect()
        };
        let of_pod = words(pod);
        let wanted = words(&self.name).into_iter();
        wanted.filter(|word| of_pod.contains(word)).count() >= 2
    }
}

/// The pods that a group's signature needs.
pub(super) fn providers(catalogue: &Catalogue, group: &Group) -> Vec<Provider> {
    let about = render::about(&group.best);
    let value = |name: &str| render::value(&group.best, &about, group.count, name);
    let needs = catalogue.at(group.signature).needs.iter();
    let provider = |needed: &Needs| {
        Some(Provider {
            name: needed.pod.fill(value)?,
            on: needed.on,
        })
    };
    needs.filter_map(provider).collect()
}

/// The objects of a group, each with the document that names it: those at fault and those of its
/// events.
pub(super) fn named(group: &Group) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    let document = group.best.primary().document;
    let own = std::iter::once((document, &group.subject));
    for (document, subject) in own.chain(group.hits.iter().map(|hit| (hit.document, &*hit.subject)))
    {
        let named = (document, plain(subject));
        if subject.name.is_some() && all.len() < MAX_SUBJECTS && !all.contains(&named) {
            all.push(named);
        }
    }
    all
}
