//! Reads Kubernetes support bundles into an [`Incident`](kwhy_core::Incident).
//!
//! A bundle is a folder, or an archive (tar, zip) in any compression (gzip, bzip2, xz, zstd), also archives in archives. Its
//! make is recognised by its layout, which shows what each member is and which object it is about. Everything is read as a
//! stream and within [`Limits`]: nothing is written to disk, no member is held whole, links are not followed, a name is only a
//! name. What a damaged archive contains before the damage is read.
//!
//! ```
//! use kwhy_bundle::{Options, read};
//! use kwhy_core::Analyzer;
//! let log = "panic: runtime error: index out of range [3] with length 3\n";
//! let mut incident = Analyzer::new().incident();
//! let inputs = read("app.log", log.as_bytes(), &Options::default(), &mut incident);
//! assert_eq!(inputs.read, 1);
//! assert_eq!(incident.finish().findings[0].cause, "container/app-panic");
//! ```
//!
//! [`read_path`] reads a file or folder, [`Members`] takes members one by one, from wherever they come. The parts below
//! ([`archive`], [`bundle`], [`sources`]) let a program watch and steer what is read.

pub mod archive;
#[cfg(test)]
mod archive_tests;
pub mod bundle;
mod incident;
pub mod sources;
#[doc(hidden)]
pub mod testing;

pub use archive::limits::{Limits, Shared};
pub use bundle::{Disposition, Document, DocumentSink, Wanted};
pub use incident::{IncidentSink, Members, Options, read, read_path};
pub use sources::{InputError, InputSet, Inputs, Source};
