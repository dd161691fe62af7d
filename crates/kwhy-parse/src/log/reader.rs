//! Parses lines into events.
//!
//! Writers that share a stream interrupt each other's records: a stack trace interrupted by a foreign record
//! still belongs to the record that it started after, and a record glued to the end of a line is split off
//! where its start is unmistakable. If envelopes distinguish the writers, each line continues its own
//! writer's record.

use super::envelope::{Block, EnvelopeKind, Envelopes, Sources, Until};
use super::formats::{self, is_panic};
use super::interleaved::GLUED;
use super::layout::{self, Layout};
use super::payload::Payload;
use super::record::{Lines, Record};
use super::said::{self, Said};
use crate::input::Line;
use kwhy_model::{Format, Parsed, Severity, Span, TextBuilder};
use std::rc::Rc;

mod spread;
mod stack;

/// The maximum number of records between two lines of a stack trace.
const INTERRUPTIONS: u32 = 64;
/// The maximum number of writers whose records are open at a time.
const WRITERS: usize = 32;
/// The maximum number of lines of an error's message before its frames.
pub(super) const HEAD_LINES: usize = 16;
/// The maximum number of lines of a multi-line object.
pub(super) const SPREAD_LINES: usize = 400;

/// A finished event whose stack trace may continue after foreign records.
struct Trace {
    event: usize,
    age: u32,
    lines: Lines,
    /// True if its last line was the first half of a frame.
    half: bool,
}

/// The position of a line, or of several that were joined.
struct Place {
    span: Span,
    lines: Lines,
    number: u64,
}

impl Place {
    /// Returns the position of a line; `number` counts the stream's non-blank lines.
    fn of(line: &Line<'_>, number: u64) -> Place {
        Place {
            span: line.span(),
            lines: Lines::one(number),
            number: line.number,
        }
    }
}

/// The partial lines received so far of a line that is not complete.
struct Parts<'a> {
    envelopes: Envelopes<'a>,
    text: TextBuilder,
    at: Place,
}

/// Parses lines into events.
pub(super) struct Reader<'a> {
    parsed: Parsed<'a>,
    current: Option<Record<'a>>,
    /// The open records of other writers, if envelopes distinguish them; the most recent is last.
    aside: Vec<Record<'a>>,
    parts: Vec<Parts<'a>>,
    sources: Sources,
    /// True if the events may be in another order than the starts of their records.
    mixed: bool,
    /// The number of non-blank lines read.
    lines: u64,
    trace: Option<Trace>,
    /// The kind of the last envelope, and the first line of the run with envelopes of this kind.
    kind: Option<EnvelopeKind>,
    kind_since: u64,
    /// The learned layout of the stream's records.
    layout: Option<Rc<Layout>>,
    /// The format of a stream whose lines all have a message, but possibly nothing else of a record.
    said: Option<&'static Said>,
}

impl<'a> Reader<'a> {
    pub(super) fn new() -> Self {
        Reader {
            parsed: Parsed::default(),
            current: None,
            aside: Vec::new(),
            parts: Vec::new(),
            sources: Sources::default(),
            mixed: false,
            lines: 0,
            trace: None,
            kind: None,
            kind_since: 0,
            layout: None,
            said: None,
        }
    }

    /// Learns the layout from these lines, which are read next.
    pub(super) fn learning(mut self, lines: &[Line<'_>]) -> Self {
        self.said = said::of(lines);
        self.layout = match self.said {
            Some(_) => None,
            None => layout::learn(lines).map(Rc::new),
        };
        self
    }

    pub(super) fn read(mut self, lines: &[Line<'a>]) -> Parsed<'a> {
        let mut rest = lines;
        while let Some((line, following)) = rest.split_first() {
            rest = following;
            self.lines += u64::from(!line.is_blank());
            if line.text == "{"
                && let Some(taken) = self.spread_object(line, following)
            {
                rest = following.get(taken..).unwrap_or(&[]);
                continue;
            }
            if let Some(taken) = self.spread_after_heads(line, following) {
                rest = following.get(taken..).unwrap_or(&[]);
                continue;
            }
            if let Some((entry, taken)) = Block::read(line, following) {
                rest = following.get(taken..).unwrap_or(&[]);
                let at = Place {
                    span: entry.span,
                    ..Place::of(line, self.lines)
                };
                let mut envelopes = entry.envelopes;
                envelopes.entry = true;
                self.enveloped(at, envelopes, entry.message, rest);
                continue;
            }
            self.line(*line, following);
        }
        for parts in std::mem::take(&mut self.parts) {
            self.put_together(parts, &[]);
        }
        self.close();
        while let Some(record) = self.aside.pop() {
            self.current = Some(record);
            self.close();
        }
        let events = &mut self.parsed.events;
        if self.mixed && !events.is_sorted_by_key(|event| event.span.start) {
            // events are large: their places are sorted, and each event is moved once
            events.sort_by_cached_key(|event| event.span.start);
        }
        self.parsed
    }

    /// Makes the open record of a line's writer the current one.
    fn choose_writer(&mut self, envelopes: &Envelopes<'a>) {
        let Some(open) = self.current.as_ref() else {
            return;
        };
        if !envelopes.present || !open.envelopes.present || open.envelopes.is_same_writer(envelopes)
        {
            return;
        }
        let own = self
            .aside
            .iter()
            .rposition(|record| record.envelopes.is_same_writer(envelopes));
        let own = own.map(|index| self.aside.remove(index));
        if self.aside.len() == WRITERS {
            let oldest = self.aside.remove(0);
            let current = self.current.replace(oldest);
            self.close();
            self.current = current;
        }
        self.aside.extend(std::mem::replace(&mut self.current, own));
        self.trace = None;
        self.mixed = true;
    }

    fn line(&mut self, line: Line<'a>, following: &[Line<'a>]) {
        let end = line.span().end;
        if let Some(record) = self.current.as_mut() {
            let own = !record.envelopes.present || record.column.is_some();
            if own && record.always_accepts(line.text) {
                let column = record
                    .column
                    .filter(|column| is_indented(line.text, *column));
                let payload = Payload::from_line(line).skip(column.unwrap_or(0));
                record.join(payload, end, Lines::one(self.lines));
                return;
            }
            if line.is_blank() {
                // java.util.logging ends a trace with an empty line
                if record.format == Format::JavaUtilLogging && record.stack.is_some() && !record.gap
                {
                    // the line end alone counts if the line is empty
                    record.span.end = (line.start + line.text.len().max(1)).max(record.span.end);
                }
                if own && record.format == Format::TextLog && !record.gap {
                    // tracing's pretty format ends a record with an empty line
                    let last = record.more.last();
                    if last.is_some_and(|last| layout::ends(last.as_str())) {
                        record.span.end =
                            (line.start + line.text.len().max(1)).max(record.span.end);
                    }
                }
                // blank lines between envelopes have no meaning
                record.gap = own;
                return;
            }
            if let Some(column) = record.column
                && !record.gap
                && is_indented(line.text, column)
            {
                record.join(
                    Payload::from_line(line).skip(column),
                    end,
                    Lines::one(self.lines),
                );
                return;
            }
        } else if line.is_blank() {
            return;
        }
        let layout = self.layout.as_ref();
        if layout.is_some_and(|layout| layout.is_before_envelopes(line.text)) {
            let at = Place::of(&line, self.lines);
            self.piece(
                at,
                Envelopes::default(),
                Payload::from_line(line),
                following,
            );
            return;
        }
        let mut envelopes = Envelopes::default();
        let payload = envelopes.peel(Payload::from_line(line), Until::Stream, &mut self.sources);
        if envelopes.present {
            self.enveloped(Place::of(&line, self.lines), envelopes, payload, following);
            return;
        }
        let starts = GLUED.find(payload.as_str());
        if starts.is_empty() {
            self.piece(Place::of(&line, self.lines), envelopes, payload, following);
            return;
        }
        let ends = starts.iter().copied().chain([line.text.len()]);
        let mut start = 0;
        for end in ends {
            let piece = Line {
                text: line.text.get(start..end).unwrap_or(""),
                start: line.start + start,
                number: line.number,
            };
            let following = if end == line.text.len() {
                following
            } else {
                &[]
            };
            let payload = Payload::from_line(piece);
            let at = Place::of(&piece, self.lines);
            self.piece(at, Envelopes::default(), payload, following);
            start = end;
        }
    }

    /// Handles the payload of an envelope. Partial lines are joined before their content is
    /// examined.
    fn enveloped(
        &mut self,
        at: Place,
        envelopes: Envelopes<'a>,
        payload: Payload<'a>,
        following: &[Line<'a>],
    ) {
        let mut known = self.parts.iter();
        let known = known.position(|parts| parts.envelopes.is_same_writer(&envelopes));
        if known.is_none() && !envelopes.partial {
            self.whole(at, envelopes, payload, following);
            return;
        }
        self.mixed = true;
        let is_partial = envelopes.partial;
        let mut parts = match known {
            Some(index) => self.parts.remove(index),
            None => Parts {
                envelopes,
                text: TextBuilder::new(),
                at: Place {
                    span: at.span.clone(),
                    lines: Lines::default(),
                    number: at.number,
                },
            },
        };
        parts.text.push_text(payload.text());
        parts.at.span.end = at.span.end;
        parts.at.lines.add(at.lines);
        if !is_partial {
            parts.envelopes.partial = false;
            self.put_together(parts, following);
            return;
        }
        if self.parts.len() == WRITERS {
            let oldest = self.parts.remove(0);
            self.put_together(oldest, &[]);
        }
        self.parts.push(parts);
    }

    fn put_together(&mut self, parts: Parts<'a>, following: &[Line<'a>]) {
        let payload = Payload::from_text(parts.text.finish());
        self.whole(parts.at, parts.envelopes, payload, following);
    }

    /// Handles a complete line in an envelope, which may contain further envelopes.
    fn whole(
        &mut self,
        at: Place,
        mut envelopes: Envelopes<'a>,
        payload: Payload<'a>,
        following: &[Line<'a>],
    ) {
        envelopes.cut |= std::mem::take(&mut envelopes.partial);
        let layers = envelopes.layers();
        let until = if envelopes.cut {
            Until::Record
        } else {
            Until::Stream
        };
        let payload = envelopes.peel(payload, until, &mut self.sources);
        if envelopes.layers() > layers && !envelopes.cut {
            self.enveloped(at, envelopes, payload, following);
            return;
        }
        let kind = Some(envelopes.kind());
        if kind != self.kind {
            (self.kind, self.kind_since) = (kind, at.lines.last);
        }
        self.choose_writer(&envelopes);
        if let Some(record) = self.current.as_mut().filter(|open| open.envelopes.present) {
            let text = payload.as_str();
            let ends_object = text == "}" && record.form.is_none() && record.first.as_str() == "{";
            if ends_object || record.always_accepts(text) {
                record.envelopes.cut |= envelopes.cut;
                record.taken = envelopes.merged.time;
                record.join(payload, at.span.end, at.lines);
                return;
            }
        }
        self.piece(at, envelopes, payload, following);
    }

    fn piece(
        &mut self,
        at: Place,
        envelopes: Envelopes<'a>,
        payload: Payload<'a>,
        following: &[Line<'a>],
    ) {
        if self.is_second_line(payload.as_str())
            && let Some(record) = self.current.as_mut()
        {
            record.join(payload, at.span.end, at.lines);
            return;
        }
        let text = payload.as_str();
        if let Some(record) = self.current.as_mut()
            && record.format == Format::TextLog
            && record.envelopes.present == envelopes.present
            && record.stack.is_none()
            && !record.gap
            && text.starts_with(' ')
            && layout::continues(record.more.last().map_or("", Payload::as_str), text)
        {
            record.join(payload, at.span.end, at.lines);
            return;
        }
        // blank lines separate chained errors, and a panic from its goroutines
        if envelopes.present
            && text.trim().is_empty()
            && let Some(record) = self.current.as_mut()
            && record.envelopes.present
            && (record.stack.is_some() || is_panic(record.first.as_str()))
        {
            record.span.end = record.span.end.max(at.span.end);
            record.lines.add(at.lines);
            return;
        }
        let indent = text.len() - text.trim_start().len();
        // a panic while panicking follows a tab and belongs to the first panic
        let form = formats::find(&text[indent..]).filter(|form| {
            indent == 0 || (form.format != Format::Plain && !formats::is_unindented(form.format))
        });
        let said = || self.said.filter(|said| (said.is)(text));
        let form = form.or_else(|| said().map(|said| said.form));
        let format = form.map(|form| form.format);
        let learned = self
            .layout
            .as_ref()
            // four-letter levels may be padded to five
            .filter(|layout| {
                indent == 0 || form.is_some() && indent < 3 || layout.padding(text) == indent
            })
            .filter(|layout| layout::reads(format, &text[indent..], layout))
            .map(Rc::clone);
        if let Some(layout) = learned.as_ref().filter(|layout| !layout.is_bare()) {
            let record = Record::within(layout, form, envelopes, payload.skip(indent), at.span);
            self.start(record, at.lines);
            return;
        }
        if form.is_some() {
            let payload = if indent == 0 {
                payload
            } else {
                payload.skip(indent)
            };
            self.start(Record::new(form, envelopes, payload, at.span), at.lines);
            return;
        }
        if let Some(part) = self.part(text, &at, &envelopes, following)
            && self.frame(&payload, part, &at)
        {
            if let Some(record) = self.current.as_mut() {
                record.taken = envelopes.merged.time;
            }
            return;
        }
        // a bare layout accepts any line, so lines of a stack trace come first
        if let Some(layout) = learned {
            let record = Record::within(&layout, form, envelopes, payload, at.span);
            self.start(record, at.lines);
            return;
        }
        let joins = self.current.as_ref().is_some_and(|record| {
            let in_same_envelope = record.envelopes.present == envelopes.present;
            let is_apart = (formats::follow(record.format).apart)(text);
            let indented = indent > 0 && record.format == Format::Plain && !record.gap;
            let raw = if envelopes.present && indent == 0 {
                record.is_raw() && record.may_continue_in(&envelopes, at.lines)
            } else {
                record.is_raw()
            };
            in_same_envelope && !is_apart && (raw || indented)
        });
        if let Some(record) = self.current.as_mut().filter(|open| open.is_full()) {
            record.envelopes.cut = true;
        }
        if joins {
            if let Some(record) = self.current.as_mut() {
                record.envelopes.cut |= envelopes.cut;
                record.taken = envelopes.merged.time;
                record.join(payload, at.span.end, at.lines);
            }
        } else if envelopes.present {
            self.start(Record::new(None, envelopes, payload, at.span), at.lines);
        } else if self.parsed.not_understood.last() != Some(&at.number) {
            self.parsed.not_understood.push(at.number);
        }
    }

    /// Returns true if a line is the second line of the current, two-line record.
    pub fn is_second_line(&self, text: &str) -> bool {
        self.current.as_ref().is_some_and(|record| {
            record.more.is_empty()
                && record.stack.is_none()
                && formats::is_second_line(record.first.as_str(), text)
        })
    }

    fn start(&mut self, mut record: Record<'a>, lines: Lines) {
        self.close();
        record.whole &= lines.own == 1;
        record.lines = lines;
        let is_journal = record.envelopes.merged.program.is_some();
        record.column = record
            .first
            .is_verbatim()
            .then(|| {
                record
                    .first
                    .text()
                    .span()
                    .start
                    .checked_sub(record.span.start)
            })
            .flatten()
            .filter(|column| is_journal && *column > 0);
        self.current = Some(record);
    }

    fn close(&mut self) {
        let Some(record) = self.current.take() else {
            return;
        };
        let lines = record.lines;
        let event = record.finish();
        let index = self.parsed.events.len();
        let may_trace = matches!(
            event.format,
            Format::ZapConsole
                | Format::Klog
                | Format::GoLog
                | Format::Logback
                | Format::SpringBoot
                | Format::JavaUtilLogging
                | Format::PythonLogging
                | Format::TextLog
        ) && event.severity >= Some(Severity::Error);
        if let Some(trace) = self.trace.as_mut() {
            trace.age += u32::from(trace.event != index);
        }
        if self
            .trace
            .as_ref()
            .is_some_and(|trace| trace.age > INTERRUPTIONS)
        {
            self.trace = None;
        }
        if may_trace && event.stack.is_none() {
            self.trace = Some(Trace {
                event: index,
                age: 0,
                lines,
                half: false,
            });
        }
        self.parsed.events.push(event);
    }
}

/// Returns true if a text starts with at least this number of spaces.
fn is_indented(text: &str, spaces: usize) -> bool {
    text.len() > spaces && text.bytes().take(spaces).all(|byte| byte == b' ')
}
