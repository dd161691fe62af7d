//! Tests events and objects against signatures.
//!
//! [`Tester`] tests one event or object against the leaf conditions that it may fulfil and makes
//! [`Hit`]s; it keeps no state, so that many threads can share it. [`evaluate()`] joins hits to
//! [`Match`]es.

mod computed;
mod entry;
mod evaluate;
mod event_view;
mod hit;
pub(crate) mod ids;
#[cfg(test)]
mod joins;
mod leaf;
mod memo;
mod object_prefilter;
mod prefilter;
pub(crate) mod scope;
mod statement;
mod time_range;

pub(crate) use evaluate::{Match, enrich, evaluate, is_known};
pub(crate) use event_view::EventView;
pub(crate) use hit::{Hit, Moment};
pub(crate) use leaf::compare;
pub(crate) use memo::Memo;
pub(crate) use prefilter::Prefilter;
pub(crate) use scope::{node, related, subjects_agree};
pub(crate) use time_range::TimeRange;

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use kwhy_catalogue::Catalogue;
use kwhy_model::{Event, Format, Object, Role, Severity};
use kwhy_parse::input::Chunk;
use kwhy_prefilter::Token;
use kwhy_signature::{
    Condition, ConditionId, EntryMatch, EntryTerm, EventPattern, Index, LiteralRequirement,
    ObjectPattern, Record, RequiredTokens, RequirementKind, What, leaves, refuting_leaves,
};

use crate::inventory::Tables;
use hit::SharedSubject;
use ids::Ids;
use leaf::Found;
use object_prefilter::ObjectPrefilter;

/// The minimum number of letters and digits of an error that a prose sentence must quote: short phrases are often
/// mentioned without having occurred.
const LEAST_QUOTE: usize = 24;

/// A catalogue with the data derived from it for testing. All incidents share it.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub catalogue: Catalogue,
    /// Built on first use.
    prefilter: OnceLock<Prefilter>,
    /// Built on first use.
    tables: OnceLock<Tables>,
    /// The leaf conditions of each signature, listed when one of them is first tested.
    leaves: Vec<OnceLock<Vec<LeafCondition>>>,
}

impl Compiled {
    pub fn new(catalogue: Catalogue) -> Compiled {
        Compiled {
            prefilter: OnceLock::new(),
            tables: OnceLock::new(),
            leaves: (0..catalogue.len()).map(|_| OnceLock::new()).collect(),
            catalogue,
        }
    }

    /// Returns the tables of the conditions over several objects.
    pub fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Tables::new(&self.catalogue))
    }

    /// Returns the table of a leaf; `None` if its signature is not over several objects.
    pub fn table_of(&self, leaf: ConditionId) -> Option<usize> {
        let is_relation = self.catalogue.is_relation(leaf.0 as usize);
        is_relation.then(|| self.tables().of_leaf(leaf)).flatten()
    }

    /// Returns the prefilter that selects the conditions worth testing.
    pub fn prefilter(&self) -> &Prefilter {
        self.prefilter
            .get_or_init(|| Prefilter::new(&self.catalogue))
    }
}

/// Tests events and objects against the signatures of a catalogue.
#[derive(Clone, Copy)]
pub(crate) struct Tester<'c> {
    compiled: &'c Compiled,
    /// `None` tests every condition: the slow reference.
    prefilter: Option<&'c Prefilter>,
    /// The period in which events count.
    period: TimeRange,
}

/// A leaf condition with what it needs.
#[derive(Debug)]
struct LeafCondition {
    id: ConditionId,
    /// True if it is part of `none`: a report never shows its hits.
    refutes: bool,
    pattern: LeafPattern,
    /// The literal texts that it requires.
    asked: leaf::RequiredTexts,
    /// The texts that a log record must contain, computed when the first record is tested.
    of_record: OnceLock<OfRecord>,
}

impl LeafCondition {
    /// Returns true if it is about raw records.
    fn is_entry(&self) -> bool {
        matches!(&self.pattern, LeafPattern::Event(pattern) if pattern.entry.is_some())
    }
}

/// The texts that a log record must contain for a condition to be tested.
#[derive(Debug, Default)]
struct OfRecord {
    /// Texts one of which must occur literally in the event.
    needed: Vec<Token>,
    /// The tokens that the record must contain literally.
    words: RequiredTokens,
}

/// The pattern of a leaf condition.
#[derive(Debug)]
enum LeafPattern {
    Event(Arc<EventPattern>),
    Object(Arc<ObjectPattern>),
}

impl LeafPattern {
    fn of(condition: &Condition) -> Option<LeafPattern> {
        match &condition.what {
            What::Event(pattern) => Some(LeafPattern::Event(Arc::clone(pattern))),
            What::Object(pattern) => Some(LeafPattern::Object(Arc::clone(pattern))),
            What::All(_) | What::Any(_) | What::Sequence(_) => None,
        }
    }
}

impl<'c> Tester<'c> {
    pub fn new(compiled: &'c Compiled) -> Self {
        Tester {
            prefilter: Some(compiled.prefilter()),
            ..Tester::naive(compiled)
        }
    }

    /// Creates a tester of every condition on everything: slow, and the reference that the fast way must agree with.
    pub fn naive(compiled: &'c Compiled) -> Self {
        Tester {
            compiled,
            prefilter: None,
            period: TimeRange::default(),
        }
    }

    /// Returns true if it is the slow reference.
    pub fn is_naive(&self) -> bool {
        self.prefilter.is_none()
    }

    /// Restricts it to events of a period.
    pub fn within(self, period: TimeRange) -> Self {
        Tester { period, ..self }
    }

    /// Returns true if an event is within the period.
    pub fn takes(&self, event: &Event<'_>) -> bool {
        self.period.holds(event)
    }

    /// The signatures.
    pub fn catalogue(&self) -> &'c Catalogue {
        &self.compiled.catalogue
    }

    /// The index of the conditions' literals; `None` for the slow reference.
    pub fn index(&self) -> Option<&'c Index> {
        self.prefilter.map(Prefilter::index)
    }

    /// Returns true if a one-line log record may fulfil a leaf condition, judging by its words.
    pub fn may_fulfil(&self, (number, leaf): ConditionId, record: &Record) -> bool {
        self.leaves(number)
            .get(usize::from(leaf))
            .is_some_and(|leaf| self.of_record(leaf).words.may_match(record))
    }

    /// Returns true if a leaf condition is about raw records.
    pub fn is_entry(&self, (number, leaf): ConditionId) -> bool {
        let leaf = self.leaves(number).get(usize::from(leaf));
        leaf.is_some_and(LeafCondition::is_entry)
    }

    /// The minimum severity of a record that a leaf condition requires, if any.
    pub fn least(&self, (number, leaf): ConditionId) -> Option<Severity> {
        match &self.leaves(number).get(usize::from(leaf))?.pattern {
            LeafPattern::Event(pattern) => pattern.severity,
            LeafPattern::Object(_) => None,
        }
    }

    /// Adds the hits of an event, in the order of their leaf conditions, and returns the number of tests that stopped
    /// at a limit. Frames are tested only if none of these hits answers alone. `candidates` are the conditions that a
    /// log record may fulfil, sorted and deduplicated; if `None`, they are looked up. Statements in prose count only if
    /// the document `is_paste`.
    pub fn event(
        &self,
        chunk: &Chunk,
        (event, is_paste): (&Event<'_>, bool),
        candidates: Option<&[ConditionId]>,
        memo: &mut Memo,
        into: &mut Vec<(ConditionId, Box<Hit>)>,
    ) -> u64 {
        let as_it_is = prefilter::is_verbatim(event.format);
        let candidates = candidates.filter(|_| as_it_is);
        let record = chunk.text.text().as_bytes().get(event.span.clone());
        let facts = EventView::new(event, record.unwrap_or_default());
        // if the texts were searched, the prefilter has checked them already
        let as_it_is = as_it_is && (self.prefilter.is_none() || candidates.is_some());
        let least = if event.format == Format::Prose {
            LEAST_QUOTE
        } else {
            0
        };
        let test = |leaf: &LeafCondition| {
            let LeafPattern::Event(pattern) = &leaf.pattern else {
                return Vec::new();
            };
            if !is_paste && pattern.is_statement() {
                return Vec::new();
            }
            if as_it_is {
                let needed = &self.of_record(leaf).needed;
                if !needed.is_empty() && !facts.hold_one_of(needed) {
                    return Vec::new();
                }
            } else if !facts.may_be_written(&leaf.asked.raw) {
                // most candidates whatever the message are refused by this
                return Vec::new();
            }
            leaf::event(pattern, &leaf.asked, &facts, least)
        };
        let ids = OnceCell::new();
        let subject = SharedSubject::new(&event.subject);
        let signature = |(number, _): ConditionId| self.catalogue().at(number as usize);
        let add = |leaf, condition: &LeafCondition, into: &mut Vec<(ConditionId, Box<Hit>)>| {
            let found = test(condition);
            if found.is_empty() {
                return;
            }
            into.extend(found.into_iter().map(|found| {
                let ids = ids.get_or_init(|| Ids::of(event)).clone();
                let is_shown = !condition.refutes;
                let mut hit = Hit::from_event(chunk, (event, &subject), ids, found, is_shown);
                if condition.is_entry() {
                    hit.take_time_of_envelope(event);
                }
                (leaf, Box::new(hit))
            }));
        };
        let start = into.len();
        let mut frames = Vec::new();
        let mut test = |leaf: ConditionId, condition: &LeafCondition| {
            if signature(leaf).is_frame() {
                frames.push(leaf);
            } else {
                add(leaf, condition, into);
            }
        };
        match (candidates, self.prefilter) {
            (Some(candidates), _) => self.each(candidates, test),
            (None, Some(prefilter)) => {
                let class = memo.classes.of(event, || self.class(prefilter, event));
                let record = record.unwrap_or_default();
                let candidates = prefilter.event((event, record), facts.texts(), &class);
                self.each(&candidates, test);
            }
            (None, None) => self.all(|leaf, condition| test(leaf, condition)),
        }
        let answers = |(leaf, _): &(ConditionId, Box<Hit>)| {
            let signature = signature(*leaf);
            let is_match = signature.condition.is_match_alone(leaf.1);
            signature.answers() && signature.role == Role::Cause && is_match
        };
        if !frames.is_empty() && !into[start..].iter().any(answers) {
            self.each(&frames, |leaf, condition| add(leaf, condition, into));
            into[start..].sort_by_key(|(leaf, _)| *leaf);
        }
        // the lines of a record may be entries of their own
        let starts = || into[start..].iter().map(|(_, hit)| hit.record.start);
        if !starts().is_sorted() {
            into[start..].sort_by_key(|(leaf, hit)| (hit.record.start, *leaf));
        }
        facts.stopped()
    }

    /// The conditions that events of the same class may fulfil whatever their message, in order.
    fn class(&self, prefilter: &Prefilter, event: &Event<'_>) -> Vec<ConditionId> {
        let mut leaves = prefilter.class(event);
        leaves.retain(|(number, leaf)| {
            let leaf = self.leaves(*number).get(usize::from(*leaf));
            leaf.is_some_and(|leaf| match &leaf.pattern {
                LeafPattern::Event(pattern) => leaf::is_of_class(pattern, event),
                LeafPattern::Object(_) => false,
            })
        });
        leaves
    }

    /// Adds the hits of a record together with the lines that follow it, in the order of their leaf conditions, except
    /// where one of these lines alone is a hit. Returns the number of tests that stopped at a limit.
    pub fn folded(
        &self,
        chunk: &Chunk,
        event: &Event<'_>,
        into: &mut Vec<(ConditionId, Box<Hit>)>,
    ) -> u64 {
        let record = chunk.text.text().as_bytes().get(event.span.clone());
        let record = record.unwrap_or_default();
        let facts = EventView::new(event, record);
        let whole = chunk.whole(&event.span);
        let subject = SharedSubject::new(&event.subject);
        let test = |leaf: ConditionId, condition: &LeafCondition| {
            let LeafPattern::Event(pattern) = &condition.pattern else {
                return;
            };
            let spans_lines = |term: &EntryTerm| term.spans_lines();
            if !pattern.entry.as_ref().is_some_and(spans_lines) {
                return;
            }
            let inside = |hit: &Hit| whole.start <= hit.record.start && hit.record.end <= whole.end;
            // lines later in the chunk were tested too
            let of_chunk = |hit: &Hit| hit.record.start >= chunk.first_byte;
            let mut known = into.iter().rev().take_while(|(_, hit)| of_chunk(hit));
            if known.any(|(other, hit)| *other == leaf && inside(hit)) {
                return;
            }
            for found in leaf::event(pattern, &condition.asked, &facts, 0) {
                let mut hit = Hit::from_event(chunk, (event, &subject), None, found, true);
                hit.take_time_of_envelope(event);
                into.push((leaf, Box::new(hit)));
            }
        };
        match self.prefilter {
            Some(prefilter) => self.each(&prefilter.entries(record), test),
            None => self.all(test),
        }
        facts.stopped()
    }

    /// Adds the hits of a raw object, in the order of their leaf conditions, and returns the number of tests that
    /// stopped at a limit.
    pub fn entry_of_object(
        &self,
        chunk: &Chunk,
        object: &Object<'_>,
        into: &mut Vec<(ConditionId, Box<Hit>)>,
    ) -> u64 {
        let span = entry::whole_object(chunk.text.text(), object);
        let Some(text) = chunk.text.text().get(span.clone()) else {
            return 0;
        };
        let is_yaml = object.format == Format::ObjectYaml;
        let subject = SharedSubject::new(&object.subject);
        let mut stopped = 0;
        let mut test = |leaf: ConditionId, condition: &LeafCondition| {
            let LeafPattern::Event(pattern) = &condition.pattern else {
                return;
            };
            let Some(term) = pattern.entry.as_ref().filter(|_| pattern.is_only_entry()) else {
                return;
            };
            let found = match is_yaml && term.is_jq() {
                true => term.find_in_yaml(text),
                false => term.find(text),
            };
            match found {
                EntryMatch::At(range) => {
                    let found = Found {
                        mark: span.start + range.start..span.start + range.end,
                        weight: term.weight(),
                        ..Found::default()
                    };
                    let hit = Hit::from_object(chunk, (object, &subject), found, true);
                    into.push((leaf, Box::new(hit)));
                }
                EntryMatch::Stopped => stopped += 1,
                EntryMatch::No => {}
            }
        };
        match self.prefilter {
            Some(prefilter) => self.each(&prefilter.entries(text.as_bytes()), test),
            None => self.all(|leaf, condition| test(leaf, condition)),
        }
        stopped
    }

    /// Returns true if there are conditions on raw records and objects.
    pub fn has_entries(&self) -> bool {
        !self.compiled.prefilter().index().entries.is_empty()
    }

    /// Adds the hits of an object, in the order of their leaf conditions.
    pub fn object(
        &self,
        chunk: &Chunk,
        object: &Object<'_>,
        memo: &mut Memo,
        into: &mut Vec<(ConditionId, Box<Hit>)>,
    ) {
        let subject = SharedSubject::new(&object.subject);
        let mut test = |leaf: ConditionId,
                        pattern: &ObjectPattern,
                        mut tested: Option<leaf::TestedFields<'_>>| {
            let condition = &self.catalogue().at(leaf.0 as usize).condition;
            let is_alone = condition.is_single() && condition.also.is_empty();
            let table = self.compiled.table_of(leaf);
            // most rows of a table and most healthy objects fail a comparison of captures
            let comparisons = match table {
                Some(table) => self.compiled.tables().comparisons(table),
                None if is_alone => &condition.comparisons,
                None => &[],
            };
            let refused = |tested: &mut leaf::TestedFields<'_>| {
                leaf::compares_otherwise(pattern, object, tested, comparisons)
            };
            if !comparisons.is_empty() && tested.as_mut().is_some_and(refused) {
                return false;
            }
            // facts that only refute are never shown
            let is_shown = match table {
                Some(table) => !self.compiled.tables().only_refutes(table),
                None => !self.refutes(leaf),
            };
            let how = (!condition.is_single(), is_shown);
            let mut found = leaf::object(pattern, object, how, tested);
            found.retain(|found| compare(&found.captures, comparisons));
            into.extend(found.into_iter().map(|found| {
                let hit = Hit {
                    of_list: pattern.listed,
                    ..Hit::from_object(chunk, (object, &subject), found, is_shown)
                };
                (leaf, Box::new(hit))
            }));
            true
        };
        match self.object_prefilter(object.subject.kind.as_deref()) {
            Some(prefilter) => prefilter.pass(object, memo, |leaf, pattern, tested| {
                test(leaf, pattern, Some(tested))
            }),
            None => self.all(|leaf, condition| {
                if let LeafPattern::Object(pattern) = &condition.pattern {
                    test(leaf, pattern, None);
                }
            }),
        }
    }

    /// Returns true if a leaf condition is part of `none`.
    fn refutes(&self, (number, leaf): ConditionId) -> bool {
        let leaf = self.leaves(number).get(usize::from(leaf));
        leaf.is_some_and(|leaf| leaf.refutes)
    }

    /// Returns the prefilter of conditions on objects of a kind; `None` for the slow reference.
    fn object_prefilter(&self, kind: Option<&str>) -> Option<&'c ObjectPrefilter> {
        let prefilter = self.prefilter?;
        let slot = prefilter.of_objects(kind)?;
        Some(slot.get_or_init(|| {
            let leaves = prefilter.objects(kind).into_iter();
            let is_shared = |leaf: ConditionId| {
                self.catalogue().is_relation(leaf.0 as usize)
                    && self.compiled.tables().is_shared(leaf)
            };
            let tested = leaves.filter(|leaf| !is_shared(*leaf));
            ObjectPrefilter::new(tested.filter_map(|(number, leaf)| {
                match &self.leaves(number).get(usize::from(leaf))?.pattern {
                    LeafPattern::Object(pattern) => Some(((number, leaf), Arc::clone(pattern))),
                    LeafPattern::Event(_) => None,
                }
            }))
        }))
    }

    /// Calls `test` with each of the given conditions.
    fn each(&self, leaves: &[ConditionId], mut test: impl FnMut(ConditionId, &LeafCondition)) {
        for (number, leaf) in leaves {
            if let Some(condition) = self.leaves(*number).get(usize::from(*leaf)) {
                test((*number, *leaf), condition);
            }
        }
    }

    /// Calls `test` with every condition.
    fn all(&self, mut test: impl FnMut(ConditionId, &LeafCondition)) {
        for number in (0..).take(self.compiled.leaves.len()) {
            for (leaf, condition) in (0..).zip(self.leaves(number)) {
                test((number, leaf), condition);
            }
        }
    }

    fn leaves(&self, number: u32) -> &'c [LeafCondition] {
        let Some(slot) = self.compiled.leaves.get(number as usize) else {
            return &[];
        };
        slot.get_or_init(|| {
            let signature = self.catalogue().at(number as usize);
            let refuting = refuting_leaves(&signature.condition);
            let leaf = |((leaf, condition), refutes)| {
                let pattern = LeafPattern::of(condition)?;
                Some(LeafCondition {
                    id: (number, leaf),
                    refutes,
                    asked: match &pattern {
                        LeafPattern::Event(pattern) => leaf::RequiredTexts::of(pattern),
                        LeafPattern::Object(_) => leaf::RequiredTexts::default(),
                    },
                    of_record: OnceLock::new(),
                    pattern,
                })
            };
            // each leaf is an event or an object
            let conditions = (0..).zip(self.leaf_conditions(number));
            conditions.zip(refuting).filter_map(leaf).collect()
        })
    }

    /// The leaf conditions of a signature.
    fn leaf_conditions(&self, number: u32) -> Vec<&'c Condition> {
        let mut conditions = Vec::new();
        let signature = self.catalogue().at(number as usize);
        leaves(&signature.condition, &mut conditions);
        conditions
    }

    fn of_record<'l>(&self, leaf: &'l LeafCondition) -> &'l OfRecord {
        leaf.of_record.get_or_init(|| {
            let (number, at) = leaf.id;
            let conditions = self.leaf_conditions(number);
            let Some(condition) = conditions.get(usize::from(at)) else {
                return OfRecord::default();
            };
            let need = LiteralRequirement::of(condition);
            OfRecord {
                words: RequiredTokens::of(condition, &need.raw),
                needed: match need.what {
                    RequirementKind::Text | RequirementKind::AnyText => words_of(&need.words),
                    _ => Vec::new(),
                },
            }
        })
    }
}

/// Converts texts to lower-case tokens.
fn words_of(texts: &[String]) -> Vec<Token> {
    let lower = texts.iter().map(|text| text.to_ascii_lowercase());
    lower.map(|text| Token::new(&text)).collect()
}
