//! Rows of Events tables of kubectl up to 1.1, which have no type.

use nom::Parser;
use nom::character::complete::{space1, u64 as number};
use nom::combinator::{opt, verify};
use nom::sequence::terminated;

use super::header::{Header, Role};
use super::row::{
    Parsing, Row, Seen, age_word, cell, is_camel_case, is_field_path, is_reason_like,
    object_of_event, placeholder, timestamp, word,
};
use super::source;
use crate::input::Line;
use crate::table::columns::{Cell, words};
use kwhy_model::{Age, Severity, Stamp};

/// Parses a squeezed row of kubectl up to 1.1 below its header: like that of kubectl 1.10, but
/// without the type and with the source in braces.
pub(super) fn read<'a>(header: &Header<'_>, line: &Line<'a>, text: &'a str) -> Option<Row<'a>> {
    if header.has(Role::Type) {
        return None;
    }
    let (rest, (one, two, count)) = (when, when, terminated(number, space1)).parse(text).ok()?;
    let mut row = Row {
        is_get: header.has(Role::Kind),
        ..Row::default()
    };
    let (first, last) = if header.is_before(Role::FirstSeen, Role::LastSeen) {
        (one, two)
    } else {
        (two, one)
    };
    row.seen = Seen {
        last: last.0,
        time: last.1,
        first: first.0,
        count: Some(count),
    };
    let source = |rest: &'a str| -> Option<(Cell<'a>, &'a str)> {
        let close = rest.strip_prefix('{')?.find('}')?;
        Some((
            cell(line, rest.get(..close + 2)?),
            rest.get(close + 2..)?.trim_start(),
        ))
    };
    let mut rest = rest;
    let mut found = None;
    if row.is_get {
        let (after, (name, kind)) = (word, verify(word, is_camel_case)).parse(rest).ok()?;
        row.event_name = cell(line, name);
        row.name = object_of_event(row.event_name);
        row.kind = cell(line, kind);
        rest = after;
    } else {
        let (from, after) = source(rest)?;
        (found, rest) = (Some(from), after);
    }
    let (after, subobject) = opt(verify(word, is_field_path)).parse(rest).ok()?;
    row.subobject = subobject.map_or(Cell::default(), |path| cell(line, path));
    let (after, reason) = verify(word, is_reason_like).parse(after).ok()?;
    row.reason = cell(line, reason);
    let (from, message) = match found {
        Some(from) => (from, after),
        None => source(after)?,
    };
    (row.component, row.host) = source::split(from);
    row.message = cell(line, message);
    Some(row)
}

/// Parses an age, or a timestamp of six words as kubectl 1.0 printed it.
fn when(input: &str) -> Parsing<'_, (Option<Age>, Option<Stamp>)> {
    let six = |input: &str| {
        let after = words(input).nth(5).map(|(span, _)| span.end)?;
        let time = timestamp(input.get(..after)?)?;
        Some((input.get(after..)?.trim_start().len(), time))
    };
    match six(input).filter(|_| input.get(3..5) == Some(", ")) {
        Some((rest, time)) => {
            let rest = input.get(input.len() - rest..).unwrap_or("");
            Ok((rest, (None, Some(time))))
        }
        None => {
            let (rest, age) = age_word.or(placeholder).parse(input)?;
            Ok((rest, (age, None)))
        }
    }
}

/// Returns the severity of an event without a type, judged by its reason.
pub(super) fn severity_of(reason: &str) -> Severity {
    const PARTS: [&str; 6] = ["ailed", "rror", "nhealthy", "ackOff", "ackoff", "nvalid"];
    let is_warning = PARTS.iter().any(|part| reason.contains(part));
    if is_warning {
        Severity::Warning
    } else {
        Severity::Info
    }
}
