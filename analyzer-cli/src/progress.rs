//! The progress bar of a run, and its interruption by Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use kwhy_bundle::archive::limits::Shared;
use kwhy_core::Cancel;

use crate::whole;

/// Shorter work shows no progress bar.
const QUIET: Duration = Duration::from_secs(1);
/// The interval between updates.
const EVERY: Duration = Duration::from_millis(100);

/// A bar on standard error, until it is dropped.
pub struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows the number of bytes read, out of `all` if that is known. Does nothing unless `is_shown`.
    pub fn start(shared: &Arc<Shared>, all: Option<u64>, is_shown: bool) -> Progress {
        if !is_shown {
            return Progress {
                stop: None,
                thread: None,
            };
        }
        Progress::on(shared, all, QUIET, ProgressDrawTarget::stderr)
    }

    /// Shows progress on a terminal after a delay.
    fn on(
        shared: &Arc<Shared>,
        all: Option<u64>,
        quiet: Duration,
        target: impl FnOnce() -> ProgressDrawTarget + Send + 'static,
    ) -> Progress {
        let (stop, stopped) = channel();
        let shared = Arc::clone(shared);
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let mut target = Some(target);
            let mut bar: Option<ProgressBar> = None;
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if start.elapsed() < quiet {
                    continue;
                }
                if let Some(target) = target.take() {
                    bar = Some(new_bar(all, target()));
                }
                let Some(bar) = &bar else { continue };
                let read = shared.read.load(Ordering::Relaxed);
                bar.set_position(read);
                bar.set_message(message(&shared, start.elapsed()));
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
            // a panic while drawing must not affect the result
            let _ = thread.join();
        }
    }
}

fn new_bar(all: Option<u64>, target: ProgressDrawTarget) -> ProgressBar {
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

/// Returns the message beside the bar: `1.2 GiB unpacked, 145 files, 230 MiB a second`.
fn message(shared: &Shared, elapsed: Duration) -> String {
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

/// Lets the first Ctrl-C cancel the reading, so that a report of what was read is made, and the second one end the
/// program.
pub fn on_interrupt(stop: &Cancel) {
    let stop = stop.clone();
    // without a handler Ctrl-C ends the program at once, as usual
    let _ = ctrlc::set_handler(move || {
        if stop.cancel() {
            whole::remove_unfinished();
            std::process::exit(130);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use indicatif::TermLike;

    use super::*;

    /// The characters that were drawn on a terminal.
    #[derive(Clone, Debug, Default)]
    struct Drawn(Arc<Mutex<String>>);

    impl Drawn {
        fn text(&self) -> String {
            self.0.lock().unwrap().clone()
        }

        fn target(&self) -> ProgressDrawTarget {
            ProgressDrawTarget::term_like(Box::new(self.clone()))
        }
    }

    impl TermLike for Drawn {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.0.lock().unwrap().clear();
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Waits until a text is drawn.
    fn wait_for(drawn: &Drawn, wanted: &str) {
        let start = Instant::now();
        while !drawn.text().contains(wanted) {
            let text = drawn.text();
            assert!(start.elapsed() < Duration::from_secs(30), "{text:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn shows_how_far_it_is_and_goes_away() {
        for all in [Some(4096), None] {
            let shared = Arc::new(Shared::default());
            let drawn = Drawn::default();
            let term = drawn.clone();
            let progress = Progress::on(&shared, all, Duration::ZERO, move || term.target());
            wait_for(&drawn, "0 files");
            shared.read.store(2048, Ordering::Relaxed);
            shared.unpacked.store(3 << 20, Ordering::Relaxed);
            shared.members.store(7, Ordering::Relaxed);
            wait_for(&drawn, "3.00 MiB unpacked, 7 files");
            let of = drawn.text().contains("2.00 KiB of 4.00 KiB");
            assert_eq!(of, all.is_some(), "{}", drawn.text());
            drop(progress);
            assert_eq!(drawn.text().trim(), "");
        }
    }

    #[test]
    fn short_work_shows_nothing() {
        let shared = Arc::new(Shared::default());
        let drawn = Drawn::default();
        let term = drawn.clone();
        let quiet = Duration::from_secs(600);
        let progress = Progress::on(&shared, None, quiet, move || term.target());
        std::thread::sleep(EVERY * 2);
        drop(progress);
        assert_eq!(drawn.text(), "");
    }
}
