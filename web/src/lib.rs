//! kwhy in a browser: what a page was given goes in, a report comes out.
//!
//! The page keeps the files. They are read piece by piece through a [`Host`], so that a bundle is never in memory as a
//! whole. `abi` is all that knows of WebAssembly.

#[cfg(target_family = "wasm")]
mod abi;
mod request;
mod session;

pub use request::{File, Request, SignatureFile};
pub use session::{Host, Outcome, analyze};
