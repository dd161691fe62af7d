//! A search for thousands of short texts that needs next to no preparation.

use std::cmp::Ordering;

use super::texts::Texts;

/// The number of leading bytes of a text that are looked up in the bitmap.
const LEAD: usize = 4;

/// The number of bits of a lead's hash: the bitmap takes 4 KiB and stays in the first-level cache.
const BITS: u32 = 15;

/// The bit that distinguishes an upper-case letter from a lower-case one, in each byte of a lead.
const CASE: u32 = 0x2020_2020;

/// Finds which of some sorted lower-case texts occur in a haystack, in any case, at every place. A bitmap of their first
/// bytes refuses most places; at the others the texts are found by binary search.
///
/// Building an automaton for as many texts takes longer than searching hundreds of records.
#[derive(Clone, Debug)]
pub struct WordStarts {
    bitmap: Box<[u64; 1 << (BITS - 6)]>,
}

fn slot(lead: [u8; LEAD]) -> usize {
    let lead = u32::from_le_bytes(lead) | CASE;
    (lead.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}

/// Returns the first bytes of a text, zero-padded.
fn lead(text: &[u8]) -> [u8; LEAD] {
    text.first_chunk().copied().unwrap_or_else(|| {
        let mut lead = [0; LEAD];
        lead[..text.len()].copy_from_slice(text);
        lead
    })
}

impl WordStarts {
    /// Prepares a search for texts in lower case, which must be sorted.
    pub fn new(texts: &Texts) -> WordStarts {
        let mut bitmap = Box::new([0; 1 << (BITS - 6)]);
        for text in texts.iter().map(str::as_bytes) {
            let mut start = lead(text);
            match text.len() {
                // never reported
                0 => {}
                1..=2 => bitmap.fill(u64::MAX),
                // any byte may follow
                3 => (0..=u8::MAX).for_each(|next| {
                    start[3] = next;
                    bitmap[slot(start) / 64] |= 1 << (slot(start) % 64);
                }),
                _ => bitmap[slot(start) / 64] |= 1 << (slot(start) % 64),
            }
        }
        WordStarts { bitmap }
    }

    /// Calls `found` with the number of each text that occurs, once for each place; `texts` are those that the search was
    /// prepared for. The empty text is not reported.
    pub fn find_all(&self, texts: &Texts, haystack: &[u8], mut found: impl FnMut(usize)) {
        for at in 0..haystack.len() {
            let rest = &haystack[at..];
            let slot = slot(lead(rest));
            if self.bitmap[slot / 64] >> (slot % 64) & 1 != 0 {
                prefixes(texts, rest, &mut found);
            }
        }
    }
}

/// Calls `found` with the number of each text that `rest` starts with, the longest first.
fn prefixes(texts: &Texts, mut rest: &[u8], found: &mut impl FnMut(usize)) {
    let mut end = texts.len();
    while !rest.is_empty() {
        end = not_after(texts, end, rest);
        let Some(text) = end.checked_sub(1).and_then(|last| texts.bytes(last)) else {
            return;
        };
        let same = |(one, other): &(&u8, &u8)| other.eq_ignore_ascii_case(one);
        let common = text.iter().zip(rest).take_while(same).count();
        // shorter texts that `rest` starts with are in this common part, too
        rest = &rest[..common];
        if common == text.len() && common > 0 {
            end -= 1;
            found(end);
            rest = &rest[..common - 1];
        }
    }
}

/// Returns the number of texts, of the first `end`, that are not sorted after `rest`.
fn not_after(texts: &Texts, end: usize, rest: &[u8]) -> usize {
    let (mut from, mut to) = (0, end);
    while from < to {
        let middle = from.midpoint(to);
        let text = texts.bytes(middle).unwrap_or_default();
        let rest = rest.iter().map(u8::to_ascii_lowercase);
        match text.iter().copied().cmp(rest) {
            Ordering::Greater => to = middle,
            Ordering::Less | Ordering::Equal => from = middle + 1,
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_occurrence_is_found(
            texts in prop::collection::btree_set("[ab'é ]{0,7}", 0..40),
            haystack in "[abAB'é@ ]{0,200}",
        ) {
            let texts: Texts = texts.into_iter().collect();
            let mut found = Vec::new();
            let starts = WordStarts::new(&texts);
            starts.find_all(&texts, haystack.as_bytes(), |number| found.push(number));
            let folded = haystack.to_ascii_lowercase();
            let places = |text: &str| (0..folded.len()).filter(|at| {
                !text.is_empty() && folded.as_bytes()[*at..].starts_with(text.as_bytes())
            }).count();
            let mut wanted = Vec::new();
            for (number, text) in texts.iter().enumerate() {
                wanted.extend(std::iter::repeat_n(number, places(text)));
            }
            found.sort_unstable();
            prop_assert_eq!(found, wanted);
        }
    }
}
