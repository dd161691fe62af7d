//! The library's own reader of signatures, without the catalogue that is built here.

#[path = "../src/signature/advice.rs"]
pub mod advice;
#[path = "../src/signature/check.rs"]
pub mod check;
#[path = "../src/signature/command/mod.rs"]
pub mod command;
#[path = "../src/signature/compare.rs"]
mod compare;
#[path = "../src/signature/condition.rs"]
mod condition;
#[path = "../src/signature/error.rs"]
pub mod error;
#[path = "../src/signature/existence.rs"]
mod existence;
#[path = "../src/signature/grams.rs"]
pub mod grams;
#[path = "../src/signature/index.rs"]
pub mod index;
#[path = "../src/signature/literals.rs"]
mod literals;
#[path = "../src/signature/marks.rs"]
mod marks;
#[path = "../src/signature/need.rs"]
pub mod need;
#[path = "../src/signature/one_or_many.rs"]
mod one_or_many;
#[path = "../src/signature/parts.rs"]
mod parts;
#[path = "../src/signature/pattern.rs"]
mod pattern;
#[path = "../src/signature/relation.rs"]
mod relation;
#[path = "../src/signature/schema.rs"]
pub mod schema;
#[path = "../src/signature/short.rs"]
mod short;
#[path = "../src/signature/template.rs"]
mod template;
#[path = "../src/signature/temporal.rs"]
mod temporal;
#[path = "../src/signature/value_test.rs"]
mod value_test;
#[path = "../src/signature/words.rs"]
mod words;

/// The causes, read anew: the library's own table is made by this program.
mod causes {
    include!("causes.rs");
}
