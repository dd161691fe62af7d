//! Frames: signatures that know only what stands around the words of a fault.
//!
//! They are asked where nothing else answers, and hold for a log only as long as it says so: what a program wrote once
//! before it went on, or no longer writes at the pace at which it did, was not its problem.

use std::collections::BTreeMap;

use super::{Surplus, answers};
use crate::matcher::{Match, Moment};
use kwhy_catalogue::Catalogue;

/// The time for which a log may continue after its last words, in nanoseconds: programs take some to end.
const LAST_WORDS: i128 = 30_000_000_000;

/// The number of lines for which a log without times may continue after its last words.
const LAST_LINES: u64 = 8;

/// The number of pauses between two errors after which the next one is overdue.
const PAUSES: u64 = 10;

/// When the records of a frame in one document were written.
#[derive(Default)]
struct Records {
    count: u64,
    /// The first and the last one, in nanoseconds since 1970; none if some state no time.
    ends: Option<(i128, i128)>,
    is_undated: bool,
    /// The lines of the first and the last one that is kept.
    lines: Option<(u64, u64)>,
}

impl Records {
    fn add(&mut self, count: u64, moments: [Option<Moment>; 2]) {
        self.count += count;
        for moment in moments {
            let Some(Moment::At(stamp)) = moment else {
                self.is_undated = true;
                continue;
            };
            let (first, last) = self.ends.unwrap_or((stamp.nanos, stamp.nanos));
            self.ends = Some((first.min(stamp.nanos), last.max(stamp.nanos)));
        }
    }

    fn at_line(&mut self, line: u64) {
        let (first, last) = self.lines.unwrap_or((line, line));
        self.lines = Some((first.min(line), last.max(line)));
    }

    /// Returns true if the log went on without them up to this time, or where that is not known, for this number of
    /// lines.
    fn is_over(&self, end: Option<i128>, lines: u64) -> bool {
        let pauses = self.count.max(2) - 1;
        match (self.ends, end, self.lines) {
            (Some((first, last)), Some(end), _) if !self.is_undated => {
                let overdue = (last - first) / i128::from(pauses) * i128::from(PAUSES);
                end - last > LAST_WORDS.max(overdue)
            }
            (_, _, Some((first, last))) => {
                let overdue = (last - first) / pauses * PAUSES;
                lines.saturating_sub(last) > LAST_LINES.max(overdue)
            }
            _ => false,
        }
    }
}

/// Removes the matches of frames where something else answers, and those that are over by the logs that they are in.
/// `ends` are the latest times of the documents, `lines` the numbers of their lines.
pub(super) fn give_way(
    catalogue: &Catalogue,
    matches: &mut Vec<(usize, Match)>,
    surplus: &mut Vec<Surplus>,
    (ends, lines): (&[Option<i128>], &[u64]),
) {
    let is_frame = |number: usize| catalogue.at(number).is_frame();
    let is_answered = matches
        .iter()
        .any(|(number, _)| answers(catalogue.at(*number)));
    if is_answered {
        matches.retain(|(number, _)| !is_frame(*number));
        surplus.retain(|more| !is_frame(more.signature));
        return;
    }
    let mut records: BTreeMap<(usize, usize), Records> = BTreeMap::new();
    for (number, found) in matches.iter().filter(|(number, _)| is_frame(*number)) {
        for hit in found.hits.iter().filter(|hit| hit.format.is_log()) {
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
        let lines = lines.get(document).copied().unwrap_or_default();
        known.is_some_and(|known| known.is_over(end, lines))
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

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_model::Stamp;

    fn records(times: &[i128]) -> Records {
        let mut records = Records::default();
        for seconds in times {
            let stamp = Stamp {
                nanos: seconds * 1_000_000_000,
                digits: 0,
                zone_stated: true,
                year_stated: true,
            };
            records.add(1, [Some(Moment::At(stamp)); 2]);
        }
        records
    }

    #[test]
    fn what_a_log_goes_on_after_is_over() {
        let at = |seconds: i128| Some(seconds * 1_000_000_000);
        assert!(!records(&[100]).is_over(at(110), 0));
        assert!(records(&[100]).is_over(at(200), 0));
        assert!(!records(&[0, 100, 200]).is_over(at(400), 0));
        assert!(records(&[0, 100, 200]).is_over(at(1300), 0));
    }

    #[test]
    fn without_times_its_lines_tell() {
        let mut undated = records(&[100]);
        undated.add(1, [None, None]);
        assert!(!undated.is_over(None, 500));
        undated.at_line(7);
        assert!(!undated.is_over(None, 14));
        assert!(undated.is_over(None, 100));
        undated.at_line(57);
        assert!(!undated.is_over(None, 100));
    }
}
