//! Framing of logs: where a record starts and which lines belong to it.
//!
//! - [`classify()`] gives the class of a line by its first bytes, for the lines that fill logs.
//! - [`begins_record`] and [`record_at`] answer for an offset of a block of bytes, with the lines around it.
//! - [`Framer`] answers line by line, for whoever reads a stream from its start.
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
