//! Growth by an eighth, as doubling leaves up to half of a large table empty.

/// Reserves capacity for more items.
pub(super) fn make_room<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        items.reserve_exact(growth(items.len(), more));
    }
}

fn growth(length: usize, more: usize) -> usize {
    const LEAST: usize = 16;
    (length / 8).max(LEAST).max(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_grow_by_an_eighth() {
        let mut items: Vec<u8> = vec![0; 1000];
        items.shrink_to_fit();
        make_room(&mut items, 1);
        assert_eq!(items.capacity(), 1125);
        make_room(&mut items, 125);
        assert_eq!(items.capacity(), 1125);
        make_room(&mut items, 400);
        assert_eq!(items.capacity(), 1400);
    }
}
