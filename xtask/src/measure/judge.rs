//! The verdict on a report.

use kwhy_core::{Level, Report};

use super::{Entry, Role};

/// The verdict on a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The entry's cause was found.
    Right,
    /// Another cause comes first.
    Wrong,
    /// No finding.
    Silent,
}

/// Compares the first finding with the entry. Of a cause or a symptom it must name one of the entry's
/// causes, where the entry has any; benign text may not give a cause of severity warning or error.
pub fn judge(entry: &Entry, report: &Report) -> Verdict {
    let first = report.findings.first();
    let named = |cause: &str| entry.causes.iter().any(|one| one == cause);
    let alarm = |finding: &kwhy_core::Finding| {
        finding.role == kwhy_core::Role::Cause && finding.severity >= Level::Warning
    };
    match (entry.role, first) {
        (Role::Benign, None) => Verdict::Right,
        (Role::Benign, Some(finding)) if !alarm(finding) => Verdict::Right,
        // a frame around another component's text names nothing alone
        (Role::Symptom, None) if entry.causes.is_empty() => Verdict::Right,
        (Role::Symptom, Some(finding)) if entry.causes.is_empty() => {
            let symptom = finding.role != kwhy_core::Role::Cause || finding.confidence < 0.7;
            if symptom {
                Verdict::Right
            } else {
                Verdict::Wrong
            }
        }
        (_, None) => Verdict::Silent,
        (_, Some(finding)) if named(finding.cause.as_str()) => Verdict::Right,
        _ => Verdict::Wrong,
    }
}
