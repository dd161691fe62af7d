//! The part of the library's module that the schema of signatures needs.

#[path = "../src/model/duration.rs"]
pub mod duration;
#[path = "../src/model/quantity.rs"]
mod quantity;
#[path = "../src/model/selector.rs"]
mod selector;
#[path = "../src/model/severity.rs"]
mod severity;
#[path = "../src/model/time.rs"]
mod time;

pub use quantity::Quantity;
pub(crate) use selector::{Selector, is_nothing};
pub use severity::Severity;
pub use time::Age;
