//! Which lines of a block hold texts of signatures, and which of them are read.

use std::ops::Range;

use memchr::memrchr;

use super::boundary::{begins_record, line_at, next_line, part, stream};
use super::escapes;
use super::often::{Enough, Sample, Sampled, group_of};
use super::read::Known;
use super::survey::{DOCKER_LINE, Trigger, Why};
use crate::matcher::Tester;
use crate::model::Severity;
use crate::parse::log;
use crate::signature::{Index, Leaf, Record, STARTS};

/// How many lines an unfinished line may go on in.
const MAX_PARTS: usize = 256;

/// The most bytes of a record that is kept as it stands.
const MAX_UNREAD: usize = 4096;

/// How many lines of a record are looked at before it is parsed.
const MAX_RECORD_LINES: usize = 64;

/// Adds the lines to read in which texts of the index stand. Given back is what becomes of records of
/// signatures that matched often, by the byte at which each begins.
pub(super) fn choose(
    tester: &Tester<'_>,
    index: &Index,
    known: Known<'_>,
    bytes: &[u8],
    triggers: &mut Vec<Trigger>,
) -> Vec<(usize, Sample)> {
    let mut standing: Vec<(usize, u32)> = Vec::new();
    // most texts stand in the line of the one before
    let mut last = 0..0;
    index.sweep(bytes, |found| {
        if !last.contains(&found.at) {
            let start = memrchr(b'\n', &bytes[..found.at]).map_or(0, |end| end + 1);
            last = start..start + line_at(bytes, start).len();
        }
        standing.push((last.start, found.phrase));
    });
    standing.sort_unstable();
    // what is read for another reason counts for itself
    let mut other: Vec<usize> = triggers
        .iter()
        .filter(|trigger| trigger.why != Why::Grave)
        .map(|trigger| trigger.at)
        .collect();
    other.sort_unstable();
    let is_free = |at: usize, record: &[u8]| {
        let next = other.get(other.partition_point(|line| *line < at));
        record.len() <= MAX_UNREAD && next.is_none_or(|next| *next >= at + record.len())
    };
    let mut sampled = Sampled::default();
    let mut lone: Vec<(Range<usize>, Sample)> = Vec::new();
    let mut leaves: Vec<Leaf> = Vec::new();
    for found in standing.chunk_by(|(line, _), (next, _)| line == next) {
        let at = found[0].0;
        leaves.clear();
        leaves.extend(found.iter().flat_map(|(_, phrase)| index.leaves(*phrase)));
        leaves.sort_unstable();
        leaves.dedup();
        // most lines that hold a text of conditions on grave records are not grave
        let least = leaves.iter().map(|leaf| tester.least(*leaf)).min();
        if let Some(Some(least)) = least
            && severity(line_at(bytes, at)).is_some_and(|own| own < least)
        {
            continue;
        }
        let alone = if leaves.is_empty() {
            None
        } else {
            record_at(bytes, at)
        };
        if let Some(record) = alone.map(|record| Record::new(record, leaves.len())) {
            leaves.retain(|leaf| tester.may_fulfil(*leaf, &record));
        }
        if leaves.iter().any(|leaf| tester.least(*leaf).is_some())
            && let Some(own) = alone.and_then(|_| severity(line_at(bytes, at)))
        {
            leaves.retain(|leaf| tester.least(*leaf).is_none_or(|least| own >= least));
        }
        if leaves.is_empty() {
            if index.is_grave(found[0].1) {
                triggers.push(Trigger::new(at, Why::Grave));
            }
            continue;
        }
        let end = alone.map(|record| at + record.len());
        let free = alone.filter(|record| is_free(at, record));
        let Some(record) = free else {
            let why = Why::Text;
            triggers.push(Trigger { at, why, end });
            continue;
        };
        // it is read for a signature that it may well fulfil, and not for one that is asked for in vain
        let of = |leaf: &Leaf| known.often.of(*leaf);
        if leaves.iter().map(of).min() == Some(Enough::Vain)
            && let Some(levels) = escapes::levels(record)
        {
            leaves.retain(|leaf| of(leaf) != Enough::Vain || tester.may_say(*leaf, &levels));
            if leaves.is_empty() {
                if index.is_grave(found[0].1) {
                    triggers.push(Trigger::new(at, Why::Grave));
                }
                continue;
            }
        }
        let group = group_of(&leaves);
        let range = at..at + record.len();
        if known.often.all(&group) {
            sampled.add(range, group);
        } else {
            lone.push((range, Sample::Lone(group)));
        }
    }
    let mut samples = sampled.choose(known.number);
    samples.append(&mut lone);
    samples.sort_by_key(|(record, _)| record.start);
    if samples.is_empty() {
        return Vec::new();
    }
    // that they tell of errors is known
    triggers.retain(|trigger| {
        let sample = samples.binary_search_by_key(&trigger.at, |(record, _)| record.start);
        trigger.why != Why::Grave || sample.is_err()
    });
    for (record, sample) in &samples {
        let why = match sample {
            Sample::Passed => continue,
            Sample::Read(..) | Sample::Lone(_) => Why::Text,
            Sample::Left(..) => Why::Left,
        };
        let (at, end) = (record.start, Some(record.end));
        triggers.push(Trigger { at, why, end });
    }
    let begins = |(record, sample): (Range<usize>, Sample)| (record.start, sample);
    samples.into_iter().map(begins).collect()
}

/// The lines from a record's first one up to the next record, if no line of it is cut in two.
fn record_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    if !begins_record(bytes, at) {
        return None;
    }
    let mut end = at;
    for _ in 0..MAX_RECORD_LINES {
        let line = line_at(bytes, end);
        if line.len() >= DOCKER_LINE || part(line).is_some_and(|(_, goes_on)| goes_on) {
            return None;
        }
        end = (end + line.len() + 1).min(bytes.len());
        if end == bytes.len() || begins_record(bytes, end) {
            return bytes.get(at..end);
        }
    }
    None
}

/// How grave the record is that begins with a line, where the line tells.
fn severity(line: &[u8]) -> Option<Severity> {
    let line = std::str::from_utf8(line).ok()?;
    let head = log::head(line)?;
    head.severity.filter(|_| !log::may_hold_another(line))
}

/// Whether a line that goes on in others must be read: a text of the index may stand across them.
pub(super) fn is_cut_in_two(bytes: &[u8], index: &Index, at: usize) -> bool {
    let mut stands = false;
    if let Some(joined) = joined(bytes, at) {
        stands = STARTS
            .iter()
            .any(|start| joined.starts_with(start.as_bytes()));
        index.sweep(&joined, |standing| {
            stands |= !index.is_grave(standing.phrase);
        });
    }
    stands
}

/// The text of a line of the CRI that goes on in others, all in one.
fn joined(bytes: &[u8], at: usize) -> Option<Vec<u8>> {
    let first = stream(line_at(bytes, at)).filter(|cri| cri.partial)?;
    let mut joined = Vec::new();
    let mut at = Some(at);
    for _ in 0..MAX_PARTS {
        let Some(line) = at.map(|at| line_at(bytes, at)) else {
            break;
        };
        let Some(cri) = stream(line) else {
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
