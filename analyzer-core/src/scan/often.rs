//! Signatures that matched often go on by their text alone: of the records that hold it each
//! [`EACH`]th and a block's last one are read, and stand for those that are not.
//!
//! So whether a signature matched, the first and last match and the proof are always those of records
//! that were read, and counts are exact up to [`EXACT`]. A signature whose text was ever read in a
//! record that did not fulfil it is always read, so beyond that a count is off only if records
//! fulfil it less often all of a sudden, and then by less than [`EACH`] for each that is read.

use std::collections::BTreeMap;

use super::survey::{Trigger, Why};
use crate::matcher::Hit;
use crate::model::Format;
use crate::signature::Leaf;

/// Up to how many matches of a signature each one is read.
pub(crate) const EXACT: u64 = 64;

/// One of so many is read beyond that.
pub(crate) const EACH: u64 = 16;

/// The signatures of which enough matches were read, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Often(pub Vec<bool>);

impl Often {
    /// The signatures of these conditions, if all of them matched often.
    pub fn all<'l>(&self, leaves: &'l [Leaf]) -> Option<impl Iterator<Item = u32> + 'l> {
        let often = |(number, _): &Leaf| self.0.get(*number as usize) == Some(&true);
        let all = !leaves.is_empty() && !self.0.is_empty() && leaves.iter().all(often);
        all.then(|| leaves.iter().map(|(number, _)| *number))
    }
}

/// Lines of a block that hold nothing but texts of such signatures.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    /// The byte at which the line begins, and a signature.
    lines: Vec<(usize, u32)>,
}

impl Sampled {
    pub fn add(&mut self, line: usize, signatures: impl Iterator<Item = u32>) {
        self.lines.extend(signatures.map(|number| (line, number)));
    }

    /// Chooses the lines to read, and tells for each signature how many are not. `whole` gives the
    /// document's byte of a line.
    pub fn choose(
        mut self,
        triggers: &mut Vec<Trigger>,
        whole: impl Fn(usize) -> usize,
    ) -> (Weights, BTreeMap<u32, u64>) {
        let mut unread = BTreeMap::new();
        if self.lines.is_empty() {
            return (Weights::default(), unread);
        }
        self.lines.sort_unstable();
        self.lines.dedup();
        let mut read: Vec<usize> = triggers
            .iter()
            .filter(|trigger| trigger.why != Why::Grave)
            .map(|trigger| trigger.at)
            .collect();
        read.sort_unstable();
        let mut weights: Vec<(usize, u32, u64)> = Vec::with_capacity(self.lines.len());
        // how many records each signature has passed over, and the last of them
        let mut passed: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
        for (at, &(line, number)) in self.lines.iter().enumerate() {
            // what is read for another reason counts for itself
            if read.binary_search(&line).is_ok() {
                weights.push((line, number, 1));
                continue;
            }
            let (count, last) = passed.entry(number).or_default();
            (*count, *last) = (*count + 1, at);
            let stands_for = if *count == EACH {
                std::mem::take(count)
            } else {
                0
            };
            weights.push((line, number, stands_for));
        }
        for (count, last) in passed.into_values() {
            if let Some((_, _, weight)) = weights.get_mut(last).filter(|_| count > 0) {
                *weight = count;
            }
        }
        // that they tell of errors is known
        triggers.retain(|trigger| {
            let sampled = self
                .lines
                .binary_search_by_key(&trigger.at, |(line, _)| *line);
            trigger.why != Why::Grave || sampled.is_err()
        });
        for (line, number, weight) in &mut weights {
            if *weight > 0 {
                let why = Why::Text;
                triggers.push(Trigger { at: *line, why });
                *unread.entry(*number).or_default() += *weight - 1;
            }
            *line = whole(*line);
        }
        (Weights(weights), unread)
    }
}

/// For how many records the matches in a line stand: the document's byte at which it begins, the
/// signature, and the number, which is 0 if another line stands for this one.
#[derive(Debug, Default)]
pub(crate) struct Weights(Vec<(usize, u32, u64)>);

impl Weights {
    /// Gives the hits of one record from `first` on their weights, and takes out those that another
    /// line stands for.
    pub fn apply(&self, hits: &mut Vec<(Leaf, Hit)>, first: usize) {
        if self.0.is_empty() {
            return;
        }
        let mut kept = first;
        for at in first..hits.len() {
            let ((number, _), hit) = &mut hits[at];
            // objects are read whole, so that each counts for itself
            if matches!(hit.format, Format::ObjectYaml | Format::ObjectJson) {
                hits.swap(kept, at);
                kept += 1;
                continue;
            }
            let from = self
                .0
                .partition_point(|(line, ..)| *line < hit.record.start);
            let lines = self.0[from..].iter();
            let lines =
                lines.take_while(|(line, ..)| *line < hit.record.end.max(hit.record.start + 1));
            let own = lines.filter(|(_, known, _)| known == number);
            match own.map(|(_, _, weight)| *weight).reduce(|a, b| a + b) {
                Some(0) => continue,
                Some(weight) => hit.count *= weight,
                None => {}
            }
            hits.swap(kept, at);
            kept += 1;
        }
        hits.truncate(kept);
    }
}
