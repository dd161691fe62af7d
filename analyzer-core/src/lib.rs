//! The root cause of a Kubernetes failure from pasted output and logs.
//!
//! Text goes in: `kubectl describe`, tables of `kubectl get`, events, logs of the kubelet, of
//! container runtimes, operators and applications, several of them in one paste with prose
//! between. A [`Report`] comes out: [`Finding`]s in order of rank, each with the lines that prove
//! it, what it explains, what to check and how to repair it.
//!
//! Use this crate to build the analysis into a chat bot, an incident tool or a web page. To use
//! it at a prompt or in a script, use the program `kwhy`, which is built on it. It is not made
//! for watching a cluster: it keeps no state between two analyses and follows no stream.
//!
//! # Example
//!
//! ```
//! use kwhy_core::{Analyzer, Role};
//!
//! let paste = r#"
//! Events:
//!   Type     Reason       Age                  From     Message
//!   ----     ------       ----                 ----     -------
//!   Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for volume "settings" : configmap "cart-settings" not found
//! "#;
//! let report = Analyzer::new().analyze_text("stdin", paste);
//! let finding = &report.findings[0];
//! assert_eq!(finding.role, Role::Cause);
//! assert_eq!(finding.cause, "storage/configmap-missing");
//! assert_eq!(finding.captures["configmap"], "cart-settings");
//! assert_eq!(finding.evidence[0].line, 5);
//! assert_eq!(finding.count, 16);
//! ```
//!
//! # Entry points
//!
//! - [`Analyzer::analyze_text`] for one text, [`Analyzer::analyze`] for several [`Document`]s that
//!   belong to one incident, [`Analyzer::incident`] for streams of any size.
//! - [`Catalogue::builtin`] and [`Catalogue::add_str`] for signatures of one's own beside the
//!   built-in ones or without them; [`Analyzer::test_signatures`] and
//!   [`Analyzer::lint_signatures`] check them.
//! - [`extract`] and [`parse::document`] for the typed [`Event`]s and [`Object`]s without any diagnosis,
//!   and [`ErrorChain::parse`] for one error message.
//!
//! A [`Report`] serializes to the schema [`SCHEMA`].
//!
//! # What is promised
//!
//! - No input and output: the crate opens nothing (it reads what it is given), prints nothing, and reads neither the clock nor
//!   the environment. It takes the time of collection from
//!   [`Analyzer::with_reference_time`], or does without.
//! - The same input gives the same report, byte for byte, for any number of threads.
//! - No input makes it panic, and time grows linearly with the input's size.
//! - Every piece of evidence is a line of the input as it stands there, with its number and the
//!   bytes that prove the finding.
//! - What is not understood is counted ([`InputSummary::not_understood`]). Where no signature
//!   matches there is no finding: no cause is guessed, [`Report::unexplained`] lists the most
//!   telling events instead.
//!
//! - Memory does not grow with the input: [`Analyzer::incident`] reads streams. What is cut short for
//!   that is told in [`Report::limits`].

mod analyzer;
#[doc(hidden)]
pub mod bench;
#[path = "../../crates/kwhy-errors/src/lib.rs"]
mod chain;
mod correlate;
mod engine;
#[path = "../../crates/kwhy-model/src/grade.rs"]
mod grade;
#[path = "../../crates/kwhy-parse/src/infer_year.rs"]
mod infer_year;
#[path = "../../crates/kwhy-parse/src/input/mod.rs"]
mod input;
mod matcher;
#[path = "../../crates/kwhy-model/src/lib.rs"]
mod model;
#[path = "../../crates/kwhy-parse/src/lib.rs"]
pub mod parse;
#[path = "../../crates/kwhy-parse/src/redact/mod.rs"]
mod redact;
mod report;
mod selftest;
#[path = "../../crates/kwhy-signature/src/lib.rs"]
mod signature;
#[path = "../../crates/kwhy-parse/src/templates/mod.rs"]
mod templates;
mod temporal;
#[path = "../../crates/kwhy-parse/src/timeline/mod.rs"]
mod timeline;

pub use analyzer::Analyzer;
pub use chain::{ErrorChain, Fact, Link, LinkKind};
pub use engine::{Extract, ExtractOptions, Extracted, Incident, extract, extract_with};
pub use input::{Document, Line, Place, ReadLimits, Segment, lines, segments};
pub use model::{
    Age, Carrier, Event, Field, Format, LeftOut, Map, Object, Parsed, Quantity, Severity, Span,
    Stamp, Stream, Subject, Text, TextBuilder, Value, Written,
};
pub use report::{
    BundleSummary, Check, CollectedAt, CommandLine, Evidence, Explained, Finding, Fix,
    InputSummary, Level, LimitMet, Report, Role, SCHEMA, SegmentSummary, Stats, Unexplained,
};
pub use selftest::{
    CauseCoverage, ExampleOutcome, Form, Lint, LintLevel, Overlap, OverlapOutcome, Proof,
};
pub use signature::{
    Catalogue, CheckTemplate, CommandTemplate, Comparison, Condition, Ends, Example, Examples,
    Explains, FixTemplate, Needs, Pattern, Scope, Signature, SignatureError, StepTemplate,
    SubjectTemplate, Template, ValueType,
};
pub use templates::{Folded, FoldedRow};
pub use timeline::{Counts, Timeline, TimelineBucket, TimelineReport};
