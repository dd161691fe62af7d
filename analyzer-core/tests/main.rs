//! Integration tests of the library, one module per topic.
#![allow(missing_docs, clippy::unwrap_used)]

mod agree;
mod cases;
mod catalogue;
mod checks;
mod commands;
mod cre;
mod describe;
mod envelopes;
mod exact;
mod frames;
mod incidents;
mod interim;
mod lab;
mod large_tables;
mod limits;
mod logs;
mod masking;
mod neutral;
mod objects;
mod one_line;
mod properties;
mod records;
mod tables;
mod verdicts;
mod wordings;
