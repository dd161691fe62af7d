//! The typed values that parsers produce and signatures test: events, objects, their subjects, texts mapped to
//! the input, quantities and times.
//!
//! ```
//! use kwhy_model::{Event, Format, Severity, Subject, Text};
//! let line = "pod web-0 was killed";
//! let mut event = Event::new(Format::Plain, 0..line.len(), Text::borrowed(line, 0));
//! event.severity = Some(Severity::Error);
//! event.subject = Subject::new("Pod", Some("shop"), "web-0");
//! assert_eq!(event.message.slice(4..9).span(), 4..9);
//! assert_eq!(event.subject.to_string(), "Pod shop/web-0");
//! ```

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
mod time_json;

pub use duration::nanoseconds;
pub use event::{Envelope, Event, Format, Stream};
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
