//! Limits the steps of a run.

use std::cell::Cell;

use jaq_core::Error;

use super::value::Value;

/// The maximum number of steps per run.
const MAX_STEPS: u64 = 200_000;

/// The number of bytes of a string, or of items of a list, that one step creates.
pub(super) const SIZE_OF_STEP: usize = 64;

thread_local! {
    /// The remaining steps of this thread's run.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// The steps of one run.
pub(super) struct Steps(());

impl Steps {
    /// Starts counting the steps of a run.
    pub fn begin() -> Steps {
        LEFT.set(MAX_STEPS);
        Steps(())
    }

    /// Returns true if no steps remain.
    pub fn are_used_up(&self) -> bool {
        LEFT.get() == 0
    }

    /// Takes one step. Returns false if none remain.
    pub fn take_one(&self) -> bool {
        take(1)
    }
}

/// Takes steps. Returns false if none remain.
pub(super) fn take(steps: u64) -> bool {
    let left = LEFT.get().saturating_sub(steps);
    LEFT.set(left);
    left > 0
}

/// Takes the steps for creating a value of this size.
pub(super) fn step(size: usize) -> Result<(), Error<Value>> {
    match take(1 + (size / SIZE_OF_STEP) as u64) {
        true => Ok(()),
        false => Err(Error::str("too many steps")),
    }
}
