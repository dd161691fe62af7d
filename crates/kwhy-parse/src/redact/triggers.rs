//! Finds any of some texts, in any case.
//!
//! Where none of them starts is seen by three bytes, four places at once: nearly all of a text is passed over by that.

use kwhy_model::Span;

/// The bits of a hash that a slot has.
const BITS: u32 = 13;

/// The number of slots.
const SLOTS: usize = 1 << BITS;

/// The places that are looked at at once.
const AT_ONCE: usize = 4;

/// Texts that are looked for. At each place the first one of those that start there is found.
pub(super) struct Triggers {
    /// By the hash of three bytes, the number of a list of texts that start with them, counted from 1.
    slots: Box<[u16; SLOTS]>,
    /// The numbers of texts, in their order.
    lists: Vec<Vec<u16>>,
    texts: Vec<Vec<u8>>,
}

/// The slot of three of eight bytes, from one of the first on; the same for capitals and small letters.
fn slot(bytes: u64, from: usize) -> usize {
    const SMALL: u64 = 0x2020_2020_2020_2020;
    const THREE: usize = 3;
    let last_three = (bytes | SMALL) << (8 * (size_of::<u64>() - THREE - from));
    let three = last_three & (u64::MAX << (8 * (size_of::<u64>() - THREE)));
    (three.wrapping_mul(0x9E_3779) >> (u64::BITS - BITS)) as usize
}

impl Triggers {
    /// Of texts of two bytes or more.
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
            // of a text of two bytes any other may follow
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

    /// The texts that occur in another one, each after the end of the one before, with their numbers.
    pub fn find<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, Span)> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (number, span) = self.next(text, at)?;
            at = span.end;
            Some((number, span))
        })
    }

    /// The first text from a byte on.
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

    /// The first text of a list that starts at a byte.
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

/// Eight bytes of a text; zeros follow its end.
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
