//! Signatures: patterns with the root cause that they prove, as YAML files.

pub mod advice;
mod causes;
pub mod check;
mod command;
mod compare;
mod condition;
mod error;
mod hir;
mod index;
mod literals;
mod one_or_many;
mod parsed;
mod pattern;
mod relation;
mod required;
mod schema;
mod template;
mod temporal;
mod tokens;
mod value_test;

pub use causes::Causes;
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

pub use compare::number;
pub use condition::{EventPattern, ObjectPattern, What};
pub use index::{Index, Leaf, STARTS, Word};
pub use pattern::Place;
pub use required::{Need, NeedKind, leaves, needs, refuting_objects};
pub use schema::GIVEN;
pub use temporal::Reach;
pub use tokens::{Record, RequiredTokens};
pub use value_test::ValueTest;
