//! Signatures that matched often go on by their text alone: of the records that hold it each
//! [`EACH`]th and a block's last one are read, and stand for those that are not.
//!
//! So whether a signature matched, the first and last match and the proof are always those of records
//! that were read, and counts are exact up to [`EXACT`]. A signature whose text was ever read in a
//! record that did not fulfil it is always read, so beyond that a count is off only if records
//! fulfil it less often all of a sudden, and then by less than 16 for each that is read.

use std::collections::BTreeMap;

use super::survey::{Trigger, Why};
use crate::matcher::Hit;
use crate::signature::Leaf;

/// Up to how many matches of a signature each one is read.
pub(crate) const EXACT: u64 = 64;

/// One of so many is read beyond that.
const EACH: u64 = 16;

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

    /// Chooses the lines to read, and tells for each signature how many are not.
    pub fn choose(mut self, triggers: &mut Vec<Trigger>) -> (Weights, BTreeMap<u32, u64>) {
        let mut weights = Weights::default();
        let mut unread = BTreeMap::new();
        if self.lines.is_empty() {
            return (weights, unread);
        }
        self.lines.sort_unstable();
        self.lines.dedup();
        let mut read: Vec<usize> = triggers
            .iter()
            .filter(|trigger| trigger.why != Why::Grave)
            .map(|trigger| trigger.at)
            .collect();
        read.sort_unstable();
        // how many records each signature has passed over, and the last of them
        let mut passed: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
        for &(line, number) in &self.lines {
            // what is read for another reason counts for itself
            if read.binary_search(&line).is_ok() {
                weights.add(line, number, 1);
                continue;
            }
            let (count, last) = passed.entry(number).or_default();
            (*count, *last) = (*count + 1, line);
            if *count == EACH {
                weights.add(line, number, EACH);
                *count = 0;
            }
        }
        for (number, (count, last)) in passed {
            if count > 0 {
                weights.add(last, number, count);
            }
        }
        // that they tell of errors is known
        triggers.retain(|trigger| {
            let sampled = self
                .lines
                .binary_search_by_key(&trigger.at, |(line, _)| *line);
            trigger.why != Why::Grave || sampled.is_err()
        });
        for (&line, of_line) in &weights.lines {
            let why = Why::Text;
            triggers.push(Trigger { at: line, why });
            for (number, weight) in of_line {
                *unread.entry(*number).or_default() += weight - 1;
            }
        }
        weights.signatures = self.lines.iter().map(|(_, number)| *number).collect();
        weights.signatures.sort_unstable();
        weights.signatures.dedup();
        (weights, unread)
    }
}

/// For how many records a line's matches stand.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    lines: BTreeMap<usize, Vec<(u32, u64)>>,
    /// The signatures of which not all lines are read.
    signatures: Vec<u32>,
    /// The weights of what is being read.
    now: Vec<(u32, u64)>,
    /// The document's byte at which that begins.
    pub line: usize,
}

impl Weights {
    fn add(&mut self, line: usize, number: u32, weight: u64) {
        self.lines.entry(line).or_default().push((number, weight));
    }

    /// What is read next is read for the sake of this line.
    pub fn of_trigger(&mut self, line: usize) {
        self.now = self.lines.remove(&line).unwrap_or_default();
    }

    /// Gives the hits of one record from `first` on their weights, and takes out those that another
    /// line stands for.
    pub fn apply(&self, hits: &mut Vec<((u32, u16), Hit)>, first: usize) {
        if self.signatures.is_empty() {
            return;
        }
        let mut kept = first;
        for at in first..hits.len() {
            let ((number, _), hit) = &mut hits[at];
            let weight = match self.now.iter().find(|(known, _)| known == number) {
                Some((_, weight)) => *weight,
                None if self.signatures.binary_search(number).is_ok() => continue,
                None => 1,
            };
            hit.count *= weight;
            hits.swap(kept, at);
            kept += 1;
        }
        hits.truncate(kept);
    }
}
