//! What was being done, in the words that no other recogniser knows.

use super::part::Part;
use super::types::{Fact, LinkKind};
use crate::model::{Subject, Text};

/// Words that announce an operation.
const LEADS: &[&str] = &[
    "failed to ",
    "unable to ",
    "cannot ",
    "could not ",
    "couldn't ",
    "can't ",
    "error while ",
    "error when ",
    "error trying to ",
    "failed ",
    "error ",
];

/// Words between an operation and its object.
const JOINTS: &[&str] = &[
    "a", "an", "and", "at", "by", "for", "from", "image", "in", "into", "key", "name", "named", "of", "on",
    "path", "reference", "sandbox", "the", "to", "volume", "with",
];

/// The kind of a segment and the operation that it names.
pub(super) fn describe<'a>(part: Part<'_, 'a>) -> (LinkKind, Vec<(Fact, Text<'a>)>) {
    let value = part.as_str();
    if value == "client rate limiter Wait returned an error" {
        let words = part.slice(0.."client rate limiter Wait".len());
        return (LinkKind::Operation, vec![words.fact(Fact::Operation)]);
    }
    for lead in LEADS {
        let Some(head) = value.get(..lead.len()) else {
            continue;
        };
        if !head.eq_ignore_ascii_case(lead) {
            continue;
        }
        let rest = part.from(lead.len());
        if *lead == "error " && !first_word(rest).ends_with("ing") {
            continue;
        }
        let words = without_object(rest);
        if !words.is_empty() {
            return (LinkKind::Operation, vec![words.fact(Fact::Operation)]);
        }
    }
    if let Some(words) = part.strip_suffix(" failed")
        && !words.is_empty()
        && !words.as_str().contains(['"', '(', '['])
    {
        return (LinkKind::Operation, vec![words.fact(Fact::Operation)]);
    }
    (LinkKind::Other, Vec::new())
}

fn first_word<'c>(part: Part<'c, '_>) -> &'c str {
    part.as_str().split(' ').next().unwrap_or("")
}

/// The words up to the first quoted, bracketed or path-like one, without what leads to it.
fn without_object<'c, 'a>(part: Part<'c, 'a>) -> Part<'c, 'a> {
    let value = part.as_str();
    let names = |word: &str| {
        word.starts_with(['"', '\\', '\'', '`', '(', '[', '{', '/']) || word.contains(['/', ':', '='])
    };
    let Some(first) = part.words().find(|word| names(word.as_str())) else {
        return part.trim_end();
    };
    let mut words = part
        .slice(0..first.range().start - part.range().start)
        .trim_end();
    let quoted = !first.as_str().starts_with(['(', '[', '{']);
    while quoted
        && let Some(last) = words.words().next_back()
        && words.as_str().len() > last.as_str().len()
        && (JOINTS.contains(&last.as_str()) || Subject::is_kind_word(last.as_str()))
        && !(last.as_str() == "sandbox" && is_verb_only(words))
        && !is_verb_only(words)
    {
        words = words
            .slice(0..last.range().start - words.range().start)
            .trim_end();
    }
    let _ = value;
    words
}

/// Whether only a verb and one more word are left: `pull image`.
fn is_verb_only(words: Part<'_, '_>) -> bool {
    let mut all = words.words();
    let last = all.next_back();
    all.nth(1).is_none()
        && last.is_some_and(|last| !matches!(last.as_str(), "for" | "of" | "to" | "from" | "in" | "on" | "at" | "with" | "the" | "a"))
}
