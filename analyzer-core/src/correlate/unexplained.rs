//! The most relevant events that no finding covers.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use kwhy_model::{Event, Format, Severity};
use kwhy_parse::input::{Chunk, Place, floor_char};
use kwhy_parse::plain::reports_failure;
use kwhy_parse::templates::mask;

use super::Covered;
use crate::report::{Evidence, Unexplained};

/// The maximum number of groups reported.
const MAX_REPORTED: usize = 10;

/// The maximum number of distinct templates; further ones are omitted.
const MAX_TEMPLATES: usize = 2000;

/// The maximum number of matched events per template whose positions are kept.
const MAX_MATCHED: usize = 256;

/// The total size in bytes of the lines kept for these; beyond it only positions are kept.
const MAX_LINE_BYTES: usize = 2 << 20;

/// The number of bytes of a message that determine its template.
const MAX_MESSAGE: usize = 1024;

/// Events at warning level or above and lines that report errors, grouped by template.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnexplainedEvents {
    groups: BTreeMap<EventTemplate, EventGroup>,
    /// True if events of unknown template were skipped.
    missed: bool,
    /// The bytes used by the lines of matched events.
    taken: usize,
}

/// The template: the reason, and the message without its variable parts.
type EventTemplate = (Option<String>, String);

/// A document's index and a byte offset.
type Position = (usize, usize);

#[derive(Clone, Debug)]
struct EventGroup {
    /// The reason, or the message if there is none.
    words: String,
    severity: Option<Severity>,
    /// The namespace, if all events share one.
    namespace: Option<String>,
    /// The first event, and its line.
    first: (Position, Place),
    /// The number of events that no condition matched.
    count: u64,
    /// True if a condition matched more events than are kept.
    at_least: bool,
    /// The events that a condition matched, each with its count: reported only if no finding is
    /// based on them.
    matched: Vec<(Position, Option<Box<Place>>, u64)>,
}

impl UnexplainedEvents {
    /// Adds an event; `matched` is true if it fulfils any condition.
    pub fn event(&mut self, chunk: &Chunk, event: &Event<'_>, matched: bool) {
        if !is_notable(event) {
            return;
        }
        let reason = event.reason.as_ref().map(|text| text.as_str().to_owned());
        let message = event.message.as_str();
        let message = &message[..floor_char(message, MAX_MESSAGE)];
        let template = (reason.clone(), mask::text(&mask::tokens(message)));
        if self.groups.len() >= MAX_TEMPLATES && !self.groups.contains_key(&template) {
            self.missed = true;
            return;
        }
        let position = (chunk.document, chunk.whole(&event.span).start);
        let span = if event.message.is_empty() {
            event.span.clone()
        } else {
            event.message.span()
        };
        let words = || {
            // a secret may be at the end of what is shown
            let mut words = reason.unwrap_or_else(|| message.to_owned());
            chunk.hide(&event.span, &mut words);
            words.chars().take(120).collect()
        };
        let group = self.groups.entry(template).or_insert_with(|| EventGroup {
            words: words(),
            severity: event.severity,
            namespace: event.subject.namespace.clone(),
            first: (position, chunk.place(&span)),
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
            let place = chunk.place(&span);
            group
                .matched
                .push((position, Some(Box::new(place)), event.count));
        } else {
            group.at_least = true;
        }
    }

    /// Records that error records were skipped.
    pub fn miss(&mut self) {
        self.missed = true;
    }

    /// Merges the events of a later part of the input, whose document has `lines_before` lines before
    /// that part. `order` compares documents.
    pub fn absorb(
        &mut self,
        later: UnexplainedEvents,
        lines_before: u64,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        self.missed |= later.missed;
        for (template, mut group) in later.groups {
            group.first.1.line += lines_before;
            let known = self.groups.get(&template);
            if known.is_none() && self.groups.len() >= MAX_TEMPLATES {
                self.missed = true;
                continue;
            }
            let capacity = MAX_MATCHED.saturating_sub(known.map_or(0, |known| known.matched.len()));
            group.at_least |= group.matched.len() > capacity;
            group.matched.truncate(capacity);
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
            match self.groups.get_mut(&template) {
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
                    self.groups.insert(template, group);
                }
            }
        }
    }

    /// Maps document indices to their final order.
    pub fn renumber(&mut self, numbers: &[usize]) {
        let renumber = |position: &mut Position| super::renumber(&mut position.0, numbers);
        for group in self.groups.values_mut() {
            renumber(&mut group.first.0);
            let matched = group.matched.iter_mut();
            matched.for_each(|(position, ..)| renumber(position));
            group.matched.sort_by_key(|((document, _), ..)| *document);
        }
    }

    /// Returns the most severe and most frequent groups.
    pub fn report(self, names: &[String], covered: &Covered) -> Vec<Unexplained> {
        let open = |group: EventGroup| {
            let mut count = group.count;
            // the first event represents the others, unless a finding is based on it
            let mut shown = (!covered.contains(&group.first.0)).then(|| group.first.clone());
            for (position, place, events) in group.matched {
                if !covered.contains(&position) {
                    count += events;
                    // if the line was over the limit, the first event's line shows the wording
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
                evidence: vec![Evidence::at(source, place)],
                namespace: group.namespace,
            };
            Some((position, unexplained))
        };
        let mut all: Vec<_> = self.groups.into_values().filter_map(open).collect();
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
        None => event.format == Format::Plain && reports_failure(event.message.as_str()),
    }
}
