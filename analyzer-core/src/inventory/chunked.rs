//! A table that grows without being copied: a copy would double its memory for a moment.

/// The number of items per chunk.
const CHUNK: usize = 1 << 10;

/// Items by number, in chunks that are all full except the last one.
#[derive(Clone, Debug)]
pub(super) struct Chunked<T>(Vec<Vec<T>>);

impl<T> Default for Chunked<T> {
    fn default() -> Chunked<T> {
        Chunked(Vec::new())
    }
}

impl<T> Chunked<T> {
    /// Adds an item. The first chunk grows gradually, as most tables are short.
    pub fn push(&mut self, item: T) {
        match self.0.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(item),
            last => {
                let room = if last.is_some() { CHUNK } else { 1 };
                let mut chunk = Vec::with_capacity(room);
                chunk.push(item);
                self.0.push(chunk);
            }
        }
    }

    /// Returns the item with a number.
    pub fn get(&self, number: usize) -> Option<&T> {
        self.0.get(number / CHUNK)?.get(number % CHUNK)
    }

    /// Returns the item with a number.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.0.get_mut(number / CHUNK)?.get_mut(number % CHUNK)
    }

    /// Returns the last item.
    pub fn last(&self) -> Option<&T> {
        self.0.last()?.last()
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        let before = self.0.len().saturating_sub(1);
        before * CHUNK + self.0.last().map_or(0, Vec::len)
    }

    /// All items, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// All items, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }

    /// The number of bytes that all items take.
    pub fn bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_their_numbers_in_any_chunk() {
        let mut items = Chunked::default();
        assert_eq!((items.len(), items.last(), items.get(0)), (0, None, None));
        for number in 0..3 * CHUNK + 5 {
            items.push(number);
            assert_eq!((items.len(), items.last()), (number + 1, Some(&number)));
        }
        items.iter_mut().for_each(|item| *item += 1);
        assert!(items.iter().copied().eq(1..3 * CHUNK + 6));
        for number in [0, CHUNK - 1, CHUNK, 3 * CHUNK + 4] {
            assert_eq!(items.get(number), Some(&(number + 1)));
            assert_eq!(items.get_mut(number), Some(&mut (number + 1)));
        }
        assert_eq!(items.get(3 * CHUNK + 5), None);
        assert_eq!(items.bytes(), (3 * CHUNK + 5) * size_of::<usize>());
    }
}
