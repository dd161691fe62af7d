//! Events: Event objects, and messages in the conditions and states of other objects.

use kwhy_model::{
    Event, Field, Format, Map, Severity, Span, Stamp, Subject, Text, TextBuilder, Value,
};

/// The maximum depth of nested maps searched for messages.
const MAX_DEPTH: usize = 8;

/// The maximum number of messages per object; a list of conditions has about a dozen.
const MAX_MESSAGES: usize = 200;

/// The fields of a status that describe a problem in words; the first one present is the message.
const MESSAGES: &[&str] = &[
    "message",
    "details",
    "detail",
    "errorMessage",
    "error_message",
    "failureMessage",
    "failure_message",
    "lastError",
    "last_error",
    "error",
];

/// Top-level keys that take the place of a status: policy reports, reports across clusters.
const REPORTS: [&str; 3] = ["statuses", "results", "report"];

/// Returns true if an object of kind Event is one that `kubectl get events` lists, rather than an audit record.
pub(super) fn is_event(map: &Map<'_>) -> bool {
    let version = map.text("apiVersion");
    let known = version.is_none_or(|version| {
        version == "v1" || version.split('/').next() == Some("events.k8s.io")
    });
    known && (map.get("reason").is_some() || map.get("message").or(map.get("note")).is_some())
}

fn text<'a>(map: &Map<'a>, path: &str) -> Option<Text<'a>> {
    match map.get(path)? {
        Value::Text(text) if !text.is_empty() => Some(text.clone()),
        Value::Text(_) | Value::Map(_) | Value::List(_) => None,
        scalar => {
            let mut builder = TextBuilder::new();
            builder.push_decoded(&scalar.to_text()?, scalar.span());
            Some(builder.finish())
        }
    }
}

/// Converts an object of kind Event (`v1` or `events.k8s.io`). Keys are the API's, or the same in snake case.
pub(crate) fn of_event<'a>(format: Format, map: &Map<'a>, span: &Span) -> Option<Event<'a>> {
    let message = text(map, "message").or_else(|| text(map, "note"));
    let first = |paths: &[&str]| paths.iter().find_map(|path| text(map, path));
    let owned = |paths: &[&str]| first(paths).map(|text| text.as_str().to_owned());
    let component = first(&[
        "source.component",
        "deprecatedSource.component",
        "reportingComponent",
        "reporting_component",
        "reportingController",
    ]);
    let host = first(&["source.host", "deprecatedSource.host"]);
    let part = first(&[
        "involvedObject.fieldPath",
        "involved_object.field_path",
        "regarding.fieldPath",
        "regarding.field_path",
    ]);
    let about = |key: &str| {
        let objects = ["involvedObject", "involved_object", "regarding"];
        objects
            .iter()
            .find_map(|object| owned(&[&format!("{object}.{key}")]))
    };
    let kind = about("kind");
    let of_node = kind.as_deref() == Some("Node");
    let by_kubelet = component
        .as_ref()
        .is_some_and(|component| matches!(component.as_str(), "kubelet" | "kube-proxy"));
    let subject = Subject {
        namespace: about("namespace").filter(|_| !of_node),
        name: about("name"),
        container: part
            .as_ref()
            .and_then(|part| container_of_path(part.as_str())),
        // the host is where the reporter runs: only for the kubelet and kube-proxy is that the pod's node
        node: host
            .as_ref()
            .filter(|_| by_kubelet)
            .map(|host| host.as_str().to_owned()),
        kind,
    };
    let count = ["series.count", "count", "deprecatedCount"]
        .iter()
        .find_map(|path| map.integer(path))
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(1);
    let times = |paths: &[&str]| paths.iter().find_map(|path| stamp(&text(map, path)?));
    let first_time = times(&[
        "firstTimestamp",
        "first_timestamp",
        "deprecatedFirstTimestamp",
        "eventTime",
        "event_time",
    ]);
    let time = times(&[
        "series.lastObservedTime",
        "lastTimestamp",
        "last_timestamp",
        "deprecatedLastTimestamp",
        "eventTime",
        "event_time",
        "firstTimestamp",
        "first_timestamp",
        "metadata.creationTimestamp",
        "metadata.creation_timestamp",
    ]);
    let reason = text(map, "reason");
    let kind_of_event = text(map, "type");
    let fields = [
        ("namespace", text(map, "metadata.namespace")),
        ("subobject", part),
        ("host", host),
        ("name", text(map, "metadata.name")),
        ("action", text(map, "action")),
    ];
    if message.is_none() && reason.is_none() {
        return None;
    }
    Some(Event {
        time,
        first_time,
        count: count.max(1),
        severity: kind_of_event.and_then(|word| Severity::from_word(word.as_str())),
        component,
        subject,
        reason,
        fields: fields
            .into_iter()
            .filter_map(|(key, value)| Some(Field::text(key, value?)))
            .collect(),
        ..Event::new(format, span.clone(), message.unwrap_or_default())
    })
}

/// Converts a `Status`, which the API server returns instead of an object.
pub(super) fn of_failure<'a>(format: Format, map: &Map<'a>, span: &Span) -> Option<Event<'a>> {
    let message = text(map, "message")?;
    let owned = |path: &str| text(map, path).map(|text| text.as_str().to_owned());
    let failed = map.text("status").is_none_or(|status| status != "Success");
    Some(Event {
        reason: text(map, "reason"),
        severity: Some(if failed {
            Severity::Warning
        } else {
            Severity::Info
        }),
        subject: Subject {
            kind: owned("details.kind").map(|kind| Subject::kind_from_word(&kind)),
            name: owned("details.name"),
            ..Subject::default()
        },
        ..Event::new(format, span.clone(), message)
    })
}

/// Returns the container in `spec.containers{app}` and similar paths.
fn container_of_path(path: &str) -> Option<String> {
    let (list, rest) = path.strip_prefix("spec.")?.split_once('{')?;
    let is_list = matches!(
        list,
        "containers" | "initContainers" | "ephemeralContainers"
    );
    let name = rest.strip_suffix('}')?;
    (is_list && !name.is_empty()).then(|| name.to_owned())
}

/// Parses a time as written by the API (RFC 3339).
fn stamp(text: &Text<'_>) -> Option<Stamp> {
    let text = text.as_str();
    let time: jiff::Timestamp = text.parse().ok()?;
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    Some(Stamp {
        nanos: time.as_nanosecond(),
        digits: u8::try_from(digits).unwrap_or(9).min(9),
        zone_stated: true,
        year_stated: true,
    })
}

/// Adds an event for each message in an object's status: of a condition, a container's state or
/// the status itself. Keys are the API's, or the same in snake case.
pub(crate) fn of_status<'a>(
    format: Format,
    map: &Map<'a>,
    subject: &Subject,
    into: &mut Vec<Event<'a>>,
) {
    if let Some(Value::Map(status)) = map.get("status") {
        of_messages(format, status, subject, into);
    }
    // report kinds have lists of their own
    let mut reader = Conditions::new(format, subject, into);
    for key in REPORTS {
        reader.value(key, map.get(key), &ConditionContext::default(), 0);
    }
}

/// Adds an event for each message in the state of a pod's containers, which no other part repeats. Keys are those of a
/// describe.
pub(crate) fn of_containers<'a>(
    format: Format,
    pod: &Map<'a>,
    subject: &Subject,
    into: &mut Vec<Event<'a>>,
) {
    let mut reader = Conditions::new(format, subject, into);
    for list in ["init_containers", "containers", "ephemeral_containers"] {
        for item in pod.items(list) {
            let Value::Map(container) = item else {
                continue;
            };
            let name = container.text("name");
            let around = ConditionContext {
                container: name.as_deref(),
                ..ConditionContext::default()
            };
            reader.map(container, &around, 1);
        }
    }
}

/// Adds the messages of a fragment: of its status if it has one, or else of the fragment itself.
pub(crate) fn of_part<'a>(
    format: Format,
    map: &Map<'a>,
    subject: &Subject,
    into: &mut Vec<Event<'a>>,
) {
    let status = match map.get("status") {
        Some(Value::Map(status)) => status,
        _ => map,
    };
    of_messages(format, status, subject, into);
}

/// Adds the messages of the conditions that a map lists, and of nothing else in it.
pub(super) fn of_conditions<'a>(
    format: Format,
    map: &Map<'a>,
    subject: &Subject,
    into: &mut Vec<Event<'a>>,
) {
    let mut reader = Conditions::new(format, subject, into);
    let list = map.get("conditions");
    reader.value("conditions", list, &ConditionContext::default(), 0);
}

fn of_messages<'a>(format: Format, status: &Map<'a>, subject: &Subject, into: &mut Vec<Event<'a>>) {
    let mut reader = Conditions::new(format, subject, into);
    reader.map(status, &ConditionContext::default(), 0);
}

/// The surroundings of a message.
#[derive(Clone, Copy, Debug, Default)]
struct ConditionContext<'m> {
    container: Option<&'m str>,
    /// The key of the map that contains it.
    key: &'m str,
    /// True if a later phase follows in the same list.
    is_past: bool,
}

struct Conditions<'t, 'a> {
    format: Format,
    subject: &'t Subject,
    left: usize,
    into: &'t mut Vec<Event<'a>>,
}

impl<'t, 'a> Conditions<'t, 'a> {
    fn new(format: Format, subject: &'t Subject, into: &'t mut Vec<Event<'a>>) -> Self {
        Conditions {
            format,
            subject,
            left: MAX_MESSAGES,
            into,
        }
    }

    fn map(&mut self, map: &Map<'a>, around: &ConditionContext<'_>, depth: usize) {
        if depth > MAX_DEPTH || self.left == 0 {
            return;
        }
        // an entry of a policy report
        let passes = map
            .text("result")
            .is_some_and(|result| matches!(&*result, "pass" | "skip"));
        let message = MESSAGES.iter().find_map(|key| text(map, key));
        if let Some(message) = message.filter(|_| !passes) {
            self.left -= 1;
            self.into.push(self.event(map, message, around));
        }
        for (key, value) in map.iter() {
            self.value(key, Some(value), around, depth + 1);
        }
    }

    /// Adds the messages below a key, if it is one of a map or a list of maps.
    fn value(
        &mut self,
        key: &str,
        value: Option<&Value<'a>>,
        around: &ConditionContext<'_>,
        depth: usize,
    ) {
        match value {
            Some(Value::Map(below)) => self.map(below, &ConditionContext { key, ..*around }, depth),
            Some(Value::List(items)) => {
                let of_containers = key.ends_with("ontainerStatuses");
                for (at, item) in items.iter().enumerate() {
                    let Value::Map(item) = item else { continue };
                    let name = item.text("name");
                    let container = name
                        .as_deref()
                        .filter(|name| of_containers && name.len() <= super::MAX_NAME);
                    let around = ConditionContext {
                        key,
                        container: container.or(around.container),
                        is_past: around.is_past || (at + 1 < items.len() && is_phase(item)),
                    };
                    self.map(item, &around, depth);
                }
            }
            _ => {}
        }
    }

    fn event(&self, map: &Map<'a>, message: Text<'a>, around: &ConditionContext<'_>) -> Event<'a> {
        let times = [
            "lastTransitionTime",
            "finishedAt",
            "lastUpdateTime",
            "lastHeartbeatTime",
            "startedAt",
            "finished_time",
            "started_time",
            "last_transition_time",
            "last_update_time",
            "last_heartbeat_time",
        ];
        // nested maps have events of their own
        let scalars = map.iter().filter(|(_, value)| value.to_text().is_some());
        let span = scalars
            .map(|(_, value)| value.span())
            .reduce(|all, span| all.start.min(span.start)..all.end.max(span.end))
            .unwrap_or_else(|| message.span());
        Event {
            time: times.iter().find_map(|key| stamp(&text(map, key)?)),
            severity: Some(if around.is_past {
                Severity::Info
            } else {
                severity(map, around.key)
            }),
            reason: text(map, "reason"),
            fields: exit_code(map).into_iter().chain(condition(map)).collect(),
            subject: Subject {
                container: around.container.map(str::to_owned),
                ..self.subject.clone()
            },
            ..Event::new(self.format, span, message)
        }
    }
}

/// Returns a container's exit code, which its message does not repeat.
fn exit_code<'a>(map: &Map<'a>) -> Option<Field<'a>> {
    let code = text(map, "exitCode").or_else(|| text(map, "exit_code"))?;
    Some(Field::text("exit_code", code))
}

/// Returns the type of a condition, which distinguishes its event from those of others.
fn condition<'a>(map: &Map<'a>) -> Option<Field<'a>> {
    map.get("status")?;
    Some(Field::text("condition", text(map, "type")?))
}

/// Parts of condition types for which `True` is bad.
const BAD_TYPES: &[&str] = &[
    "Abort",
    "Corrupt",
    "Deadlock",
    "Degraded",
    "Dangling",
    "Disruption",
    "Error",
    "Fail",
    "Invalid",
    "OutOf",
    "NetworkUnavailable",
    "Pressure",
    "Problem",
    "Remaining",
    "Stalled",
    "Terminating",
    "Unavailable",
    "Unhealthy",
    "Unschedulable",
    "Violat",
];

/// Phases that indicate no problem.
const WELL_PHASES: &[&str] = &[
    "Active",
    "Available",
    "Bound",
    "Complete",
    "Completed",
    "Installed",
    "Installing",
    "InstallReady",
    "Ready",
    "Running",
    "Succeeded",
];

/// Returns true for an entry of a list to which each phase appends (ClusterServiceVersion): only the last one is
/// current. Conditions, in contrast, are updated in place.
fn is_phase(entry: &Map<'_>) -> bool {
    entry.get("phase").is_some() && entry.get("type").is_none()
}

/// Returns the severity of a condition or state.
fn severity(map: &Map<'_>, key: &str) -> Severity {
    let ends_well = || map.integer("exitCode").or(map.integer("exit_code")) == Some(0);
    let starts = || {
        map.text("reason")
            .is_some_and(|reason| matches!(&*reason, "ContainerCreating" | "PodInitializing"))
    };
    let is_bad = match (map.text("type"), map.text("status")) {
        (Some(kind), Some(status)) => {
            let bad_if_true = BAD_TYPES.iter().any(|word| kind.contains(word));
            match &*status {
                "True" | "true" => bad_if_true,
                "False" | "false" => !bad_if_true,
                _ => true,
            }
        }
        _ if matches!(key, "terminated" | "state" | "last_state") => !ends_well(),
        _ if key == "waiting" => !starts(),
        _ => !map
            .text("phase")
            .is_some_and(|phase| WELL_PHASES.contains(&&*phase)),
    };
    if is_bad {
        Severity::Warning
    } else {
        Severity::Info
    }
}
