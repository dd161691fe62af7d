//! The part of a report that matters to a reader.

use std::collections::BTreeSet;

use kwhy_core::{Report, Role};

/// The causes of a report: each with its title, which names what is at fault, and its state. Counts and times are not
/// compared, as they change with each record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Causes(BTreeSet<(String, String, String)>);

impl Causes {
    /// Returns the causes of a report.
    pub fn of(report: &Report) -> Causes {
        let causes = report
            .findings
            .iter()
            .filter(|finding| finding.role == Role::Cause);
        Causes(
            causes
                .map(|finding| {
                    let state = format!("{:?}", finding.state);
                    (finding.cause.to_string(), finding.title.clone(), state)
                })
                .collect(),
        )
    }
}
