//! The memory of decoders: streams inside of one another are open at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that the decoders of one source may take in all: what a zstd frame of `--ultra -22` asks for.
const BUDGET: u64 = 128 << 20;

/// A share of a budget, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Memory {
    left: Arc<AtomicU64>,
    taken: u64,
}

impl Memory {
    /// Of a source that was opened.
    pub fn budget() -> Memory {
        Memory {
            left: Arc::new(AtomicU64::new(BUDGET)),
            taken: 0,
        }
    }

    /// A further share of the same budget, which takes nothing yet.
    pub fn share(&self) -> Memory {
        Memory {
            left: Arc::clone(&self.left),
            taken: 0,
        }
    }

    /// The bytes that are left.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes this many bytes in place of what was taken before. Returns false if there are fewer.
    pub fn take(&mut self, bytes: u64) -> bool {
        self.give_back();
        let less = |left: u64| left.checked_sub(bytes);
        let taken = (self.left).fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if taken.is_ok() {
            self.taken = bytes;
        }
        taken.is_ok()
    }

    fn give_back(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        self.left.fetch_add(taken, Ordering::Relaxed);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_one_budget() {
        let mut outer = Memory::budget();
        let mut inner = outer.share();
        assert!(outer.take(BUDGET - 10) && !inner.take(11) && inner.take(10));
        assert!(!outer.take(BUDGET));
        drop(inner);
        assert!(outer.take(BUDGET) && outer.left() == 0);
    }
}
