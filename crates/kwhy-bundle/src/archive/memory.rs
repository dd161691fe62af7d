//! A memory budget for decoders. Nested streams are open at the same time, so they share one budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes that all decoders of one source may use together: as much as a zstd frame of `--ultra -22` asks
/// for.
const BUDGET: u64 = 128 << 20;

/// A share of a budget. Its bytes are returned when it is dropped.
#[derive(Debug)]
pub(super) struct Memory {
    left: Arc<AtomicU64>,
    taken: u64,
}

impl Memory {
    /// Creates the budget of a source.
    pub fn budget() -> Memory {
        Memory {
            left: Arc::new(AtomicU64::new(BUDGET)),
            taken: 0,
        }
    }

    /// Creates another share of the same budget, with no bytes reserved yet.
    pub fn share(&self) -> Memory {
        Memory {
            left: Arc::clone(&self.left),
            taken: 0,
        }
    }

    /// Returns the number of unreserved bytes of the budget.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Reserves `bytes` in place of what this share reserved before. Returns false, with nothing reserved, if fewer
    /// bytes are left.
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
