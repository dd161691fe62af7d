//! The order of documents: by name, as a walk through folders visits them. Archives list their members in any order, on
//! which a report must not depend.

use crate::sort;
use std::cmp::Ordering;

/// The characters that separate folders, and an archive from its members, in a name.
const BETWEEN: [char; 3] = ['/', '\\', '!'];

/// Compares two documents by name, then by number, as of two equal names the later one was added later.
pub(super) fn compare<'n>(
    name: impl Fn(usize) -> Option<&'n str>,
) -> impl Fn(usize, usize) -> Ordering {
    move |a, b| {
        if a == b {
            return Ordering::Equal;
        }
        let name = |number| name(number).unwrap_or_default();
        by_parts(name(a), name(b)).then(a.cmp(&b))
    }
}

/// Returns true if one name precedes the other.
pub(super) fn is_before(a: &str, b: &str) -> bool {
    by_parts(a, b) == Ordering::Less
}

fn by_parts(a: &str, b: &str) -> Ordering {
    a.split(BETWEEN).cmp(b.split(BETWEEN))
}

/// Returns the document numbers in order.
pub(super) fn sorted(count: usize, order: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    sort::by(&mut numbers, |a, b| order(*a, *b));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_walk_through_folders() {
        let names = [
            "b.tar!pods/db-0.log",
            "b.tar!pods-list.json",
            "b.tar!pods/db/1.log",
            "b.tar!nodes.json",
            "b.tar!nodes.json",
            "a.tar!z",
        ];
        let order = compare(|number| names.get(number).copied());
        assert_eq!(sorted(names.len(), order), [5, 3, 4, 2, 0, 1]);
    }
}
