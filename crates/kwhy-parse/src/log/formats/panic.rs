//! Panics and fatal errors of the Go runtime, identified by their first line, which states the
//! error.

use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use kwhy_model::{Event, Format, Severity};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Plain,
    first: b"pf",
    begins: is_panic,
    read,
    show,
    // further lines of the message start with a tab
    follow: Follow {
        raw: |_| false,
        surely: |line| line.starts_with('\t') && !line.trim().is_empty(),
        chained: |_| false,
        indented: false,
        apart: |_| false,
    },
};

pub(crate) fn is_panic(text: &str) -> bool {
    text.starts_with("panic: ") || text.starts_with("fatal error: ")
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.text();
    let mut event = Event::new(Format::Plain, text.span(), text.clone());
    event.severity = Some(Severity::Fatal);
    Some(event)
}
