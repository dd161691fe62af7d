//! The patterns of conditions over several objects: one table of facts for each distinct pattern, shared by all
//! conditions that use it.

use std::collections::HashMap;

use super::facts::short;
use crate::matcher::{Hit, compare};
use kwhy_catalogue::Catalogue;
use kwhy_signature::{Comparison, ConditionId, leaves, refuting_objects};

/// The tables of a catalogue.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    of_leaf: HashMap<ConditionId, Leaf>,
    /// The tables of each signature over several objects, in the order of its leaves.
    of_signature: HashMap<u32, Vec<usize>>,
    /// For each table, whether its facts only refute, so that repetitions can be omitted.
    only_refutes: Vec<bool>,
    /// For each table, the comparisons among a fact's own captures.
    comparisons: Vec<Vec<Comparison>>,
}

/// A leaf of a condition over several objects.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    table: usize,
    /// True for the first leaf with the pattern, the only one that objects are tested for.
    is_tested: bool,
}

impl Tables {
    /// Builds the tables of a catalogue's patterns.
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
                // comparisons of a fact's own values are part of the pattern, as they are decided when it is added
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

    /// Returns the table of a leaf; `None` if its signature is not over several objects.
    pub fn of_leaf(&self, leaf: ConditionId) -> Option<usize> {
        self.of_leaf.get(&leaf).map(|leaf| leaf.table)
    }

    /// Returns true if another leaf with the same pattern is tested in its place.
    pub fn is_shared(&self, leaf: ConditionId) -> bool {
        self.of_leaf.get(&leaf).is_some_and(|leaf| !leaf.is_tested)
    }

    /// Returns the tables of a signature's leaves; `None` if it is not over several objects.
    pub fn of_signature(&self, number: u32) -> Option<&[usize]> {
        self.of_signature.get(&number).map(Vec::as_slice)
    }

    /// The comparisons among the own captures of a table's facts.
    pub fn comparisons(&self, table: usize) -> &[Comparison] {
        self.comparisons.get(table).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a hit's captures satisfy the comparisons of a table.
    pub fn holds(&self, table: usize, hit: &Hit) -> bool {
        compare(&hit.captures, self.comparisons(table))
    }

    /// Returns true if the facts of a table only refute.
    pub fn only_refutes(&self, table: usize) -> bool {
        self.only_refutes.get(table) == Some(&true)
    }

    /// The numbers of the signatures over several objects, sorted.
    pub fn signatures(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.of_signature.keys().copied().collect();
        all.sort_unstable();
        all
    }
}
