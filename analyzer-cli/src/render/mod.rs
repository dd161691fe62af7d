//! A report in the form that was asked for: one file a form.

mod human;
pub mod json;
pub mod page;
pub mod problem;
pub mod visible;

use std::io::{self, Write};

use kwhy_core::Report;

#[cfg(test)]
pub use human::samples;
pub use human::{Human, Step, counted, only_if};
pub use json::Json;

/// What is to be shown.
pub struct View<'a> {
    /// The report.
    pub report: &'a Report,
    /// How many findings were left out as not grave enough.
    pub left_out: usize,
}

/// A form of a report.
pub trait Render {
    /// Writes the report.
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()>;
}
