//! Measures how well kwhy diagnoses a catalogue of messages: fills each message format with plausible values, embeds it
//! in the lines in which components print it, and asks kwhy for the cause.
//!
//! A catalogue is a YAML list of entries with `formats`, `causes` and `role`. The values and forms are files in
//! `xtask/data`.

mod entry;
mod fill;
mod form;
mod judge;
mod run;

pub use entry::{Entry, Role};
use fill::Random;
pub use fill::Values;
pub use form::Forms;
pub use judge::{Verdict, judge};
pub use run::main;

/// The built-in values of placeholders.
pub const VALUES: &str = include_str!("../../data/values.yaml");

/// The built-in forms of messages.
pub const FORMS: &str = include_str!("../../data/forms.yaml");
