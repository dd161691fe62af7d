//! A record as a typed value.

use super::field::Field;
use super::{Age, Severity, Span, Stamp, Subject, Text, TextBuilder};

/// The format that a stretch of input is written in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// `kubectl describe`.
    Describe,
    /// The Events table of a describe, or rows of it.
    DescribeEvents,
    /// `kubectl get events`.
    EventsTable,
    /// Any other table of `kubectl get`.
    Table,
    /// logrus text (`time=... level=... msg=...`).
    Logrus,
    /// zap's console encoder.
    ZapConsole,
    /// zap's or another library's JSON object a line.
    JsonLog,
    /// klog and glog.
    Klog,
    /// etcd's capnslog (`2024-03-04 05:06:07.123456 W | etcdserver: ...`).
    Capnslog,
    /// PostgreSQL's (`2024-03-04 05:06:07.123 UTC [42] LOG:  ...`).
    Postgresql,
    /// Redis' and Valkey's (`17:M 04 Mar 2024 05:06:07.123 * ...`).
    Redis,
    /// Ceph's (`2024-03-04T05:06:07.123+0000 7f0a1b2c3d40 -1 ...`).
    Ceph,
    /// Ruby's Logger (`E, [2024-03-04T05:06:07.123456 #17] ERROR -- : ...`).
    RubyLogger,
    /// Monolog's line formatter, of PHP (`[2024-03-04 05:06:07] production.ERROR: ...`).
    Monolog,
    /// The start scripts of Bitnami's images (`quay 05:06:07.12 ERROR ==> ...`).
    Bitnami,
    /// Go's package log, and log/slog's default handler.
    GoLog,
    /// hclog's text form.
    Hclog,
    /// zerolog's console writer.
    ZerologConsole,
    /// logr's funcr (`"level"=0 "msg"="..."`).
    LogrFuncr,
    /// CoreDNS (`[ERROR] plugin/errors: ...`).
    Coredns,
    /// nginx's access log, also ingress-nginx' and Apache's.
    NginxAccess,
    /// nginx's error log.
    NginxError,
    /// Envoy's application log.
    Envoy,
    /// Envoy's and istio's access log.
    EnvoyAccess,
    /// logback's and log4j2's usual pattern.
    Logback,
    /// Spring Boot's pattern.
    SpringBoot,
    /// java.util.logging: two lines a record.
    JavaUtilLogging,
    /// The JVM's own log (`-Xlog`).
    JvmUnified,
    /// pino's log as pino-pretty shows it.
    PinoPretty,
    /// Python's logging in its usual formats.
    PythonLogging,
    /// A head of time, level, logger and the like in a layout without a name of its own.
    TextLog,
    /// The kernel's ring buffer.
    Kernel,
    /// The API server's audit log.
    KubeAudit,
    /// Text after a level (`[ERROR] text`, `ERROR: text`).
    Leveled,
    /// Kubernetes objects as YAML (`kubectl get -o yaml`).
    ObjectYaml,
    /// Kubernetes objects as JSON (`kubectl get -o json`).
    ObjectJson,
    /// The state of systemd's units (`systemctl status`, `systemctl list-units`).
    UnitStatus,
    /// A shell prompt with a command.
    Command,
    /// A line with an error text and no other form.
    Plain,
    /// Sentences in a human language, and markup.
    Prose,
}

impl Format {
    /// Returns true for formats of logs, whose events are records written at their time.
    pub fn is_log(self) -> bool {
        !self.is_structured() && !matches!(self, Format::Command | Format::Prose)
    }

    /// Returns true for structured output: a description, a table, an object.
    pub fn is_structured(self) -> bool {
        matches!(
            self,
            Format::Describe
                | Format::DescribeEvents
                | Format::EventsTable
                | Format::Table
                | Format::ObjectYaml
                | Format::ObjectJson
                | Format::UnitStatus
        )
    }

    /// Returns the name used in reports and in a signature's `format` condition.
    pub fn name(self) -> &'static str {
        match self {
            Format::Describe => "describe",
            Format::DescribeEvents => "describe-events",
            Format::EventsTable => "events-table",
            Format::Table => "table",
            Format::Logrus => "logrus",
            Format::ZapConsole => "zap-console",
            Format::JsonLog => "json-log",
            Format::Klog => "klog",
            Format::Capnslog => "capnslog",
            Format::Postgresql => "postgresql",
            Format::Redis => "redis",
            Format::Ceph => "ceph",
            Format::RubyLogger => "ruby-logger",
            Format::Monolog => "monolog",
            Format::Bitnami => "bitnami",
            Format::GoLog => "go-log",
            Format::Hclog => "hclog",
            Format::ZerologConsole => "zerolog-console",
            Format::LogrFuncr => "logr-funcr",
            Format::Coredns => "coredns",
            Format::NginxAccess => "nginx-access",
            Format::NginxError => "nginx-error",
            Format::Envoy => "envoy",
            Format::EnvoyAccess => "envoy-access",
            Format::Logback => "logback",
            Format::SpringBoot => "spring-boot",
            Format::JavaUtilLogging => "java-util-logging",
            Format::JvmUnified => "jvm-unified",
            Format::PinoPretty => "pino-pretty",
            Format::PythonLogging => "python-logging",
            Format::TextLog => "text-log",
            Format::Kernel => "kernel",
            Format::KubeAudit => "kube-audit",
            Format::Leveled => "leveled",
            Format::ObjectYaml => "object-yaml",
            Format::ObjectJson => "object-json",
            Format::UnitStatus => "unit-status",
            Format::Command => "command",
            Format::Plain => "plain",
            Format::Prose => "prose",
        }
    }
}

/// A program's output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What an envelope states about a record: a container runtime's file, `kubectl logs`, the
/// journal, syslog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// The time at which the record was received.
    pub time: Option<Stamp>,
    /// The stream that it was written to.
    pub stream: Option<Stream>,
    /// The pod's namespace.
    pub namespace: Option<Text<'a>>,
    /// The pod whose container wrote it.
    pub pod: Option<Text<'a>>,
    /// The container that wrote it.
    pub container: Option<Text<'a>>,
    /// The machine on which it was written.
    pub node: Option<Text<'a>>,
    /// The program that wrote it.
    pub program: Option<Text<'a>>,
    /// The program's process.
    pub pid: Option<Text<'a>>,
}

impl<'a> Envelope<'a> {
    /// Returns the texts, in no particular order.
    fn parts_mut(&mut self) -> impl Iterator<Item = &mut Text<'a>> {
        let Envelope {
            time: _,
            stream: _,
            namespace,
            pod,
            container,
            node,
            program,
            pid,
        } = self;
        let parts = [namespace, pod, container, node, program, pid];
        parts.into_iter().flatten()
    }
}

/// A record as a typed value: one log line with its continuation lines, one row of an Events
/// table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The format it was read from.
    pub format: Format,
    /// The range of the whole record in the document.
    pub span: Span,
    /// The time at which it was written, if the record states it; for repeated events, the time at which it was last
    /// seen.
    pub time: Option<Stamp>,
    /// The time at which it was first seen, if different.
    pub first_time: Option<Stamp>,
    /// The age at which it was last seen, counted back from the output.
    pub age: Option<Age>,
    /// The age at which it was first seen, counted back from the output.
    pub first_age: Option<Age>,
    /// The number of times it was seen; 1 unless stated otherwise.
    pub count: u64,
    /// The severity stated by its writer.
    pub severity: Option<Severity>,
    /// The writer: the From column, a logger's name.
    pub component: Option<Text<'a>>,
    /// The object it is about.
    pub subject: Subject,
    /// The event's reason, such as `FailedMount`.
    pub reason: Option<Text<'a>>,
    /// The message.
    pub message: Text<'a>,
    /// The location in the writer's source (`file.go:12`).
    pub caller: Option<Text<'a>>,
    /// All other named values, in the order written.
    pub fields: Vec<Field<'a>>,
    /// The range of its stack trace in the document.
    pub stack: Option<Span>,
    /// The contents of its envelope, if any.
    pub envelope: Option<Box<Envelope<'a>>>,
    /// The number of lines within its span that belong to other, interrupting records.
    pub interrupted: u64,
    /// The number of nanoseconds by which its time precedes that of the writer's previous record, if time runs
    /// backwards: a clock was set back, or the line arrived late. Set by `kwhy_core::events::extract`.
    pub back: Option<u64>,
    /// True if its end is missing: the input ends within it, or it exceeds the maximum length.
    pub cut: bool,
}

impl<'a> Event<'a> {
    /// Returns an event with only a format, a span and a message.
    pub fn new(format: Format, span: Span, message: Text<'a>) -> Self {
        Event {
            format,
            span,
            time: None,
            first_time: None,
            age: None,
            first_age: None,
            count: 1,
            severity: None,
            component: None,
            subject: Subject::default(),
            reason: None,
            message,
            caller: None,
            fields: Vec::new(),
            stack: None,
            envelope: None,
            interrupted: 0,
            back: None,
            cut: false,
        }
    }

    /// Returns the value of a field; the last one if it is repeated.
    pub fn field(&self, key: &str) -> Option<&Text<'a>> {
        self.fields
            .iter()
            .rev()
            .find(|field| field.key == key)
            .map(|field| &field.value)
    }

    /// Returns the texts that are not values of fields, in no particular order.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Text<'a>> {
        let Event {
            component,
            reason,
            message,
            caller,
            envelope,
            ..
        } = self;
        let parts = [component, reason, caller].into_iter().flatten();
        let envelope = envelope.as_deref_mut().map(Envelope::parts_mut);
        std::iter::once(message)
            .chain(parts)
            .chain(envelope.into_iter().flatten())
    }

    /// Returns the texts that may state a problem: the message, then the fields that contain errors.
    pub fn texts(&self) -> impl Iterator<Item = &Text<'a>> {
        let errors = self.fields.iter().filter(|field| is_error_key(&field.key));
        std::iter::once(&self.message).chain(errors.map(|field| &field.value))
    }

    /// Returns the error that a record is about, if its writer has a field for it.
    pub fn error(&self) -> Option<&Text<'a>> {
        ERROR_KEYS.iter().find_map(|key| self.field(key))
    }

    /// Joins the message and the error field to one sentence, `message: error`, as a program without structured
    /// logging prints them; `None` if either is missing. The error of a fault may be in a field for the reason.
    ///
    /// ```
    /// use kwhy_model::{Event, Field, Format, Text};
    /// let mut event = Event::new(Format::Klog, 0..30, Text::borrowed("cannot bake", 0));
    /// event.fields.push(Field::text("err", Text::borrowed("no flour", 20)));
    /// assert_eq!(event.sentence().unwrap().as_str(), "cannot bake: no flour");
    /// ```
    pub fn sentence(&self) -> Option<Text<'a>> {
        let is_fault = self.severity >= Some(Severity::Warning);
        let reasons = REASON_KEYS.iter().filter(|_| is_fault);
        let error = self
            .error()
            .or_else(|| reasons.filter_map(|key| self.field(key)).next())
            .filter(|error| !error.is_empty())?;
        if self.message.is_empty() {
            return None;
        }
        let mut builder = TextBuilder::new();
        builder.push_text(&self.message);
        let between = self.message.span().end;
        builder.push_decoded(": ", between..between);
        builder.push_text(error);
        Some(builder.finish())
    }
}

/// Names of fields that contain a record's error.
const ERROR_KEYS: [&str; 2] = ["error", "err"];

/// Names of fields in which some writers put the error of a fault.
const REASON_KEYS: [&str; 8] = [
    "cause",
    "reason",
    "exception",
    "lastError",
    "errorMessage",
    "error_message",
    "errmsg",
    "failure",
];

/// Names of further fields that may state a problem.
const FURTHER_KEYS: [&str; 9] = [
    "errorVerbose",
    "errors",
    // put beside their own message by some writers
    "message",
    "msg",
    "detail",
    "details",
    "output",
    "stderr",
    // the first line of a stack trace
    "stacktrace",
];

fn is_error_key(key: &str) -> bool {
    ERROR_KEYS.contains(&key) || REASON_KEYS.contains(&key) || FURTHER_KEYS.contains(&key)
}
