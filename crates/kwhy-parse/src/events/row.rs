//! One row of an Events table, parsed by the header's columns, or by its grammar if the columns
//! were squeezed to single spaces or the header is missing.

use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, space0, space1, u64 as number};
use nom::combinator::{map_opt, opt, verify};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Offset, Parser};

use super::header::{Header, Role};
use super::{source, untyped};
use crate::input::Line;
use crate::table::columns::Cell;
use kwhy_model::{Age, Stamp};

/// The cells of a row; empty if not shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row<'a> {
    /// True if the row is from `kubectl get events` rather than from a describe.
    pub is_get: bool,
    pub namespace: Cell<'a>,
    pub kind_of_event: Cell<'a>,
    pub reason: Cell<'a>,
    pub seen: Seen,
    pub component: Cell<'a>,
    pub host: Cell<'a>,
    /// The kind and name of the object.
    pub kind: Cell<'a>,
    pub name: Cell<'a>,
    /// The name of the Event object itself.
    pub event_name: Cell<'a>,
    pub subobject: Cell<'a>,
    pub message: Cell<'a>,
}

/// The times and the count of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub last: Option<Age>,
    /// The timestamp itself, which custom columns print.
    pub time: Option<Stamp>,
    pub first: Option<Age>,
    pub count: Option<u64>,
}

impl<'a> Row<'a> {
    /// Parses a row; `None` if the line is not one.
    pub fn read(header: Option<&Header<'_>>, line: &Line<'a>) -> Option<Row<'a>> {
        header
            .and_then(|header| Row::by_columns(header, line))
            .or_else(|| Row::by_grammar(header, line))
    }

    /// Returns true if the line starts like a row, even if a terminal cut its end off.
    pub fn is_start(line: &str) -> bool {
        let text = line.trim();
        if text.starts_with("Normal") || text.starts_with("Warning") {
            return (event_type, reason, seen).parse(text).is_ok();
        }
        leading_namespace(text).is_ok_and(|(rest, _)| {
            (seen, event_type).parse(rest).is_ok()
                || (age_word, age_word, number).parse(rest).is_ok()
        })
    }

    fn by_columns(header: &Header<'_>, line: &Line<'a>) -> Option<Row<'a>> {
        let cells = header.cells(line)?;
        let mut row = Row {
            is_get: is_get(header),
            ..Row::default()
        };
        let mut is_timed = false;
        for (role, cell) in cells {
            match role {
                Role::Namespace => row.namespace = cell,
                Role::LastSeen | Role::FirstSeen => {
                    if cell.is_empty() {
                        continue;
                    }
                    is_timed = true;
                    if let Some(timestamp) = timestamp(cell.text) {
                        // describe never prints timestamps
                        row.is_get = true;
                        if role == Role::LastSeen {
                            row.seen.time = Some(timestamp);
                        }
                        continue;
                    }
                    if matches!(cell.text, "<none>" | "<nil>") {
                        continue;
                    }
                    if is_placeholder(cell.text) {
                        continue;
                    }
                    let (rest, seen) = seen(cell.text).ok()?;
                    if !rest.is_empty() {
                        return None;
                    }
                    if role == Role::FirstSeen {
                        row.seen.first = seen.last;
                    } else {
                        row.seen.last = seen.last;
                        row.seen.first = row.seen.first.or(seen.first);
                        row.seen.count = row.seen.count.or(seen.count);
                    }
                }
                Role::Count => row.seen.count = cell.text.parse().ok(),
                Role::Type => row.kind_of_event = cell,
                Role::Reason => row.reason = cell,
                Role::Object => row.set_object(cell),
                Role::Kind => row.kind = cell,
                Role::Name => row.event_name = cell,
                Role::Subobject => row.subobject = cell,
                Role::Source => (row.component, row.host) = source::split(cell),
                Role::Message => row.message = cell,
            }
        }
        if row.name.is_empty() {
            row.name = object_of_event(row.event_name);
        }
        if !header.has(Role::Type) {
            let is_known = is_timed || !header.has(Role::LastSeen);
            let is_reason = is_reason_like(row.reason.text) || !header.has(Role::Reason);
            return (is_known && is_reason && !row.message.is_empty()).then_some(row);
        }
        let word = row.kind_of_event.text;
        let is_type = is_event_type(word)
            || (is_timed && is_camel_case(word) && !row.reason.text.contains(' '));
        is_type.then_some(row)
    }

    fn by_grammar(header: Option<&Header<'_>>, line: &Line<'a>) -> Option<Row<'a>> {
        let text = line.text.trim();
        // a row starts with its type, an age, or a namespace before an age; the first two words
        // reject almost every other line
        let mut row = if text.starts_with("Normal") || text.starts_with("Warning") {
            describe_row(header.is_some(), line, text)
        } else if let Some(row) = header.and_then(|header| untyped::read(header, line, text)) {
            Some(row)
        } else {
            let (rest, namespace) = leading_namespace(text).ok()?;
            let mut row =
                get_row(header, line, rest).or_else(|| get_row_before_1_11(line, rest))?;
            row.namespace = namespace.map_or(Cell::default(), |part| cell(line, part));
            Some(row)
        }?;
        if let Some(header) = header
            && !row.is_get
        {
            row.is_get = is_get(header);
        }
        Some(row)
    }

    /// Returns true if the API server printed the row for `kubectl get`: it writes kinds in lower
    /// case.
    pub fn is_of_server(&self) -> bool {
        self.is_get && self.kind.text.starts_with(|c: char| c.is_ascii_lowercase())
    }

    fn set_object(&mut self, object: Cell<'a>) {
        match object.text.find('/') {
            Some(slash) => {
                self.kind = object.first(slash);
                self.name = object.skip(slash + 1);
            }
            None => self.name = object,
        }
    }
}

fn is_get(header: &Header<'_>) -> bool {
    [Role::Object, Role::Kind, Role::Namespace, Role::Name]
        .into_iter()
        .any(|role| header.has(role))
}

pub(super) type Parsing<'a, T> = IResult<&'a str, T>;

pub(super) fn word(input: &str) -> Parsing<'_, &str> {
    terminated(take_while1(|c: char| !c.is_whitespace()), space0).parse(input)
}

fn event_type(input: &str) -> Parsing<'_, &str> {
    verify(word, is_event_type).parse(input)
}

/// Parses a reason. Some Ingress controllers write theirs in upper case (`RELOAD`), which is accepted only before an
/// age or an object.
fn reason(input: &str) -> Parsing<'_, &str> {
    let (rest, found) = word(input)?;
    let is_followed = || age_word(rest).is_ok() || word(rest).is_ok_and(|(_, it)| is_object(it));
    if is_camel_case(found) || (is_in_capitals(found) && is_followed()) {
        return Ok((rest, found));
    }
    verify(word, is_camel_case).parse(input)
}

/// Returns true if the author put the word in place of an age: dots, `<time>`, `xxx`, `?`.
fn is_placeholder(word: &str) -> bool {
    const LONGEST: usize = 24;
    let all = |accepted: fn(char) -> bool| !word.is_empty() && word.chars().all(accepted);
    let inside = word
        .strip_prefix('<')
        .and_then(|word| word.strip_suffix('>'));
    let is_named = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_ ".contains(&byte))
    };
    let unit = word.trim_end_matches(['s', 'm', 'h', 'd']);
    word.len() <= LONGEST
        && (all(|c| matches!(c, '.' | '\u{2026}'))
            || all(|c| c == '?')
            || inside.is_some_and(is_named)
            || (!unit.is_empty() && unit.len() + 1 >= word.len() && word.len() > 1 && {
                unit.bytes().all(|byte| byte == b'x') || unit.bytes().all(|byte| byte == b'X')
            })
            || matches!(word, "N/A" | "n/a" | "unknown" | "redacted" | "-" | "--"))
}

/// Parses a placeholder for an age, with the spaces after it.
pub(super) fn placeholder(input: &str) -> Parsing<'_, Option<Age>> {
    let (rest, _) = verify(word, is_placeholder).parse(input)?;
    Ok((rest, None))
}

/// Parses `5m`, `<unknown>` (events of the new API), `<invalid>` (a clock that is ahead).
fn age(input: &str) -> Parsing<'_, Option<Age>> {
    let part = take_while1(|c: char| c.is_ascii_alphanumeric() || c == '<' || c == '>');
    map_opt(part, |part: &str| match part {
        "<unknown>" | "<invalid>" => Some(None),
        _ => Age::parse(part).map(Some),
    })
    .parse(input)
}

/// Parses a timestamp as the API writes it, `2031-03-04T05:06:07Z`, with a fraction in the new API;
/// or as kubectl 1.0 did, `Tue, 04 Mar 2031 05:06:07 +0000`.
pub(super) fn timestamp(text: &str) -> Option<Stamp> {
    if text.get(3..5) == Some(", ") {
        let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
        return Some(Stamp {
            nanos: zoned.timestamp().as_nanosecond(),
            digits: 0,
            zone_stated: true,
            year_stated: true,
        });
    }
    let is_timestamp = text.len() >= 20
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.get(10..11) == Some("T");
    let timestamp: jiff::Timestamp = text.parse().ok().filter(|_| is_timestamp)?;
    let fraction = text.get(19..)?.strip_prefix('.').unwrap_or("");
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    Some(Stamp {
        nanos: timestamp.as_nanosecond(),
        digits: u8::try_from(digits).unwrap_or(9),
        zone_stated: true,
        year_stated: true,
    })
}

/// Parses an age as a whole word, with the spaces after it.
pub(super) fn age_word(input: &str) -> Parsing<'_, Option<Age>> {
    let (rest, age) = age(input)?;
    match space1::<&str, nom::error::Error<&str>>(rest) {
        Ok((rest, _)) => Ok((rest, age)),
        Err(_) if rest.is_empty() => Ok((rest, age)),
        Err(error) => Err(error),
    }
}

/// Parses an age, with `(x16 over 18m)` if the event occurred more than once.
fn seen(input: &str) -> Parsing<'_, Seen> {
    let (rest, last) = age_word.or(placeholder).parse(input)?;
    let over = (space1, tag("over"), space1);
    let times = delimited(tag("(x"), (number, preceded(over, age)), char(')'));
    let (rest, series) = opt(terminated(times, space0)).parse(rest)?;
    let seen = Seen {
        last,
        first: series.and_then(|(_, first)| first),
        count: series.map(|(count, _)| count),
        time: None,
    };
    Ok((rest, seen))
}

/// Parses the namespace before the age, if there is one; stops before the age.
fn leading_namespace(input: &str) -> Parsing<'_, Option<&str>> {
    if age_word(input).is_ok() {
        return Ok((input, None));
    }
    let is_namespace = |word: &str| {
        word.len() < 64
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let is_seen = |rest| (seen, event_type).parse(rest).is_ok();
    match verify(word, is_namespace).parse(input) {
        Ok((rest, namespace)) if age_word(rest).is_ok() || is_seen(rest) => {
            Ok((rest, Some(namespace)))
        }
        Ok(_) | Err(_) if is_seen(input) => Ok((input, None)),
        Ok((rest, _)) => age_word(rest).map(|_| (rest, None)),
        Err(error) => Err(error),
    }
}

/// Returns true if gaps as wide as those between columns separate type, reason and message.
fn is_spaced(text: &str) -> bool {
    let column = |text: &'_ str| -> Option<usize> {
        let end = text.find([' ', '\t'])?;
        let gap = text.get(end..)?;
        (gap.starts_with("  ") || gap.starts_with('\t')).then_some(end)
    };
    let after = column(text).and_then(|end| text.get(end..));
    let reason = after.map(str::trim_start);
    reason.and_then(column).is_some()
}

/// Parses a row of a describe: `Type Reason [Age] [From] Message`. Requires an age, a source, or
/// the spacing of a table. An event without a reason is so rare that it is accepted only below a
/// header.
fn describe_row<'a>(has_header: bool, line: &Line<'a>, text: &'a str) -> Option<Row<'a>> {
    let (rest, (kind_of_event, reason)) = (event_type, opt(reason)).parse(text).ok()?;
    if reason.is_none() && !(has_header && age_word(rest).is_ok()) {
        return None;
    }
    let is_age = age_word(rest).is_ok();
    let (after, seen) = opt(seen).parse(rest).ok()?;
    let found = source::at_start(after, seen.is_some());
    // a placeholder for an age is accepted only below a header or before a source
    let is_plausible = is_age || found.is_some() || (seen.is_some() && has_header);
    if !is_plausible && !is_spaced(text) {
        return None;
    }
    let rest = after;
    let length = found.unwrap_or(0);
    let (component, host) = source::split(cell(line, rest.get(..length)?));
    Some(Row {
        kind_of_event: cell(line, kind_of_event),
        reason: reason.map_or(Cell::default(), |reason| cell(line, reason)),
        seen: seen.unwrap_or_default(),
        component,
        host,
        message: cell(line, rest.get(length..)?),
        ..Row::default()
    })
}

/// Parses a row of `kubectl get events` or `kubectl events`: `Age Type Reason Object Message`; `-o
/// wide` adds `Subobject Source` before the message and `First Count Name` after it.
fn get_row<'a>(header: Option<&Header<'_>>, line: &Line<'a>, text: &'a str) -> Option<Row<'a>> {
    // an event may lack its reason
    let (rest, (seen, kind_of_event, reason, object)) =
        (seen, event_type, opt(reason), verify(word, is_object))
            .parse(text)
            .ok()?;
    let mut row = Row {
        is_get: true,
        kind_of_event: cell(line, kind_of_event),
        reason: reason.map_or(Cell::default(), |reason| cell(line, reason)),
        seen,
        message: cell(line, rest),
        ..Row::default()
    };
    row.set_object(cell(line, object));
    let is_wide = match header {
        Some(header) => header.has(Role::Subobject),
        None => trailing_cells(rest).is_some(),
    };
    if is_wide {
        let (rest, subobject) = opt(verify(word, is_field_path)).parse(rest).ok()?;
        row.subobject = subobject.map_or(Cell::default(), |path| cell(line, path));
        let length = source::at_start(rest, true).unwrap_or(0);
        (row.component, row.host) = source::split(cell(line, rest.get(..length)?));
        row.message = cell(line, rest.get(length..)?);
        if let Some(trailing) = trailing_cells(row.message.text) {
            row.seen.first = trailing.first;
            row.seen.count = Some(trailing.count);
            row.event_name = cell(line, trailing.name);
            row.message = row.message.first(trailing.message);
        }
    }
    Some(row)
}

/// The cells after the message in the wide table.
struct TrailingCells<'a> {
    /// The length of the message.
    message: usize,
    first: Option<Age>,
    count: u64,
    name: &'a str,
}

/// Parses `First Count Name` at the end of a message.
fn trailing_cells(text: &str) -> Option<TrailingCells<'_>> {
    let last = |text| -> Option<(&str, &str)> {
        let text = str::trim_end(text);
        let at = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        Some((text.get(..at)?, text.get(at..)?))
    };
    let (rest, name) = last(text)?;
    let (rest, count) = last(rest)?;
    let (rest, first) = last(rest)?;
    let (_, first) = age_word(first).ok()?;
    Some(TrailingCells {
        message: rest.trim_end().len(),
        first,
        count: count.parse().ok()?,
        name: Some(name).filter(|name| name.contains('.'))?,
    })
}

/// Parses a row of kubectl up to 1.10. `get events`: `Last First Count Name Kind [Subobject] Type
/// Reason Source Message`; a describe up to 1.8: `First Last Count From [SubObjectPath] Type Reason
/// Message`. A kind before the type distinguishes them.
fn get_row_before_1_11<'a>(line: &Line<'a>, text: &'a str) -> Option<Row<'a>> {
    let count = terminated(number, space1);
    let (rest, (age_1, age_2, count)) = (age_word, age_word, count).parse(text).ok()?;
    let (rest, middle) = until_type(rest)?;
    let (rest, (kind_of_event, reason)) = (event_type, reason).parse(rest).ok()?;
    let mut parts: Vec<&str> = middle.split_whitespace().collect();
    let subobject = parts.pop_if(|part| is_field_path(part));
    let mut row = Row {
        kind_of_event: cell(line, kind_of_event),
        reason: cell(line, reason),
        subobject: subobject.map_or(Cell::default(), |path| cell(line, path)),
        message: cell(line, rest),
        ..Row::default()
    };
    match parts.as_slice() {
        [name, kind] if is_camel_case(kind) => {
            row.is_get = true;
            row.event_name = cell(line, name);
            row.name = object_of_event(row.event_name);
            row.kind = cell(line, kind);
            let length = source::at_start(rest, true).unwrap_or(0);
            (row.component, row.host) = source::split(cell(line, rest.get(..length)?));
            row.message = cell(line, rest.get(length..)?);
            row.seen.last = age_1;
            row.seen.first = age_2;
        }
        [from @ .., last] => {
            let first = from.first().unwrap_or(last);
            let start = middle.offset(first);
            let end = middle.offset(last) + last.len();
            (row.component, row.host) = source::split(cell(line, middle.get(start..end)?));
            row.seen.first = age_1;
            row.seen.last = age_2;
        }
        [] => return None,
    }
    row.seen.count = Some(count);
    Some(row)
}

/// Splits before the event's type, which is among the next few words.
fn until_type(text: &str) -> Option<(&str, &str)> {
    let mut rest = text;
    for _ in 0..8 {
        if event_type(rest).is_ok() {
            return Some((rest, text.get(..text.len() - rest.len())?));
        }
        (rest, _) = word(rest).ok()?;
    }
    None
}

/// Returns the object's name: old kubectl printed the event's, which appends the time in
/// hexadecimal.
pub(super) fn object_of_event(name: Cell<'_>) -> Cell<'_> {
    match name.text.rsplit_once('.') {
        Some((object, suffix))
            if suffix.len() >= 8 && suffix.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            name.first(object.len())
        }
        _ => name,
    }
}

fn is_event_type(word: &str) -> bool {
    word == "Normal" || word == "Warning"
}

/// Returns true if the word is written like a reason, type or kind: initial capital, letters and
/// digits.
pub(super) fn is_camel_case(word: &str) -> bool {
    word.len() < 128
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_in_capitals(word: &str) -> bool {
    (2..64).contains(&word.len())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Returns true if the word names an object: `pod/web-0`.
fn is_object(word: &str) -> bool {
    word.split_once('/')
        .is_some_and(|(kind, name)| !kind.is_empty() && !name.is_empty())
}

/// Returns true if the word is written like a reason, including those of kubectl 1.0, which start
/// with a lower-case letter.
pub(super) fn is_reason_like(word: &str) -> bool {
    (1..128).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

pub(super) fn is_field_path(word: &str) -> bool {
    // up to 1.0, without `spec.`
    ["spec.", "implicitly", "containers{"]
        .iter()
        .any(|start| word.starts_with(start))
}

pub(super) fn cell<'a>(line: &Line<'a>, part: &'a str) -> Cell<'a> {
    let start = line.text.offset(part);
    Cell::of(line, start..start + part.len())
}
