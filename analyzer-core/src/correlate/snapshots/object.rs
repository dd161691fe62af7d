//! An object as one output shows it.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::health::{self, State};
use super::super::situations::Shown;
use crate::hash::hash_one;
use kwhy_model::{Event, Format, Object, Span, Subject, Value};
use kwhy_parse::input::{Chunk, Place, floor_char};

/// The number of bytes kept of a snapshot's first line.
const MAX_TEXT: usize = 120;

/// An object as one output shows it.
#[derive(Clone, Debug)]
pub(crate) struct ObjectSnapshot {
    /// A hash of the object and its shape.
    pub(super) key: u64,
    pub(super) kind: Arc<str>,
    pub(super) namespace: Option<Arc<str>>,
    pub(super) name: Box<str>,
    /// The node of a pod, or the machine of a unit.
    pub(super) node: Option<Arc<str>>,
    pub(super) shape: Shape,
    pub(super) document: usize,
    /// The byte range in the document.
    pub(super) span: Span,
    pub(super) version: Version,
    /// The number of container restarts.
    pub(super) restarts: i64,
    /// Hashes of namespace and name of the pods that a node's describe lists.
    pub(super) pods: Option<Box<[u64]>>,
    pub(in crate::correlate) state: State,
    /// The line that shows the object's health, or its first one.
    pub place: Place,
}

/// The shapes of output, each of which always shows the same properties of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Describe,
    Row,
    Object,
}

impl Shape {
    fn of(format: Format) -> Option<Shape> {
        match format {
            Format::Describe | Format::UnitStatus => Some(Shape::Describe),
            Format::Table => Some(Shape::Row),
            Format::ObjectYaml | Format::ObjectJson => Some(Shape::Object),
            _ => None,
        }
    }
}

/// The version of a snapshot, for ordering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    /// The resource version: within one cluster it increases with each change.
    pub(super) resource: Option<u64>,
    pub(super) generation: Option<u64>,
    /// The latest time in its conditions, in nanoseconds since 1970.
    pub(super) time: Option<i128>,
}

impl ObjectSnapshot {
    /// Takes a snapshot of an object; `None` if the object has no name or its output no shape.
    pub fn of(chunk: &Chunk, object: &Object<'_>) -> Option<ObjectSnapshot> {
        let subject = &object.subject;
        let (kind, name) = (subject.kind.as_deref()?, subject.name.as_deref()?);
        let shape = Shape::of(object.format)?;
        let state = health::of(object);
        let mut place = chunk.place(state.shown.as_ref().unwrap_or(&object.span));
        place.text.truncate(floor_char(&place.text, MAX_TEXT));
        place.text.shrink_to_fit();
        let end = place.text.len();
        place.mark = place.mark.start.min(end)..place.mark.end.min(end);
        let number = |key: &str| object.fields.text(key)?.parse().ok();
        Some(ObjectSnapshot {
            key: key(subject, shape),
            kind: kind.into(),
            namespace: subject.namespace.as_deref().map(Arc::from),
            name: name.into(),
            node: subject.node.as_deref().map(Arc::from),
            shape,
            document: chunk.document,
            span: chunk.whole(&object.span),
            version: Version {
                resource: number("resource_version"),
                // of several rows of a container runtime, the latest attempt of a container counts
                generation: number("generation").or_else(|| number("attempt")),
                time: latest(object),
            },
            restarts: health::restarts(object),
            pods: pods_of_node(object),
            state,
            place,
        })
    }

    /// The object.
    pub(super) fn subject(&self) -> Subject {
        Subject::new(&self.kind, self.namespace.as_deref(), &self.name)
    }

    /// The properties that situations depend on.
    pub(super) fn shown(&self) -> Shown<'_> {
        Shown {
            kind: &self.kind,
            namespace: self.namespace.as_deref(),
            name: &self.name,
            node: self.node.as_deref(),
            state: &self.state,
        }
    }

    /// The document that shows it.
    pub fn document(&self) -> usize {
        self.document
    }

    /// Takes the time of the last container restart from the events of its describe.
    pub fn read(&mut self, own: &Subject, events: &[Event<'_>]) {
        if let Some(restart) = &mut self.state.restart
            && self.shape == Shape::Describe
        {
            restart.read(own, events);
        }
    }

    /// The number of restarts of all containers.
    pub fn restarts(&self) -> i64 {
        self.restarts
    }

    /// The machine of a systemd unit, which distinguishes it from units of the same name; `None` for other kinds.
    pub(super) fn machine(&self) -> Option<&str> {
        self.node.as_deref().filter(|_| &*self.kind == "Unit")
    }

    pub(super) fn place_in_input(&self) -> (usize, usize) {
        (self.document, self.span.start)
    }

    /// Returns true if it is later than another one; `None` if that is unknown, as for two files without versions and
    /// times.
    pub(super) fn is_after(&self, other: &ObjectSnapshot) -> Option<bool> {
        let (mine, theirs) = (&self.version, &other.version);
        let differ = |ordering: Ordering| (ordering != Ordering::Equal).then_some(ordering);
        let by = |a: Option<u64>, b: Option<u64>| differ(a?.cmp(&b?));
        let by_time = || differ(mine.time?.cmp(&theirs.time?));
        let by_place = || {
            (self.document == other.document)
                .then(|| self.span.start.cmp(&other.span.start))
                .and_then(differ)
        };
        let order = by(mine.resource, theirs.resource)
            .or_else(|| {
                by(mine.generation, theirs.generation).filter(|_| self.shape == other.shape)
            })
            .or_else(by_time)
            .or_else(by_place)?;
        Some(order == Ordering::Greater)
    }
}

/// A hash of the object's identity and its shape. The identity of a systemd unit includes its machine.
fn key(subject: &Subject, shape: Shape) -> u64 {
    let Subject {
        kind,
        namespace,
        name,
        node,
        ..
    } = subject;
    let is_unit = kind.as_deref() == Some("Unit");
    let machine = node.as_ref().filter(|_| is_unit);
    hash_one((kind, namespace, name, machine, shape))
}

pub(super) fn name_key(kind: &str, name: &str) -> u64 {
    hash_one((kind, name))
}

/// Hashes of the pods that a node's describe lists; `None` for other objects.
fn pods_of_node(object: &Object<'_>) -> Option<Box<[u64]>> {
    let is_node = object.subject.kind.as_deref() == Some("Node");
    let pods = object.fields.items("pods");
    let key = |pod: &Value<'_>| {
        let text = |key| pod.get(key).and_then(Value::to_text);
        Some(name_key(&text("namespace")?, &text("name")?))
    };
    (is_node && !pods.is_empty()).then(|| pods.iter().filter_map(key).collect())
}

/// The latest time of an object's conditions.
fn latest(object: &Object<'_>) -> Option<i128> {
    let conditions = object.fields.items("conditions").iter();
    let times = conditions.flat_map(|condition| {
        let Value::Map(condition) = condition else {
            return Vec::new();
        };
        let times = condition.iter().filter(|(key, _)| key.ends_with("_time"));
        let texts = times.filter_map(|(_, value)| value.to_text());
        let stamps = texts.filter_map(|text| text.parse::<jiff::Timestamp>().ok());
        stamps.map(|stamp| stamp.as_nanosecond()).collect()
    });
    times.max()
}
