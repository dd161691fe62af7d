//! Signatures that matched often go on by their text alone: some of the records that hold it are read,
//! and stand for the others.
//!
//! Records that hold texts of the same signatures, a *group*, are sampled together, so that
//! signatures compete in what is read as they do in what is not. In a block each [`EACH`]th record of
//! a group is read, and in one block of as many the first one. What is left at a block's end is
//! carried on: a later record of the group that is read stands for it too, and the last one
//! of all is kept as it stands and read at the end.
//!
//! So whether a signature matched, the first and last match and the proof are always those of records
//! that were read, and counts are exact up to [`EXACT`]. A signature whose text was ever read in a
//! record that did not fulfil it is read on, but in groups of which [`ALIKE`] records or more were read and all
//! fulfilled the same. So beyond that a count is off only if records
//! fulfil it less often all of a sudden, and then by less than `EACH * EACH` for each that is read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::model::Subject;
use crate::signature::Leaf;

/// Up to how many matches of a signature each one is read.
pub(crate) const EXACT: u64 = 32;

/// How many records of a group must have fulfilled the same.
const ALIKE: u64 = 8;

/// One of so many is read beyond that.
pub(crate) const EACH: u64 = 16;

/// The signatures whose texts stand in a record, by their numbers, in order.
pub(crate) type Group = Box<[u32]>;

/// How much is known of a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Enough {
    /// Too few matches were read.
    #[default]
    No,
    /// Too few, and its text stood in other records too.
    Vain,
    /// Enough matches were read, but its text stood in other records too.
    InSteady,
    Yes,
}

/// Of which records enough were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Often {
    /// By the signatures' numbers.
    pub signatures: Vec<Enough>,
    /// The groups of which all records that were read fulfilled the same.
    pub steady: Arc<BTreeSet<Group>>,
    /// The conditions over several of which no further hit is kept.
    pub full: Arc<BTreeSet<Leaf>>,
}

impl Often {
    /// How much is known of a leaf condition's signature.
    pub fn of(&self, (number, _): Leaf) -> Enough {
        let known = self.signatures.get(number as usize);
        known.copied().unwrap_or_default()
    }

    /// Whether it is known that a leaf condition's signature is asked for in vain.
    pub fn is_vain(&self, leaf: Leaf) -> bool {
        matches!(self.of(leaf), Enough::Vain | Enough::InSteady)
    }

    /// Whether enough records of a group were read.
    pub fn all(&self, group: &Group) -> bool {
        let least = group.iter().map(|number| self.of((*number, 0))).min();
        match least {
            None | Some(Enough::No | Enough::Vain) => false,
            Some(Enough::InSteady) => self.steady.contains(group),
            Some(Enough::Yes) => true,
        }
    }
}

/// The group of leaf conditions, which are sorted.
pub(crate) fn group_of(leaves: &[Leaf]) -> Group {
    let mut group: Vec<u32> = leaves.iter().map(|(number, _)| *number).collect();
    group.dedup();
    group.into()
}

/// What the records of groups fulfilled.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// What all of them fulfilled, if that was the same, and how many were read.
    groups: BTreeMap<Group, (Option<Group>, u64)>,
    /// The groups that were steady when that was asked last, ...
    steady: Arc<BTreeSet<Group>>,
    /// ... and whether they may be others by now.
    is_changed: bool,
}

impl Outcomes {
    /// Takes the signatures that a record of a group fulfilled.
    pub fn note(&mut self, group: Group, fulfilled: Group) {
        let full = self.groups.len() >= MAX_GROUPS;
        match self.groups.get_mut(&group) {
            Some((known, read)) if known.as_ref() == Some(&fulfilled) => {
                *read = read.saturating_add(1);
                self.is_changed |= *read == ALIKE;
            }
            Some((known, _)) => {
                self.is_changed |= known.is_some();
                *known = None;
            }
            None if full => {}
            None => {
                self.groups.insert(group, (Some(fulfilled), 1));
            }
        }
    }

    /// The groups of which enough records were read, all alike.
    pub fn steady(&mut self) -> Arc<BTreeSet<Group>> {
        if std::mem::take(&mut self.is_changed) {
            let groups = self.groups.iter();
            let steady = groups.filter(|(_, (same, read))| same.is_some() && *read >= ALIKE);
            self.steady = Arc::new(steady.map(|(group, _)| group.clone()).collect());
        }
        self.steady.clone()
    }
}

/// Which records of such signatures a block holds.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    /// The bytes of a record, and its group.
    records: Vec<(Range<usize>, Group)>,
}

/// What to do with a record of [`Sampled`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    /// It is read and stands for itself.
    Lone(Group),
    /// Another one stands for it.
    Passed,
    /// It is read, and stands for so many records.
    Read(Group, u64),
    /// It is the block's last one of its group, and so many records wait for one that is read.
    Left(Group, u64),
}

impl Sampled {
    /// Adds a record; they come in order.
    pub fn add(&mut self, record: Range<usize>, group: Group) {
        self.records.push((record, group));
    }

    /// Chooses what to read of the block with this number.
    pub fn choose(self, block: u64) -> Vec<(Range<usize>, Sample)> {
        let mut chosen = vec![Sample::Passed; self.records.len()];
        // how many of a group have passed since one was read, and where the last of them is
        let mut open: BTreeMap<&[u32], (u64, usize)> = BTreeMap::new();
        for (at, (_, group)) in self.records.iter().enumerate() {
            let seen = open.get(&**group);
            let turn = seen.is_none() && (block + spread(group)).is_multiple_of(EACH);
            let passed = seen.map_or(0, |(passed, _)| *passed) + 1;
            if turn || passed == EACH {
                chosen[at] = Sample::Read(group.clone(), passed);
                open.insert(group, (0, at));
            } else {
                open.insert(group, (passed, at));
            }
        }
        for (group, (passed, at)) in open {
            if passed > 0 {
                chosen[at] = Sample::Left(group.into(), passed);
            }
        }
        let records = self.records.into_iter().map(|(record, _)| record);
        records.zip(chosen).collect()
    }
}

/// A number that differs from group to group.
fn spread(group: &[u32]) -> u64 {
    group
        .iter()
        .fold(0, |sum, number| sum * 31 + u64::from(*number))
        % EACH
}

/// A record that was not read, as it stands.
#[derive(Debug)]
pub(crate) struct Unread {
    /// The document's number.
    pub document: usize,
    /// The document's byte at which it begins.
    pub offset: usize,
    /// How many lines stand before it.
    pub lines_before: u64,
    pub bytes: Vec<u8>,
    /// Whether another record begins right behind it.
    pub followed: bool,
    /// What is known of the log that it stands in.
    pub subject: Option<Subject>,
    /// Whether that is the log that was open at its block's start.
    pub inherits: bool,
}

/// The groups of which records wait for one that is read.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    groups: BTreeMap<Group, (u64, Unread)>,
}

/// How many groups are carried at once.
const MAX_GROUPS: usize = 1024;

impl Carried {
    /// For how many records of former blocks one that is read stands too.
    pub fn settle(&mut self, group: &Group) -> u64 {
        self.groups.remove(group).map_or(0, |(count, _)| count)
    }

    /// Takes what is left of a block, and gives back a record that is to be read now, with what it
    /// stands for, as there are too many groups.
    pub fn carry(&mut self, group: Group, count: u64, last: Unread) -> Option<(u64, Unread)> {
        if let Some((known, unread)) = self.groups.get_mut(&group) {
            *known += count;
            *unread = last;
            return None;
        }
        if self.groups.len() >= MAX_GROUPS {
            return Some((count, last));
        }
        self.groups.insert(group, (count, last));
        None
    }

    /// The records that are left at the end, in the order of the input, with what each stands for.
    pub fn finish(self) -> Vec<(u64, Unread)> {
        let mut left: Vec<(u64, Unread)> = self.groups.into_values().collect();
        left.sort_by_key(|(_, unread)| (unread.document, unread.offset));
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(lines: usize, block: u64) -> (u64, u64, u64) {
        let mut sampled = Sampled::default();
        let group = group_of(&[(3, 0), (3, 1), (7, 0)]);
        (0..lines).for_each(|line| sampled.add(line..line + 1, group.clone()));
        let mut told = (0, 0, 0);
        for (line, sample) in sampled.choose(block) {
            match sample {
                Sample::Passed | Sample::Lone(_) => {}
                Sample::Read(group, count) => {
                    assert_eq!(*group, [3, 7]);
                    told = (told.0 + 1, told.1 + count, told.2);
                }
                Sample::Left(_, count) => {
                    assert_eq!((line.start, told.2), (lines - 1, 0));
                    told.2 = count;
                }
            }
        }
        told
    }

    #[test]
    fn what_is_read_or_left_stands_for_all() {
        for lines in [1, 2, 15, 16, 17, 40, 1000] {
            let mut read = 0;
            for block in 0..EACH {
                let (records, stands_for, left) = counts(lines, block);
                assert_eq!(stands_for + left, lines as u64);
                assert!(left < EACH);
                read += records;
            }
            assert!(read * EACH >= lines as u64, "{lines} {read}");
            assert!(read <= lines as u64 + EACH);
        }
    }

    #[test]
    fn what_is_left_is_carried_to_the_next_that_is_read() {
        let unread = |offset| Unread {
            document: 0,
            offset,
            lines_before: 0,
            followed: false,
            bytes: Vec::new(),
            subject: None,
            inherits: false,
        };
        let mut carried = Carried::default();
        let (one, other) = (Group::from([1]), Group::from([1, 2]));
        assert!(carried.carry(one.clone(), 3, unread(5)).is_none());
        assert!(carried.carry(other, 2, unread(9)).is_none());
        assert!(carried.carry(one.clone(), 4, unread(20)).is_none());
        assert_eq!(carried.settle(&one), 7);
        assert_eq!(carried.settle(&one), 0);
        assert!(carried.carry(one, 1, unread(30)).is_none());
        let left = carried.finish();
        let told: Vec<_> = left.iter().map(|(n, unread)| (*n, unread.offset)).collect();
        assert_eq!(told, [(2, 9), (1, 30)]);
    }
}
