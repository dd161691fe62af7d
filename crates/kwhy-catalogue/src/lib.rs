//! The built-in signatures of kwhy, and sets of signatures in general.
//!
//! The YAML files are checked and compiled by the build script, so that a program parses none of them at run time.
//! [`Catalogue::builtin`] returns the signatures, [`Catalogue::add_str`] adds others to them.
//!
//! ```
//! # #[cfg(feature = "builtin")] {
//! use kwhy_catalogue::Catalogue;
//! let catalogue = Catalogue::builtin();
//! let signature = catalogue.get("configmap-mount-missing").unwrap();
//! assert_eq!(signature.cause, "storage/configmap-missing");
//! # }
//! ```

mod catalogue;
mod knowledge;

pub use catalogue::Catalogue;
pub use knowledge::{
    ApiServer, CausalRule, Distance, Mechanisms, ObjectName, Topology, WriterRule, community_cause,
    mechanisms, topology, writers,
};
