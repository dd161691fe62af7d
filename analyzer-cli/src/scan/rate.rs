//! The speed at which bundles are read, and the time left.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressStyle};

use kwhy_bundle::archive::limits::Shared;
use kwhy_render::counted;

/// Shorter work is not reported.
const QUIET: Duration = Duration::from_secs(1);
/// The interval between updates on a terminal.
const EVERY: Duration = Duration::from_millis(200);

/// Counts what is read, and draws a progress bar if asked to.
pub struct Rate {
    counts: Arc<Counts>,
    start: Instant,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Counts {
    /// The number of all bundles, and of their bytes.
    bundles: usize,
    bytes: u64,
    /// The number of bundles that were read, their bytes, and the bytes they unpacked to.
    done: AtomicUsize,
    read: AtomicU64,
    unpacked: AtomicU64,
    /// The bundles being read.
    running: Mutex<Vec<Arc<Shared>>>,
}

impl Counts {
    fn running(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Shared>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of bytes read so far, and of the bytes they unpacked to.
    fn bytes(&self) -> (u64, u64) {
        let running = self.running();
        let mut read = self.read.load(Ordering::Relaxed);
        let mut unpacked = self.unpacked.load(Ordering::Relaxed);
        for shared in running.iter() {
            let (own, own_unpacked) = of(shared);
            read += own;
            unpacked += own_unpacked;
        }
        (read, unpacked)
    }

    /// Returns the message beside the bar: `14 of 500 bundles, 3.2 a second, 210 MiB a second unpacked, 2 minutes
    /// left`.
    fn message(&self, elapsed: Duration) -> String {
        let done = self.done.load(Ordering::Relaxed);
        let (read, unpacked) = self.bytes();
        let mut message = format!(
            "{done} of {}, {}",
            counted(self.bundles as u64, "bundle"),
            speed(done, unpacked, elapsed)
        );
        if let Some(left) = left(read, self.bytes, elapsed) {
            let _ = write!(message, ", {} left", HumanDuration(left));
        }
        message
    }
}

/// Returns the number of bytes read of a source, and of the bytes they unpacked to.
fn of(shared: &Shared) -> (u64, u64) {
    let read = shared.read.load(Ordering::Relaxed);
    (read, shared.unpacked.load(Ordering::Relaxed).max(read))
}

fn speed(bundles: usize, unpacked: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    format!(
        "{:.1} a second, {} a second unpacked",
        bundles as f64 / seconds,
        HumanBytes((unpacked as f64 / seconds) as u64)
    )
}

/// Estimates the time left at the speed so far; `None` if nothing was read, or everything.
fn left(read: u64, all: u64, elapsed: Duration) -> Option<Duration> {
    if read == 0 || all <= read {
        return None;
    }
    Some(elapsed.mul_f64((all - read) as f64 / read as f64))
}

/// A bundle being read; dropping it counts it as done.
pub struct Reading<'r> {
    counts: &'r Counts,
    shared: Arc<Shared>,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut running = self.counts.running();
        running.retain(|other| !Arc::ptr_eq(other, &self.shared));
        let (read, unpacked) = of(&self.shared);
        self.counts.read.fetch_add(read, Ordering::Relaxed);
        self.counts.unpacked.fetch_add(unpacked, Ordering::Relaxed);
        self.counts.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Rate {
    /// Starts counting; `sizes` are those of the bundles.
    pub fn start(sizes: &[u64], is_drawn: bool) -> Rate {
        let counts = Arc::new(Counts {
            bundles: sizes.len(),
            bytes: sizes.iter().sum(),
            ..Counts::default()
        });
        let start = Instant::now();
        let (stop, stopped) = channel();
        let drawn = Arc::clone(&counts);
        let draw = move || {
            let mut bar: Option<ProgressBar> = None;
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if start.elapsed() < QUIET {
                    continue;
                }
                let bar = bar.get_or_insert_with(|| {
                    let bar = ProgressBar::new(drawn.bytes);
                    match ProgressStyle::with_template("{bar:24} {msg}") {
                        Ok(style) => bar.with_style(style),
                        Err(_) => bar,
                    }
                });
                bar.set_position(drawn.bytes().0);
                bar.set_message(drawn.message(start.elapsed()));
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        };
        let thread = is_drawn.then(|| std::thread::spawn(draw));
        Rate {
            counts,
            start,
            stop: Some(stop),
            thread,
        }
    }

    /// Counts a bundle as being read until the returned guard is dropped.
    pub fn begin(&self, shared: &Arc<Shared>) -> Reading<'_> {
        self.counts.running().push(Arc::clone(shared));
        Reading {
            counts: &self.counts,
            shared: Arc::clone(shared),
        }
    }

    /// Stops drawing, and returns the speed as text; `None` if the run was short or read nothing.
    pub fn end(mut self) -> Option<String> {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // a panic while drawing must not affect the result
            let _ = thread.join();
        }
        let elapsed = self.start.elapsed();
        let done = self.counts.done.load(Ordering::Relaxed);
        let (_, unpacked) = self.counts.bytes();
        let pace = || {
            format!(
                "{} in {:.1} s: {}",
                counted(done as u64, "bundle"),
                elapsed.as_secs_f64(),
                speed(done, unpacked, elapsed)
            )
        };
        (elapsed >= QUIET && done > 0).then(pace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reported() {
        let rate = Rate::start(&[1000, 3000], false);
        let shared = [Arc::new(Shared::default()), Arc::new(Shared::default())];
        let first = rate.begin(&shared[0]);
        let _second = rate.begin(&shared[1]);
        shared[0].read.store(1000, Ordering::Relaxed);
        shared[0].unpacked.store(20 << 20, Ordering::Relaxed);
        drop(first);
        assert_eq!(rate.counts.bytes(), (1000, 20 << 20));
        shared[1].read.store(1000, Ordering::Relaxed);
        let message = rate.counts.message(Duration::from_secs(10));
        assert_eq!(
            message,
            "1 of 2 bundles, 0.1 a second, 2.00 MiB a second unpacked, 10 seconds left"
        );
    }

    #[test]
    fn the_rest_takes_as_long() {
        let second = Duration::from_secs(1);
        assert_eq!(left(10, 30, second), Some(2 * second));
        assert_eq!(left(0, 30, second), None);
        assert_eq!(left(30, 30, second), None);
    }
}
