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
//! - Every piece of evidence is a line of the input as it is there, with its number and the
//!   bytes that prove the finding.
//! - What is not understood is counted ([`InputSummary::not_understood`]). Where no signature
//!   matches there is no finding: no cause is guessed, [`Report::unexplained`] lists the most
//!   telling events instead.
//!
//! - Memory does not grow with the input: [`Analyzer::incident`] reads streams. What is cut short for
//!   that is reported in [`Report::limits`].

mod analyzer;
#[doc(hidden)]
pub mod bench;
mod cancel;
mod correlate;
mod engine;
mod matcher;
mod parallel;
mod report;
mod selftest;
mod temporal;

pub use analyzer::Analyzer;
pub use cancel::Cancel;
pub use engine::{Extract, ExtractOptions, Extracted, Incident, extract, extract_with};
pub use jiff;
pub use kwhy_catalogue::Catalogue;
pub use kwhy_errors::{ErrorChain, Fact, Link, LinkKind};
pub use kwhy_model::{
    Age, Carrier, Event, Field, Format, LeftOut, Level, Map, Object, Parsed, Quantity, Role,
    Severity, Span, Stamp, Stream, Subject, Text, TextBuilder, Value, Written,
};
pub use kwhy_parse as parse;
pub use kwhy_parse::input::{Document, Line, Place, ReadLimits, Segment, lines, segments};
pub use kwhy_parse::templates::{Folded, FoldedRow};
pub use kwhy_parse::timeline::{Counts, Timeline, TimelineBucket, TimelineReport};
pub use kwhy_signature::format::format as format_signatures;
pub use kwhy_signature::{
    CheckTemplate, CommandTemplate, Comparison, Condition, Ends, Example, Examples, Explains,
    FixTemplate, Needs, Pattern, Scope, Signature, SignatureError, StepTemplate, SubjectTemplate,
    Template, ValueType,
};
pub use report::{
    BundleSummary, CauseId, Check, CollectedAt, CommandLine, Evidence, Explained, Finding, Fix,
    InputSummary, Limit, LimitMet, ParseWhenError, Report, SCHEMA, SegmentSummary, Stats,
    Unexplained, When,
};
pub use selftest::{
    CauseCoverage, ExampleOutcome, Form, Lint, LintLevel, Overlap, OverlapOutcome, Proof,
};
