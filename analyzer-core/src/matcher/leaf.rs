//! Tests of one event or one object against one pattern.

use std::borrow::Cow;

use super::computed;
use super::entry;
use super::event_view::EventView;
use super::memo::Results;
use super::object_prefilter::Tested;
use super::words_of;
use kwhy_model::{Object, Span, Subject, Text, Value};
use kwhy_prefilter::Token;
use kwhy_signature::{
    Comparison, EventPattern, Haystack, ObjectPattern, Pattern, Place, ValueTest, number,
};

/// A captured value with its name.
pub(crate) type Capture = (String, String);

/// A place at which a pattern was found in an event or object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The document's bytes that prove it.
    pub mark: Span,
    pub captures: Vec<Capture>,
    /// How specific the proof is: literal characters demanded.
    pub weight: usize,
    /// The container that it is about.
    pub container: Option<String>,
    /// The time at which the previous run of the container ended, if it is about that, in nanoseconds since 1970.
    pub ended: Option<i128>,
    /// What else states it: the other values that were asked for, and those beside them.
    pub around: Vec<Span>,
}

impl Found {
    /// Takes what a pattern captures in a text, if it is there.
    fn find(&mut self, pattern: &Pattern, text: &str) -> bool {
        let place = pattern.find(text);
        if let Some(place) = &place {
            self.take(pattern, text, place);
        }
        place.is_some()
    }

    fn take(&mut self, pattern: &Pattern, text: &str, place: &Place) {
        self.weight += pattern.weight();
        for name in pattern.slots() {
            // patterns match bytes, and may cut a character
            if let Some(range) = place.slot(name, text) {
                let value = text.as_bytes().get(range).unwrap_or_default();
                let value = String::from_utf8_lossy(value).into_owned();
                self.captures.push((name.to_owned(), value));
            }
        }
    }
}

/// Returns true if a value is one of these words, or starts as one that ends in `*`; any if there is none.
pub(super) fn is_one_of(known: &[String], value: Option<&str>) -> bool {
    known.is_empty()
        || value.is_some_and(|value| {
            known.iter().any(|word| match word.strip_suffix('*') {
                Some(start) => value.starts_with(start),
                None => word == value,
            })
        })
}

/// The most places at which one pattern may be found in one text.
const MAX_FOUND: usize = 64;

/// All places in a text where the first fitting pattern is found that makes what `found` contains already weigh
/// so much.
fn find_all(
    patterns: &[Pattern],
    (text, own): (&Text<'_>, Haystack<'_>),
    found: &Found,
    least: usize,
) -> Vec<Found> {
    let places = patterns
        .iter()
        .filter(|pattern| found.weight + pattern.weight() >= least)
        .map(|pattern| (pattern, pattern.find_all(own, MAX_FOUND)));
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

/// The first pattern found in a text, with the bytes that it covers.
fn find_in(patterns: &[Pattern], text: &Text<'_>, found: &mut Found) -> Option<Span> {
    patterns.iter().find_map(|pattern| {
        let place = pattern.find(text.as_str())?;
        found.take(pattern, text.as_str(), &place);
        Some(text.source_span(place.range()))
    })
}

fn whole(patterns: &[Pattern], text: &str, found: &mut Found) -> bool {
    patterns.iter().any(|pattern| {
        if let Some(word) = pattern.as_word() {
            let equal = word == text;
            if equal {
                found.weight += word.bytes().filter(u8::is_ascii_alphanumeric).count();
            }
            return equal;
        }
        match pattern.find_whole(text) {
            Some(place) => {
                found.take(pattern, text, &place);
                true
            }
            None => false,
        }
    })
}

/// The texts that an event's pattern asks for as they are, made ready to be searched for.
#[derive(Debug, Default)]
pub(crate) struct RequiredTexts {
    raw: Vec<Token>,
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

/// Tests an event; one result for each place where its message pattern is found. What weighs less than
/// `least` is none.
pub(crate) fn event(
    pattern: &EventPattern,
    asked: &RequiredTexts,
    facts: &EventView<'_, '_>,
    least: usize,
) -> Vec<Found> {
    let Some(mut found) = outside_of_message(pattern, asked, facts) else {
        return Vec::new();
    };
    let mut marks = Vec::new();
    if let Some(term) = &pattern.entry {
        found.weight += term.weight();
        marks = entry::find(term, facts);
        if marks.is_empty() {
            return Vec::new();
        }
    }
    // what rules it out is mostly plain words, and cheaper to look for than what it must say
    let mut texts = facts.haystacks();
    let rules_out = |text: Haystack<'_>| {
        let mut patterns = pattern.not.0.iter();
        patterns.any(|not| not.may_be(facts.marks()) && not.stands(text))
    };
    if texts.any(rules_out) {
        return Vec::new();
    }
    if pattern.message.0.is_empty() && !marks.is_empty() {
        let found = |mark| Found {
            mark,
            ..found.clone()
        };
        return marks.into_iter().map(found).collect();
    }
    if pattern.message.0.is_empty() {
        return Vec::from_iter(Some(found).filter(|found| found.weight >= least));
    }
    let texts = facts.texts().iter().zip(facts.haystacks());
    let mut places = texts.map(|text| find_all(&pattern.message.0, text, &found, least));
    places.find(|places| !places.is_empty()).unwrap_or_default()
}

/// Returns true if a value is known to be none of these; any is where there are none.
fn is_none_of(names: &[String], value: Option<&str>) -> bool {
    names.is_empty() || value.is_some_and(|value| !is_one_of(names, Some(value)))
}

/// All that a pattern asks except its message, the cheapest first.
fn outside_of_message(
    pattern: &EventPattern,
    asked: &RequiredTexts,
    facts: &EventView<'_, '_>,
) -> Option<Found> {
    let event = facts.event;
    let reason = event.reason.as_ref().map(Text::as_str);
    let fits = is_one_of(&pattern.reason.0, reason)
        && is_one_of(
            &pattern.component.0,
            event.component.as_ref().map(Text::as_str),
        )
        && is_none_of(
            &pattern.not_component.0,
            event.component.as_ref().map(Text::as_str),
        )
        && is_one_of(&pattern.kind.0, event.subject.kind.as_deref())
        && is_one_of(&pattern.format.0, Some(event.format.name()))
        && pattern.severity.is_none_or(|least| match event.severity {
            Some(own) => own >= least,
            None => pattern.raw.0.is_empty() && !pattern.is_klog_fatal(),
        })
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
        let value = super::event_view::unquoted(event.field(key)?);
        found.mark = find_in(&patterns.0, &value, &mut found)?;
    }
    for (fact, patterns) in &pattern.chain {
        // a message that fits comes first: taking the chain apart is dearer
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

/// Returns true if one of these may be found in a text, judging by its words.
fn may_say(patterns: &[Pattern], facts: &EventView<'_, '_>) -> bool {
    (patterns.iter()).any(|pattern| pattern.may_be(facts.marks()))
}

fn says_any(patterns: &[Pattern], facts: &EventView<'_, '_>) -> bool {
    facts
        .haystacks()
        .any(|text| patterns.iter().any(|pattern| pattern.stands(text)))
}

/// The bytes to show where no pattern points at any: the message, or the whole record.
fn proof_of(facts: &EventView<'_, '_>) -> Span {
    let message = facts.event.message.span();
    if message.is_empty() {
        facts.event.span.clone()
    } else {
        message
    }
}

/// Returns true if what is captured of an object's fields surely does not compare as is asked: seen before anything of
/// it is kept.
pub(super) fn compares_otherwise(
    pattern: &ObjectPattern,
    object: &Object<'_>,
    tested: &mut TestedFields<'_>,
    comparisons: &[Comparison],
) -> bool {
    let TestedFields { results, tests } = tested;
    let mut is_kept = |of: &&Tested| {
        let test = pattern.fields.get(&*of.key);
        let value = object.fields.get(&of.key);
        test.zip(value)
            .is_some_and(|(test, value)| results.kept(of.number, test, value).is_some())
    };
    let kept: Vec<&Tested> = tests.iter().filter(|of| is_kept(of)).collect();
    let captures = || {
        let kept = kept.iter().filter_map(|of| results.last_kept(of.number));
        kept.flat_map(|kept| &kept.captures)
    };
    let value = |name: &str| {
        let captured = captures().find(|(known, _)| known == name);
        captured.map(|(_, value)| value.as_str())
    };
    comparisons.iter().any(|comparison| {
        let is_known = comparison.captures().all(|name| value(name).is_some());
        is_known && !comparison.holds(value)
    })
}

/// Returns true if captured values compare as is asked of them.
pub(crate) fn compare(captures: &[Capture], comparisons: &[Comparison]) -> bool {
    let value = |name: &str| {
        let captured = captures.iter().find(|(known, _)| known == name);
        captured.map(|(_, value)| value.as_str())
    };
    let mut comparisons = comparisons.iter();
    comparisons.all(|comparison| comparison.holds(value))
}

/// The fields of a container that describe its previous run.
const LAST_RUN: &str = "last_state.";

/// The tests of an object's fields that it has passed before, with their numbers among the results.
pub(super) struct TestedFields<'r> {
    pub results: &'r mut Results,
    pub tests: &'r [Tested],
}

impl TestedFields<'_> {
    /// What the test of a field captures of its value.
    fn kept(&mut self, path: &str, test: &ValueTest, value: Option<&Value<'_>>) -> Option<&Kept> {
        let mut tests = self.tests.iter();
        let number = tests.find(|tested| *tested.key == *path)?.number;
        self.results.kept(number, test, value?)
    }
}

/// Tests an object; one result for each item of the lists in `each`, or one in all. Where nothing is held against its
/// name, one whose name was cut off passes a pattern that takes any. `tested` are the tests that it has passed.
pub(crate) fn object(
    pattern: &ObjectPattern,
    object: &Object<'_>,
    is_name_compared: bool,
    mut tested: Option<TestedFields<'_>>,
) -> Vec<Found> {
    let subject: &Subject = &object.subject;
    let mut found = Found {
        mark: object.span.clone(),
        weight: 4,
        ..Found::default()
    };
    let name = |patterns: &[Pattern], value: &Option<String>, found: &mut Found| match value {
        _ if patterns.is_empty() => true,
        Some(value) => whole(patterns, value, found),
        None => !is_name_compared && patterns.iter().any(Pattern::is_slot),
    };
    // most objects lack what most patterns ask for: that is seen before patterns are looked for
    let refused = |(path, test): (&String, &ValueTest)| {
        !computed::is_computed(path) && test.refuses(object.fields.get(path))
    };
    let fits = is_one_of(&pattern.kind.0, subject.kind.as_deref())
        && is_one_of(&pattern.format.0, Some(object.format.name()))
        && (!pattern.listed || object.listed)
        && (tested.is_some() || !pattern.fields.iter().any(refused))
        && name(&pattern.name.0, &subject.name, &mut found)
        && name(&pattern.namespace.0, &subject.namespace, &mut found);
    if !fits {
        return Vec::new();
    }
    let get = |path: &str| match computed::is_computed(path) {
        true => computed::of(path, object).map(Cow::Owned),
        false => object.fields.get(path).map(Cow::Borrowed),
    };
    let mut fields = pattern.fields.iter();
    if tested.is_none() && !fields.all(|(path, test)| holds(test, get(path).as_deref())) {
        return Vec::new();
    }
    let mut proof = Proof::None;
    for (path, test) in &pattern.fields {
        let own = get(path);
        let remembered = tested
            .as_mut()
            .and_then(|tested| tested.kept(path, test, own.as_deref()));
        if let (Some(kept), Some(own)) = (remembered, own.as_deref()) {
            found.keep(kept, own, &mut proof);
        } else if !value(test, own.as_deref(), &mut found, &mut proof) {
            return Vec::new();
        }
        add_state(path, |beside| object.fields.get(beside), &mut found);
    }
    if pattern.each.0.is_empty() {
        return vec![found];
    }
    let items = pattern.each.0.iter().flat_map(|list| {
        let items = object.fields.all_items(list);
        items.map(move |item| (list.as_str(), item))
    });
    items
        .filter(|(_, item)| {
            let mut tests = pattern.item.iter();
            !tests.any(|(path, test)| test.refuses(item.get(path)))
        })
        // whether an item fits is known before anything of it is kept: most items do not
        .filter(|(_, item)| {
            let hold = |negative: bool| {
                let tests = pattern.item.iter();
                let mut tests = tests.filter(|(_, test)| test.is_negative() == negative);
                tests.all(|(path, test)| holds(test, item.get(path)))
            };
            // what it must be is refused sooner than what it must not be
            hold(false) && hold(true)
        })
        .filter_map(|(list, item)| {
            let mut found = found.clone();
            // the item is the nearer proof
            let mut proof = Proof::None;
            let fits = pattern.item.iter().all(|(path, test)| {
                // a name shows which item it is, and proves nothing
                let mut named = Proof::Value;
                let slot = if path == "name" {
                    &mut named
                } else {
                    &mut proof
                };
                let holds = value(test, item.get(path), &mut found, slot);
                if holds && path != "name" {
                    add_state(path, |beside| item.get(beside), &mut found);
                }
                holds
            });
            if !fits {
                return None;
            }
            if let Some(name) = item.get("name").and_then(Value::to_text) {
                found.captures.push(("item".into(), name.to_string()));
                if list.contains("containers") {
                    found.container = Some(name.into_owned());
                }
            }
            if proof == Proof::None {
                found.mark = item.span();
            }
            if pattern
                .item
                .iter()
                .any(|(path, _)| path.starts_with(LAST_RUN))
            {
                let ended = item
                    .get("last_state.finished_time")
                    .and_then(Value::to_text);
                let ended = ended.and_then(|text| text.parse::<jiff::Timestamp>().ok());
                found.ended = ended.map(|ended| ended.as_nanosecond());
            }
            Some(found)
        })
        .collect()
}

/// Returns true if a value passes a test, without keeping anything of it. A list or map that is captured as one text may
/// turn out later to have none.
pub(super) fn holds(test: &ValueTest, value: Option<&Value<'_>>) -> bool {
    match value {
        // ages and counts, which differ from object to object
        Some(Value::Integer(number, _)) if test.is_of_number() => {
            test.number.0.is_empty() || test.number.holds(*number as f64)
        }
        _ => passes(test, value, &mut None),
    }
}

/// What is captured of a value that passes a test.
#[derive(Debug)]
pub(super) struct Kept {
    captures: Vec<Capture>,
    weight: usize,
    proof: Proof,
}

/// What a test captures of a value that passes it.
pub(super) fn kept(test: &ValueTest, present: &Value<'_>) -> Kept {
    let mut found = Found::default();
    let mut proof = Proof::None;
    value(test, Some(present), &mut found, &mut proof);
    Kept {
        captures: found.captures,
        weight: found.weight,
        proof,
    }
}

impl Found {
    /// Adds what was captured of a value.
    fn keep(&mut self, kept: &Kept, value: &Value<'_>, proof: &mut Proof) {
        self.captures.extend(kept.captures.iter().cloned());
        self.weight += kept.weight;
        if kept.proof > *proof && !value.span().is_empty() {
            self.mark = value.span();
            *proof = kept.proof;
        }
    }
}

/// Where what is kept of the values that pass goes.
struct Sink<'f> {
    found: &'f mut Found,
    proof: &'f mut Proof,
}

/// Returns true if a value passes a test, and keeps what its patterns captured.
fn value(
    test: &ValueTest,
    value: Option<&Value<'_>>,
    found: &mut Found,
    proof: &mut Proof,
) -> bool {
    passes(test, value, &mut Some(Sink { found, proof }))
}

fn passes(test: &ValueTest, value: Option<&Value<'_>>, kept: &mut Option<Sink<'_>>) -> bool {
    let is_scalar = value.is_some_and(|value| value.to_text().is_some());
    if let Some(name) = &test.flat {
        if let Some(kept) = kept {
            let Some(text) = value.map_or(Some(String::new()), computed::flat) else {
                return false;
            };
            if text.is_empty() && test.present {
                return false;
            }
            kept.found.captures.push((name.clone(), text));
        }
        if !is_scalar {
            return kept.is_some() || value.is_some() || !test.present;
        }
    }
    let Some(present) = value else {
        return test.absent || test.is_negative();
    };
    if test.absent {
        return false;
    }
    let Some(text) = present.to_text() else {
        // a list passes if one of its scalars does
        let scalars = present.items().iter();
        let mut scalars = scalars.filter(|item| item.to_text().is_some()).peekable();
        return match scalars.peek() {
            Some(_) => scalars.any(|item| passes(test, Some(item), kept)),
            None => test.present,
        };
    };
    if test.flat.is_some() && test.present && text.is_empty() {
        return false;
    }
    let is_whole = |pattern: &Pattern| match pattern.as_word() {
        Some(word) => word == text,
        None => pattern.is_whole(&text),
    };
    let is_refused = || {
        let in_range = || number(&text).is_some_and(|value| test.number.holds(value));
        test.not.iter().any(is_whole) || !(test.number.0.is_empty() || in_range())
    };
    let Some(kept) = kept else {
        return (test.equals.is_empty() || test.equals.iter().any(is_whole))
            && (test.matches.is_empty() || test.matches.iter().any(|it| it.occurs(&text)))
            && !is_refused();
    };
    let found = &mut *kept.found;
    let before = found.captures.len();
    let mut matches = test.matches.iter();
    let holds = (test.equals.is_empty() || whole(&test.equals, &text, found))
        && (test.matches.is_empty() || matches.any(|pattern| found.find(pattern, &text)))
        && !is_refused();
    if !holds {
        found.captures.truncate(before);
        return false;
    }
    found.weight += 4;
    let weight = proof_of_test(test);
    if weight > *kept.proof && !present.span().is_empty() {
        found.mark = present.span();
        *kept.proof = weight;
    }
    true
}

/// The fields that together make a state, of which a test names one.
const STATE: &[&str] = &["status", "reason", "message", "exit_code", "signal"];

/// Adds the spans of a value that was tested and, if it is part of a state, of the rest of that state.
fn add_state<'v, 'a: 'v>(
    path: &str,
    get: impl Fn(&str) -> Option<&'v Value<'a>>,
    found: &mut Found,
) {
    let (before, last) = match path.rsplit_once('.') {
        Some((_, last)) => (&path[..path.len() - last.len()], last),
        None => ("", path),
    };
    let mut add = |value: Option<&Value<'_>>| {
        let spans = value.filter(|value| value.to_text().is_some());
        found.around.extend(spans.map(Value::span));
    };
    add(get(path));
    if last == "type" || STATE.contains(&last) {
        match before.strip_suffix('.') {
            Some(state) => {
                let state = get(state);
                STATE
                    .iter()
                    .for_each(|beside| add(state.and_then(|state| state.get(beside))));
            }
            None => STATE.iter().for_each(|beside| add(get(beside))),
        }
    }
}

/// The proof that a field gives by passing its test; the first of the most telling ones is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Proof {
    /// It is only not what it must not be.
    None,
    /// It is there.
    Presence,
    /// It has the value that is asked for.
    Value,
}

/// The proof that a value gives by passing a test.
fn proof_of_test(test: &ValueTest) -> Proof {
    if test.is_negative() {
        Proof::None
    } else if test.equals.is_empty() && test.matches.is_empty() && test.number.0.is_empty() {
        Proof::Presence
    } else {
        Proof::Value
    }
}
