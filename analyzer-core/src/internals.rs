//! Entry points into the stages of the engine, for this repository's benchmarks, which measure each stage alone.
//! Unstable.

use crate::engine::{blocks, line_index};
use kwhy_catalogue::Catalogue;

/// Returns the number of the catalogue's literals that occur in `text`.
pub fn sweep(catalogue: &Catalogue, text: &[u8]) -> u64 {
    let mut count = 0;
    catalogue.index().sweep(text, |_| count += 1);
    count
}

/// Returns the number of lines in `text`, and the number of those that start a record.
pub fn index_lines(text: &[u8]) -> (u64, u64) {
    let survey = line_index::index_lines(text, Default::default());
    (survey.lines, survey.records)
}

/// Returns the number of chunks of at least `size` bytes that a document is split into, and the
/// number of lines that end them.
pub fn cut(document: &[u8], size: usize) -> (u64, u64) {
    let mut blocks = blocks::Blocks::new(0, document, size);
    let (mut count, mut lines) = (0, 0);
    while let Some(block) = blocks.next() {
        count += 1;
        lines += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
    }
    (count, lines)
}

/// The literals by which a catalogue's signatures are prefiltered, each once.
pub fn literals(catalogue: &Catalogue) -> Vec<String> {
    let index = catalogue.index();
    let literals = index.literals.literals.iter();
    literals.map(str::to_owned).collect()
}
