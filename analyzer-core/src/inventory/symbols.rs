//! Strings that occur many times, each kept once: the names, labels and lines of a cluster's objects.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The number of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// Stands for no string.
    const NONE: Symbol = Symbol(u32::MAX);

    /// Returns the number, unless it stands for no string.
    pub fn some(self) -> Option<Symbol> {
        (self != Symbol::NONE).then_some(self)
    }
}

/// The strings of an inventory, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    text: String,
    /// Where each one ends.
    ends: Vec<u32>,
    /// By a hash of the string; of two with one hash the second is found under the next free number.
    by_hash: HashMap<u64, Symbol>,
}

/// The bytes that a string takes beside its text.
const BESIDE: usize = 4 + 2 * size_of::<(u64, Symbol)>();

impl Symbols {
    /// Returns the number of a string, which is added if it is new.
    pub fn add(&mut self, text: &str) -> Symbol {
        let mut hash = hash(text);
        while let Some(known) = self.by_hash.get(&hash) {
            if self.text(*known) == text {
                return *known;
            }
            hash = hash.wrapping_add(1);
        }
        let number = u32::try_from(self.ends.len());
        let end = u32::try_from(self.text.len() + text.len());
        let (Ok(number), Ok(end)) = (number, end) else {
            return Symbol::NONE;
        };
        self.text.push_str(text);
        self.ends.push(end);
        self.by_hash.insert(hash, Symbol(number));
        Symbol(number)
    }

    /// Returns the number of a string that may be missing.
    pub fn add_some(&mut self, text: Option<&str>) -> Symbol {
        text.map_or(Symbol::NONE, |text| self.add(text))
    }

    /// Returns the number of a string, if it was added.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        let mut hash = hash(text);
        loop {
            let known = *self.by_hash.get(&hash)?;
            if self.text(known) == text {
                return Some(known);
            }
            hash = hash.wrapping_add(1);
        }
    }

    /// Returns the string with a number.
    pub fn text(&self, symbol: Symbol) -> &str {
        let number = symbol.0 as usize;
        let start = number
            .checked_sub(1)
            .map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(number).copied());
        let text = range.and_then(|(start, end)| self.text.get(start as usize..end as usize));
        text.unwrap_or_default()
    }

    /// About how many bytes all of them take.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * BESIDE
    }
}

/// Returns a hash of a text, by a key that no input knows.
pub(super) fn hash(text: &str) -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEY.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(symbols.bytes(), 8 + 3 * BESIDE);
    }

    #[test]
    fn strings_with_one_hash_stay_apart() {
        let mut symbols = Symbols::default();
        let a = symbols.add("quay");
        symbols.by_hash.insert(hash("pier"), a);
        let b = symbols.add("pier");
        assert_ne!(a, b);
        assert_eq!(
            (symbols.find("pier"), symbols.find("quay")),
            (Some(b), Some(a))
        );
    }
}
