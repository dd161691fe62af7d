//! Tests of records and objects as they are written.
//!
//! A record is looked at as it is, without its envelopes (what a runtime or a collector wrote around it), and as the texts
//! that were parsed from it: wrapped and quoted ones are whole only there.

use super::event_view::EventView;
use kwhy_model::{Span, Text};
use kwhy_signature::{EntryMatch, EntryTerm};

/// The bytes of a record that fulfil a term. Counts tests that were ended at a limit.
pub(super) fn find(term: &EntryTerm, facts: &EventView<'_, '_>) -> Option<Span> {
    let mut stopped = false;
    let mut test = |text: &str| match term.find(text) {
        EntryMatch::At(range) => Some(range),
        EntryMatch::Stopped => {
            stopped = true;
            None
        }
        EntryMatch::No => None,
    };
    let record = facts.record_text();
    let start = facts.event.span.start;
    let mut found = test(record).map(|range| start + range.start..start + range.end);
    if found.is_none()
        && let Some(inner) = facts.unwrapped()
    {
        let place = test(inner.as_str()).map(|range| inner.source_span(range));
        // the envelope's lines are those of the record
        found = place.map(|span| start + span.start..start + span.end);
    }
    let texts = facts.texts().iter();
    let found = found.or_else(|| {
        let mut places = texts.map(|text: &Text<'_>| Some((test(text.as_str())?, text)));
        let (range, text) = places.find_map(|found| found)?;
        Some(text.source_span(range))
    });
    if found.is_none() && stopped {
        facts.count_stopped();
    }
    found
}
