//! Workloads, which create pods from a template.

use super::pod::template;
use super::read::{self, Field, conditions, field, labels, same, selector, text, texts, time};
use kwhy_model::{Map, Value};

pub(super) const DEPLOYMENT: &[Field] = &[
    field("selector", "spec.selector", selector),
    field("replicas", "", deployed),
    field("strategy", "spec.strategy.type", same),
    field("min_ready_seconds", "", min_ready_seconds),
    field(
        "max_unavailable",
        "spec.strategy.rollingUpdate.maxUnavailable",
        text,
    ),
    field("max_surge", "spec.strategy.rollingUpdate.maxSurge", text),
    field("progress_deadline_s", "spec.progressDeadlineSeconds", same),
    field("paused", "spec.paused", same),
    field("pod_template", "spec.template", template),
    field("conditions", "status.conditions", conditions),
];

pub(super) const REPLICA_SET: &[Field] = &[
    field("selector", "spec.selector", selector),
    field("replicas", "", replicas),
    field("pod_template", "spec.template", template),
    field("conditions", "status.conditions", conditions),
];

pub(super) const STATEFUL_SET: &[Field] = &[
    field("selector", "spec.selector", selector),
    field("replicas", "", replicas_of_set),
    field("update_strategy", "spec.updateStrategy.type", same),
    field(
        "partition",
        "spec.updateStrategy.rollingUpdate.partition",
        same,
    ),
    field("service", "spec.serviceName", same),
    field("pod_template", "spec.template", template),
    field("volume_claims", "spec.volumeClaimTemplates", volume_claims),
    field("conditions", "status.conditions", conditions),
];

pub(super) const DAEMON_SET: &[Field] = &[
    field("selector", "spec.selector", selector),
    field("desired_scheduled", "status.desiredNumberScheduled", same),
    field("current_scheduled", "status.currentNumberScheduled", same),
    field("up_to_date", "status.updatedNumberScheduled", same),
    field("available", "status.numberAvailable", same),
    field("unavailable", "status.numberUnavailable", same),
    field("ready", "status.numberReady", same),
    field("misscheduled", "status.numberMisscheduled", same),
    field("pod_template", "spec.template", template),
    field("conditions", "status.conditions", conditions),
];

pub(super) const JOB: &[Field] = &[
    field("selector", "spec.selector", selector),
    field("parallelism", "spec.parallelism", same),
    field("completions", "spec.completions", same),
    field("completion_mode", "spec.completionMode", same),
    field("suspend", "spec.suspend", same),
    field("backoff_limit", "spec.backoffLimit", same),
    field("ttl_s", "spec.ttlSecondsAfterFinished", same),
    field("active_deadline_s", "spec.activeDeadlineSeconds", same),
    field("start_time", "status.startTime", time),
    field("completed_time", "status.completionTime", time),
    field("duration_s", "status", duration),
    field("pods_statuses", "status", pods_statuses),
    field("pod_template", "spec.template", template),
    field("conditions", "status.conditions", conditions),
];

pub(super) const CRON_JOB: &[Field] = &[
    field("schedule", "spec.schedule", same),
    field("concurrency_policy", "spec.concurrencyPolicy", same),
    field("suspend", "spec.suspend", same),
    field(
        "successful_history_limit",
        "spec.successfulJobsHistoryLimit",
        same,
    ),
    field("failed_history_limit", "spec.failedJobsHistoryLimit", same),
    field("starting_deadline_s", "spec.startingDeadlineSeconds", same),
    field("parallelism", "spec.jobTemplate.spec.parallelism", same),
    field("completions", "spec.jobTemplate.spec.completions", same),
    field("backoff_limit", "spec.jobTemplate.spec.backoffLimit", same),
    field("pod_template", "spec.jobTemplate.spec.template", template),
    field("last_schedule_time", "status.lastScheduleTime", time),
    field("last_successful_time", "status.lastSuccessfulTime", time),
    field("active_jobs", "status.active", super::pod::names),
];

/// Returns counts by name. The API omits those of the status that are 0.
fn counts<'a>(object: &Value<'a>, names: &[(&'static str, &str)]) -> Option<Value<'a>> {
    let status = object.get("status");
    let mut map = Map::new();
    for (name, path) in names {
        match object.get(path) {
            Some(value) => map.insert(*name, value.clone()),
            None => {
                if let Some(status) = status.filter(|_| path.starts_with("status.")) {
                    map.insert(*name, Value::Integer(0, status.span()));
                }
            }
        }
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

fn deployed<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    counts(
        object,
        &[
            ("desired", "spec.replicas"),
            ("updated", "status.updatedReplicas"),
            ("total", "status.replicas"),
            ("available", "status.availableReplicas"),
            ("unavailable", "status.unavailableReplicas"),
        ],
    )
}

fn replicas<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let names = [
        ("current", "status.replicas"),
        ("desired", "spec.replicas"),
        ("available", "status.availableReplicas"),
        ("ready", "status.readyReplicas"),
    ];
    counts(object, &names)
}

fn replicas_of_set<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let names = [
        ("desired", "spec.replicas"),
        ("total", "status.replicas"),
        ("available", "status.availableReplicas"),
        ("ready", "status.readyReplicas"),
    ];
    counts(object, &names)
}

fn min_ready_seconds<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let spec = object.get("spec")?;
    let said = spec.get("minReadySeconds").cloned();
    Some(said.unwrap_or_else(|| Value::Integer(0, spec.span())))
}

fn pods_statuses<'a>(status: &Value<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for name in ["active", "ready", "succeeded", "failed"] {
        match status.get(name) {
            Some(value) => map.insert(name, value.clone()),
            None if name == "ready" => {}
            None => map.insert(name, Value::Integer(0, status.span())),
        }
    }
    Some(Value::Map(map))
}

/// Returns the time from a job's start to its end.
fn duration<'a>(status: &Value<'a>) -> Option<Value<'a>> {
    let time = |key: &str| -> Option<jiff::Timestamp> { status.get(key)?.to_text()?.parse().ok() };
    let end = status.get("completionTime")?;
    let seconds = time("completionTime")?.as_second() - time("startTime")?.as_second();
    Some(Value::Integer(seconds, end.span()))
}

const CLAIM: &[Field] = &[
    field("name", "metadata.name", same),
    field("storage_class", "spec.storageClassName", same),
    field("labels", "metadata.labels", labels),
    field("capacity", "spec.resources.requests.storage", text),
    field("access_modes", "spec.accessModes", texts),
];

fn volume_claims<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, CLAIM)
}
