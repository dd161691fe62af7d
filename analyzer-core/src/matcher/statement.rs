//! Whether a sentence states what it names: `the pod was OOMKilled`, and not `no pod was OOMKilled`,
//! `to avoid that it is OOMKilled` or `it may be OOMKilled`.

use std::ops::Range;

/// The number of words beside a phrase that may deny it.
const BESIDE: usize = 3;

/// The marks after which another sentence or clause starts.
const ENDS: [&str; 11] = [
    ". ", "? ", "! ", "; ", ", ", "\n", "。", "？", "！", "；", "，",
];

/// Words before a phrase by which it is not there, may be, or should be kept away.
const NOT_STATED: [&str; 30] = [
    "any",
    "avoid",
    "avoiding",
    "avoids",
    "can",
    "could",
    "don't",
    "fix",
    "fixed",
    "fixes",
    "if",
    "like",
    "may",
    "might",
    "never",
    "no",
    "not",
    "nor",
    "prevent",
    "preventing",
    "prevents",
    "should",
    "solve",
    "solved",
    "unless",
    "wasn't",
    "isn't",
    "without",
    "would",
    "zero",
];

/// Words after a phrase by which it is over, or none.
const OVER: [&str; 9] = [
    "0", "false", "fixed", "gone", "no", "none", "null", "resolved", "solved",
];

/// Words before which `if` makes a condition of the whole clause.
const CONDITIONS: [&str; 4] = ["if", "unless", "如果", "避免"];

/// Returns true if the sentence around a range of a text states what the range says.
pub(super) fn is_stated(text: &str, range: Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or("");
    let after = text.get(range.end..).unwrap_or("");
    let start = ENDS
        .iter()
        .filter_map(|end| Some(before.rfind(end)? + end.len()))
        .max();
    let clause = before.get(start.unwrap_or(0)..).unwrap_or("");
    let end = ENDS.iter().filter_map(|end| after.find(end)).min();
    let behind = after.get(..end.unwrap_or(after.len())).unwrap_or("");
    let is_one_of =
        |words: &[&str], word: &str| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let mut near = words(clause).rev().take(BESIDE);
    let is_denied = near.any(|word| is_one_of(&NOT_STATED, word));
    let is_condition = words(clause)
        .next()
        .is_some_and(|first| CONDITIONS.iter().any(|known| starts_with(first, known)));
    let is_over = words(behind)
        .take(BESIDE)
        .any(|word| is_one_of(&OVER, word));
    !is_denied && !is_condition && !is_over
}

/// The words of a text, without the marks around them.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\'';
    text.split_whitespace()
        .map(move |word| word.trim_matches(is_mark))
        .filter(|word| !word.is_empty())
}

/// Returns true if a word is this one, or starts with it where no space separates words.
fn starts_with(word: &str, known: &str) -> bool {
    match known.is_ascii() {
        true => word.eq_ignore_ascii_case(known),
        false => word.starts_with(known),
    }
}

#[cfg(test)]
mod tests {
    use super::is_stated;

    fn states(text: &str) -> bool {
        let start = text.find("OOMKilled").expect("the phrase");
        is_stated(text, start..start + "OOMKilled".len())
    }

    #[test]
    fn statements() {
        for text in [
            "OOMKilled",
            "the crane was OOMKilled",
            "When we lift boxes, the crane is `OOMKilled` again.",
            "It does not start. The crane is OOMKilled",
            "no box is lifted, crane OOMKilled with exit code 137",
            "If we lift boxes, the crane is OOMKilled",
            "起重机被OOMKilled了",
        ] {
            assert!(states(text), "{text}");
        }
    }

    #[test]
    fn no_statements() {
        for text in [
            "no crane was OOMKilled",
            "the crane was not OOMKilled",
            "the crane may be OOMKilled",
            "give it more memory to avoid OOMKilled cranes",
            "if the crane is OOMKilled",
            "It happens: unless the crane is lifted and OOMKilled",
            "OOMKilled: 0",
            "OOMKilled is fixed",
            "如果起重机被 OOMKilled",
        ] {
            assert!(!states(text), "{text}");
        }
    }
}
