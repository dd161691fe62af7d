//! From matches to findings: the root cause first, what it explains under it.

mod compete;
mod explain;
mod fill;
mod group;
mod rank;
mod telling;
mod ties;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::input::Document;
use crate::matcher::{Hit, Match, Moment};
use crate::model::{Age, Format};
use crate::report::{Check, Evidence, Explained, Finding, Fix, Role};
use crate::signature::{Catalogue, Signature};

use group::Group;

pub(crate) use telling::telling;
pub(crate) use ties::Ties;

/// How many lines of proof a finding shows.
const MAX_EVIDENCE: usize = 20;
/// How sure a match is if its signature does not say.
const DEFAULT_CONFIDENCE: f64 = 0.9;
/// How sure a symptom is as the cause if nothing explains it.
const ALONE_CONFIDENCE: f64 = 0.5;
/// What remains of the confidence where the proof stands in prose.
const PROSE_FACTOR: f64 = 0.8;

/// The records that findings rest on: document and first byte.
pub(crate) type Covered = std::collections::HashSet<(usize, usize)>;

/// Turns matches into findings in order of rank.
pub(crate) fn correlate(
    catalogue: &Catalogue,
    documents: &[Document],
    matches: Vec<(usize, Match)>,
    ties: &Ties,
    reference: Option<Timestamp>,
) -> (Vec<Finding>, Covered) {
    let covered = matches
        .iter()
        .flat_map(|(_, found)| &found.hits)
        .map(|hit| (hit.document, hit.record.start))
        .collect();
    let matches = compete::compete(catalogue, matches);
    let groups = group::group(catalogue, matches);
    let explained = explain::explain(catalogue, &groups, ties);
    let order = rank::rank(catalogue, &groups, &explained);
    let cause_known = rank::is_cause_known(catalogue, &groups, &explained);
    let rank_of = |group: usize| {
        order
            .iter()
            .position(|at| *at == group)
            .map_or(0, |at| at + 1)
    };
    let findings = order
        .iter()
        .map(|&at| {
            let mut finding = finding(catalogue, documents, &groups[at], reference);
            finding.rank = rank_of(at);
            (finding.role, finding.confidence) = rank::role_and_confidence(
                catalogue,
                &groups[at],
                explained[at].is_some(),
                cause_known,
            );
            finding.explained_by = explained[at].as_ref().map(|(cause, _)| rank_of(*cause));
            finding.explains = explained
                .iter()
                .enumerate()
                .filter_map(|(symptom, by)| {
                    let (cause, why) = by.as_ref()?;
                    (*cause == at).then(|| Explained {
                        rank: rank_of(symptom),
                        why: why.clone(),
                    })
                })
                .collect();
            finding.explains.sort_by_key(|explained| explained.rank);
            finding
        })
        .collect();
    (findings, covered)
}

fn finding(
    catalogue: &Catalogue,
    documents: &[Document],
    group: &Group,
    reference: Option<Timestamp>,
) -> Finding {
    let signature: &Signature = catalogue.at(group.signature);
    let about = fill::about(&group.best);
    let value = |name: &str| fill::value(&group.best, &about, group.count, name);
    let captures: BTreeMap<String, String> = group.best.captures.iter().cloned().collect();
    Finding {
        rank: 0,
        cause: signature.cause.clone(),
        signature: signature.id.clone(),
        role: signature.role,
        severity: signature.severity,
        confidence: 0.0,
        title: signature.title.fill(value),
        subject: group.subject.clone(),
        captures,
        count: group.count,
        first: group.first.map(|first| told(first, reference)),
        last: group.last.map(|last| told(last, reference)),
        evidence: evidence(signature, documents, group, value),
        explains: Vec::new(),
        explained_by: None,
        why: signature.why.fill(value),
        check: signature
            .check
            .iter()
            .map(|check| Check {
                run: check.run.fill_command(value),
                why: check.why.fill(value),
            })
            .collect(),
        fix: signature
            .fix
            .iter()
            .map(|fix| Fix {
                text: fix.text.fill(value),
                run: fix.run.as_ref().map(|run| run.fill_command(value)),
            })
            .collect(),
        references: signature.references.clone(),
    }
}

fn told(moment: Moment, reference: Option<Timestamp>) -> String {
    match moment {
        Moment::At(stamp) => stamp.to_string(),
        Moment::Ago(seconds) if let Some(now) = reference => before(now, seconds),
        Moment::Ago(seconds) => format!(
            "{} ago",
            Age {
                seconds,
                resolution: 1
            }
        ),
    }
}

fn before(now: Timestamp, seconds: u64) -> String {
    let age = i64::try_from(seconds).map(SignedDuration::from_secs).ok();
    let then = age
        .and_then(|age| now.checked_sub(age).ok())
        .unwrap_or(Timestamp::MIN);
    format!("{then:.0}")
}

/// The lines of proof: those of the best match, then the first and last, then the others.
fn evidence(
    signature: &Signature,
    documents: &[Document],
    group: &Group,
    value: impl Fn(&str) -> Option<String> + Copy,
) -> Vec<Evidence> {
    let best = group.best.hits.iter();
    let ends = group.hits.first().into_iter().chain(group.hits.last());
    let mut shown: Vec<(usize, u64)> = Vec::new();
    let mut evidence = Vec::new();
    for hit in best.chain(ends).chain(&group.hits) {
        if evidence.len() >= MAX_EVIDENCE {
            break;
        }
        let Some(document) = documents.get(hit.document) else {
            continue;
        };
        let place = document.place(&hit.mark);
        if shown.contains(&(hit.document, place.line)) {
            continue;
        }
        shown.push((hit.document, place.line));
        let label = signature.label.as_ref().filter(|_| evidence.is_empty());
        evidence.push(Evidence {
            source: document.name().to_owned(),
            line: place.line,
            column: place.column,
            text: place.text,
            mark: place.mark,
            label: label.map(|label| label.fill(value)),
        });
    }
    evidence
}

/// Whether all of the proof stands in prose.
fn is_hearsay(hits: &[Hit]) -> bool {
    hits.iter().all(|hit| hit.format == Format::Prose)
}

/// The role that a signature's finding takes where nothing explains it.
fn role_alone(signature: &Signature) -> Role {
    if signature.role == Role::Symptom {
        signature.alone
    } else {
        signature.role
    }
}
