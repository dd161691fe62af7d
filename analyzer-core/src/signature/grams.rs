//! Finds many texts in a large one by sampling it.
//!
//! Of each text a window is chosen, and all grams that begin at the window's first [`STRIDE`] bytes
//! go into a hash table with a bitmap before it. The large text is read at every `STRIDE`-th byte
//! only: one load, one multiplication, one bit. Where the window stands, one of these places is
//! the beginning of one of its grams, so each occurrence is found, and found once. The time hardly
//! depends on the number of texts.
//!
//! Texts of twelve bytes and more are found by grams of eight bytes, shorter ones by grams of four.

use std::borrow::Cow;
use std::collections::HashMap;

/// Each so manieth byte of the large text is looked at.
pub(crate) const STRIDE: usize = 5;

/// The shortest text that can be found.
pub(crate) const SHORTEST: usize = SHORT + STRIDE - 1;

/// The bytes of a gram of the shorter texts.
const SHORT: usize = 4;
/// The bytes of a gram of the longer texts.
const LONG: usize = 8;
/// The shortest text that is found by long grams.
const LEAST_LONG: usize = LONG + STRIDE - 1;

/// The bits of a hash of a long gram: the bitmap takes 32 KiB, which stay in the first-level cache.
const LONG_BITS: u32 = 18;
/// The bits of a hash of a short gram: there are few, and the bitmap takes 8 KiB.
const SHORT_BITS: u32 = 16;
/// The bits of a hash that choose the chain of entries.
const HEAD_BITS: u32 = 14;

/// How many places are looked at in one round: enough to keep the processor busy.
const ROUND: usize = 4;
/// The bytes that a round reads.
const READ: usize = (ROUND - 1) * STRIDE + LONG;

/// A gram: its value, the number of its text, and where in the text it stands.
pub(crate) type Entry = (u64, u32, u32);

/// The grams of many texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grams {
    pub long: Table,
    pub short: Table,
}

/// The grams of one length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Which hashes occur.
    pub bitmap: Cow<'static, [u64]>,
    /// For each head of a hash the number of its first entry; one more at the end.
    pub heads: Cow<'static, [u32]>,
    /// In order of the heads of their hashes.
    pub entries: Cow<'static, [Entry]>,
}

fn hash(gram: u64) -> u64 {
    // Fibonacci hashing: the high bits of the product are well mixed
    gram.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn long_slot(gram: u64) -> usize {
    (hash(gram) >> (64 - LONG_BITS)) as usize
}

fn short_slot(gram: u64) -> usize {
    (hash(gram & 0xffff_ffff) >> (64 - SHORT_BITS)) as usize
}

fn head(gram: u64) -> usize {
    (hash(gram) >> (64 - HEAD_BITS)) as usize
}

/// The gram of `length` bytes at the start of `bytes`, if there are so many.
fn gram(bytes: &[u8], length: usize) -> Option<u64> {
    let mut word = [0; LONG];
    word.get_mut(..length)?
        .copy_from_slice(bytes.get(..length)?);
    Some(u64::from_le_bytes(word))
}

impl Table {
    fn new(mut entries: Vec<Entry>, bits: u32) -> Table {
        if entries.is_empty() {
            return Table::default();
        }
        entries.sort_unstable_by_key(|(gram, text, at)| (head(*gram), *gram, *text, *at));
        let mut table = Table {
            bitmap: Cow::Owned(vec![0; 1 << (bits - 6)]),
            ..Table::default()
        };
        table.lay_out(entries, bits);
        table
    }

    /// Fills the table with entries in order of their heads.
    fn lay_out(&mut self, entries: Vec<Entry>, bits: u32) {
        let bitmap = self.bitmap.to_mut();
        bitmap.resize(1 << (bits - 6), 0);
        let mut heads = vec![0u32; (1 << HEAD_BITS) + 1];
        for (gram, _, _) in &entries {
            let slot = (hash(*gram) >> (64 - bits)) as usize;
            bitmap[slot / 64] |= 1 << (slot % 64);
            heads[head(*gram) + 1] += 1;
        }
        let mut before = 0;
        for head in &mut heads {
            before += *head;
            *head = before;
        }
        self.heads = Cow::Owned(heads);
        self.entries = Cow::Owned(entries);
    }

    /// This table with the entries of another one, whose texts are numbered from `shift` on.
    fn joined(&self, other: &Table, shift: u32, bits: u32) -> Table {
        if other.entries.is_empty() {
            return self.clone();
        }
        let shifted = |&(gram, text, at): &Entry| (gram, text + shift, at);
        let mut mine = self.entries.iter().copied().peekable();
        let mut theirs = other.entries.iter().map(shifted).peekable();
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        while let Some(next) = mine.peek() {
            while let Some(other) = theirs.next_if(|other| head(other.0) < head(next.0)) {
                entries.push(other);
            }
            entries.extend(mine.next());
        }
        entries.extend(theirs);
        let mut table = Table {
            bitmap: self.bitmap.clone(),
            ..Table::default()
        };
        table.lay_out(entries, bits);
        table
    }

    fn entries_of(&self, gram: u64) -> &[Entry] {
        let head = head(gram);
        match self.heads.get(head..head + 2) {
            Some(&[from, to]) => self
                .entries
                .get(from as usize..to as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }

    #[inline(never)]
    fn each(&self, gram: u64, at: usize, found: &mut dyn FnMut(usize, u32)) {
        for &(known, text, offset) in self.entries_of(gram) {
            if known == gram
                && let Some(start) = at.checked_sub(offset as usize)
            {
                found(start, text);
            }
        }
    }
}

impl Grams {
    /// The grams of texts; a text shorter than [`SHORTEST`] is never found.
    pub fn new<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Grams {
        let mut shared: HashMap<u64, u32> = HashMap::new();
        for text in texts.clone() {
            let length = gram_length(text);
            for window in text.as_bytes().windows(length) {
                *shared.entry(gram(window, length).unwrap_or(0)).or_default() += 1;
            }
        }
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (number, text) in (0..).zip(texts) {
            if text.len() < SHORTEST {
                continue;
            }
            let length = gram_length(text);
            let start = rarest_window(text.as_bytes(), length, &shared);
            let into = if length == LONG {
                &mut long
            } else {
                &mut short
            };
            into.extend((start..start + STRIDE).filter_map(|at| {
                let gram = gram(text.as_bytes().get(at..)?, length)?;
                Some((gram, number, at as u32))
            }));
        }
        Grams {
            long: Table::new(long, LONG_BITS),
            short: Table::new(short, SHORT_BITS),
        }
    }

    /// These grams and those of other texts, which are numbered from `shift` on.
    pub fn joined(&self, other: &Grams, shift: u32) -> Grams {
        Grams {
            long: self.long.joined(&other.long, shift, LONG_BITS),
            short: self.short.joined(&other.short, shift, SHORT_BITS),
        }
    }

    /// Calls `found` with each place at which a text may begin, and the text's number. Whether it
    /// does begin there, the caller must see.
    pub fn sweep(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        static NO_LONG: [u64; 1 << (LONG_BITS - 6)] = [0; 1 << (LONG_BITS - 6)];
        static NO_SHORT: [u64; 1 << (SHORT_BITS - 6)] = [0; 1 << (SHORT_BITS - 6)];
        // arrays of a known length need no check of each place
        let long: &[u64; 1 << (LONG_BITS - 6)] =
            (&*self.long.bitmap).try_into().unwrap_or(&NO_LONG);
        let short: &[u64; 1 << (SHORT_BITS - 6)] =
            (&*self.short.bitmap).try_into().unwrap_or(&NO_SHORT);
        let is_long = |word: u64| {
            let slot = long_slot(word);
            long[slot / 64] >> (slot % 64)
        };
        let is_short = |word: u64| {
            let slot = short_slot(word);
            short[slot / 64] >> (slot % 64)
        };
        let mut at = 0;
        while let Some(read) = text.get(at..).and_then(|rest| rest.first_chunk::<READ>()) {
            let word = |k: usize| {
                let bytes = &read[k * STRIDE..k * STRIDE + LONG];
                bytes.try_into().map_or(0, u64::from_le_bytes)
            };
            let words: [u64; ROUND] = [word(0), word(1), word(2), word(3)];
            let longs = is_long(words[0]) | is_long(words[1]) | is_long(words[2]) | is_long(words[3]);
            let shorts =
                is_short(words[0]) | is_short(words[1]) | is_short(words[2]) | is_short(words[3]);
            if longs & 1 != 0 {
                for (k, word) in words.into_iter().enumerate() {
                    if is_long(word) & 1 != 0 {
                        self.long.each(word, at + k * STRIDE, &mut found);
                    }
                }
            }
            if shorts & 1 != 0 {
                for (k, word) in words.into_iter().enumerate() {
                    if is_short(word) & 1 != 0 {
                        self.short.each(word & 0xffff_ffff, at + k * STRIDE, &mut found);
                    }
                }
            }
            at += ROUND * STRIDE;
        }
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(word) = gram(rest, LONG) {
                self.long.each(word, at, &mut found);
            }
            if let Some(word) = gram(rest, SHORT) {
                self.short.each(word, at, &mut found);
            }
            at += STRIDE;
        }
    }
}

fn gram_length(text: &str) -> usize {
    if text.len() >= LEAST_LONG { LONG } else { SHORT }
}

/// Where in a text the window begins whose grams are the rarest, as far as can be told.
fn rarest_window(text: &[u8], length: usize, shared: &HashMap<u64, u32>) -> usize {
    let common = |b: &u8| b.is_ascii_lowercase() || *b == b' ';
    let cost = |start: usize| -> u32 {
        let grams = text[start..start + STRIDE + length - 1].windows(length);
        grams
            .map(|window| {
                let shared = gram(window, length).and_then(|gram| shared.get(&gram));
                // words in small letters are found in any text
                let plain = window.iter().filter(|b| common(b)).count() as u32;
                4 * shared.copied().unwrap_or(0) + plain
            })
            .sum()
    };
    (0..=text.len() - (STRIDE + length - 1))
        .min_by_key(|start| (cost(*start), *start))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] = [
        "is not found here",
        "is not found",
        "refused!",
        "refused by",
        "connection refused by peer",
        "short",
    ];

    fn found(grams: &Grams, texts: &[&str], text: &str) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        grams.sweep(text.as_bytes(), |at, number| {
            if text[at..].starts_with(texts[number as usize]) {
                found.push((at, number));
            }
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn each_occurrence_is_found_once_wherever_it_stands() {
        let grams = Grams::new(TEXTS.iter().copied());
        for before in 0..40 {
            for after in 0..12 {
                let text = format!(
                    "{}connection refused by peer is not found here{}",
                    "x".repeat(before),
                    "y".repeat(after)
                );
                let at = before + "connection refused by peer ".len();
                let wanted = [(before, 4), (before + 11, 3), (at, 0), (at, 1)];
                assert_eq!(found(&grams, &TEXTS, &text), wanted);
            }
        }
        assert!(found(&grams, &TEXTS, "is not foun").is_empty());
        assert!(found(&grams, &TEXTS, "").is_empty());
        assert!(found(&Grams::default(), &TEXTS, "is not found here, refused!").is_empty());
    }

    #[test]
    fn joined_tables_find_what_both_find() {
        let (some, others) = TEXTS.split_at(2);
        let joined = Grams::new(some.iter().copied())
            .joined(&Grams::new(others.iter().copied()), some.len() as u32);
        let text = "refused! connection refused by peer, is not found here";
        let whole = Grams::new(TEXTS.iter().copied());
        assert_eq!(found(&joined, &TEXTS, text), found(&whole, &TEXTS, text));
        assert_eq!(found(&joined, &TEXTS, text).len(), 5);
    }
}
