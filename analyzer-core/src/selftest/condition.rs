//! Static checks of a condition, without any input.

use std::collections::BTreeSet;

use super::LintLevel;
use kwhy_prefilter::MIN_LITERAL;
use kwhy_signature::{Condition, LiteralRequirement, Pattern, STARTS, What, leaves};

/// Static checks of a signature's condition.
pub(super) trait ConditionChecks {
    /// Returns true if the condition itself uses a captured value, in a comparison or to join two
    /// parts.
    fn uses(&self, name: &str) -> bool;

    /// Returns true if a comparison mentions a captured value.
    fn compares(&self, name: &str) -> bool;

    /// The names that every match captures, whichever alternative matches.
    fn sure_captures(&self) -> BTreeSet<&str>;

    /// Returns true if every match provides this built-in name, which needs no capture.
    fn gives(&self, name: &str) -> bool;

    /// Returns the conditions that slow down large logs because no literal, or only a short one, selects records: level
    /// and code, the text concerned, and the message.
    fn costs(&self) -> Vec<((LintLevel, &'static str), String, String)>;

    /// Returns the message patterns shorter than `least` in event patterns that require nothing else.
    fn broad(&self, least: usize) -> Vec<&Pattern>;
}

impl ConditionChecks for Condition {
    fn uses(&self, name: &str) -> bool {
        let mut conditions = Vec::new();
        leaves(self, &mut conditions);
        let parts = conditions.iter().filter(|leaf| {
            let mut captured = Vec::new();
            leaf.leaf_captures(&mut captured);
            captured.contains(&name)
        });
        parts.count() > 1 || self.compares(name)
    }

    fn compares(&self, name: &str) -> bool {
        let here = self
            .comparisons
            .iter()
            .chain(&self.open)
            .any(|comparison| comparison.captures().any(|known| known == name));
        let further = self.also.iter().chain(&self.none);
        here || further.into_iter().any(|part| part.compares(name))
            || match &self.what {
                What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                    parts.iter().any(|part| part.compares(name))
                }
                What::Event(_) | What::Object(_) => false,
            }
    }

    /// The names that every match captures, whichever alternative matches.
    fn sure_captures(&self) -> BTreeSet<&str> {
        match &self.what {
            What::Event(event) => {
                let facts = event.chain.values().chain(event.fields.values());
                let tests = std::iter::once(&event.message).chain(facts);
                tests.flat_map(|many| of_any(many.0.iter())).collect()
            }
            What::Object(object) => {
                let tests = object.item.values().chain(object.fields.values());
                let tests = tests.flat_map(|test| {
                    let equal = of_any(test.equals.iter());
                    equal.into_iter().chain(of_any(test.matches.iter()))
                });
                let named = of_any(object.name.0.iter()).into_iter();
                let named = named.chain(of_any(object.namespace.0.iter()));
                let item = (!object.each.0.is_empty()).then_some("item");
                let flat = object.item.values().chain(object.fields.values());
                let flat = flat.filter_map(|test| test.flat.as_deref());
                tests.chain(named).chain(item).chain(flat).collect()
            }
            What::All(parts) | What::Sequence(parts) => parts
                .iter()
                .flat_map(ConditionChecks::sure_captures)
                .collect(),
            What::Any(parts) => parts
                .iter()
                .map(ConditionChecks::sure_captures)
                .reduce(|all, next| all.intersection(&next).copied().collect())
                .unwrap_or_default(),
        }
    }

    /// Returns true if every match provides this built-in name, which needs no capture.
    fn gives(&self, name: &str) -> bool {
        match &self.what {
            What::Event(event) => match name {
                "reason" => !event.reason.0.is_empty(),
                "component" => !event.component.0.is_empty(),
                _ => false,
            },
            // every parsed object has both
            What::Object(_) => matches!(name, "kind" | "name"),
            What::All(parts) | What::Sequence(parts) => parts.iter().any(|part| part.gives(name)),
            What::Any(parts) => parts.iter().all(|part| part.gives(name)),
        }
    }

    /// Returns the conditions that slow down large logs because no literal, or only a short one, selects records: level
    /// and code, the text concerned, and the message.
    fn costs(&self) -> Vec<((LintLevel, &'static str), String, String)> {
        let mut conditions = Vec::new();
        leaves(self, &mut conditions);
        let mut costs = Vec::new();
        for need in conditions.into_iter().map(LiteralRequirement::of) {
            if need.is_boundless() {
                let message = "every log record must be parsed for it; add `literals`, one of which occurs in the message";
                costs.push((
                    (LintLevel::Error, "boundless"),
                    String::new(),
                    message.to_owned(),
                ));
            }
            let is_short =
                |text: &&String| text.len() < MIN_LITERAL && !STARTS.contains(&text.as_str());
            costs.extend(need.raw.iter().filter(is_short).map(|text| {
                let message = format!(
                    "large logs are searched for {text:?} alone; with {MIN_LITERAL} characters or more it would be found with all others"
                );
                ((LintLevel::Warning, "short-text"), text.clone(), message)
            }));
        }
        costs
    }

    /// Returns the message patterns shorter than `least` in event patterns that require nothing else.
    fn broad(&self, least: usize) -> Vec<&Pattern> {
        match &self.what {
            What::Event(event) => {
                let narrowed = !event.reason.0.is_empty()
                    || !event.chain.is_empty()
                    || !event.fields.is_empty()
                    || !event.component.0.is_empty()
                    || !event.raw.0.is_empty()
                    || event.stated
                    || event.is_klog_fatal();
                let patterns = event.message.0.iter().filter(|_| !narrowed);
                patterns
                    .filter(|pattern| pattern.least_length() < least)
                    .collect()
            }
            What::Object(_) => Vec::new(),
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                parts.iter().flat_map(|part| part.broad(least)).collect()
            }
        }
    }
}

/// The names that every one of these patterns captures.
fn of_any<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> BTreeSet<&'p str> {
    patterns
        .map(|pattern| pattern.slots().collect::<BTreeSet<&str>>())
        .reduce(|all, next| all.intersection(&next).copied().collect())
        .unwrap_or_default()
}
