//! The most telling events that no finding covers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Covered;
use crate::fold::mask;
use crate::input::{Place, Stretch};
use crate::model::{Event, Format, Severity};
use crate::report::{Evidence, Unexplained};

/// How many are told.
const MAX_TOLD: usize = 10;

/// How many kinds of events are told apart; further ones are left out.
const MAX_KINDS: usize = 2000;

/// Of how many events of a kind that conditions matched it is remembered where they stand.
const MAX_MATCHED: usize = 256;

/// Events at warning or above, and lines that speak of errors, folded by what stays the same in
/// them.
#[derive(Debug, Default)]
pub(crate) struct Telling {
    kinds: BTreeMap<Kind, Told>,
}

/// What stays the same: the reason and the message without what varies.
type Kind = (Option<String>, String);

/// A document's number and a byte in it.
type Position = (usize, usize);

#[derive(Debug)]
struct Told {
    /// The reason, or the message where there is none.
    words: String,
    severity: Option<Severity>,
    /// The first event, and its line.
    first: (Position, Place),
    /// How many no condition matched.
    count: u64,
    /// Those that a condition matched, and how many each stands for: they are told only if no finding
    /// rests on them.
    matched: Vec<(Position, Place, u64)>,
}

impl Telling {
    /// Takes an event; `matched` tells whether it fulfils any condition.
    pub fn event(&mut self, stretch: &Stretch, event: &Event<'_>, matched: bool) {
        if !is_telling(event) {
            return;
        }
        let reason = event.reason.as_ref().map(|text| text.as_str().to_owned());
        let kind = (
            reason.clone(),
            mask::text(&mask::tokens(event.message.as_str())),
        );
        if self.kinds.len() >= MAX_KINDS && !self.kinds.contains_key(&kind) {
            return;
        }
        let position = (stretch.document, stretch.whole(&event.span).start);
        let span = if event.message.is_empty() {
            event.span.clone()
        } else {
            event.message.span()
        };
        let told = self.kinds.entry(kind).or_insert_with(|| Told {
            words: reason.unwrap_or_else(|| event.message.as_str().chars().take(120).collect()),
            severity: event.severity,
            first: (position, stretch.place(&span)),
            count: 0,
            matched: Vec::new(),
        });
        if !matched {
            told.count += event.count;
        } else if told.matched.len() < MAX_MATCHED {
            let place = stretch.place(&span);
            told.matched.push((position, place, event.count));
        }
    }

    /// Adds what was told of a later part of the input, before which these lines stand in its
    /// document.
    pub fn absorb(&mut self, later: Telling, lines_before: u64) {
        for (kind, mut told) in later.kinds {
            told.first.1.line += lines_before;
            for (_, place, _) in &mut told.matched {
                place.line += lines_before;
            }
            if let Some(known) = self.kinds.get_mut(&kind) {
                known.count += told.count;
                let room = MAX_MATCHED.saturating_sub(known.matched.len());
                known.matched.extend(told.matched.into_iter().take(room));
            } else if self.kinds.len() < MAX_KINDS {
                self.kinds.insert(kind, told);
            }
        }
    }

    /// The gravest and most frequent.
    pub fn report(self, names: &[String], covered: &Covered) -> Vec<Unexplained> {
        let open = |told: Told| {
            let mut count = told.count;
            // the first event stands for the others, unless a finding rests on it
            let mut shown = (!covered.contains(&told.first.0)).then_some(told.first);
            for (position, place, events) in told.matched {
                if !covered.contains(&position) {
                    count += events;
                    shown.get_or_insert((position, place));
                }
            }
            let (position, place) = shown.filter(|_| count > 0)?;
            let source = names.get(position.0)?.clone();
            let unexplained = Unexplained {
                reason: told.words,
                count,
                severity: told.severity,
                evidence: vec![Evidence::new(source, place)],
            };
            Some((position, unexplained))
        };
        let mut all: Vec<_> = self.kinds.into_values().filter_map(open).collect();
        all.sort_by_key(|(position, told)| {
            (Reverse(told.severity), Reverse(told.count), *position)
        });
        all.truncate(MAX_TOLD);
        all.into_iter().map(|(_, told)| told).collect()
    }
}

fn is_telling(event: &Event<'_>) -> bool {
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
