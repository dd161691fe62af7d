//! Converts a rule to a native signature.

use serde_json::{Map, Value, json};

use super::markdown;
use super::rule::{Body, Rule};
use super::term::{Negative, Term};

/// The maximum confidence in a rule that finds one entry, and in one that finds several.
const OF_ONE: f64 = 0.7;
const OF_SEVERAL: f64 = 0.8;

/// The confidence in a rule whose only text is short, so that other programs may print it too.
const OF_SHORT: f64 = 0.35;

/// The minimum number of letters and digits of a text that few other programs print.
const LONG: usize = 16;

/// Converts a rule with its cause to a signature, as JSON.
pub(super) fn signature(rule: &Rule, cause: &str) -> Value {
    let about = &rule.about;
    let mut signature = Map::new();
    let mut set = |key: &str, value: Value| signature.insert(key.to_owned(), value);
    set("id", about.id.to_ascii_lowercase().into());
    set("cause", cause.into());
    set("severity", level(about.severity).into());
    // the rule's author knew the level at which the program logs it
    set("at_any_level", true.into());
    set("confidence", confidence(&rule.body).into());
    set("title", literal(&markdown::line(&about.title)).into());
    set("match", condition(&rule.body, false).into());
    let reason = about.cause.as_ref().or(about.description.as_ref());
    let why = reason.map(|text| markdown::steps(text).join(" "));
    let why = why.filter(|why| !why.is_empty());
    set(
        "why",
        literal(why.as_deref().unwrap_or(&about.title)).into(),
    );
    let steps = about
        .mitigation
        .as_deref()
        .map(markdown::steps)
        .unwrap_or_default();
    if !steps.is_empty() {
        let fixes = steps.iter().map(|text| json!({ "text": literal(text) }));
        set("fix", fixes.collect());
    }
    if !about.references.is_empty() {
        set("references", about.references.clone().into());
    }
    set("cre", serde_json::to_value(about).unwrap_or_default());
    Value::Object(signature)
}

/// Returns the severity of a finding.
fn level(severity: u8) -> &'static str {
    match severity {
        0 | 1 => "error",
        2 | 3 => "warning",
        _ => "info",
    }
}

/// Escapes a text as a template without slots.
fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Returns the confidence in a match, by how much text it requires.
fn confidence(body: &Body) -> f64 {
    let demanded = body.weight();
    let most = match body.positives.as_slice() {
        [] | [(Term::Entry(_), _)] => OF_ONE,
        _ => OF_SEVERAL,
    };
    let share = (demanded as f64 / LONG as f64).min(1.0);
    ((OF_SHORT + (most - OF_SHORT) * share) * 100.0).round() / 100.0
}

fn part(term: &Term) -> Map<String, Value> {
    match term {
        Term::Entry(test) => {
            let event = json!({ "entry": { test.key: test.text } });
            Map::from_iter([("event".to_owned(), event)])
        }
        // converted as a list in any case, so that `at_least` counts its matches
        Term::Nested(body) => condition(body, true),
    }
}

/// Returns the window of a set or sequence; with a single term, it is as long as a match of that term lasts.
fn window(body: &Body) -> String {
    match (&body.window, body.positives.as_slice()) {
        (Some(window), _) => window.clone(),
        (None, [(Term::Nested(inner), 1)]) => window(inner),
        (None, _) => "0s".to_owned(),
    }
}

/// Converts a set or sequence to a condition; `is_part` is true if it is nested in another one.
fn condition(body: &Body, is_part: bool) -> Map<String, Value> {
    let part = |(term, count): &(Term, u64)| {
        let mut part = part(term);
        if *count > 1 {
            part.insert("at_least".into(), (*count).into());
        }
        part
    };
    let mut is_list = true;
    let mut condition = match body.positives.as_slice() {
        [one @ (Term::Entry(_), _)] if !body.is_sequence && !is_part => {
            is_list = body.window.is_some();
            part(one)
        }
        several => {
            let key = if body.is_sequence { "sequence" } else { "all" };
            let parts = several.iter().map(|one| Value::Object(part(one)));
            Map::from_iter([(key.to_owned(), parts.collect())])
        }
    };
    if is_list {
        condition.insert("within".into(), window(body).into());
    }
    if !body.negatives.is_empty() {
        condition.insert("none".into(), body.negatives.iter().map(negative).collect());
    }
    condition.insert("per".into(), scope(&body.correlations).into());
    condition
}

fn negative(negative: &Negative) -> Value {
    let mut condition = part(&negative.term);
    let mut set = |key: &str, value: Value| condition.insert(key.to_owned(), value);
    // explicit, so that it is matched over time
    set("window", negative.window.as_deref().unwrap_or("0s").into());
    if let Some(slide) = &negative.slide {
        set("slide", slide.as_str().into());
    }
    if negative.anchor > 0 {
        set("anchor", negative.anchor.into());
    }
    if negative.is_absolute {
        set("absolute", true.into());
    }
    Value::Object(condition)
}

/// Returns the narrowest of the requested scopes.
fn scope(correlations: &[String]) -> &'static str {
    let has = |names: &[&str]| {
        correlations
            .iter()
            .any(|name| names.contains(&name.as_str()))
    };
    if has(&["container_id", "container", "pod", "process_id"]) {
        "source"
    } else if has(&["hostname", "host", "node"]) {
        "node"
    } else if has(&["namespace"]) {
        "namespace"
    } else {
        "input"
    }
}
