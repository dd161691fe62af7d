//! Which finding explains which.

use crate::matcher::{Hit, related, subjects_agree};
use crate::report::Role;
use crate::signature::{Catalogue, Scope};

use super::group::Group;

/// For each group the number of the group that explains it, and the words for why.
pub(crate) fn explain(catalogue: &Catalogue, groups: &[Group]) -> Vec<Option<(usize, String)>> {
    let mut explained: Vec<Option<(usize, String)>> = vec![None; groups.len()];
    for (symptom, slot) in explained.iter_mut().enumerate() {
        *slot = groups
            .iter()
            .enumerate()
            .filter(|(cause, _)| *cause != symptom)
            .filter_map(|(cause, group)| {
                let (closeness, why) = relation(catalogue, group, &groups[symptom])?;
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
fn relation(catalogue: &Catalogue, cause: &Group, symptom: &Group) -> Option<(u8, String)> {
    let explaining = &catalogue.signatures()[cause.signature];
    let explained = &catalogue.signatures()[symptom.signature];
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
    let named = |hit: &Hit| hit.subject.name.is_some();
    let near = |a: &Hit, b: &Hit| a.document == b.document;
    let same = pairs().find(|(a, b)| {
        named(a) && named(b) && subjects_agree(&a.subject, &b.subject, near(a, b), false)
    });
    if let Some((a, _)) = same {
        return Some((4, format!("same object: {}", a.subject)));
    }
    // the object at fault is named by the symptom
    if subjects_agree(&cause.subject, &symptom.subject, false, false) {
        return Some((4, format!("same object: {}", cause.subject)));
    }
    if rule.on >= Scope::Owner {
        let kin = pairs().find(|(a, b)| {
            named(a) && named(b) && subjects_agree(&a.subject, &b.subject, near(a, b), true)
        });
        if let Some((a, _)) = kin {
            return Some((
                3,
                format!(
                    "same workload: {}",
                    a.subject.workload().unwrap_or_default()
                ),
            ));
        }
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
