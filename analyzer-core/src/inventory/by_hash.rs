//! Candidate numbers, found by hash, in 8 bytes each.

use std::collections::HashSet;
use std::hash::Hash;

use super::room::make_room;
use crate::hash::hash_one;
use crate::sort;

/// The maximum number of candidates under one key that are all kept to find the nearest one. Beyond it, repetitions are
/// omitted.
const FEW: usize = 64;

/// Numbers sorted by a truncated hash of their key. A lookup may also return numbers of another key with the same hash.
#[derive(Debug, Default)]
pub(super) struct ByHash(Vec<(u32, u32)>);

impl ByHash {
    pub fn with_capacity(most: usize) -> ByHash {
        ByHash(Vec::with_capacity(most))
    }

    /// Returns the truncated hash of a key.
    pub fn key(found_by: &impl Hash) -> u32 {
        hash_one(found_by) as u32
    }

    /// Adds a number. All numbers must be added before `sort`.
    pub fn push(&mut self, found_by: &impl Hash, number: u32) {
        make_room(&mut self.0, 1);
        self.0.push((ByHash::key(found_by), number));
    }

    /// Sorts the numbers for lookups.
    pub fn sort(&mut self) {
        self.0.sort_unstable();
    }

    /// Returns the numbers under a key, the lowest first.
    pub fn of(&self, key: u32) -> impl Iterator<Item = u32> {
        let first = self.0.partition_point(|(known, _)| *known < key);
        let rest = self.0.get(first..).unwrap_or_default().iter();
        let with_key = rest.take_while(move |(known, _)| *known == key);
        with_key.map(|(_, number)| *number)
    }

    /// If very many numbers share a key, keeps only the lowest of those whose content is equal. `found_by` returns the
    /// key of a number, `said` its content.
    pub fn omit_repeated<K: Ord, S: Eq + Hash>(
        &mut self,
        found_by: impl Fn(u32) -> K,
        said: impl Fn(u32) -> S,
    ) {
        let mut repeated = HashSet::new();
        for of_hash in self.0.chunk_by_mut(|(one, _), (other, _)| one == other) {
            if of_hash.len() <= FEW {
                continue;
            }
            // other keys may have the same hash
            sort::by_key(of_hash, |(_, number)| (found_by(*number), *number));
            let is_same =
                |(_, one): &(u32, u32), (_, other): &(u32, u32)| found_by(*one) == found_by(*other);
            for alike in of_hash.chunk_by(is_same).filter(|alike| alike.len() > FEW) {
                let mut known = HashSet::new();
                let numbers = alike.iter().map(|(_, number)| *number);
                repeated.extend(numbers.filter(|number| !known.insert(said(*number))));
            }
            of_hash.sort_unstable();
        }
        if !repeated.is_empty() {
            self.0.retain(|(_, number)| !repeated.contains(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_found_by_what_they_were_added_under(
            all in prop::collection::vec((0..4u8, 0..9u8), 0..400)
        ) {
            let mut numbers = ByHash::with_capacity(7);
            for (number, (found_by, _)) in (0..).zip(&all) {
                numbers.push(found_by, number);
            }
            numbers.sort();
            for omit in [false, true] {
                for found_by in 0..4 {
                    let model = (0..).zip(&all).filter(|(_, (known, _))| *known == found_by);
                    let mut model: Vec<(u32, u8)> = model.map(|(number, (_, said))| (number, *said)).collect();
                    if omit && model.len() > FEW {
                        let mut known = HashSet::new();
                        model.retain(|(_, said)| known.insert(*said));
                    }
                    let found: Vec<u32> = numbers.of(ByHash::key(&found_by)).collect();
                    prop_assert_eq!(found, model.into_iter().map(|(number, _)| number).collect::<Vec<_>>());
                }
                numbers.omit_repeated(|number| all[number as usize].0, |number| all[number as usize].1);
            }
        }

        #[test]
        fn values_of_one_hash_are_distinguished(said in prop::collection::vec((0..3u8, 0..5u8), 0..400)) {
            let mut numbers = ByHash::default();
            for number in 0..said.len() as u32 {
                numbers.push(&0, number);
            }
            numbers.omit_repeated(|number| said[number as usize].0, |number| said[number as usize].1);
            let count = |one: u8| said.iter().filter(|(known, _)| *known == one).count();
            let mut known = HashSet::new();
            let is_kept = |number: &u32| {
                let (found_by, said) = said[*number as usize];
                count(found_by) <= FEW || known.insert((found_by, said))
            };
            let model: Vec<u32> = (0..said.len() as u32).filter(is_kept).collect();
            prop_assert_eq!(numbers.of(ByHash::key(&0)).collect::<Vec<_>>(), model);
        }
    }
}
