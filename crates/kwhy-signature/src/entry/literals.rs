//! Determines the texts by which an entry is found before it is parsed: each entry that matches a term contains one of
//! them.

use std::sync::LazyLock;

use kwhy_prefilter::MIN_LITERAL;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use crate::case;
use crate::literals::flat;

/// The minimum length of a text that is searched for.
const SHORTEST: usize = 3;

/// The maximum number of texts that are searched for per term.
const MOST: usize = 16;

/// The maximum number of characters of a class that are expanded to separate texts.
const MOST_CHARACTERS: usize = 4;

/// The maximum length in bytes of a text that is searched for: longer ones are no rarer.
const LONGEST: usize = 64;

/// A tab, and the first characters of the escapes that envelopes use for it: `\t`, `#011`, `%09`, `&#9;`.
const TAB: [&str; 5] = ["\t", "\\", "#", "%", "&"];

/// Returns true if no envelope escapes a character.
fn is_plain(c: char) -> bool {
    (c.is_ascii_graphic() || c == ' ') && !"\"\\<>&".contains(c)
}

/// Returns the longest part of a text that no envelope escapes.
pub(super) fn plain_part(text: &str) -> String {
    let parts = text.split(|c| !is_plain(c)).map(|part| part.trim());
    let longest = parts.max_by_key(|part| part.len()).unwrap_or_default();
    longest
        .get(..LONGEST)
        .unwrap_or(longest)
        .trim_end()
        .to_owned()
}

/// Returns a set of texts, if each of them is long enough to be searched for; otherwise an empty one.
pub(super) fn best(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort_unstable();
    texts.dedup();
    let is_usable = texts.len() <= MOST && texts.iter().all(|text| text.len() >= SHORTEST);
    if is_usable { texts } else { Vec::new() }
}

/// Words of at least five letters that occur in at least 0.5 % of the lines that healthy components print, sorted.
static COMMON_WORDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("common_words.txt").lines().collect());

/// The minimum length of a text that is rarer than a common word.
const RARE: usize = 5;

/// Returns true if a text is just a word that most logs contain.
fn is_common(text: &str) -> bool {
    let word = text.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let word = word.to_ascii_lowercase();
    COMMON_WORDS.binary_search(&word.as_str()).is_ok()
}

/// Returns the set of texts that is the better indicator of a match.
fn better(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    let rank = |texts: &Vec<String>| {
        let shortest = texts.iter().map(String::len).min().unwrap_or(0);
        let few = std::cmp::Reverse(texts.len());
        let is_frequent = |text: &&String| text.len() < RARE || is_common(text);
        let frequent = std::cmp::Reverse(texts.iter().filter(is_frequent).count());
        let is_some = !texts.is_empty();
        (
            is_some,
            frequent,
            shortest >= MIN_LITERAL,
            shortest.min(24),
            few,
        )
    };
    if rank(&other) > rank(&one) {
        other
    } else {
        one
    }
}

/// The texts that a piece of an expression matches.
#[derive(Clone)]
struct Exact {
    texts: Vec<String>,
    /// True if their letters may be of either case.
    folded: bool,
}

impl Exact {
    fn one(text: &str) -> Exact {
        Exact {
            texts: vec![text.to_owned()],
            folded: false,
        }
    }

    /// Returns each text followed by each text of another piece; `None` if there are too many.
    fn then(&self, other: &Exact) -> Option<Exact> {
        if self.texts.len() * other.texts.len() > MOST {
            return None;
        }
        let texts = self.texts.iter();
        let both = texts.flat_map(|one| other.texts.iter().map(move |next| one.clone() + next));
        Some(Exact {
            texts: both.collect(),
            folded: self.folded || other.folded,
        })
    }

    /// Returns the texts of all given pieces; `None` if there are too many.
    fn any(pieces: impl Iterator<Item = Option<Exact>>) -> Option<Exact> {
        let each: Vec<Exact> = pieces.collect::<Option<_>>()?;
        let all = Exact {
            folded: each.iter().any(|one| one.folded),
            texts: each.into_iter().flat_map(|one| one.texts).collect(),
        };
        (all.texts.len() <= MOST).then_some(all)
    }

    /// Returns the texts to search for: those without capitals match in any case.
    fn needed(&self) -> Vec<String> {
        best(self.texts.iter().map(|text| match self.folded {
            true => plain_part(&text.to_ascii_lowercase()),
            false => plain_part(text),
        }))
    }
}

/// Returns texts one of which every match of an expression contains; empty if none are known.
pub(super) fn required(hir: &Hir) -> Vec<String> {
    let mut parts = Vec::new();
    flat(std::slice::from_ref(hir), &mut parts);
    let mut found: Vec<String> = Vec::new();
    // the texts that the last adjacent parts match
    let mut run = Exact::one("");
    for part in parts {
        if is_empty(part) {
            continue;
        }
        let own = exact(part);
        if let Some(joined) = own.as_ref().and_then(|own| run.then(own)) {
            run = joined;
            continue;
        }
        let longer = edge(part, Edge::Start).and_then(|start| run.then(&start));
        found = better(found, longer.as_ref().unwrap_or(&run).needed());
        run = match own {
            Some(own) => own,
            None => {
                found = better(found, inner(part));
                edge(part, Edge::End).unwrap_or(Exact::one(""))
            }
        };
    }
    better(found, run.needed())
}

/// An end of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

/// Returns the texts with one of which each match of a part starts or ends; `None` if there are too many.
fn edge(part: &Hir, edge: Edge) -> Option<Exact> {
    match part.kind() {
        HirKind::Repetition(repeated) if repeated.min > 0 => self::edge(&repeated.sub, edge),
        HirKind::Capture(group) => self::edge(&group.sub, edge),
        HirKind::Alternation(parts) => Exact::any(parts.iter().map(|part| self::edge(part, edge))),
        HirKind::Concat(parts) => {
            let mut parts: Vec<&Hir> = parts.iter().filter(|part| !is_empty(part)).collect();
            if edge == Edge::End {
                parts.reverse();
            }
            let mut run = Exact::one("");
            for part in parts {
                let own = exact(part);
                let next = own.clone().or_else(|| self::edge(part, edge));
                let longer = next.and_then(|next| match edge {
                    Edge::Start => run.then(&next),
                    Edge::End => next.then(&run),
                });
                match longer {
                    Some(longer) => run = longer,
                    None => break,
                }
                if own.is_none() {
                    break;
                }
            }
            (!run.texts.iter().any(String::is_empty)).then_some(run)
        }
        _ => exact(part),
    }
}

/// Returns the number of literal characters that a match requires.
pub(super) fn weight(hir: &Hir) -> usize {
    crate::literals::weight_of(&case::mapped(hir, &of_one_case))
}

/// Returns lower-case words that a match requires: for one of the alternatives, it contains a word of each list.
pub(super) fn demanded(hir: &Hir) -> Vec<Vec<Vec<String>>> {
    let mut parts = Vec::new();
    flat(std::slice::from_ref(hir), &mut parts);
    parts.retain(|part| !is_empty(part));
    let alternatives = match parts.as_slice() {
        [alone] => match alone.kind() {
            HirKind::Alternation(parts) => parts.as_slice(),
            _ => std::slice::from_ref(hir),
        },
        _ => std::slice::from_ref(hir),
    };
    let words = |part| {
        let lists = crate::literals::demanded(&case::mapped(part, &of_one_case));
        let small =
            |words: Vec<String>| words.iter().map(|word| word.to_ascii_lowercase()).collect();
        let mut lists: Vec<Vec<String>> = lists.into_iter().map(small).collect();
        if crate::literals::required_byte(part, |byte| *byte == b'\t').is_some() {
            lists.push(TAB.map(str::to_owned).to_vec());
        }
        lists
    };
    alternatives.iter().map(words).collect()
}

/// Returns true if an expression matches only the empty text.
fn is_empty(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Look(_) | HirKind::Empty)
}

/// Returns texts one of which every match of a part of a concatenation contains.
fn inner(part: &Hir) -> Vec<String> {
    match part.kind() {
        HirKind::Repetition(repeated) if repeated.min > 0 => required(&repeated.sub),
        HirKind::Capture(group) => required(&group.sub),
        HirKind::Alternation(parts) => {
            let each: Vec<Vec<String>> = parts.iter().map(required).collect();
            match each.iter().any(Vec::is_empty) {
                true => Vec::new(),
                false => each.concat(),
            }
        }
        HirKind::Concat(_) => required(part),
        _ => Vec::new(),
    }
}

/// Returns the lower-case letter of a class that consists of one letter in both cases.
fn letter_of_any_case(class: &ClassUnicode) -> Option<char> {
    match class.ranges() {
        [large, small]
            if large.start() == large.end()
                && small.start() == small.end()
                && large.start().is_ascii_uppercase()
                && large.start().to_ascii_lowercase() == small.start() =>
        {
            Some(small.start())
        }
        _ => None,
    }
}

/// Returns a literal or class, with a class of one letter in both cases replaced by a literal.
fn of_one_case(hir: &Hir) -> Hir {
    let letter = match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => letter_of_any_case(class),
        _ => None,
    };
    letter.map_or_else(|| hir.clone(), |small| Hir::literal([small as u8]))
}

/// Returns the texts that an expression matches; `None` if there are too many.
fn exact(hir: &Hir) -> Option<Exact> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(Exact::one(std::str::from_utf8(&literal.0).ok()?)),
        HirKind::Class(Class::Unicode(class)) => {
            let all = class.ranges().iter().flat_map(|r| r.start()..=r.end());
            let characters: Vec<char> = all.take(MOST_CHARACTERS + 1).collect();
            if let Some(small) = letter_of_any_case(class) {
                return Some(Exact {
                    texts: vec![small.to_string()],
                    folded: true,
                });
            }
            match characters.as_slice() {
                few if few.len() <= MOST_CHARACTERS => Some(Exact {
                    texts: few.iter().map(char::to_string).collect(),
                    folded: false,
                }),
                _ => None,
            }
        }
        HirKind::Alternation(parts) => Exact::any(parts.iter().map(exact)),
        HirKind::Concat(parts) => {
            let mut parts = parts.iter().filter(|part| !is_empty(part));
            parts.try_fold(Exact::one(""), |run, part| run.then(&exact(part)?))
        }
        HirKind::Capture(group) => exact(&group.sub),
        HirKind::Repetition(repeated) if repeated.min == 0 && repeated.max == Some(1) => {
            let mut own = exact(&repeated.sub)?;
            own.texts.push(String::new());
            (own.texts.len() <= MOST).then_some(own)
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Repetition(_) => None,
        HirKind::Look(_) | HirKind::Empty => Some(Exact::one("")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::re2::parse;
    use super::*;

    /// Expressions of all kinds from which texts are taken, without anchors.
    const SOURCES: [&str; 12] = [
        "shelf=(4[0-9]{2}|7[0-9]+)",
        "(ab[0-9]+cd)+ lost",
        "(\\w+ed|was) lost (at|in) sea",
        "crate (x[0-9])?lost",
        "(oven|quay)s?: (cold|wet|no (flour|rye))",
        "[Cc]rate [A-Z]+ (of|in) [a-d]{1,3}",
        "(a|bc){2,3}(shelf|box)?end",
        "Shelf .* (Bare|empty now)",
        "(oven cold|quay [0-9]{1,4} wet|no such crate)",
        "x?y?crate[0-9]z?",
        "((lost|found) )*crate (and|or) box",
        "KIOSK (closed|[0-9]+ open)",
    ];

    proptest! {
        #[test]
        fn a_match_has_what_is_looked_for(
            (source, text) in (0..SOURCES.len()).prop_flat_map(|at| {
                let texts = proptest::string::string_regex(SOURCES[at]).unwrap();
                (Just(SOURCES[at]), texts)
            }),
            any_case in any::<bool>(),
        ) {
            let (source, text) = match any_case {
                true => (format!("(?i){source}"), text.to_ascii_uppercase()),
                false => (source.to_owned(), text),
            };
            let hir = parse(&source).unwrap();
            let small = text.to_ascii_lowercase();
            let holds = |word: &String| small.contains(&word.to_ascii_lowercase());
            let texts = required(&hir);
            prop_assert!(texts.is_empty() || texts.iter().any(holds), "{source} {text} {texts:?}");
            let alternatives = demanded(&hir);
            let occurs = |lists: &Vec<Vec<String>>| lists.iter().all(|words| words.iter().any(holds));
            prop_assert!(alternatives.iter().any(occurs), "{source} {text} {alternatives:?}");
        }
    }

    #[test]
    fn common_words_are_those_of_typical_lines() {
        let lines: Vec<&str> = include_str!("../../../kwhy-catalogue/typical.txt")
            .lines()
            .collect();
        let mut often = std::collections::BTreeMap::<String, usize>::new();
        for line in &lines {
            let line = line.to_ascii_lowercase();
            let words = line.split(|c: char| !c.is_ascii_lowercase());
            let words: std::collections::BTreeSet<&str> =
                words.filter(|word| word.len() >= RARE).collect();
            for word in words {
                *often.entry(word.to_owned()).or_default() += 1;
            }
        }
        let common = often
            .iter()
            .filter(|(_, times)| **times * 200 >= lines.len());
        let common: Vec<&str> = common.map(|(word, _)| word.as_str()).collect();
        assert_eq!(*COMMON_WORDS, common, "write these into common_words.txt");
    }

    #[test]
    fn words_that_a_match_demands() {
        let of = |source: &str| {
            let alternatives = demanded(&parse(source).unwrap());
            let lists = alternatives.iter().map(|lists| {
                let lists = lists.iter().map(|words| words.join("|"));
                lists.collect::<Vec<_>>().join(" ")
            });
            lists.collect::<Vec<_>>().join(" / ")
        };
        for (source, wanted) in [
            (
                "(?i)(Shelf.*Bare|crate of \\d+ lost)",
                "bare shelf / crate lost of",
            ),
            ("Shelf.*(Bare|empty now)", "bare|empty shelf"),
            ("^a|shelf", " / shelf"),
        ] {
            assert_eq!(of(source), wanted, "{source}");
        }
    }

    #[test]
    fn texts_that_every_match_contains() {
        let of = |source: &str| required(&parse(source).unwrap());
        for (source, wanted) in [
            ("shelf is empty", &["shelf is empty"][..]),
            (
                "a\\d+shelf (is|was) bare",
                &["shelf is bare", "shelf was bare"],
            ),
            (
                "oven cold.*shelf of crates is bare",
                &["shelf of crates is bare"],
            ),
            ("(?i)Kiosk Closed", &["kiosk closed"]),
            ("(?i)kiosk.*[0-9]", &["kiosk"]),
            ("kiosk.*container", &["kiosk"]),
            ("container.*lost", &["container"]),
            (
                "(kiosk.*server.*listening|oven.*containers)",
                &["kiosk", "containers"],
            ),
            ("Kiosk (?i)CLOSED", &["kiosk closed"]),
            ("(crate|box)+ \\w+", &["box", "crate"]),
            ("(crate lost)?.*", &[]),
            ("\"level\":\"lost and found\"", &["lost and found"]),
            ("ab|shelf", &[]),
            ("\\d+", &[]),
            ("^lost$", &["lost"]),
            ("shelf=(?:4[0-9]{2}|7[0-9]+)", &["shelf=4", "shelf=7"]),
            ("(a[0-9]+|b\\w+ )lost", &["lost"]),
            ("(\\w+ed|was) lost", &["ed lost", "was lost"]),
            ("crate (x[0-9])?lost", &["crate"]),
            ("(?:ab[0-9]+cd)+ lost", &["cd lost"]),
        ] {
            assert_eq!(of(source), wanted, "{source}");
        }
    }
}
