//! The queue of bundles: those not yet read, those being read, and finished lines that wait for their turn.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use kwhy_core::Cancel;

use super::Done;
use super::memory;

/// The number of bundles for each thread that may be read ahead of the one whose lines come next.
const AHEAD: usize = 16;

/// Hands out bundles to threads, and returns their lines in the order of the bundles.
pub struct Queue<'q> {
    sizes: &'q [u64],
    threads: usize,
    memory: Option<u64>,
    stop: &'q Cancel,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the next bundle to read.
    next: usize,
    /// The number of the bundle whose lines come next.
    turn: usize,
    /// The number of bundles being read.
    running: usize,
    /// The bytes of memory reserved for them, and those of waiting lines.
    taken: u64,
    /// The number of threads they use.
    busy: usize,
    /// The memory and threads reserved for each.
    reserved: BTreeMap<usize, (u64, usize)>,
    done: BTreeMap<usize, io::Result<Done>>,
    closed: bool,
}

impl<'q> Queue<'q> {
    /// Creates a queue of bundles of these sizes, to be read on `threads` threads in all and within `memory` bytes.
    pub fn new(
        sizes: &'q [u64],
        threads: usize,
        memory: Option<u64>,
        stop: &'q Cancel,
    ) -> Queue<'q> {
        Queue {
            sizes,
            threads: threads.max(1),
            memory,
            stop,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there are threads and memory for the next bundle, and returns it with the number of threads to read
    /// it on. `None` after the last bundle, or if the run was stopped.
    pub fn take(&self) -> Option<(usize, usize)> {
        let mut state = self.state();
        loop {
            let number = state.next;
            let left = self.sizes.len() - number;
            if left == 0 || state.closed || self.stop.is_cancelled() {
                state.next = self.sizes.len().min(number);
                state.closed |= left > 0;
                self.changed.notify_all();
                return None;
            }
            // the last bundles share the idle threads
            let at_once = self.threads.min(state.running + left);
            let threads = (self.threads / at_once).max(1);
            let needed = memory::of_bundle(self.sizes[number], threads);
            let fits = self.memory.is_none_or(|all| state.taken + needed <= all);
            // lines must not pile up if writing is slow; the bundle whose turn it is always is near
            let is_near = number - state.turn < AHEAD * self.threads;
            let is_free = state.busy < self.threads;
            if is_near && (state.running == 0 || (fits && is_free)) {
                state.next += 1;
                state.running += 1;
                state.taken += needed;
                state.busy += threads;
                state.reserved.insert(number, (needed, threads));
                return Some((number, threads));
            }
            state = self.wait(state);
        }
    }

    /// Returns a guard that reports a panic while the bundle is read.
    pub fn answer(&self, number: usize) -> Answer<'_> {
        Answer {
            queue: self,
            number,
        }
    }

    /// Stores the lines of a bundle that was read, and releases its memory and threads.
    pub fn give(&self, number: usize, done: io::Result<Done>) {
        let mut state = self.state();
        let (needed, threads) = state.reserved.remove(&number).unwrap_or_default();
        state.running -= 1;
        state.taken -= needed;
        state.busy -= threads;
        state.taken += waiting(&done);
        state.done.insert(number, done);
        self.changed.notify_all();
    }

    /// Waits for the lines of the next bundle in order; `None` after the last one.
    pub fn next(&self) -> Option<io::Result<Done>> {
        let mut state = self.state();
        loop {
            let turn = state.turn;
            if let Some(done) = state.done.remove(&turn) {
                state.turn += 1;
                state.taken -= waiting(&done);
                self.changed.notify_all();
                return Some(done);
            }
            let is_over =
                state.closed || self.stop.is_cancelled() || state.next >= self.sizes.len();
            if is_over && turn >= state.next {
                state.closed = true;
                self.changed.notify_all();
                return None;
            }
            state = self.wait(state);
        }
    }

    /// Stops handing out bundles.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// Returns true if the lines of all bundles were handed on.
    pub fn is_done(&self) -> bool {
        self.state().turn == self.sizes.len()
    }
}

/// A guard that gives an error in place of lines if reading a bundle panics, so that nobody waits for them forever.
pub struct Answer<'q> {
    queue: &'q Queue<'q>,
    number: usize,
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = io::Error::other("reading a bundle panicked");
            self.queue.give(self.number, Err(error));
        }
    }
}

/// Returns the number of bytes of a bundle's lines.
fn waiting(done: &io::Result<Done>) -> u64 {
    done.as_ref().map_or(0, |done| done.lines.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Reads bundles of these sizes, and returns their order and the most memory and threads that were taken at once.
    fn run(sizes: &[u64], threads: usize, budget: Option<u64>) -> (Vec<u8>, u64, usize) {
        let stop = Cancel::new();
        let queue = Queue::new(sizes, threads, budget, &stop);
        let (taken, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let (busy, busiest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut order = Vec::new();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((number, threads)) = queue.take() {
                        let needed = memory::of_bundle(sizes[number], threads);
                        let now = taken.fetch_add(needed, Ordering::SeqCst) + needed;
                        most.fetch_max(now, Ordering::SeqCst);
                        let now = busy.fetch_add(threads, Ordering::SeqCst) + threads;
                        busiest.fetch_max(now, Ordering::SeqCst);
                        // later bundles finish first
                        std::thread::sleep(Duration::from_micros(500 / (number as u64 + 1)));
                        taken.fetch_sub(needed, Ordering::SeqCst);
                        busy.fetch_sub(threads, Ordering::SeqCst);
                        let lines = vec![number as u8];
                        queue.give(
                            number,
                            Ok(Done {
                                lines,
                                ..Done::default()
                            }),
                        );
                    }
                });
            }
            while let Some(done) = queue.next() {
                order.append(&mut done.unwrap().lines);
            }
        });
        assert!(queue.is_done());
        (order, most.into_inner(), busiest.into_inner())
    }

    #[test]
    fn in_order_within_memory_and_threads() {
        let sizes: Vec<u64> = (0..200).map(|number| number % 7 * (4 << 20)).collect();
        let wanted: Vec<u8> = (0..200).collect();
        let largest = sizes.iter().map(|size| memory::of_bundle(*size, 1)).max();
        let budget = largest.unwrap() * 2;
        for threads in [1, 3, 8] {
            let (order, most, busiest) = run(&sizes, threads, Some(budget));
            assert_eq!(order, wanted);
            assert!(most <= budget, "{most} of {budget}");
            assert!(busiest <= threads);
            assert_eq!(run(&sizes, threads, None).0, wanted);
        }
    }

    #[test]
    fn one_bundle_is_always_read() {
        assert_eq!(run(&[1 << 40, 5, 1 << 40], 4, Some(1)).0, [0, 1, 2]);
        assert!(run(&[], 4, Some(1)).0.is_empty());
    }

    #[test]
    fn lines_that_nobody_takes_do_not_pile_up() {
        let stop = Cancel::new();
        let queue = Queue::new(&[9; 100], 1, None, &stop);
        let begun = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while let Some((number, _)) = queue.take() {
                    begun.fetch_add(1, Ordering::SeqCst);
                    queue.give(number, Ok(Done::default()));
                }
            });
            while begun.load(Ordering::SeqCst) < AHEAD {
                std::thread::yield_now();
            }
            // time for one more to start, which must not happen
            std::thread::sleep(Duration::from_millis(50));
            assert_eq!(begun.load(Ordering::SeqCst), AHEAD);
            while queue.next().is_some() {}
        });
        assert!(queue.is_done());
    }

    #[test]
    fn nobody_waits_for_a_thread_that_panicked() {
        let stop = Cancel::new();
        let queue = Queue::new(&[9], 1, None, &stop);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let taken = queue.take();
                let _answer = taken.map(|(number, _)| queue.answer(number));
                panic!("a defect");
            });
            assert!(worker.join().is_err());
        });
        assert!(queue.next().unwrap().is_err());
    }

    #[test]
    fn lines_that_wait_take_memory() {
        let stop = Cancel::new();
        let one = memory::of_bundle(9, 1);
        let queue = Queue::new(&[9; 4], 2, Some(2 * one), &stop);
        for number in 0..2 {
            assert_eq!(queue.take(), Some((number, 1)));
        }
        let mut done = Done::default();
        done.lines.resize(1000, b'x');
        queue.give(1, Ok(done));
        assert_eq!(queue.state().taken, one + 1000);
        queue.give(0, Ok(Done::default()));
        assert!(queue.next().is_some() && queue.next().is_some());
        assert_eq!(queue.state().taken, 0);
    }

    #[test]
    fn one_bundle_has_all_threads() {
        let stop = Cancel::new();
        assert_eq!(Queue::new(&[9], 8, None, &stop).take(), Some((0, 8)));
        assert_eq!(Queue::new(&[9; 3], 8, None, &stop).take(), Some((0, 2)));
        assert_eq!(Queue::new(&[9; 50], 8, None, &stop).take(), Some((0, 1)));
    }

    #[test]
    fn nothing_is_begun_after_the_end() {
        let stop = Cancel::new();
        let queue = Queue::new(&[9; 3], 1, None, &stop);
        let (first, _) = queue.take().unwrap();
        stop.cancel();
        assert_eq!(queue.take(), None);
        queue.give(first, Ok(Done::default()));
        assert!(queue.next().is_some());
        assert!(queue.next().is_none());
        assert!(!queue.is_done());
    }
}
