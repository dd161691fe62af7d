//! Fills the message formats of a catalogue with plausible values, puts each into the lines in which
//! components print it, and asks kwhy for the cause.
//!
//! A catalogue is a YAML list of entries with `formats`, `causes` and `role`; the values and the
//! lines are files in `xtask/data`.

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

/// The values that ship with the crate.
pub const VALUES: &str = include_str!("../../data/values.yaml");

/// The lines that ship with the crate.
pub const FORMS: &str = include_str!("../../data/forms.yaml");
