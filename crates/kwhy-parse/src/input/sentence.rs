//! Line breaks within a sentence that the words alone reveal, whatever the width of the lines: an error broken by
//! hand, or in a document with nothing else to measure by.
//!
//! The text before the break must be unfinished, or the text after it must be unable to start a line. The surrounding
//! lines may rule this out: two lines that start with the same word are a list, two keys are a map.

use super::wrap::{UNFINISHED, is_key, width};
use crate::plain::reports_failure;

/// The minimum width in characters at which a line that ends in any of [`UNFINISHED`] counts as broken. A shorter one
/// may be a value: `paused: no`.
const LONG: usize = 60;

/// The minimum width of a line that a quoted name continues.
const MIDDLE: usize = 40;

/// The minimum width of a line that ends between two words.
const SHORT: usize = 20;

/// Words that never end a line deliberately.
const NEVER_LAST: &[&str] = &[
    "a", "an", "and", "are", "because", "been", "but", "by", "cannot", "could", "did", "does",
    "for", "from", "had", "has", "have", "if", "into", "of", "or", "that", "the", "to", "was",
    "were", "when", "which", "while", "will", "with", "would",
];

/// Words before a colon that start an additional line of an error.
const ADDITIONS: &[&str] = &[
    "caused", "cause", "code", "detail", "details", "exit", "help", "hint", "message", "note",
    "output", "reason", "see", "status", "stderr", "stdout", "type", "usage",
];

/// Pairs of words typical of errors, whose second word does not start a line.
const PAIRS: &[(&str, &str)] = &[
    ("access", "denied"),
    ("already", "exists"),
    ("being", "used"),
    ("connection", "refused"),
    ("connection", "reset"),
    ("container", "process"),
    ("context", "canceled"),
    ("deadline", "exceeded"),
    ("exec", "format"),
    ("format", "error"),
    ("i/o", "timeout"),
    ("not", "allowed"),
    ("not", "authorized"),
    ("not", "found"),
    ("permission", "denied"),
    ("quota", "exceeded"),
    ("secret", "key"),
    ("timed", "out"),
    ("unknown", "authority"),
];

/// Returns true if the words around a break are one of the [`PAIRS`].
fn is_pair(before: &str, line: &str) -> bool {
    let word = line.split(|c: char| !c.is_ascii_alphabetic()).next();
    let last = last_word(before);
    PAIRS
        .iter()
        .any(|(one, two)| *one == last && word == Some(two))
}

/// Returns true if `line` continues the sentence at the end of `before`; `after` is the line after it.
pub(super) fn is_broken(before: &str, line: &str, after: &str) -> bool {
    let bare = line.trim();
    let wide = width(before);
    if wide < SHORT {
        return false;
    }
    if is_pair(before, bare) && !begins_alike(bare, after) {
        return true;
    }
    if !bare.contains(' ') {
        return false;
    }
    let last = last_word(before);
    let is_lower = bare.starts_with(|c: char| c.is_ascii_lowercase());
    let may_continue = is_lower || bare.starts_with(['"', '\'', '(']);
    let is_unfinished = NEVER_LAST.contains(&last) || (wide >= LONG && UNFINISHED.contains(&last));
    if is_unfinished && may_continue && !begins_alike(bare, after) {
        return true;
    }
    // the cause of an error is on a line of its own
    let names_cause = ["\":", "\" :"]
        .iter()
        .any(|end| before.trim_end().ends_with(end));
    if names_cause && is_lower && reports_failure(before) && !is_key(bare) {
        return true;
    }
    wide >= MIDDLE
        && is_name_in_sentence(bare)
        && before.contains(": ")
        && reports_failure_together(before, bare)
        && !after.trim_start().starts_with('"')
}

/// Returns true if a line of a multi-line message continues the sentence of the previous line.
pub(crate) fn is_continued(before: &str, line: &str) -> bool {
    let (before, bare) = (before.trim_end(), line.trim());
    if before.ends_with([':', ',', '=', '(', '[']) || NEVER_LAST.contains(&last_word(before)) {
        return true;
    }
    let first = bare.split_whitespace().next().unwrap_or("");
    let is_middle = bare.starts_with(|c: char| c.is_ascii_lowercase() || c == '"');
    let is_own =
        matches!(first, "at" | "goroutine") || is_key(bare) || first.contains('=') || first == bare;
    is_middle && !is_own && !before.ends_with(['.', ';', '!', '?', '}'])
}

/// Returns true if a word before a colon is part of a sentence rather than a key or a program's name: the
/// text before the break leads up to it, and no other key is near.
pub(super) fn is_word_before_colon(first: &str, before: &str, line: &str, after: &str) -> bool {
    let bare = line.trim();
    if !before.trim_end().ends_with(',') && !is_pair(before, bare) {
        return false;
    }
    let key = bare.split(':').next().unwrap_or("");
    let is_word = key.len() > 2 && key.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word
        && !ADDITIONS.contains(&key)
        && bare.len() > key.len() + 1
        && first.contains(": ")
        && !is_key(first.trim())
        && reports_failure_together(first, bare)
        && !is_key(after.trim())
}

fn last_word(line: &str) -> &str {
    line.trim_end()
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or("")
}

fn reports_failure_together(one: &str, other: &str) -> bool {
    reports_failure(one) || reports_failure(other) || other.contains("not ")
}

/// Returns true if two lines start with the same word, as list items do.
fn begins_alike(line: &str, after: &str) -> bool {
    let mut words = after.split_whitespace();
    words
        .next()
        .is_some_and(|word| line.split_whitespace().next() == Some(word))
}

/// Returns true if a text is a quoted name followed by its predicate: `"crane" not found`.
fn is_name_in_sentence(bare: &str) -> bool {
    let said = bare
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'))
        .filter(|(name, _)| !name.is_empty() && !name.contains(' '))
        .map(|(_, said)| said);
    said.and_then(|said| said.strip_prefix(' '))
        .is_some_and(|said| said.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::super::wrap::breaks;

    fn joined(text: &str) -> String {
        let mut text = text.to_owned();
        for range in breaks(&text).into_iter().rev() {
            text.replace_range(range, " ");
        }
        text
    }

    #[test]
    fn sentences_are_joined_at_any_width() {
        for text in [
            "error: the harbour must be asked by the\ncrane (Unknown)\n",
            "Error: crane has no papers and\nload will be refused\n",
            "Lift.SetUp failed for crane \"north\" : load\n\"harbour-papers\" not found\n",
            "failed to lift \"quay.example.com/north:7\":\nberth is not free\n",
            "failed to stop crane \"<id>\": failed to end lift \"<id>\": the deadline\nexceeded: unknown\n",
            "exec /usr/bin/lift: format\nerror\n",
            "lift of crane 7: connection\nrefused by it\n",
            "exec /usr/bin/lift: exec\nformat error\n",
            "Lift.SetUp failed for crane \"north\" :\nload \"papers\" not found\n",
            "Lift.SetUp failed for crane \"north\" : references non-existent secret\nkey: papers.txt\n",
            "Error lifting: load \"north-5c9d-\" is forbidden: exceeded berths: quay-berths,\nrequested: cranes=2, used: cranes=9, limited: cranes=10\n",
            "Failed to lift load \"quay.example.com/north:7\": rpc error: code = Unknown desc = Error from the harbour: papers of quay.example.com/north:7 not\nfound: papers unknown: papers unknown\n",
        ] {
            assert_eq!(joined(text).lines().count(), 1, "{text}");
        }
    }

    #[test]
    fn lines_of_their_own_stay() {
        for text in [
            // values
            "paused: no\nlifts are seven\n",
            "the tide is on\nlifts: 7\n",
            // a list
            "error: some of the lifts failed for the\nlift 7 is broken\nlift 8 is broken\n",
            "Lift.SetUp failed for crane \"north\" : these loads\n\"papers\" not found\n\"oil\" not found\n",
            "failed to stop crane \"<id>\": failed to end lift \"<id>\": context of the berth\nname: north\nload: 7\n",
            "name: lift of the crane \"<id>\" failed, as it has no papers: context of the berth\nload: seven crates\n",
            // additions to an error, and a level
            "failed to stop crane \"<id>\": failed to end lift \"<id>\": context of the berth\nhint: ask the harbour\n",
            "failed to stop crane \"<id>\": failed to end lift \"<id>\": context of the berth\nwarning: the harbour is closed\n",
            "lift \"http://north:8080/\": the deadline is over (Crane.Timeout exceeded)\ncurl: (28) lift timed out after 5001 ms\n",
            "lift \"http://north:8080/\": connection refused, so that no crane is there\nnslookup: can't find north\n",
            "the state of the connection\nrefusals: 7, all by north\n",
            // items, commands, records, a new sentence
            "error: the harbour must be asked by the\n- crane\n",
            "error: the harbour must be asked by the\n$ crane get\n",
            "error: the harbour must be asked by the\nE0304 05:06:07.123456       1 crane.go:88] no berth\n",
            "error: the harbour must be asked by the\nCrane of the north\n",
            // text without a space is not a sentence
            "failed to lift \"quay.example.com/north:7\":\nnorth\n",
            "the lift of the north quay has failed: it is old\n\"papers\": \"none\", \"load\": 7\n",
        ] {
            assert_eq!(joined(text), text);
        }
    }
}
