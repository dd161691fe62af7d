//! Packs texts that share passages, so that each can be unpacked alone.
//!
//! A general-purpose compressor needs a stream of some length to compress well, and all of it to unpack one text. Here
//! all texts share one grammar ([`Grammar`]): a symbol is a byte, or a rule that expands to two symbols. Packing
//! ([`pack()`]) replaces frequent pairs with rules; unpacking expands the remaining symbols.
//!
//! ```
//! let packed = kwhy_pack::pack(["the volume is full", "the volume is gone", "the node is gone"]);
//! let grammar = kwhy_pack::Grammar::new(&packed.grammar);
//! assert_eq!(grammar.read(&packed.texts[1]), "the volume is gone");
//! ```
//!
//! Of a text that is another one in another form, [`Own`] is what the other one lacks. Texts that are rarely read, and then
//! all together, are smaller as a stream ([`pack_all`]).
#![forbid(unsafe_code)]

mod layout;
mod pack;
mod passages;
mod stream;

pub use pack::{Packed, pack};
pub use passages::Own;
pub use stream::{pack_all, unpack_all};

/// The number of symbols that are bytes.
const BYTES: usize = 256;

/// The maximum length in bytes of an expansion that is stored as text: one vector load.
const CHUNK: usize = 16;

/// The rules shared by packed texts, as written by [`pack()`].
///
/// Three little-endian counts of four bytes each: symbols with single-byte codes, symbols stored as text, and symbols
/// stored as pairs. Then the numbers of the first group, two bytes each; for each of the second group, the start of its
/// text (three bytes) and its length (one byte); for each of the third, its two symbols; then the texts. In a packed
/// text, a byte beyond the single-byte codes is the high byte of a symbol's number, counted from there, and the low
/// byte follows.
#[derive(Clone, Copy, Debug)]
pub struct Grammar<'g> {
    common: &'g [[u8; 2]],
    places: &'g [[u8; 4]],
    pairs: &'g [[u8; 4]],
    text: &'g [u8],
}

impl<'g> Grammar<'g> {
    /// Reads a grammar written by [`pack()`].
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

    /// Unpacks a text.
    pub fn read(&self, text: &[u8]) -> String {
        // a symbol expands to a dozen bytes on average
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

    /// Appends the expansion of a symbol. The symbols of a pair have lower numbers, so the recursion ends.
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

/// Returns the rows of a table, whose number is stored at `count`, and the table's end.
const fn table(bytes: &[u8], count: usize, start: usize, row: usize) -> (&[u8], usize) {
    let Some(count) = bytes.split_at(count).1.first_chunk::<4>() else {
        panic!("this is no grammar");
    };
    let end = start + u32::from_le_bytes(*count) as usize * row;
    (bytes.split_at(end).0.split_at(start).1, end)
}

/// An output buffer written in whole chunks, of which only the first bytes may count.
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
    /// The text as packed by [`pack()`].
    pub text: &'g [u8],
}

impl PackedText<'_> {
    /// Unpacks the text.
    pub fn read(&self) -> String {
        self.grammar.read(self.text)
    }
}
