//! Prefilters for thousands of literals: which of them occur in a text, and where.
//!
//! [`LiteralSet`] searches a haystack for all literals at once. Long ones are found by an index of sampled
//! q-grams ([`QGramIndex`]), which probes every fifth byte and whose time hardly depends on the number of literals;
//! the few short ones by a packed search ([`ShortLiterals`]). [`WordStarts`] finds thousands of short texts in a single
//! record. [`Bloom`] shows for one record which tokens it cannot contain.
//!
//! Searches are exact: every occurrence is reported once. A literal without ASCII capitals matches in any case, one
//! with capitals only as written.
//!
//! ```
//! use kwhy_prefilter::{LiteralHit, LiteralSet};
//! let set = LiteralSet::new(["connection refused", "no such host", "oom"], b"");
//! let mut hits = Vec::new();
//! set.find_all(b"dial tcp: lookup db: no such host", |_| true, |hit| hits.push(hit));
//! assert_eq!(hits, [LiteralHit { at: 21, literal: 1 }]);
//! ```

mod bloom;
mod qgram;
mod set;
mod short;
mod texts;
mod word_starts;

pub use bloom::{Bloom, Token};
pub use qgram::{Entry, MIN_LITERAL, QGramIndex};
pub use set::{LiteralHit, LiteralSet};
pub use short::ShortLiterals;
pub use texts::Texts;
pub use word_starts::WordStarts;
