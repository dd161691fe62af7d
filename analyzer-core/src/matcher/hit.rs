//! What is kept of an event or object that a pattern matched.

use super::atom::{Capture, Found};
use crate::model::{Event, Format, Object, Span, Stamp, Subject};

/// When something was seen, on one of two axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// At this time.
    At(Stamp),
    /// This many seconds before the output was made.
    Ago(u64),
}

impl Moment {
    /// Seconds between two moments of one axis.
    pub fn distance(&self, other: &Moment) -> Option<f64> {
        match (self, other) {
            (Moment::At(a), Moment::At(b)) => Some(a.seconds_since(b).abs()),
            (Moment::Ago(a), Moment::Ago(b)) => Some(a.abs_diff(*b) as f64),
            _ => None,
        }
    }

    /// Whether this moment lies after the other one; `None` on different axes.
    pub fn is_after(&self, other: &Moment) -> Option<bool> {
        match (self, other) {
            (Moment::At(a), Moment::At(b)) => Some(a.nanos > b.nanos),
            (Moment::Ago(a), Moment::Ago(b)) => Some(a < b),
            _ => None,
        }
    }
}

/// An event or object that a pattern matched.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// The document's number.
    pub document: usize,
    /// The bytes of the whole record.
    pub record: Span,
    /// The bytes that prove it.
    pub mark: Span,
    pub format: Format,
    pub subject: Subject,
    pub component: Option<String>,
    pub reason: Option<String>,
    pub captures: Vec<Capture>,
    pub weight: usize,
    pub count: u64,
    /// Whether it is counted: it is what the match looks for, not what goes with it.
    pub leads: bool,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

impl Hit {
    pub fn from_event(document: usize, event: &Event<'_>, found: Found) -> Hit {
        let at = event.time.map(Moment::At);
        let age = event.age.map(|age| Moment::Ago(age.seconds));
        let first_age = event.first_age.map(|age| Moment::Ago(age.seconds));
        Hit {
            document,
            record: event.span.clone(),
            mark: found.mark,
            format: event.format,
            subject: with_container(&event.subject, found.container),
            component: event
                .component
                .as_ref()
                .map(|text| text.as_str().to_owned()),
            reason: event.reason.as_ref().map(|text| text.as_str().to_owned()),
            captures: found.captures,
            weight: found.weight,
            count: event.count.max(1),
            leads: true,
            first: at.or(first_age).or(age),
            last: at.or(age),
        }
    }

    pub fn from_object(document: usize, object: &Object<'_>, found: Found) -> Hit {
        Hit {
            document,
            record: object.span.clone(),
            mark: found.mark,
            format: object.format,
            subject: with_container(&object.subject, found.container),
            component: None,
            reason: None,
            captures: found.captures,
            weight: found.weight,
            count: 1,
            leads: true,
            first: None,
            last: None,
        }
    }

    /// Where it stands in the input.
    pub fn position(&self) -> (usize, usize) {
        (self.document, self.mark.start)
    }
}

fn with_container(subject: &Subject, container: Option<String>) -> Subject {
    Subject {
        container: container.or_else(|| subject.container.clone()),
        ..subject.clone()
    }
}
