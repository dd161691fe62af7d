//! Which findings count.

use std::collections::{HashMap, HashSet};

use analyzer_core::{Finding, Level, Report, Role};

/// Whether something at or above a level was found. What is benign does not count.
pub fn holds(report: &Report, level: Option<Level>) -> bool {
    level.is_some_and(|level| {
        report
            .findings
            .iter()
            .any(|finding| finding.role != Role::Benign && finding.severity >= level)
    })
}

/// Leaves out findings about objects of other namespaces. What explains one that stays, stays too, such as a
/// trouble of a node.
pub fn keep_namespace(report: &mut Report, namespace: &str) {
    keep_those(report, |finding| {
        let own = finding.subject.namespace.as_deref();
        own.is_none_or(|own| own == namespace)
    });
}

/// Leaves out findings below a level, and says how many. What explains one that stays, stays too.
/// Ranks are kept.
pub fn keep(report: &mut Report, level: Option<Level>) -> usize {
    let Some(level) = level else {
        return 0;
    };
    keep_those(report, |finding| finding.severity >= level)
}

fn keep_those(report: &mut Report, wanted: impl Fn(&Finding) -> bool) -> usize {
    let grave = report.findings.iter().filter(|finding| wanted(finding));
    let mut stays: HashSet<usize> = grave.clone().map(|finding| finding.rank).collect();
    let explained_by: HashMap<usize, Option<usize>> = report
        .findings
        .iter()
        .map(|finding| (finding.rank, finding.explained_by))
        .collect();
    // an explanation may itself be explained
    let mut open: Vec<usize> = grave.filter_map(|finding| finding.explained_by).collect();
    while let Some(rank) = open.pop() {
        if stays.insert(rank) {
            open.extend(explained_by.get(&rank).copied().flatten());
        }
    }
    let before = report.findings.len();
    report
        .findings
        .retain(|finding| stays.contains(&finding.rank));
    for finding in &mut report.findings {
        finding
            .explains
            .retain(|explained| stays.contains(&explained.rank));
    }
    before - report.findings.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples::with_symptoms;

    fn ranks(level: Level) -> (Vec<usize>, usize) {
        let mut report = with_symptoms();
        let left_out = keep(&mut report, Some(level));
        (report.findings.iter().map(|f| f.rank).collect(), left_out)
    }

    #[test]
    fn by_level() {
        assert_eq!(ranks(Level::Info), (vec![1, 2, 3, 4, 5], 0));
        assert_eq!(ranks(Level::Warning), (vec![1, 2, 3, 4], 1));
        assert_eq!(ranks(Level::Error), (vec![1], 4));
    }

    #[test]
    fn what_explains_stays() {
        let mut report = with_symptoms();
        report.findings[0].severity = Level::Info;
        report.findings[1].severity = Level::Error;
        keep(&mut report, Some(Level::Error));
        assert_eq!(report.findings.len(), 2);
        assert_eq!(report.findings[0].explains.len(), 1);
    }

    #[test]
    fn only_trouble_counts() {
        let mut report = with_symptoms();
        assert!(holds(&report, Some(Level::Error)));
        assert!(!holds(&report, None));
        report
            .findings
            .retain(|finding| finding.role == Role::Benign);
        assert!(!holds(&report, Some(Level::Info)));
    }
}
