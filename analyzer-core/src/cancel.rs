//! Reading that ends early.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle that ends reading early, from any thread. Its clones are the same handle.
///
/// ```
/// use kwhy_core::Cancel;
/// let cancel = Cancel::new();
/// let other = cancel.clone();
/// assert!(!other.cancel());
/// assert!(cancel.is_cancelled());
/// // it was cancelled before
/// assert!(cancel.cancel());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Creates a handle that is not cancelled.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends all reading under this handle, each at its next check. Returns true if the handle was cancelled before.
    pub fn cancel(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Returns true if the handle was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A reader that reports the end of its input once its handle is cancelled.
pub(crate) struct Cancellable<R> {
    reader: R,
    cancel: Cancel,
    /// True if reading ended because the handle was cancelled.
    pub is_cut: bool,
}

impl<R> Cancellable<R> {
    pub fn new(reader: R, cancel: &Cancel) -> Cancellable<R> {
        Cancellable {
            reader,
            cancel: cancel.clone(),
            is_cut: false,
        }
    }
}

impl<R: Read> Read for Cancellable<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            self.is_cut = true;
            return Ok(0);
        }
        self.reader.read(into)
    }
}
