//! Which finding explains which.

use std::collections::HashMap;

use crate::matcher::{Hit, related, subjects_agree};
use crate::model::Subject;
use crate::report::Role;
use crate::signature::{Catalogue, Scope};

use super::group::Group;
use super::ties::Ties;

/// How many objects of a group are looked at.
const MAX_SUBJECTS: usize = 64;

/// For each group the number of the group that explains it, and the words for why.
pub(crate) fn explain(
    catalogue: &Catalogue,
    groups: &[Group],
    ended: &[Option<Hit>],
    ties: &Ties,
) -> Vec<Option<(usize, String)>> {
    // which groups speak of a cause or signature as what they explain
    let mut explaining: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, group) in groups.iter().enumerate() {
        for rule in &catalogue.at(group.signature).explains {
            explaining.entry(&rule.what).or_default().push(at);
        }
    }
    let mut explained: Vec<Option<(usize, String)>> = vec![None; groups.len()];
    for (symptom, slot) in explained.iter_mut().enumerate() {
        let signature = catalogue.at(groups[symptom].signature);
        let candidates = [&signature.cause, &signature.id]
            .into_iter()
            .filter_map(|what| explaining.get(what.as_str()))
            .flatten();
        *slot = candidates
            .filter(|cause| **cause != symptom)
            // what is over does not explain what is not
            .filter(|cause| ended[**cause].is_none() || ended[symptom].is_some())
            .filter_map(|&cause| {
                let (closeness, why) = relation(catalogue, &groups[cause], &groups[symptom], ties)?;
                Some((closeness, std::cmp::Reverse(cause), why))
            })
            .max_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)))
            .map(|(_, cause, why)| (cause.0, why));
    }
    // two that explain each other: the earlier one in the catalogue's order stays
    for at in 0..explained.len() {
        let mut next = at;
        for _ in 0..groups.len() {
            match &explained[next] {
                Some((cause, _)) if *cause == at => {
                    explained[at] = None;
                    break;
                }
                Some((cause, _)) => next = *cause,
                None => break,
            }
        }
    }
    explained
}

/// How closely and by what the first group explains the second, if it does.
fn relation(
    catalogue: &Catalogue,
    cause: &Group,
    symptom: &Group,
    ties: &Ties,
) -> Option<(u8, String)> {
    let explaining = catalogue.at(cause.signature);
    let explained = catalogue.at(symptom.signature);
    if explaining.role == Role::Benign || explained.role == Role::Benign {
        return None;
    }
    let rule = explaining
        .explains
        .iter()
        .find(|rule| rule.what == explained.cause || rule.what == explained.id)?;
    if ended_before(cause, symptom) {
        return None;
    }
    let pairs = || {
        cause
            .hits
            .iter()
            .take(64)
            .flat_map(|a| symptom.hits.iter().take(64).map(move |b| (a, b)))
    };
    if pairs().any(|(a, b)| a.document == b.document && a.record == b.record) {
        return Some((5, "same event".into()));
    }
    let (mine, theirs) = (named(cause), named(symptom));
    let kin = |workload: bool| {
        mine.iter().find(|a| {
            theirs
                .iter()
                .any(|b| subjects_agree(&a.1, &b.1, a.0 == b.0, workload))
        })
    };
    if let Some((_, subject)) = kin(false) {
        return Some((4, format!("same object: {subject}")));
    }
    if rule.on >= Scope::Owner
        && let Some((_, subject)) = kin(true)
    {
        return Some((
            3,
            format!("same workload: {}", subject.workload().unwrap_or_default()),
        ));
    }
    let tie = |a| theirs.iter().find_map(|b| ties.between(a, b));
    if rule.on >= Scope::Owner
        && let Some(why) = mine.iter().find_map(tie)
    {
        return Some((3, why));
    }
    // both say what they are about, and it is not the same
    if !mine.is_empty() && !theirs.is_empty() && rule.on <= Scope::Owner {
        return None;
    }
    if pairs().any(|(a, b)| related(a, b, rule.on)) {
        let why = match rule.on {
            Scope::Node => "same node",
            Scope::Input => "same cluster",
            _ => "same input",
        };
        return Some((1, why.into()));
    }
    None
}

/// What a group is about, with the document that says so: the object at fault and those of its events.
fn named(group: &Group) -> Vec<(usize, Subject)> {
    let mut all: Vec<(usize, Subject)> = Vec::new();
    let document = group.best.primary().document;
    let own = std::iter::once((document, &group.subject));
    for (document, subject) in own.chain(group.hits.iter().map(|hit| (hit.document, &hit.subject)))
    {
        let plain = Subject {
            container: None,
            node: None,
            ..subject.clone()
        };
        if plain.name.is_some()
            && all.len() < MAX_SUBJECTS
            && !all.contains(&(document, plain.clone()))
        {
            all.push((document, plain));
        }
    }
    all
}

/// A cause that was gone before the symptom began explains nothing.
fn ended_before(cause: &Group, symptom: &Group) -> bool {
    match (cause.last, symptom.first) {
        (Some(ended), Some(began)) => {
            // controllers and kubelets report with some delay
            began.is_after(&ended) == Some(true)
                && began
                    .distance(&ended)
                    .is_some_and(|seconds| seconds > 600.0)
        }
        _ => false,
    }
}
