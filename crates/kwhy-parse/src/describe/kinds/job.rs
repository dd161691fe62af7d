//! Jobs and CronJobs.

use super::common::{ANNOTATIONS, CONTROLLED_BY, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Block, Content, Field, field};
use super::template::POD_TEMPLATE;
use super::values::{boolean, counts, integer, seconds, text, time, values_of, whole_seconds};
use super::{Kind, controller};

const PARALLELISM: Field = field("Parallelism", "parallelism", Content::Value, integer);
const COMPLETIONS: Field = field("Completions", "completions", Content::Value, integer);
const SUSPEND: Field = field("Suspend", "suspend", Content::Value, boolean);
const DEADLINE: Field = field(
    "Active Deadline Seconds",
    "active_deadline_s",
    Content::Value,
    whole_seconds,
);

static JOB_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        SELECTOR,
        LABELS,
        ANNOTATIONS,
        CONTROLLED_BY,
        PARALLELISM,
        COMPLETIONS,
        field("Completion Mode", "completion_mode", Content::Value, text),
        SUSPEND,
        field("Backoff Limit", "backoff_limit", Content::Value, integer),
        field(
            "TTL Seconds After Finished",
            "ttl_s",
            Content::Value,
            whole_seconds,
        ),
        field("Start Time", "start_time", Content::Value, time),
        field("Completed At", "completed_time", Content::Value, time),
        field("Duration", "duration_s", Content::Value, seconds),
        DEADLINE,
        field("Pods Statuses", "pods_statuses", Content::Value, counts),
        field(
            "Completed Indexes",
            "completed_indexes",
            Content::Value,
            text,
        ),
        POD_TEMPLATE,
    ],
};

/// Jobs.
pub(super) static JOB: Kind = controller("Job", &JOB_BLOCK);

static CRON_JOB_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("Schedule", "schedule", Content::Value, text),
        field("Time Zone", "time_zone", Content::Value, text),
        field(
            "Concurrency Policy",
            "concurrency_policy",
            Content::Value,
            text,
        ),
        SUSPEND,
        field(
            "Successful Job History Limit",
            "successful_history_limit",
            Content::Value,
            integer,
        ),
        field(
            "Failed Job History Limit",
            "failed_history_limit",
            Content::Value,
            integer,
        ),
        field(
            "Starting Deadline Seconds",
            "starting_deadline_s",
            Content::Value,
            whole_seconds,
        ),
        SELECTOR,
        PARALLELISM,
        COMPLETIONS,
        DEADLINE,
        POD_TEMPLATE,
        field(
            "Last Schedule Time",
            "last_schedule_time",
            Content::Value,
            time,
        ),
        field("Active Jobs", "active_jobs", Content::Value, values_of),
    ],
};

/// CronJobs.
pub(super) static CRON_JOB: Kind = controller("CronJob", &CRON_JOB_BLOCK);
