//! What an event or object must hold before a condition is worth a full test.

use super::condition::{Condition, EventPattern, What};
use super::pattern::Pattern;

/// The shortest text that the prefilter looks for; a shorter one is nearly everywhere.
pub(crate) const SHORTEST_PHRASE: usize = 3;

/// Words of which an event or object must hold one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub what: NeedKind,
    pub words: Vec<String>,
}

/// Where the words must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeedKind {
    /// In one of the event's texts, blanks folded and backslashes before quotes dropped.
    Text,
    /// As the event's reason.
    Reason,
    /// As the object's kind.
    Kind,
    /// Nothing is needed: each event must be tested.
    AnyEvent,
    /// Nothing is needed: each object must be tested.
    AnyObject,
}

impl Need {
    fn new(what: NeedKind, words: Vec<String>) -> Need {
        Need { what, words }
    }

    /// What a leaf condition needs.
    pub fn of(leaf: &Condition) -> Need {
        match &leaf.what {
            What::Event(event) => of_event(event),
            What::Object(object) if object.kind.0.is_empty() => {
                Need::new(NeedKind::AnyObject, Vec::new())
            }
            What::Object(object) => Need::new(NeedKind::Kind, object.kind.0.clone()),
            // a leaf is an event or an object
            What::All(_) | What::Any(_) | What::Sequence(_) => {
                Need::new(NeedKind::AnyEvent, Vec::new())
            }
        }
    }
}

fn of_event(event: &EventPattern) -> Need {
    if let Some(words) = phrases(&event.message.0) {
        return Need::new(NeedKind::Text, words);
    }
    let exact =
        !event.reason.0.is_empty() && !event.reason.0.iter().any(|word| word.ends_with('*'));
    if exact {
        return Need::new(NeedKind::Reason, event.reason.0.clone());
    }
    Need::new(NeedKind::AnyEvent, Vec::new())
}

/// Phrases of all patterns, if each has some and all are long enough.
fn phrases(patterns: &[Pattern]) -> Option<Vec<String>> {
    let known = |pattern: &Pattern| {
        let phrases = pattern.phrases();
        !phrases.is_empty() && phrases.iter().all(|phrase| phrase.len() >= SHORTEST_PHRASE)
    };
    let all = !patterns.is_empty() && patterns.iter().all(known);
    all.then(|| {
        patterns
            .iter()
            .flat_map(|pattern| pattern.phrases().iter().cloned())
            .collect()
    })
}

/// What each leaf of a signature's condition needs.
pub(crate) fn needs(number: u32, condition: &Condition) -> Vec<((u32, u16), Need)> {
    let mut conditions = Vec::new();
    leaves(condition, &mut conditions);
    (0..)
        .zip(conditions)
        .map(|(leaf, condition)| ((number, leaf), Need::of(condition)))
        .collect()
}

/// The leaf conditions of a condition, in the order in which their hits are asked for.
pub(crate) fn leaves<'c>(condition: &'c Condition, into: &mut Vec<&'c Condition>) {
    match &condition.what {
        What::Event(_) | What::Object(_) => into.push(condition),
        What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
            for part in parts {
                leaves(part, into);
            }
        }
    }
    for further in condition.also.iter().chain(&condition.none) {
        leaves(further, into);
    }
}
