//! Work beside Python: without its lock, until it is done or somebody interrupts it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use kwhy_core::Cancel;
use pyo3::prelude::*;

use crate::errors;

/// The interval at which signals are looked at.
pub const EVERY: Duration = Duration::from_millis(50);

/// Does work on a thread of its own while other threads of Python run. An interrupt cancels it, and is raised.
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
                // nobody may wait any longer
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

/// Does work whose panic becomes an exception.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| errors::internal(&*panic))
}
