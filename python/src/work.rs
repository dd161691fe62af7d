//! Runs work without holding the GIL, until it is done or interrupted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use kwhy_core::Cancel;
use pyo3::prelude::*;

use crate::errors;

/// The interval at which signals are checked.
pub const EVERY: Duration = Duration::from_millis(50);

/// Runs work on a separate thread while other Python threads continue. An interrupt such as Ctrl-C cancels the work and
/// is raised as its exception.
pub fn beside<T: Send>(
    py: Python<'_>,
    stop: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, is_done) = channel();
    let both = move || {
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let result = caught(work);
                // the receiver may already be gone
                let _ = done.send(());
                result
            });
            let mut interrupt = None;
            while is_done.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    stop.cancel();
                    interrupt = Some(error);
                }
            }
            let result = worker.join();
            match (interrupt, result) {
                (Some(interrupt), _) => Err(interrupt),
                (None, Ok(result)) => result,
                (None, Err(panic)) => Err(errors::internal(&*panic)),
            }
        })
    };
    py.detach(both)
}

/// Runs work and converts a panic to an exception.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| errors::internal(&*panic))
}
