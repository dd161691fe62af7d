//! The verdict on an input: whether something is wrong in it now.

use kwhy_model::{Level, Role, Severity, Subject};

use crate::report::{Report, Unexplained, When};

/// The state of a fault at the time at which the input was collected.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// The last output of the object shows it, or it was seen shortly before the end.
    Now,
    /// A later output shows the object well, and nothing was heard of the fault since.
    Over,
    /// The input does not tell.
    #[default]
    Unknown,
}

/// The answer to "is something wrong?".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing is wrong in what the input shows.
    Healthy,
    /// At least one root cause holds, or may hold.
    Faults,
    /// There were faults, and all are over.
    Over,
    /// Neither a cause nor health is shown.
    #[default]
    Unknown,
}

/// The number of objects of one kind by their health, as the last output of each shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct KindHealth {
    /// The kind.
    pub kind: String,
    /// The number of objects that are well.
    pub well: u64,
    /// The number of objects that are not.
    pub unwell: u64,
    /// True if there are more than the numbers say: the input has more objects than are kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The first of those that are not, up to [`KindHealth::NAMED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwell_objects: Vec<Subject>,
}

impl KindHealth {
    /// The number of objects that are named.
    pub const NAMED: usize = 10;
}

/// What a cluster is going through, beside its faults.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "situation", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Situation {
    /// All nodes were made shortly before the input was collected.
    Starting {
        /// When the first one was.
        since: When,
    },
    /// The containers of most pods of a node ended at once and were started again.
    NodeRestarted {
        /// The node's name.
        node: String,
        /// When they ended.
        at: When,
    },
    /// A workload replaces pods of an earlier template.
    Rollout {
        /// The workload.
        object: Subject,
    },
}

/// The number of records without an error from which a log alone is called healthy.
const RECORDS: u64 = 3;

/// The number of records for each warning that a healthy log has at least.
const WARNINGS: u64 = 10;

/// Judges a report by its findings, the health of the objects and what no finding covers.
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
    let is_over = report
        .findings
        .iter()
        .any(|finding| finding.state == State::Over);
    let well: u64 = report.health.iter().map(|kind| kind.well).sum();
    let unwell: u64 = report.health.iter().map(|kind| kind.unwell).sum();
    let shows_cluster = report.health.iter().any(|kind| kind.kind == "Node");
    if unwell > 0 {
        return Verdict::Unknown;
    }
    if well > 0 {
        return if is_over && !shows_cluster {
            Verdict::Over
        } else {
            Verdict::Healthy
        };
    }
    if is_over {
        return Verdict::Over;
    }
    let mut unexplained = report.unexplained.iter();
    let is_error = |event: &Unexplained| match event.severity {
        Some(Severity::Warning) => !event.reason.trim().contains(' '),
        severity => severity.is_none_or(|severity| severity > Severity::Warning),
    };
    let has_error = unexplained.clone().any(is_error);
    let warnings: u64 = unexplained.by_ref().map(|event| event.count).sum();
    let not_understood: u64 = report.inputs.iter().map(|input| input.not_understood).sum();
    let objects = report.stats.records.saturating_sub(report.stats.events);
    let shows_enough = objects > 0 || report.stats.events >= RECORDS;
    let is_well = !has_error
        && warnings * WARNINGS <= report.stats.records
        && not_understood <= report.stats.records;
    if shows_enough && is_well {
        Verdict::Healthy
    } else {
        Verdict::Unknown
    }
}
