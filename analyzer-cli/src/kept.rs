//! Copies of small documents, so that a page can show the lines around the evidence.

use std::io::{self, Read};

use kwhy_core::Report;

/// The maximum size of a document that is kept, and of all together, in bytes.
const LARGEST: usize = 1 << 20;
const ALL: usize = 64 << 20;
/// The number of lines shown before and after the evidence.
const LINES: u64 = 2;

/// The documents that are kept, with their names.
#[derive(Debug, Default)]
pub struct Kept {
    documents: Vec<(String, Vec<u8>)>,
    size: usize,
}

impl Kept {
    /// Returns a reader that also keeps a copy of the document if it is not too large.
    pub fn copying<'k, R: Read + ?Sized>(
        &'k mut self,
        name: &str,
        reader: &'k mut R,
    ) -> Copying<'k, R> {
        Copying {
            reader,
            name: name.to_owned(),
            copy: Some(Vec::new()),
            kept: self,
        }
    }

    /// Adds the lines around the evidence to a report, from the documents that were kept.
    pub fn fill(self, report: &mut Report) {
        for (name, content) in self.documents {
            report.add_lines_around(&name, &content, LINES);
        }
    }
}

/// A reader that copies what it reads; dropping it keeps the copy.
pub struct Copying<'k, R: ?Sized> {
    reader: &'k mut R,
    name: String,
    /// The bytes so far; `None` once they are too many.
    copy: Option<Vec<u8>>,
    kept: &'k mut Kept,
}

impl<R: Read + ?Sized> Read for Copying<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        if let Some(copy) = &mut self.copy {
            copy.extend_from_slice(&into[..read]);
            if copy.len() > LARGEST || copy.len() + self.kept.size > ALL {
                self.copy = None;
            }
        }
        Ok(read)
    }
}

impl<R: ?Sized> Drop for Copying<'_, R> {
    fn drop(&mut self) {
        if let Some(copy) = self.copy.take() {
            self.kept.size += copy.len();
            self.kept
                .documents
                .push((std::mem::take(&mut self.name), copy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_documents_are_kept() {
        let mut kept = Kept::default();
        for (name, size) in [("small", 10), ("large", LARGEST + 1), ("empty", 0)] {
            let content = vec![b'x'; size];
            let mut read = Vec::new();
            kept.copying(name, &mut &content[..])
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!(read.len(), size);
        }
        let names: Vec<&str> = kept.documents.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, ["small", "empty"]);
        assert_eq!(kept.size, 10);
    }
}
