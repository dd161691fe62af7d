//! The steps that a run may take.

use std::cell::Cell;

use jaq_core::Error;

use super::value::Value;

/// The most steps of one run.
const MAX_STEPS: u64 = 200_000;

/// The bytes of a text, or the items of a list, that are made in one step.
pub(super) const SIZE_OF_STEP: usize = 64;

thread_local! {
    /// The steps that are left to the run of this thread.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// The steps of one run.
pub(super) struct Steps(());

impl Steps {
    /// Starts to count those of a run.
    pub fn begin() -> Steps {
        LEFT.set(MAX_STEPS);
        Steps(())
    }

    /// Returns true if there are no more.
    pub fn are_used_up(&self) -> bool {
        LEFT.get() == 0
    }

    /// Takes one, if there is one.
    pub fn take_one(&self) -> bool {
        take(1)
    }
}

/// Takes steps; false if there are no more.
pub(super) fn take(steps: u64) -> bool {
    let left = LEFT.get().saturating_sub(steps);
    LEFT.set(left);
    left > 0
}

/// A step that makes something of a size.
pub(super) fn step(size: usize) -> Result<(), Error<Value>> {
    match take(1 + (size / SIZE_OF_STEP) as u64) {
        true => Ok(()),
        false => Err(Error::str("too many steps")),
    }
}
