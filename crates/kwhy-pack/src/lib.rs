//! Packs texts that repeat one another, so that each can be read alone.
//!
//! A general compressor needs a stream of some length before it is good, and the whole of it to read one text. Here all texts
//! share one grammar ([`Grammar`]): a symbol is a byte, or a rule that stands for two symbols. A text is the symbols that are left
//! when each pair that occurs often has become a rule ([`pack()`]), and reading it is following these.
//!
//! ```
//! let packed = kwhy_pack::pack(["the volume is full", "the volume is gone", "the node is gone"]);
//! let grammar = kwhy_pack::Grammar::new(&packed.grammar);
//! assert_eq!(grammar.read(&packed.texts[1]), "the volume is gone");
//! ```
#![forbid(unsafe_code)]

mod layout;
mod pack;

pub use pack::{Packed, pack};

/// The number of symbols that are bytes.
const BYTES: usize = 256;

/// The length of the longest rule that is written as text, in bytes: one load.
const CHUNK: usize = 16;

/// The rules that packed texts share, as [`pack()`] wrote them.
///
/// Four bytes, the lowest first, for each of the counts: of symbols that a single byte names, of symbols that are texts, of those that are
/// pairs. Then the former symbols, two bytes each; where each text is, three bytes, and its length, one; the two symbols of each pair;
/// the texts. A byte of a packed text that names no symbol is the higher byte of a symbol's number, counted from there.
#[derive(Clone, Copy, Debug)]
pub struct Grammar<'g> {
    common: &'g [[u8; 2]],
    places: &'g [[u8; 4]],
    pairs: &'g [[u8; 4]],
    text: &'g [u8],
}

impl<'g> Grammar<'g> {
    /// Takes what [`pack()`] wrote.
    pub const fn new(bytes: &'g [u8]) -> Grammar<'g> {
        let (common, rest) = table(bytes, 0, 12, 2);
        let (places, rest) = table(bytes, 4, rest, 4);
        let (pairs, rest) = table(bytes, 8, rest, 4);
        Grammar {
            common: common.as_chunks().0,
            places: places.as_chunks().0,
            pairs: pairs.as_chunks().0,
            text: bytes.split_at(rest).1,
        }
    }

    /// Reads a packed text.
    pub fn read(&self, text: &[u8]) -> String {
        // a symbol stands for a dozen bytes in the mean
        let mut out = Out {
            bytes: vec![0; text.len() * 12 + CHUNK],
            end: 0,
        };
        let mut rest = text.iter();
        while let Some(&first) = rest.next() {
            let symbol = match self.common.get(usize::from(first)) {
                Some(symbol) => u16::from_le_bytes(*symbol),
                None => {
                    let high = usize::from(first) - self.common.len();
                    let low = rest.next().copied().unwrap_or_default();
                    (high << 8) as u16 | u16::from(low)
                }
            };
            self.expand(symbol, &mut out);
        }
        out.bytes.truncate(out.end);
        match String::from_utf8(out.bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// Writes what a symbol stands for. A pair's symbols have lower numbers, so that this comes to an end.
    fn expand(&self, symbol: u16, out: &mut Out) {
        let mut symbol = symbol;
        loop {
            if let Some(place) = self.places.get(usize::from(symbol)) {
                let [low, middle, high, length] = *place;
                let at = u32::from_le_bytes([low, middle, high, 0]) as usize;
                if let Some(chunk) = self.text.get(at..).and_then(|text| text.first_chunk()) {
                    out.push(chunk, length);
                }
                return;
            }
            let Some(pair) = self.pairs.get(usize::from(symbol) - self.places.len()) else {
                return;
            };
            let [left, left_high, right, right_high] = *pair;
            let left = u16::from_le_bytes([left, left_high]);
            let right = u16::from_le_bytes([right, right_high]);
            if left >= symbol || right >= symbol {
                return;
            }
            self.expand(left, out);
            symbol = right;
        }
    }
}

/// The rows of a table whose count is at `count`, and where it ends.
const fn table(bytes: &[u8], count: usize, start: usize, row: usize) -> (&[u8], usize) {
    let Some(count) = bytes.split_at(count).1.first_chunk::<4>() else {
        panic!("this is no grammar");
    };
    let end = start + u32::from_le_bytes(*count) as usize * row;
    (bytes.split_at(end).0.split_at(start).1, end)
}

/// A text that grows by chunks of which only a part counts.
struct Out {
    bytes: Vec<u8>,
    end: usize,
}

impl Out {
    #[inline]
    fn push(&mut self, chunk: &[u8; CHUNK], length: u8) {
        if self.bytes.len() < self.end + CHUNK {
            self.bytes.resize(2 * (self.end + CHUNK), 0);
        }
        if let Some(room) = self.bytes.get_mut(self.end..self.end + CHUNK) {
            room.copy_from_slice(chunk);
            self.end += usize::from(length);
        }
    }
}

/// A packed text with its grammar.
#[derive(Clone, Copy, Debug)]
pub struct PackedText<'g> {
    /// The rules.
    pub grammar: &'g Grammar<'g>,
    /// The text as [`pack()`] wrote it.
    pub text: &'g [u8],
}

impl PackedText<'_> {
    /// Reads the text.
    pub fn read(&self) -> String {
        self.grammar.read(self.text)
    }
}
