//! Runs work on several threads with the feature `parallel`, on one without it. The results are the same.

#[cfg(feature = "parallel")]
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
#[cfg(feature = "parallel")]
use std::sync::mpsc::{Receiver, sync_channel};
#[cfg(feature = "parallel")]
use std::sync::{Mutex, PoisonError};

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

/// Applies `make` to each item, and returns the results in order.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Send, U: Send>(items: Vec<T>, make: impl Fn(T) -> U + Sync) -> Vec<U> {
    let items: Vec<_> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let made: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
    for_each(items.len(), &|at| {
        let lock = |of: &Mutex<Option<T>>| of.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(item), Some(to)) = (items.get(at).and_then(lock), made.get(at)) {
            let one = make(item);
            *to.lock().unwrap_or_else(PoisonError::into_inner) = Some(one);
        }
    });
    let made = made
        .into_iter()
        .map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    made.map(|one| one.expect("each item was made")).collect()
}

/// Calls `work` with each number below `count`. It is not generic, as each instance of rayon's splitting takes 5 KB.
#[cfg(feature = "parallel")]
fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Applies `make` to each item, and returns the results in order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T: Send, U: Send>(items: Vec<T>, make: impl Fn(T) -> U + Sync) -> Vec<U> {
    items.into_iter().map(make).collect()
}

/// Applies `make` to each item that `next` returns, and passes the results on in order, on this thread, which keeps
/// fetching items meanwhile. At most `a_thread` items per thread are pending.
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
    let (done, made) = sync_channel(most);
    rayon::in_place_scope_fifo(|scope| {
        let (mut begun, mut taken) = (0, 0);
        // results that arrived before their turn
        let mut early = Vec::new();
        loop {
            while begun - taken < most
                && let Some(item) = items.next()
            {
                let (number, done) = (begun, done.clone());
                scope.spawn_fifo(move |_| {
                    let made = catch_unwind(AssertUnwindSafe(|| make(item)));
                    // the channel has capacity for all, and its receiver is gone only after a panic
                    let _ = done.send((number, made));
                });
                begun += 1;
            }
            if taken == begun {
                return;
            }
            let next = loop {
                if let Some(at) = early.iter().position(|(number, _)| *number == taken) {
                    break early.swap_remove(at).1;
                }
                match received(&made) {
                    Some(next) => early.push(next),
                    None => return,
                }
            };
            taken += 1;
            take(next.unwrap_or_else(|panic| resume_unwind(panic)));
        }
    });
}

/// Returns the next result of a task, and runs other tasks until then.
#[cfg(feature = "parallel")]
fn received<U>(made: &Receiver<U>) -> Option<U> {
    loop {
        if let Ok(made) = made.try_recv() {
            return Some(made);
        }
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            return made.recv().ok();
        }
    }
}

/// Applies `make` to each item that `next` returns, and passes the result on.
#[cfg(not(feature = "parallel"))]
pub(crate) fn in_order<T, U>(
    _a_thread: usize,
    next: impl FnMut() -> Option<T>,
    make: impl Fn(T) -> U,
    take: impl FnMut(U),
) {
    std::iter::from_fn(next).fuse().map(make).for_each(take);
}

/// Runs `aside` on another thread, if there is one, while `here` runs on this one.
#[cfg(feature = "parallel")]
pub(crate) fn beside<T>(aside: impl FnOnce() + Send, here: impl FnOnce() -> T) -> T {
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| aside());
        here()
    })
}

/// Runs `here`, then `aside`, on this thread.
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
                // the duration varies, so that results arrive out of order
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
    fn results_are_in_the_order_of_the_items() {
        for threads in [1, 2, 5] {
            let items: Vec<String> = (0..200).map(|number| number.to_string()).collect();
            let made = pool(threads).install(|| map(items.clone(), |item| item));
            assert_eq!(made, items);
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
