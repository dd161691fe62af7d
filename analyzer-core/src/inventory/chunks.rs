//! Short lists one after the other, in chunks: a table that grows as a whole is copied, and is there twice meanwhile.

/// The number of items of a chunk.
const CHUNK: usize = 1 << 16;

/// Lists that are added, and read by where they start. None crosses the end of a chunk.
#[derive(Clone, Debug)]
pub(super) struct Chunks<T>(Vec<Vec<T>>);

impl<T> Default for Chunks<T> {
    fn default() -> Chunks<T> {
        Chunks(vec![Vec::new()])
    }
}

impl<T: Copy> Chunks<T> {
    /// Adds a list and says where it starts; none if it is longer than a chunk, or if there are too many.
    pub fn add(&mut self, list: &[T]) -> Option<u32> {
        if list.len() > CHUNK {
            return None;
        }
        if self.0.last().map_or(0, Vec::len) + list.len() > CHUNK {
            self.0.push(Vec::with_capacity(CHUNK));
        }
        let before = (self.0.len() - 1) * CHUNK;
        let last = self.0.last_mut()?;
        let start = u32::try_from(before + last.len()).ok()?;
        last.extend_from_slice(list);
        Some(start)
    }

    /// The items from a place on, to the end of its chunk.
    pub fn since(&self, start: u32) -> &[T] {
        let start = start as usize;
        let chunk = self.0.get(start / CHUNK);
        chunk
            .and_then(|chunk| chunk.get(start % CHUNK..))
            .unwrap_or_default()
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> usize {
        let full = (self.0.len() - 1) * CHUNK;
        (full + self.0.last().map_or(0, Vec::len)) * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_whole_in_any_chunk() {
        let mut chunks = Chunks::default();
        let list = |number: usize| vec![number; number % 700];
        let starts: Vec<u32> = (0..1000)
            .map(|number| chunks.add(&list(number)).unwrap())
            .collect();
        assert!(chunks.bytes() > 3 * CHUNK * size_of::<usize>());
        for (number, start) in starts.into_iter().enumerate() {
            let list = list(number);
            assert_eq!(chunks.since(start)[..list.len()], list);
        }
        assert_eq!(chunks.add(&vec![0; CHUNK + 1]), None);
        let last = chunks.add(&vec![1; CHUNK]).unwrap();
        assert_eq!(chunks.since(last), vec![1; CHUNK]);
        assert!(chunks.since(u32::MAX).is_empty());
    }
}
