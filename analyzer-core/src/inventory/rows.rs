//! Lists of short byte rows, stored in chunks: a list that grows as a whole is copied, which doubles its memory for a
//! moment.

use super::numbers::{Numbers, push};

/// The size of a chunk in bytes. A longer row has a chunk of its own.
const CHUNK: usize = 1 << 14;

/// The rows of all lists. Each chunk belongs to one list.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    chunks: Vec<Vec<u8>>,
    /// The number of bytes of all rows.
    bytes: usize,
    /// A buffer for the encoded length of a row.
    length: Vec<u8>,
}

/// The rows of one list: the numbers of its chunks, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct List(Vec<u32>);

/// The place of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At(u32);

impl List {
    /// Returns true if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Rows {
    /// Appends a row to a list. Returns false if there are too many rows.
    pub fn add(&mut self, list: &mut List, row: &[u8]) -> bool {
        self.length.clear();
        push(&mut self.length, row.len() as u64);
        let needed = self.length.len() + row.len();
        let last = list.0.last().map(|chunk| *chunk as usize);
        let last = last.filter(|chunk| {
            let chunk = self.chunks.get(*chunk);
            chunk.is_some_and(|chunk| chunk.len() + needed <= CHUNK)
        });
        let Some(number) = last.or_else(|| self.start(list, needed)) else {
            return false;
        };
        if let Some(chunk) = self.chunks.get_mut(number) {
            chunk.extend_from_slice(&self.length);
            chunk.extend_from_slice(row);
        }
        self.bytes += needed;
        true
    }

    /// Starts a chunk of a list and returns its number; `None` if there are too many. A list's first chunk grows
    /// gradually, as most lists are short.
    fn start(&mut self, list: &mut List, needed: usize) -> Option<usize> {
        const MOST: usize = u32::MAX as usize / CHUNK;
        let number = self.chunks.len();
        if number > MOST {
            return None;
        }
        self.chunks.push(match list.is_empty() {
            true => Vec::new(),
            false => Vec::with_capacity(CHUNK.max(needed)),
        });
        list.0.push(number as u32);
        Some(number)
    }

    /// The rows of a list, in order.
    pub fn of<'r>(&'r self, list: &'r List) -> impl Iterator<Item = (At, &'r [u8])> {
        list.0.iter().flat_map(move |number| {
            let chunk = self.chunks.get(*number as usize);
            let chunk = chunk.map_or(&[][..], |chunk| chunk);
            let mut rest = Numbers(chunk);
            std::iter::from_fn(move || {
                let start = chunk.len() - rest.0.len();
                let row = next(&mut rest)?;
                Some((At(*number * CHUNK as u32 + start as u32), row))
            })
        })
    }

    /// Returns the row at a place; empty if there is none.
    pub fn get(&self, at: At) -> &[u8] {
        let at = at.0 as usize;
        let chunk = self.chunks.get(at / CHUNK);
        let rest = chunk.and_then(|chunk| chunk.get(at % CHUNK..));
        rest.and_then(|rest| next(&mut Numbers(rest)))
            .unwrap_or_default()
    }

    /// Removes a list.
    pub fn remove(&mut self, list: &List) {
        for number in &list.0 {
            if let Some(chunk) = self.chunks.get_mut(*number as usize) {
                self.bytes -= chunk.len();
                *chunk = Vec::new();
            }
        }
    }

    /// The number of bytes that all rows take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Reads the next row.
fn next<'b>(rest: &mut Numbers<'b>) -> Option<&'b [u8]> {
    let length = rest.number()?;
    rest.bytes(usize::try_from(length).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_have_the_rows_that_were_added(
            added in prop::collection::vec((0..4usize, 0..600usize, 1..40usize, any::<u8>()), 0..60)
        ) {
            let mut rows = Rows::default();
            let mut lists = [(); 4].map(|()| List::default());
            let mut model: [Vec<Vec<u8>>; 4] = Default::default();
            for (list, length, times, byte) in added {
                let row = vec![byte; length * times];
                prop_assert!(rows.add(&mut lists[list], &row));
                model[list].push(row);
            }
            // one list is removed
            rows.remove(&std::mem::take(&mut lists[3]));
            model[3].clear();
            let mut bytes = 0;
            for (list, model) in lists.iter().zip(&model) {
                prop_assert_eq!(list.is_empty(), model.is_empty());
                prop_assert!(rows.of(list).map(|(_, row)| row).eq(model));
                for ((at, _), row) in rows.of(list).zip(model) {
                    prop_assert_eq!(rows.get(at), row);
                    let length_bytes = [1 << 7, 1 << 14].iter().filter(|least| row.len() >= **least).count() + 1;
                    bytes += row.len() + length_bytes;
                }
            }
            prop_assert_eq!(rows.bytes(), bytes);
        }
    }

    #[test]
    fn nothing_is_at_a_place_without_a_row() {
        assert!(Rows::default().get(At(70_000)).is_empty());
    }
}
