//! The objects of an incident, as conditions on several of them ask for them: facts in tables, joined at the end of the
//! input by their namespaces and by what they captured.

mod candidates;
mod chunks;
mod details;
mod facts;
mod join;
mod room;
mod symbols;
#[cfg(test)]
mod tests;

pub(crate) use facts::{Facts, Tables};
pub(crate) use join::matches;
