//! Interned strings: the names, labels and lines of a cluster's objects, which recur many times.

use super::chunked::Chunked;
use crate::hash::hash_one;

/// The number of an interned string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// No string.
    pub const NONE: Symbol = Symbol(u32::MAX);

    /// Returns the symbol with a number.
    pub fn from_number(number: u32) -> Symbol {
        Symbol(number)
    }

    /// Returns the number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the symbol, or `None` for `NONE`.
    pub fn some(self) -> Option<Symbol> {
        (self != Symbol::NONE).then_some(self)
    }
}

/// The size of a chunk of text in bytes. A longer string has a chunk of its own.
const CHUNK: usize = 1 << 15;

/// The strings of an inventory, concatenated. Text grows in chunks: growth as a whole copies it, which doubles its
/// memory for a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    text: Vec<String>,
    /// The start of each string, counted in chunks of [`CHUNK`] bytes, and its truncated hash.
    all: Chunked<(u32, u32)>,
    /// The number of bytes of all strings.
    bytes: usize,
    /// A hash table of string numbers with linear probing.
    slots: Vec<Symbol>,
}

/// The minimum number of slots.
const SLOTS: usize = 64;

impl Symbols {
    /// Returns the number of a string, adding it if it is new.
    pub fn add(&mut self, text: &str) -> Symbol {
        if (self.all.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let hash = short(hash_one(text));
        let slot = match self.slot(hash, text) {
            Ok(known) => return known,
            Err(free) => free,
        };
        let number = u32::try_from(self.all.len());
        let start = self.append(text);
        let (Ok(number), Some(start)) = (number, start) else {
            return Symbol::NONE;
        };
        self.all.push((start, hash));
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Symbol(number);
        }
        Symbol(number)
    }

    /// Appends a string to the text and returns its start; `None` if the text is too large.
    fn append(&mut self, text: &str) -> Option<u32> {
        let has_room = |chunk: &String| chunk.len() + text.len() <= CHUNK;
        if !self.text.last().is_some_and(has_room) {
            // the first chunk grows gradually, as the text may stay short
            let room = if self.text.is_empty() { 0 } else { CHUNK };
            self.text.push(String::with_capacity(room.max(text.len())));
        }
        let before = (self.text.len() - 1) * CHUNK;
        let last = self.text.last_mut()?;
        let start = u32::try_from(before + last.len()).ok()?;
        last.push_str(text);
        self.bytes += text.len();
        Some(start)
    }

    /// Returns the number of a string, or the free slot for it.
    fn slot(&self, hash: u32, text: &str) -> Result<Symbol, usize> {
        let mut at = hash as usize;
        loop {
            at &= self.slots.len().saturating_sub(1);
            let known = self.slots.get(at).copied().unwrap_or(Symbol::NONE);
            if known == Symbol::NONE {
                return Err(at);
            }
            let is_same = self
                .all
                .get(known.0 as usize)
                .is_some_and(|(_, other)| *other == hash);
            if is_same && self.text(known) == text {
                return Ok(known);
            }
            at += 1;
        }
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(SLOTS);
        self.slots.clear();
        self.slots.resize(slots, Symbol::NONE);
        for (number, (_, hash)) in (0..).zip(self.all.iter()) {
            let mut at = *hash as usize & (slots - 1);
            while self.slots.get(at).is_some_and(|slot| *slot != Symbol::NONE) {
                at = (at + 1) & (slots - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = Symbol(number);
            }
        }
    }

    /// Returns the number of an optional string.
    pub fn add_some(&mut self, text: Option<&str>) -> Symbol {
        text.map_or(Symbol::NONE, |text| self.add(text))
    }

    /// Returns the number of a string, if it was added.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.slot(short(hash_one(text)), text).ok()
    }

    /// Returns the string with a number.
    pub fn text(&self, symbol: Symbol) -> &str {
        let number = symbol.0 as usize;
        let start = |number: usize| {
            let (start, _) = self.all.get(number)?;
            Some((*start as usize / CHUNK, *start as usize % CHUNK))
        };
        let Some((chunk, from)) = start(number) else {
            return "";
        };
        let text = self.text.get(chunk).map_or("", String::as_str);
        let next = start(number + 1).filter(|(next, _)| *next == chunk);
        let to = next.map_or(text.len(), |(_, to)| to);
        text.get(from..to).unwrap_or_default()
    }

    /// The approximate number of bytes that all strings take.
    pub fn bytes(&self) -> usize {
        self.bytes + self.all.bytes() + size_of_val(&*self.slots)
    }
}

/// Truncates a hash.
fn short(hash: u64) -> u32 {
    hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_string_has_one_number() {
        let mut symbols = Symbols::default();
        let (a, b, empty) = (symbols.add("quay"), symbols.add("pier"), symbols.add(""));
        assert_ne!(a, b);
        assert_eq!(symbols.add("quay"), a);
        assert_eq!(symbols.find("pier"), Some(b));
        assert_eq!(symbols.find("mole"), None);
        let texts = [a, b, empty].map(|symbol| symbols.text(symbol).to_owned());
        assert_eq!(texts, ["quay", "pier", ""]);
        assert_eq!(symbols.text(Symbol::NONE), "");
        assert_eq!(symbols.bytes(), 8 + 3 * 8 + 4 * SLOTS);
    }

    #[test]
    fn strings_with_one_slot_stay_apart() {
        let mut symbols = Symbols::default();
        let name = |number: usize| format!("quay-{number}");
        let numbers: Vec<Symbol> = (0..9 * SLOTS).map(|at| symbols.add(&name(at))).collect();
        for (at, number) in numbers.into_iter().enumerate() {
            assert_eq!(symbols.add(&name(at)), number);
            assert_eq!(symbols.find(&name(at)), Some(number));
            assert_eq!(symbols.text(number), name(at));
        }
        assert_eq!(symbols.find("pier"), None);
    }

    proptest! {
        #[test]
        fn strings_come_back_from_any_chunk(
            all in prop::collection::vec(("[a-cß]{0,3}", 0..24_000usize), 0..40)
        ) {
            let mut symbols = Symbols::default();
            let mut model: Vec<String> = Vec::new();
            for (text, times) in &all {
                let text = text.repeat(*times);
                let known = model.iter().position(|known| *known == text);
                let number = known.unwrap_or(model.len());
                if known.is_none() {
                    model.push(text.clone());
                }
                prop_assert_eq!(symbols.add(&text).number() as usize, number);
            }
            for (number, text) in (0..).zip(&model) {
                prop_assert_eq!(symbols.text(Symbol::from_number(number)), text);
                prop_assert_eq!(symbols.find(text), Some(Symbol::from_number(number)));
            }
        }
    }
}
