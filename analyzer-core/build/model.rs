//! The part of the library's module that the schema of signatures needs.

#[path = "../../crates/kwhy-model/src/duration.rs"]
pub mod duration;
#[path = "../../crates/kwhy-model/src/quantity.rs"]
mod quantity;
#[path = "../../crates/kwhy-model/src/selector.rs"]
mod selector;
#[path = "../../crates/kwhy-model/src/severity.rs"]
mod severity;
#[path = "../../crates/kwhy-model/src/time.rs"]
mod time;

pub use quantity::Quantity;
pub(crate) use selector::{Selector, is_nothing};
pub use severity::Severity;
pub use time::Age;
