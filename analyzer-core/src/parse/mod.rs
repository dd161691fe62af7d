//! One parser a format: lines in, typed objects and events out.
//!
//! Parsers know nothing of signatures, and never fail: what they do not understand is listed in
//! [`Parsed::not_understood`](crate::Parsed).

pub mod describe;
pub mod events;
pub mod log;
pub mod plain;
pub mod table;
