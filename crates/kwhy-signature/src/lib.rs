//! The language of signatures: YAML that describes which events and objects prove which root cause, and what to report
//! about it.
//!
//! Parsing a file checks all of it: an unknown key, a pattern that does not compile or a title with an unknown value is
//! an error with its line and column.
//!
//! ```
//! use kwhy_signature::{Causes, check};
//! let yaml = "
//! id: shelf-empty
//! cause: shop/shelf-empty
//! severity: error
//! title: 'shelf {shelf} is empty'
//! match: {event: {message: 'the shelf {shelf} is empty'}}
//! why: nobody filled it
//! ";
//! let causes = Causes::new(&[("shop/shelf-empty", "a shelf has nothing to sell")]);
//! let document = check::documents(yaml)[0];
//! let signature = check::read_document("shelf.yaml", yaml, &document, &causes)?;
//! assert_eq!(signature.id, "shelf-empty");
//! # Ok::<(), kwhy_signature::SignatureError>(())
//! ```

pub mod advice;
mod all_errors;
mod case;
mod causes;
pub mod check;
mod command;
mod compare;
mod condition;
pub mod cre;
mod digest;
mod entry;
mod error;
mod expression;
pub mod format;
mod hir;
mod index;
#[cfg(feature = "schema")]
mod json_schema;
mod literals;
mod meaning;
mod nearest;
mod node;
mod one_or_many;
mod parsed;
mod pattern;
mod phrases;
pub mod placement;
mod product_names;
mod quotes;
mod relation;
mod required;
mod schema;
mod template;
mod temporal;
mod tokens;
mod value_test;
mod words;

pub use all_errors::all_errors;
pub use causes::Causes;
pub use command::{CommandTemplate, ValueType};
pub use compare::Comparison;
pub use condition::{Condition, Scope};
pub use digest::{digests, use_digests};
pub use entry::{EntryMatch, EntryTerm};
pub use error::SignatureError;
pub use pattern::Pattern;
pub use schema::{
    CheckTemplate, Ends, Example, Examples, Explains, FixTemplate, Needs, Signature, SourceText,
    StepTemplate, SubjectTemplate, Tier,
};
pub use template::Template;

pub use compare::number;
pub use condition::{EventPattern, ObjectPattern, What};
pub use index::{ConditionId, ConditionLists, Index, STARTS, Words};
pub use nearest::edit_distance;
pub use pattern::{Haystack, Place, in_lower_case};
pub use required::{
    LiteralRequirement, RequirementKind, leaves, needs, refuting_leaves, refuting_objects,
};
pub use schema::GIVEN;
pub use temporal::Reach;
pub use tokens::{Record, RequiredTokens};
pub use value_test::ValueTest;
