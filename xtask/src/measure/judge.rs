//! Judges reports.

use kwhy_core::{Level, Report};

use super::{Entry, Role};

/// The verdict on one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One of the entry's causes was found, or benign text raised no alarm.
    Right,
    /// Another cause is reported first.
    Wrong,
    /// Nothing was found.
    Silent,
}

/// Compares the first finding with the entry. For a cause or symptom, it must name one of the entry's causes, if there
/// are any. Benign text must not yield a cause of severity warning or error.
pub fn judge(entry: &Entry, report: &Report) -> Verdict {
    let first = report.findings.first();
    let named = |cause: &str| entry.causes.iter().any(|one| one == cause);
    let alarm = |finding: &kwhy_core::Finding| {
        finding.role == kwhy_core::Role::Cause && finding.severity >= Level::Warning
    };
    match (entry.role, first) {
        (Role::Benign, None) => Verdict::Right,
        (Role::Benign, Some(finding)) if !alarm(finding) => Verdict::Right,
        // the frame around another component's text names no cause by itself
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
