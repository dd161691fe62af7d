//! Signatures against events and objects.
//!
//! [`Tester`] holds one event or object against the leaf conditions that it may fulfil and makes
//! [`Hit`]s; it keeps no state, so that many threads can share it. [`evaluate()`] joins hits to
//! [`Match`]es.

mod atom;
mod derive;
mod evaluate;
mod facts;
mod hit;
pub(crate) mod ids;
#[cfg(test)]
mod joins;
mod period;
mod prefilter;
mod scope;
mod window;

pub(crate) use evaluate::{Match, evaluate};
pub(crate) use facts::EventFacts;
pub(crate) use hit::{Hit, Moment};
pub(crate) use period::Period;
pub(crate) use prefilter::Prefilter;
pub(crate) use scope::{node, related, subjects_agree};
pub(crate) use window::Followed;

use std::sync::OnceLock;

use crate::input::Stretch;
use crate::model::{Event, Format, Object};
use crate::signature::{Catalogue, Condition, Leaf, Need, NeedKind, What, Words, leaves};

/// How many letters and digits of an error a sentence must quote: a word or two are talked about
/// without having been seen.
const LEAST_QUOTE: usize = 24;

/// Tests events and objects against the signatures of a catalogue.
pub(crate) struct Tester<'c> {
    catalogue: &'c Catalogue,
    /// Without it every condition is tested: the slow reference.
    prefilter: Option<&'c Prefilter>,
    /// The leaf conditions of each signature, listed when one is tested first.
    leaves: Vec<OnceLock<Vec<LeafCondition<'c>>>>,
    /// Which events count.
    period: Period,
}

/// A leaf condition with what it needs.
struct LeafCondition<'c> {
    condition: &'c Condition,
    /// Texts one of which must stand as it is in an event of a log.
    needed: Vec<String>,
    /// What a record must hold as it stands.
    words: Words,
}

impl<'c> Tester<'c> {
    pub fn new(catalogue: &'c Catalogue, prefilter: &'c Prefilter) -> Self {
        Tester {
            prefilter: Some(prefilter),
            ..Tester::naive(catalogue)
        }
    }

    /// Tests every condition on everything: slow, and what the fast way must agree with.
    pub fn naive(catalogue: &'c Catalogue) -> Self {
        Tester {
            catalogue,
            prefilter: None,
            leaves: (0..catalogue.len()).map(|_| OnceLock::new()).collect(),
            period: Period::default(),
        }
    }

    /// Takes only events of a part of time.
    pub fn within(self, period: Period) -> Self {
        Tester { period, ..self }
    }

    /// Whether an event counts.
    pub fn takes(&self, event: &Event<'_>) -> bool {
        self.period.holds(event)
    }

    /// The signatures.
    pub fn catalogue(&self) -> &'c Catalogue {
        self.catalogue
    }

    /// Whether a log record of one line may fulfil a leaf condition, as far as its words tell.
    pub fn may_fulfil(&self, (number, leaf): Leaf, record: &[u8]) -> bool {
        self.leaves(number)
            .get(usize::from(leaf))
            .is_some_and(|leaf| leaf.words.may_stand(record))
    }

    /// Adds the hits of an event, in the order of their leaf conditions, and calls `vain` with each
    /// candidate that it did not fulfil.
    pub fn event(
        &self,
        stretch: &Stretch,
        event: &Event<'_>,
        into: &mut Vec<(Leaf, Hit)>,
        mut vain: impl FnMut(Leaf),
    ) {
        let record = stretch.text.text().as_bytes().get(event.span.clone());
        let facts = EventFacts::new(event, record.unwrap_or_default());
        // the prefilter has seen to it already
        let as_it_is = self.prefilter.is_none() && prefilter::stands_as_it_is(event.format);
        let test = |leaf: &LeafCondition<'_>| {
            let What::Event(pattern) = &leaf.condition.what else {
                return Vec::new();
            };
            if as_it_is && !leaf.needed.is_empty() && !facts.hold_one_of(&leaf.needed) {
                return Vec::new();
            }
            let mut found = atom::event(pattern, &facts);
            found.retain(|found| event.format != Format::Prose || found.weight >= LEAST_QUOTE);
            found
        };
        self.each(
            |prefilter, into| prefilter.event(event, facts.texts(), into),
            |leaf, condition| {
                let found = test(condition);
                if found.is_empty() {
                    vain(leaf);
                }
                let hits = found.into_iter();
                into.extend(hits.map(|found| (leaf, Hit::from_event(stretch, event, found))));
            },
        );
    }

    /// Adds the hits of an object, in the order of their leaf conditions.
    pub fn object(&self, stretch: &Stretch, object: &Object<'_>, into: &mut Vec<(Leaf, Hit)>) {
        self.each(
            |prefilter, into| prefilter.object(object, into),
            |leaf, condition| {
                if let What::Object(pattern) = &condition.condition.what {
                    let found = atom::object(pattern, object).into_iter();
                    into.extend(found.map(|found| {
                        let hit = Hit {
                            of_list: pattern.listed,
                            ..Hit::from_object(stretch, object, found)
                        };
                        (leaf, hit)
                    }));
                }
            },
        );
    }

    /// Goes through the candidates.
    fn each(
        &self,
        candidates: impl Fn(&Prefilter, &mut Vec<Leaf>),
        mut test: impl FnMut(Leaf, &LeafCondition<'c>),
    ) {
        let Some(prefilter) = self.prefilter else {
            for number in (0..).take(self.catalogue.len()) {
                for (leaf, condition) in (0..).zip(self.leaves(number)) {
                    test((number, leaf), condition);
                }
            }
            return;
        };
        let mut leaves = Vec::new();
        candidates(prefilter, &mut leaves);
        for (number, leaf) in leaves {
            if let Some(condition) = self.leaves(number).get(usize::from(leaf)) {
                test((number, leaf), condition);
            }
        }
    }

    fn leaves(&self, number: u32) -> &[LeafCondition<'c>] {
        let Some(slot) = self.leaves.get(number as usize) else {
            return &[];
        };
        slot.get_or_init(|| {
            let mut conditions = Vec::new();
            leaves(
                &self.catalogue.at(number as usize).condition,
                &mut conditions,
            );
            let leaf = |condition| {
                let need = Need::of(condition);
                LeafCondition {
                    condition,
                    words: Words::of(condition, &need.raw),
                    needed: match need.what {
                        NeedKind::Text => need.words,
                        _ => Vec::new(),
                    },
                }
            };
            conditions.into_iter().map(leaf).collect()
        })
    }
}
