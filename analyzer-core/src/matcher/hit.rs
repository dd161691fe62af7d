//! An event or object that a pattern matched, in the form in which it is kept.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::ids::Ids;
use super::leaf::{Capture, Found};
use kwhy_model::{Event, Format, Object, Severity, Span, Stamp, Subject, Text};
use kwhy_parse::input::{Chunk, Place};

/// A time on one of two axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// At this time.
    At(Stamp),
    /// This many seconds before the output was printed.
    Ago(u64),
}

impl Moment {
    /// Returns the seconds between two moments on one axis; `None` on different axes.
    pub fn distance(&self, other: &Moment) -> Option<f64> {
        match (self, other) {
            (Moment::At(a), Moment::At(b)) => Some(a.seconds_since(b).abs()),
            (Moment::Ago(a), Moment::Ago(b)) => Some(a.abs_diff(*b) as f64),
            _ => None,
        }
    }

    /// Returns true if both are stated in the same way, so that their clocks cannot differ by hours: a time without a
    /// zone may be in any.
    pub fn is_comparable(&self, other: &Moment) -> bool {
        match (self, other) {
            (Moment::At(a), Moment::At(b)) => {
                a.zone_stated == b.zone_stated && a.year_stated == b.year_stated
            }
            (Moment::Ago(_), Moment::Ago(_)) => true,
            _ => false,
        }
    }

    /// Returns the earlier of two moments; `self` if they are on different axes.
    pub fn earlier(self, other: Moment) -> Moment {
        if self.is_after(&other) == Some(true) {
            other
        } else {
            self
        }
    }

    /// Returns the later of two moments; `self` if they are on different axes.
    pub fn later(self, other: Moment) -> Moment {
        if other.is_after(&self) == Some(true) {
            other
        } else {
            self
        }
    }

    /// Returns true if this moment is after the other one; `None` on different axes.
    pub fn is_after(&self, other: &Moment) -> Option<bool> {
        match (self, other) {
            (Moment::At(a), Moment::At(b)) => Some(a.nanos > b.nanos),
            (Moment::Ago(a), Moment::Ago(b)) => Some(a < b),
            _ => None,
        }
    }
}

/// Masks the secrets of a record in the values captured from it.
fn hidden(chunk: &Chunk, record: &Span, mut captures: Vec<Capture>) -> Vec<Capture> {
    for (_, value) in &mut captures {
        chunk.hide(record, value);
    }
    captures
}

/// An event or object that a pattern matched.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// The document's number.
    pub document: usize,
    /// The byte range of the whole record in the document.
    pub record: Span,
    /// The byte range of the proof in the document.
    pub mark: Span,
    /// The line of the proof.
    pub place: Place,
    /// The other lines of the value or state that the proof is part of, in order.
    pub around: Vec<Place>,
    pub format: Format,
    pub subject: Arc<Subject>,
    /// The ids by which a log record names objects.
    pub ids: Option<Arc<Ids>>,
    pub component: Option<String>,
    pub reason: Option<String>,
    /// Further writers of the record: those named by its envelope, and the log that it is in.
    pub writers: Vec<String>,
    pub captures: Vec<Capture>,
    pub weight: usize,
    pub count: u64,
    /// True if it is the state of an object at the time of the output, not an occurrence.
    pub is_state: bool,
    /// The time at which the previous run of a container ended, if the state shows it, in nanoseconds since 1970.
    pub ended: Option<i128>,
    /// True if it holds only if the list that contains the object is complete.
    pub of_list: bool,
    /// True if it counts as an occurrence of the match, rather than as a detail.
    pub leads: bool,
    /// True if a signature that refines this one matches the same record.
    pub refined: bool,
    /// The severity that its writer states.
    pub severity: Option<Severity>,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

/// Returns true if a klog record has the error field of `InfoS`: it states an error, whatever its level.
fn states_error(event: &Event<'_>) -> bool {
    event.format == Format::Klog && event.field("err").is_some()
}

impl Hit {
    /// Creates a hit from an event. Lines of hits that are never shown stay empty.
    pub fn from_event(
        chunk: &Chunk,
        (event, subject): (&Event<'_>, &SharedSubject<'_>),
        ids: Option<Arc<Ids>>,
        found: Found,
        is_shown: bool,
    ) -> Hit {
        let at = event.time.map(Moment::At);
        let age = event.age.map(|age| Moment::Ago(age.seconds));
        let first_age = event.first_age.map(|age| Moment::Ago(age.seconds));
        let masked = |text: &Text<'_>| {
            let mut text = text.as_str().to_owned();
            chunk.hide(&event.span, &mut text);
            text
        };
        Hit {
            document: chunk.document,
            record: chunk.whole(found.entry.as_ref().unwrap_or(&event.span)),
            place: match is_shown {
                true => chunk.place(&found.mark),
                false => Place::default(),
            },
            around: match is_shown {
                true => lines_around(chunk, &found.mark, &state_of(event, &found)),
                false => Vec::new(),
            },
            mark: chunk.whole(&found.mark),
            format: event.format,
            subject: subject.with(found.container),
            ids,
            component: event.component.as_ref().filter(|_| is_shown).map(masked),
            reason: event.reason.as_ref().filter(|_| is_shown).map(masked),
            writers: envelope_names(event),
            captures: hidden(chunk, &event.span, found.captures),
            weight: found.weight,
            count: event.count.max(1),
            is_state: false,
            ended: None,
            of_list: false,
            leads: true,
            refined: false,
            severity: event.severity.filter(|_| !states_error(event)),
            first: event
                .first_time
                .map(Moment::At)
                .or(at)
                .or(first_age)
                .or(age),
            last: at.or(age),
        }
    }

    /// Creates a hit from an object. Lines of hits that are never shown stay empty.
    pub fn from_object(
        chunk: &Chunk,
        (object, subject): (&Object<'_>, &SharedSubject<'_>),
        found: Found,
        is_shown: bool,
    ) -> Hit {
        let (place, around) = match is_shown {
            true => (
                chunk.place(&found.mark),
                lines_around(chunk, &found.mark, &found.around),
            ),
            false => (Place::default(), Vec::new()),
        };
        Hit {
            document: chunk.document,
            record: chunk.whole(&object.span),
            place,
            around,
            mark: chunk.whole(&found.mark),
            format: object.format,
            subject: subject.with(found.container),
            ids: None,
            component: None,
            reason: None,
            writers: Vec::new(),
            captures: hidden(chunk, &object.span, found.captures),
            weight: found.weight,
            count: 1,
            is_state: true,
            ended: found.ended,
            of_list: false,
            leads: true,
            refined: false,
            severity: None,
            first: None,
            last: None,
        }
    }

    /// Sets its time to the one at which a runtime or collector received the record, if stated: entries are in that
    /// order.
    pub fn take_time_of_envelope(&mut self, event: &Event<'_>) {
        let envelope = event.envelope.as_ref();
        if let Some(time) = envelope.and_then(|envelope| envelope.time) {
            self.first = Some(Moment::At(time));
            self.last = Some(Moment::At(time));
        }
    }

    /// Sets its time to that of the record that it follows, if it has none.
    pub fn take_time_of_record(&mut self, time: Stamp) {
        let moment = Some(Moment::At(time));
        self.first = self.first.or(moment);
        self.last = self.last.or(moment);
    }

    /// Adds the number of lines before its part of the document.
    pub fn move_down(&mut self, lines: u64) {
        self.place.line += lines;
        self.around.iter_mut().for_each(|place| place.line += lines);
    }

    /// Fills in what its subject lacks from another one.
    pub fn fill_subject(&mut self, other: &Subject) {
        if *other != Subject::default() {
            Arc::make_mut(&mut self.subject).fill_from(other);
        }
    }

    /// Adds the object whose log it occurs in as a writer.
    pub fn written_in(&mut self, log: &Subject) {
        let is_pod = log.kind.as_deref() == Some("Pod");
        let pod = log.name.iter().filter(|_| is_pod);
        if self.format.is_log() {
            self.writers.extend(pod.chain(&log.container).cloned());
        }
    }

    /// The number of occurrences: 0 for a state, however often it is shown.
    pub fn occurrences(&self) -> u64 {
        if self.is_state { 0 } else { self.count }
    }

    /// The approximate number of bytes of memory that it takes.
    pub fn size(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let captures = self
            .captures
            .iter()
            .map(|(name, value)| name.len() + value.len() + 48);
        let Subject {
            kind,
            namespace,
            name,
            container,
            node,
        } = &*self.subject;
        let subject = [kind, namespace, name, container, node].map(text);
        size_of::<Hit>()
            + self.place.text.len()
            + self
                .around
                .iter()
                .map(|place| place.text.len() + size_of::<Place>())
                .sum::<usize>()
            + captures.sum::<usize>()
            + subject.iter().sum::<usize>()
            + self.ids.as_ref().map_or(0, |ids| ids.size())
            + text(&self.component)
            + text(&self.reason)
            + self
                .writers
                .iter()
                .map(|name| name.len() + 24)
                .sum::<usize>()
    }

    /// The position of its record in the input.
    pub fn record_at(&self) -> (usize, usize) {
        (self.document, self.record.start)
    }

    /// Its position in the input.
    pub fn position(&self) -> (usize, usize) {
        (self.document, self.mark.start)
    }
}

/// The maximum number of lines of a value that are shown besides the proof.
const MAX_LINES_OF_VALUE: u64 = 8;
/// The maximum number of these before the proof.
const LINES_BEFORE: u64 = 3;

/// The spans of what an event states about a fault: the whole state of an object; elsewhere only what a pattern covers,
/// as a message may continue for pages.
fn state_of(event: &Event<'_>, found: &Found) -> Vec<Span> {
    let is_state = matches!(
        event.format,
        Format::ObjectYaml | Format::ObjectJson | Format::Describe | Format::UnitStatus
    );
    if !is_state {
        // without a pattern, the mark covers the whole message
        let is_whole = found.mark == event.message.span() || found.mark == event.span;
        return Vec::from_iter((!is_whole).then(|| found.mark.clone()));
    }
    let parts = [
        Some(&event.message),
        event.reason.as_ref(),
        event.field("exit_code"),
    ];
    parts.into_iter().flatten().map(Text::span).collect()
}

/// Returns the lines that the spans cover, in order, except that of the mark.
fn lines_around(chunk: &Chunk, mark: &Span, spans: &[Span]) -> Vec<Place> {
    let text = &chunk.text;
    let shown = text.line_of(mark.start);
    let mut lines: BTreeMap<u64, Span> = BTreeMap::new();
    for span in spans.iter().filter(|span| !span.is_empty()) {
        let (first, last) = (text.line_of(span.start), text.line_of(span.end - 1));
        let from = first.max(shown.saturating_sub(LINES_BEFORE).min(last));
        for line in (from..=last).take(MAX_LINES_OF_VALUE as usize) {
            let whole = text.line_span(line);
            let part = span.start.max(whole.start)..span.end.min(whole.end);
            let Some(value) = text.text().get(part.clone()).filter(|_| line != shown) else {
                continue;
            };
            let start = part.start + (value.len() - value.trim_start().len());
            if start < part.end {
                lines.entry(line).or_insert(start..part.end);
            }
        }
    }
    lines.values().map(|span| chunk.place(span)).collect()
}

/// The names of program, container and pod in an event's envelope.
fn envelope_names(event: &Event<'_>) -> Vec<String> {
    let Some(envelope) = &event.envelope else {
        return Vec::new();
    };
    let names = [&envelope.program, &envelope.container, &envelope.pod];
    let names = names.into_iter().flatten();
    names.map(|name| name.as_str().to_owned()).collect()
}

/// The subject of an event or object, shared by its hits.
pub(crate) struct SharedSubject<'s> {
    subject: &'s Subject,
    /// The last subject returned, with its container.
    last: RefCell<Option<Arc<Subject>>>,
}

impl<'s> SharedSubject<'s> {
    pub fn new(subject: &'s Subject) -> SharedSubject<'s> {
        SharedSubject {
            subject,
            last: RefCell::default(),
        }
    }

    /// Returns the subject of a hit, with the given container if there is one.
    fn with(&self, container: Option<String>) -> Arc<Subject> {
        let container = container.or_else(|| self.subject.container.clone());
        let mut last = self.last.borrow_mut();
        if let Some(last) = last.as_ref().filter(|last| last.container == container) {
            return Arc::clone(last);
        }
        let mut subject = Subject {
            container,
            ..self.subject.clone()
        };
        // the events of nodes are stored in a namespace
        if subject.is_cluster_scoped() {
            subject.namespace = None;
        }
        Arc::clone(last.insert(Arc::new(subject)))
    }
}
