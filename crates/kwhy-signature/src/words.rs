//! The words that are interchangeable, may be added or may be missing: `words.yaml`.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex_syntax::hir::{Hir, HirKind, Look};

use super::meaning::known;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// Returns the expressions of the classes.
pub(super) fn classes() -> &'static [Hir] {
    static COMPILED: OnceLock<Vec<Hir>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let class = |members: &&[&str]| known(&members.join("|").replace(' ', r"\s+"));
        CLASSES.iter().map(class).collect()
    })
}

/// Returns the number of the slot type with a name.
pub(super) fn type_number(name: &str) -> Option<usize> {
    TYPES.iter().position(|(known, _)| *known == name)
}

/// Returns the expression of a slot type: one of its phrases, as whole words. The start-of-word assertion before them
/// marks them as not to be loosened ([`is_of_type`]), as they already list all wordings.
pub(super) fn of_type(number: usize) -> Hir {
    static COMPILED: OnceLock<Vec<Hir>> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| {
        let any = |(_, members): &(&str, &[&str])| {
            known(&format!(
                r"\b{{start}}(?:{})\b{{end}}",
                members.join("|").replace(' ', r"\s+")
            ))
        };
        TYPES.iter().map(any).collect()
    });
    compiled.get(number).cloned().unwrap_or_else(Hir::fail)
}

/// Returns true if the phrases of a slot type follow.
pub(super) fn is_of_type(before: &Hir) -> bool {
    matches!(before.kind(), HirKind::Look(Look::WordStartAscii))
}

/// Returns the number of letters and digits of a slot type's shortest phrase.
pub(super) fn least_letters(number: usize) -> usize {
    let members = TYPES.get(number).map_or(&[][..], |(_, members)| members);
    let letters = |member: &&str| member.bytes().filter(u8::is_ascii_alphanumeric).count();
    members.iter().map(letters).min().unwrap_or(0)
}

/// Returns the expression of a clause separator with the spaces around it.
pub(super) fn separator() -> &'static Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| {
        let marks: String = SEPARATORS.iter().filter(|mark| **mark != '-').collect();
        known(&format!(r"\s*[{marks}]\s+|\s+-\s+"))
    })
}

/// Returns the expression of an optional word with the space after it.
pub(super) fn gap() -> &'static Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| known(&format!(r"(?:(?:{})\s+)?", GAPS.join("|"))))
}

/// Returns the expression of an optional article with the space after it.
pub(super) fn article() -> &'static Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| known(&format!(r"(?:(?:{})\s+)?", ARTICLES.join("|"))))
}

/// Returns true if a phrase contains words that are neither in a class nor a gap or article: words that report any
/// failure do not identify one.
pub(super) fn has_own_words(phrase: &str) -> bool {
    let words: Vec<&str> = phrase.split_whitespace().collect();
    let mut at = 0;
    let mut own = 0;
    while let Some(word) = words.get(at)
        && own < OWN_LETTERS
    {
        let is_here = |known: &&[&str]| words.get(at..).is_some_and(|rest| rest.starts_with(known));
        let known = no_own_words().get(word).into_iter().flatten();
        let known = known.map(Vec::as_slice).filter(is_here).map(<[_]>::len);
        match known.max() {
            Some(length) => at += length,
            None => {
                own += word.bytes().filter(u8::is_ascii_alphanumeric).count();
                at += 1;
            }
        }
    }
    own >= OWN_LETTERS
}

/// All words of classes, gaps and articles, grouped by their first word.
fn no_own_words() -> &'static HashMap<&'static str, Vec<Vec<&'static str>>> {
    static KNOWN: OnceLock<HashMap<&'static str, Vec<Vec<&'static str>>>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut known: HashMap<_, Vec<_>> = HashMap::new();
        let members = CLASSES.iter().copied().flatten();
        for words in members.chain(GAPS).chain(ARTICLES) {
            let words: Vec<&str> = words.split(' ').collect();
            known.entry(words[0]).or_default().push(words);
        }
        known
    })
}

/// The minimum number of letters by which a phrase is about something.
const OWN_LETTERS: usize = 3;
