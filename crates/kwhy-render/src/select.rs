//! Selection of findings by severity and namespace.

use std::collections::{BTreeSet, HashMap, HashSet};

use kwhy_core::report::{CommandLine, Limit, LimitMet, judge};
use kwhy_core::signature::edit_distance;
use kwhy_core::{Finding, Level, Report, Role, Subject, Verdict};

use crate::words::counted;

/// Returns true if a finding is at or above a level. Benign findings do not count.
pub fn holds(report: &Report, level: Option<Level>) -> bool {
    level.is_some_and(|level| {
        report
            .findings
            .iter()
            .any(|finding| finding.role != Role::Benign && finding.severity >= level)
    })
}

/// Kinds of objects that belong to no namespace.
const OF_CLUSTER: &[&str] = &[
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "Cluster",
    "ClusterIssuer",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "FlowSchema",
    "GatewayClass",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Node",
    "NodeClaim",
    "NodePool",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
    "VolumeSnapshotClass",
    "VolumeSnapshotContent",
];

/// The maximum number of namespaces that are named if the requested one does not occur.
const NAMED: usize = 10;

/// The owner of a finding, relative to a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The namespace itself.
    Own,
    /// Another namespace.
    Other,
    /// The whole cluster.
    Cluster,
    /// Unknown.
    Unknown,
}

fn of(finding: &Finding, namespace: &str) -> Of {
    let subjects = || std::iter::once(&finding.subject).chain(&finding.others);
    let named = |subject: &Subject| match subject.kind.as_deref() {
        Some("Namespace") => subject.name.clone(),
        _ => subject.namespace.clone(),
    };
    let mut named = subjects().filter_map(named).peekable();
    if named.peek().is_some() {
        return if named.any(|name| name == namespace) {
            Of::Own
        } else {
            Of::Other
        };
    }
    let is_of_cluster = |subject: &Subject| {
        let kind = subject.kind.as_deref();
        kind.is_some_and(|kind| OF_CLUSTER.contains(&kind))
    };
    match finding.captures.get("namespace") {
        _ if subjects().any(is_of_cluster) => Of::Cluster,
        Some(name) if name == namespace => Of::Own,
        Some(name) if !name.is_empty() => Of::Other,
        _ => Of::Unknown,
    }
}

/// Removes the findings that do not belong to a namespace, and reports how many these are. What explains a finding
/// that stays is kept too, such as a problem of a node. Findings of unknown namespace are kept, unless the input names
/// namespaces and this one is not among them. `is_there` is true if the name occurs anywhere in the input.
pub fn keep_namespace(report: &mut Report, namespace: &str, is_there: bool) {
    let is_known = report.namespaces.contains(namespace);
    let may_be = is_known || is_there || report.namespaces.is_empty();
    let mut groups: HashMap<usize, Of> = report
        .findings
        .iter()
        .map(|finding| (finding.rank, of(finding, namespace)))
        .collect();
    let above: HashMap<usize, usize> = report
        .findings
        .iter()
        .filter_map(|finding| Some((finding.rank, finding.explained_by?)))
        .collect();
    // a finding of unknown namespace belongs to another namespace if the nearest known finding above it does
    for finding in &report.findings {
        let chain = std::iter::successors(above.get(&finding.rank), |rank| above.get(*rank));
        let mut known = chain
            .take(above.len())
            .filter_map(|rank| groups.get(rank))
            .filter(|of| **of != Of::Unknown);
        if known.next() == Some(&Of::Other) && groups.get(&finding.rank) == Some(&Of::Unknown) {
            groups.insert(finding.rank, Of::Other);
        }
    }
    keep_those(report, |finding| match groups.get(&finding.rank) {
        Some(Of::Own) => true,
        Some(Of::Unknown) => may_be,
        _ => false,
    });
    let stays: HashSet<usize> = report.findings.iter().map(|finding| finding.rank).collect();
    let count = |wanted: Of, kept: bool| {
        let of_group = groups.iter().filter(|(_, of)| **of == wanted);
        of_group
            .filter(|(rank, _)| stays.contains(rank) == kept)
            .count() as u64
    };
    let left_out = [
        (count(Of::Other, false), "of other namespaces"),
        (count(Of::Cluster, false), "of the whole cluster"),
        (count(Of::Unknown, false), "of no known namespace"),
    ];
    let unknown = count(Of::Unknown, true);
    renumber(report);
    report.unexplained.retain(|event| match &event.namespace {
        Some(own) => own == namespace,
        None => may_be,
    });
    let namespaces = std::mem::take(&mut report.namespaces);
    report.next.retain(|check| {
        let argv = check.command.as_ref().map_or(&[][..], CommandLine::argv);
        let is_of_other = |pair: &[String]| {
            matches!(pair[0].as_str(), "-n" | "--namespace")
                && pair[1] != namespace
                && namespaces.contains(&pair[1])
        };
        !argv.windows(2).any(is_of_other)
    });
    report.namespaces = namespaces;
    // health is counted over all namespaces
    report.health.clear();
    report.verdict = if is_known {
        judge(report)
    } else {
        Verdict::Unknown
    };
    let source = report
        .inputs
        .first()
        .map_or_else(String::new, |input| input.source.clone());
    let mut tell = |limit, message: String| {
        report
            .limits
            .push(LimitMet::new(source.as_str(), limit, message));
    };
    if !is_known {
        tell(
            Limit::NamespaceUnknown,
            unknown_namespace(namespace, is_there, &report.namespaces),
        );
    }
    let left_out = left_out.iter().filter(|(count, _)| *count > 0);
    let mut notes: Vec<String> = left_out
        .map(|(count, what)| format!("{} {what} left out", counted(*count, "finding")))
        .collect();
    if unknown > 0 {
        notes.push(format!(
            "{} that may be of any namespace kept",
            counted(unknown, "finding")
        ));
    }
    if report.timeline.is_some() {
        notes.push("the timeline counts records of all namespaces".to_owned());
    }
    if !notes.is_empty() {
        tell(
            Limit::Namespace,
            format!("{namespace} only: {}", notes.join(", ")),
        );
    }
}

/// Returns a note that a namespace does not occur, with those that do and the one that may be meant.
fn unknown_namespace(namespace: &str, is_there: bool, known: &BTreeSet<String>) -> String {
    let mut text = if is_there {
        format!("no object or event that was read is of the namespace {namespace}")
    } else {
        format!("the namespace {namespace} does not occur in this input")
    };
    if known.is_empty() {
        return text + "; it names none";
    }
    let named: Vec<&str> = known.iter().take(NAMED).map(String::as_str).collect();
    text += &format!("; it names: {}", named.join(", "));
    if known.len() > NAMED {
        text += &format!(" and {} more", known.len() - NAMED);
    }
    let near = known
        .iter()
        .map(|name| (edit_distance(name, namespace), name));
    let near = near.filter(|(distance, name)| {
        let is_part = name.len().min(namespace.len()) > 2
            && (name.contains(namespace) || namespace.contains(name.as_str()));
        *distance <= namespace.len().max(name.len()).div_ceil(3).min(2) || is_part
    });
    if let Some((_, name)) = near.min() {
        text += &format!(". Is {name} meant?");
    }
    text
}

/// Renumbers the remaining findings, so that ranks have no gaps.
fn renumber(report: &mut Report) {
    let ranks: HashMap<usize, usize> = report
        .findings
        .iter()
        .map(|finding| finding.rank)
        .zip(1..)
        .collect();
    for finding in &mut report.findings {
        let now = |rank: usize| ranks.get(&rank).copied().unwrap_or(rank);
        finding.rank = now(finding.rank);
        finding.explained_by = finding.explained_by.map(now);
        for explained in &mut finding.explains {
            explained.rank = now(explained.rank);
        }
    }
}

/// Removes findings below a level, and returns their number. What explains a finding that stays is kept too. Ranks are
/// not changed.
pub fn keep(report: &mut Report, level: Option<Level>) -> usize {
    let Some(level) = level else {
        return 0;
    };
    keep_those(report, |finding| finding.severity >= level)
}

/// Removes findings below a confidence, and returns their number. What explains a finding that stays is kept too.
pub fn keep_sure(report: &mut Report, least: Option<f64>) -> usize {
    let Some(least) = least else {
        return 0;
    };
    keep_those(report, |finding| finding.confidence >= least)
}

/// Keeps only the first findings that nothing explains, with what they explain, and returns the number removed.
pub fn keep_first(report: &mut Report, number: Option<usize>) -> usize {
    let Some(number) = number else {
        return 0;
    };
    let roots = report
        .findings
        .iter()
        .filter(|finding| finding.explained_by.is_none());
    let mut stays: HashSet<usize> = roots.take(number).map(|finding| finding.rank).collect();
    // add what these explain, over any number of steps
    let mut grows = true;
    while grows {
        let explained = report.findings.iter().filter(|finding| {
            let by = finding.explained_by;
            by.is_some_and(|by| stays.contains(&by)) && !stays.contains(&finding.rank)
        });
        let explained: Vec<usize> = explained.map(|finding| finding.rank).collect();
        grows = !explained.is_empty();
        stays.extend(explained);
    }
    keep_those(report, |finding| stays.contains(&finding.rank))
}

fn keep_those(report: &mut Report, wanted: impl Fn(&Finding) -> bool) -> usize {
    let severe = report.findings.iter().filter(|finding| wanted(finding));
    let mut stays: HashSet<usize> = severe.clone().map(|finding| finding.rank).collect();
    let explained_by: HashMap<usize, Option<usize>> = report
        .findings
        .iter()
        .map(|finding| (finding.rank, finding.explained_by))
        .collect();
    // an explanation may itself be explained
    let mut open: Vec<usize> = severe.filter_map(|finding| finding.explained_by).collect();
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
    use crate::samples::with_symptoms;

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
    fn by_confidence() {
        let mut report = with_symptoms();
        report.findings[3].confidence = 0.4;
        assert_eq!(keep_sure(&mut report, None), 0);
        assert_eq!(keep_sure(&mut report, Some(0.5)), 1);
        let ranks: Vec<usize> = report.findings.iter().map(|f| f.rank).collect();
        assert_eq!(ranks, [1, 2, 3, 5]);
    }

    #[test]
    fn the_first_with_what_they_explain() {
        let kept = |number| {
            let mut report = with_symptoms();
            let left_out = keep_first(&mut report, number);
            (report.findings.len(), left_out)
        };
        assert_eq!(kept(None), (5, 0));
        assert_eq!(kept(Some(1)), (3, 2));
        assert_eq!(kept(Some(2)), (4, 1));
        assert_eq!(kept(Some(9)), (5, 0));
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

    fn of_namespaces(namespaces: &[Option<&str>]) -> Report {
        let mut report = with_symptoms();
        report.namespaces = namespaces
            .iter()
            .flatten()
            .map(|name| (*name).to_owned())
            .collect();
        for (finding, namespace) in report.findings.iter_mut().zip(namespaces) {
            finding.subject = Subject {
                kind: Some(if namespace.is_some() { "Pod" } else { "Node" }.to_owned()),
                namespace: namespace.map(str::to_owned),
                name: Some("x".to_owned()),
                ..Subject::default()
            };
            finding.others.clear();
        }
        report
    }

    fn notes(report: &Report) -> Vec<String> {
        let limits = report.limits.iter();
        limits
            .map(|met| format!("{}: {}", met.limit, met.message))
            .collect()
    }

    #[test]
    fn one_namespace() {
        // the first finding explains the second and third
        let all = [None, Some("shop"), Some("dock"), Some("shop"), None];
        let mut report = of_namespaces(&all);
        let of_first: Vec<usize> = report.findings[0].explains.iter().map(|e| e.rank).collect();
        assert!(
            of_first.contains(&2) && of_first.contains(&3),
            "{of_first:?}"
        );
        keep_namespace(&mut report, "shop", true);
        let ranks: Vec<_> = report
            .findings
            .iter()
            .map(|f| (f.rank, f.explained_by))
            .collect();
        assert_eq!(
            ranks,
            [
                (1, None),
                (2, Some(1)),
                (3, report.findings[2].explained_by)
            ]
        );
        assert!(
            report.findings[0]
                .explains
                .iter()
                .all(|explained| explained.rank <= 3)
        );
        assert_eq!(
            notes(&report),
            [
                "namespace: shop only: 1 finding of other namespaces left out, 1 finding of the whole cluster left out"
            ]
        );
        // a finding belongs to a namespace if one of its further objects does
        let mut report = of_namespaces(&all);
        report.findings[2].others = vec![Subject::new("Pod", Some("shop"), "y")];
        keep_namespace(&mut report, "shop", true);
        assert_eq!(report.findings.len(), 4);
    }

    #[test]
    fn what_a_fault_of_another_namespace_explains_is_not_shown() {
        let mut report = of_namespaces(&[Some("dock"), None, None, Some("shop"), None]);
        for finding in &mut report.findings[1..3] {
            finding.subject = Subject::default();
        }
        keep_namespace(&mut report, "shop", true);
        let subjects: Vec<_> = report
            .findings
            .iter()
            .map(|f| &f.subject.namespace)
            .collect();
        assert_eq!(subjects, [&Some("shop".to_owned())]);
        // what a fault of this namespace explains belongs to it, whatever explains the fault
        let mut report = of_namespaces(&[Some("dock"), Some("shop"), None, Some("shop"), None]);
        report.findings[2].subject = Subject::default();
        report.findings[2].explained_by = Some(2);
        keep_namespace(&mut report, "shop", true);
        assert!(report.findings.iter().any(|finding| finding.rank == 3));
    }

    #[test]
    fn a_namespace_that_does_not_occur() {
        let mut report = of_namespaces(&[Some("shop"), Some("dock"), None, Some("dock"), None]);
        report.findings[2].subject = Subject::default();
        keep_namespace(&mut report, "shopp", false);
        assert!(report.findings.is_empty());
        assert!(!holds(&report, Some(Level::Info)));
        assert_eq!(
            notes(&report),
            [
                "namespace-unknown: the namespace shopp does not occur in this input; it names: dock, shop. Is shop meant?",
                "namespace: shopp only: 4 findings of other namespaces left out, 1 finding of the whole cluster left out",
            ]
        );
        // if the input names no namespace, every finding may belong to it
        let mut report = of_namespaces(&[None; 5]);
        report
            .findings
            .iter_mut()
            .for_each(|finding| finding.subject = Subject::default());
        keep_namespace(&mut report, "shop", false);
        assert_eq!(report.findings.len(), 5);
        assert!(notes(&report)[0].ends_with("does not occur in this input; it names none"));
        assert!(notes(&report)[1].ends_with("5 findings that may be of any namespace kept"));
    }

    #[test]
    fn distances() {
        assert_eq!(edit_distance("shop", "shop"), 0);
        assert_eq!(edit_distance("shop", "shopp"), 1);
        assert_eq!(edit_distance("shop", "hsop"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn only_failures_count() {
        let mut report = with_symptoms();
        assert!(holds(&report, Some(Level::Error)));
        assert!(!holds(&report, None));
        report
            .findings
            .retain(|finding| finding.role == Role::Benign);
        assert!(!holds(&report, Some(Level::Info)));
    }
}
