//! Segments of a text that is read as a whole, as the stream of one program.

use crate::input::{Extent, Line, Segment, lines};
use crate::log::{self, Stream};
use kwhy_model::Format;

/// The maximum number of lines of a text that may be part of an adjacent log, and of such texts in a document.
const MAX_PARTS: (usize, usize) = (8, 16);

/// Returns the segments of a text that is read as a whole. If all its lines have one layout, it is a single log, even
/// if some lines alone are not records. Otherwise the lines right before and after a log may be added to it.
pub fn segments_of_stream<'a>(text: &'a str, segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let mut all = match one_log(text, &segments) {
        Some(log) => vec![log],
        None => without_heads(with_parts(segments)),
    };
    if let Some(last) = all.last_mut().filter(|last| last.is_log) {
        // as within a log, an empty line may belong to the record before it
        last.lines.extend(empty_line_after(text, last));
    }
    all
}

/// Merges segments into one log, if they are one.
fn one_log<'a>(text: &'a str, segments: &[Segment<'a>]) -> Option<Segment<'a>> {
    let (first, others) = segments.split_first()?;
    if others.is_empty() || segments.iter().any(is_output) {
        return None;
    }
    let all: Vec<Line<'a>> = lines(text).collect();
    // without a level, more lines must be recognised as records on their own than not
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

/// Returns the lines of a segment as they are in the text, with indentation and decoration.
fn raw<'a>(all: &[Line<'a>], segment: &Segment<'_>) -> Vec<Line<'a>> {
    let raw = |line: &Line<'_>| {
        let at = all.partition_point(|raw| raw.start <= line.start);
        all.get(at.checked_sub(1)?).copied()
    };
    segment.lines.iter().filter_map(raw).collect()
}

/// The minimum number of lines without a head for a text to count as headless, and the minimum number of lines per
/// record.
const HEADLESS: (usize, usize) = (64, 20);

/// Returns the segments of a headless text, in which a few lines look like records: the lines after them belong to
/// those records only if they are indented.
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

/// Splits off the lines of a log from the first one that neither starts a record nor certainly belongs to one.
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

/// Returns true for output that is not a log, whatever its lines look like.
fn is_output(segment: &Segment<'_>) -> bool {
    let is_short = segment.lines.len() <= MAX_PARTS.0;
    match segment.format {
        _ if segment.is_log => false,
        Format::Plain | Format::Prose => false,
        Format::Describe | Format::Table => !is_short,
        _ => true,
    }
}

/// Returns the empty line right after a segment, if there is one.
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

/// Adds to each log the text right before and after it if its lines have the layout of all others, even if they are not
/// records on their own.
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

/// Returns true if all lines of a text share the layout of the adjacent log, and more than a time shows that layout.
fn is_of_stream(text: &[Line<'_>], log: &[Line<'_>]) -> bool {
    let lines: Vec<Line<'_>> = text.iter().chain(log).copied().collect();
    Stream::of(&lines).is_some_and(|stream| stream.is_sure() && stream.is_of_each(text))
}
