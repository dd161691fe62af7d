//! Signatures: which events and objects prove which cause, and what to report about it.
//!
//! ```
//! use kwhy_core::Catalogue;
//! let catalogue = Catalogue::builtin();
//! let signature = catalogue.get("configmap-mount-missing").unwrap();
//! assert_eq!(signature.cause, "storage/configmap-missing");
//! let error = Catalogue::empty().add_str("mine.yaml", "id: x\n").unwrap_err();
//! assert_eq!(error.file(), "mine.yaml");
//! assert!(error.is_yaml());
//! ```

#[cfg(feature = "selftest")]
pub use crate::selftest::{
    CauseCoverage, ExampleOutcome, Form, Lint, LintLevel, Overlap, OverlapOutcome, Proof,
};
pub use kwhy_signature::cre;
pub use kwhy_signature::format::format as format_signatures;
pub use kwhy_signature::{
    CheckTemplate, CommandTemplate, Comparison, Condition, Ends, Example, Examples, Explains,
    FixTemplate, GIVEN, Needs, Pattern, Scope, Signature, SignatureError, StepTemplate,
    SubjectTemplate, Template, ValueType, edit_distance,
};
