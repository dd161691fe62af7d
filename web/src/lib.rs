//! kwhy in a browser: analyses the files that a page was given, and returns a report.
//!
//! The page keeps the files. They are read piece by piece through a [`Host`], so that a bundle is never in memory as a
//! whole. Only `abi` depends on WebAssembly.

#[cfg(target_family = "wasm")]
mod abi;
mod request;
mod session;

pub use request::{File, Request, SignatureFile};
pub use session::{Host, Outcome, analyze};
