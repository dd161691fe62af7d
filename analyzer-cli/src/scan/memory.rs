//! An estimate of the memory that reading a bundle takes, far above what usual bundles take (docs/scale.md). A bundle
//! of very many members with very long names takes more.

/// Bytes for reading on one thread: blocks and the state of signatures.
const BASE: u64 = 24 << 20;
/// Bytes for each further thread.
const THREAD: u64 = 12 << 20;
/// Bytes for the decoders of one source together; a small archive may need as much as a large one.
const DECODERS: u64 = 128 << 20;
/// Bytes kept for each packed byte of a bundle.
const KEPT: u64 = 24;
/// The maximum number of bytes kept of a bundle, except for the names of members: all else is limited.
const MOST: u64 = 192 << 20;

/// Estimates the bytes that a bundle of `size` bytes takes while it is read on `threads` threads.
pub fn of_bundle(size: u64, threads: usize) -> u64 {
    let further = THREAD * (threads as u64).saturating_sub(1);
    BASE + DECODERS + further + size.saturating_mul(KEPT).min(MOST)
}
