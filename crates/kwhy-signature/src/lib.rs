//! Signatures: patterns with the root cause that they prove, as YAML files.

pub(crate) mod advice;
mod catalogue;
mod causes;
mod check;
mod command;
mod compare;
mod condition;
mod error;
mod existence;
mod grams;
mod index;
mod literals;
mod marks;
mod need;
mod one_or_many;
mod parts;
mod pattern;
mod relation;
mod schema;
mod short;
mod template;
mod temporal;
mod value_test;
mod words;

pub use catalogue::Catalogue;
pub use command::{CommandTemplate, ValueType};
pub use compare::Comparison;
pub use condition::{Condition, Scope};
pub use error::SignatureError;
pub use pattern::Pattern;
pub use schema::{
    CheckTemplate, Ends, Example, Examples, Explains, FixTemplate, Needs, Signature, StepTemplate,
    SubjectTemplate,
};
pub use template::Template;

pub(crate) use compare::number;
pub(crate) use condition::{EventPattern, ObjectPattern, What};
pub(crate) use grams::SHORTEST;
pub(crate) use index::{Index, Leaf, STARTS};
pub(crate) use marks::{Marks, Word};
pub(crate) use need::{Need, NeedKind, leaves, refuting_objects};
pub(crate) use pattern::Place;
pub(crate) use schema::GIVEN;
pub(crate) use temporal::Reach;
pub(crate) use value_test::ValueTest;
pub(crate) use words::{Record, Words};
