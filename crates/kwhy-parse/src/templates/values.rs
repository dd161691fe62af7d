//! Finds words that are values, as other messages differ in nothing else.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::mask::{self, ANY};
use super::{Row, SHORT};

/// The minimum number of templates that differ in a single word for that word to count as a value.
const MANY: usize = 5;

/// Merges rows that are the same template, in the order of their first rows; also returns for each original row its
/// index among them.
pub(super) fn compacted(rows: &[Row]) -> (Vec<Row>, Vec<usize>) {
    let mut whole: Vec<Row> = Vec::new();
    let mut places: Vec<usize> = Vec::with_capacity(rows.len());
    for (row, first) in rows.iter().zip(same(rows)) {
        // the first row of a group was handled before, unless it is this one
        let place = places.get(first).copied().unwrap_or(whole.len());
        places.push(place);
        match whole.get_mut(place) {
            Some(known) => {
                known.generalise(&row.tokens);
                known.take(row.count, row.first, row.last);
            }
            None => whole.push(row.clone()),
        }
    }
    (whole, places)
}

/// Returns for each row the index of the first row with the same template.
fn same(rows: &[Row]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..rows.len()).collect();
    for alike in alike_but_for_one_word(rows) {
        let root = alike.iter().map(|row| root(&first, *row)).min();
        for row in &alike {
            let own = self::root(&first, *row);
            first[own] = root.unwrap_or(own);
        }
    }
    (0..rows.len()).map(|row| root(&first, row)).collect()
}

fn root(first: &[usize], mut row: usize) -> usize {
    while let Some(next) = first.get(row).filter(|next| **next < row) {
        row = *next;
    }
    row
}

/// Returns groups of rows that differ in a single word, if a group is large or the word is a value in one of its rows.
fn alike_but_for_one_word(rows: &[Row]) -> Vec<Vec<usize>> {
    // each row once for each of its words, with a hash of all other words
    let mut without: Vec<(usize, u64, usize)> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if row.words() <= SHORT {
            continue;
        }
        let places = 0..row.tokens.len();
        let hashes: Vec<u64> = places.map(|at| hash((at, token(row, at)))).collect();
        // a sum of hashes allows for removing a single token
        let sum = hashes
            .iter()
            .fold(hash(shared(row)), |sum, hash| sum.wrapping_add(*hash));
        for (at, own) in hashes.iter().enumerate() {
            if mask::is_word_token(&row.tokens[at]) {
                without.push((at, sum.wrapping_sub(*own), number));
            }
        }
    }
    without.sort_unstable();
    let groups = without.chunk_by(|(at, hash, _), (next, other, _)| (at, hash) == (next, other));
    let groups = groups.filter(|group| group.len() > 1).filter_map(|group| {
        let (at, _, first) = *group.first()?;
        let numbers = group.iter().map(|(.., number)| *number);
        // compare the tokens, as hashes may collide
        let alike: Vec<usize> = numbers
            .filter(|number| differs_at_most_at(&rows[first], &rows[*number], at))
            .collect();
        let is_value = || alike.iter().any(|row| token(&rows[*row], at) == ANY);
        (alike.len() >= MANY || alike.len() > 1 && is_value()).then_some(alike)
    });
    groups.collect()
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns what rows of one template have in common besides their tokens.
fn shared(row: &Row) -> (Option<kwhy_model::Severity>, &Option<String>, usize) {
    (row.severity, &row.reason, row.tokens.len())
}

fn token(row: &Row, at: usize) -> &str {
    mask::untyped(&row.tokens[at])
}

fn differs_at_most_at(one: &Row, other: &Row, at: usize) -> bool {
    let others = || (0..one.tokens.len()).filter(|place| *place != at);
    shared(one) == shared(other) && others().all(|place| token(one, place) == token(other, place))
}
