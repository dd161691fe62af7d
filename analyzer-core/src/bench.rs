//! A way into the stages of the engine for the benchmarks of the workspace, which measure each by
//! itself. Nothing of it is promised.

use crate::engine::{blocks, survey as surveyed};
use kwhy_catalogue::Catalogue;

/// How many texts of the catalogue's index stand in this one.
pub fn sweep(catalogue: &Catalogue, text: &[u8]) -> u64 {
    let mut count = 0;
    catalogue.index().sweep(text, |_| count += 1);
    count
}

/// How many lines a text has, and how many of them begin a record.
pub fn survey(text: &[u8]) -> (u64, u64) {
    let survey = surveyed::survey(text, false);
    (survey.lines, survey.records)
}

/// Into how many blocks of at least `size` bytes a document is cut, and how many lines these end.
pub fn cut(document: &[u8], size: usize) -> (u64, u64) {
    let mut blocks = blocks::Blocks::new(0, document, size);
    let (mut count, mut lines) = (0, 0);
    while let Some(block) = blocks.next() {
        count += 1;
        lines += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
    }
    (count, lines)
}

/// The literals that the signatures of a catalogue are prefiltered by, each once.
pub fn literals(catalogue: &Catalogue) -> Vec<String> {
    let index = catalogue.index();
    let literals = index.literals.literals.iter();
    literals.map(|literal| literal.to_string()).collect()
}
