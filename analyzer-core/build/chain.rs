//! The part of the library's module that the schema of signatures needs.

#[path = "../src/chain/fact.rs"]
mod fact;

pub use fact::Fact;
