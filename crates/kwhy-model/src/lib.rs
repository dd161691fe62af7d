//! The typed values that parsers make and signatures look at.

pub mod duration;
mod event;
mod field;
mod grade;
mod object;
mod owner;
mod quantity;
mod selector;
mod severity;
mod subject;
mod text;
mod time;

pub use duration::nanoseconds;
pub use event::{Carrier, Event, Format, Stream};
pub use field::{Field, Written};
pub use grade::{Level, Role};
pub use object::Listing;
pub use object::{LeftOut, Map, Object, Parsed, Value};
pub use quantity::Quantity;
pub use selector::{Selector, is_nothing};
pub use severity::Severity;
pub use subject::Subject;
pub use text::{Span, Text, TextBuilder};
pub use time::{Age, Stamp};
