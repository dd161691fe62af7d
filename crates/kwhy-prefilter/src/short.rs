//! A search for the literals that are too short for the [q-gram index](super::qgram::QGramIndex).

use aho_corasick::Span;
use aho_corasick::packed::{Config, MatchKind, Searcher};
use memchr::memmem;

/// The number of bytes of a haystack that are case-folded at a time: they stay in the first-level cache.
const PIECE: usize = 16 * 1024;

/// The maximum length in bytes of a haystack that gets a smaller buffer, such as a message.
const SHORT_TEXT: usize = 1024;

/// The maximum number of literals per pass: Teddy sorts them into eight buckets, and with more than two in a bucket its
/// false positives make one pass slower than two.
const AT_ONCE: usize = 16;

/// Short literals, compiled for searching a few dozen at a time. Matching ignores case.
#[derive(Clone, Debug, Default)]
pub struct ShortLiterals {
    groups: Vec<Group>,
    longest: usize,
}

/// The literals of one pass.
#[derive(Clone, Debug)]
struct Group {
    roots: Vec<Root>,
    search: Search,
}

/// A case-folded text that is searched for, with the literals that contain it: most short literals contain another one.
#[derive(Clone, Debug)]
struct Root {
    text: Vec<u8>,
    literals: Vec<Literal>,
}

/// A literal with its number and the offset of its root within it.
#[derive(Clone, Debug)]
struct Literal {
    number: u32,
    text: Vec<u8>,
    root_at: usize,
}

impl Root {
    /// Calls `found` for the literals that contain the root at an offset of the original haystack.
    fn report(&self, haystack: &[u8], at: usize, found: &mut impl FnMut(usize, u32)) {
        for literal in &self.literals {
            if let Some(start) = at.checked_sub(literal.root_at)
                && let Some(there) = haystack.get(start..start + literal.text.len())
                && there.eq_ignore_ascii_case(&literal.text)
            {
                found(start, literal.number);
            }
        }
    }
}

/// Groups literals under shorter ones that they contain.
fn roots(mut literals: Vec<(u32, Vec<u8>)>) -> Vec<Root> {
    literals.sort_by_key(|(_, text)| text.len());
    let mut roots: Vec<Root> = Vec::new();
    for (number, text) in literals {
        let within = |root: &Root| memmem::find(&text, &root.text);
        let known = roots.iter().position(|root| within(root).is_some());
        let at = known.unwrap_or_else(|| {
            roots.push(Root {
                text: text.clone(),
                literals: Vec::new(),
            });
            roots.len() - 1
        });
        let root = &mut roots[at];
        let root_at = memmem::find(&text, &root.text).unwrap_or(0);
        root.literals.push(Literal {
            number,
            text,
            root_at,
        });
    }
    roots
}

#[derive(Clone, Debug)]
enum Search {
    Packed(Box<Searcher>),
    /// One pass per literal, if the processor lacks vector instructions.
    Single(Vec<memmem::Finder<'static>>),
}

/// Folds case: sets bit 5 in each byte that has bit 6 and is not above `Z`. `@` becomes a backquote, too.
///
/// Works on eight bytes at a time, as a build for size does not vectorise a loop over bytes.
fn fold(text: &[u8], folded: &mut [u8]) {
    let (words, rest) = folded.as_chunks_mut::<8>();
    let (text_words, text_rest) = text.as_chunks::<8>();
    let (fours, last) = words.as_chunks_mut::<4>();
    let (text_fours, text_last) = text_words.as_chunks::<4>();
    for (folded, text) in fours.iter_mut().zip(text_fours) {
        *folded = text.map(fold_word);
    }
    for (folded, text) in last.iter_mut().zip(text_last) {
        *folded = fold_word(*text);
    }
    for (folded, byte) in rest.iter_mut().zip(text_rest) {
        let [first, ..] = fold_word([*byte, 0, 0, 0, 0, 0, 0, 0]);
        *folded = first;
    }
}

#[inline]
fn fold_word(bytes: [u8; 8]) -> [u8; 8] {
    const ALL: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(bytes);
    // bytes above `Z` have 27 or more in their five lowest bits
    let after_z = (word & (0x1f * ALL)) + 5 * ALL;
    (word | word >> 1 & !after_z & (0x20 * ALL)).to_le_bytes()
}

impl ShortLiterals {
    /// Compiles literals, each with the number by which it is reported.
    pub fn new<'t>(literals: impl Iterator<Item = (u32, &'t str)>) -> ShortLiterals {
        let literals =
            literals.map(|(number, literal)| (number, literal.to_ascii_lowercase().into_bytes()));
        let literals: Vec<(u32, Vec<u8>)> = literals.collect();
        let lengths = literals.iter().map(|(_, literal)| literal.len());
        let longest = lengths.max().unwrap_or(0);
        let mut roots = roots(literals);
        for root in &mut roots {
            let text = root.text.clone();
            fold(&text, &mut root.text);
        }
        let group = |roots: &[Root]| {
            let mut config = Config::new();
            let packed = config.match_kind(MatchKind::LeftmostFirst).builder();
            let bytes = roots.iter().map(|root| &root.text);
            let packed = packed.clone().extend(bytes.clone()).build();
            let finder = |text: &Vec<u8>| memmem::Finder::new(text.as_slice()).into_owned();
            Group {
                search: match packed {
                    Some(searcher) => Search::Packed(Box::new(searcher)),
                    None => Search::Single(bytes.map(finder).collect()),
                },
                roots: roots.to_vec(),
            }
        };
        ShortLiterals {
            groups: roots.chunks(AT_ONCE).map(group).collect(),
            longest,
        }
    }

    /// Calls `found` with the offset of each occurrence of a literal, and the literal's number.
    pub fn find_all(&self, haystack: &[u8], found: impl FnMut(usize, u32)) {
        if self.groups.is_empty() {
            return;
        }
        // clearing a large buffer takes longer than searching a short text
        match haystack.len() {
            ..=SHORT_TEXT => self.find_in_pieces::<SHORT_TEXT>(haystack, found),
            _ => self.find_in_pieces::<PIECE>(haystack, found),
        }
    }

    fn find_in_pieces<const SIZE: usize>(
        &self,
        haystack: &[u8],
        mut found: impl FnMut(usize, u32),
    ) {
        let mut folded = [0; SIZE];
        let overlap = self.longest.min(SIZE / 2).saturating_sub(1);
        let mut start = 0;
        loop {
            let rest = haystack.get(start..).unwrap_or_default();
            let rest = &rest[..rest.len().min(SIZE)];
            let piece = &mut folded[..rest.len()];
            fold(rest, piece);
            // occurrences that start in the overlap are found in the next piece
            let is_last = start + rest.len() >= haystack.len();
            let end = piece.len() - if is_last { 0 } else { overlap };
            self.find_in(piece, rest, |at, number| {
                if at < end {
                    found(start + at, number);
                }
            });
            if is_last {
                return;
            }
            start += end;
        }
    }

    /// Finds literals in a folded haystack, and compares candidates with the original.
    fn find_in(&self, folded: &[u8], haystack: &[u8], mut found: impl FnMut(usize, u32)) {
        for group in &self.groups {
            match &group.search {
                Search::Packed(searcher) => {
                    let mut span = Span::from(0..folded.len());
                    while let Some(place) = searcher.find_in(folded, span) {
                        let at = place.start();
                        // other roots may start at the same byte, or within this one
                        let rest = folded.get(at..).unwrap_or_default();
                        let roots = group.roots.iter();
                        for root in roots.filter(|root| rest.starts_with(&root.text)) {
                            root.report(haystack, at, &mut found);
                        }
                        span.start = at + 1;
                    }
                }
                Search::Single(finders) => {
                    for (root, finder) in group.roots.iter().zip(finders) {
                        let mut start = 0;
                        while let Some(at) = finder.find(folded.get(start..).unwrap_or_default()) {
                            root.report(haystack, start + at, &mut found);
                            start += at + 1;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_of_each_text_is_found() {
        let mut texts: Vec<String> = ["rror", "rro", "error", "ror x", "aaa", "FATA[", "{{", "@@"]
            .map(str::to_owned)
            .into();
        texts.extend((0..100).map(|number| format!("<{number}>")));
        let short = ShortLiterals::new((0..).zip(texts.iter().map(String::as_str)));
        let text = format!(
            "{}eRRor xaaAaa FATA[ FATA{{ [[ `` @@ <7><77> <99",
            "y".repeat(100)
        );
        let mut found = Vec::new();
        short.find_all(text.as_bytes(), |at, number| found.push((at, number)));
        found.sort_unstable();
        let mut wanted = Vec::new();
        for (number, known) in (0..).zip(&texts) {
            let is_at = |at: &usize| {
                let there = text.as_bytes().get(*at..*at + known.len());
                there.is_some_and(|there| there.eq_ignore_ascii_case(known.as_bytes()))
            };
            let places = (0..text.len()).filter(is_at);
            wanted.extend(places.map(|at| (at, number)));
        }
        wanted.sort_unstable();
        assert_eq!(found, wanted);
        assert_eq!(found.len(), 11);
    }

    #[test]
    fn a_place_across_two_pieces_is_found_once() {
        let short = ShortLiterals::new([(0, "error"), (1, "panic: x")].into_iter());
        for before in PIECE - 12..PIECE + 4 {
            let text = format!("{}Error panic: X{}", "y".repeat(before), "z".repeat(PIECE));
            let mut found = Vec::new();
            short.find_all(text.as_bytes(), |at, number| found.push((at, number)));
            assert_eq!(found, [(before, 0), (before + 6, 1)]);
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is_looked_for() {
        let none = |short: ShortLiterals, text: &[u8]| {
            short.find_all(text, |at, _| panic!("found at {at}"))
        };
        none(ShortLiterals::default(), b"error");
        none(ShortLiterals::new(std::iter::empty()), b"error");
        none(ShortLiterals::new([(0, "rror")].into_iter()), b"rro");
        none(ShortLiterals::new([(0, "rror")].into_iter()), b"");
    }
}
