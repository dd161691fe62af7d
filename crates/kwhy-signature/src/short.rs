//! Finds texts that are too short for [`Grams`](super::grams::Grams), some dozens at once.

use aho_corasick::Span;
use aho_corasick::packed::{Config, MatchKind, Searcher};
use memchr::memmem;

/// How many texts are searched for in one pass: more of them would stop it too often.
const AT_ONCE: usize = 32;

/// The texts, made ready for searching.
#[derive(Clone, Debug, Default)]
pub(crate) struct Short {
    groups: Vec<Group>,
}

/// Texts that are searched for in one pass.
#[derive(Clone, Debug)]
struct Group {
    /// The number of its first text.
    first: u32,
    texts: Vec<Vec<u8>>,
    search: Search,
}

#[derive(Clone, Debug)]
enum Search {
    Packed(Box<Searcher>),
    /// Where the processor cannot do that: one pass for each text.
    Single(Vec<memmem::Finder<'static>>),
}

impl Short {
    /// Makes texts ready, which are numbered from nought on.
    pub fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Short {
        let texts: Vec<Vec<u8>> = texts.map(|text| text.as_bytes().to_vec()).collect();
        let groups = texts.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE));
        let group = |(texts, first): (&[Vec<u8>], u32)| {
            let mut config = Config::new();
            let packed = config.match_kind(MatchKind::LeftmostFirst).builder();
            let packed = packed.clone().extend(texts).build();
            Group {
                first,
                search: match packed {
                    Some(searcher) => Search::Packed(Box::new(searcher)),
                    None => {
                        let finder =
                            |text: &Vec<u8>| memmem::Finder::new(text.as_slice()).into_owned();
                        Search::Single(texts.iter().map(finder).collect())
                    }
                },
                texts: texts.to_vec(),
            }
        };
        Short {
            groups: groups.map(group).collect(),
        }
    }

    /// Calls `found` with each place at which one of the texts stands, and the text's number.
    pub fn sweep(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        for group in &self.groups {
            match &group.search {
                Search::Packed(searcher) => {
                    let mut span = Span::from(0..text.len());
                    while let Some(place) = searcher.find_in(text, span) {
                        let at = place.start();
                        let rest = text.get(at..).unwrap_or_default();
                        // others may begin at the same byte, or within what was found
                        for (number, wanted) in (group.first..).zip(&group.texts) {
                            if rest.starts_with(wanted) {
                                found(at, number);
                            }
                        }
                        span.start = at + 1;
                    }
                }
                Search::Single(finders) => {
                    for (number, finder) in (group.first..).zip(finders) {
                        let mut start = 0;
                        while let Some(at) = finder.find(text.get(start..).unwrap_or_default()) {
                            found(start + at, number);
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
        let mut texts: Vec<String> = ["rror", "rro", "error", "ror x", "aaa", "FATA["]
            .map(str::to_owned)
            .into();
        texts.extend((0..100).map(|number| format!("<{number}>")));
        let short = Short::new(texts.iter().map(String::as_str));
        let text = format!("{}error xaaaaa FATA[ <7><77> <99", "y".repeat(100));
        let mut told = Vec::new();
        short.sweep(text.as_bytes(), |at, number| told.push((at, number)));
        told.sort_unstable();
        let mut wanted = Vec::new();
        for (number, known) in (0..).zip(&texts) {
            let places = (0..text.len()).filter(|at| text[*at..].starts_with(known.as_str()));
            wanted.extend(places.map(|at| (at, number)));
        }
        wanted.sort_unstable();
        assert_eq!(told, wanted);
        assert_eq!(told.len(), 10);
    }

    #[test]
    fn nothing_is_found_where_nothing_is_looked_for() {
        let none = |short: Short, text: &[u8]| short.sweep(text, |at, _| panic!("found at {at}"));
        none(Short::default(), b"error");
        none(Short::new(std::iter::empty()), b"error");
        none(Short::new(["rror"].into_iter()), b"rro");
        none(Short::new(["rror"].into_iter()), b"");
    }
}
