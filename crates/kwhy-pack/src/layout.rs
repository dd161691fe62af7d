//! Lays out the rules for fast reading: short expansions are stored as text to copy; only longer ones are pairs to
//! follow.

use super::{BYTES, CHUNK};

/// The rules in the form in which they are written.
pub struct Layout {
    /// The written number of each symbol; symbols stored as text come first.
    pub numbers: Vec<u16>,
    /// The start and length of each of these texts.
    places: Vec<(usize, usize)>,
    /// The texts, overlapping where possible: the expansions of a rule's symbols are parts of its own.
    text: Vec<u8>,
    /// The pairs of the other rules, by written numbers.
    pairs: Vec<(u16, u16)>,
}

/// Lays out rules, each of which consists of bytes and earlier rules.
pub fn lay_out(rules: &[(u32, u32)]) -> Layout {
    let mut lengths = vec![1usize; BYTES];
    for &(left, right) in rules {
        lengths.push(lengths[left as usize] + lengths[right as usize]);
    }
    let mut text: Vec<u8> = (0..=u8::MAX).collect();
    let mut places: Vec<Option<usize>> = (0..lengths.len())
        .map(|at| (at < BYTES).then_some(at))
        .collect();
    for (number, &(left, right)) in rules.iter().enumerate().rev() {
        let number = BYTES + number;
        if lengths[number] > CHUNK {
            continue;
        }
        let at = *places[number].get_or_insert(text.len());
        if at == text.len() {
            expand(number, rules, &mut text);
        }
        places[left as usize].get_or_insert(at);
        places[right as usize].get_or_insert(at + lengths[left as usize]);
    }
    // each text is read as a whole chunk, so the last one needs padding
    text.extend([0; CHUNK]);
    let is_text = |number: &usize| lengths[*number] <= CHUNK;
    let (texts, others): (Vec<usize>, Vec<usize>) = (0..lengths.len()).partition(is_text);
    let mut numbers = vec![0; lengths.len()];
    for (new, old) in (0..).zip(texts.iter().chain(&others)) {
        numbers[*old] = new;
    }
    let place = |number: &usize| (places[*number].unwrap_or_default(), lengths[*number]);
    let pair = |number: &usize| {
        let (left, right) = rules[number - BYTES];
        (numbers[left as usize], numbers[right as usize])
    };
    Layout {
        places: texts.iter().map(place).collect(),
        pairs: others.iter().map(pair).collect(),
        numbers,
        text,
    }
}

/// Appends the expansion of a symbol.
fn expand(symbol: usize, rules: &[(u32, u32)], text: &mut Vec<u8>) {
    match symbol.checked_sub(BYTES).and_then(|rule| rules.get(rule)) {
        None => text.push(symbol as u8),
        Some(&(left, right)) => {
            expand(left as usize, rules, text);
            expand(right as usize, rules, text);
        }
    }
}

impl Layout {
    /// Writes everything in the format that [`Grammar`](super::Grammar) reads. `common` are the symbols with
    /// single-byte codes.
    pub fn written(&self, common: impl Iterator<Item = u16>) -> Vec<u8> {
        let common: Vec<u16> = common.collect();
        let mut out = Vec::new();
        for count in [common.len(), self.places.len(), self.pairs.len()] {
            out.extend((count as u32).to_le_bytes());
        }
        out.extend(common.iter().flat_map(|symbol| symbol.to_le_bytes()));
        for (place, length) in &self.places {
            out.extend((*place as u32 | (*length as u32) << 24).to_le_bytes());
        }
        for (left, right) in &self.pairs {
            out.extend(
                [*left, *right]
                    .iter()
                    .flat_map(|symbol| symbol.to_le_bytes()),
            );
        }
        out.extend(&self.text);
        out
    }
}
