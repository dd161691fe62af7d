//! Finds many texts in a large one by sampling it.
//!
//! Of each text a window is chosen, and all grams of [`GRAM`] bytes that begin at its first [`STRIDE`]
//! bytes go into a hash table with a bitmap before it. The large text is read at every `STRIDE`-th
//! byte only: one load, one multiplication, one bit. Where the window stands, one of these places
//! is the beginning of one of its grams, so each occurrence is found, and found once. The time
//! hardly depends on the number of texts.
//!
//! Where a bit is set the next two bytes are looked at too, if the texts are long enough to tell what
//! they must be; only then the table is.

use std::borrow::Cow;

/// Each so manieth byte of the large text is looked at.
const STRIDE: usize = 5;

/// The bytes of a gram.
const GRAM: usize = 6;

/// The bytes of a word, which is read at once.
const WORD: usize = 8;

/// The shortest text that can be found.
pub(crate) const SHORTEST: usize = GRAM + STRIDE - 1;

/// The bits of the hashes by which grams are counted.
const SEEN_BITS: u32 = 19;

/// How much of a text is looked at to choose a window.
const LONGEST: usize = 4096;

/// The bits of a gram's hash: the bitmap takes 128 KiB, which stay in the second-level cache.
const BITS: u32 = 20;
/// The bits of the hashes that are looked at where a gram's bit is set.
const CLOSER_BITS: u32 = 18;
/// The bits of a hash that choose the chain of entries.
const HEAD_BITS: u32 = 14;

/// How many places are looked at in one round: enough to keep the processor busy.
const ROUND: usize = 4;
/// How many rounds are gone through before what they marked is looked at.
const ROUNDS: usize = 512;
/// The length from which on a text is swept in rounds.
const MANY: usize = 2048;
/// The bytes that a round reads.
const READ: usize = (ROUND - 1) * STRIDE + WORD;

type Bitmap = [u64; 1 << (BITS - 6)];
type Closer = [u64; 1 << (CLOSER_BITS - 6)];

/// A gram: its value, eight other bytes of its text, the text's number, and where in the text the gram and
/// the other bytes stand.
pub(crate) type Entry = (u64, u64, u32, u16, u16);

/// The grams of many texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grams {
    /// Which hashes of grams occur.
    pub bitmap: Cow<'static, [u64]>,
    /// Which hashes of words occur, in texts that are long enough.
    pub words: Cow<'static, [u64]>,
    /// Which hashes of grams occur in the other texts.
    pub lone: Cow<'static, [u64]>,
    /// For each head of a hash the number of its first entry; one more at the end.
    pub heads: Cow<'static, [u32]>,
    /// In order of the heads of their hashes.
    pub entries: Cow<'static, [Entry]>,
}

#[inline]
fn hash(gram: u64) -> u64 {
    // Fibonacci hashing: the high bits of the product are well mixed; the bytes of a word that are
    // not the gram's are shifted out
    (gram << (8 * (WORD - GRAM))).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The slot of a whole word, or of a gram alone.
#[inline]
fn closer_slot(word: u64, whole: bool) -> usize {
    let hash = if whole {
        word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    } else {
        hash(word)
    };
    (hash >> (64 - CLOSER_BITS)) as usize
}

/// The bit of a slot, and what stands before it.
#[inline]
fn bit<const N: usize>(bitmap: &[u64; N], slot: usize) -> u64 {
    // the length is a power of two, and no slot is beyond it
    bitmap[(slot / 64) % N] >> (slot % 64)
}

/// The word at the `k`-th place of a round.
#[inline]
fn word_at(read: &[u8; READ], k: usize) -> u64 {
    let bytes = read.get(k * STRIDE..k * STRIDE + WORD).unwrap_or_default();
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

#[inline]
fn slot(gram: u64) -> usize {
    (hash(gram) >> (64 - BITS)) as usize
}

#[inline]
fn head(gram: u64) -> usize {
    (hash(gram) >> (64 - HEAD_BITS)) as usize
}

/// The first eight bytes, or those that are there.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    // most are: a copy of a known length is one load
    if let Some(word) = bytes.first_chunk() {
        return u64::from_le_bytes(*word);
    }
    let mut word = [0; WORD];
    let length = bytes.len().min(WORD);
    word[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(word)
}

/// The gram at the beginning of a word.
#[inline]
fn gram(word: u64) -> u64 {
    word & ((1 << (8 * GRAM)) - 1)
}

/// About how often grams occur.
struct Seen(Vec<u16>);

impl Seen {
    fn new<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Seen {
        let mut seen = Vec::new();
        for window in texts.flat_map(|text| text.windows(GRAM)) {
            seen.resize(1 << SEEN_BITS, 0);
            let slot = (hash(word(window)) >> (64 - SEEN_BITS)) as usize;
            seen[slot] = u16::saturating_add(seen[slot], 1);
        }
        Seen(seen)
    }

    fn times(&self, gram: &[u8]) -> u32 {
        let slot = (hash(word(gram)) >> (64 - SEEN_BITS)) as usize;
        self.0.get(slot).copied().map_or(0, u32::from)
    }
}

impl Grams {
    /// The grams of texts; a text shorter than [`SHORTEST`] is never found. Those that are rare in
    /// `usual`, a piece of what is searched, are preferred: the search then seldom stops in vain.
    pub fn new<'t>(texts: impl Iterator<Item = &'t str> + Clone, usual: &'t [u8]) -> Grams {
        // without a piece to count in there is no time for it
        let counted = texts.clone().map(str::as_bytes).chain([usual]);
        let seen = Seen::new(counted.filter(|_| !usual.is_empty()));
        let mut grams = Grams::default();
        let mut entries = Vec::new();
        for (number, text) in (0..).zip(texts) {
            // the beginning of a very long text is enough to find it
            let text = &text.as_bytes()[..text.len().min(LONGEST)];
            if text.len() < SHORTEST {
                continue;
            }
            let whole = text.len() >= SHORTEST + WORD - GRAM;
            let start = rarest_window(text, if whole { WORD } else { GRAM }, &seen);
            // many texts begin alike: what is farthest from the window tells most
            let other = if 2 * start + GRAM > text.len() {
                0
            } else {
                text.len() - WORD
            };
            let closer = if whole {
                &mut grams.words
            } else {
                &mut grams.lone
            }
            .to_mut();
            closer.resize(1 << (CLOSER_BITS - 6), 0);
            for at in start..start + STRIDE {
                let slot = closer_slot(word(&text[at..]), whole);
                closer[slot / 64] |= 1 << (slot % 64);
                let gram = word(&text[at..at + GRAM]);
                let check = word(&text[other..]);
                entries.push((gram, check, number, at as u16, other as u16));
            }
        }
        entries.sort_unstable_by_key(|(gram, _, text, at, _)| (head(*gram), *gram, *text, *at));
        grams.lay_out(entries);
        grams
    }

    /// Fills the table with entries in order of their heads.
    fn lay_out(&mut self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let bitmap = self.bitmap.to_mut();
        bitmap.resize(1 << (BITS - 6), 0);
        for closer in [&mut self.words, &mut self.lone] {
            closer.to_mut().resize(1 << (CLOSER_BITS - 6), 0);
        }
        let mut heads = vec![0u32; (1 << HEAD_BITS) + 1];
        for (gram, ..) in &entries {
            let slot = slot(*gram);
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

    /// These grams and those of other texts, which are numbered from `shift` on.
    pub fn joined(&self, other: &Grams, shift: u32) -> Grams {
        let shifted =
            |&(gram, check, text, at, other): &Entry| (gram, check, text + shift, at, other);
        let mut theirs = other.entries.iter().map(shifted).peekable();
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        for &mine in self.entries.iter() {
            while let Some(other) = theirs.next_if(|other| head(other.0) < head(mine.0)) {
                entries.push(other);
            }
            entries.push(mine);
        }
        entries.extend(theirs);
        let either = |mine: &Cow<'static, [u64]>, theirs: &Cow<'static, [u64]>| {
            let mut bits = mine.to_vec();
            bits.resize(mine.len().max(theirs.len()), 0);
            bits.iter_mut()
                .zip(theirs.iter())
                .for_each(|(mine, theirs)| *mine |= theirs);
            Cow::Owned(bits)
        };
        let mut both = Grams {
            bitmap: self.bitmap.clone(),
            words: either(&self.words, &other.words),
            lone: either(&self.lone, &other.lone),
            ..Grams::default()
        };
        both.lay_out(entries);
        both
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

    /// Calls `found` with each place at which a text may begin, and the text's number. Whether it
    /// does begin there, the caller must see.
    pub fn sweep(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        // arrays of a known length need no check of each place
        let (Ok(bits), Ok(words), Ok(lone)) = (
            <&Bitmap>::try_from(&*self.bitmap),
            <&Closer>::try_from(&*self.words),
            <&Closer>::try_from(&*self.lone),
        ) else {
            return;
        };
        let mut at = 0;
        if text.len() >= MANY {
            at = self.rounds(text, (bits, words, lone), &mut found);
        }
        while at + GRAM <= text.len() {
            if bit(bits, slot(word(&text[at..]))) & 1 != 0 {
                self.place(text, at, &mut found);
            }
            at += STRIDE;
        }
    }

    /// Sweeps a long text but for its end, and says where that begins. What a step chooses is written
    /// down without a branch, which the processor could guess wrong, for the next step.
    #[inline]
    fn rounds(
        &self,
        text: &[u8],
        (bits, words, lone): (&Bitmap, &Closer, &Closer),
        found: &mut dyn FnMut(usize, u32),
    ) -> usize {
        let mut at = 0;
        let mut marked = [0u32; ROUNDS];
        let mut places = [0u32; ROUNDS * ROUND];
        loop {
            // the rounds in which a gram may stand, ...
            let (mut count, mut number) = (0, 0);
            let start = at;
            while number < ROUNDS
                && let Some(read) = text.get(at..).and_then(|rest| rest.first_chunk::<READ>())
            {
                let bit = |k: usize| bit(bits, slot(word_at(read, k)));
                // there are never more of them than rounds
                marked[count % ROUNDS] = number as u32;
                count += ((bit(0) | bit(1) | bit(2) | bit(3)) & 1) as usize;
                number += 1;
                at += ROUND * STRIDE;
            }
            if number == 0 {
                return at;
            }
            // ... the places in these, ...
            let mut chosen = 0;
            for round in marked.iter().take(count) {
                let round = *round as usize * ROUND * STRIDE;
                let rest = text.get(start + round..);
                let Some(read) = rest.and_then(|rest| rest.first_chunk::<READ>()) else {
                    break;
                };
                for k in 0..ROUND {
                    places[chosen % (ROUNDS * ROUND)] = (round + k * STRIDE) as u32;
                    chosen += (bit(bits, slot(word_at(read, k))) & 1) as usize;
                }
            }
            // ... and of these the ones with the next two bytes of a text
            let mut closer = 0;
            for number in 0..chosen {
                let place = places[number % (ROUNDS * ROUND)];
                let rest = text.get(start + place as usize..);
                let chunk = rest.and_then(|rest| rest.first_chunk::<WORD>());
                let word = chunk.map_or(0, |word| u64::from_le_bytes(*word));
                let whole = bit(words, closer_slot(word, true));
                places[closer % (ROUNDS * ROUND)] = place;
                closer += ((whole | bit(lone, closer_slot(word, false))) & 1) as usize;
            }
            for place in places.iter().take(closer) {
                self.place(text, start + *place as usize, found);
            }
        }
    }

    /// Calls `found` for the texts that hold the gram at `at`, if their other bytes stand there too. It is
    /// apart from the loop, which so stays in registers.
    #[inline(never)]
    fn place(&self, text: &[u8], at: usize, found: &mut dyn FnMut(usize, u32)) {
        let gram = gram(word(&text[at..]));
        for &(known, check, number, offset, other) in self.entries_of(gram) {
            if known == gram
                && let Some(start) = at.checked_sub(usize::from(offset))
                && let Some(there) = text.get(start + usize::from(other)..)
                && word(there) == check
            {
                found(start, number);
            }
        }
    }
}

/// Where in a text the window begins whose grams are the rarest, as far as can be told.
fn rarest_window(text: &[u8], length: usize, seen: &Seen) -> usize {
    let common = |b: &u8| b.is_ascii_lowercase() || *b == b' ';
    let costs: Vec<u32> = text
        .windows(GRAM)
        .map(|window| {
            // words in small letters are found in any text
            let plain = window.iter().filter(|b| common(b)).count() as u32;
            4 * seen.times(window) + plain
        })
        .collect();
    // behind the last gram there may have to be more of the text
    let costs = &costs[..=text.len() - length];
    let windows = costs
        .windows(STRIDE)
        .map(|window| window.iter().sum::<u32>());
    let rarest = windows
        .enumerate()
        .min_by_key(|(start, cost)| (*cost, *start));
    rarest.map_or(0, |(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] = [
        "is not found here",
        "is not found",
        "refused !!",
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
        let grams = Grams::new(TEXTS.iter().copied(), b"");
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
        assert!(found(&Grams::default(), &TEXTS, "is not found here, refused !!").is_empty());
    }

    #[test]
    fn joined_tables_find_what_both_find() {
        let (some, others) = TEXTS.split_at(2);
        let joined = Grams::new(some.iter().copied(), b"")
            .joined(&Grams::new(others.iter().copied(), b""), some.len() as u32);
        let text = "refused !! connection refused by peer, is not found here";
        let whole = Grams::new(TEXTS.iter().copied(), b"");
        assert_eq!(found(&joined, &TEXTS, text), found(&whole, &TEXTS, text));
        assert_eq!(found(&joined, &TEXTS, text).len(), 5);
    }
}
