//! Reads Kubernetes support bundles into an [`Incident`](kwhy_core::Incident).
//!
//! A bundle is a folder, or an archive (tar, zip) in any supported compression (gzip, bzip2, xz, zstd), including
//! archives in archives. The tool that made it is recognised by its layout, which shows what each member contains and
//! which object it is about. Everything is read as a stream and within [`Limits`]: nothing is written to disk, no
//! member is kept in memory as a whole, links are not followed, and names are never used as paths. Everything before
//! the damage in a damaged archive is read.
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
//! [`read_path`] reads a file or folder. [`PieceReader`] turns an upload or another async body into a reader.
//!
//! # Members one by one
//!
//! [`Members`] takes the members of a bundle from anywhere, such as an object store. Their paths show what they contain
//! and which objects they are about:
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
//! [`Limits`] bound sizes, ratios, the number of members, nesting and, if set, time. Reading stops at a limit that is
//! reached. That is not an error; it is listed in [`Inputs::limits`]:
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
//! The incident's cancel handle stops reading and unpacking from any thread. Everything read before that is reported:
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
//! Reading and unpacking happen on the caller's thread. Analysis runs on the rayon pool of the calling thread if
//! kwhy-core has its `parallel` feature enabled. [`sources::read_ahead`] unpacks on a separate thread.
//!
//! # Errors
//!
//! Reading never fails as a whole. [`Inputs::failures`] lists the paths that could not be opened or read, each as an
//! [`InputError`] with the operating system's error; [`Inputs::add_to`] adds them to the report as well. Damaged
//! archives, binary files and limits that were reached are in [`Inputs::limits`].
//!
//! # More
//!
//! With the modules below ([`archive`], [`bundle`], [`sources`]) a program can observe and control what is read. The
//! repository's `examples/` contains whole programs: `minimal`, `follow` (a log that grows) and `service` (uploads over
//! HTTP).

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

/// Runs the examples of the package's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
