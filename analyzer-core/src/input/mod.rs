//! From bytes to lines and segments.

mod clean;
mod document;
mod line;

pub use document::{Document, Place};
pub use line::{Line, lines};
