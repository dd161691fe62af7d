//! Decides which finding explains which: [`rules`] says which signatures may explain each other,
//! [`relation`] decides if two findings are related.

mod relation;
mod rules;

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use crate::matcher::Hit;
use crate::parallel;
use crate::report::Role;
use crate::sort;
use kwhy_catalogue::Catalogue;
use kwhy_signature::Signature;

use super::DEFAULT_CONFIDENCE;
use super::graph::{Graph, Named, Reach};
use super::group::Group;
use super::name_match;
use super::over::Recency;
use relation::{
    NEIGHBOUR, Pair, Provider, are_apart_in_time, is_repeated, named, outlasts, providers,
};
use rules::{Near, Rules};

#[cfg(feature = "selftest")]
pub(crate) use rules::implied_explains;

/// The maximum number of hits of a group that are compared with those of another.
const MAX_HITS: usize = 16;

/// The maximum number of objects of a group whose dependencies are searched.
const MAX_SEARCHED: usize = 8;

/// The maximum number of groups of one signature that are checked for being a rewording of
/// another's.
const MAX_SAME: usize = 8;

/// The maximum number of rewordings kept for a group; all qualify, and one is chosen.
const MAX_WORDINGS: usize = 64;

/// The maximum number of groups of one signature that are considered as causes of a group.
const MAX_CANDIDATES: usize = 16;

/// The closeness up to which nothing but a node, a log or the cluster links two groups.
const LOOSE: u8 = 1;

/// The reason why one group explains another, as text.
type Why = Cow<'static, str>;

/// For each group, the group that explains it and the reason.
pub(crate) type Explanations = Vec<Option<(usize, String)>>;

/// The result of [`explain`].
pub(crate) struct Explained {
    /// For each group, the one that explains it, if any.
    pub by: Explanations,
    /// The number of unexplained groups that were not compared with every possible cause.
    pub cut: u64,
    /// True for each group whose program continued, and ended later in the same log for a different
    /// reason.
    pub survived: Vec<bool>,
}

/// A group that may explain another one.
struct Candidate {
    cause: usize,
    /// The closeness of the two groups: 5 is the same event, 1 the same cluster, 0 a neighbour in a
    /// log.
    closeness: u8,
    why: Why,
    /// True if only its mechanism lets it explain the symptom and it is itself a symptom: uninformative unless a cause
    /// explains it.
    weak: bool,
}

/// Finds, for each group, the one that explains it.
pub(crate) fn explain(
    catalogue: &Catalogue,
    groups: &[Group],
    (ended, recency): (&[Option<Hit>], &[Recency]),
    graph: &Graph,
) -> Explained {
    let rules = Rules::new(catalogue, groups);
    let named: Vec<Vec<Named>> = groups.iter().map(named).collect();
    let all = || groups.iter().collect::<Vec<_>>();
    let needed: Vec<Vec<Named>> = parallel::map(all(), |group| graph.needed(group));
    let reached = parallel::map(named.iter().collect(), |of: &Vec<Named>| reach(graph, of));
    let reached_by_calls =
        parallel::map(needed.iter().collect(), |of: &Vec<Named>| reach(graph, of));
    let named_groups = groups.iter().zip(&named).collect();
    let hosts: Vec<BTreeSet<String>> =
        parallel::map(named_groups, |(group, named): (&Group, &Vec<Named>)| {
            graph.hosts(group, named)
        });
    let calls_unknown: Vec<bool> = groups
        .iter()
        .map(|group| graph.calls_unknown(group))
        .collect();
    let known_by: Vec<Vec<String>> = groups
        .iter()
        .map(|group| name_match::names(catalogue, group))
        .collect();
    let providers: Vec<Vec<Provider>> = groups
        .iter()
        .map(|group| providers(catalogue, group))
        .collect();
    let mut of_signature: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        of_signature.entry(group.signature).or_default().push(at);
    }
    let candidates: Vec<Vec<Candidate>> =
        parallel::map((0..groups.len()).collect(), |symptom: usize| {
            let own = groups[symptom].signature;
            let of_own = of_signature[&own].len();
            let mut wordings = 0;
            rules
                .near(own)
                .iter()
                .map(|near| (near, &of_signature[&near.signature]))
                .filter(|(near, all)| near.rule.is_some() || all.len().max(of_own) <= MAX_SAME)
                .flat_map(|(near, all)| {
                    let causes = all.iter().copied().take(MAX_CANDIDATES);
                    causes.map(move |cause| (near, cause))
                })
                .filter(|(_, cause)| *cause != symptom)
                // a resolved finding does not explain an ongoing one
                .filter(|(_, cause)| ended[*cause].is_none() || ended[symptom].is_some())
                .filter_map(|(near, cause)| {
                    let (a, b) = (&groups[cause], &groups[symptom]);
                    let pair = Pair {
                        cause: a,
                        symptom: b,
                        mine: &named[cause],
                        theirs: &named[symptom],
                        needed: &needed[symptom],
                        reached: (&reached[cause], &reached[symptom]),
                        reached_by_calls: (&reached_by_calls[cause], &reached_by_calls[symptom]),
                        providers: &providers[symptom],
                        known_by: &known_by[cause],
                        hosts: (&hosts[cause], &hosts[symptom]),
                        calls_unknown: calls_unknown[symptom],
                    };
                    let (closeness, why) = match near.rule {
                        Some(rule) => pair.relation(rule, graph),
                        None if wordings < MAX_WORDINGS && is_wording(near, symptom, cause) => {
                            pair.same_fault()
                        }
                        None => None,
                    }?;
                    let is_past = recency[cause] == Recency::Quiet
                        && recency[symptom] == Recency::Now
                        && is_repeated(b);
                    if closeness <= LOOSE && (is_past || outlasts(b, a)) {
                        return None;
                    }
                    wordings += usize::from(near.rule.is_none());
                    Some(Candidate {
                        cause,
                        closeness,
                        why,
                        weak: near.rule.is_some_and(|rule| rule.weak),
                    })
                })
                .collect()
        });
    let mut candidates = candidates;
    let survived = take_neighbours(groups, &mut candidates);
    let is_explained: Vec<bool> = candidates
        .iter()
        .map(|all| all.iter().any(|candidate| !candidate.weak))
        .collect();
    for of_symptom in &mut candidates {
        of_symptom.retain(|candidate| !candidate.weak || is_explained[candidate.cause]);
    }
    let mut explained: Explanations = candidates
        .iter()
        .map(|of_symptom| {
            let chosen = nearest(catalogue, groups, of_symptom, &candidates)?;
            Some((chosen.cause, chosen.why.to_string()))
        })
        .collect();
    break_cycles(catalogue, groups, &mut explained);
    // true if a possible cause was skipped, or compared only in part
    let is_cut = |symptom: &usize| {
        let own = groups[*symptom].signature;
        let is_many = |at: usize| {
            groups[at].hits.len() > MAX_HITS || named[at].len().max(needed[at].len()) > MAX_SEARCHED
        };
        let of_own = of_signature[&own].len();
        rules.near(own).iter().any(|near| {
            let all = &of_signature[&near.signature];
            let mut causes = all.iter().copied().filter(|cause| {
                let is_over = ended[*cause].is_some() && ended[*symptom].is_none();
                let is_apart = || are_apart_in_time(&groups[*cause], &groups[*symptom]);
                cause != symptom && !is_over && !is_apart()
            });
            if near.rule.is_some() {
                all.len() > MAX_CANDIDATES
                    || causes.any(|cause| is_many(cause) || is_many(*symptom))
            } else {
                all.len().max(of_own) > MAX_SAME
                    && causes.any(|cause| is_wording(near, *symptom, cause))
            }
        })
    };
    let unexplained = (0..groups.len()).filter(|symptom| explained[*symptom].is_none());
    let cut = parallel::map(unexplained.collect(), |symptom| is_cut(&symptom));
    Explained {
        cut: cut.into_iter().filter(|is_cut| *is_cut).count() as u64,
        by: explained,
        survived,
    }
}

/// Removes candidates that merely occur in the same log, and returns for each group true if a
/// remaining candidate follows it there.
fn take_neighbours(groups: &[Group], candidates: &mut [Vec<Candidate>]) -> Vec<bool> {
    let begins = |at: usize| groups[at].hits.first().map(Hit::position);
    let mut survived = vec![false; groups.len()];
    for (symptom, of_symptom) in candidates.iter_mut().enumerate() {
        for neighbour in of_symptom.extract_if(.., |c| c.closeness == NEIGHBOUR) {
            survived[neighbour.cause] |= begins(neighbour.cause) < begins(symptom);
        }
    }
    survived
}

/// Returns the nearest candidate; on a tie the one that the others explain too, then the one with
/// the highest confidence.
fn nearest<'c>(
    catalogue: &Catalogue,
    groups: &[Group],
    of_symptom: &'c [Candidate],
    all: &[Vec<Candidate>],
) -> Option<&'c Candidate> {
    let closest = of_symptom.iter().map(|c| c.closeness).max()?;
    let near = of_symptom.iter().filter(|c| c.closeness == closest);
    let mut rivals: Vec<&Candidate> = near.take(MAX_CANDIDATES).collect();
    // the sort is stable: ties keep their order
    sort::by_key(&mut rivals, |c| {
        let signature = catalogue.at(groups[c.cause].signature);
        Reverse((signature.role == Role::Cause, hundredths(signature)))
    });
    let explains = |a: &Candidate, b: &Candidate| all[b.cause].iter().any(|c| c.cause == a.cause);
    let is_nearest = |c: &&Candidate| {
        let mut others = rivals.iter().filter(|other| other.cause != c.cause);
        !others.any(|other| explains(c, other) && !explains(other, c))
    };
    let mut direct = rivals.iter().copied().filter(is_nearest);
    direct.next().or_else(|| rivals.first().copied())
}

/// The confidence of a signature, in hundredths.
fn hundredths(signature: &Signature) -> i64 {
    let confidence = signature.confidence.unwrap_or(DEFAULT_CONFIDENCE);
    (confidence * 100.0).round() as i64
}

/// Breaks cycles of explanations: the group of a cycle that started first is left unexplained.
fn break_cycles(catalogue: &Catalogue, groups: &[Group], explained: &mut Explanations) {
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

/// Returns, for each of the first objects, the objects that it depends on.
fn reach<'g>(graph: &'g Graph, named: &'g [Named]) -> Vec<Reach<'g>> {
    let searched = named.iter().take(MAX_SEARCHED);
    searched.map(|from| graph.reach(from)).collect()
}

/// Returns true if two groups name the same cause in different words and the first is the less
/// informative.
fn is_wording(near: &Near, symptom: usize, cause: usize) -> bool {
    let strength = near.same.map(|same| same.then(cause.cmp(&symptom)));
    strength == Some(Ordering::Less)
}
