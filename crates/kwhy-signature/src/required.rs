//! The literals that an event or object must contain before a condition is worth a full test.

use super::condition::{Condition, EventPattern, What};
use super::index::STARTS;
use super::pattern::Pattern;
use super::phrases::longest_plain;
use kwhy_prefilter::MIN_LITERAL;

/// The minimum length of a text that is searched for; shorter ones occur nearly everywhere.
pub(crate) const SHORTEST_PHRASE: usize = 3;

/// The pseudo-literal for the start of klog's fatal records, in which every digit may differ.
pub(crate) const KLOG_FATAL: &str = "F0000 00:";

/// The literals that a condition requires of a parsed event or object, and of an unparsed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralRequirement {
    /// The place where the words must occur.
    pub what: RequirementKind,
    /// The words one of which must occur.
    pub words: Vec<String>,
    /// Texts one of which every matching log record contains literally; empty if none are known, so that each record
    /// must be parsed.
    pub raw: Vec<String>,
}

/// The place where the words must occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequirementKind {
    /// In one of the event's texts, with spaces collapsed and backslashes before quotes dropped.
    Text,
    /// As the event's reason.
    Reason,
    /// In the raw record.
    Entry,
    /// As the object's kind.
    Kind,
    /// Nowhere: each event must be tested.
    AnyEvent,
    /// In a parsed text: the words are not searched for in raw bytes.
    AnyText,
    /// Nowhere: each object must be tested.
    AnyObject,
}

impl LiteralRequirement {
    fn of_object(what: RequirementKind, words: Vec<String>) -> LiteralRequirement {
        LiteralRequirement {
            what,
            words,
            raw: Vec::new(),
        }
    }

    /// Returns the requirements of a leaf condition.
    pub fn of(leaf: &Condition) -> LiteralRequirement {
        match &leaf.what {
            What::Event(event) => of_event(event),
            What::Object(object) if object.kind.0.is_empty() => {
                LiteralRequirement::of_object(RequirementKind::AnyObject, Vec::new())
            }
            What::Object(object) => {
                LiteralRequirement::of_object(RequirementKind::Kind, object.kind.0.clone())
            }
            // a leaf is an event or an object
            What::All(_) | What::Any(_) | What::Sequence(_) => {
                LiteralRequirement::of_object(RequirementKind::AnyEvent, Vec::new())
            }
        }
    }

    /// Returns true if each log record must be parsed, because no text is known that it must contain.
    pub fn is_boundless(&self) -> bool {
        self.raw.is_empty()
            && !matches!(
                self.what,
                RequirementKind::Kind | RequirementKind::AnyObject | RequirementKind::AnyText
            )
    }
}

fn of_event(event: &EventPattern) -> LiteralRequirement {
    if event.is_statement() {
        return LiteralRequirement {
            what: RequirementKind::AnyText,
            words: phrases(&event.message.0).unwrap_or_default(),
            raw: Vec::new(),
        };
    }
    if event.is_klog_fatal() {
        return LiteralRequirement {
            what: RequirementKind::AnyEvent,
            words: Vec::new(),
            raw: vec![KLOG_FATAL.to_owned()],
        };
    }
    if let Some(entry) = &event.entry {
        // the texts in `STARTS` are not searched for, so they are used without the colon
        let searched = |text: &String| match STARTS.contains(&text.as_str()) {
            true => text.trim_end_matches(':').to_owned(),
            false => text.clone(),
        };
        let words: Vec<String> = entry.literals().iter().map(searched).collect();
        // few events are of the kind or format: these are tested, rather than all records searched once more
        if !event.kind.0.is_empty() || !event.format.0.is_empty() {
            return LiteralRequirement {
                what: RequirementKind::AnyEvent,
                words: Vec::new(),
                raw: words,
            };
        }
        return LiteralRequirement {
            what: RequirementKind::Entry,
            raw: words.clone(),
            words,
        };
    }
    if !event.raw.0.is_empty() {
        return LiteralRequirement {
            what: RequirementKind::AnyEvent,
            words: Vec::new(),
            raw: event.raw.0.clone(),
        };
    }
    let reasons = &event.reason.0;
    let exact = !reasons.is_empty() && !reasons.iter().any(|word| word.ends_with('*'));
    let least = |words: &Vec<String>| words.iter().map(String::len).min().unwrap_or(0);
    let named = Some(stated(&event.literals.0)).filter(|words| least(words) > 0);
    // a short word is matched after parsing rather than in raw text; the author's own literals take precedence, as
    // authors know which texts are rare
    let long = named.clone().filter(|words| least(words) >= MIN_LITERAL);
    let known = [named, phrases(&event.message.0)];
    let words = long
        .or_else(|| known.into_iter().flatten().max_by_key(least))
        .filter(|words| least(words) >= MIN_LITERAL || reasons.is_empty());
    match words {
        Some(words) => LiteralRequirement {
            what: RequirementKind::Text,
            raw: words.clone(),
            words,
        },
        None => LiteralRequirement {
            what: if exact {
                RequirementKind::Reason
            } else {
                RequirementKind::AnyEvent
            },
            words: if exact { reasons.clone() } else { Vec::new() },
            raw: reasons.iter().flat_map(|reason| written(reason)).collect(),
        },
    }
}

/// Returns the forms in which a log record may write an event's reason: between quotes of any kind and depth; a short
/// reason is recognised by its key.
fn written(reason: &str) -> Vec<String> {
    match reason.strip_suffix('*') {
        Some(start) => vec![format!("\"{start}"), format!("'{start}")],
        None if reason.len() + 2 >= MIN_LITERAL => vec![
            format!("\"{reason}\""),
            format!("\"{reason}\\"),
            format!("'{reason}'"),
        ],
        None => vec![
            format!("reason=\"{reason}\""),
            format!("reason=\\\"{reason}\\"),
            format!("reason\":\"{reason}\""),
            format!("reason\": \"{reason}\""),
            format!("reason\\\":\\\"{reason}\\"),
            format!("reason\\\": \\\"{reason}\\"),
            format!("reason: '{reason}'"),
            format!("reason={reason} "),
        ],
    }
}

/// Returns the part of each text that no envelope escapes, in lower case.
fn stated(literals: &[String]) -> Vec<String> {
    // JSON escapes these characters
    let longest = |literal: &String| match literal.contains(['"', '\\', '<', '>', '&']) {
        true => longest_plain(literal).to_ascii_lowercase(),
        false => literal.to_ascii_lowercase(),
    };
    literals.iter().map(longest).collect()
}

/// Returns the phrases of all patterns, if each has some and all are long enough.
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

/// Returns the requirements of each leaf of a signature's condition.
pub fn needs(number: u32, condition: &Condition) -> Vec<((u32, u16), LiteralRequirement)> {
    let mut conditions = Vec::new();
    leaves(condition, &mut conditions);
    (0..)
        .zip(conditions)
        .map(|(leaf, condition)| ((number, leaf), LiteralRequirement::of(condition)))
        .collect()
}

/// Collects the leaf conditions of a condition, in the order in which their hits are passed to evaluation.
pub fn leaves<'c>(condition: &'c Condition, into: &mut Vec<&'c Condition>) {
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

/// For each leaf condition, in the order of [`leaves`], returns true if it is an object in an entry of `none`.
pub fn refuting_objects(condition: &Condition) -> Vec<bool> {
    let mut all = Vec::new();
    leaves(condition, &mut all);
    let is_object = all.iter().map(|leaf| matches!(leaf.what, What::Object(_)));
    let refuting = refuting_leaves(condition).into_iter().zip(is_object);
    refuting
        .map(|(refutes, is_object)| refutes && is_object)
        .collect()
}

/// For each leaf condition, in the order of [`leaves`], returns true if it is part of an entry of `none`.
pub fn refuting_leaves(condition: &Condition) -> Vec<bool> {
    fn collect(condition: &Condition, refuting: bool, into: &mut Vec<bool>) {
        match &condition.what {
            What::Event(_) | What::Object(_) => into.push(refuting),
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                parts.iter().for_each(|part| collect(part, refuting, into));
            }
        }
        let also = condition.also.iter().map(|part| (part, refuting));
        let none = condition.none.iter().map(|part| (part, true));
        for (part, refuting) in also.chain(none) {
            collect(part, refuting, into);
        }
    }
    let mut refuting = Vec::new();
    collect(condition, false, &mut refuting);
    refuting
}
