//! Groups lines into records and records into events.
//!
//! A record begins where a format's start is seen; the lines behind it that begin nothing belong
//! to it if its format allows: raw lines of a message, klog's blocks, stack traces. Writers that
//! share a stream cut each other's records: a stack trace that a foreign record interrupts goes
//! on for the record that it began at, and a record that is glued to the end of a line is split
//! off where its start is unmistakable.

use std::borrow::Cow;

use super::forms::{self, Form, add_oom_kill, is_panic};
use super::frame::{is_dump_head, is_location};
use super::glued::GLUED;
use super::pairs::block_end;
use super::payload::Payload;
use super::trace::{self, Part};
use super::wrapper::{Wrapper, peel};
use super::{json, subject};
use crate::input::Line;
use crate::model::{Event, Field, Format, Parsed, Severity, Span, Text, TextBuilder};

/// How many records may stand between two lines of a stack trace.
const INTERRUPTIONS: u32 = 64;
/// How many lines without a form of their own a message may take.
const MESSAGE_LINES: usize = 2000;
/// How many lines an error's message may take before its frames.
const HEAD_LINES: usize = 16;
/// How many lines an object that is spread over lines may take.
pub(super) const SPREAD_LINES: usize = 400;

/// The format of the record that begins with a payload.
pub(super) fn detect(text: &str) -> Option<Format> {
    forms::find(text).map(|form| form.format)
}

/// The severity of a line without a form: a panic's, or the level that it begins with
/// (`[ERROR] text`, `ERROR: text`).
pub(super) fn plain_severity(text: &str) -> Option<Severity> {
    if is_panic(text) {
        return Some(Severity::Fatal);
    }
    let (word, _) = match text.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => text.split_once(':')?,
    };
    Severity::from_word(word.trim())
}

/// A record whose lines are still coming.
struct Record<'a> {
    format: Format,
    /// Its form, where it has one of its own.
    form: Option<&'static Form>,
    wrapper: Wrapper<'a>,
    first: Payload<'a>,
    /// Further lines of the message, and whether each begins a line (else it is glued on).
    more: Vec<(Payload<'a>, bool)>,
    span: Span,
    stack: Option<Span>,
    /// The errors that the stack trace names.
    errors: Vec<Text<'a>>,
    /// Whether a block (`key=<`) is open.
    block: bool,
    /// Whether a blank line stood behind it.
    gap: bool,
}

impl<'a> Record<'a> {
    fn new(
        form: Option<&'static Form>,
        wrapper: Wrapper<'a>,
        first: Payload<'a>,
        span: Span,
    ) -> Self {
        let format = form.map_or(Format::Plain, |form| form.format);
        Record {
            form,
            block: format == Format::Klog && first.as_str().ends_with("=<"),
            format,
            wrapper,
            first,
            more: Vec::new(),
            span,
            stack: None,
            errors: Vec::new(),
            gap: false,
        }
    }

    fn join(&mut self, payload: Payload<'a>, end: usize, newline: bool) {
        if self.block {
            let text = payload.as_str();
            let closes = block_end(text).is_some();
            self.block = !closes || text.ends_with("=<");
        }
        self.more.push((payload, newline));
        self.span.end = end;
    }

    /// Whether lines without a form of their own may be a part of the message.
    fn is_raw(&self) -> bool {
        let raw = self
            .form
            .is_some_and(|form| (form.follow.raw)(self.first.as_str()));
        raw && self.stack.is_none() && !self.gap && self.more.len() < MESSAGE_LINES
    }

    fn payload(&mut self) -> Payload<'a> {
        if self.more.is_empty() {
            return self.first.clone();
        }
        let mut builder = TextBuilder::new();
        builder.push_text(self.first.text());
        let mut end = self.first.text().span().end;
        for (payload, newline) in &self.more {
            let span = payload.text().span();
            if *newline {
                builder.push_decoded("\n", end..span.start.max(end));
            }
            builder.push_text(payload.text());
            end = span.end;
        }
        Payload::from_text(builder.finish())
    }

    fn finish(mut self) -> Event<'a> {
        let payload = self.payload();
        if self.format == Format::Plain && !self.more.is_empty() {
            // the form may show only once all parts of a line are there
            self.form = forms::find(payload.as_str());
            self.format = self.form.map_or(Format::Plain, |form| form.format);
        }
        let read = self.form.and_then(|form| (form.read)(&payload));
        let mut event = read.unwrap_or_else(|| {
            let span = payload.text().span();
            let mut event = Event::new(self.format, span, payload.text().clone());
            event.severity = plain_severity(payload.as_str());
            event
        });
        let is_kernel = |program: &Text<'_>| program.as_str() == "kernel";
        if self.form.is_none() && self.wrapper.program.as_ref().is_some_and(is_kernel) {
            add_oom_kill(&mut event, &payload, 0);
        }
        event.span = self.span;
        event.stack = self.stack.or(event.stack);
        let errors = self.errors.into_iter();
        event.fields.extend(errors.map(error_field));
        subject::fill(&mut event);
        if event.component.is_none() {
            event.component = event.field("controller").cloned();
        }
        if self.wrapper.present {
            apply(self.wrapper, &mut event);
        }
        event
    }
}

/// An error of a stack trace as a field.
fn error_field(value: Text<'_>) -> Field<'_> {
    Field {
        key: Cow::Borrowed("error"),
        value,
    }
}

/// What the carrier says, where the payload says nothing.
fn apply<'a>(wrapper: Wrapper<'a>, event: &mut Event<'a>) {
    event.time = event.time.or(wrapper.time);
    event.component = event.component.take().or(wrapper.program);
    let subject = &mut event.subject;
    if subject.node.is_none() {
        subject.node = wrapper.node.map(|node| node.as_str().to_owned());
    }
    if subject.name.is_none()
        && let Some(pod) = wrapper.pod
    {
        subject.kind = Some("Pod".to_owned());
        subject.name = Some(pod.as_str().to_owned());
        subject.container = wrapper.container.map(|name| name.as_str().to_owned());
    }
}

/// A finished event whose stack trace may go on behind foreign records.
struct Trace {
    event: usize,
    age: u32,
    /// Whether its last line was the first half of a frame.
    half: bool,
}

/// Reads lines into events.
pub(super) struct Reader<'a> {
    parsed: Parsed<'a>,
    current: Option<Record<'a>>,
    /// The open record of the other stream, where the carrier tells them apart.
    aside: Option<Record<'a>>,
    two_streams: bool,
    trace: Option<Trace>,
    /// How far the stack trace behind the last record has come.
    lines: trace::Trace,
}

impl<'a> Reader<'a> {
    pub(super) fn new() -> Self {
        Reader {
            parsed: Parsed::default(),
            current: None,
            aside: None,
            two_streams: false,
            trace: None,
            lines: trace::Trace::default(),
        }
    }

    pub(super) fn read(mut self, lines: &[Line<'a>]) -> Parsed<'a> {
        let mut rest = lines;
        while let Some((line, behind)) = rest.split_first() {
            rest = behind;
            if line.text == "{"
                && let Some(taken) = self.spread_object(line, behind)
            {
                rest = behind.get(taken..).unwrap_or(&[]);
                continue;
            }
            self.line(*line, behind);
        }
        self.close();
        self.current = self.aside.take();
        self.close();
        if self.two_streams {
            self.parsed.events.sort_by_key(|event| event.span.start);
        }
        self.parsed
    }

    /// Reads a record whose JSON object is spread over lines, and says how many it took.
    fn spread_object(&mut self, first: &Line<'a>, behind: &[Line<'a>]) -> Option<usize> {
        let window = behind.get(..behind.len().min(SPREAD_LINES))?;
        let last = window
            .iter()
            .position(|line| matches!(line.text, "}" | "{"))?;
        let inside = window.get(..=last)?;
        if inside.last()?.text != "}" {
            return None;
        }
        let mut record = Record::new(
            Some(&json::FORM),
            Wrapper::default(),
            Payload::from_line(*first),
            first.span(),
        );
        for line in inside {
            record.join(Payload::from_line(*line), line.span().end, true);
        }
        if !(json::FORM.begins)(record.payload().as_str()) {
            return None;
        }
        self.close();
        self.current = Some(record);
        Some(last + 1)
    }

    /// Lines of one stream go on with that stream's record.
    fn choose_stream(&mut self, stderr: Option<bool>) {
        let open = self
            .current
            .as_ref()
            .and_then(|record| record.wrapper.stderr);
        if stderr.is_some() && open.is_some() && stderr != open {
            std::mem::swap(&mut self.current, &mut self.aside);
            self.trace = None;
            self.two_streams = true;
        }
    }

    fn line(&mut self, line: Line<'a>, behind: &[Line<'a>]) {
        let end = line.span().end;
        if let Some(record) = self.current.as_mut() {
            if record.block && (line.text.starts_with(['\t', ' ']) || line.is_blank()) {
                record.join(Payload::from_line(line), end, true);
                return;
            }
            if line.is_blank() {
                // java.util.logging ends a trace with a line of its own
                if record.format == Format::JavaUtilLogging
                    && record.stack.is_some()
                    && !record.gap
                    && line.text.is_empty()
                {
                    // no line is empty but for its end
                    record.span.end = line.start + 1;
                }
                record.gap = true;
                return;
            }
        } else if line.is_blank() {
            return;
        }
        let (wrapper, payload) = peel(Payload::from_line(line));
        self.choose_stream(wrapper.stderr);
        if wrapper.present
            && let Some(record) = self.current.as_mut()
        {
            if record.wrapper.partial && record.wrapper.stderr == wrapper.stderr {
                record.wrapper.partial = wrapper.partial;
                record.join(payload, end, false);
                return;
            }
            if record.block && record.wrapper.present && payload.as_str().starts_with(['\t', ' ']) {
                record.join(payload, end, true);
                return;
            }
        }
        let starts = if wrapper.present {
            Vec::new()
        } else {
            GLUED.find(payload.as_str())
        };
        if starts.is_empty() {
            self.piece(line, wrapper, payload, line.span(), behind);
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
            let behind = if end == line.text.len() { behind } else { &[] };
            let payload = Payload::from_line(piece);
            self.piece(piece, Wrapper::default(), payload, piece.span(), behind);
            start = end;
        }
    }

    fn piece(
        &mut self,
        line: Line<'a>,
        wrapper: Wrapper<'a>,
        payload: Payload<'a>,
        span: Span,
        behind: &[Line<'a>],
    ) {
        if self.is_second_line(payload.as_str())
            && let Some(record) = self.current.as_mut()
        {
            record.join(payload, span.end, true);
            return;
        }
        let text = payload.as_str();
        let indent = text.len() - text.trim_start().len();
        // a panic while panicking stands behind a tab and belongs to the first
        let form = forms::find(&text[indent..]).filter(|form| {
            indent == 0 || (form.format != Format::Plain && !forms::is_unindented(form.format))
        });
        if form.is_some() {
            let payload = if indent == 0 {
                payload
            } else {
                payload.skip(indent)
            };
            self.start(Record::new(form, wrapper, payload, span));
            return;
        }
        if let Some(part) = self.part(text, behind)
            && self.frame(&payload, part, &span)
        {
            return;
        }
        let joins = self.current.as_ref().is_some_and(|record| {
            let same_carrier = record.wrapper.present == wrapper.present;
            let indented = indent > 0 && record.format == Format::Plain && !record.gap;
            same_carrier && ((record.is_raw() && (indent > 0 || !wrapper.present)) || indented)
        });
        if joins {
            if let Some(record) = self.current.as_mut() {
                record.join(payload, span.end, true);
            }
        } else if wrapper.present {
            self.start(Record::new(None, wrapper, payload, span));
        } else if self.parsed.not_understood.last() != Some(&line.number) {
            self.parsed.not_understood.push(line.number);
        }
    }

    /// Whether a line is the second one of a record that takes two.
    fn is_second_line(&self, text: &str) -> bool {
        self.current.as_ref().is_some_and(|record| {
            record.more.is_empty()
                && record.stack.is_none()
                && forms::is_second_line(record.first.as_str(), text)
        })
    }

    /// What a line that begins no record is of a stack trace.
    fn part(&mut self, text: &str, behind: &[Line<'a>]) -> Option<Part> {
        if let Some(part) = self.lines.take(text) {
            return Some(part);
        }
        // a function's name that no rule knows
        let next = behind.first();
        if next.is_some_and(|next| is_location(next.text))
            && text.contains('.')
            && !text.trim().contains(' ')
        {
            return Some(Part::Frame);
        }
        let known = self.lines.is_in_message() || trace::is_head(text);
        if !known || text.starts_with([' ', '\t']) && !self.lines.is_in_message() {
            return None;
        }
        // a head is one if frames follow, a message's lines go on up to the next record
        let frames_follow = || {
            behind
                .iter()
                .take(HEAD_LINES)
                .take_while(|line| !line.is_blank())
                .any(|line| trace::Trace::default().take(line.text).is_some())
        };
        if self.lines.is_in_message() || frames_follow() {
            return self.lines.take_error(text);
        }
        None
    }

    fn start(&mut self, record: Record<'a>) {
        self.close();
        self.lines = trace::Trace::default();
        self.current = Some(record);
    }

    /// Adds a line of a stack trace to the record that it belongs to, if there is one.
    fn frame(&mut self, payload: &Payload<'a>, part: Part, span: &Span) -> bool {
        let text = payload.as_str();
        let half = !is_location(text) && !is_dump_head(text);
        let foreign = match (&self.current, &self.trace) {
            (Some(record), Some(trace)) => {
                record.stack.is_none()
                    && (matches!(record.format, Format::Logrus | Format::JsonLog)
                        || (trace.half && !half))
            }
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if foreign {
            if let Some(trace) = self.trace.as_mut()
                && let Some(event) = self.parsed.events.get_mut(trace.event)
            {
                (trace.half, trace.age) = (half, 0);
                event.span.end = event.span.end.max(span.end);
                extend(&mut event.stack, span);
                if let Part::Error(start) = part {
                    event
                        .fields
                        .push(error_field(payload.part(start..text.len())));
                }
                return true;
            }
            return false;
        }
        let Some(record) = self.current.as_mut() else {
            return false;
        };
        record.span.end = span.end;
        extend(&mut record.stack, span);
        match part {
            Part::Frame => {}
            Part::Error(start) => record.errors.push(payload.part(start..text.len())),
            Part::Message => {
                if let Some(last) = record.errors.last_mut() {
                    *last = joined(last, payload.text());
                }
            }
        }
        self.trace = Some(Trace {
            event: self.parsed.events.len(),
            age: 0,
            half,
        });
        true
    }

    fn close(&mut self) {
        let Some(record) = self.current.take() else {
            return;
        };
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
                half: false,
            });
        }
        self.parsed.events.push(event);
    }
}

/// Two lines as one text.
fn joined<'a>(first: &Text<'a>, second: &Text<'a>) -> Text<'a> {
    let mut builder = TextBuilder::new();
    builder.push_text(first);
    let end = first.span().end;
    builder.push_decoded("\n", end..second.span().start.max(end));
    builder.push_text(second);
    builder.finish()
}

fn extend(stack: &mut Option<Span>, by: &Span) {
    match stack {
        Some(stack) => stack.end = stack.end.max(by.end),
        None => *stack = Some(by.clone()),
    }
}
