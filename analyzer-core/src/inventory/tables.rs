//! Which patterns the conditions on several objects ask for: a table for each one, however many conditions use it.

use std::collections::HashMap;

use super::facts::short;
use crate::matcher::{Hit, compare};
use kwhy_catalogue::Catalogue;
use kwhy_signature::{Comparison, ConditionId, leaves, refuting_objects};

/// The tables of a catalogue: which pattern's facts are in which one.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    of_leaf: HashMap<ConditionId, Leaf>,
    /// The leaves of each signature whose condition is about several objects, in the order of its condition.
    of_signature: HashMap<u32, Vec<usize>>,
    /// By table, whether its facts only refute: of those that say the same one is enough.
    only_refutes: Vec<bool>,
    /// By table, the comparisons of what a fact captured itself.
    comparisons: Vec<Vec<Comparison>>,
}

/// A leaf of a condition on several objects.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    table: usize,
    /// True for the first leaf with the pattern: objects are tested for it only.
    is_tested: bool,
}

impl Tables {
    /// Lists the patterns of a catalogue.
    pub fn new(catalogue: &Catalogue) -> Tables {
        let mut tables = Tables::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, signature) in catalogue.relations() {
            let number = short(number, u32::MAX);
            let mut conditions = Vec::new();
            leaves(&signature.condition, &mut conditions);
            let refuting = refuting_objects(&signature.condition);
            let mut of_signature = Vec::with_capacity(conditions.len());
            for ((leaf, condition), refutes) in (0u16..).zip(conditions).zip(refuting) {
                let next = known.len();
                // what its own values decide is decided when a fact is added
                let pattern = format!("{:?} {:?}", condition.what, condition.comparisons);
                let table = *known.entry(pattern).or_insert(next);
                let is_tested = table == next;
                if is_tested {
                    tables.only_refutes.push(true);
                    tables.comparisons.push(condition.comparisons.clone());
                }
                if let Some(only_refutes) = tables.only_refutes.get_mut(table) {
                    *only_refutes &= refutes;
                }
                tables
                    .of_leaf
                    .insert((number, leaf), Leaf { table, is_tested });
                of_signature.push(table);
            }
            tables.of_signature.insert(number, of_signature);
        }
        tables
    }

    /// Returns the table of a leaf, if its signature is about several objects.
    pub fn of_leaf(&self, leaf: ConditionId) -> Option<usize> {
        self.of_leaf.get(&leaf).map(|leaf| leaf.table)
    }

    /// Returns true if another leaf with the same pattern is tested in its place.
    pub fn is_shared(&self, leaf: ConditionId) -> bool {
        self.of_leaf.get(&leaf).is_some_and(|leaf| !leaf.is_tested)
    }

    /// Returns the tables of a signature's leaves, if it is about several objects.
    pub fn of_signature(&self, number: u32) -> Option<&[usize]> {
        self.of_signature.get(&number).map(Vec::as_slice)
    }

    /// The comparisons of what a fact of a table captured itself.
    pub fn comparisons(&self, table: usize) -> &[Comparison] {
        self.comparisons.get(table).map_or(&[], Vec::as_slice)
    }

    /// Returns true if what a hit captured compares as the condition of a table asks.
    pub fn holds(&self, table: usize, hit: &Hit) -> bool {
        compare(&hit.captures, self.comparisons(table))
    }

    /// Returns true if the facts of a table only refute.
    pub fn only_refutes(&self, table: usize) -> bool {
        self.only_refutes.get(table) == Some(&true)
    }

    /// The signatures that are about several objects.
    pub fn signatures(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.of_signature.keys().copied().collect();
        all.sort_unstable();
        all
    }
}
