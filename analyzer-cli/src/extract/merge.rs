//! Sorts the events of many documents by time in bounded memory: what does not fit is sorted in parts, which are kept
//! in unnamed temporary files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};

/// The maximum number of bytes sorted in memory.
const ROOM: usize = 48 << 20;

/// The number of parts that are merged at a time; further ones are merged first.
const MAX_PARTS: usize = 256;

/// The key of the order: an event's time in nanoseconds, then its number in the input.
pub type Key = (i128, u64);

/// Text with its place in the order.
type Item = (Key, Vec<u8>);

/// Accepts texts in any order and returns them sorted.
pub struct Sorter {
    items: Vec<Item>,
    bytes: usize,
    room: usize,
    parts: Vec<File>,
}

impl Default for Sorter {
    fn default() -> Self {
        Sorter::with_room(ROOM)
    }
}

impl Sorter {
    fn with_room(room: usize) -> Self {
        Sorter {
            items: Vec::new(),
            bytes: 0,
            room,
            parts: Vec::new(),
        }
    }

    /// Adds a text.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn add(&mut self, key: Key, text: Vec<u8>) -> io::Result<()> {
        self.bytes += text.len() + std::mem::size_of::<Item>();
        self.items.push((key, text));
        if self.bytes < self.room {
            return Ok(());
        }
        self.items.sort_unstable_by_key(|(key, _)| *key);
        self.bytes = 0;
        let items = std::mem::take(&mut self.items);
        let part = write_part(items.into_iter().map(Ok))?;
        self.parts.push(part);
        if self.parts.len() < MAX_PARTS {
            return Ok(());
        }
        let merged = write_part(Merge::of(std::mem::take(&mut self.parts), Vec::new())?)?;
        self.parts.push(merged);
        Ok(())
    }

    /// Returns all texts in order.
    ///
    /// # Errors
    /// A temporary file cannot be read; each item may fail for that reason too.
    pub fn finish(mut self) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>>> {
        self.items.sort_unstable_by_key(|(key, _)| *key);
        let merge = Merge::of(self.parts, self.items)?;
        Ok(merge.map(|item| item.map(|(_, text)| text)))
    }
}

/// Writes sorted texts to a temporary file, each preceded by its key and length.
fn write_part(items: impl Iterator<Item = io::Result<Item>>) -> io::Result<File> {
    let file = tempfile::tempfile().map_err(|error| {
        let folder = std::env::temp_dir();
        io::Error::new(
            error.kind(),
            format!("no temporary file in {}: {error}", folder.display()),
        )
    })?;
    let mut out = BufWriter::new(file);
    for item in items {
        let ((time, number), text) = item?;
        out.write_all(&time.to_le_bytes())?;
        out.write_all(&number.to_le_bytes())?;
        out.write_all(&(text.len() as u64).to_le_bytes())?;
        out.write_all(&text)?;
    }
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

/// Reads the next text of a part; `None` at its end.
fn read_item(part: &mut BufReader<File>) -> io::Result<Option<Item>> {
    if part.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut time = [0; 16];
    part.read_exact(&mut time)?;
    let mut word = [0; 8];
    part.read_exact(&mut word)?;
    let number = u64::from_le_bytes(word);
    part.read_exact(&mut word)?;
    let mut text = vec![0; u64::from_le_bytes(word) as usize];
    part.read_exact(&mut text)?;
    Ok(Some(((i128::from_le_bytes(time), number), text)))
}

/// Merges sorted parts and the sorted texts in memory.
struct Merge {
    parts: Vec<BufReader<File>>,
    rest: std::vec::IntoIter<Item>,
    /// The next text of each part and of the texts in memory, which count as the last part.
    next: BinaryHeap<Reverse<(Key, usize, Vec<u8>)>>,
}

impl Merge {
    fn of(parts: Vec<File>, rest: Vec<Item>) -> io::Result<Merge> {
        let mut merge = Merge {
            parts: parts.into_iter().map(BufReader::new).collect(),
            rest: rest.into_iter(),
            next: BinaryHeap::new(),
        };
        for part in 0..=merge.parts.len() {
            merge.fetch(part)?;
        }
        Ok(merge)
    }

    fn fetch(&mut self, part: usize) -> io::Result<()> {
        let item = match self.parts.get_mut(part) {
            Some(file) => read_item(file)?,
            None => self.rest.next(),
        };
        let next = item.map(|(key, text)| Reverse((key, part, text)));
        self.next.extend(next);
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<io::Result<Item>> {
        let Reverse((key, part, text)) = self.next.pop()?;
        Some(self.fetch(part).map(|()| (key, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_whatever_the_room() {
        let mut state = 7u64;
        let items: Vec<(Key, Vec<u8>)> = (0..2000)
            .map(|number| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let time = i128::from(state >> 56);
                ((time, number), format!("{time}:{number}\n").into_bytes())
            })
            .collect();
        let mut wanted = items.clone();
        wanted.sort();
        let wanted: Vec<u8> = wanted.into_iter().flat_map(|(_, text)| text).collect();
        for room in [100, 5000, usize::MAX] {
            let mut sorter = Sorter::with_room(room);
            for (key, text) in items.clone() {
                sorter.add(key, text).unwrap();
            }
            let found: Vec<Vec<u8>> = sorter.finish().unwrap().map(Result::unwrap).collect();
            assert_eq!(found.concat(), wanted, "{room}");
        }
    }
}
