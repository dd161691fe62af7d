//! Decides which lines belong to a stack trace, and to which record the trace belongs.

use super::super::continuation::{EnvelopedLine, frames_follow};
use super::super::envelope::{Block, Envelopes, Sources, peel_from};
use super::super::payload::Payload;
use super::super::record::{Lines, error_field};
use super::super::stack_frame::{is_dump_head, is_frame, is_location};
use super::super::stack_trace::{self, Part};
use super::{HEAD_LINES, Place, Reader, Trace};
use crate::input::Line;
use kwhy_model::{Format, Span};

impl<'a> Reader<'a> {
    /// Returns the role of a line in a stack trace, for a line on which no record starts.
    pub(super) fn part(
        &mut self,
        text: &str,
        at: &Place,
        envelopes: &Envelopes<'a>,
        following: &[Line<'a>],
    ) -> Option<Part> {
        let is_enveloped = envelopes.present;
        // in envelopes, a trace must directly follow its record, as only Go's frames are unmistakable; a goroutine dump
        // separated from the record by another kind of envelope may belong to another record
        let is_next = |lines: Lines| lines.last == at.lines.before && at.lines.own == 1;
        let is_next = match &self.current {
            // the trace of a record without an envelope has none either
            Some(record) if !record.envelopes.present => false,
            Some(record) if record.stack.is_some() || is_next(record.lines) => true,
            _ => self
                .trace
                .as_ref()
                .is_some_and(|trace| is_next(trace.lines)),
        };
        let record = self.current.as_ref();
        let is_separate = record.is_none_or(|record| record.lines.last < self.kind_since);
        if is_enveloped && !is_next && (!is_frame(text) || is_dump_head(text) && is_separate) {
            return None;
        }
        // an enveloped line that starts no record may be one of its own
        let may_continue = !is_enveloped || {
            let record = self.current.as_ref();
            record.is_some_and(|record| record.may_continue_in(envelopes, at.lines))
        };
        let mut none = stack_trace::Trace::default();
        let trace = match self.current.as_mut() {
            Some(record) => &mut record.trace,
            None => &mut none,
        };
        if let Some(part) = trace.take(text) {
            return Some(part);
        }
        let sources = &mut self.sources;
        // a function name of unknown shape, recognised by the location after it
        if stack_trace::may_be_function(text)
            && next(following, is_enveloped, sources).is_some_and(|next| is_location(next.as_str()))
        {
            return Some(Part::Frame);
        }
        let is_in_message = trace.is_in_message() && may_continue;
        let known = is_in_message || stack_trace::is_head(text);
        if !known || text.starts_with([' ', '\t']) && !is_in_message {
            return None;
        }
        // an error's head needs frames after it; further lines of its message extend to the next record
        let is_of_trace = |line: &str| stack_trace::Trace::default().take(line).is_some();
        let mut frames_follow = || {
            if is_enveloped && !may_continue {
                return next(following, true, sources)
                    .is_some_and(|next| is_of_trace(next.as_str()));
            }
            if is_enveloped {
                let following = following.iter().filter(|line| !line.is_blank());
                let own = following
                    .map_while(|line| EnvelopedLine::of_writer(line.text, envelopes, sources));
                return frames_follow(own, envelopes.merged.time);
            }
            following
                .iter()
                .take(HEAD_LINES)
                .take_while(|line| !line.is_blank())
                .any(|line| is_of_trace(line.text))
        };
        if is_in_message || frames_follow() {
            return trace.take_error(text);
        }
        None
    }

    /// Adds a line of a stack trace to its record; returns false if there is none.
    pub(super) fn frame(&mut self, payload: &Payload<'a>, part: Part, at: &Place) -> bool {
        let span = &at.span;
        let text = payload.as_str();
        let half = !is_location(text) && !is_dump_head(text);
        let foreign = match (&self.current, &self.trace) {
            (Some(record), Some(trace)) => {
                record.stack.is_none()
                    && !stack_trace::begins(part, text)
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
                trace.lines.add(at.lines);
                event.interrupted = trace.lines.foreign();
                event.span.end = event.span.end.max(span.end);
                extend(&mut event.stack, span);
                if let Part::Error(start) = part {
                    let error = payload.part(start..text.len());
                    event.fields.push(error_field(error));
                }
                return true;
            }
            return false;
        }
        let Some(record) = self.current.as_mut() else {
            return false;
        };
        record.span.end = record.span.end.max(span.end);
        record.lines.add(at.lines);
        extend(&mut record.stack, span);
        match part {
            Part::Frame => {
                if record.heading.is_none() && stack_trace::is_heading(text) {
                    record.heading = Some(payload.text().clone());
                }
            }
            Part::Error(start) => record.errors.push(vec![payload.part(start..text.len())]),
            Part::Message => {
                if let Some(last) = record.errors.last_mut() {
                    last.push(payload.text().clone());
                }
            }
        }
        self.trace = Some(Trace {
            event: self.parsed.events.len(),
            age: 0,
            lines: record.lines,
            half,
        });
        true
    }
}

/// Returns the payload of the next line, or of the journal's next entry.
fn next<'a>(
    following: &[Line<'a>],
    is_enveloped: bool,
    sources: &mut Sources,
) -> Option<Payload<'a>> {
    if !is_enveloped {
        return Some(Payload::from_line(*following.first()?));
    }
    // entries end with an empty line
    let start = following.iter().position(|line| !line.is_blank())?;
    let (first, following) = following.get(start..)?.split_first()?;
    let entry = Block::read(first, following).map(|(entry, _)| entry.message);
    Some(entry.unwrap_or_else(|| peel_from(Payload::from_line(*first), sources).1))
}

fn extend(stack: &mut Option<Span>, by: &Span) {
    match stack {
        Some(stack) => stack.end = stack.end.max(by.end),
        None => *stack = Some(by.clone()),
    }
}
