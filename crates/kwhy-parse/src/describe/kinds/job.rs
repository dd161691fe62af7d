//! Jobs and CronJobs.

use super::common::{ANNOTATIONS, CONTROLLED_BY, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Below, Block, Field, field};
use super::template::POD_TEMPLATE;
use super::values::{boolean, counts, integer, seconds, text, time, values_of, whole_seconds};
use super::{Kind, controller};

const PARALLELISM: Field = field("Parallelism", "parallelism", Below::Value, integer);
const COMPLETIONS: Field = field("Completions", "completions", Below::Value, integer);
const SUSPEND: Field = field("Suspend", "suspend", Below::Value, boolean);
const DEADLINE: Field = field(
    "Active Deadline Seconds",
    "active_deadline_s",
    Below::Value,
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
        field("Completion Mode", "completion_mode", Below::Value, text),
        SUSPEND,
        field("Backoff Limit", "backoff_limit", Below::Value, integer),
        field(
            "TTL Seconds After Finished",
            "ttl_s",
            Below::Value,
            whole_seconds,
        ),
        field("Start Time", "start_time", Below::Value, time),
        field("Completed At", "completed_time", Below::Value, time),
        field("Duration", "duration_s", Below::Value, seconds),
        DEADLINE,
        field("Pods Statuses", "pods_statuses", Below::Value, counts),
        field("Completed Indexes", "completed_indexes", Below::Value, text),
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
        field("Schedule", "schedule", Below::Value, text),
        field("Time Zone", "time_zone", Below::Value, text),
        field(
            "Concurrency Policy",
            "concurrency_policy",
            Below::Value,
            text,
        ),
        SUSPEND,
        field(
            "Successful Job History Limit",
            "successful_history_limit",
            Below::Value,
            integer,
        ),
        field(
            "Failed Job History Limit",
            "failed_history_limit",
            Below::Value,
            integer,
        ),
        field(
            "Starting Deadline Seconds",
            "starting_deadline_s",
            Below::Value,
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
            Below::Value,
            time,
        ),
        field("Active Jobs", "active_jobs", Below::Value, values_of),
    ],
};

/// CronJobs.
pub(super) static CRON_JOB: Kind = controller("CronJob", &CRON_JOB_BLOCK);
