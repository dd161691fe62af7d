//! Objects in the neutral form: snake-case names, counts and flags typed, ages in seconds, times in
//! RFC 3339; what is not set is omitted.

use std::borrow::Cow;

use kwhy_core::events::{Event, Extract, Format, Object, Text, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::event::{self, event_type, push};
use super::tokens::Tokens;
use kwhy_render::json;

/// The objects, rows and events of an input, each as JSON.
#[derive(Debug, Default)]
pub struct Collected {
    /// From descriptions and API objects.
    objects: Vec<Box<RawValue>>,
    /// Rows of tables of pods.
    pods: Vec<Box<RawValue>>,
    /// Rows of other tables.
    rows: Vec<Box<RawValue>>,
    /// Events that belong to no object.
    events: Vec<Box<RawValue>>,
    /// The number of lines that were not understood.
    not_understood: u64,
}

/// Collects the objects of a part of a document.
pub fn of(part: &Extract<'_>, names: Tokens<'_>) -> Collected {
    let mut collected = Collected {
        not_understood: part.parsed.not_understood.len() as u64,
        ..Collected::default()
    };
    let events = &part.parsed.events;
    let mut is_of_object = vec![false; events.len()];
    let mut before = 0;
    for object in &part.parsed.objects {
        if object.format == Format::Table {
            let into = match object.subject.kind.as_deref() {
                Some("Pod") => &mut collected.pods,
                _ => &mut collected.rows,
            };
            into.extend(raw(&Json {
                object: &names.object(object),
                events: Vec::new(),
                states: Vec::new(),
            }));
            continue;
        }
        // objects and events both have the order of the input
        let span = &object.span;
        while events
            .get(before)
            .is_some_and(|event| event.span.start < span.start)
        {
            before += 1;
        }
        let own = events[before..]
            .iter()
            .take_while(|event| event.span.end <= span.end);
        let own: Vec<&Event<'_>> = own.collect();
        is_of_object[before..before + own.len()].fill(true);
        before += own.len();
        let (events, states): (Vec<_>, Vec<_>) = own.into_iter().partition(|event| is_row(event));
        let printed = |events: Vec<&Event<'_>>| {
            let printed = events.into_iter();
            let printed = printed.filter_map(|event| json_of(&names.event(event)));
            printed.collect()
        };
        collected.objects.extend(raw(&Json {
            object: &names.object(object),
            events: printed(events),
            states: printed(states),
        }));
    }
    for (event, is_of_object) in events.iter().zip(is_of_object) {
        if !is_of_object && is_row(event) {
            collected.events.extend(raw(&EventRow(&names.event(event))));
        }
    }
    collected
}

/// Returns true if the input shows an event as such; false if it was derived from a condition or a container's state.
fn is_row(event: &Event<'_>) -> bool {
    matches!(event.format, Format::DescribeEvents | Format::EventsTable)
}

fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    RawValue::from_string(json::text(value)?).ok()
}

impl Collected {
    /// Appends the objects of a later part.
    pub fn append(&mut self, mut other: Collected) {
        self.objects.append(&mut other.objects);
        self.pods.append(&mut other.pods);
        self.rows.append(&mut other.rows);
        self.events.append(&mut other.events);
        self.not_understood += other.not_understood;
    }

    /// Returns one line for each object, row and event.
    pub fn lines(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for list in [&self.objects, &self.pods, &self.rows, &self.events] {
            list.iter().for_each(|value| push(&mut text, value));
        }
        text
    }

    /// Returns all in one JSON object.
    pub fn finish(self) -> Vec<u8> {
        #[derive(serde::Serialize)]
        struct All {
            objects: Vec<Box<RawValue>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pods: Vec<Box<RawValue>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            rows: Vec<Box<RawValue>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            events: Vec<Box<RawValue>>,
            not_understood: u64,
        }
        let mut text = Vec::new();
        push(
            &mut text,
            &All {
                objects: self.objects,
                pods: self.pods,
                rows: self.rows,
                events: self.events,
                not_understood: self.not_understood,
            },
        );
        text
    }
}

/// An object with its events.
struct Json<'o, 'a> {
    object: &'o Object<'a>,
    events: Vec<Box<RawValue>>,
    /// Events derived from its conditions and states.
    states: Vec<Box<RawValue>>,
}

/// Returns an event as JSON, without its document and line.
fn json_of(event: &Event<'_>) -> Option<Box<RawValue>> {
    let mut text = Vec::new();
    event::object(&mut text, event, None);
    RawValue::from_string(String::from_utf8(text).ok()?).ok()
}

impl Json<'_, '_> {
    /// Returns the printed fields of an object of a kind that is parsed by its layout alone, with their labels.
    fn scalars(&self) -> Vec<Scalar<'_>> {
        let all = self.object.fields.scalars().into_iter();
        let own = all.filter(|(path, _)| {
            let name = path.split(" / ").next().unwrap_or("");
            !["name", "namespace", "labels", "annotations", "no_events"].contains(&name)
        });
        own.map(|(path, value)| Scalar { path, value }).collect()
    }
}

/// A printed value, with the path of labels above it.
#[derive(serde::Serialize)]
struct Scalar<'o> {
    path: String,
    value: Cow<'o, str>,
}

impl Serialize for Json<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let subject = &self.object.subject;
        let mut map = serializer.serialize_map(None)?;
        let identity = [
            ("kind", &subject.kind),
            ("namespace", &subject.namespace),
            ("name", &subject.name),
        ];
        for (key, value) in identity {
            if let Some(value) = value {
                map.serialize_entry(key, value)?;
            }
        }
        for (key, value) in self.object.fields.iter() {
            let is_row = self.object.format == Format::Table;
            let known = !matches!(key, "kind" | "namespace" | "name" | "events" | "states");
            if known && !(is_row && is_nothing(value)) {
                map.serialize_entry(key, value)?;
            }
        }
        if self.object.fields.is_labelled() {
            map.serialize_entry("fields", &self.scalars())?;
        }
        for (key, events) in [("events", &self.events), ("states", &self.states)] {
            if !events.is_empty() {
                map.serialize_entry(key, events)?;
            }
        }
        map.end()
    }
}

/// Returns true if a table's cell says that there is no value.
fn is_nothing(value: &Value<'_>) -> bool {
    let text = value.to_text();
    matches!(text.as_deref(), Some("<none>" | "<unset>" | "<unknown>"))
}

/// Adds an entry, if there is a value.
fn some<M: SerializeMap>(
    map: &mut M,
    key: &str,
    value: &Option<impl Serialize>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(key, value),
        None => Ok(()),
    }
}

/// A row of a table of events, with the names of its columns.
struct EventRow<'e>(&'e Event<'e>);

impl Serialize for EventRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let event = self.0;
        let text = |text: &'_ Option<Text<'_>>| text.as_ref().map(|text| text.as_str().to_owned());
        let field = |key| event.field(key).map(|text| text.as_str().to_owned());
        let subject = &event.subject;
        let component = text(&event.component);
        let host = field("host").or_else(|| subject.node.clone());
        let source = match (&component, &host) {
            (Some(component), Some(host)) => Some(format!("{component}, {host}")),
            (component, _) => component.clone(),
        };
        let object = subject.name.as_ref().map(|name| {
            let kind = subject.kind.as_deref().unwrap_or("").to_lowercase();
            format!("{kind}/{name}")
        });
        let kind = event.severity.map(event_type);
        let age = event.age.map(|age| age.seconds);
        let first_age = event.first_age.map(|age| age.seconds).or(age);
        let namespace = field("namespace").or_else(|| subject.namespace.clone());
        let mut map = serializer.serialize_map(None)?;
        some(&mut map, "namespace", &namespace)?;
        some(&mut map, "age_s", &age)?;
        some(&mut map, "first_age_s", &first_age)?;
        map.serialize_entry("count", &event.count)?;
        some(&mut map, "type", &kind)?;
        some(&mut map, "reason", &text(&event.reason))?;
        some(&mut map, "object", &object)?;
        map.serialize_entry("subject", subject)?;
        some(&mut map, "subobject", &field("subobject"))?;
        some(&mut map, "source", &source)?;
        some(&mut map, "from", &component)?;
        some(&mut map, "host", &host)?;
        map.serialize_entry("message", event.message.as_str())?;
        some(&mut map, "name", &field("name"))?;
        map.end()
    }
}
