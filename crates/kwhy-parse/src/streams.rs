//! Segments of a text that is read whole, as the stream of one program.

use crate::input::{Extent, Line, Segment, lines};
use crate::log::{self, Stream};
use kwhy_model::Format;

/// The number of lines of a text that may be a part of the log beside it, and of such texts in one list.
const MAX_PARTS: (usize, usize) = (8, 16);

/// Segments of a text that is read whole. Where its lines have one layout it is one log, also if some lines alone show no record.
/// Otherwise that holds for the lines right before and after a log.
pub fn segments_of_stream<'a>(text: &'a str, segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let mut all = match one_log(text, &segments) {
        Some(log) => vec![log],
        None => without_heads(with_parts(segments)),
    };
    if let Some(last) = all.last_mut().filter(|last| last.is_log) {
        // as in the midst of a log, an empty line may belong to the record before it
        last.lines.extend(empty_line_after(text, last));
    }
    all
}

/// The log that several segments are.
fn one_log<'a>(text: &'a str, segments: &[Segment<'a>]) -> Option<Segment<'a>> {
    let (first, others) = segments.split_first()?;
    if others.is_empty() || segments.iter().any(is_output) {
        return None;
    }
    let all: Vec<Line<'a>> = lines(text).collect();
    // without a level, most lines alone must show that they are records
    let of = |is_log: bool| {
        let own = segments.iter().filter(|segment| segment.is_log == is_log);
        own.map(|segment| segment.lines.len()).sum::<usize>()
    };
    let stream = Stream::of(&all).filter(|stream| stream.is_sure() || of(true) > of(false))?;
    let is_part = |segment: &Segment<'_>| segment.is_log || stream.is_of_each(&raw(&all, segment));
    segments.iter().all(is_part).then(|| Segment {
        format: Format::TextLog,
        is_log: true,
        lines: all,
        subject: first.subject.clone(),
        extent: Extent::default(),
    })
}

/// The lines of a segment with the indentation and the marks that they have in a text.
fn raw<'a>(all: &[Line<'a>], segment: &Segment<'_>) -> Vec<Line<'a>> {
    let raw = |line: &Line<'_>| {
        let at = all.partition_point(|raw| raw.start <= line.start);
        all.get(at.checked_sub(1)?).copied()
    };
    segment.lines.iter().filter_map(raw).collect()
}

/// The number of lines without a head that show that those of a text have none, and how many of them there are for each record.
const HEADLESS: (usize, usize) = (64, 20);

/// Segments of a text whose lines have no heads but for a few that look like it: other lines after these are no part of a record
/// unless they are indented.
fn without_heads<'a>(segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let is_text = |segment: &Segment<'_>| {
        matches!(segment.format, Format::Plain | Format::Prose) && !segment.is_log
    };
    let texts = segments.iter().filter(|segment| is_text(segment));
    let headless: usize = texts.map(|segment| segment.lines.len()).sum();
    let starts = |line: &Line<'_>| log::detect(line.text).is_some();
    if headless < HEADLESS.0 || !segments.iter().any(|segment| segment.is_log) {
        return segments;
    }
    let mut all = Vec::with_capacity(segments.len());
    for mut segment in segments {
        let rest = match segment.is_log {
            true => {
                let records = segment.lines.iter().filter(|line| starts(line)).count();
                let is_rare = records * HEADLESS.1 <= segment.lines.len();
                is_rare.then(|| take_headless(&mut segment, starts))
            }
            false => None,
        };
        all.push(segment);
        all.extend(rest.flatten());
    }
    all
}

/// Takes the lines off a log from the first one on that neither starts a record nor is of one for sure.
fn take_headless<'a>(
    segment: &mut Segment<'a>,
    starts: impl Fn(&Line<'_>) -> bool,
) -> Option<Segment<'a>> {
    let is_more = |line: &Line<'_>| {
        let is_of_record = || log::continues(segment.format, line.text);
        line.is_blank() || line.indent() > 0 || starts(line) || is_of_record()
    };
    let end = segment.lines.iter().position(|line| !is_more(line))?;
    Some(Segment {
        format: Format::Plain,
        is_log: false,
        lines: segment.lines.split_off(end),
        subject: segment.subject.clone(),
        extent: segment.extent,
    })
}

/// Returns true for output that is no log, whatever its lines look like.
fn is_output(segment: &Segment<'_>) -> bool {
    let is_short = segment.lines.len() <= MAX_PARTS.0;
    match segment.format {
        _ if segment.is_log => false,
        Format::Plain | Format::Prose => false,
        Format::Describe | Format::Table => !is_short,
        _ => true,
    }
}

/// The empty line right after a segment.
fn empty_line_after<'a>(text: &'a str, segment: &Segment<'a>) -> Option<Line<'a>> {
    let last = segment.lines.last().filter(|last| !last.is_blank())?;
    let start = last.span().end + 1;
    let after = lines(text.get(start..)?).next().filter(Line::is_blank)?;
    Some(Line {
        text: after.text,
        start,
        number: last.number + 1,
    })
}

/// Segments in which the first and last lines of a log belong to it, also if they alone show no record: they have the layout of all
/// others.
fn with_parts<'a>(segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let mut all: Vec<Segment<'a>> = Vec::with_capacity(segments.len());
    let mut tried = 0;
    for mut segment in segments {
        let is_text = |segment: &Segment<'_>| {
            matches!(segment.format, Format::Plain | Format::Prose)
                && !segment.is_log
                && segment.lines.len() <= MAX_PARTS.0
        };
        let is_part = |before: &&mut Segment<'a>| {
            before.line_numbers().1 + 1 == segment.line_numbers().0
                && (is_text(before) && segment.is_log || before.is_log && is_text(&segment))
        };
        if let Some(before) = all.last_mut().filter(is_part)
            && tried < MAX_PARTS.1
        {
            tried += 1;
            let (text, log) = match segment.is_log {
                true => (&before.lines, &segment.lines),
                false => (&segment.lines, &before.lines),
            };
            if is_of_stream(text, log) {
                if segment.is_log {
                    std::mem::swap(before, &mut segment);
                    before.lines.splice(0..0, segment.lines);
                } else {
                    before.lines.extend(segment.lines);
                }
                continue;
            }
        }
        all.push(segment);
    }
    all
}

/// Returns true if all lines of a text have the head that the lines of the log beside it have, with a level in it.
fn is_of_stream(text: &[Line<'_>], log: &[Line<'_>]) -> bool {
    let lines: Vec<Line<'_>> = text.iter().chain(log).copied().collect();
    Stream::of(&lines).is_some_and(|stream| stream.is_sure() && stream.is_of_each(text))
}
