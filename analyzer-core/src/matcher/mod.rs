//! Signatures against events and objects.
//!
//! The interface is narrow so that the engine behind it can change: events and objects go in one
//! by one, matches come out at the end.

mod atom;
mod evaluate;
mod facts;
mod hit;
mod prefilter;
mod scope;
mod window;

pub(crate) use evaluate::Match;
pub(crate) use facts::EventFacts;
pub(crate) use hit::{Hit, Moment};
pub(crate) use prefilter::Prefilter;
pub(crate) use scope::{related, subjects_agree};

use std::collections::BTreeMap;

use crate::model::{Event, Format, Object};
use crate::signature::{Catalogue, Condition, Leaf, What, leaves};

/// How many hits of one condition are kept with their text; more are not told apart any further.
const MAX_HITS: usize = 4096;

/// How many letters and digits of an error a sentence must quote: a word or two are talked about
/// without having been seen.
const LEAST_QUOTE: usize = 24;

/// Matches the signatures of a catalogue.
pub(crate) struct Matcher<'c> {
    catalogue: &'c Catalogue,
    /// Without it every condition is tested: the slow reference.
    prefilter: Option<&'c Prefilter>,
    /// The signatures of which a condition was worth a test, by their number in the catalogue.
    tried: BTreeMap<u32, Tried<'c>>,
    candidates: Vec<Leaf>,
    /// How many hits were left out as there were too many of one condition.
    left_out: u64,
}

/// A signature with the hits of its leaf conditions.
struct Tried<'c> {
    leaves: Vec<(&'c Condition, Vec<Hit>)>,
}

impl<'c> Tried<'c> {
    fn new(catalogue: &'c Catalogue, number: u32) -> Self {
        let mut conditions = Vec::new();
        leaves(&catalogue.at(number as usize).condition, &mut conditions);
        Tried {
            leaves: conditions
                .into_iter()
                .map(|leaf| (leaf, Vec::new()))
                .collect(),
        }
    }
}

impl<'c> Matcher<'c> {
    pub fn new(catalogue: &'c Catalogue, prefilter: &'c Prefilter) -> Self {
        Matcher {
            catalogue,
            prefilter: Some(prefilter),
            tried: BTreeMap::new(),
            candidates: Vec::new(),
            left_out: 0,
        }
    }

    /// Tests every condition on everything: slow, and what the fast way must agree with.
    pub fn naive(catalogue: &'c Catalogue) -> Self {
        let mut candidates = Vec::new();
        for (number, signature) in (0..).zip(catalogue.signatures()) {
            let mut conditions = Vec::new();
            leaves(&signature.condition, &mut conditions);
            candidates.extend((0..).zip(conditions).map(|(leaf, _)| (number, leaf)));
        }
        Matcher {
            catalogue,
            prefilter: None,
            tried: BTreeMap::new(),
            candidates,
            left_out: 0,
        }
    }

    /// Takes an event of the document with this number.
    pub fn event(&mut self, document: usize, event: &Event<'_>) {
        let facts = EventFacts::new(event);
        if let Some(prefilter) = self.prefilter {
            prefilter.event(event, facts.texts(), &mut self.candidates);
        }
        self.test(|condition| match &condition.what {
            What::Event(pattern) => {
                let found = atom::event(pattern, &facts).into_iter();
                found
                    .filter(|found| event.format != Format::Prose || found.weight >= LEAST_QUOTE)
                    .map(|found| Hit::from_event(document, event, found))
                    .collect()
            }
            _ => Vec::new(),
        });
    }

    /// Takes an object of the document with this number.
    pub fn object(&mut self, document: usize, object: &Object<'_>) {
        if let Some(prefilter) = self.prefilter {
            prefilter.object(object, &mut self.candidates);
        }
        self.test(|condition| match &condition.what {
            What::Object(pattern) => {
                let found = atom::object(pattern, object).into_iter();
                found
                    .map(|found| Hit::from_object(document, object, found))
                    .collect()
            }
            _ => Vec::new(),
        });
    }

    /// Tests the candidates.
    fn test(&mut self, hits_of: impl Fn(&Condition) -> Vec<Hit>) {
        for (number, leaf) in &self.candidates {
            let catalogue = self.catalogue;
            let tried = self
                .tried
                .entry(*number)
                .or_insert_with(|| Tried::new(catalogue, *number));
            let Some((condition, hits)) = tried.leaves.get_mut(usize::from(*leaf)) else {
                continue;
            };
            let found = hits_of(condition);
            let room = MAX_HITS - hits.len();
            self.left_out += found.len().saturating_sub(room) as u64;
            hits.extend(found.into_iter().take(room));
        }
    }

    /// How many hits were left out, as more than 4096 of one condition are not told apart.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// All matches: the signature's number in the catalogue, and what matched.
    pub fn finish(self) -> Vec<(usize, Match)> {
        let mut matches = Vec::new();
        for (number, tried) in self.tried {
            let number = number as usize;
            let hits: Vec<Vec<Hit>> = tried.leaves.into_iter().map(|(_, hits)| hits).collect();
            if hits.iter().all(Vec::is_empty) {
                continue;
            }
            let condition = &self.catalogue.at(number).condition;
            let found = evaluate::evaluate(condition, &mut hits.iter());
            matches.extend(found.into_iter().map(|found| (number, found)));
        }
        matches
    }
}
