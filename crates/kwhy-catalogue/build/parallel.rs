//! Work on all processors, with the standard library alone: a build script should need few crates.

use std::num::NonZero;
use std::thread;

/// Returns what a function makes of each item, in order.
pub fn map<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = items.len().div_ceil(threads).max(1);
    let make = &make;
    thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(size)
            .map(|part| scope.spawn(move || part.iter().map(make).collect::<Vec<R>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| match part.join() {
                Ok(made) => made,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}
