//! The most telling events that no finding covers.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use super::Covered;
use crate::input::{Place, Stretch, floor_char};
use crate::model::{Event, Format, Severity};
use crate::report::{Evidence, Unexplained};
use crate::templates::mask;

/// How many are group.
const MAX_REPORTED: usize = 10;

/// How many kinds of events are group apart; further ones are left out.
const MAX_TEMPLATES: usize = 2000;

/// Of how many events of a kind that conditions matched it is remembered where they stand.
const MAX_MATCHED: usize = 256;

/// How many bytes the lines of those take in all; of further ones the place alone is kept.
const MAX_LINE_BYTES: usize = 2 << 20;

/// How many bytes of a message tell its kind.
const MAX_MESSAGE: usize = 1024;

/// Events at warning or above, and lines that speak of errors, folded by what stays the same in
/// them.
#[derive(Debug, Default)]
pub(crate) struct UnexplainedEvents {
    kinds: BTreeMap<EventTemplate, EventGroup>,
    /// True if events that may be of any kind were not taken.
    missed: bool,
    /// What the lines of matched events take.
    taken: usize,
}

/// What stays the same: the reason and the message without what varies.
type EventTemplate = (Option<String>, String);

/// A document's number and a byte in it.
type Position = (usize, usize);

#[derive(Debug)]
struct EventGroup {
    /// The reason, or the message where there is none.
    words: String,
    severity: Option<Severity>,
    /// The namespace of all of them, if it is one.
    namespace: Option<String>,
    /// The first event, and its line.
    first: (Position, Place),
    /// How many no condition matched.
    count: u64,
    /// True if there were more than are kept of those that a condition matched.
    at_least: bool,
    /// Those that a condition matched, and how many each stands for: they are group only if no finding
    /// rests on them.
    matched: Vec<(Position, Option<Box<Place>>, u64)>,
}

impl UnexplainedEvents {
    /// Takes an event; `matched` tells whether it fulfils any condition.
    pub fn event(&mut self, stretch: &Stretch, event: &Event<'_>, matched: bool) {
        if !is_notable(event) {
            return;
        }
        let reason = event.reason.as_ref().map(|text| text.as_str().to_owned());
        let message = event.message.as_str();
        let message = &message[..floor_char(message, MAX_MESSAGE)];
        let kind = (reason.clone(), mask::text(&mask::tokens(message)));
        if self.kinds.len() >= MAX_TEMPLATES && !self.kinds.contains_key(&kind) {
            self.missed = true;
            return;
        }
        let position = (stretch.document, stretch.whole(&event.span).start);
        let span = if event.message.is_empty() {
            event.span.clone()
        } else {
            event.message.span()
        };
        let words = || {
            // a secret may stand at the end of what is shown
            let mut words = reason.unwrap_or_else(|| message.to_owned());
            stretch.hide(&event.span, &mut words);
            words.chars().take(120).collect()
        };
        let group = self.kinds.entry(kind).or_insert_with(|| EventGroup {
            words: words(),
            severity: event.severity,
            namespace: event.subject.namespace.clone(),
            first: (position, stretch.place(&span)),
            count: 0,
            at_least: false,
            matched: Vec::new(),
        });
        if group.namespace != event.subject.namespace {
            group.namespace = None;
        }
        if !matched {
            group.count += event.count;
        } else if group.matched.len() < MAX_MATCHED {
            let place = stretch.place(&span);
            group.matched
                .push((position, Some(Box::new(place)), event.count));
        } else {
            group.at_least = true;
        }
    }

    /// Notes that records that report errors were not read.
    pub fn miss(&mut self) {
        self.missed = true;
    }

    /// Adds what was group of a later part of the input, before which these lines stand in its
    /// document. `order` compares documents.
    pub fn absorb(
        &mut self,
        later: UnexplainedEvents,
        lines_before: u64,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        self.missed |= later.missed;
        for (kind, mut group) in later.kinds {
            group.first.1.line += lines_before;
            let known = self.kinds.get(&kind);
            if known.is_none() && self.kinds.len() >= MAX_TEMPLATES {
                self.missed = true;
                continue;
            }
            let room = MAX_MATCHED.saturating_sub(known.map_or(0, |known| known.matched.len()));
            group.at_least |= group.matched.len() > room;
            group.matched.truncate(room);
            for (_, place, _) in &mut group.matched {
                let Some(known) = place else { continue };
                known.line += lines_before;
                let size = known.text.len() + size_of::<Place>();
                if self.taken + size > MAX_LINE_BYTES {
                    *place = None;
                } else {
                    self.taken += size;
                }
            }
            match self.kinds.get_mut(&kind) {
                Some(known) => {
                    known.count += group.count;
                    known.at_least |= group.at_least;
                    if known.namespace != group.namespace {
                        known.namespace = None;
                    }
                    known.matched.append(&mut group.matched);
                    let (document, known_in) = (group.first.0.0, known.first.0.0);
                    if order(document, known_in) == Ordering::Less {
                        known.words = group.words;
                        known.severity = group.severity;
                        known.first = group.first;
                    }
                }
                None => {
                    self.kinds.insert(kind, group);
                }
            }
        }
    }

    /// Gives documents their numbers in order, by those which they had.
    pub fn renumber(&mut self, numbers: &[usize]) {
        let renumber = |position: &mut Position| super::renumber(&mut position.0, numbers);
        for group in self.kinds.values_mut() {
            renumber(&mut group.first.0);
            let matched = group.matched.iter_mut();
            matched.for_each(|(position, ..)| renumber(position));
            group.matched.sort_by_key(|((document, _), ..)| *document);
        }
    }

    /// The gravest and most frequent.
    pub fn report(self, names: &[String], covered: &Covered) -> Vec<Unexplained> {
        let open = |group: EventGroup| {
            let mut count = group.count;
            // the first event stands for the others, unless a finding rests on it
            let mut shown = (!covered.contains(&group.first.0)).then(|| group.first.clone());
            for (position, place, events) in group.matched {
                if !covered.contains(&position) {
                    count += events;
                    // where there was no room for the line, the first one shows how it reads
                    let place =
                        place.map_or_else(|| group.first.clone(), |place| (position, *place));
                    shown.get_or_insert(place);
                }
            }
            let (position, place) = shown.filter(|_| count > 0)?;
            let source = names.get(position.0)?.clone();
            let unexplained = Unexplained {
                reason: group.words,
                count,
                at_least: group.at_least || self.missed,
                severity: group.severity,
                evidence: vec![Evidence::new(source, place)],
                namespace: group.namespace,
            };
            Some((position, unexplained))
        };
        let mut all: Vec<_> = self.kinds.into_values().filter_map(open).collect();
        all.sort_by_key(|(position, group)| {
            (Reverse(group.severity), Reverse(group.count), *position)
        });
        all.truncate(MAX_REPORTED);
        all.into_iter().map(|(_, group)| group).collect()
    }
}

fn is_notable(event: &Event<'_>) -> bool {
    match event.severity {
        Some(severity) => severity >= Severity::Warning,
        None => {
            event.format == Format::Plain
                && [
                    "error", "Error", "ERROR", "failed", "Failed", "fatal", "panic", "denied",
                    "refused",
                ]
                .iter()
                .any(|word| event.message.as_str().contains(word))
        }
    }
}
