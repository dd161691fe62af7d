//! Reads Kubernetes support bundles into an [`Incident`](kwhy_core::Incident).
//!
//! A bundle is a folder, or an archive (tar, zip) in any compression (gzip, bzip2, xz, zstd), also archives in archives. Its
//! make is recognised by its layout, which shows what each member is and which object it is about. Everything is read as a
//! stream and within [`Limits`]: nothing is written to disk, no member is held whole, links are not followed, a name is only a
//! name. What a damaged archive contains before the damage is read.
//!
//! # A reader
//!
//! ```
//! use kwhy_bundle::{Options, read};
//! use kwhy_core::Analyzer;
//! let log = "panic: runtime error: index out of range [3] with length 3\n";
//! let mut incident = Analyzer::new().incident();
//! let inputs = read("app.log", log.as_bytes(), &Options::default(), &mut incident);
//! assert_eq!(inputs.read, 1);
//! let mut report = incident.finish();
//! inputs.add_to(&mut report);
//! assert_eq!(report.findings[0].cause, "container/app-panic");
//! ```
//!
//! [`read_path`] reads a file or folder. An upload or another async body becomes a reader by [`PieceReader`].
//!
//! # Members one by one
//!
//! [`Members`] takes the members of a bundle from wherever they come, such as an object store. Their paths show what they
//! are and what they are about:
//!
//! ```
//! use kwhy_bundle::{Members, Options};
//! use kwhy_core::Analyzer;
//! let store = [
//!     ("cluster-resources/pods/shop.json", r#"{"kind": "PodList", "apiVersion": "v1", "items": []}"#),
//!     ("shop/pods/web-0/web.log", "panic: runtime error: index out of range [3] with length 3\n"),
//! ];
//! let mut incident = Analyzer::new().incident();
//! let mut members = Members::new(&Options::default(), &mut incident);
//! for (path, content) in store {
//!     members.member("case-7", path, content.as_bytes());
//! }
//! let inputs = members.finish();
//! assert_eq!(inputs.read, 2);
//! assert_eq!(incident.finish().inputs[1].source, "case-7!shop/pods/web-0/web.log");
//! ```
//!
//! # Limits
//!
//! [`Limits`] bound sizes, ratios, members, nesting, and the time if that is set. One that is met ends what it bounds; it is
//! no error, but is listed in [`Inputs::limits`]:
//!
//! ```
//! use kwhy_bundle::{Limits, Options, read};
//! use kwhy_core::Analyzer;
//! use kwhy_core::report::Limit;
//! let mut limits = Limits::default();
//! limits.member_size = 1000;
//! limits.time = 60;
//! let log = "2024-03-04T05:06:07Z started\n".repeat(100);
//! let options = Options::default().with_limits(limits);
//! let inputs = read("app.log", log.as_bytes(), &options, &mut Analyzer::new().incident());
//! assert_eq!(inputs.limits[0].limit, Limit::MemberSize);
//! ```
//!
//! # Cancel
//!
//! The handle of the incident ends reading and unpacking, from any thread. What was read until then is reported:
//!
//! ```
//! use kwhy_bundle::{Options, read};
//! use kwhy_core::Analyzer;
//! let mut incident = Analyzer::new().incident();
//! let cancel = incident.cancel_handle();
//! cancel.cancel();
//! read("endless", std::io::repeat(b'x'), &Options::default(), &mut incident);
//! assert!(incident.finish().is_partial());
//! ```
//!
//! # Threads
//!
//! Reading and unpacking happen on the caller's thread. What is read is analysed on the pool of rayon in which the call
//! runs, if kwhy-core has its feature `parallel`. [`sources::read_ahead`] unpacks on a thread of its own.
//!
//! # Errors
//!
//! Reading never fails as a whole. [`Inputs::failures`] lists what could not be opened or read, each an [`InputError`] with
//! its path and the operating system's error; [`Inputs::add_to`] lists them in the report as well. A damaged archive, a
//! binary file and a limit that was met are in [`Inputs::limits`].
//!
//! # More
//!
//! The parts below ([`archive`], [`bundle`], [`sources`]) let a program watch and steer what is read. The repository's
//! `examples/` are whole programs: `minimal`, `follow` (a log that grows), `service` (uploads over HTTP).

pub mod archive;
#[cfg(test)]
mod archive_tests;
pub mod bundle;
#[cfg(test)]
mod fault_tests;
mod incident;
mod pieces;
mod read_ahead;
pub mod sources;
#[doc(hidden)]
pub mod testing;

pub use archive::Clock;
pub use archive::limits::{Limits, Shared};
pub use bundle::{Disposition, Document, DocumentSink, Wanted};
pub use incident::{IncidentSink, Members, Options, read, read_path};
pub use pieces::PieceReader;
pub use sources::{InputError, InputSet, Inputs, Source};

/// Contains the examples of the package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
