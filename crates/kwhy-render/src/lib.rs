//! Writes reports: as text for people ([`Human`]) and as JSON ([`Json`]).
//!
//! Nothing here knows a terminal or a file: a [`Layout`] says how wide the text is and whether it has colours, and the
//! output is any writer. Text from the input is shown with its control characters visible ([`escape`]), so that it never
//! steers a terminal.
//!
//! ```
//! use kwhy_core::Analyzer;
//! use kwhy_render::{Human, Layout, Render, View};
//! let paste = "Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart\" not found";
//! let report = Analyzer::new().analyze_text("stdin", paste);
//! let human = Human { layout: Layout { width: 80, color: false }, verbose: false };
//! let mut out = Vec::new();
//! human.render(&View { report: &report, left_out: 0 }, &mut out)?;
//! assert!(String::from_utf8_lossy(&out).contains("cart"));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod escape;
mod human;
pub mod json;
pub mod select;
pub mod style;

use std::io::{self, Write};

use kwhy_core::Report;

pub use human::{Human, Step, counted, only_if};
pub use json::Json;
pub use style::{Layout, Style, level_name};

/// A report and how it was narrowed.
pub struct View<'a> {
    /// The report.
    pub report: &'a Report,
    /// The number of findings that were omitted because their severity is too low.
    pub left_out: usize,
}

/// A form of a report.
pub trait Render {
    /// Writes the report.
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()>;
}
