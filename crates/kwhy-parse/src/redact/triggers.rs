//! Searches a text for any of several literals, ignoring case.
//!
//! A hash of three bytes shows whether a literal may start at an offset, tested for four offsets at a time: this skips
//! nearly all of a text.

use kwhy_model::Span;

/// The number of bits of a slot's index.
const BITS: u32 = 13;

/// The number of slots.
const SLOTS: usize = 1 << BITS;

/// The number of offsets tested at a time.
const AT_ONCE: usize = 4;

/// A set of literals. At each offset, the first literal in the set that matches is found.
pub(super) struct Triggers {
    /// For each hash of three bytes, the one-based index of the list of literals that start with them, or 0.
    slots: Box<[u16; SLOTS]>,
    /// Lists of indices of literals, in ascending order.
    lists: Vec<Vec<u16>>,
    texts: Vec<Vec<u8>>,
}

/// Returns the slot of three bytes at `from` in a group of eight, ignoring case.
fn slot(bytes: u64, from: usize) -> usize {
    const SMALL: u64 = 0x2020_2020_2020_2020;
    const THREE: usize = 3;
    let last_three = (bytes | SMALL) << (8 * (size_of::<u64>() - THREE - from));
    let three = last_three & (u64::MAX << (8 * (size_of::<u64>() - THREE)));
    (three.wrapping_mul(0x9E_3779) >> (u64::BITS - BITS)) as usize
}

impl Triggers {
    /// Creates a set of literals of at least two bytes.
    pub fn new(texts: impl Iterator<Item = Vec<u8>>) -> Triggers {
        let mut triggers = Triggers {
            slots: Box::new([0; SLOTS]),
            lists: Vec::new(),
            texts: texts.collect(),
        };
        for (number, text) in (0u16..).zip(&triggers.texts) {
            let start = |third: u8| {
                let of = |at: usize| text.get(at).copied().unwrap_or(third);
                slot(u64::from_le_bytes([of(0), of(1), of(2), 0, 0, 0, 0, 0]), 0)
            };
            // any byte may follow a literal of two bytes
            let last = if text.len() > 2 { 0 } else { u8::MAX };
            for third in 0..=last {
                let Some(slot) = triggers.slots.get_mut(start(third)) else {
                    continue;
                };
                if *slot == 0 {
                    triggers.lists.push(Vec::new());
                    *slot = u16::try_from(triggers.lists.len()).unwrap_or(0);
                }
                let list = triggers.lists.get_mut(usize::from(*slot).wrapping_sub(1));
                if let Some(list) = list.filter(|list| list.last() != Some(&number)) {
                    list.push(number);
                }
            }
        }
        triggers
    }

    /// Returns the non-overlapping matches in a text, with the indices of the literals.
    pub fn find<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, Span)> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (number, span) = self.next(text, at)?;
            at = span.end;
            Some((number, span))
        })
    }

    /// Returns the first match at or after an offset.
    fn next(&self, text: &[u8], from: usize) -> Option<(usize, Span)> {
        let mut at = from;
        let slots = &*self.slots;
        let list = |bytes: u64, ahead: usize| slots[slot(bytes, ahead)];
        while at < text.len() {
            let bytes = eight(text, at);
            let any = list(bytes, 0) | list(bytes, 1) | list(bytes, 2) | list(bytes, 3);
            if any != 0 {
                let mut places = 0..AT_ONCE;
                let found = places.find_map(|ahead| self.at(text, at + ahead, list(bytes, ahead)));
                if found.is_some() {
                    return found;
                }
            }
            at += AT_ONCE;
        }
        None
    }

    /// Returns the first literal of a list that matches at an offset.
    fn at(&self, text: &[u8], at: usize, list: u16) -> Option<(usize, Span)> {
        let list = self.lists.get(usize::from(list).checked_sub(1)?)?;
        let is_there = |number: &&u16| {
            let wanted = self.texts.get(usize::from(**number));
            wanted.is_some_and(|wanted| {
                let own = text.get(at..at + wanted.len());
                own.is_some_and(|own| own.eq_ignore_ascii_case(wanted))
            })
        };
        let number = usize::from(*list.iter().find(is_there)?);
        Some((number, at..at + self.texts.get(number)?.len()))
    }
}

/// Returns eight bytes of a text, padded with zeros.
fn eight(text: &[u8], at: usize) -> u64 {
    let whole = text.get(at..at + 8).and_then(|all| all.try_into().ok());
    u64::from_le_bytes(whole.unwrap_or_else(|| {
        let rest = text.get(at..).unwrap_or_default();
        std::array::from_fn(|number| rest.get(number).copied().unwrap_or(0))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aho_corasick::{AhoCorasickBuilder, MatchKind};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_an_automaton_finds(
            texts in prop::collection::vec("[a-dS.:/é-]{2,6}", 1..12),
            parts in prop::collection::vec(("[a-dA-DsS.:/éÉ -]{0,5}", any::<prop::sample::Index>(), any::<bool>()), 0..40),
        ) {
            let texts: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
            let mut text = Vec::new();
            for (before, number, in_capitals) in parts {
                text.extend(before.into_bytes());
                let part = number.get(&texts);
                text.extend(if in_capitals { part.to_ascii_uppercase() } else { part.clone() });
            }
            let automaton = AhoCorasickBuilder::new()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostFirst)
                .build(&texts)
                .unwrap();
            let wanted: Vec<_> = automaton
                .find_iter(&text)
                .map(|found| (found.pattern().as_usize(), found.range()))
                .collect();
            let found: Vec<_> = Triggers::new(texts.into_iter()).find(&text).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
