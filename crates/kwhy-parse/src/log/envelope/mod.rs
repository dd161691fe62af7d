//! Envelopes around a log line, one file per envelope: `kubectl logs`, stern, docker compose, the
//! log files of docker and the CRI, journald, syslog, talosctl, supervisors of processes.
//!
//! An envelope is removed whatever the payload is, and envelopes nest in any order. Their content
//! becomes the event's [`Envelope`]; their time is the record's if the payload has none.

mod compose;
mod cri;
mod docker;
mod journal;
mod journal_block;
mod journal_json;
mod kubectl;
mod sources;
mod stern;
mod supervisor;
mod syslog;
mod talos;

use std::ops::Range;

use memchr::memchr;

use super::json_members::ValueKind;
use super::payload::Payload;
use super::quote::unquote_json;
use crate::infer_year;
use kwhy_model::{Envelope, Severity, Stamp, Stream, Text, TextBuilder};

pub(crate) use journal_block::Block;
pub(super) use kubectl::has_time_of_another;
pub(crate) use sources::Sources;

/// The maximum nesting depth of envelopes.
pub(crate) const MAX_ENVELOPES: u32 = 4;

/// The merged content of a line's envelopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelopes<'a> {
    /// True if there was any envelope.
    pub present: bool,
    pub merged: Envelope<'a>,
    /// The severity according to the envelope.
    pub severity: Option<Severity>,
    /// True if the stream's next line continues this one.
    pub partial: bool,
    /// True if the end of the line is missing.
    pub cut: bool,
    /// True for a journal entry over several lines.
    pub entry: bool,
    /// The number of envelopes.
    layers: u32,
}

/// The number of nested envelopes, and which names they state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnvelopeKind(u32, [bool; 6]);

impl<'a> Envelopes<'a> {
    /// Returns the number of envelopes.
    pub(crate) fn layers(&self) -> u32 {
        self.layers
    }

    /// Returns true if two lines come from the same writer, judging by their envelopes.
    pub(crate) fn is_same_writer(&self, other: &Envelopes<'_>) -> bool {
        fn same(one: Option<&Text<'_>>, two: Option<&Text<'_>>) -> bool {
            one.map(Text::as_str) == two.map(Text::as_str)
        }
        let (one, two) = (&self.merged, &other.merged);
        self.layers == other.layers
            && one.stream == two.stream
            && same(one.pod.as_ref(), two.pod.as_ref())
            && same(one.container.as_ref(), two.container.as_ref())
            && same(one.program.as_ref(), two.program.as_ref())
            && same(one.pid.as_ref(), two.pid.as_ref())
            && same(one.node.as_ref(), two.node.as_ref())
            && same(one.namespace.as_ref(), two.namespace.as_ref())
    }

    /// Uses the time and the level of the head that another writer put before a record.
    pub(crate) fn enveloped_by(&mut self, (time, severity): (Option<Stamp>, Option<Severity>)) {
        self.present = true;
        self.merged.time = time;
        self.severity = severity;
    }

    /// Overrides the names with those that the record itself states.
    pub(crate) fn add_own(&mut self, own: Envelope<'a>) {
        self.present = true;
        let envelope = &mut self.merged;
        let names = [
            (&mut envelope.namespace, own.namespace),
            (&mut envelope.pod, own.pod),
            (&mut envelope.container, own.container),
            (&mut envelope.node, own.node),
        ];
        for (name, own) in names {
            *name = own.or(name.take());
        }
    }

    /// Returns which names the envelopes state, regardless of their values.
    pub(crate) fn kind(&self) -> EnvelopeKind {
        let envelope = &self.merged;
        let names = [
            envelope.pod.is_some(),
            envelope.container.is_some(),
            envelope.program.is_some(),
            envelope.pid.is_some(),
            envelope.node.is_some(),
            envelope.stream.is_some(),
        ];
        EnvelopeKind(self.layers, names)
    }

    /// Merges one more envelope and returns its payload. The inner envelope takes precedence, as
    /// its time and writer are closer to the record's.
    fn take(&mut self, layer: Layer, text: &Payload<'a>) -> Payload<'a> {
        self.present = true;
        let envelope = &mut self.merged;
        envelope.time = nearer(layer.time, envelope.time);
        self.severity = layer.severity.or(self.severity);
        let names = [
            (&mut envelope.namespace, layer.names.namespace),
            (&mut envelope.pod, layer.names.pod),
            (&mut envelope.container, layer.names.container),
            (&mut envelope.node, layer.names.node),
            (&mut envelope.program, layer.names.program),
            (&mut envelope.pid, layer.names.pid),
        ];
        for (name, range) in names {
            if let Some(range) = range.filter(|range| !range.is_empty()) {
                *name = Some(text.part(range));
            }
        }
        if let Some(stream) = layer.stream {
            envelope.stream = Some(stream);
            self.partial = layer.partial;
        }
        match layer.inner {
            Inner::From(start) => text.skip(start),
            Inner::Json(range, line) => {
                let decoded = unquote_json(text, range);
                if line == LineEnd::Marks {
                    self.partial = !decoded.as_str().ends_with('\n');
                }
                Payload::from_text(without_escapes(without_line_end(decoded)))
            }
            Inner::Within(range) => text.within(range),
            Inner::Bytes(range) => {
                Payload::from_text(without_escapes(journal_json::from_bytes(text, range)))
            }
        }
    }
}

/// The granularity of time zone offsets (a quarter of an hour); below it the largest offset.
const ZONE_UNIT: i128 = 900 * NANOS;
const MAX_ZONE: i128 = 14 * 3600 * NANOS;

/// The maximum time between writing and receiving a record.
const DELAY: i128 = 5 * NANOS;

const NANOS: i128 = 1_000_000_000;

/// Returns the time closer to the record. A missing year or zone is inferred from the outer time, as the
/// payload was written shortly before it was received.
pub(crate) fn nearer(inner: Option<Stamp>, outer: Option<Stamp>) -> Option<Stamp> {
    match (inner, outer) {
        (Some(inner), Some(outer)) if outer.year_stated => {
            let inner = infer_year::settled(&inner, outer.nanos).unwrap_or(inner);
            Some(in_zone(inner, &outer))
        }
        _ => inner.or(outer),
    }
}

/// Infers the zone of a time from when the record was received; unchanged if no zone explains the difference.
fn in_zone(inner: Stamp, outer: &Stamp) -> Stamp {
    if inner.zone_stated || !inner.year_stated || !outer.zone_stated {
        return inner;
    }
    let distance = outer.nanos - inner.nanos;
    let zones = (distance + ZONE_UNIT / 2).div_euclid(ZONE_UNIT);
    let offset = zones * ZONE_UNIT;
    if offset.abs() > MAX_ZONE || (distance - offset).abs() > DELAY {
        return inner;
    }
    Stamp {
        nanos: inner.nanos + offset,
        zone_stated: true,
        ..inner
    }
}

/// The depth to which envelopes are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Up to the first that may have split the line.
    Stream,
    Record,
}

impl<'a> Envelopes<'a> {
    /// Removes envelopes from a text, including those recognised only by preceding lines.
    pub(crate) fn peel(
        &mut self,
        text: Payload<'a>,
        until: Until,
        sources: &mut Sources,
    ) -> Payload<'a> {
        let mut payload = text;
        while self.layers < MAX_ENVELOPES {
            let text = payload.as_str();
            let mut found = layer(text);
            if self.layers == 0 {
                match &found {
                    Some(layer) => sources.learn(text, layer),
                    None => found = sources.layer(text),
                }
            }
            let Some(layer) = found else {
                break;
            };
            let is_stream = layer.stream.is_some();
            self.layers += 1;
            payload = self.take(layer, &payload);
            if until == Until::Stream && is_stream {
                break;
            }
        }
        payload
    }
}

/// Removes the envelopes from a line.
pub(crate) fn peel(line: Payload<'_>) -> (Envelopes<'_>, Payload<'_>) {
    peel_from(line, &mut Sources::default())
}

/// Removes the envelopes from a line, including those recognised only by preceding lines.
pub(crate) fn peel_from<'a>(
    line: Payload<'a>,
    sources: &mut Sources,
) -> (Envelopes<'a>, Payload<'a>) {
    let mut envelopes = Envelopes::default();
    let payload = envelopes.peel(line, Until::Record, sources);
    (envelopes, payload)
}

/// One parsed envelope and its payload, as ranges of the text.
#[derive(Debug)]
pub(crate) struct Layer {
    pub time: Option<Stamp>,
    pub severity: Option<Severity>,
    pub inner: Inner,
    names: Names,
    stream: Option<Stream>,
    partial: bool,
    /// The length of names that identify the envelope only if a record follows them.
    source: Option<usize>,
}

#[derive(Debug)]
pub(crate) enum Inner {
    /// The rest of the text from an offset.
    From(usize),
    /// The inside of a JSON string, and the meaning of its line break.
    Json(Range<usize>, LineEnd),
    /// A JSON list of the text's bytes.
    Bytes(Range<usize>),
    /// A part of the text.
    Within(Range<usize>),
}

/// The meaning of a missing line break in an encoded line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// The next line continues this one.
    Marks,
    /// No meaning.
    None,
}

/// The names in an envelope, as ranges of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    namespace: Option<Range<usize>>,
    pod: Option<Range<usize>>,
    container: Option<Range<usize>>,
    node: Option<Range<usize>>,
    program: Option<Range<usize>>,
    pid: Option<Range<usize>>,
}

impl Layer {
    fn new(time: Option<Stamp>, names: Names, inner: Inner) -> Self {
        Layer {
            time,
            severity: None,
            inner,
            names,
            stream: None,
            partial: false,
            source: None,
        }
    }

    /// Returns the name of the host that the line comes from.
    pub(crate) fn node<'t>(&self, text: &'t str) -> Option<&'t str> {
        let name = text.get(self.names.node.clone()?)?;
        (!name.is_empty()).then_some(name)
    }

    /// Returns the column to which the envelope indents further lines of a message, or 0.
    pub(crate) fn column(&self) -> usize {
        match self.inner {
            Inner::From(start) if self.names.program.is_some() => start,
            _ => 0,
        }
    }
}

/// Returns the outermost envelope of a line, if any.
pub(crate) fn layer(text: &str) -> Option<Layer> {
    match text.as_bytes().first()? {
        b'0'..=b'9' | b'a'..=b'z' => plain_layer(text).or_else(|| stern::layer(text)),
        _ => plain_layer(text),
    }
}

/// Returns an envelope that is recognised independently of its payload. Dispatches on the first
/// byte.
fn plain_layer(text: &str) -> Option<Layer> {
    match text.as_bytes().first()? {
        b'0'..=b'9' => cri::layer(text)
            .or_else(|| journal::numbered(text))
            .or_else(|| journal::with_numbered_month(text))
            .or_else(|| kubectl::stamped(text))
            .or_else(|| talos::node(text)),
        b' ' => journal::with_numbered_month(text),
        b'A'..=b'Z' => journal::named(text).or_else(|| journal_block::layer(text)),
        b'_' => journal_block::layer(text),
        b'a'..=b'z' => compose::layer(text).or_else(|| talos::kernel_message(text)),
        b'{' => docker::layer(text)
            .or_else(|| journal_json::layer(text))
            .or_else(|| stern::json(text)),
        b'[' => kubectl::prefixed(text)
            .or_else(|| journal::monotonic(text))
            .or_else(|| supervisor::layer(text)),
        b'<' => syslog::layer(text),
        b'+' | b'-' => stern::marker(text),
        _ => None,
    }
}

/// Returns the offset of the payload after a time that the runtime seems to have written.
pub(in crate::log) fn stamped(text: &str) -> Option<usize> {
    match kubectl::stamped(text)?.inner {
        Inner::From(start) => Some(start),
        _ => None,
    }
}

/// Returns a decoded line without its line break.
fn without_line_end(text: Text<'_>) -> Text<'_> {
    let kept = line_without_end(text.as_str()).len();
    if kept == text.as_str().len() {
        text
    } else {
        text.slice(0..kept)
    }
}

/// Returns a decoded line without its line break.
pub(crate) fn line_without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns a decoded text without colour sequences, which a document removes from its own text
/// earlier.
fn without_escapes(text: Text<'_>) -> Text<'_> {
    let value = text.as_str();
    if memchr(0x1b, value.as_bytes()).is_none() {
        return text;
    }
    let mut builder = TextBuilder::new();
    let mut at = 0;
    while let Some(found) = value
        .get(at..)
        .and_then(|rest| memchr(0x1b, rest.as_bytes()))
    {
        let start = at + found;
        builder.push_text(&text.slice(at..start));
        let sequence = value.as_bytes().get(start + 1..).unwrap_or(&[]);
        at = start + 1;
        if let Some(body) = sequence.strip_prefix(b"[") {
            let parameters = run(body, |byte| (0x20..0x40).contains(&byte));
            let last = body
                .get(parameters)
                .is_some_and(|b| (0x40..0x7f).contains(b));
            at += 1 + parameters + usize::from(last);
        }
    }
    builder.push_text(&text.slice(at..value.len()));
    builder.finish()
}

/// Returns the number of accepted bytes at the start.
fn run(bytes: &[u8], accepted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| accepted(**byte)).count()
}

/// Returns the first word of the text, up to a space; short ones only.
fn word(text: &str) -> Option<&str> {
    /// The maximum length of a DNS name.
    const LONGEST: usize = 253;
    let window = text.as_bytes().get(..text.len().min(LONGEST + 1))?;
    text.get(..memchr(b' ', window)?)
}

/// Returns true if the word can name a pod, a container or a namespace.
fn is_dns_name(word: &str) -> bool {
    let end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = word.as_bytes();
    end(bytes.first())
        && end(bytes.last())
        && bytes.iter().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
        })
}

/// Returns true if the value is a string.
fn is_string(kind: ValueKind) -> bool {
    kind == ValueKind::String
}

#[cfg(test)]
mod tests;
