//! The part of the library's module that the schema of signatures needs.

#[path = "../../crates/kwhy-model/src/grade.rs"]
mod grade;

pub use grade::{Level, Role};
