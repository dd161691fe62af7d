//! What carriers put around a log line, one file a carrier: `kubectl logs`, stern, docker compose,
//! docker's and the CRI's log files, journald, syslog.
//!
//! A carrier is peeled off whatever the payload is, and carriers stand in one another in any order.
//! What they say is kept as the event's [`Carrier`]; their time is the record's where the payload
//! has none.

mod compose;
mod cri;
mod docker;
mod journal;
mod journal_block;
mod journal_json;
mod kubectl;
mod sources;
mod stern;
mod syslog;

use std::ops::Range;

use memchr::memchr;

use super::members::ValueKind;
use super::payload::Payload;
use super::quote::unquote_json;
use crate::years;
use kwhy_model::{Carrier, Severity, Stamp, Stream, Text, TextBuilder};

pub(super) use journal_block::Block;
pub(super) use sources::Sources;

/// How many carriers may stand around each other.
pub(super) const CARRIERS: u32 = 4;

/// What the carriers of a line say.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrapper<'a> {
    /// Whether any carrier was there.
    pub present: bool,
    pub carrier: Carrier<'a>,
    /// How grave the carrier says the record is.
    pub severity: Option<Severity>,
    /// Whether the line goes on in the stream's next one.
    pub partial: bool,
    /// Whether the end of the line is missing.
    pub cut: bool,
    /// Whether it is an entry of the journal over several lines.
    pub entry: bool,
    /// How many carriers were there.
    layers: u32,
}

impl<'a> Wrapper<'a> {
    /// How many carriers were there.
    pub(super) fn layers(&self) -> u32 {
        self.layers
    }

    /// Whether two lines come from the same writer, as far as their carriers tell.
    pub(super) fn is_of(&self, other: &Wrapper<'_>) -> bool {
        fn same(one: Option<&Text<'_>>, two: Option<&Text<'_>>) -> bool {
            one.map(Text::as_str) == two.map(Text::as_str)
        }
        let (one, two) = (&self.carrier, &other.carrier);
        self.layers == other.layers
            && one.stream == two.stream
            && same(one.pod.as_ref(), two.pod.as_ref())
            && same(one.container.as_ref(), two.container.as_ref())
            && same(one.program.as_ref(), two.program.as_ref())
            && same(one.pid.as_ref(), two.pid.as_ref())
            && same(one.node.as_ref(), two.node.as_ref())
            && same(one.namespace.as_ref(), two.namespace.as_ref())
    }

    /// Takes what one more carrier says, and gives what is in it. What an inner carrier says of the
    /// time and the writer is nearer to the record.
    fn take(&mut self, layer: Layer, text: &Payload<'a>) -> Payload<'a> {
        self.present = true;
        let carrier = &mut self.carrier;
        carrier.time = nearer(layer.time, carrier.time);
        self.severity = layer.severity.or(self.severity);
        let names = [
            (&mut carrier.namespace, layer.names.namespace),
            (&mut carrier.pod, layer.names.pod),
            (&mut carrier.container, layer.names.container),
            (&mut carrier.node, layer.names.node),
            (&mut carrier.program, layer.names.program),
            (&mut carrier.pid, layer.names.pid),
        ];
        for (name, range) in names {
            if let Some(range) = range.filter(|range| !range.is_empty()) {
                *name = Some(text.part(range));
            }
        }
        if let Some(stream) = layer.stream {
            carrier.stream = Some(stream);
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

/// The time that is nearer to the record, in the year of the outer one if it states none: what is inside
/// was written before it was taken.
pub(super) fn nearer(inner: Option<Stamp>, outer: Option<Stamp>) -> Option<Stamp> {
    match (inner, outer) {
        (Some(inner), Some(outer)) if outer.year_stated => {
            Some(years::settled(&inner, outer.nanos).unwrap_or(inner))
        }
        _ => inner.or(outer),
    }
}

/// How far carriers are peeled off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Up to the first that may have cut the line in parts.
    Stream,
    Record,
}

impl<'a> Wrapper<'a> {
    /// Peels carriers off a text, also those that only lines before it show to be some.
    pub(super) fn peel(
        &mut self,
        text: Payload<'a>,
        until: Until,
        sources: &mut Sources,
    ) -> Payload<'a> {
        let mut payload = text;
        while self.layers < CARRIERS {
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

/// Peels the carriers off a line.
pub(super) fn peel(line: Payload<'_>) -> (Wrapper<'_>, Payload<'_>) {
    peel_from(line, &mut Sources::default())
}

/// Peels the carriers off a line, also those that only lines before it show to be some.
pub(super) fn peel_from<'a>(
    line: Payload<'a>,
    sources: &mut Sources,
) -> (Wrapper<'a>, Payload<'a>) {
    let mut wrapper = Wrapper::default();
    let payload = wrapper.peel(line, Until::Record, sources);
    (wrapper, payload)
}

/// What one carrier says and where its payload is, as ranges of the text.
#[derive(Debug)]
pub(super) struct Layer {
    pub time: Option<Stamp>,
    pub severity: Option<Severity>,
    pub inner: Inner,
    names: Names,
    stream: Option<Stream>,
    partial: bool,
    /// The length of names that show the carrier only where a record stands behind them.
    source: Option<usize>,
}

#[derive(Debug)]
pub(super) enum Inner {
    /// The rest of the text from a byte on.
    From(usize),
    /// The inside of a JSON string, and what its line end says.
    Json(Range<usize>, LineEnd),
    /// A JSON list of the text's bytes.
    Bytes(Range<usize>),
    /// A part of the text.
    Within(Range<usize>),
}

/// What it says of an encoded line that it has no line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// That it goes on in the next one.
    Marks,
    /// Nothing.
    None,
}

/// Names that a carrier tells, as ranges of the text.
#[derive(Clone, Debug, Default)]
struct Names {
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

    /// How far a message's further lines are indented, where the carrier does so; 0 elsewhere.
    pub(super) fn column(&self) -> usize {
        match self.inner {
            Inner::From(start) if self.names.program.is_some() => start,
            _ => 0,
        }
    }
}

/// The outermost carrier of a line, if it has one.
pub(super) fn layer(text: &str) -> Option<Layer> {
    match text.as_bytes().first()? {
        b'0'..=b'9' | b'a'..=b'z' => plain_layer(text).or_else(|| stern::layer(text)),
        _ => plain_layer(text),
    }
}

/// A carrier that is told by itself, not by what it holds. The first byte decides what is tried.
fn plain_layer(text: &str) -> Option<Layer> {
    match text.as_bytes().first()? {
        b'0'..=b'9' => cri::layer(text)
            .or_else(|| journal::numbered(text))
            .or_else(|| journal::with_numbered_month(text))
            .or_else(|| kubectl::stamped(text)),
        b' ' => journal::with_numbered_month(text),
        b'A'..=b'Z' => journal::named(text).or_else(|| journal_block::layer(text)),
        b'_' => journal_block::layer(text),
        b'a'..=b'z' => compose::layer(text),
        b'{' => docker::layer(text)
            .or_else(|| journal_json::layer(text))
            .or_else(|| stern::json(text)),
        b'[' => kubectl::prefixed(text).or_else(|| journal::monotonic(text)),
        b'<' => syslog::layer(text),
        b'+' | b'-' => stern::marker(text),
        _ => None,
    }
}

/// A decoded line without its line end.
fn without_line_end(text: Text<'_>) -> Text<'_> {
    let kept = line_without_end(text.as_str()).len();
    if kept == text.as_str().len() {
        text
    } else {
        text.slice(0..kept)
    }
}

/// A decoded line without its line end.
pub(super) fn line_without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// A decoded text without colour sequences: they are taken out of a document's own text before.
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

/// How many bytes at the start are accepted.
fn run(bytes: &[u8], accepted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| accepted(**byte)).count()
}

/// The word at the start of a text, up to the blank behind it; short ones only.
fn word(text: &str) -> Option<&str> {
    /// A DNS name is no longer.
    const LONGEST: usize = 253;
    let window = text.as_bytes().get(..text.len().min(LONGEST + 1))?;
    text.get(..memchr(b' ', window)?)
}

/// Whether a word can be the name of a pod, a container or a namespace.
fn is_dns_name(word: &str) -> bool {
    let end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = word.as_bytes();
    end(bytes.first())
        && end(bytes.last())
        && bytes.iter().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
        })
}

/// Whether a JSON member is a string.
fn is_string(kind: ValueKind) -> bool {
    kind == ValueKind::String
}

#[cfg(test)]
mod tests;
