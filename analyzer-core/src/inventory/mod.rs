//! The objects of an incident, as conditions over several objects need them: facts in tables, joined at the end of the
//! input by namespace and captured values.

mod by_hash;
mod candidates;
mod chunked;
mod details;
mod facts;
mod join;
mod numbers;
mod room;
mod rows;
mod symbols;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use facts::Facts;
pub(crate) use join::matches;
pub(crate) use tables::Tables;
