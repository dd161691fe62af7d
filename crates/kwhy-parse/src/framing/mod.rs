//! Framing of logs: the starts of records, and the lines that belong to them.
//!
//! - [`classify()`] classifies a line by its first bytes, for the formats that fill most logs.
//! - [`begins_record`] and [`record_at`] answer for an offset in a block of bytes, using the surrounding lines.
//! - [`Framer`] answers line by line, for streams read from their start.
//!
//! The formats themselves, and how their records continue, are in [`log`](crate::log).

mod boundary;
mod classify;
mod framer;
mod go_frame;
mod lines;
mod partial;

pub use boundary::{
    DOCKER_LINE, ENTRY_LINES, begins_record, entry_at, lines_of_record, record_at, spread_lines,
    starts,
};
pub(crate) use classify::payload_format;
pub use classify::{Class, classify, classify_bare, is_error};
pub use framer::{Framer, Relation};
pub use go_frame::is_go_frame;
pub use lines::{line_at, lines_after, lines_before, next_line, text};
pub use partial::{Cri, cut_line};

#[cfg(test)]
mod tests;
