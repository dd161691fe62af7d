//! The verdict on an input: is something wrong in it now?

use kwhy_model::{Level, Role, Severity, Subject};
use kwhy_parse::plain::reports_failure;

use crate::report::{Limit, Report, Unexplained, When};

/// The state of a fault at the time at which the input was collected.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// The object's last output shows it, or it was seen shortly before the input ends.
    Now,
    /// A later output shows the object healthy, and the fault has not been seen since.
    Over,
    /// The input does not show whether it continues.
    #[default]
    Unknown,
}

/// The answer to "is something wrong?".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing is wrong in what the input shows.
    Healthy,
    /// At least one root cause is present, or may be.
    Faults,
    /// There were faults, and all are over.
    Over,
    /// The input shows neither a cause nor health.
    #[default]
    Unknown,
}

/// The number of objects of one kind by their health, according to the last output of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindHealth {
    /// The kind.
    pub kind: String,
    /// The number of healthy objects.
    pub well: u64,
    /// The number of unhealthy objects.
    pub unwell: u64,
    /// The number of healthy objects whose containers were restarted so recently that it may happen again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarted: u64,
    /// True if the numbers are lower bounds, because the input has more objects than are kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The first unhealthy objects, up to [`KindHealth::NAMED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwell_objects: Vec<Subject>,
}

/// Returns true for a number that need not be written.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl KindHealth {
    /// The maximum number of unhealthy objects that are listed.
    pub const NAMED: usize = 10;
}

/// A state that a cluster is going through, besides its faults.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "situation", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Situation {
    /// All nodes were created shortly before the input was collected.
    Starting {
        /// The time at which the first node was created.
        since: When,
    },
    /// The containers of most pods on a node ended at once and were started again.
    NodeRestarted {
        /// The node's name.
        node: String,
        /// The time at which they ended.
        at: When,
    },
    /// A workload is replacing pods of an earlier template.
    Rollout {
        /// The workload.
        object: Subject,
    },
}

/// The minimum number of records without an error for a log alone to be called healthy.
const RECORDS: u64 = 3;

/// The minimum number of records per warning in a healthy log.
const WARNINGS: u64 = 4;

/// The minimum number of healthy objects per kind of unexplained error in a cluster that is called healthy: in a large
/// cluster some program always logs an error.
const WELL: u64 = 10;

/// The minimum number of records in a healthy log per record that reports a failure as information.
const INFO_FAILURES: u64 = 3;

/// Judges a report by its findings, the health of the objects and the unexplained events. A report read back from JSON
/// contains less: it may be judged unknown where it was healthy.
///
/// ```
/// use kwhy_core::{Analyzer, Verdict};
/// let table = "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          5d\n";
/// assert_eq!(Analyzer::new().analyze_text("pods", table).verdict, Verdict::Healthy);
/// ```
pub fn judge(report: &Report) -> Verdict {
    let mut holding = report
        .findings
        .iter()
        .filter(|finding| finding.role != Role::Benign && finding.severity >= Level::Warning);
    if holding.clone().any(|finding| finding.role == Role::Cause) {
        return Verdict::Faults;
    }
    if holding.next().is_some() {
        return Verdict::Unknown;
    }
    let well: u64 = report.health.iter().map(|kind| kind.well).sum();
    let unwell: u64 = report.health.iter().map(|kind| kind.unwell).sum();
    if unwell > 0 || has_restarted(report) || !are_harmless(report, well) {
        return Verdict::Unknown;
    }
    let is_ended = |event: &Unexplained| {
        event.state == State::Over && event.severity != Some(Severity::Warning)
    };
    let is_over = report
        .findings
        .iter()
        .any(|finding| finding.state == State::Over)
        || report.unexplained.iter().any(is_ended);
    let log_lines: u64 = report.inputs.iter().map(|input| input.log_lines).sum();
    match is_over {
        true if well == 0 || !shows(report, "Node") => Verdict::Over,
        _ if well > 0 || log_lines >= RECORDS => Verdict::Healthy,
        _ => Verdict::Unknown,
    }
}

/// Returns true if containers were restarted recently, other than with their node.
fn has_restarted(report: &Report) -> bool {
    let mut situations = report.situations.iter();
    let is_of_all = |known: &Situation| {
        matches!(
            known,
            Situation::Starting { .. } | Situation::NodeRestarted { .. }
        )
    };
    report.health.iter().any(|kind| kind.restarted > 0) && !situations.any(is_of_all)
}

/// Returns true if the unexplained events may occur in an input in which nothing is wrong.
fn are_harmless(report: &Report, well: u64) -> bool {
    let is_open = |event: &&Unexplained| event.state != State::Over;
    let open = || report.unexplained.iter().filter(is_open);
    if open().any(|event| event.severity == Some(Severity::Fatal)) {
        return false;
    }
    let errors = open().filter(|event| is_error(event)).count() as u64;
    if errors > 0 && !(shows(report, "Node") && shows(report, "Pod") && errors * WELL <= well) {
        return false;
    }
    let warnings: u64 = open().map(|event| event.count).sum();
    let records = report.stats.records;
    let not_understood: u64 = report.inputs.iter().map(|input| input.not_understood).sum();
    let are_unread = report
        .limits
        .iter()
        .any(|met| met.limit == Limit::ManyErrors);
    warnings * WARNINGS <= records
        && report.info_failures * INFO_FAILURES <= records
        && not_understood <= records
        && !are_unread
}

/// Returns true if the input shows the health of objects of a kind.
fn shows(report: &Report, kind: &str) -> bool {
    report.health.iter().any(|known| known.kind == kind)
}

/// Returns true if an event reports a failure: an error, a warning event of the cluster, or the wording of a failure.
fn is_error(event: &Unexplained) -> bool {
    match event.severity {
        Some(Severity::Warning) => {
            let mut evidence = event.evidence.iter();
            !event.reason.trim().contains(' ')
                || reports_failure(&event.reason)
                || evidence.any(|line| reports_failure(&line.text))
        }
        severity => severity.is_none_or(|severity| severity > Severity::Warning),
    }
}
