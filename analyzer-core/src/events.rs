//! Events and objects without a diagnosis, as the parsers extract them from a text.
//!
//! ```
//! use kwhy_core::events::{Severity, extract};
//! let log = "E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\" err=\"timeout\"\n";
//! let mut errors = 0;
//! let count = |part: &kwhy_core::events::Extract<'_>| {
//!     let events = part.parsed.events.iter();
//!     events.filter(|event| event.severity == Some(Severity::Error)).count()
//! };
//! extract("kubelet.log", log.as_bytes(), count, |more| errors += more)?;
//! assert_eq!(errors, 1);
//! # Ok::<(), std::io::Error>(())
//! ```

pub use crate::engine::{Extract, ExtractOptions, Extracted, extract, extract_with};
pub use kwhy_errors::{ErrorChain, Fact, Link, LinkKind};
pub use kwhy_model::{
    Age, Envelope, Event, Field, Format, LeftOut, Map, Object, Parsed, Quantity, Severity, Span,
    Stamp, Stream, Subject, Text, TextBuilder, Value, Written,
};
pub use kwhy_parse as parse;
pub use kwhy_parse::input::{Line, Place, Segment, lines, segments};
pub use kwhy_parse::redact::{SecretPolicy, masked};
pub use kwhy_parse::templates::{Folded, FoldedLine, FoldedRow};
