//! Sorts with one copy of the standard library's stable sort, which takes 6 KB of code for each type and key. What is sorted for each
//! record calls that one itself.

use std::cmp::Ordering;

/// Sorts items by their keys, each of which is made once; equal ones stay in their order.
pub(crate) fn by_key<T, K: Ord>(items: &mut [T], key: impl FnMut(&T) -> K) {
    if items.len() > 1 {
        let keys: Vec<K> = items.iter().map(key).collect();
        let order = order(keys.len(), &|a, b| keys[a].cmp(&keys[b]));
        arrange(items, order);
    }
}

/// Sorts items by an order; equal ones stay in theirs.
pub(crate) fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(items, order);
}

/// Returns the indices of items in the order of the items.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Moves to each place the item whose index is at that place.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for first in 0..items.len() {
        // the item that was first is carried along until it is where it belongs
        let mut at = first;
        loop {
            let next = std::mem::replace(&mut order[at], at);
            if next == first || next == at {
                break;
            }
            items.swap(at, next);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_the_standard_library_sorts(items in prop::collection::vec((0..9u8, any::<u8>()), 0..60)) {
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut sorted = items.clone();
            by_key(&mut sorted, |(key, _)| *key);
            prop_assert_eq!(&sorted, &expected);
            let mut sorted = items;
            by(&mut sorted, |a, b| a.0.cmp(&b.0));
            prop_assert_eq!(sorted, expected);
        }
    }
}
