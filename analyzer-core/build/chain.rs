//! The part of the library's module that the schema of signatures needs.

#[path = "../../crates/kwhy-errors/src/fact.rs"]
mod fact;

pub use fact::Fact;
