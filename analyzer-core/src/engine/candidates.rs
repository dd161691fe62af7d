//! Selects candidates: the lines of a block that contain literals of signatures and are worth parsing.

use memchr::memrchr;

use super::line_index::{Region, RegionReason};
use crate::matcher::Tester;
use kwhy_model::Severity;
use kwhy_parse::framing::{Cri, line_at, lines_of_record, next_line, record_at};
use kwhy_parse::log;
use kwhy_signature::{ConditionId, Index, Record, STARTS};

/// The maximum number of lines across which an unfinished line continues.
const MAX_PARTS: usize = 256;

/// Adds the lines that contain literals of the index and whose records may fulfil a condition. Returns the conditions
/// that the records of these lines may fulfil.
pub(super) fn select_candidates(
    tester: &Tester<'_>,
    index: &Index,
    bytes: &[u8],
    regions: &mut Vec<Region>,
) -> Vec<ConditionId> {
    let mut candidates = Vec::new();
    let mut hits: Vec<(usize, u32)> = Vec::new();
    // most literals occur on the same line as the previous one
    let mut last = 0..0;
    index.sweep(bytes, |found| {
        if !last.contains(&found.at) {
            let start = memrchr(b'\n', &bytes[..found.at]).map_or(0, |end| end + 1);
            last = start..start + line_at(bytes, start).len();
        }
        hits.push((last.start, found.literal));
    });
    hits.sort_unstable();
    let mut leaves: Vec<ConditionId> = Vec::new();
    for found in hits.chunk_by(|(line, _), (next, _)| line == next) {
        let at = found[0].0;
        leaves.clear();
        leaves.extend(found.iter().flat_map(|(_, phrase)| index.leaves(*phrase)));
        leaves.sort_unstable();
        leaves.dedup();
        // most lines with a literal of a severity-bound condition are not severe enough
        let least = leaves.iter().map(|leaf| tester.least(*leaf)).min();
        if let Some(Some(least)) = least
            && severity(line_at(bytes, at)).is_some_and(|own| own < least)
        {
            continue;
        }
        let alone = record_of(tester, bytes, at, &mut leaves);
        if leaves.is_empty() {
            if index.is_error_level(found[0].1) {
                regions.push(Region::new(at, RegionReason::Error));
            }
            continue;
        }
        let end = alone.map(|record| at + record.len());
        let first = candidates.len();
        candidates.append(&mut leaves);
        regions.push(Region {
            at,
            why: RegionReason::Text,
            end,
            candidates: Some((first, candidates.len())),
        });
    }
    candidates
}

/// Drops the conditions that the record starting with a line cannot fulfil. Returns the record if its end is known and
/// conditions remain.
fn record_of<'b>(
    tester: &Tester<'_>,
    bytes: &'b [u8],
    at: usize,
    leaves: &mut Vec<ConditionId>,
) -> Option<&'b [u8]> {
    if leaves.is_empty() {
        return None;
    }
    let line = line_at(bytes, at);
    // the exact end of a record is costly to find, and most records lack the words
    let lines = lines_of_record(bytes, at);
    if let Some(lines) = lines {
        refuse(tester, lines, line, leaves);
        if lines.len() <= line.len() + 1 {
            return Some(lines).filter(|_| !leaves.is_empty());
        }
    }
    let record = record_at(bytes, at).filter(|_| !leaves.is_empty())?;
    refuse(tester, record, line, leaves);
    Some(record)
}

/// Drops the conditions that a record cannot fulfil, judging by its raw bytes.
fn refuse(tester: &Tester<'_>, record: &[u8], line: &[u8], leaves: &mut Vec<ConditionId>) {
    let raw = Record::new(record, leaves.len());
    leaves.retain(|leaf| tester.may_fulfil(*leaf, &raw));
    if leaves.iter().any(|leaf| tester.least(*leaf).is_some())
        && let Some(own) = severity(line)
    {
        leaves.retain(|leaf| tester.least(*leaf).is_none_or(|least| own >= least));
    }
}

/// Returns the severity of the record that starts with a line, if the line states it.
fn severity(line: &[u8]) -> Option<Severity> {
    let line = std::str::from_utf8(line).ok()?;
    let head = log::header(line)?;
    head.severity.filter(|_| !log::may_hold_another(line))
}

/// Returns true if a line that continues in others must be read because a literal of the index occurs across them.
pub(super) fn is_cut_in_two(bytes: &[u8], index: &Index, at: usize) -> bool {
    let mut occurs = false;
    if let Some(joined) = joined(bytes, at) {
        occurs = STARTS
            .iter()
            .any(|start| joined.starts_with(start.as_bytes()));
        index.sweep(&joined, |hits| {
            occurs |= !index.is_error_level(hits.literal);
        });
    }
    occurs
}

/// Joins a CRI line with the lines that it continues in; `None` if it is not partial.
fn joined(bytes: &[u8], at: usize) -> Option<Vec<u8>> {
    let first = Cri::of(line_at(bytes, at)).filter(|cri| cri.partial)?;
    let mut joined = Vec::new();
    let mut at = Some(at);
    for _ in 0..MAX_PARTS {
        let Some(line) = at.map(|at| line_at(bytes, at)) else {
            break;
        };
        let Some(cri) = Cri::of(line) else {
            break;
        };
        if cri.stream == first.stream {
            joined.extend_from_slice(&line[cri.payload..]);
            if !cri.partial {
                break;
            }
        }
        at = at.and_then(|at| next_line(bytes, at));
    }
    Some(joined)
}
