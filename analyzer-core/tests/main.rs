//! Tests of the library from outside, one module a theme.
#![allow(missing_docs)]

mod agree;
mod cases;
mod catalogue;
mod properties;
