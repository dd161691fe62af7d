//! Heads that continue after the message, on lines of their own, as tracing writes them for people: members after the message, then the
//! place in the source and the contexts.
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

/// What follows the first line.
pub(super) struct Spread<'a> {
    pub(super) message: Range<usize>,
    pub(super) caller: Range<usize>,
    pub(super) fields: Vec<Field<'a>>,
}

/// The place in the source that a line consists of, but for a thread: `    at src/shop.rs:43 on main`.
fn place(line: &str) -> Option<Range<usize>> {
    let start = line.len() - line.trim_start().len();
    let rest = line.get(start..)?.strip_prefix("at ")?;
    let (word, following) = rest.split_once(' ').unwrap_or((rest.trim_end(), ""));
    let is_end = following.is_empty() || following.starts_with("on ");
    // the other languages write stacks so
    (start > 0 && is_end && word.contains(".rs:") && is_place(word))
        .then(|| start + 3..start + 3 + word.len())
}

/// The members of a context that a line consists of, as a range; an empty one if it has none: `    in shop::request with id: 7`.
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

/// Returns true if a line is the place or a context of the record whose last line is `before`.
pub(in crate::log) fn goes_on(before: &str, line: &str) -> bool {
    place(line).is_some() || context(line).is_some() && ends(before)
}

/// Returns true if the last line of a record is a place or a context: an empty line ends the record.
pub(in crate::log) fn ends(line: &str) -> bool {
    place(line).is_some() || context(line).is_some()
}

/// Reads what follows a head whose message starts at an offset; none if the second line is no place.
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
