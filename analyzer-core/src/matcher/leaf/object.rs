//! Tests of one object.

use std::borrow::Cow;

use kwhy_model::{Object, Subject, Value};
use kwhy_signature::{Comparison, ObjectPattern, Pattern, ValueTest};

use super::super::computed;
use super::super::memo::Results;
use super::super::object_prefilter::Tested;
use super::value::{Kept, Proof, holds, value};
use super::{Found, is_one_of, whole};

/// Returns true if a comparison of an object's captured fields is known to fail. Checked before anything of the object
/// is copied.
pub(in crate::matcher) fn compares_otherwise(
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

/// The fields of a container that describe its previous run.
const LAST_RUN: &str = "last_state.";

/// The tests of an object's fields that have passed already, with their numbers among the results.
pub(in crate::matcher) struct TestedFields<'r> {
    pub results: &'r mut Results,
    pub tests: &'r [Tested],
}

impl TestedFields<'_> {
    /// Returns what the test of a field captured from its value; `None` if that is not cached.
    fn kept(&mut self, path: &str, test: &ValueTest, value: Option<&Value<'_>>) -> Option<&Kept> {
        let mut tests = self.tests.iter();
        let number = tests.find(|tested| *tested.key == *path)?.number;
        self.results.kept(number, test, value?)
    }
}

/// Tests an object. Returns one result per item of the lists in `each`, or a single one. If its name is not compared,
/// an object whose name was cut off passes a name pattern that matches anything. Hits that are not shown keep nothing
/// around the proof. `tested` are the tests that have passed already.
pub(in crate::matcher) fn object(
    pattern: &ObjectPattern,
    object: &Object<'_>,
    (is_name_compared, is_shown): (bool, bool),
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
    // most objects lack what most patterns require, which is cheaper to see than to match patterns
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
        if is_shown {
            add_state(path, |beside| object.fields.get(beside), &mut found);
        }
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
        // decides whether an item fits before copying anything of it, as most do not
        .filter(|(_, item)| {
            let hold = |negative: bool| {
                let tests = pattern.item.iter();
                let mut tests = tests.filter(|(_, test)| test.is_negative() == negative);
                tests.all(|(path, test)| holds(test, item.get(path)))
            };
            // positive tests fail sooner than negative ones
            hold(false) && hold(true)
        })
        .filter_map(|(list, item)| {
            let mut found = found.clone();
            // the item is the nearer proof
            let mut proof = Proof::None;
            let fits = pattern.item.iter().all(|(path, test)| {
                // a name only identifies the item, and proves nothing
                let mut named = Proof::Value;
                let slot = if path == "name" {
                    &mut named
                } else {
                    &mut proof
                };
                let holds = value(test, item.get(path), &mut found, slot);
                if holds && is_shown && path != "name" {
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

/// The fields that together make up a state.
const STATE: &[&str] = &["status", "reason", "message", "exit_code", "signal"];

/// Adds the spans of a tested value and, if it is part of a state, of the rest of that state.
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
