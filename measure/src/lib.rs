//! Fills the message formats of a catalogue with plausible values, puts each into the lines in which
//! it stands in life, and asks kwhy for the cause.
//!
//! A catalogue is a YAML list of entries with `formats`, `causes` and `role`; the values and the
//! lines are data of this crate.

mod entry;
mod fill;
mod form;
mod judge;

pub use entry::{Entry, Role};
pub use fill::{Random, Values};
pub use form::{Case, Forms};
pub use judge::{Verdict, judge};

/// The values that ship with the crate.
pub const VALUES: &str = include_str!("../data/values.yaml");

/// The lines that ship with the crate.
pub const FORMS: &str = include_str!("../data/forms.yaml");
