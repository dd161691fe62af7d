//! Writes reports: as text for people ([`Human`]), as JSON ([`Json`], [`Ndjson`]), for tickets ([`Markdown`]), as a
//! page ([`Html`]) and for CI systems ([`Sarif`], [`Junit`]). All are renderings of the same report.
//!
//! Nothing here depends on a terminal or a file: a [`Layout`] states the width of text and whether it has colours, and
//! the output is any writer. Control characters in text from the input are made visible ([`escape`]), so that it never
//! controls a terminal, and the text is escaped as the format demands.
//!
//! ```
//! use kwhy_core::Analyzer;
//! use kwhy_render::{Detail, Human, Layout, Render, View};
//! let paste = "Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart\" not found";
//! let report = Analyzer::new().analyze_text("stdin", paste);
//! let human = Human { layout: Layout { width: 80, color: false }, detail: Detail::Usual };
//! let mut out = Vec::new();
//! human.render(&View { report: &report, left_out: 0 }, &mut out)?;
//! assert!(String::from_utf8_lossy(&out).contains("cart"));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod escape;
mod html;
mod human;
pub mod json;
mod junit;
mod markdown;
pub mod ndjson;
mod outline;
#[cfg(test)]
mod samples;
mod sarif;
pub mod select;
pub mod style;
mod verdict;
mod words;

use std::io::{self, Write};

use kwhy_core::Report;

pub use html::Html;
pub use human::{Detail, Human, Step, only_if};
pub use json::Json;
pub use junit::Junit;
pub use kwhy_core::signature::edit_distance;
pub use markdown::Markdown;
pub use ndjson::Ndjson;
pub use sarif::Sarif;
pub use style::{Layout, Style, level_name};
pub use words::counted;

/// A report, and how it was narrowed.
pub struct View<'a> {
    /// The report.
    pub report: &'a Report,
    /// The number of findings that were omitted because nobody asked for them.
    pub left_out: usize,
}

/// A renderer of reports.
pub trait Render {
    /// Writes the report.
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()>;
}
