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
//!   belong to one incident, [`Analyzer::incident`] for streams of any size, which can be
//!   [cancelled](Incident::cancel_handle) and asked [before their end](Incident::report_so_far).
//! - [`Catalogue::builtin`] and [`Catalogue::add_str`] for signatures of one's own beside the
//!   built-in ones or without them; with the feature `selftest`, `Analyzer::test_signatures` and
//!   `Analyzer::lint_signatures` check them. [`signature`] has their parts.
//! - [`events::extract`] and [`events::parse::document`] for the typed [`events::Event`]s and
//!   [`events::Object`]s without any diagnosis, and [`events::ErrorChain::parse`] for one error message.
//!
//! A [`Report`] serializes to, and deserializes from, the schema [`report::SCHEMA`]; [`report`] has its parts.
//!
//! # Features
//!
//! - `builtin` (on): the built-in signatures, some MB of the program.
//! - `parallel` (on): inputs are read on all processors; on one thread without it, with the same result.
//! - `selftest`: runs the examples of signatures, and lints them.
//! - `unstable-internals`: for the benchmarks and tests of this repository; may change at any time.
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
//! - What is not understood is counted ([`report::InputSummary::not_understood`]). Where no signature
//!   matches there is no finding: no cause is guessed, [`Report::unexplained`] lists the most
//!   telling events instead.
//! - Memory does not grow with the input: [`Analyzer::incident`] reads streams. What is cut short for
//!   that is reported in [`Report::limits`].

mod analyzer;
mod cancel;
mod correlate;
mod engine;
pub mod events;
#[cfg(feature = "unstable-internals")]
pub mod internals;
mod inventory;
mod matcher;
mod parallel;
pub mod report;
#[cfg(feature = "selftest")]
mod selftest;
pub mod signature;
mod temporal;
mod verdict;

pub use analyzer::Analyzer;
pub use cancel::Cancel;
pub use engine::Incident;
pub use jiff;
pub use kwhy_catalogue::Catalogue;
pub use kwhy_model::Subject;
pub use kwhy_parse::input::{Document, ReadLimits};
pub use report::{Finding, Level, Report, Role, Verdict};
