//! Work on several threads with the feature `parallel`, on one without it. Results are the same.

#[cfg(feature = "parallel")]
use std::collections::VecDeque;
#[cfg(feature = "parallel")]
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Returns the number of threads that share the work.
#[cfg(feature = "parallel")]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// Returns the number of threads that share the work.
#[cfg(not(feature = "parallel"))]
pub(crate) fn threads() -> usize {
    1
}

/// Returns what `make` makes of each item, in their order.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Send, U: Send>(items: Vec<T>, make: impl Fn(T) -> U + Sync) -> Vec<U> {
    items.into_par_iter().map(&make).collect()
}

/// Returns what `make` makes of each item, in their order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T: Send, U: Send>(items: Vec<T>, make: impl Fn(T) -> U + Sync) -> Vec<U> {
    items.into_iter().map(make).collect()
}

/// Makes something of each item that `next` returns, and takes it in their order on this thread, which reads on
/// meanwhile. Of several threads each has at most `a_thread` items that are not taken yet.
#[cfg(feature = "parallel")]
pub(crate) fn in_order<T: Send, U: Send>(
    a_thread: usize,
    next: impl FnMut() -> Option<T>,
    make: impl Fn(T) -> U + Sync,
    mut take: impl FnMut(U),
) {
    let most = match threads() {
        1 => 1,
        several => several * a_thread,
    };
    let make = &make;
    let mut items = std::iter::from_fn(next).fuse();
    rayon::in_place_scope_fifo(|scope| {
        let mut under_way = VecDeque::new();
        loop {
            while under_way.len() < most
                && let Some(item) = items.next()
            {
                let (done, made) = sync_channel(1);
                scope.spawn_fifo(move |_| {
                    // the other end is gone only if something panics
                    let _ = done.send(make(item));
                });
                under_way.push_back(made);
            }
            let first = under_way.pop_front();
            match first.and_then(|made| made_meanwhile(&made)) {
                Some(made) => take(made),
                // the scope ends with the panic of what was under way
                None => return,
            }
        }
    });
}

/// Returns what a task made, and does others' work until then; none if the task panicked.
#[cfg(feature = "parallel")]
fn made_meanwhile<U>(made: &Receiver<U>) -> Option<U> {
    loop {
        match made.try_recv() {
            Ok(made) => return Some(made),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            return made.recv().ok();
        }
    }
}

/// Makes something of each item that `next` returns, and takes it.
#[cfg(not(feature = "parallel"))]
pub(crate) fn in_order<T, U>(
    _a_thread: usize,
    next: impl FnMut() -> Option<T>,
    make: impl Fn(T) -> U,
    take: impl FnMut(U),
) {
    std::iter::from_fn(next).fuse().map(make).for_each(take);
}

/// Does `aside` on another thread, if there is one, while `here` runs on this one.
#[cfg(feature = "parallel")]
pub(crate) fn beside<T>(aside: impl FnOnce() + Send, here: impl FnOnce() -> T) -> T {
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| aside());
        here()
    })
}

/// Does `aside` on another thread, if there is one, while `here` runs on this one.
#[cfg(not(feature = "parallel"))]
pub(crate) fn beside<T>(aside: impl FnOnce() + Send, here: impl FnOnce() -> T) -> T {
    let result = here();
    aside();
    result
}

#[cfg(test)]
#[cfg(feature = "parallel")]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn pool(threads: usize) -> rayon::ThreadPool {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        builder.build().unwrap()
    }

    #[test]
    fn items_are_taken_in_their_order_and_do_not_pile_up() {
        for threads in [1, 2, 5] {
            let (begun, mut taken) = (AtomicUsize::new(0), Vec::new());
            let mut numbers = 0..200;
            let make = |number: usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                // the first of some takes longest
                std::thread::sleep(std::time::Duration::from_micros(number as u64 % 7 * 50));
                number
            };
            pool(threads).install(|| {
                in_order(
                    2,
                    || numbers.next(),
                    make,
                    |number| {
                        assert!(begun.load(Ordering::SeqCst) <= taken.len() + 2 * threads);
                        taken.push(number);
                    },
                );
            });
            assert!(taken.into_iter().eq(0..200), "{threads}");
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        let ran = std::panic::catch_unwind(|| {
            pool(2).install(|| {
                let mut numbers = 0..20;
                in_order(
                    2,
                    || numbers.next(),
                    |number| assert_ne!(number, 7),
                    |()| {},
                );
            });
        });
        assert!(ran.is_err());
    }
}
