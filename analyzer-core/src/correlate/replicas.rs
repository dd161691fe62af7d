//! Folds the same finding on many replicas into one.

use std::collections::{BTreeMap, HashMap};

use crate::matcher::{Hit, Moment};
use crate::sort;
use kwhy_catalogue::Catalogue;
use kwhy_model::Subject;
use kwhy_signature::GIVEN;

use super::explain::Explanations;
use super::group::Group;
use super::identity::{is_address, names};
use super::render;

/// The properties that groups must share to become one finding.
#[derive(PartialEq, Eq, Hash)]
struct Likeness {
    signature: usize,
    /// The group that explains them, or the one into which that was folded.
    explained_by: Option<usize>,
    is_over: bool,
    subject: Same,
}

/// The properties that the groups' objects share.
#[derive(PartialEq, Eq, Hash)]
enum Same {
    /// Pods, or containers of one name, of one workload, with the same captures except for their
    /// addresses.
    Workload(Subject, Vec<(String, String)>),
    /// Objects with the same captures.
    Captures(BTreeMap<String, String>),
    /// One object, whatever was captured.
    Object(Subject),
}

/// The kinds of likeness, in the order in which they are tried.
const BY: [fn(&Catalogue, &Group) -> Option<Same>; 3] = [workload, captures, object];

/// Folds groups that report the same about several objects and have the same explanation into the
/// first of them.
pub(crate) fn fold_replicas(
    catalogue: &Catalogue,
    groups: Vec<Group>,
    explained: Explanations,
    ended: Vec<Option<Hit>>,
) -> (Vec<Group>, Explanations, Vec<Option<Hit>>) {
    // the group into which each one is folded
    let mut into: Vec<usize> = (0..groups.len()).collect();
    for by in BY {
        let mut known: HashMap<Likeness, usize> = HashMap::new();
        for at in by_depth(&groups, &explained) {
            if into[at] != at {
                continue;
            }
            let likeness = |subject| Likeness {
                signature: groups[at].signature,
                explained_by: explained[at].as_ref().map(|(by, _)| root(&into, *by)),
                is_over: ended[at].is_some(),
                subject,
            };
            if let Some(same) = by(catalogue, &groups[at]) {
                into[at] = *known.entry(likeness(same)).or_insert(at);
            }
        }
    }
    let into: Vec<usize> = (0..groups.len()).map(|at| root(&into, at)).collect();
    // the new index of each remaining group
    let mut number = vec![0; groups.len()];
    let mut kept = 0;
    for (at, to) in into.iter().enumerate() {
        if at == *to {
            number[at] = kept;
            kept += 1;
        }
    }
    let mut folded: Vec<Option<Group>> = (0..kept).map(|_| None).collect();
    let mut explanations: Explanations = vec![None; kept];
    let mut ends: Vec<Option<Hit>> = vec![None; kept];
    let all = groups.into_iter().zip(explained).zip(ended).enumerate();
    let (stay, go): (Vec<_>, Vec<_>) = all.partition(|(at, _)| into[*at] == *at);
    for (at, ((group, by), end)) in stay {
        folded[number[at]] = Some(group);
        explanations[number[at]] = by.map(|(by, why)| (number[into[by]], why));
        ends[number[at]] = end;
    }
    for (at, ((group, _), _)) in go {
        if let Some(first) = &mut folded[number[into[at]]] {
            if first.subject == group.subject {
                first.take_variant(group);
            } else {
                first.take(group);
            }
        }
    }
    let mut groups: Vec<Group> = folded.into_iter().flatten().collect();
    let took = |group: &&mut Group| !group.others.is_empty() || !group.variants.is_empty();
    for group in groups.iter_mut().filter(took) {
        group.settle();
    }
    (groups, explanations, ends)
}

/// Follows the chain of folds to its end.
fn root(into: &[usize], mut at: usize) -> usize {
    while into[at] != at {
        at = into[at];
    }
    at
}

/// The groups' indices, each after the group that explains it, then by time.
fn by_depth(groups: &[Group], explained: &Explanations) -> Vec<usize> {
    let depth = |mut at: usize| {
        let mut depth = 0;
        // explanations have no cycles
        while let Some((by, _)) = &explained[at] {
            at = *by;
            depth += 1;
        }
        depth
    };
    let mut order: Vec<usize> = (0..explained.len()).collect();
    let time = |at: usize| match groups[at].first {
        None => (true, 0),
        Some(Moment::At(stamp)) => (false, stamp.nanos),
        Some(Moment::Ago(seconds)) => (false, -i128::from(seconds)),
    };
    sort::by_key(&mut order, |at| (depth(*at), time(*at)));
    order
}

fn object(_: &Catalogue, group: &Group) -> Option<Same> {
    let is_named = group.subject.name.is_some();
    is_named.then(|| Same::Object(group.subject.clone()))
}

fn workload(_: &Catalogue, group: &Group) -> Option<Same> {
    let subject = &group.subject;
    let workload = subject.workload()?.to_owned();
    let values = group.values.iter();
    let values = values.filter(|(_, value)| !is_address(value)).cloned();
    let subject = Subject {
        name: Some(workload),
        node: None,
        ..subject.clone()
    };
    Some(Same::Workload(subject, values.collect()))
}

/// The captures, without those that only name the object.
fn captures(catalogue: &Catalogue, group: &Group) -> Option<Same> {
    let subject = &group.subject;
    let signature = catalogue.at(group.signature);
    let all = group.best.captures.iter();
    if let Some(deciding) = &signature.fold {
        let about = render::about(&group.best);
        let value = |name: &String| render::value(&group.best, &about, 1, name);
        let captured = deciding
            .iter()
            .filter_map(|name| Some((name.clone(), value(name)?)));
        return Some(Same::Captures(captured.collect()));
    }
    // a container's fault belongs to its program, and an object that the signature names differs each time
    if subject.container.is_some() || signature.subject.is_some() {
        return None;
    }
    let captured = all
        .filter(|(name, value)| !GIVEN.contains(&name.as_str()) && !names(subject, value))
        .cloned();
    Some(Same::Captures(captured.collect()))
}
