//! The signatures that kwhy knows, and sets of signatures in general.
//!
//! The YAML files of `signatures/` are checked and compiled by the build script: nothing of them is parsed when a program
//! runs. [`Catalogue::builtin`] gives them, [`Catalogue::add_str`] adds signatures of one's own.
//!
//! ```
//! use kwhy_catalogue::Catalogue;
//! let catalogue = Catalogue::builtin();
//! let signature = catalogue.get("configmap-mount-missing").unwrap();
//! assert_eq!(signature.cause, "storage/configmap-missing");
//! ```

mod catalogue;

pub use catalogue::Catalogue;

/// The causal rules: `signatures/mechanisms.txt`.
pub const MECHANISMS: &str = include_str!("../signatures/mechanisms.txt");

/// Facts about how clusters are put together: `signatures/topology.txt`.
pub const TOPOLOGY: &str = include_str!("../signatures/topology.txt");
