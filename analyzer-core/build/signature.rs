//! The library's own reader of signatures, without the catalogue that is built here.

#[path = "../../crates/kwhy-signature/src/advice.rs"]
pub mod advice;
#[path = "../../crates/kwhy-signature/src/check.rs"]
pub mod check;
#[path = "../../crates/kwhy-signature/src/command/mod.rs"]
pub mod command;
#[path = "../../crates/kwhy-signature/src/compare.rs"]
mod compare;
#[path = "../../crates/kwhy-signature/src/condition.rs"]
mod condition;
#[path = "../../crates/kwhy-signature/src/error.rs"]
pub mod error;
#[path = "../../crates/kwhy-signature/src/existence.rs"]
mod existence;
#[path = "../../crates/kwhy-signature/src/grams.rs"]
pub mod grams;
#[path = "../../crates/kwhy-signature/src/index.rs"]
pub mod index;
#[path = "../../crates/kwhy-signature/src/literals.rs"]
mod literals;
#[path = "../../crates/kwhy-signature/src/marks.rs"]
mod marks;
#[path = "../../crates/kwhy-signature/src/need.rs"]
pub mod need;
#[path = "../../crates/kwhy-signature/src/one_or_many.rs"]
mod one_or_many;
#[path = "../../crates/kwhy-signature/src/parts.rs"]
mod parts;
#[path = "../../crates/kwhy-signature/src/pattern.rs"]
mod pattern;
#[path = "../../crates/kwhy-signature/src/relation.rs"]
mod relation;
#[path = "../../crates/kwhy-signature/src/schema.rs"]
pub mod schema;
#[path = "../../crates/kwhy-signature/src/short.rs"]
mod short;
#[path = "../../crates/kwhy-signature/src/template.rs"]
mod template;
#[path = "../../crates/kwhy-signature/src/temporal.rs"]
mod temporal;
#[path = "../../crates/kwhy-signature/src/value_test.rs"]
mod value_test;
#[path = "../../crates/kwhy-signature/src/words.rs"]
mod words;

/// The causes, read anew: the library's own table is made by this program.
mod causes {
    include!("causes.rs");
}
