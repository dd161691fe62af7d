//! What a bundle takes of memory while it is read: an estimate, far above what usual bundles take (docs/scale.md). One
//! with very many members of very long names takes more.

/// What reading takes on one thread: blocks and the state of signatures.
const BASE: u64 = 24 << 20;
/// What each further thread takes.
const THREAD: u64 = 12 << 20;
/// What decoders of one source may take together, which a small one may ask for as well as a large one.
const DECODERS: u64 = 128 << 20;
/// What is kept of a bundle, for each byte of it as it is packed.
const KEPT: u64 = 24;
/// The most that is kept of a bundle, names of members apart: what else is counted and listed has limits.
const MOST: u64 = 192 << 20;

/// Estimates what a bundle of this size takes while it is read on so many threads.
pub fn of_bundle(size: u64, threads: usize) -> u64 {
    let further = THREAD * (threads as u64).saturating_sub(1);
    BASE + DECODERS + further + size.saturating_mul(KEPT).min(MOST)
}
