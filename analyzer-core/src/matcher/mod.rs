//! Signatures against events and objects.
//!
//! The interface is narrow so that the engine behind it can change: events and objects go in one
//! by one, matches come out at the end.

mod atom;
mod evaluate;
mod facts;
mod hit;
mod scope;

pub(crate) use evaluate::Match;
pub(crate) use facts::EventFacts;
pub(crate) use hit::{Hit, Moment};
pub(crate) use scope::{related, subjects_agree};

use crate::model::{Event, Object};
use crate::signature::{Catalogue, Condition, What};

/// How many hits of one pattern are kept with their text; more are not told apart any further.
const MAX_HITS: usize = 4096;

/// Matches the signatures of a catalogue.
pub(crate) struct Matcher<'c> {
    catalogue: &'c Catalogue,
    /// For each signature the hits of its leaf conditions.
    hits: Vec<Vec<Vec<Hit>>>,
    leaves: Vec<Vec<&'c Condition>>,
}

impl<'c> Matcher<'c> {
    pub fn new(catalogue: &'c Catalogue) -> Self {
        let leaves: Vec<Vec<&Condition>> = catalogue
            .signatures()
            .iter()
            .map(|signature| {
                let mut leaves = Vec::new();
                evaluate::leaves(&signature.condition, &mut leaves);
                leaves
            })
            .collect();
        let hits = leaves
            .iter()
            .map(|leaves| vec![Vec::new(); leaves.len()])
            .collect();
        Matcher {
            catalogue,
            hits,
            leaves,
        }
    }

    /// Takes an event of the document with this number.
    pub fn event(&mut self, document: usize, event: &Event<'_>) {
        let facts = EventFacts::new(event);
        for (leaves, hits) in self.leaves.iter().zip(&mut self.hits) {
            for (leaf, hits) in leaves.iter().zip(hits) {
                let What::Event(pattern) = &leaf.what else {
                    continue;
                };
                for found in atom::event(pattern, &facts) {
                    if hits.len() < MAX_HITS {
                        hits.push(Hit::from_event(document, event, found));
                    }
                }
            }
        }
    }

    /// Takes an object of the document with this number.
    pub fn object(&mut self, document: usize, object: &Object<'_>) {
        for (leaves, hits) in self.leaves.iter().zip(&mut self.hits) {
            for (leaf, hits) in leaves.iter().zip(hits) {
                let What::Object(pattern) = &leaf.what else {
                    continue;
                };
                for found in atom::object(pattern, object) {
                    if hits.len() < MAX_HITS {
                        hits.push(Hit::from_object(document, object, found));
                    }
                }
            }
        }
    }

    /// All matches: the signature's number in the catalogue, and what matched.
    pub fn finish(self) -> Vec<(usize, Match)> {
        let signatures = self
            .catalogue
            .signatures()
            .iter()
            .zip(&self.hits)
            .enumerate();
        signatures
            .flat_map(|(number, (signature, hits))| {
                let found = evaluate::evaluate(&signature.condition, &mut hits.iter());
                found.into_iter().map(move |found| (number, found))
            })
            .collect()
    }
}
