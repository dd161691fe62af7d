//! Tests of one value of an object.

use kwhy_model::Value;
use kwhy_signature::{Pattern, ValueTest, number};

use super::super::computed;
use super::{Capture, Found, whole};

/// Returns true if a value passes a test, without keeping anything of it. A list or map to be captured as text may
/// still turn out to be too long.
pub(in crate::matcher) fn holds(test: &ValueTest, value: Option<&Value<'_>>) -> bool {
    match value {
        // ages and counts differ from object to object
        Some(Value::Integer(number, _)) if test.is_of_number() => {
            test.number.0.is_empty() || test.number.holds(*number as f64)
        }
        _ => passes(test, value, &mut None),
    }
}

/// The captures of a test from a value.
#[derive(Debug)]
pub(in crate::matcher) struct Kept {
    pub(super) captures: Vec<Capture>,
    weight: usize,
    proof: Proof,
}

/// Returns what a test captures from a value that passes it.
pub(in crate::matcher) fn kept(test: &ValueTest, present: &Value<'_>) -> Kept {
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
    /// Adds the captures of a value.
    pub(super) fn keep(&mut self, kept: &Kept, value: &Value<'_>, proof: &mut Proof) {
        self.captures.extend(kept.captures.iter().cloned());
        self.weight += kept.weight;
        if kept.proof > *proof && !value.span().is_empty() {
            self.mark = value.span();
            *proof = kept.proof;
        }
    }
}

/// The destination of what is kept of values that pass.
struct Sink<'f> {
    found: &'f mut Found,
    proof: &'f mut Proof,
}

/// Returns true if a value passes a test, and adds the captures of its patterns.
pub(super) fn value(
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

/// The strength of the proof that a field gives by passing its test; the first of the strongest is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    /// It merely lacks an excluded value.
    None,
    /// It is there.
    Presence,
    /// It has the required value.
    Value,
}

/// Returns the strength of the proof that a value gives by passing a test.
fn proof_of_test(test: &ValueTest) -> Proof {
    if test.is_negative() {
        Proof::None
    } else if test.equals.is_empty() && test.matches.is_empty() && test.number.0.is_empty() {
        Proof::Presence
    } else {
        Proof::Value
    }
}
