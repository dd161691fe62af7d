//! Collects the product names that occur in signatures.

use std::collections::BTreeSet;

use crate::condition::{Condition, EventPattern, ObjectPattern, What};
use crate::pattern::Pattern;
use crate::schema::Signature;

/// The minimum length of a word that counts as a product name.
const SHORTEST: usize = 4;

impl Signature {
    /// Adds the product names that it contains: of objects, namespaces, pods and components, and the hyphenated words
    /// of its texts. They do not reveal whose cluster an input comes from.
    pub fn product_names(&self, names: &mut BTreeSet<String>) {
        of_condition(&self.condition, names);
        for needed in &self.needs {
            of_name(needed.pod.as_str(), names);
        }
    }
}

fn of_condition(condition: &Condition, names: &mut BTreeSet<String>) {
    match &condition.what {
        What::Event(event) => of_event(event, names),
        What::Object(object) => of_object(object, names),
        What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
            parts.iter().for_each(|part| of_condition(part, names));
        }
    }
    let further = condition.none.iter().chain(&condition.also);
    further.for_each(|part| of_condition(part, names));
}

fn of_event(event: &EventPattern, names: &mut BTreeSet<String>) {
    for component in event.component.0.iter().chain(&event.not_component.0) {
        of_name(component, names);
    }
    let facts = event.chain.values().chain(event.fields.values());
    let texts = event.message.0.iter().chain(&event.not.0);
    for text in texts.chain(facts.flat_map(|many| &many.0)) {
        of_text(text, names);
    }
}

fn of_object(object: &ObjectPattern, names: &mut BTreeSet<String>) {
    for name in object.name.0.iter().chain(&object.namespace.0) {
        of_name(name.as_str(), names);
    }
    let tests = object.item.values().chain(object.fields.values());
    for test in tests {
        let texts = test.equals.iter().chain(&test.matches).chain(&test.not);
        texts.for_each(|text| of_text(text, names));
    }
}

/// Adds the words of a text that are names: those with a hyphen.
fn of_text(text: &Pattern, names: &mut BTreeSet<String>) {
    let words = words(text.as_str()).filter(|word| word.contains('-'));
    names.extend(words.map(str::to_owned));
}

/// Adds the words of a name: `istiod` for `istiod-{_}`.
fn of_name(name: &str, names: &mut BTreeSet<String>) {
    let words = words(name).filter(|word| word.len() >= SHORTEST);
    names.extend(words.map(str::to_owned));
}

/// The words of a pattern's source that may be parts of names, without its slots.
fn words(pattern: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let pieces = pattern.split(move |c: char| {
        match c {
            '{' | '<' => depth += 1,
            '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    });
    let trimmed = pieces.map(|word| word.trim_matches('-'));
    trimmed.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_patterns() {
        let of = |pattern| words(pattern).collect::<Vec<_>>();
        assert_eq!(of("istiod-{_}"), ["istiod"]);
        assert_eq!(
            of("regex:volume \"(?P<name>xds-[a-z]+)\" of {pod:word} in kube-system"),
            ["regex", "volume", "xds", "a-z", "of", "in", "kube-system"]
        );
    }
}
