//! Dependencies that events state.

use super::plain;
use kwhy_model::{Event, Format, Subject};

/// A message that names another object.
struct MessagePattern {
    reason: &'static str,
    /// The text before the name.
    before: &'static str,
    /// The kind of the object whose name follows.
    kind: &'static str,
    verb: &'static str,
}

const fn relates(
    reason: &'static str,
    before: &'static str,
    kind: &'static str,
    verb: &'static str,
) -> MessagePattern {
    MessagePattern {
        reason,
        before,
        kind,
        verb,
    }
}

/// kube-scheduler and the workload controllers, since Kubernetes 1.0.
const MESSAGES: &[MessagePattern] = &[
    relates("Scheduled", " to ", "Node", "runs on"),
    relates("SuccessfulCreate", "Created pod: ", "Pod", "owns"),
    relates("SuccessfulCreate", "create Pod ", "Pod", "owns"),
    relates("SuccessfulCreate", "Created job ", "Job", "owns"),
    relates(
        "ScalingReplicaSet",
        "Scaled up replica set ",
        "ReplicaSet",
        "owns",
    ),
    relates(
        "ScalingReplicaSet",
        "Scaled down replica set ",
        "ReplicaSet",
        "owns",
    ),
];

/// Returns dependant, verb and dependency, if an event states them.
pub(super) fn edge(event: &Event<'_>) -> Option<(Subject, &'static str, Subject)> {
    // not every log record is parsed
    let is_read = matches!(
        event.format,
        Format::DescribeEvents | Format::EventsTable | Format::ObjectYaml | Format::ObjectJson
    );
    let reason = event.reason.as_ref().filter(|_| is_read)?.as_str();
    event.subject.name.as_ref()?;
    let message = event.message.as_str();
    let mut all = MESSAGES.iter().filter(|relates| relates.reason == reason);
    all.find_map(|relates| {
        let (_, rest) = message.split_once(relates.before)?;
        let name = rest.split_whitespace().next()?;
        let namespace = event.subject.namespace.as_deref();
        let namespace = namespace.filter(|_| relates.kind != "Node");
        let this = plain(&event.subject);
        Some((
            this,
            relates.verb,
            Subject::new(relates.kind, namespace, name),
        ))
    })
}
