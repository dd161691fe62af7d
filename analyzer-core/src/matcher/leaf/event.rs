//! Tests of one event.

use kwhy_model::{Event, Span, Text};
use kwhy_prefilter::Token;
use kwhy_signature::{EventPattern, Haystack, Pattern, Place};

use super::super::entry::{self, EntryFound};
use super::super::event_view::{EventView, unquoted};
use super::super::statement::is_stated;
use super::super::words_of;
use super::{Found, is_one_of, whole};

/// The literal texts that an event pattern requires, prepared for searching.
#[derive(Debug, Default)]
pub(crate) struct RequiredTexts {
    /// One of them occurs in the raw record.
    pub raw: Vec<Token>,
    literals: Vec<Token>,
}

impl RequiredTexts {
    pub fn of(pattern: &EventPattern) -> Self {
        RequiredTexts {
            raw: (pattern.raw.0.iter())
                .map(|text| Token::new(text))
                .collect(),
            literals: words_of(&pattern.literals.0),
        }
    }
}

/// Tests an event. Returns one result per place at which its message pattern is found, without those whose weight is
/// below `least`.
pub(crate) fn event(
    pattern: &EventPattern,
    asked: &RequiredTexts,
    facts: &EventView<'_, '_>,
    least: usize,
) -> Vec<Found> {
    let Some(mut found) = outside_of_message(pattern, asked, facts) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    if let Some(term) = &pattern.entry {
        found.weight += term.weight();
        entries = entry::find(term, facts);
        if entries.is_empty() {
            return Vec::new();
        }
    }
    // exclusions are mostly plain words, and cheaper to search than what is required
    let rules_out = |text: Haystack<'_>| {
        let mut patterns = pattern.not.0.iter();
        patterns.any(|not| not.may_be(facts.marks()) && not.is_match(text))
    };
    // the texts are computed on demand
    if !pattern.not.0.is_empty() && facts.haystacks().any(rules_out) {
        return Vec::new();
    }
    if pattern.message.0.is_empty() && !entries.is_empty() {
        let found = |EntryFound { mark, line }| Found {
            mark,
            entry: line,
            ..found.clone()
        };
        return entries.into_iter().map(found).collect();
    }
    if pattern.message.0.is_empty() {
        return Vec::from_iter(Some(found).filter(|found| found.weight >= least));
    }
    let texts = facts.texts().iter().zip(facts.haystacks());
    let mut places = texts.map(|text| find_all(pattern, text, &found, least));
    places.find(|places| !places.is_empty()).unwrap_or_default()
}

/// Returns true if a value is known to be none of these; always true if the list is empty.
fn is_none_of(names: &[String], value: Option<&str>) -> bool {
    names.is_empty() || value.is_some_and(|value| !is_one_of(names, Some(value)))
}

/// Returns true if an event matches what a pattern requires besides message and texts.
pub(crate) fn is_of_class(pattern: &EventPattern, event: &Event<'_>) -> bool {
    let reason = event.reason.as_ref().map(Text::as_str);
    let component = event.component.as_ref().map(Text::as_str);
    is_one_of(&pattern.reason.0, reason)
        && is_one_of(&pattern.component.0, component)
        && is_none_of(&pattern.not_component.0, component)
        && is_one_of(&pattern.kind.0, event.subject.kind.as_deref())
        && is_one_of(&pattern.format.0, Some(event.format.name()))
        && pattern.severity.is_none_or(|least| match event.severity {
            Some(own) => own >= least,
            None => pattern.raw.0.is_empty() && !pattern.is_klog_fatal(),
        })
}

/// Tests everything that a pattern requires except its message, the cheapest first.
fn outside_of_message(
    pattern: &EventPattern,
    asked: &RequiredTexts,
    facts: &EventView<'_, '_>,
) -> Option<Found> {
    let event = facts.event;
    let reason = event.reason.as_ref().map(Text::as_str);
    let fits = is_of_class(pattern, event)
        && pattern
            .count
            .as_ref()
            .is_none_or(|test| test.holds(event.count as f64))
        && pattern.lasted.as_ref().is_none_or(|test| {
            match (event.first_age, event.age, event.first_time, event.time) {
                (Some(first), Some(last), ..) => {
                    test.holds(first.seconds.saturating_sub(last.seconds) as f64)
                }
                (_, _, Some(first), Some(last)) => test.holds(last.seconds_since(&first)),
                _ => false,
            }
        })
        && (pattern.message.0.is_empty() || may_say(&pattern.message.0, facts))
        && (asked.raw.is_empty() || facts.is_written(&asked.raw))
        && (asked.literals.is_empty() || facts.hold_one_of(&asked.literals));
    if !fits {
        return None;
    }
    let mut found = Found {
        mark: proof_of(facts),
        ..Found::default()
    };
    if !pattern.reason.0.is_empty() {
        found.weight += reason.map_or(0, str::len);
    }
    for (key, patterns) in &pattern.fields {
        let value = unquoted(event.field(key)?);
        found.mark = find_in(&patterns.0, &value, &mut found)?;
    }
    for (fact, patterns) in &pattern.chain {
        // tests the message first, as parsing the chain costs more
        if !pattern.message.0.is_empty() && !says_any(&pattern.message.0, facts) {
            return None;
        }
        let value = facts
            .chain()
            .all(*fact)
            .filter(|value| whole(&patterns.0, value.as_str(), &mut found))
            .last()?;
        found.weight += 4;
        found.mark = value.span();
    }
    Some(found)
}

/// Returns true if one of these patterns may match a text, judging by its words.
fn may_say(patterns: &[Pattern], facts: &EventView<'_, '_>) -> bool {
    (patterns.iter()).any(|pattern| pattern.may_be(facts.marks()))
}

fn says_any(patterns: &[Pattern], facts: &EventView<'_, '_>) -> bool {
    facts
        .haystacks()
        .any(|text| patterns.iter().any(|pattern| pattern.is_match(text)))
}

/// The span to show if no pattern selects one: the message, or the whole record.
fn proof_of(facts: &EventView<'_, '_>) -> Span {
    let message = facts.event.message.span();
    if message.is_empty() {
        facts.event.span.clone()
    } else {
        message
    }
}

/// The maximum number of places at which a pattern is found in one text.
const MAX_FOUND: usize = 64;

/// Returns all places at which the first matching message pattern is found in a text, provided that the total weight
/// reaches `least`.
fn find_all(
    event: &EventPattern,
    (text, own): (&Text<'_>, Haystack<'_>),
    found: &Found,
    least: usize,
) -> Vec<Found> {
    let is_enough = |pattern: &&Pattern| event.stated || found.weight + pattern.weight() >= least;
    let places = event.message.0.iter().filter(is_enough).map(|pattern| {
        let mut places = pattern.find_all(own, MAX_FOUND);
        if event.stated {
            places.retain(|place| is_stated(text.as_str(), place.range()));
        }
        (pattern, places)
    });
    let first = places.into_iter().find(|(_, places)| !places.is_empty());
    let Some((pattern, places)) = first else {
        return Vec::new();
    };
    let place = |place: &Place| {
        let mut found = found.clone();
        found.take(pattern, text.as_str(), place);
        found.mark = text.source_span(place.range());
        found
    };
    places.iter().map(place).collect()
}

/// Returns the span of the first pattern found in a text.
fn find_in(patterns: &[Pattern], text: &Text<'_>, found: &mut Found) -> Option<Span> {
    patterns.iter().find_map(|pattern| {
        let place = pattern.find(text.as_str())?;
        found.take(pattern, text.as_str(), &place);
        Some(text.source_span(place.range()))
    })
}
