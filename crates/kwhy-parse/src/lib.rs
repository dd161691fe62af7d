//! One parser per format: lines in, typed objects and events out.
//!
//! Parsers know nothing about signatures, and never fail: what they do not understand is listed in
//! [`Parsed::not_understood`](kwhy_model::Parsed).

pub mod describe;
pub mod events;
pub mod framing;
pub mod infer_year;
pub mod input;
pub mod log;
pub mod object;
pub mod plain;
pub mod redact;
mod streams;
pub mod table;
pub mod templates;
pub mod timeline;
pub mod unit;

use std::collections::HashSet;

use crate::input::{Document, Extent, Line, ReadLimits, Segment};
use kwhy_model::{Format, Listing, Object, Parsed};
pub use streams::segments_of_stream;

/// Returns all events and objects of a document, in the order of the input.
///
/// ```
/// use kwhy_parse::{self as parse, input::Document};
/// let paste = "NAME    READY   STATUS             RESTARTS      AGE\n\
///              web-0   0/1     CrashLoopBackOff   9 (2m ago)    31m\n";
/// let document = Document::new("stdin", paste);
/// let parsed = parse::document(&document);
/// assert_eq!(parsed.objects[0].subject.to_string(), "Pod web-0");
/// assert_eq!(parsed.objects[0].fields.integer("restarts"), Some(9));
/// ```
pub fn document(document: &Document) -> Parsed<'_> {
    segments(&crate::input::segments(document.text()))
}

/// Returns the events and objects of segments. What they do not state themselves is taken from the
/// command above them.
pub fn segments<'a>(segments: &[Segment<'a>]) -> Parsed<'a> {
    let mut all = Parsed::default();
    for each in segments {
        all.append(segment(each, &ReadLimits::default()));
    }
    all
}

/// Returns the events and objects of one segment.
pub fn segment<'a>(segment: &Segment<'a>, limits: &ReadLimits) -> Parsed<'a> {
    segment_with(segment, limits, log::parse)
}

/// Returns the events and objects of one segment of a stream that is read as a whole, as by [`log::parse_stream`].
pub fn segment_of_stream<'a>(segment: &Segment<'a>, limits: &ReadLimits) -> Parsed<'a> {
    // only the lines together may show that these are records
    let is_text = matches!(segment.format, Format::Plain | Format::Prose);
    if is_text && !segment.is_log && log::is_stream(&segment.lines) {
        return log::parse_stream(&segment.lines);
    }
    segment_with(segment, limits, log::parse_stream)
}

fn segment_with<'a>(
    segment: &Segment<'a>,
    limits: &ReadLimits,
    parse_log: fn(&[Line<'a>]) -> Parsed<'a>,
) -> Parsed<'a> {
    let lines = &segment.lines;
    let mut parsed = match segment.format {
        _ if segment.is_log => parse_log(lines),
        Format::Describe => describe::parse(lines),
        Format::DescribeEvents | Format::EventsTable => events::parse(lines),
        Format::Table => table::parse(lines),
        Format::ObjectYaml | Format::ObjectJson => object::parse_within(lines, limits),
        Format::UnitStatus => unit::parse(lines),
        Format::Command => plain::after_commands(lines),
        format => plain::parse(format, lines),
    };
    let has_rest = !segment.is_log && !matches!(segment.format, Format::Plain | Format::Prose);
    if has_rest && !parsed.not_understood.is_empty() {
        read_rest(lines, &mut parsed);
    }
    for event in &mut parsed.events {
        event.subject.fill_from(&segment.subject);
        if segment.format == Format::Table && event.subject.kind.is_none() {
            event.subject.kind.clone_from(&segment.subject.kind);
        }
    }
    if let [Object { subject, .. }] = parsed.objects.as_mut_slice()
        && matches!(segment.format, Format::ObjectYaml | Format::ObjectJson)
        && subject.name.is_none()
    {
        subject.fill_from(&segment.subject);
    }
    for Object { subject, .. } in &mut parsed.objects {
        let is_identified = subject
            .kind
            .as_deref()
            .is_some_and(|kind| !table::is_ambiguous(kind));
        if segment.format == Format::Table && !is_identified && segment.subject.kind.is_some() {
            subject.kind.clone_from(&segment.subject.kind);
        }
        if segment.format == Format::UnitStatus {
            subject.node.clone_from(&segment.subject.node);
        }
        if subject.is_cluster_scoped() {
            subject.namespace = None;
        } else if subject.namespace.is_none() {
            subject.namespace.clone_from(&segment.subject.namespace);
        }
    }
    if segment.extent != Extent::Some {
        mark_all(segment, &mut parsed);
    } else if segment.subject.kind.is_some() {
        // the command selects only some objects
        parsed.has_gaps = true;
        parsed
            .objects
            .iter_mut()
            .for_each(|object| object.listed = false);
    }
    parsed
}

/// Parses as text the lines that were not understood, or all lines if they yielded neither objects nor
/// events.
fn read_rest<'a>(lines: &[Line<'a>], parsed: &mut Parsed<'a>) {
    let is_empty = parsed.objects.is_empty() && parsed.events.is_empty();
    let not_understood: HashSet<u64> = parsed.not_understood.iter().copied().collect();
    let is_left = |line: &Line<'_>| is_empty || not_understood.contains(&line.number);
    let mut events = Vec::new();
    for run in lines.chunk_by(|one, next| is_left(one) == is_left(next)) {
        if run.first().is_some_and(is_left) {
            events.extend(plain::parse(Format::Plain, run).events);
        }
    }
    parsed.events.extend(events);
}

/// Marks the output of a command that selects all objects of a kind as complete.
fn mark_all(segment: &Segment<'_>, parsed: &mut Parsed<'_>) {
    let mut lines = segment.lines.iter().filter(|line| !line.is_blank());
    if let Some(empty) = lines.next().filter(|line| table::is_empty_list(line.text)) {
        let mut of = segment.subject.clone();
        if let Some(namespace) = table::namespace_of_empty_list(empty.text) {
            of.namespace = Some(namespace.to_owned());
        }
        // kubectl names the namespace of its context for kinds that have none, too
        let has_no_namespace = of.is_cluster_scoped();
        if has_no_namespace {
            of.namespace = None;
        }
        let end = parsed.objects.len();
        parsed.lists.push(Listing {
            objects: end..end,
            of_kind: true,
            of_cluster: segment.extent == Extent::Cluster || has_no_namespace,
            empty: Some(of),
        });
        return;
    }
    // a header and a single row
    if let [row] = parsed.objects.as_mut_slice()
        && segment.format == Format::Table
        && lines.count() == 1
    {
        row.listed = true;
    }
}
