//! Which finding explains which.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::matcher::{Hit, Moment, node, related, subjects_agree};
use crate::model::Subject;
use crate::report::Role;
use crate::signature::{Catalogue, Needs, Scope, Signature};

use super::DEFAULT_CONFIDENCE;
use super::fill;
use super::graph::{Graph, Named, plain};
use super::group::Group;
use super::mechanism::{Effects, Mechanisms, reach};
use super::mention;

/// How many objects of a group are looked at.
const MAX_SUBJECTS: usize = 64;

/// Of how many of them it is asked what they depend on.
const MAX_SEARCHED: usize = 8;

/// How many hits of a group are held against those of another.
const MAX_HITS: usize = 16;

/// Of how many groups of one signature it is asked whether they say the same as those of another one.
const MAX_SAME: usize = 8;

/// How many groups of one signature may explain another group.
const MAX_CANDIDATES: usize = 16;

/// Seconds by which controllers and kubelets may report late.
const DELAY: f64 = 600.0;

/// By which group each one is explained, and the words for why.
pub(crate) type Explanations = Vec<Option<(usize, String)>>;

/// What explains what.
pub(crate) struct Explained {
    /// For each group the one that explains it, if any does.
    pub by: Explanations,
    /// How many groups that nothing explains were not held against all that may.
    pub cut: u64,
}

/// A group that may explain another one.
struct Candidate {
    cause: usize,
    /// How near the one is to the other: 5 is the same event, 1 the same cluster.
    closeness: u8,
    why: String,
    /// Whether a symptom explains it only by its mechanism, which tells nothing new unless a cause is behind it.
    weak: bool,
}

/// Finds for each group the one that explains it.
pub(crate) fn explain(
    catalogue: &Catalogue,
    groups: &[Group],
    ended: &[Option<Hit>],
    graph: &Graph,
) -> Explained {
    let rules = Rules::new(catalogue, groups);
    let named: Vec<Vec<Named>> = groups.iter().map(named).collect();
    let needed: Vec<Vec<Named>> = groups.iter().map(|group| graph.needed(group)).collect();
    let calls_unknown: Vec<bool> = groups
        .iter()
        .map(|group| graph.calls_unknown(group))
        .collect();
    let known_by: Vec<Vec<String>> = groups
        .iter()
        .map(|group| mention::names(catalogue, group))
        .collect();
    let providers: Vec<Vec<Provider>> = groups
        .iter()
        .map(|group| providers(catalogue, group))
        .collect();
    let mut of_signature: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        of_signature.entry(group.signature).or_default().push(at);
    }
    let candidates: Vec<Vec<Candidate>> = (0..groups.len())
        .map(|symptom| {
            let own = groups[symptom].signature;
            let few = |all: &Vec<usize>| all.len() <= MAX_SAME;
            of_signature
                .iter()
                .filter(|(other, all)| {
                    rules.between(**other, own).is_some()
                        || (rules.are_same(**other, own) && few(all) && few(&of_signature[&own]))
                })
                .flat_map(|(_, all)| all.iter().copied().take(MAX_CANDIDATES))
                .filter(|cause| *cause != symptom)
                // what is over does not explain what is not
                .filter(|cause| ended[*cause].is_none() || ended[symptom].is_some())
                .filter_map(|cause| {
                    let (a, b) = (&groups[cause], &groups[symptom]);
                    let pair = Pair {
                        cause: a,
                        symptom: b,
                        mine: &named[cause],
                        theirs: &named[symptom],
                        needed: &needed[symptom],
                        providers: &providers[symptom],
                        known_by: &known_by[cause],
                        calls_unknown: calls_unknown[symptom],
                    };
                    let rule = rules.between(a.signature, b.signature);
                    let (closeness, why) = match rule {
                        Some(rule) => pair.relation(rule, graph),
                        // one that says itself what it explains is no wording of that
                        None if rules.between(b.signature, a.signature).is_none()
                            && is_weaker(catalogue, b, symptom, a, cause) =>
                        {
                            pair.same_fault()
                        }
                        None => None,
                    }?;
                    Some(Candidate {
                        cause,
                        closeness,
                        why,
                        weak: rule.is_some_and(|rule| rule.weak),
                    })
                })
                .collect()
        })
        .collect();
    let is_explained: Vec<bool> = candidates
        .iter()
        .map(|all| all.iter().any(|candidate| !candidate.weak))
        .collect();
    let mut candidates = candidates;
    for of_symptom in &mut candidates {
        of_symptom.retain(|candidate| !candidate.weak || is_explained[candidate.cause]);
    }
    let mut explained: Explanations = candidates
        .iter()
        .map(|of_symptom| {
            let chosen = nearest(catalogue, groups, of_symptom, &candidates)?;
            Some((chosen.cause, chosen.why.clone()))
        })
        .collect();
    open_circles(catalogue, groups, &mut explained);
    // whether one that may explain it was not looked at, or not whole
    let is_cut = |symptom: &usize| {
        let own = groups[*symptom].signature;
        let is_many = |at: usize| {
            groups[at].hits.len() > MAX_HITS || named[at].len().max(needed[at].len()) > MAX_SEARCHED
        };
        of_signature.iter().any(|(other, all)| {
            let mut causes = all.iter().copied().filter(|cause| {
                let is_over = ended[*cause].is_some() && ended[*symptom].is_none();
                let is_apart = || are_apart_in_time(&groups[*cause], &groups[*symptom]);
                cause != symptom && !is_over && !is_apart()
            });
            if rules.between(*other, own).is_some() {
                all.len() > MAX_CANDIDATES
                    || causes.any(|cause| is_many(cause) || is_many(*symptom))
            } else {
                let is_stronger = |cause: usize| {
                    is_weaker(
                        catalogue,
                        &groups[*symptom],
                        *symptom,
                        &groups[cause],
                        cause,
                    )
                };
                rules.are_same(*other, own)
                    && all.len().max(of_signature[&own].len()) > MAX_SAME
                    && causes.any(is_stronger)
            }
        })
    };
    let unexplained = (0..groups.len()).filter(|symptom| explained[*symptom].is_none());
    Explained {
        cut: unexplained.filter(is_cut).count() as u64,
        by: explained,
    }
}

/// The nearest candidate: of several that are equally near the one that the others explain, too, then the
/// surest.
fn nearest<'c>(
    catalogue: &Catalogue,
    groups: &[Group],
    of_symptom: &'c [Candidate],
    all: &[Vec<Candidate>],
) -> Option<&'c Candidate> {
    let closest = of_symptom.iter().map(|c| c.closeness).max()?;
    let near = of_symptom.iter().filter(|c| c.closeness == closest);
    let mut rivals: Vec<&Candidate> = near.take(MAX_CANDIDATES).collect();
    // a stable sort: of equals the first one stays the first
    rivals.sort_by_key(|c| {
        let signature = catalogue.at(groups[c.cause].signature);
        Reverse((signature.role == Role::Cause, hundredths(signature)))
    });
    let explains = |a: &Candidate, b: &Candidate| all[b.cause].iter().any(|c| c.cause == a.cause);
    let behind_no_other = |c: &&Candidate| {
        let mut others = rivals.iter().filter(|other| other.cause != c.cause);
        !others.any(|other| explains(c, other) && !explains(other, c))
    };
    let mut direct = rivals.iter().copied().filter(behind_no_other);
    direct.next().or_else(|| rivals.first().copied())
}

/// How sure a signature is, in hundredths.
fn hundredths(signature: &Signature) -> i64 {
    let confidence = signature.confidence.unwrap_or(DEFAULT_CONFIDENCE);
    (confidence * 100.0).round() as i64
}

/// Of groups that explain each other in a circle the one that began first is left to stand for itself.
fn open_circles(catalogue: &Catalogue, groups: &[Group], explained: &mut Explanations) {
    for start in 0..explained.len() {
        let mut circle = vec![start];
        let mut at = start;
        while let Some((by, _)) = &explained[at] {
            at = *by;
            if at == start || circle.contains(&at) {
                break;
            }
            circle.push(at);
        }
        if explained[at].is_none() || at != start {
            continue;
        }
        let began = |at: &usize| {
            let group = &groups[*at];
            let is_cause = catalogue.at(group.signature).role == Role::Cause;
            (Reverse(is_cause), group.hits.first().map(Hit::position))
        };
        let first =
            circle
                .iter()
                .copied()
                .reduce(|a, b| match (groups[a].first, groups[b].first) {
                    (Some(x), Some(y)) if x.is_after(&y) == Some(true) => b,
                    (Some(x), Some(y)) if y.is_after(&x) == Some(true) => a,
                    _ if began(&b) < began(&a) => b,
                    _ => a,
                });
        if let Some(first) = first {
            explained[first] = None;
        }
    }
}

/// Which signatures of an input explain which, and how far.
struct Rules {
    allowed: HashMap<(usize, usize), Allowed>,
    /// Pairs that name the same cause.
    same: HashSet<(usize, usize)>,
}

/// How far from its cause a symptom may lie.
#[derive(Clone, Copy)]
struct Allowed {
    on: Scope,
    /// Whether it lies on another object, which depends on the one at fault.
    apart: bool,
    /// Whether by the mechanism only callers suffer, whatever the signature says.
    is_called: bool,
    /// See [`Candidate::weak`].
    weak: bool,
    /// Whether the signature says it itself.
    is_said: bool,
}

impl Rules {
    fn new(catalogue: &Catalogue, groups: &[Group]) -> Rules {
        let mut signatures: Vec<usize> = groups.iter().map(|group| group.signature).collect();
        signatures.sort_unstable();
        signatures.dedup();
        if signatures.len() < 2 {
            return Rules {
                allowed: HashMap::new(),
                same: HashSet::new(),
            };
        }
        let mechanisms = Mechanisms::new();
        let mut rules = HashMap::new();
        let mut same = HashSet::new();
        for &one in &signatures {
            let effects = mechanisms.effects(&catalogue.at(one).cause);
            for &other in signatures.iter().filter(|other| **other != one) {
                if catalogue.at(one).cause == catalogue.at(other).cause {
                    same.insert((one, other));
                }
                let rule = allowed(catalogue.at(one), &effects, catalogue.at(other));
                if let Some(rule) = rule {
                    rules.insert((one, other), rule);
                }
            }
        }
        // what a signature says of another counts over what would follow from that by its cause
        let all = rules.clone();
        rules.retain(|(one, other), rule: &mut Allowed| {
            let back = all.get(&(*other, *one));
            rule.is_said || !back.is_some_and(|back| back.is_said)
        });
        Rules {
            allowed: rules,
            same,
        }
    }

    fn are_same(&self, one: usize, other: usize) -> bool {
        self.same.contains(&(one, other))
    }

    fn between(&self, cause: usize, symptom: usize) -> Option<Allowed> {
        self.allowed.get(&(cause, symptom)).copied()
    }
}

fn allowed(explaining: &Signature, effects: &Effects, explained: &Signature) -> Option<Allowed> {
    if explaining.role == Role::Benign || explained.role == Role::Benign {
        return None;
    }
    let own = explaining
        .explains
        .iter()
        .filter(|rule| rule.what == explained.cause || rule.what == explained.id);
    let own = own.map(|rule| rule.on).max();
    let by_mechanism = reach(effects, explained);
    Some(Allowed {
        on: own.max(by_mechanism.map(|reach| reach.on))?,
        apart: own.is_none() && by_mechanism.is_some_and(|reach| reach.apart),
        is_called: by_mechanism.is_some_and(|reach| reach.apart),
        weak: own.is_none() && explaining.role == Role::Symptom,
        is_said: own.is_some(),
    })
}

/// Whether of two groups that name the same cause in other words the first is the less telling one.
fn is_weaker(catalogue: &Catalogue, a: &Group, at: usize, b: &Group, bt: usize) -> bool {
    let (one, other) = (catalogue.at(a.signature), catalogue.at(b.signature));
    let strength = |signature: &Signature, number: usize| {
        (
            signature.role == Role::Cause,
            !signature.generic,
            signature.severity,
            hundredths(signature),
            Reverse(number),
        )
    };
    one.cause == other.cause
        && one.id != other.id
        && one.role != Role::Benign
        && other.role != Role::Benign
        && strength(one, at) < strength(other, bt)
}

/// Two groups, the first of which may explain the second.
struct Pair<'g> {
    cause: &'g Group,
    symptom: &'g Group,
    /// What the cause is about.
    mine: &'g [Named],
    /// What the symptom is about.
    theirs: &'g [Named],
    /// What the symptom says that it could not reach.
    needed: &'g [Named],
    /// The names of pods without which it cannot work.
    providers: &'g [Provider],
    /// The names by which the cause is known.
    known_by: &'g [String],
    /// Whether the symptom calls an address of which the input does not tell whose it is.
    calls_unknown: bool,
}

impl Pair<'_> {
    /// How closely and by what the first group explains the second, if it does.
    fn relation(&self, rule: Allowed, graph: &Graph) -> Option<(u8, String)> {
        if self.is_apart_in_time() {
            return None;
        }
        let on = rule.on;
        if self.is_same_event() {
            return Some((5, "same event".into()));
        }
        if let Some(subject) = self.kin(false).filter(|_| !rule.apart) {
            return Some((4, format!("same object: {subject}")));
        }
        if on >= Scope::Owner {
            if let Some(subject) = self.kin(true).filter(|_| !rule.apart) {
                let workload = subject.workload().unwrap_or_default();
                return Some((3, format!("same workload: {workload}")));
            }
            if let Some(provider) = self.provider() {
                return Some((2, format!("needs {provider}")));
            }
            if let Some((steps, why)) = self.way(rule.is_called, graph) {
                return Some((if steps == 1 { 3 } else { 2 }, why));
            }
            let mut named = mention::mentioned(self.known_by, self.symptom);
            if let Some(name) = named.take_if(|_| !rule.apart) {
                return Some((2, format!("names {name}")));
            }
        }
        if let Some(callee) = self.likely_callee(graph).filter(|_| rule.is_called) {
            return Some((1, format!("calls an address as {callee} has one")));
        }
        if rule.apart {
            return None;
        }
        // both say what they are about, and it is not the same
        if !self.mine.is_empty() && !self.theirs.is_empty() && on <= Scope::Owner {
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

    /// The Service at fault, if it is of the namespace of a symptom that calls an address that the input does not
    /// know, and it is not the symptom's own.
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

    /// The pod at fault, if the symptom cannot do without it.
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

    /// Whether they speak of one fault in two ways.
    fn same_fault(&self) -> Option<(u8, String)> {
        let why = || Some((2, "the same fault in other words".to_owned()));
        if self.is_apart_in_time() {
            return None;
        }
        if self.kin(true).is_some() {
            return why();
        }
        // of a node, or of nothing that has a name
        let is_wide = |named: &[Named]| {
            let mut kinds = named.iter().map(|(_, subject)| subject.kind.as_deref());
            kinds.all(|kind| kind == Some("Node"))
        };
        if (is_wide(self.mine) || is_wide(self.theirs)) && !self.hits().all(are_on_other_nodes) {
            return why();
        }
        None
    }

    /// The shortest way from what the symptom is about to what the cause is about. Who is called does not hang
    /// on the caller.
    fn way(&self, is_called: bool, graph: &Graph) -> Option<(usize, String)> {
        let to = || self.mine.iter().take(MAX_SEARCHED);
        let from = self.theirs.iter().take(MAX_SEARCHED);
        let ways = from
            .flat_map(|b| to().map(move |a| (a, b)))
            .filter_map(|(a, b)| {
                // what an object needs may also fail for want of the object: a claim for its pod
                let back = || {
                    graph
                        .path(a, b)
                        .filter(|(steps, _)| *steps == 1 && !is_called)
                };
                graph.path(b, a).or_else(back)
            });
        let needed = self.needed.iter().take(MAX_SEARCHED);
        let over_needed = needed
            .flat_map(|b| to().map(move |a| (a, b)))
            .filter_map(|(a, b)| {
                if subjects_agree(&a.1, &b.1, false, false) {
                    return Some((1, format!("needs {}", a.1)));
                }
                let (steps, why) = graph.path(b, a)?;
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

    /// What both are about, or of which workload both are.
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

/// Whether the cause was gone before the symptom began, or began when that was over.
fn are_apart_in_time(cause: &Group, symptom: &Group) -> bool {
    let far = |earlier: Option<_>, later: Option<_>| match (earlier, later) {
        (Some(ended), Some(began)) => is_long_after(&began, &ended),
        _ => false,
    };
    far(cause.last, symptom.first) || far(symptom.last, cause.first)
}

fn is_long_after(later: &Moment, earlier: &Moment) -> bool {
    later.is_comparable(earlier)
        && later.is_after(earlier) == Some(true)
        && later
            .distance(earlier)
            .is_some_and(|seconds| seconds > DELAY)
}

/// Whether two hits are known to be of different nodes.
fn are_on_other_nodes((a, b): (&Hit, &Hit)) -> bool {
    match (node(&a.subject), node(&b.subject)) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    }
}

/// A pod without which something cannot work.
struct Provider {
    name: String,
    on: Scope,
}

impl Provider {
    /// Whether a pod's name is the wanted one up to its `*`, or has two words of it.
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
fn providers(catalogue: &Catalogue, group: &Group) -> Vec<Provider> {
    let about = fill::about(&group.best);
    let value = |name: &str| fill::value(&group.best, &about, group.count, name);
    let needs = catalogue.at(group.signature).needs.iter();
    let provider = |needed: &Needs| Provider {
        name: needed.pod.fill(value),
        on: needed.on,
    };
    needs.map(provider).collect()
}

/// What a group is about, with the document that says so: the objects at fault and those of its events.
fn named(group: &Group) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    let document = group.best.primary().document;
    let own = std::iter::once((document, &group.subject));
    for (document, subject) in own.chain(group.hits.iter().map(|hit| (hit.document, &hit.subject)))
    {
        let named = (document, plain(subject));
        if subject.name.is_some() && all.len() < MAX_SUBJECTS && !all.contains(&named) {
            all.push(named);
        }
    }
    all
}
