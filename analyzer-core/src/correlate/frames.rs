//! Frames: signatures that know only what surrounds the words of a fault.
//!
//! They count only if no other signature names a cause, and only until their log shows them to be over: an error that a
//! program logged before it continued, or stopped logging at its former pace, was not the problem.

use std::collections::BTreeMap;

use super::Surplus;
use super::log_course::LogCourse;
use crate::matcher::{Hit, Match};
use kwhy_catalogue::Catalogue;
use kwhy_model::Format;

/// Removes the matches of frames if another signature names a cause, and those that their logs show to be over. `ends` has
/// the latest time of each document in nanoseconds since 1970, `last_records` the line on which its last log record
/// starts.
pub(super) fn give_way(
    catalogue: &Catalogue,
    matches: &mut Vec<(usize, Match)>,
    surplus: &mut Vec<Surplus>,
    (ends, last_records): (&[Option<i128>], &[u64]),
) {
    let is_frame = |number: usize| catalogue.at(number).is_frame();
    let is_answered = matches
        .iter()
        .any(|(number, _)| catalogue.at(*number).names_cause());
    if is_answered {
        matches.retain(|(number, _)| !is_frame(*number));
        surplus.retain(|more| !is_frame(more.signature));
        return;
    }
    let mut records: BTreeMap<(usize, usize), LogCourse> = BTreeMap::new();
    for (number, found) in matches.iter().filter(|(number, _)| is_frame(*number)) {
        for hit in found.hits.iter().filter(|hit| is_of_log(hit)) {
            let known = records.entry((*number, hit.document)).or_default();
            known.add(hit.count, [hit.first, hit.last]);
            known.at_line(hit.place.line);
        }
    }
    for more in surplus.iter().filter(|more| is_frame(more.signature)) {
        let document = more.kept.first().map_or(0, |(document, _)| *document);
        if let Some(known) = records.get_mut(&(more.signature, document)) {
            known.add(more.count, [more.first, more.last]);
        }
    }
    let is_over = |number: usize, document: usize| {
        let known = records.get(&(number, document));
        let end = ends.get(document).copied().flatten();
        let last_record = last_records.get(document).copied().unwrap_or_default();
        known.is_some_and(|known| known.is_over(end, last_record))
    };
    matches.retain(|(number, found)| {
        let mut hits = found.hits.iter();
        !is_frame(*number) || hits.any(|hit| !is_over(*number, hit.document))
    });
    surplus.retain(|more| {
        let mut kept = more.kept.iter();
        !is_frame(more.signature) || !kept.any(|(document, _)| is_over(more.signature, *document))
    });
}

/// Returns true for a record of a log, which has a head of its own or in its envelope. Other lines belong to no log that
/// could continue after them: they are prose, or the answer of a command.
fn is_of_log(hit: &Hit) -> bool {
    hit.format.is_log() && (hit.format != Format::Plain || hit.first.is_some())
}
