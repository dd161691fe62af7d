//! Finds the root cause of a Kubernetes failure in pasted output and logs.
//!
//! The input is text: `kubectl describe`, tables of `kubectl get`, events, logs of the kubelet, of container runtimes,
//! operators and applications, several of them in one paste with prose between. The result is a [`Report`]:
//! [`Finding`]s in order of rank, each with the lines that prove it, the findings it explains, checks and fixes.
//!
//! Use this crate to build the analysis into a chat bot, an incident tool or a web page. At a prompt or in a script,
//! use the program `kwhy`, which is built on it. Archives and folders are read by the crate `kwhy-bundle`, which feeds
//! an [`Incident`]; reports are rendered by `kwhy-render`.
//!
//! # Analyse text
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
//! An [`Analyzer`] derives data from its signatures on first use: create one, share it between threads, and reuse it.
//! [`Analyzer::analyze`] takes several texts that belong to one incident.
//!
//! # Analyse a reader
//!
//! An [`Incident`] reads documents of any size as streams, one after another, in bounded memory:
//!
//! ```
//! use kwhy_core::{Analyzer, Subject};
//! let mut incident = Analyzer::new().incident();
//! let kubelet = r#"E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume "conf" : configmap "cart" not found"#;
//! incident.read("kubelet.log", kubelet.as_bytes())?;
//! // where it was found shows what a log is about
//! let about = Subject::new("Pod", Some("shop"), "web-0");
//! incident.read_about("web-0.log", about, "panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
//! let report = incident.finish();
//! assert_eq!(report.inputs.len(), 2);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! For single members of an archive, whole archives and async bodies, see `kwhy-bundle`.
//!
//! # Custom signatures
//!
//! Custom signatures are added to the built-in ones, or to none ([`Catalogue::empty`]); a signature with the id of a
//! built-in one replaces it. [`signature`] contains their types; with the feature `selftest`,
//! `Analyzer::test_signatures` and `Analyzer::lint_signatures` check them.
//!
//! ```
//! use kwhy_core::{Analyzer, Catalogue};
//! let mut catalogue = Catalogue::builtin();
//! catalogue.add_causes("causes.yaml", "shop/cart-full: the cart takes no more")?;
//! let mine = "
//! id: cart-full
//! cause: shop/cart-full
//! severity: error
//! title: The cart of {customer} is full
//! why: It takes 50 articles.
//! match: {event: {message: 'cart of {customer} is full'}}
//! ";
//! catalogue.add_str("mine.yaml", mine)?;
//! let report = Analyzer::with_catalogue(catalogue).analyze_text("web.log", "level=error msg=\"cart of c-17 is full\"\n");
//! assert_eq!(report.findings[0].title, "The cart of c-17 is full");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Interim reports
//!
//! [`Incident::report_so_far`] reports what was read so far, and reading can continue; [`Incident::read_on`] reads more
//! of a document that has grown. Nothing is analysed twice:
//!
//! ```
//! use kwhy_core::Analyzer;
//! let mut incident = Analyzer::new().incident();
//! incident.read("web.log", "2024-03-04T05:06:07Z listening\n".as_bytes())?;
//! assert!(incident.report_so_far().findings.is_empty());
//! // the log grew
//! incident.read_on("panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
//! assert_eq!(incident.report_so_far().findings[0].evidence[0].line, 2);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Limits
//!
//! [`ReadLimits`] limit lines, nesting and aliases; `kwhy_bundle::Limits` limit archives and time. Limits that were
//! reached are listed in [`Report::limits`], including those built into the engine:
//!
//! ```
//! use kwhy_core::report::Limit;
//! use kwhy_core::{Analyzer, ReadLimits};
//! let analyzer = Analyzer::new().with_limits(ReadLimits::default().with_line_length(4096));
//! let report = analyzer.analyze_text("long.log", "x".repeat(10_000));
//! assert_eq!(report.limits[0].limit, Limit::LongLine);
//! ```
//!
//! # Cancel
//!
//! A [`Cancel`] ends reading from any thread; the report covers what was read, and is marked as partial:
//!
//! ```
//! use kwhy_core::{Analyzer, Cancel};
//! let cancel = Cancel::new();
//! let mut incident = Analyzer::new().incident().with_cancel(&cancel);
//! let stop = std::thread::spawn(move || {
//!     std::thread::sleep(std::time::Duration::from_millis(50));
//!     cancel.cancel();
//! });
//! incident.read("endless.log", std::io::repeat(b'\n'))?;
//! assert!(incident.finish().is_partial());
//! # stop.join().unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Threads
//!
//! With the feature `parallel`, a call uses the rayon pool in which it runs: the global one, or one of your own.
//! Without the feature, everything happens on the calling thread. The report is the same.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use kwhy_core::Analyzer;
//! let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
//! let log = "panic: runtime error: index out of range [3] with length 3\n";
//! let report = pool.install(|| Analyzer::new().analyze_text("web.log", log));
//! assert_eq!(report.findings[0].cause, "container/app-panic");
//! # Ok(())
//! # }
//! ```
//!
//! # Errors
//!
//! Analysis cannot fail: lines that no parser understands are counted. A reader's errors are returned as they are, and
//! what was read before them is part of the incident. Errors in signatures have a file, a line and a column:
//!
//! ```
//! use kwhy_core::Catalogue;
//! let error = Catalogue::empty().add_str("mine.yaml", "id: x\nseverty: error\n").unwrap_err();
//! assert_eq!((error.file(), error.line()), ("mine.yaml", 2));
//! assert!(error.to_string().starts_with("mine.yaml:2:"));
//! ```
//!
//! # Without a diagnosis
//!
//! [`events::extract`] and [`events::parse::document`] return the typed [`events::Event`]s and [`events::Object`]s,
//! [`events::ErrorChain::parse`] the parts of one error message.
//!
//! # The report
//!
//! A [`Report`] serializes to, and deserializes from, the schema [`report::SCHEMA`]; [`report`] contains its parts.
//!
//! # Features
//!
//! - `builtin` (on): the built-in signatures, which add a few MB to the program.
//! - `parallel` (on): reads inputs on all processors. Without it, the crate uses one thread, with the same result,
//!   starts none and works on `wasm32-unknown-unknown`.
//! - `schema`: JSON Schemas of reports and signature files.
//! - `selftest`: runs the examples of signatures, and lints them.
//! - `unstable-internals`: for the benchmarks and tests of this repository; may change at any time.
//!
//! # Guarantees
//!
//! - No I/O: the crate opens nothing (it reads what it is given), prints nothing, and reads neither the clock nor the
//!   environment. It takes the time of collection from [`Analyzer::with_reference_time`], or does without.
//! - The same input yields the same report, byte for byte, for any number of threads.
//! - No input makes it panic, and time grows linearly with the size of the input.
//! - Every piece of evidence is a line of the input as it appears there, with its number and the bytes that prove the
//!   finding.
//! - Lines that no parser understands are counted ([`report::InputSummary::not_understood`]). If no signature matches
//!   there is no finding: no cause is guessed, and [`Report::unexplained`] lists the most telling events instead.
//! - Memory does not grow with the input: [`Analyzer::incident`] reads streams. Whatever is omitted for that reason is
//!   reported in [`Report::limits`].

#![cfg_attr(docsrs, feature(doc_cfg))]

mod analyzer;
mod cancel;
mod correlate;
mod engine;
pub mod events;
mod hash;
#[cfg(feature = "unstable-internals")]
pub mod internals;
mod inventory;
mod matcher;
mod parallel;
pub mod report;
#[cfg(feature = "selftest")]
mod selftest;
pub mod signature;
mod sort;
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
