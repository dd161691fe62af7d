//! A set of literals that are searched for all at once.

use std::sync::OnceLock;

use super::qgram::{MIN_LITERAL, QGramIndex};
use super::short::ShortLiterals;
use super::texts::Texts;

/// An occurrence of a literal in a haystack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiteralHit {
    /// The byte offset at which it starts.
    pub at: usize,
    /// The literal's number.
    pub literal: u32,
}

/// A set of literals of any length. A literal without capitals matches in any case, one with capitals only as written.
///
/// Literals are numbered from 0 in the given order. The fields are public so that a build script can write a set out as
/// a constant.
#[derive(Clone, Debug, Default)]
pub struct LiteralSet {
    /// The index of the literals that are long enough.
    pub qgrams: QGramIndex,
    /// The literals by number.
    pub literals: Texts,
    /// The compiled search for the other literals; built on first use.
    pub short: OnceLock<ShortLiterals>,
}

impl LiteralSet {
    /// Builds a set of literals. The index prefers q-grams that are rare in `sample`, a piece of a typical haystack.
    pub fn new<L: AsRef<str>>(literals: impl IntoIterator<Item = L>, sample: &[u8]) -> LiteralSet {
        let literals: Texts = literals.into_iter().collect();
        LiteralSet {
            qgrams: QGramIndex::new(literals.iter(), sample),
            literals,
            short: OnceLock::new(),
        }
    }

    /// Returns this set extended by the literals of another one, which are numbered after its own.
    #[must_use]
    pub fn joined(&self, other: &LiteralSet) -> LiteralSet {
        let mut literals = self.literals.clone();
        literals.extend(other.literals.iter());
        LiteralSet {
            qgrams: self
                .qgrams
                .joined(&other.qgrams, self.literals.len() as u32),
            literals,
            short: OnceLock::new(),
        }
    }

    /// Calls `found` for each occurrence of a literal in a haystack, in no particular order. Short literals are
    /// reported only if `wanted` accepts them.
    pub fn find_all(
        &self,
        haystack: &[u8],
        wanted: impl Fn(&str) -> bool,
        mut found: impl FnMut(LiteralHit),
    ) {
        self.qgrams.candidates(haystack, |at, number| {
            let literal = self.literals.bytes(number as usize);
            if literal.is_some_and(|literal| starts_with(&haystack[at..], literal)) {
                found(LiteralHit {
                    at,
                    literal: number,
                });
            }
        });
        let short = self.short.get_or_init(|| {
            let all = (0..).zip(self.literals.iter());
            let short = |literal: &&str| literal.len() < MIN_LITERAL && !literal.is_empty();
            ShortLiterals::new(all.filter(|(_, literal)| short(literal)))
        });
        short.find_all(haystack, |at, number| {
            let literal = self.literals.get(number as usize);
            if literal.is_some_and(|literal| {
                wanted(literal) && starts_with(&haystack[at..], literal.as_bytes())
            }) {
                found(LiteralHit {
                    at,
                    literal: number,
                });
            }
        });
    }
}

/// Returns true if a text starts with a literal, in any case if the literal has no capitals.
fn starts_with(text: &[u8], literal: &[u8]) -> bool {
    text.get(..literal.len()).is_some_and(|there| {
        there == literal
            || there.eq_ignore_ascii_case(literal) && !literal.iter().any(u8::is_ascii_uppercase)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(literals: &[String], haystack: &str) -> Vec<LiteralHit> {
        let mut hits = Vec::new();
        for (literal, text) in (0..).zip(literals) {
            let is_small = text.to_ascii_lowercase() == *text;
            let starts = (0..haystack.len()).filter(|at| {
                let there = haystack.get(*at..*at + text.len());
                there.is_some_and(|there| match is_small {
                    true => there.to_ascii_lowercase() == *text,
                    false => there == text,
                })
            });
            hits.extend(starts.map(|at| LiteralHit { at, literal }));
        }
        hits.sort_unstable();
        hits
    }

    fn hits(set: &LiteralSet, haystack: &str) -> Vec<LiteralHit> {
        let mut hits = Vec::new();
        set.find_all(haystack.as_bytes(), |_| true, |hit| hits.push(hit));
        hits.sort_unstable();
        hits
    }

    proptest! {
        /// The haystacks are long enough to be probed in rounds.
        #[test]
        fn every_occurrence_is_found_once(
            literals in prop::collection::vec("[abA]{1,4}|[a-c BC]{10,14}|[abcAB]{14,24}", 1..24),
            fillers in prop::collection::vec("[a-c ABC]{0,40}|[x-z {@]{0,300}", 1..24),
            upper in prop::bool::ANY,
            sample in "[a-c ]{0,200}",
        ) {
            let mut haystack = String::new();
            for (number, filler) in fillers.iter().enumerate() {
                haystack += filler;
                let literal = &literals[number % literals.len()];
                haystack += &if upper { literal.to_ascii_uppercase() } else { literal.clone() };
            }
            let wanted = naive(&literals, &haystack);
            let whole = LiteralSet::new(literals.clone(), sample.as_bytes());
            prop_assert_eq!(&hits(&whole, &haystack), &wanted);
            let (some, others) = literals.split_at(literals.len() / 2);
            let joined = LiteralSet::new(some.to_vec(), b"")
                .joined(&LiteralSet::new(others.to_vec(), sample.as_bytes()));
            prop_assert_eq!(&hits(&joined, &haystack), &wanted);
        }
    }
}
