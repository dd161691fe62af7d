//! Which words may stand in a text, told by a hash of four bytes of it: most words that are asked for do not, and that
//! is seen without a search.

use memchr::memmem::Finder;

/// The bytes of a word by which it is told, before it is searched for, that it does not stand.
const MARK: usize = 4;
/// The bits of their hashes: few enough to be forgotten for each record.
const MARK_BITS: u32 = 12;

/// Which marks stand in texts.
pub(crate) struct Marks([u64; 1 << (MARK_BITS - 6)]);

impl Marks {
    /// Those of texts. Made once for all words that are asked for.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut marks = Marks([0; 1 << (MARK_BITS - 6)]);
        for text in texts {
            for window in text.windows(MARK).filter_map(<[u8]>::first_chunk) {
                let mark = usize::from(mark(*window));
                marks.0[mark / 64 % marks.0.len()] |= 1 << (mark % 64);
            }
        }
        marks
    }

    fn has(&self, mark: u16) -> bool {
        let mark = usize::from(mark);
        self.0[mark / 64 % self.0.len()] >> (mark % 64) & 1 != 0
    }
}

fn mark(bytes: [u8; MARK]) -> u16 {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> (32 - MARK_BITS)) as u16
}

/// A word to search for, with the marks of its start and end.
#[derive(Debug)]
pub(crate) struct Word {
    finder: Finder<'static>,
    marks: Option<[u16; 2]>,
}

impl Word {
    pub fn new(word: &str) -> Word {
        let bytes = word.as_bytes();
        let ends = bytes.first_chunk().zip(bytes.last_chunk());
        Word {
            finder: Finder::new(bytes).into_owned(),
            marks: ends.map(|(start, end)| [mark(*start), mark(*end)]),
        }
    }

    /// Whether it may stand in one of the texts that have these marks; if not, it surely does not.
    pub fn may_stand(&self, marks: &Marks) -> bool {
        self.marks
            .is_none_or(|own| own.iter().all(|mark| marks.has(*mark)))
    }

    /// Whether it stands in a text.
    pub fn stands(&self, text: &[u8]) -> bool {
        self.finder.find(text).is_some()
    }

    /// Where it stands in a text.
    pub fn places<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        self.finder.find_iter(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_stands_may_stand(before in "[a-z :]{0,40}", word in "[a-z :é]{1,12}", after in "[a-z :]{0,40}") {
            let text = format!("{before}{word}{after}");
            let word = Word::new(&word);
            prop_assert!(word.stands(text.as_bytes()));
            prop_assert!(word.may_stand(&Marks::of([b"other".as_slice(), text.as_bytes()])));
        }
    }

    #[test]
    fn most_that_does_not_stand_is_refused_unsought() {
        let marks = Marks::of([b"volume claim-3 is bound by another pod of the node".as_slice()]);
        let words = [
            "OOMKilled",
            "no such host",
            "i/o timeout",
            "x509: ",
            "Evicted",
        ];
        let refused = |word: &&&str| !Word::new(word).may_stand(&marks);
        assert_eq!(words.iter().filter(refused).count(), words.len());
        assert!(Word::new("is").may_stand(&marks));
    }
}
