//! Knowledge of the input for the blocks that follow: the q-grams that find its literals best,
//! and of which conditions no further hit is kept. Neither changes what is found or counted.

use std::collections::{BTreeSet, VecDeque};

use super::block_scan::{BlockContext, MAX_ERROR_RECORDS, MAX_LATER_ERROR_RECORDS};
use super::blocks::Block;
use kwhy_signature::{ConditionId, Index};

/// The number of blocks of a generation. A block is scanned with what was known at the end of the generation
/// before the previous one, whatever the number of threads.
pub(super) const EPOCH: u64 = 64;

/// The most blocks that may be scanned or scanned and not merged at a time: what a block needs to know was merged
/// before.
pub(super) const MAX_IN_FLIGHT: usize = EPOCH as usize;

/// The number of blocks at the start in which more error records are parsed.
const FIRST_BLOCKS: u64 = 64;

/// The number of bytes of the input that are sampled, ...
const USUAL: usize = 512 * 1024;
/// ... and how much of one block.
const USUAL_OF_BLOCK: usize = 32 * 1024;

/// The conditions over several of which no further hit is kept.
pub(super) type Full = BTreeSet<ConditionId>;

/// The knowledge for the next blocks.
pub(super) struct AdaptiveState {
    /// The conditions that were full at the ends of the last generations of blocks, the oldest first.
    full: VecDeque<Full>,
    /// The number of generations that are over.
    generations: u64,
    /// The index made for this input, once enough of it was seen. It finds what any other one finds, so it does not
    /// matter when that is.
    tuned: Option<Index>,
    /// Pieces of the first blocks.
    usual: Vec<u8>,
}

impl AdaptiveState {
    pub fn new() -> Self {
        AdaptiveState {
            full: VecDeque::from([Full::new(), Full::new()]),
            generations: 0,
            tuned: None,
            usual: Vec::new(),
        }
    }

    /// Returns what is known when the block with this number is scanned, which is one of the next two generations.
    pub fn known(&self, number: u64) -> BlockContext<'_> {
        let later = (number / EPOCH).saturating_sub(self.generations);
        BlockContext {
            full: self.full.get(later as usize).unwrap_or(&self.full[0]),
            error_records: if number < FIRST_BLOCKS {
                MAX_ERROR_RECORDS
            } else {
                MAX_LATER_ERROR_RECORDS
            },
            joined_up_to: 0,
        }
    }

    /// The index to search with in place of one.
    pub fn index<'i>(&'i self, index: Option<&'i Index>) -> Option<&'i Index> {
        index.map(|index| self.tuned.as_ref().unwrap_or(index))
    }

    /// Learns from blocks by which bytes the texts of an index are found best.
    pub fn tune(&mut self, index: Option<&Index>, blocks: &[Block]) {
        let Some(index) = index.filter(|_| self.tuned.is_none()) else {
            return;
        };
        for block in blocks {
            let piece = &block.bytes[..block.bytes.len().min(USUAL_OF_BLOCK)];
            self.usual.extend_from_slice(piece);
        }
        if self.usual.len() >= USUAL {
            self.tuned = Some(index.tuned(&std::mem::take(&mut self.usual)));
        }
    }

    /// Takes what is full at the ends of the next generations.
    pub fn take(&mut self, full: Vec<Full>) {
        for full in full {
            self.generations += 1;
            self.full.pop_front();
            self.full.push_back(full);
        }
    }
}
