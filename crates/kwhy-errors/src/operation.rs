//! Failed operations, in words that no other recogniser knows.

use super::part::Part;
use super::runtime;
use super::{Fact, LinkKind};
use kwhy_model::{Subject, Text};

/// Words that introduce an operation.
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
    "a", "an", "and", "at", "by", "for", "from", "in", "into", "named", "of", "on", "the", "to",
    "with",
];

/// Returns the kind of a segment and the operation that it names.
pub(super) fn describe<'a>(part: Part<'_, 'a>) -> (LinkKind, Vec<(Fact, Text<'a>)>) {
    let value = part.as_str();
    if value == "client rate limiter Wait returned an error" {
        let words = part.slice(0.."client rate limiter Wait".len());
        return (LinkKind::Operation, vec![words.fact(Fact::Operation)]);
    }
    let part = without_head(part);
    let value = part.as_str();
    for lead in LEADS {
        let Some(head) = value.get(..lead.len()) else {
            continue;
        };
        if !head.eq_ignore_ascii_case(lead) {
            continue;
        }
        let rest = part.from(lead.len());
        if let Some(facts) = synced(rest) {
            return (LinkKind::Operation, facts);
        }
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

/// Returns the part without a package name or the end of klog's header (`controller.go:297] `).
fn without_head<'c, 'a>(part: Part<'c, 'a>) -> Part<'c, 'a> {
    match part.split_once("] ") {
        Some((head, rest)) if runtime::is_source_line(head.as_str()) => rest,
        _ => part.strip_prefix("tls: ").unwrap_or(part),
    }
}

/// Returns true if a word states the kind of the object named next.
fn is_object(word: &str) -> bool {
    matches!(word, "container" | "image" | "sandbox" | "volume") || Subject::is_kind_word(word)
}

/// Recognises the kubelet's `failed to "StartContainer" for "app" with CrashLoopBackOff`
/// (`pkg/kubelet/container/sync_result.go`).
fn synced<'a>(rest: Part<'_, 'a>) -> Option<Vec<(Fact, Text<'a>)>> {
    let (action, target) = rest.strip_prefix("\"")?.split_once("\" for \"")?;
    let mut facts = vec![action.fact(Fact::Operation)];
    if action.as_str().ends_with("Container") {
        let (container, _) = target.split_once("\"")?;
        facts.push(container.fact(Fact::Container));
    }
    Some(facts)
}

fn first_word<'c>(part: Part<'c, '_>) -> &'c str {
    part.as_str().split(' ').next().unwrap_or("")
}

/// Returns the words before the first quoted, bracketed or path-like one, without those that connect them.
fn without_object<'c, 'a>(part: Part<'c, 'a>) -> Part<'c, 'a> {
    let names = |word: &str| {
        word.starts_with(['"', '\\', '\'', '`', '(', '[', '{', '/'])
            || word.contains(['/', ':', '='])
    };
    let Some(first) = part.words().find(|word| names(word.as_str())) else {
        return part.trim_end();
    };
    let mut words = part.ending(first.range().start).trim_end();
    loop {
        let mut all = words.words();
        let (last, before) = (all.next_back(), all.next_back());
        let is_joint = |word: Part<'_, '_>| JOINTS.contains(&word.as_str());
        match (last, before) {
            (Some(last), Some(before))
                if is_joint(last) || is_joint(before) && is_object(last.as_str()) =>
            {
                words = words.ending(last.range().start).trim_end();
            }
            _ => return words,
        }
    }
}
