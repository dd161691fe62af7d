//! Which conditions a text, reason or kind may fulfil, laid out for a fast look-up.
//!
//! Each condition names texts of which every match holds one. One piece of eight characters of each
//! such text, the one that is rarest among all texts, goes into a table.
//! A text is read once: at each character the next eight are looked up, first in a bitmap and then
//! in the table, and only where the whole text stands its conditions become candidates. The time
//! hardly depends on the number of signatures.
//!
//! The index of the built-in signatures is made by the build script with this same code.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use memchr::memmem;

use super::need::{Need, NeedKind};

/// A leaf condition: the signature's number in the catalogue and the leaf's in the signature.
pub(crate) type Leaf = (u32, u16);

/// The length of a piece in bytes.
const PIECE: usize = 8;

/// The number of bits that tell whether a piece may be in the table.
const BITMAP_BITS: u32 = 16;

/// A word with the conditions that need it.
pub(crate) type Word = (Cow<'static, str>, Cow<'static, [Leaf]>);

/// Finds the leaf conditions worth a full test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub bitmap: Cow<'static, [u64]>,
    /// Pieces in order, each with the number of its phrase.
    pub pieces: Cow<'static, [(u64, u32)]>,
    pub phrases: Cow<'static, [Phrase]>,
    /// Texts too short for a piece, which are searched one by one.
    pub short: Cow<'static, [Word]>,
    /// In order of the words.
    pub reasons: Cow<'static, [Word]>,
    /// In order of the words.
    pub kinds: Cow<'static, [Word]>,
    pub any_event: Cow<'static, [Leaf]>,
    pub any_object: Cow<'static, [Leaf]>,
}

/// A text that conditions need.
#[derive(Clone, Debug)]
pub(crate) struct Phrase {
    pub text: Cow<'static, str>,
    /// Where in the text the piece begins.
    pub offset: usize,
    pub leaves: Cow<'static, [Leaf]>,
}

fn piece(bytes: &[u8]) -> Option<u64> {
    bytes
        .first_chunk::<PIECE>()
        .map(|chunk| u64::from_le_bytes(*chunk))
}

fn slot(piece: u64) -> usize {
    // Fibonacci hashing: the high bits of the product are well mixed
    (piece.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITMAP_BITS)) as usize
}

impl Index {
    /// Lays out what leaf conditions need.
    pub fn new(needs: impl IntoIterator<Item = (Leaf, Need)>) -> Index {
        let mut words: [BTreeMap<String, Vec<Leaf>>; 3] = Default::default();
        let mut any: [Vec<Leaf>; 2] = Default::default();
        for (leaf, need) in needs {
            let group = match need.what {
                NeedKind::Text => &mut words[0],
                NeedKind::Reason => &mut words[1],
                NeedKind::Kind => &mut words[2],
                NeedKind::AnyEvent => {
                    any[0].push(leaf);
                    continue;
                }
                NeedKind::AnyObject => {
                    any[1].push(leaf);
                    continue;
                }
            };
            for word in need.words {
                group.entry(word).or_default().push(leaf);
            }
        }
        let [texts, reasons, kinds] = words;
        let (texts, short): (BTreeMap<_, _>, BTreeMap<_, _>) =
            texts.into_iter().partition(|(text, _)| text.len() >= PIECE);
        let [any_event, any_object] = any;
        let sorted = |words: BTreeMap<String, Vec<Leaf>>| {
            let words = words.into_iter();
            words
                .map(|(word, leaves)| (Cow::Owned(word), Cow::Owned(leaves)))
                .collect()
        };
        let mut index = Index {
            short: Cow::Owned(sorted(short)),
            reasons: Cow::Owned(sorted(reasons)),
            kinds: Cow::Owned(sorted(kinds)),
            any_event: Cow::Owned(any_event),
            any_object: Cow::Owned(any_object),
            ..Index::default()
        };
        index.lay_out(texts);
        index
    }

    fn lay_out(&mut self, texts: BTreeMap<String, Vec<Leaf>>) {
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for text in texts.keys() {
            for piece in text.as_bytes().windows(PIECE).filter_map(piece) {
                *seen.entry(piece).or_default() += 1;
            }
        }
        let mut bitmap = vec![0u64; 1 << (BITMAP_BITS - 6)];
        let mut pieces = Vec::new();
        let mut phrases = Vec::new();
        for (text, leaves) in texts {
            let windows = text.as_bytes().windows(PIECE);
            let choices = windows.filter_map(piece).enumerate();
            let rarest = choices.min_by_key(|(offset, piece)| (seen.get(piece).copied(), *offset));
            let Some((offset, piece)) = rarest else {
                continue;
            };
            let bit = slot(piece);
            bitmap[bit / 64] |= 1 << (bit % 64);
            pieces.push((piece, phrases.len() as u32));
            phrases.push(Phrase {
                text: Cow::Owned(text),
                offset,
                leaves: Cow::Owned(leaves),
            });
        }
        pieces.sort_unstable();
        self.bitmap = Cow::Owned(bitmap);
        self.pieces = Cow::Owned(pieces);
        self.phrases = Cow::Owned(phrases);
    }

    /// Adds the conditions whose text stands in this one, which has single blanks only.
    pub fn text(&self, text: &[u8], into: &mut Vec<Leaf>) {
        for (word, leaves) in self.short.iter() {
            if memmem::find(text, word.as_bytes()).is_some() {
                into.extend(leaves.iter());
            }
        }
        if self.pieces.is_empty() {
            return;
        }
        for (at, window) in text.windows(PIECE).enumerate() {
            let Some(value) = piece(window) else { continue };
            let bit = slot(value);
            if self.bitmap[bit / 64] & (1 << (bit % 64)) == 0 {
                continue;
            }
            let first = self.pieces.partition_point(|(known, _)| *known < value);
            let same = self.pieces[first..]
                .iter()
                .take_while(|(known, _)| *known == value);
            for (_, number) in same {
                let phrase = &self.phrases[*number as usize];
                let stands = at
                    .checked_sub(phrase.offset)
                    .and_then(|start| text.get(start..start + phrase.text.len()))
                    .is_some_and(|there| there == phrase.text.as_bytes());
                if stands {
                    into.extend(phrase.leaves.iter());
                }
            }
        }
    }

    /// Adds the conditions that ask for this reason.
    pub fn reason(&self, reason: &str, into: &mut Vec<Leaf>) {
        into.extend(look_up(&self.reasons, reason));
    }

    /// Adds the conditions that ask for objects of this kind.
    pub fn kind(&self, kind: &str, into: &mut Vec<Leaf>) {
        into.extend(look_up(&self.kinds, kind));
    }
}

fn look_up<'w>(words: &'w [Word], word: &str) -> &'w [Leaf] {
    match words.binary_search_by(|(known, _)| (**known).cmp(word)) {
        Ok(at) => &words[at].1,
        Err(_) => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(text: &str) -> Vec<Leaf> {
        let need = |words: &[&str]| Need {
            what: NeedKind::Text,
            words: words.iter().map(ToString::to_string).collect(),
        };
        let needs = [
            ((0, 0), need(&["is not found here"])),
            ((1, 0), need(&["is not found"])),
        ];
        let mut found = Vec::new();
        Index::new(needs).text(text.as_bytes(), &mut found);
        found.sort_unstable();
        found
    }

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        assert_eq!(
            candidates("volume \"x\" is not found here"),
            [(0, 0), (1, 0)]
        );
        assert_eq!(candidates("is not found"), [(1, 0)]);
        assert!(candidates("is not foun").is_empty());
        assert!(candidates("").is_empty());
    }
}
