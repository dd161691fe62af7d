//! A record assembled line by line, and its conversion to an event.
//!
//! A record starts where a format is detected; unrecognised lines after it belong to it if its
//! format allows: raw lines of a message, klog's blocks, stack traces.

use super::continuation::{ENVELOPED_LINES, at_once};
use super::envelope::{Envelopes, nearer};
use super::formats::{self, FormatSpec, add_oom_kill, is_panic};
use super::layout::{self, Layout};
use super::logfmt::block_end;
use super::payload::Payload;
use super::{level, stack_trace, subject};
use kwhy_model::{Event, Field, Format, Severity, Span, Stamp, Text, TextBuilder};
use std::rc::Rc;

/// The maximum number of further lines of a message.
const MESSAGE_LINES: usize = 2000;

/// Returns the severity of a line without a format: that of a panic, or of the level at its start
/// (`[ERROR] text`, `ERROR: text`).
pub(super) fn plain_severity(text: &str) -> Option<Severity> {
    if is_panic(text) {
        return Some(Severity::Fatal);
    }
    leading_severity(text).or_else(|| level::stated(text))
}

/// Returns the severity of a level at the start of a text.
fn leading_severity(text: &str) -> Option<Severity> {
    let (word, _) = match text.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => text.split_once(':')?,
    };
    Severity::from_word(word.trim())
}

/// Returns true if the last value of a line is a block (`key=<`) whose lines follow.
pub(super) fn opens_block(text: &str) -> bool {
    text.ends_with("=<")
}

/// A record whose lines are still being collected.
pub(super) struct Record<'a> {
    pub(super) format: Format,
    /// The format's specification, if one was detected.
    pub(super) form: Option<&'static FormatSpec>,
    pub(super) envelopes: Envelopes<'a>,
    pub(super) first: Payload<'a>,
    /// Further lines of the message.
    pub(super) more: Vec<Payload<'a>>,
    pub(super) span: Span,
    pub(super) stack: Option<Span>,
    /// The state of the stack trace after it.
    pub(super) trace: stack_trace::Trace,
    /// The errors named by the stack trace.
    pub(super) errors: Vec<Vec<Text<'a>>>,
    /// The heading of a Python traceback.
    pub(super) heading: Option<Text<'a>>,
    /// True while a block (`key=<`) is open.
    pub(super) block: bool,
    /// The column of the text, if further lines of a message are indented to it.
    pub(super) column: Option<usize>,
    /// True if a blank line followed it.
    pub(super) gap: bool,
    pub(super) lines: Lines,
    /// The time at which its envelope received its last line.
    pub(super) taken: Option<Stamp>,
    /// True if each of its lines is a single line of the input.
    pub(super) whole: bool,
    /// The layout of its stream, if one was learned and fits.
    pub(super) layout: Option<Rc<Layout>>,
}

/// The lines of a record within those of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines {
    pub(super) own: u64,
    /// The line count before the first of them.
    pub(super) before: u64,
    /// The line count including the last of them.
    pub(super) last: u64,
}

impl Lines {
    /// Returns the range of a single line with this number.
    pub(super) fn one(number: u64) -> Lines {
        Lines {
            own: 1,
            before: number.saturating_sub(1),
            last: number,
        }
    }

    /// Adds later lines.
    pub(super) fn add(&mut self, more: Lines) {
        if self.own == 0 {
            *self = more;
        } else if self.last < more.last {
            self.own += more.own;
            self.last = more.last;
        }
    }

    /// Returns the number of lines of other records between these.
    pub(super) fn foreign(&self) -> u64 {
        (self.last - self.before.min(self.last)).saturating_sub(self.own)
    }
}

impl<'a> Record<'a> {
    pub(super) fn new(
        form: Option<&'static FormatSpec>,
        envelopes: Envelopes<'a>,
        first: Payload<'a>,
        span: Span,
    ) -> Self {
        let format = form.map_or(Format::Plain, |form| form.format);
        Record {
            form,
            block: format == Format::Klog && opens_block(first.as_str()),
            column: None,
            format,
            taken: envelopes.merged.time,
            whole: !envelopes.entry,
            envelopes,
            first,
            more: Vec::new(),
            span,
            stack: None,
            trace: stack_trace::Trace::default(),
            errors: Vec::new(),
            heading: None,
            gap: false,
            lines: Lines::default(),
            layout: None,
        }
    }

    /// Returns a record that has the layout of its stream.
    pub(super) fn within(
        layout: &Rc<Layout>,
        form: Option<&'static FormatSpec>,
        envelopes: Envelopes<'a>,
        first: Payload<'a>,
        span: Span,
    ) -> Self {
        let form = form.unwrap_or(&layout::FORMAT);
        Record {
            layout: Some(Rc::clone(layout)),
            ..Record::new(Some(form), envelopes, first, span)
        }
    }

    pub(super) fn join(&mut self, payload: Payload<'a>, end: usize, lines: Lines) {
        self.whole &= lines.own == 1;
        self.lines.add(lines);
        if self.block {
            let text = payload.as_str();
            let closes = block_end(text).is_some();
            self.block = !closes || opens_block(text);
        }
        self.more.push(payload);
        // partial lines may arrive after later records
        self.span.end = self.span.end.max(end);
    }

    /// Returns true if a line belongs to the record whatever it contains: in an open block, or if
    /// indentation is sufficient.
    pub(super) fn always_accepts(&self, text: &str) -> bool {
        let indented = text.starts_with(['\t', ' ']);
        let all = self.form.is_some_and(|form| form.follow.indented);
        (self.block && (indented || text.trim().is_empty()))
            || (all && indented && !text.trim().is_empty() && !self.gap && !self.is_full())
    }

    /// Returns true if unrecognised lines may belong to the message.
    pub(super) fn is_raw(&self) -> bool {
        let raw = self
            .form
            .is_some_and(|form| (form.follow.raw)(self.first.as_str()));
        (raw || self.block) && self.stack.is_none() && !self.gap && !self.is_full()
    }

    /// Returns true if a line in an envelope may continue the record without a marker: it is the
    /// writer's next one, and was received together with the one before.
    pub(super) fn may_continue_in(&self, envelopes: &Envelopes<'_>, lines: Lines) -> bool {
        let is_next = self.lines.last == lines.before && lines.own == 1;
        self.whole
            && !envelopes.entry
            && is_next
            && self.lines.foreign() == 0
            && self.lines.own <= ENVELOPED_LINES as u64
            && at_once(self.taken, envelopes.merged.time)
    }

    /// Returns true if the message accepts no more lines.
    pub(super) fn is_full(&self) -> bool {
        self.more.len() >= MESSAGE_LINES
    }

    pub(super) fn payload(&mut self) -> Payload<'a> {
        if self.more.is_empty() {
            return self.first.clone();
        }
        let mut builder = TextBuilder::new();
        builder.push_text(self.first.text());
        let mut end = self.first.text().span().end;
        for payload in &self.more {
            let span = payload.text().span();
            builder.push_decoded("\n", end..span.start.max(end));
            builder.push_text(payload.text());
            end = span.end;
        }
        Payload::from_text(builder.finish())
    }

    pub(super) fn finish(mut self) -> Event<'a> {
        let payload = self.payload();
        if self.format == Format::Plain && !self.more.is_empty() {
            // the format may be recognisable only once all lines are present
            self.form = formats::find(payload.as_str());
            self.format = self.form.map_or(Format::Plain, |form| form.format);
        }
        let learned = self.layout.as_deref();
        let read = learned
            .and_then(|layout| layout::read_within(&payload, layout))
            .or_else(|| self.form.and_then(|form| (form.read)(&payload)));
        let mut event = read.unwrap_or_else(|| {
            let span = payload.text().span();
            let mut event = Event::new(self.format, span, payload.text().clone());
            event.severity = plain_severity(payload.as_str());
            event
        });
        let program = self.envelopes.merged.program.as_ref();
        if self.form.is_none() && program.is_some_and(|program| program.as_str() == "kernel") {
            add_oom_kill(&mut event, &payload, 0);
        }
        event.span = self.span;
        event.stack = self.stack.or(event.stack);
        let errors = self.errors.into_iter();
        event
            .fields
            .extend(errors.map(|lines| error_field(joined(&lines))));
        let heading = self.heading;
        event
            .fields
            .extend(heading.map(|value| Field::text("stacktrace", value)));
        event.interrupted = self.lines.foreign();
        event.cut |= self.envelopes.cut || self.block;
        subject::fill(&mut event);
        if event.component.is_none() {
            event.component = event.field("controller").cloned();
        }
        if let Some(own) = event.envelope.take() {
            self.envelopes.add_own(*own);
        }
        if self.envelopes.present {
            apply(self.envelopes, &mut event);
        }
        event
    }
}

/// Returns an error of a stack trace as a field.
pub(super) fn error_field(value: Text<'_>) -> Field<'_> {
    Field::text("error", value)
}

/// Fills in from the envelope what the payload does not state.
fn apply<'a>(envelopes: Envelopes<'a>, event: &mut Event<'a>) {
    let envelope = envelopes.merged;
    event.time = nearer(event.time, envelope.time);
    event.severity = event.severity.or(envelopes.severity);
    if event.component.is_none() {
        event.component.clone_from(&envelope.program);
    }
    let subject = &mut event.subject;
    let owned = |name: &Option<Text<'_>>| name.as_ref().map(|name| name.as_str().to_owned());
    if subject.node.is_none() {
        subject.node = owned(&envelope.node);
    }
    if subject.name.is_none() && envelope.pod.is_some() {
        subject.kind = Some("Pod".to_owned());
        subject.name = owned(&envelope.pod);
        subject.container = owned(&envelope.container);
        subject.namespace = owned(&envelope.namespace).or(subject.namespace.take());
    }
    event.envelope = Some(Box::new(envelope));
}

/// Joins lines into one text.
pub(super) fn joined<'a>(lines: &[Text<'a>]) -> Text<'a> {
    if let [only] = lines {
        return only.clone();
    }
    let mut builder = TextBuilder::new();
    let mut end = None;
    for line in lines {
        let span = line.span();
        if let Some(end) = end {
            builder.push_decoded("\n", end..span.start.max(end));
        }
        builder.push_text(line);
        end = Some(span.end);
    }
    builder.finish()
}
