//! The types of JSON that is written member by member: events, records, objects. A test checks all outputs of all
//! fixtures against them.
#![allow(dead_code)]

use std::collections::BTreeMap;

use kwhy_core::Subject;
use kwhy_core::events::{Format, Severity, Stream};
use schemars::JsonSchema;
use serde_json::{Number, Value};

/// The type of an event of Kubernetes.
#[derive(JsonSchema)]
enum EventType {
    Normal,
    Warning,
}

/// An event: what a line of a log, a row of an Events table or an object says at a time. What the input does not say is absent.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The document's name; absent in an event of an object.
    source: Option<String>,
    /// The line, counted from 1; absent in an event of an object.
    line: Option<u64>,
    /// The format it was read from.
    format: Format,
    #[serde(flatten)]
    time: Time,
    /// The number of seconds by which its time precedes that of its writer's record before it.
    time_back_s: Option<f64>,
    /// The age at which it was last seen, in seconds back from the output.
    age_s: Option<u64>,
    /// The last unit of that age that was printed, in seconds: it may be older by less than this.
    age_resolution_s: Option<u64>,
    /// The age at which it was first seen, in seconds back from the output.
    first_age_s: Option<u64>,
    /// The number of times it was seen.
    count: u64,
    /// The type of an event of Kubernetes.
    r#type: Option<EventType>,
    /// The severity according to its writer.
    severity: Option<Severity>,
    /// The writer: the From column, a logger's name.
    from: Option<String>,
    /// The object that it is about.
    subject: Option<Subject>,
    /// The reason, such as `FailedMount`.
    reason: Option<String>,
    /// The message.
    message: String,
    /// The place in the writer's source.
    caller: Option<String>,
    /// All other named values.
    fields: Option<Fields>,
    /// What brought it here.
    envelope: Option<Envelope>,
    /// True if its end is missing.
    cut: Option<bool>,
}

/// Named values, typed as the log shows them.
type Fields = BTreeMap<String, Value>;

/// A time, and what of it the input does not state.
#[derive(JsonSchema)]
struct Time {
    /// The time in RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    time: Option<String>,
    /// False if the time zone was not stated: UTC is taken then.
    zone_stated: Option<bool>,
    /// False if no year is known: 1970, or 1972 for a leap day, is written then.
    year_stated: Option<bool>,
}

/// The envelope that brought a record: a container runtime's file, `kubectl logs`, the journal, syslog.
#[derive(JsonSchema)]
struct Envelope {
    /// The time at which the record was received.
    #[serde(flatten)]
    time: Time,
    /// The stream that it was written to.
    stream: Option<Stream>,
    /// The pod's namespace.
    namespace: Option<String>,
    /// The pod whose container wrote it.
    pod: Option<String>,
    /// The container that wrote it.
    container: Option<String>,
    /// The machine on which it was written.
    node: Option<String>,
    /// The program that wrote it.
    program: Option<String>,
    /// The program's process.
    pid: Option<String>,
}

/// A level of a log record.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RecordLevel {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
    Fatal,
    Panic,
}

/// A log record of any format in one neutral form. What the input does not say is absent.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The first line, counted from 1.
    line: u64,
    /// The number of lines.
    lines: u64,
    /// The level.
    level: Option<RecordLevel>,
    #[serde(flatten)]
    time: Time,
    /// The number of seconds by which its time precedes that of its writer's record before it.
    time_back_s: Option<f64>,
    /// The message.
    message: String,
    /// The logger's name.
    logger: Option<String>,
    /// The place in the writer's source.
    caller: Option<String>,
    /// The field that states the error.
    error: Option<String>,
    /// All other named values.
    fields: Fields,
    /// What brought it here.
    envelope: Option<Envelope>,
    /// True if escapes or invisible characters were taken out of it.
    cleaned: Option<bool>,
    /// True if its end is missing.
    cut: Option<bool>,
}

/// All objects of the inputs.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objects {
    /// From descriptions, YAML and JSON.
    objects: Vec<Object>,
    /// Rows of tables of pods.
    pods: Option<Vec<Object>>,
    /// Rows of other tables.
    rows: Option<Vec<Object>>,
    /// Events that are below no object.
    events: Option<Vec<EventRow>>,
    /// The number of lines that were not understood.
    not_understood: u64,
}

/// An object, or an event that is below no object.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum ObjectLine {
    /// An object.
    Object(Box<Object>),
    /// An event.
    Event(Box<EventRow>),
}

/// An object as the input shows it: further members are what was printed of it, by their names in snake case.
#[derive(JsonSchema)]
pub struct Object {
    /// The kind.
    kind: Option<String>,
    /// The namespace.
    namespace: Option<String>,
    /// The name.
    name: Option<String>,
    /// Its events, as a description lists them.
    events: Option<Vec<Event>>,
    /// What its conditions and its containers' states say, as events: the input does not show these as events.
    states: Option<Vec<Event>>,
    #[serde(flatten)]
    further: BTreeMap<String, Shown>,
}

/// A value of an object.
#[derive(JsonSchema)]
#[serde(untagged)]
enum Shown {
    Text(String),
    Number(Number),
    Flag(bool),
    Map(BTreeMap<String, Shown>),
    List(Vec<Shown>),
}

/// A row of an Events table, with the names of its columns.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRow {
    /// The namespace.
    namespace: Option<String>,
    /// The age at which it was last seen, in seconds.
    age_s: Option<u64>,
    /// The age at which it was first seen, in seconds.
    first_age_s: Option<u64>,
    /// The number of times it was seen.
    count: u64,
    /// The type.
    r#type: Option<EventType>,
    /// The reason.
    reason: Option<String>,
    /// The object as the table shows it: `pod/web-0`.
    object: Option<String>,
    /// The object.
    subject: Subject,
    /// The part of the object: `spec.containers{web}`.
    subobject: Option<String>,
    /// The writer and its host, as the table shows them: `kubelet, berth-1`.
    source: Option<String>,
    /// The writer.
    from: Option<String>,
    /// The writer's host.
    host: Option<String>,
    /// The message.
    message: String,
    /// The event's own name.
    name: Option<String>,
}
