//! Findings that are faults only if something suffers from them: nobody may call the Service port that no container
//! declares.

use super::explain::Explanations;
use super::group::Group;
use crate::matcher::Hit;
use kwhy_catalogue::Catalogue;

/// Marks the groups that are notes, and drops them unless an audit was requested.
pub(crate) fn set_apart(
    catalogue: &Catalogue,
    mut groups: Vec<Group>,
    mut explained: Explanations,
    mut ended: Vec<Option<Hit>>,
    audit: bool,
) -> (Vec<Group>, Explanations, Vec<Option<Hit>>) {
    let mut is_felt = vec![false; groups.len()];
    for ((group, by), ended) in groups.iter().zip(&explained).zip(&ended) {
        // another audit finding does not show that anything suffers, and it is unknown what a frame is about
        let signature = catalogue.at(group.signature);
        if let Some((cause, _)) = by
            && ended.is_none()
            && !signature.audit
            && !signature.is_frame()
        {
            is_felt[*cause] = true;
        }
    }
    for (group, is_felt) in groups.iter_mut().zip(&is_felt) {
        group.is_note = catalogue.at(group.signature).audit && !is_felt;
    }
    if audit || groups.iter().all(|group| !group.is_note) {
        return (groups, explained, ended);
    }
    let mut place = Vec::with_capacity(groups.len());
    let mut kept = 0;
    for group in &groups {
        place.push((!group.is_note).then_some(kept));
        kept += usize::from(!group.is_note);
    }
    let mut stays = place.iter().map(Option::is_some);
    explained.retain(|_| stays.next().unwrap_or(true));
    let mut stays = place.iter().map(Option::is_some);
    ended.retain(|_| stays.next().unwrap_or(true));
    groups.retain(|group| !group.is_note);
    for by in &mut explained {
        let moved = by.take();
        *by = moved.and_then(|(cause, why)| Some((place.get(cause).copied().flatten()?, why)));
    }
    (groups, explained, ended)
}
