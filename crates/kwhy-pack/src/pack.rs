//! Builds a grammar of texts: frequent pairs of symbols become rules, as in Re-Pair, but many per round.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{BYTES, layout};

/// The minimum number of occurrences that make a rule worth its four bytes.
const LEAST: u32 = 6;

/// The maximum number of symbols: what two bytes can number, with some byte values left for the most common symbols.
const MOST_SYMBOLS: usize = 192 << 8;

/// Marks the end of a text, so that no rule crosses it.
const END: u32 = u32::MAX;

/// Texts and the rules by which they are packed.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// The rules, for [`Grammar::new`](super::Grammar::new).
    pub grammar: Vec<u8>,
    /// The packed texts, in order.
    pub texts: Vec<Vec<u8>>,
}

type Pairs = HashMap<u64, u32, BuildHasherDefault<PairHasher>>;

/// Packs texts.
pub fn pack<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Packed {
    let mut symbols: Vec<u32> = Vec::new();
    for text in texts {
        symbols.extend(text.as_ref().bytes().map(u32::from));
        symbols.push(END);
    }
    let mut rules: Vec<(u32, u32)> = Vec::new();
    loop {
        let chosen = chosen(&symbols, &mut rules);
        if chosen.is_empty() {
            break;
        }
        replace(&mut symbols, &chosen);
    }
    written(&symbols, &rules)
}

/// Encodes two symbols as one number.
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// Turns the most frequent pairs into rules, and returns the pairs with their rules' symbols. No two pairs overlap: a
/// symbol occurs only on the left or only on the right of them, or twice in one pair.
fn chosen(symbols: &[u32], rules: &mut Vec<(u32, u32)>) -> Pairs {
    let mut counts = Pairs::default();
    for window in symbols.windows(2) {
        if let [left, right] = *window
            && left != END
            && right != END
        {
            *counts.entry(pair(left, right)).or_default() += 1;
        }
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let least = (most / 2).max(LEAST);
    let mut frequent: Vec<(u32, u64)> = counts
        .into_iter()
        .filter(|(_, count)| *count >= least)
        .map(|(pair, count)| (count, pair))
        .collect();
    // sorted, so that every run yields the same rules
    frequent.sort_unstable_by_key(|(count, pair)| (u32::MAX - count, *pair));
    let mut is_left = vec![false; BYTES + rules.len()];
    let mut is_right = is_left.clone();
    let mut chosen = Pairs::default();
    for (_, both) in frequent {
        let number = BYTES + rules.len();
        if number == MOST_SYMBOLS {
            break;
        }
        let (left, right) = ((both >> 32) as usize, both as u32 as usize);
        let is_free = !is_right[left] && !is_left[right];
        if is_free && (left != right || !is_left[left] && !is_right[left]) {
            is_left[left] = true;
            is_right[right] = true;
            chosen.insert(both, number as u32);
            rules.push((left as u32, right as u32));
        }
    }
    chosen
}

/// Replaces pairs with their rules.
fn replace(symbols: &mut Vec<u32>, chosen: &Pairs) {
    let (mut from, mut to) = (0, 0);
    while let Some(&left) = symbols.get(from) {
        let rule = symbols
            .get(from + 1)
            .and_then(|right| chosen.get(&pair(left, *right)));
        symbols[to] = rule.copied().unwrap_or(left);
        to += 1;
        from += 1 + usize::from(rule.is_some());
    }
    symbols.truncate(to);
}

/// Writes the rules, and the texts with the most common symbols as single bytes.
fn written(symbols: &[u32], rules: &[(u32, u32)]) -> Packed {
    let laid_out = layout::lay_out(rules);
    let total = BYTES + rules.len();
    let count = BYTES - total.div_ceil(1 << 8);
    let mut times = vec![0u32; total];
    for symbol in symbols.iter().filter(|symbol| **symbol != END) {
        times[*symbol as usize] += 1;
    }
    let mut common: Vec<u32> = (0..total as u32).collect();
    common.sort_by_key(|symbol| u32::MAX - times[*symbol as usize]);
    common.truncate(count);
    let mut single = vec![None; total];
    for (byte, symbol) in common.iter().enumerate() {
        single[*symbol as usize] = Some(byte as u8);
    }
    let common = common
        .iter()
        .map(|symbol| laid_out.numbers[*symbol as usize]);
    let mut packed = Packed {
        grammar: laid_out.written(common),
        texts: Vec::new(),
    };
    let mut text = Vec::new();
    for &symbol in symbols {
        match single.get(symbol as usize) {
            None => packed.texts.push(std::mem::take(&mut text)),
            Some(Some(byte)) => text.push(*byte),
            Some(None) => {
                let [low, high] = laid_out.numbers[symbol as usize].to_le_bytes();
                text.extend([count as u8 + high, low]);
            }
        }
    }
    packed
}

/// A fast hasher for pairs, as megabytes of text are counted many times.
#[derive(Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // the table takes its slot from the low bits and its tag from the high bits
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(26);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Grammar;

    proptest! {
        #[test]
        fn texts_are_read_as_they_were(
            texts in prop::collection::vec("[ab ]{0,40}|(the |volume |is |é|  ){0,20}|\\PC{0,9}", 0..200)
        ) {
            let packed = pack(&texts);
            let grammar = Grammar::new(&packed.grammar);
            let read: Vec<String> = packed.texts.iter().map(|text| grammar.read(text)).collect();
            prop_assert_eq!(read, texts);
        }
    }

    #[test]
    fn what_occurs_often_takes_little() {
        let line = "  Warning  FailedMount  kubelet  the volume of the shelf is not there\n";
        let texts: Vec<String> = (0..500).map(|number| format!("{line}{number}")).collect();
        let packed = pack(&texts);
        let size: usize = packed.texts.iter().map(Vec::len).sum();
        assert!(
            size + packed.grammar.len() < 5_000,
            "{size}, {}",
            packed.grammar.len()
        );
    }
}
