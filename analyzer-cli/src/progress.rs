//! What a person sees while work goes on, and how it is broken off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::archive::limits::Shared;

/// Work that takes less is not shown.
const QUIET: Duration = Duration::from_secs(1);
/// How often it is shown.
const EVERY: Duration = Duration::from_millis(100);

/// A bar on standard error, until it is dropped.
pub struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows how far the reading is, out of so many bytes if that is known; nothing where nobody looks.
    pub fn start(shared: &Arc<Shared>, all: Option<u64>, is_shown: bool) -> Progress {
        if !is_shown {
            return Progress {
                stop: None,
                thread: None,
            };
        }
        let (stop, stopped) = channel();
        let shared = Arc::clone(shared);
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let mut bar: Option<ProgressBar> = None;
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if start.elapsed() < QUIET {
                    continue;
                }
                let bar = bar.get_or_insert_with(|| new_bar(all));
                let read = shared.read.load(Ordering::Relaxed);
                bar.set_position(read);
                bar.set_message(told(&shared, start.elapsed()));
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Progress {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // what it draws is no matter of the result
            let _ = thread.join();
        }
    }
}

fn new_bar(all: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let (bar, template) = match all {
        Some(all) => (
            ProgressBar::with_draw_target(Some(all), target),
            "{bar:24} {bytes} of {total_bytes}, {msg}, {eta} left",
        ),
        None => (
            ProgressBar::with_draw_target(None, target),
            "{spinner} {bytes}, {msg}",
        ),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// `1.2 GiB unpacked, 145 files, 230 MiB a second`.
fn told(shared: &Shared, elapsed: Duration) -> String {
    let read = shared.read.load(Ordering::Relaxed);
    let unpacked = shared.unpacked.load(Ordering::Relaxed).max(read);
    let members = shared.members.load(Ordering::Relaxed);
    let rate = unpacked as f64 / elapsed.as_secs_f64().max(0.001);
    format!(
        "{} unpacked, {members} files, {} a second",
        HumanBytes(unpacked),
        HumanBytes(rate as u64)
    )
}

/// Lets the first Ctrl-C set a flag, so that a report of what was read is made, and the second one end the
/// program.
pub fn on_interrupt(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    // without it Ctrl-C ends the program at once, as ever
    let _ = ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}
