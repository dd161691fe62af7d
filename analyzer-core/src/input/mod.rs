//! From bytes to lines and segments.

mod clean;
mod command;
mod document;
mod line;
mod segment;
mod shape;

pub use document::{Document, Place};
pub use line::{Line, lines};
pub use segment::{Segment, segments};
