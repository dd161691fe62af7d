//! Records with further lines after the message, as in tracing's pretty format: members after the message, then the
//! source location and the contexts on lines of their own.
//!
//! ```text
//!   05:06:07.123  INFO shop::db: lift failed, berth: 7, user: "crane"
//!     at src/shop.rs:43 on main
//!     in shop::request with id: 7
//! ```

use std::ops::Range;

use super::parts::{is_place, name_length};
use super::rest;
use crate::log::payload::Payload;
use kwhy_model::Field;

/// The parts of such a record after its head.
pub(super) struct Spread<'a> {
    pub(super) message: Range<usize>,
    pub(super) caller: Range<usize>,
    pub(super) fields: Vec<Field<'a>>,
}

/// Returns the range of the source location in a line of its own, maybe with a thread: `    at src/shop.rs:43 on main`.
fn place(line: &str) -> Option<Range<usize>> {
    let start = line.len() - line.trim_start().len();
    let rest = line.get(start..)?.strip_prefix("at ")?;
    let (word, following) = rest.split_once(' ').unwrap_or((rest.trim_end(), ""));
    let is_end = following.is_empty() || following.starts_with("on ");
    // stack traces of other languages have lines like this too
    (start > 0 && is_end && word.contains(".rs:") && is_place(word))
        .then(|| start + 3..start + 3 + word.len())
}

/// Returns the range of the members of a context line, empty if it has none: `    in shop::request with id: 7`.
fn context(line: &str) -> Option<Range<usize>> {
    let start = line.len() - line.trim_start().len();
    let rest = line.get(start..)?.strip_prefix("in ")?;
    let name = name_length(rest);
    let following = rest.get(name..)?;
    let end = line.trim_end().len();
    if start == 0 || name == 0 {
        return None;
    }
    match following.trim_end() {
        "" => Some(end..end),
        _ => following
            .starts_with(" with ")
            .then(|| start + 3 + name + 6..end),
    }
}

/// Returns true if a line is a source location, or a context after one: `before` is the record's last line.
pub(in crate::log) fn continues(before: &str, line: &str) -> bool {
    place(line).is_some() || context(line).is_some() && ends(before)
}

/// Returns true if a line is a source location or a context, after which an empty line ends the record.
pub(in crate::log) fn ends(line: &str) -> bool {
    place(line).is_some() || context(line).is_some()
}

/// Parses the text after a head; `None` if the second line is not a source location.
pub(super) fn read<'a>(payload: &Payload<'a>, from: usize) -> Option<Spread<'a>> {
    let text = payload.as_str();
    let end = memchr::memchr(b'\n', text.as_bytes())?;
    let mut start = end + 1;
    let line = |start: usize| text.get(start..).and_then(|rest| rest.lines().next());
    let caller = place(line(start)?)?;
    let caller = start + caller.start..start + caller.end;
    let (message, mut fields) = match rest::listed(payload, from, end) {
        Some((message, fields)) => (from..message, fields),
        None => (from..end, Vec::new()),
    };
    loop {
        start += line(start)?.len() + 1;
        let Some(line) = line(start) else {
            break;
        };
        let Some(members) = context(line) else {
            break;
        };
        let members = start + members.start..start + members.end;
        if !members.is_empty() {
            fields.extend(rest::members(payload, members));
        }
    }
    Some(Spread {
        message,
        caller,
        fields,
    })
}
