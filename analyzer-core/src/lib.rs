//! The root cause of a Kubernetes failure from pasted output and logs.

mod analyzer;
mod chain;
mod correlate;
mod grade;
mod input;
mod matcher;
mod model;
pub mod parse;
mod proof;
mod report;
mod signature;
mod years;

pub use analyzer::Analyzer;
pub use chain::{ErrorChain, Fact, Link, LinkKind};
pub use input::{Document, Line, Place, Segment, lines, segments};
pub use model::{
    Age, Event, Field, Format, Map, Object, Parsed, Quantity, Severity, Span, Stamp, Subject, Text,
    TextBuilder, Value,
};
pub use proof::{ExampleOutcome, Lint};
pub use report::{
    Check, Evidence, Explained, Finding, Fix, InputSummary, Level, LimitMet, Report, Role, SCHEMA,
    SegmentSummary, Stats, Unexplained,
};
pub use signature::{
    Catalogue, CheckTemplate, Comparison, Condition, Example, Examples, Explains, FixTemplate,
    Pattern, Scope, Signature, SignatureError, SubjectTemplate, Template,
};
