//! Work on several threads with the feature `parallel`, on one without it. Results are the same.

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
