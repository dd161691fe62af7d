//! Tests of raw records and objects, as rules of the community (CRE) see them.
//!
//! A record is tested as it is, without its envelopes (what a runtime or collector wrote around it), and as the texts
//! that were parsed from it, in which wrapped and quoted texts are restored.

use super::event_view::EventView;
use kwhy_model::{Format, Object, Span};
use kwhy_parse::log::unwrapped;
use kwhy_signature::{EntryMatch, EntryTerm};
use memchr::{memchr, memrchr};

/// A place in a record that fulfils a term.
#[derive(Clone, Debug)]
pub(super) struct EntryFound {
    pub mark: Span,
    /// The line that it is on, if each line of the record is an entry.
    pub line: Option<Span>,
}

/// Returns the places in a record that match a term: one per matching line if each line has an envelope, since each was
/// an entry of its own; otherwise the first. Counts tests that stopped at a limit.
pub(super) fn find(term: &EntryTerm, facts: &EventView<'_, '_>) -> Vec<EntryFound> {
    let mut stopped = false;
    let mut test = |text: &str| match term.find(text) {
        EntryMatch::At(range) => Some(range),
        EntryMatch::Stopped => {
            stopped = true;
            None
        }
        EntryMatch::No => None,
    };
    let lines = of_lines(facts, &mut test);
    let found = match lines.is_empty() {
        true => {
            let whole = of_record(facts, &mut test);
            Vec::from_iter(whole.map(|mark| EntryFound { mark, line: None }))
        }
        false => lines,
    };
    if found.is_empty() && stopped {
        facts.count_stopped();
    }
    found
}

/// Finds a term in a raw record, in the record without its envelopes, or in the texts that were parsed from it.
fn of_record(
    facts: &EventView<'_, '_>,
    test: &mut impl FnMut(&str) -> Option<Span>,
) -> Option<Span> {
    let start = facts.event.span.start;
    if let Some(range) = test(facts.record_text()) {
        return Some(start + range.start..start + range.end);
    }
    if let Some(inner) = facts.unwrapped()
        && let Some(range) = test(inner.as_str())
    {
        let span = inner.source_span(range);
        return Some(start + span.start..start + span.end);
    }
    let mut texts = facts.texts().iter();
    texts.find_map(|text| Some(text.source_span(test(text.as_str())?)))
}

/// Finds a term in each line of a multi-line record whose lines have envelopes; empty for other records.
fn of_lines(
    facts: &EventView<'_, '_>,
    test: &mut impl FnMut(&str) -> Option<Span>,
) -> Vec<EntryFound> {
    let record = facts.record_text();
    if facts.event.envelope.is_none() || !record.trim_end().contains('\n') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut start = facts.event.span.start;
    for line in record.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        let inner = unwrapped(text);
        let mut place = test(text);
        if let (None, Some(inner)) = (&place, &inner) {
            place = test(inner.as_str()).map(|range| inner.source_span(range));
        }
        found.extend(place.map(|range| EntryFound {
            mark: start + range.start..start + range.end,
            line: Some(start..start + text.len()),
        }));
        if inner.is_none() {
            break;
        }
        start += line.len();
    }
    found
}

/// Returns the extent of an object with what surrounds its values: its brackets in JSON, otherwise whole lines.
pub(super) fn whole_object(text: &str, object: &Object<'_>) -> Span {
    let bytes = text.as_bytes();
    let Span { start, end } = object.span.clone();
    let before = bytes.get(..start).unwrap_or_default();
    if object.format == Format::ObjectJson
        && let Some(whole) = brackets_around(text, &object.span)
    {
        return whole;
    }
    let first = memrchr(b'\n', before).map_or(0, |at| at + 1);
    let after = bytes.get(end..).unwrap_or_default();
    let last = match bytes.get(..end).and_then(<[u8]>::last) {
        Some(b'\n') => end,
        _ => memchr(b'\n', after).map_or(bytes.len(), |at| end + at),
    };
    first..last
}

/// The maximum number of brackets that are open at the first value of an object.
const MAX_OPEN: usize = 8;

/// Returns the extent of the JSON object that contains a span, from bracket to bracket.
fn brackets_around(text: &str, span: &Span) -> Option<Span> {
    let mut before = span.start;
    for _ in 0..MAX_OPEN {
        let open = memrchr(b'{', text.as_bytes().get(..before)?)?;
        if let Some(close) = end_of_json(text, open).filter(|close| *close >= span.end) {
            return Some(open..close);
        }
        before = open;
    }
    None
}

/// Returns the end of the JSON value that starts at a byte; `None` if it is incomplete.
fn end_of_json(text: &str, start: usize) -> Option<usize> {
    let mut values =
        serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    Some(start + values.byte_offset())
}
