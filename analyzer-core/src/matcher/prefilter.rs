//! Which conditions an event or object may fulfil, told from a few words in it.
//!
//! Each condition names a text that every match holds, of at least eight characters. One piece of
//! eight characters of each such text, the one that is rarest among all texts, goes into a table.
//! An event's text is read once: at each character the next eight are looked up, first in a
//! bitmap and then in the table, and only a text that stands there as a whole makes its condition
//! a candidate. The time hardly depends on the number of signatures.

use std::collections::HashMap;

use crate::model::{Event, Object, Text};
use crate::signature::{Catalogue, Need, NeedKind, SHORTEST_PHRASE};

/// A leaf condition: the signature's number in the catalogue and the leaf's in the signature.
pub(crate) type Leaf = (u32, u16);

/// The number of bits that tell whether a piece may be in the table.
const BITMAP_BITS: u32 = 16;

/// Finds the leaf conditions worth a full test.
#[derive(Debug, Default)]
pub(crate) struct Prefilter {
    bitmap: Vec<u64>,
    /// Pieces in order, each with the number of its phrase.
    pieces: Vec<(u64, u32)>,
    phrases: Vec<Phrase>,
    reasons: HashMap<String, Vec<Leaf>>,
    kinds: HashMap<String, Vec<Leaf>>,
    any_event: Vec<Leaf>,
    any_object: Vec<Leaf>,
}

#[derive(Debug)]
struct Phrase {
    text: String,
    /// Where in the text the piece begins.
    offset: usize,
    leaves: Vec<Leaf>,
}

fn piece(bytes: &[u8]) -> Option<u64> {
    bytes
        .first_chunk::<SHORTEST_PHRASE>()
        .map(|chunk| u64::from_le_bytes(*chunk))
}

fn slot(piece: u64) -> usize {
    // Fibonacci hashing: the high bits of the product are well mixed
    (piece.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITMAP_BITS)) as usize
}

impl Prefilter {
    /// For all signatures of a catalogue.
    pub fn new(catalogue: &Catalogue) -> Prefilter {
        let mut filter = Prefilter::default();
        let mut phrases: HashMap<String, Vec<Leaf>> = HashMap::new();
        for (number, needs) in (0..).zip(catalogue.needs()) {
            for (leaf, need) in (0..).zip(needs) {
                filter.add((number, leaf), need, &mut phrases);
            }
        }
        filter.lay_out(phrases);
        filter
    }

    fn add(&mut self, leaf: Leaf, need: &Need, phrases: &mut HashMap<String, Vec<Leaf>>) {
        let words = need.words.iter().map(|word| word.to_string());
        match need.what {
            NeedKind::Text => words.for_each(|word| phrases.entry(word).or_default().push(leaf)),
            NeedKind::Reason => {
                words.for_each(|word| self.reasons.entry(word).or_default().push(leaf));
            }
            NeedKind::Kind => words.for_each(|word| self.kinds.entry(word).or_default().push(leaf)),
            NeedKind::AnyEvent => self.any_event.push(leaf),
            NeedKind::AnyObject => self.any_object.push(leaf),
        }
    }

    fn lay_out(&mut self, phrases: HashMap<String, Vec<Leaf>>) {
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for text in phrases.keys() {
            for window in text.as_bytes().windows(SHORTEST_PHRASE) {
                *seen.entry(piece(window).unwrap_or_default()).or_default() += 1;
            }
        }
        self.bitmap = vec![0; 1 << (BITMAP_BITS - 6)];
        for (text, leaves) in phrases {
            let windows = text.as_bytes().windows(SHORTEST_PHRASE).enumerate();
            let rarity = |window: &[u8]| piece(window).and_then(|piece| seen.get(&piece).copied());
            let rarest = windows.min_by_key(|(offset, window)| (rarity(window), *offset));
            let Some((offset, value)) =
                rarest.and_then(|(offset, window)| Some((offset, piece(window)?)))
            else {
                continue;
            };
            let bit = slot(value);
            self.bitmap[bit / 64] |= 1 << (bit % 64);
            self.pieces.push((value, self.phrases.len() as u32));
            self.phrases.push(Phrase {
                text,
                offset,
                leaves,
            });
        }
        self.pieces.sort_unstable();
    }

    /// The leaf conditions that an event may fulfil, in order, each once.
    pub fn event(&self, event: &Event<'_>, texts: &[Text<'_>], into: &mut Vec<Leaf>) {
        into.clear();
        into.extend(&self.any_event);
        if let Some(leaves) = event
            .reason
            .as_ref()
            .and_then(|it| self.reasons.get(it.as_str()))
        {
            into.extend(leaves);
        }
        for text in texts {
            let text = text.as_str();
            if is_folded(text) {
                self.sweep(text.as_bytes(), into);
            } else {
                let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
                self.sweep(folded.as_bytes(), into);
            }
        }
        into.sort_unstable();
        into.dedup();
    }

    /// The leaf conditions that an object may fulfil, in order.
    pub fn object(&self, object: &Object<'_>, into: &mut Vec<Leaf>) {
        into.clear();
        into.extend(&self.any_object);
        if let Some(leaves) = object
            .subject
            .kind
            .as_ref()
            .and_then(|kind| self.kinds.get(kind))
        {
            into.extend(leaves);
        }
        into.sort_unstable();
        into.dedup();
    }

    fn sweep(&self, text: &[u8], into: &mut Vec<Leaf>) {
        for (at, window) in text.windows(SHORTEST_PHRASE).enumerate() {
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
                    into.extend(&phrase.leaves);
                }
            }
        }
    }
}

/// Whether all blanks of a text stand alone.
fn is_folded(text: &str) -> bool {
    let blank = |b: u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let other = |b: &u8| blank(*b) && *b != b' ';
    !bytes.iter().any(other) && !bytes.windows(2).any(|pair| pair == b"  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Format;

    fn candidates(text: &str) -> Vec<String> {
        let mut catalogue = Catalogue::empty();
        for (id, message) in [
            ("a", "volume \"{v}\" is not found here"),
            ("b", "is not found"),
        ] {
            let yaml = format!(
                "id: {id}\ncause: api/conflict\nseverity: info\ntitle: x\nmatch:\n  event: {{message: '{message}'}}\nwhy: x\n"
            );
            catalogue.add_str("x.yaml", &yaml).unwrap();
        }
        let filter = Prefilter::new(&catalogue);
        let event = Event::new(Format::Plain, 0..0, Text::borrowed(text, 0));
        let mut found = Vec::new();
        filter.event(&event, std::slice::from_ref(&event.message), &mut found);
        found
            .iter()
            .map(|(number, _)| catalogue.at(*number as usize).id.clone())
            .collect()
    }

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        assert_eq!(candidates("volume \"x\" is not found here"), ["a", "b"]);
        assert_eq!(candidates("is not found"), ["b"]);
        assert_eq!(candidates("it  is\n not   found"), ["b"]);
        assert!(candidates("is not foun").is_empty());
        assert!(candidates("").is_empty());
    }
}
