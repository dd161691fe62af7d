//! An index of sampled q-grams over many literals.
//!
//! One window of each literal is chosen, and the q-grams of [`Q`] bytes that start at its first
//! [`STRIDE`] bytes go into a hash table with a bitmap in front. The haystack is probed at every
//! `STRIDE`-th byte only: one load, one multiplication, one bit. Wherever a window occurs, exactly
//! one probe falls on the start of one of its q-grams, so each occurrence is found, and found once.
//! The time hardly depends on the number of literals.
//!
//! A probe that hits the bitmap is checked against a second bitmap over eight bytes (over the q-gram
//! alone for literals that are too short), and only then looked up in the table.
//!
//! Matching ignores case: bit 5 of every byte is set on both sides. This also makes a few other characters equal (`[`
//! and `{`), which callers tell apart by comparing the bytes.

use std::borrow::Cow;

/// Every `STRIDE`-th byte of the haystack is probed.
const STRIDE: usize = 5;

/// The length of a q-gram in bytes.
const Q: usize = 6;

/// The length of a word in bytes, which is one load.
const WORD: usize = 8;

/// The minimum length in bytes of a literal that can be found.
pub const MIN_LITERAL: usize = Q + STRIDE - 1;

/// The number of bits of the hashes by which the sample's q-grams are counted.
const SEEN_BITS: u32 = 19;

/// The number of leading bytes of a literal from which its window is chosen.
const MAX_WINDOW_END: usize = 4096;

/// The number of bits of a q-gram's hash: the bitmap takes 128 KiB and stays in the second-level cache.
const BITS: u32 = 20;
/// The number of bits of the second bitmaps' hashes.
const CLOSER_BITS: u32 = 18;
/// The number of bits of a hash that select its bucket of entries.
const BUCKET_BITS: u32 = 14;

/// The number of probes per round: enough to keep the processor busy.
const ROUND: usize = 4;
/// The number of rounds before their hits are examined.
const ROUNDS: usize = 512;
/// The minimum length in bytes of a haystack that is probed in rounds.
const MANY: usize = 2048;
/// The number of bytes that a round reads.
const READ: usize = (ROUND - 1) * STRIDE + WORD;

type Bitmap = [u64; 1 << (BITS - 6)];
type Closer = [u64; 1 << (CLOSER_BITS - 6)];

/// A q-gram in six bytes, as there are tens of thousands: 16 bits of its hash, and in the others its literal's number
/// (24 bits) and its place in the literal's window.
pub type Entry = [u16; 3];

/// A literal's window: 16 bits of the hash of eight check bytes, the offset of the window, and that of the check bytes.
pub type Window = [u16; 3];

/// The maximum number of literals.
const MAX_LITERALS: usize = 1 << 24;

fn entry(tag: u32, number: u32, place: usize) -> Entry {
    let high = (number >> 16) as u16 | (place as u16) << 8;
    [closer_tag(tag), number as u16, high]
}

/// Returns the number of an entry's literal.
#[inline]
fn number([_, low, high]: &Entry) -> u32 {
    u32::from(*low) | u32::from(*high & 0xff) << 16
}

/// Returns the place of an entry's q-gram in its window.
#[inline]
fn place([.., high]: &Entry) -> usize {
    usize::from(high >> 8)
}

/// Returns an entry for a literal whose number is higher by `shift`.
fn shifted(entry: &Entry, shift: u32) -> Entry {
    let number = number(entry) + shift;
    let high = entry[2] & 0xff00 | (number >> 16) as u16;
    [entry[0], number as u16, high]
}

/// An index that finds literals of at least [`MIN_LITERAL`] bytes.
///
/// The tables are public so that a build script can write them out as constants.
#[derive(Clone, Debug, Default)]
pub struct QGramIndex {
    /// The bitmap of the hashes of all q-grams.
    pub bitmap: Cow<'static, [u64]>,
    /// The bitmap of the hashes of eight-byte words, for literals that are long enough.
    pub words: Cow<'static, [u64]>,
    /// The bitmap of the hashes of the q-grams of all other literals.
    pub lone: Cow<'static, [u64]>,
    /// The index of the first entry of each bucket, with one more at the end.
    pub buckets: Cow<'static, [u32]>,
    /// The entries, sorted by bucket.
    pub entries: Cow<'static, [Entry]>,
    /// The windows of the literals by number; that of a short literal is never asked for.
    pub windows: Cow<'static, [Window]>,
}

/// Fibonacci hashing: the high bits of the product are well mixed.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn hash(gram: u64) -> u64 {
    // the bytes after the q-gram are shifted out
    (gram << (8 * (WORD - Q))).wrapping_mul(MULTIPLIER)
}

/// Returns the slot of a whole word, or of a q-gram alone.
#[inline]
fn closer_slot(word: u64, whole: bool) -> usize {
    let hash = if whole {
        word.wrapping_mul(MULTIPLIER)
    } else {
        hash(word)
    };
    (hash >> (64 - CLOSER_BITS)) as usize
}

/// Returns the bitmap's word shifted so that the slot is its lowest bit.
#[inline]
fn bit<const N: usize>(bitmap: &[u64; N], slot: usize) -> u64 {
    // the modulo lets the compiler drop the bounds check: N is a power of two that no slot exceeds
    bitmap[(slot / 64) % N] >> (slot % 64)
}

/// Returns the word at the `k`-th probe of a round.
#[inline]
fn word_at(read: &[u8; READ], k: usize) -> u64 {
    let bytes = read.get(k * STRIDE..k * STRIDE + WORD).unwrap_or_default();
    bytes.try_into().map_or(0, u64::from_le_bytes) | CASE
}

#[inline]
fn slot(gram: u64) -> usize {
    (hash(gram) >> (64 - BITS)) as usize
}

/// The bits of a q-gram's hash that select its bit and its bucket.
#[inline]
fn tag(gram: u64) -> u32 {
    (hash(gram) >> 32) as u32
}

/// The bits of a tag that are stored, beyond those that select the bucket; the caller compares the bytes.
#[inline]
fn closer_tag(tag: u32) -> u16 {
    (tag >> (16 - BUCKET_BITS)) as u16
}

/// The bits of the check bytes' hash that are stored.
#[inline]
fn check_tag(word: u64) -> u16 {
    (word.wrapping_mul(MULTIPLIER) >> 48) as u16
}

#[inline]
fn bucket(tag: u32) -> usize {
    (tag >> (32 - BUCKET_BITS)) as usize
}

/// The bit that distinguishes an upper-case letter from a lower-case one, in each byte of a word.
const CASE: u64 = 0x2020_2020_2020_2020;

/// The first eight bytes with the case bit set, zero-padded.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    // the usual case: a copy of a known length is one load
    if let Some(word) = bytes.first_chunk() {
        return u64::from_le_bytes(*word) | CASE;
    }
    let mut word = [0; WORD];
    let length = bytes.len().min(WORD);
    word[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(word) | CASE
}

/// Returns the q-gram at the start of a word.
#[inline]
fn gram(word: u64) -> u64 {
    word & ((1 << (8 * Q)) - 1)
}

/// Approximate counts of q-grams.
struct Frequencies(Vec<u16>);

impl Frequencies {
    fn new<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Frequencies {
        let mut seen = Vec::new();
        for window in texts.flat_map(|text| text.windows(Q)) {
            seen.resize(1 << SEEN_BITS, 0);
            let slot = (hash(word(window)) >> (64 - SEEN_BITS)) as usize;
            seen[slot] = u16::saturating_add(seen[slot], 1);
        }
        Frequencies(seen)
    }

    fn times(&self, gram: &[u8]) -> u32 {
        let slot = (hash(word(gram)) >> (64 - SEEN_BITS)) as usize;
        self.0.get(slot).copied().map_or(0, u32::from)
    }
}

impl QGramIndex {
    /// Builds the index of literals, which are numbered from 0; literals shorter than [`MIN_LITERAL`] are never found, nor are those
    /// beyond 2^24.
    /// Windows whose q-grams are rare in `sample`, a piece of a typical haystack, are preferred, so that the search
    /// rarely stops at a false positive.
    pub fn new<'t>(
        literals: impl Iterator<Item = &'t str> + Clone,
        sample: &'t [u8],
    ) -> QGramIndex {
        let counted = literals.clone().map(str::as_bytes).chain([sample]);
        let seen = Frequencies::new(counted.filter(|_| !sample.is_empty()));
        let mut grams = QGramIndex::default();
        let mut entries = Vec::new();
        let mut windows = Vec::new();
        for (number, text) in (0..).zip(literals.take(MAX_LITERALS)) {
            let text = &text.as_bytes()[..text.len().min(MAX_WINDOW_END)];
            if text.len() < MIN_LITERAL {
                windows.push(Window::default());
                continue;
            }
            let whole = text.len() >= MIN_LITERAL + WORD - Q;
            let start = rarest_window(text, if whole { WORD } else { Q }, &seen);
            let closer = if whole {
                &mut grams.words
            } else {
                &mut grams.lone
            }
            .to_mut();
            closer.resize(1 << (CLOSER_BITS - 6), 0);
            for place in 0..STRIDE {
                let word = word(&text[start + place..]);
                let slot = closer_slot(word, whole);
                closer[slot / 64] |= 1 << (slot % 64);
                let tag = tag(gram(word));
                entries.push((tag, number, place, entry(tag, number, place)));
            }
            let other = check_offset(text, start, &seen);
            let check = check_tag(word(&text[other..]));
            windows.push([check, start as u16, other as u16]);
        }
        entries.sort_unstable();
        grams.lay_out(&entries);
        grams.windows = Cow::Owned(windows);
        grams
    }

    /// Fills the tables from entries, sorted by their tags, which precede each.
    fn lay_out(&mut self, entries: &[(u32, u32, usize, Entry)]) {
        if entries.is_empty() {
            return;
        }
        let bitmap = self.bitmap.to_mut();
        bitmap.resize(1 << (BITS - 6), 0);
        for closer in [&mut self.words, &mut self.lone] {
            closer.to_mut().resize(1 << (CLOSER_BITS - 6), 0);
        }
        let mut buckets = vec![0u32; (1 << BUCKET_BITS) + 1];
        for (tag, ..) in entries {
            let slot = (tag >> (32 - BITS)) as usize;
            bitmap[slot / 64] |= 1 << (slot % 64);
            buckets[bucket(*tag) + 1] += 1;
        }
        let mut before = 0;
        for bucket in &mut buckets {
            before += *bucket;
            *bucket = before;
        }
        self.buckets = Cow::Owned(buckets);
        self.entries = entries.iter().map(|(.., entry)| *entry).collect();
    }

    /// Returns this index merged with one of other literals, which are numbered from `shift` on.
    pub fn joined(&self, other: &QGramIndex, shift: u32) -> QGramIndex {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        let mut buckets = Vec::with_capacity((1 << BUCKET_BITS) + 1);
        for bucket in 0..1 << BUCKET_BITS {
            buckets.push(entries.len() as u32);
            entries.extend(self.bucket(bucket));
            let theirs = other.bucket(bucket).iter();
            let theirs =
                theirs.filter(|entry| number(entry).saturating_add(shift) < MAX_LITERALS as u32);
            entries.extend(theirs.map(|entry| shifted(entry, shift)));
        }
        buckets.push(entries.len() as u32);
        let either = |mine: &Cow<'static, [u64]>, theirs: &Cow<'static, [u64]>| {
            let mut bits = mine.to_vec();
            bits.resize(mine.len().max(theirs.len()), 0);
            bits.iter_mut()
                .zip(theirs.iter())
                .for_each(|(mine, theirs)| *mine |= theirs);
            Cow::Owned(bits)
        };
        // of literals beyond the maximum there is no entry
        let mut windows = self.windows.to_vec();
        windows.resize(shift as usize, Window::default());
        windows.extend(other.windows.iter());
        QGramIndex {
            bitmap: either(&self.bitmap, &other.bitmap),
            words: either(&self.words, &other.words),
            lone: either(&self.lone, &other.lone),
            buckets: Cow::Owned(buckets),
            entries: Cow::Owned(entries),
            windows: Cow::Owned(windows),
        }
    }

    /// Returns the entries of a bucket.
    fn bucket(&self, bucket: usize) -> &[Entry] {
        match self.buckets.get(bucket..bucket + 2) {
            Some(&[from, to]) => self
                .entries
                .get(from as usize..to as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// Calls `found` with each offset at which a literal may start, ignoring case, and the literal's number. The caller
    /// compares the bytes.
    pub fn candidates(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        // arrays of a known length need no bounds checks
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
        while at + Q <= text.len() {
            if bit(bits, slot(word(&text[at..]))) & 1 != 0 {
                self.place(text, at, &mut found);
            }
            at += STRIDE;
        }
    }

    /// Probes a long haystack except for its last bytes, and returns their offset. Each step appends the probes that
    /// pass it to a list, without a branch that could be mispredicted.
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
            // collect the rounds with a hit in the bitmap, ...
            let (mut count, mut number) = (0, 0);
            let start = at;
            while number < ROUNDS
                && let Some(read) = text.get(at..).and_then(|rest| rest.first_chunk::<READ>())
            {
                let bit = |k: usize| bit(bits, slot(word_at(read, k)));
                // the count never exceeds the number of rounds
                marked[count % ROUNDS] = number as u32;
                count += ((bit(0) | bit(1) | bit(2) | bit(3)) & 1) as usize;
                number += 1;
                at += ROUND * STRIDE;
            }
            if number == 0 {
                return at;
            }
            // ... then the probes of these rounds that hit, ...
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
            // ... and of these the ones that pass the second bitmaps
            let mut closer = 0;
            for number in 0..chosen {
                let place = places[number % (ROUNDS * ROUND)];
                let rest = text.get(start + place as usize..);
                let chunk = rest.and_then(|rest| rest.first_chunk::<WORD>());
                let word = chunk.map_or(0, |word| u64::from_le_bytes(*word)) | CASE;
                let whole = bit(words, closer_slot(word, true));
                places[closer % (ROUNDS * ROUND)] = place;
                closer += ((whole | bit(lone, closer_slot(word, false))) & 1) as usize;
            }
            for place in places.iter().take(closer) {
                self.place(text, start + *place as usize, found);
            }
        }
    }

    /// Calls `found` for the literals with the q-gram at `at` whose check bytes match too. Kept out of line, so that
    /// the loop's state stays in registers.
    #[inline(never)]
    fn place(&self, text: &[u8], at: usize, found: &mut dyn FnMut(usize, u32)) {
        let tag = tag(gram(word(&text[at..])));
        for entry in self.bucket(bucket(tag)) {
            if entry[0] == closer_tag(tag)
                && let Some([check, offset, other]) = self.windows.get(number(entry) as usize)
                && let Some(start) = at.checked_sub(usize::from(*offset) + place(entry))
                && let Some(there) = text.get(start + usize::from(*other)..)
                && check_tag(word(there)) == *check
            {
                found(start, number(entry));
            }
        }
    }
}

/// Returns the offset of the window whose q-grams are the rarest.
fn rarest_window(text: &[u8], length: usize, seen: &Frequencies) -> usize {
    let common = |b: &u8| b.is_ascii_lowercase() || *b == b' ';
    let costs: Vec<u32> = text
        .windows(Q)
        .map(|window| {
            // lower-case words occur in any text
            let plain = window.iter().filter(|b| common(b)).count() as u32;
            4 * seen.times(window) + plain
        })
        .collect();
    // the last q-gram may need bytes after the window
    let costs = &costs[..=text.len() - length];
    let windows = costs
        .windows(STRIDE)
        .map(|window| window.iter().sum::<u32>());
    let rarest = windows
        .enumerate()
        .min_by_key(|(start, cost)| (*cost, *start));
    rarest.map_or(0, |(start, _)| start)
}

/// Returns the offset of a literal's check bytes, given that of its window: the rarer end of the literal.
fn check_offset(text: &[u8], at: usize, seen: &Frequencies) -> usize {
    let last = text.len().saturating_sub(WORD);
    let start = (seen.times(&text[..Q]), Q.saturating_sub(at));
    let end = text.len() - Q;
    let end = (seen.times(&text[end..]), (at + Q).saturating_sub(end));
    // many literals share a prefix
    if start < end { 0 } else { last }
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

    fn found(grams: &QGramIndex, texts: &[&str], text: &str) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        grams.candidates(text.as_bytes(), |at, number| {
            let text = text.as_bytes().get(at..at + texts[number as usize].len());
            if text.is_some_and(|text| text.eq_ignore_ascii_case(texts[number as usize].as_bytes()))
            {
                found.push((at, number));
            }
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn each_occurrence_is_found_once_at_any_offset() {
        let grams = QGramIndex::new(TEXTS.iter().copied(), b"");
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
        let wanted = [(0, 1), (13, 2), (24, 4), (35, 3)];
        let text = "Is Not Found REFUSED !! cOnnEction reFused by pEEr";
        assert_eq!(found(&grams, &TEXTS, text), wanted);
        assert!(found(&grams, &TEXTS, "is not foun").is_empty());
        assert!(found(&grams, &TEXTS, "").is_empty());
        assert!(
            found(
                &QGramIndex::default(),
                &TEXTS,
                "is not found here, refused !!"
            )
            .is_empty()
        );
    }

    #[test]
    fn entries_hold_what_they_are_made_of() {
        for (number_in, place_in) in [(0, 0), (0x123, 3), (0xff_fffe, STRIDE - 1)] {
            let made = entry(0xffff_fffc, number_in, place_in);
            assert_eq!((number(&made), place(&made)), (number_in, place_in));
            let made = shifted(&made, 1);
            assert_eq!((number(&made), place(&made)), (number_in + 1, place_in));
        }
    }

    #[test]
    fn joined_tables_find_what_both_find() {
        let (some, others) = TEXTS.split_at(2);
        let joined = QGramIndex::new(some.iter().copied(), b"").joined(
            &QGramIndex::new(others.iter().copied(), b""),
            some.len() as u32,
        );
        let text = "refused !! connection refused by peer, is not found here";
        let whole = QGramIndex::new(TEXTS.iter().copied(), b"");
        assert_eq!(found(&joined, &TEXTS, text), found(&whole, &TEXTS, text));
        assert_eq!(found(&joined, &TEXTS, text).len(), 5);
    }
}
