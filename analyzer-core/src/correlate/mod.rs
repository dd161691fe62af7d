//! Turns matches into findings: the root cause first, followed by what it explains.

mod advice;
mod causal_rules;
mod community;
mod explain;
mod frames;
mod graph;
mod group;
mod health;
mod identity;
mod log_course;
mod name_match;
mod next_steps;
mod notes;
mod over;
mod overlap;
mod rank;
mod render;
mod replicas;
mod resolution;
mod restart;
mod shown;
mod situations;
mod snapshots;
mod unexplained;
mod writers;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::matcher::{Hit, Match, Moment};
use crate::report::{Check, CommunityRule, Evidence, Explained, Finding, Level, Role, State, When};
use crate::sort;
use kwhy_catalogue::Catalogue;
use kwhy_model::{Age, Format, Severity, Stamp, Subject};
use kwhy_parse::log::stated_time;
use kwhy_signature::Signature;

use group::Group;
use over::Recency;
use render::Values;

#[cfg(feature = "selftest")]
pub(crate) use explain::implied_explains;
pub(crate) use graph::{Graph, Omitted};
pub(crate) use group::object_of;
pub(crate) use identity::distinct;
pub(crate) use overlap::{Places, refines, winners};
pub(crate) use snapshots::{ObjectSnapshot, Snapshots};
pub(crate) use unexplained::{Ended, UnexplainedEvents};
pub(crate) use writers::signature_of_writer;

/// The maximum number of lines of evidence of a finding.
const MAX_EVIDENCE: usize = 20;
/// The confidence of a signature that does not state one.
const DEFAULT_CONFIDENCE: f64 = 0.9;
/// The confidence of an unexplained symptom as the cause.
const ALONE_CONFIDENCE: f64 = 0.5;
/// The factor applied to the confidence if all evidence is in prose.
const PROSE_FACTOR: f64 = 0.8;

/// The records that findings are based on, as document and byte offset.
pub(crate) type Covered = std::collections::HashSet<(usize, usize)>;

/// Matches of one signature about one object that were counted but not kept, and the kept ones they
/// belong to.
#[derive(Clone, Debug)]
pub(crate) struct Surplus {
    /// The signature's index in the catalogue.
    pub signature: usize,
    /// Document and byte offset of the records of the kept matches.
    pub kept: Vec<(usize, usize)>,
    pub count: u64,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
    /// True if there are more, which are reported elsewhere.
    pub at_least: bool,
    /// True if an overlapping signature was not evaluated for all of them: if it superseded some,
    /// it supersedes all.
    pub rivals_were_cut: bool,
}

/// The result of [`correlate`].
#[derive(Debug)]
pub(crate) struct Correlated {
    /// In order of rank.
    pub findings: Vec<Finding>,
    pub covered: Covered,
    /// The next commands to run.
    pub next: Vec<Check>,
    /// The number of counted matches that may belong to any of several objects, by signature index.
    pub unplaced: Vec<(usize, u64)>,
    /// The number of unexplained findings that were not compared with all others.
    pub not_compared: u64,
    /// The number of occurrences of ongoing faults whose writers log them as information.
    pub info_failures: u64,
}

/// Maps a document index to its final order.
pub(crate) fn renumber(document: &mut usize, numbers: &[usize]) {
    *document = numbers.get(*document).copied().unwrap_or(*document);
}

/// Turns matches into findings in order of rank. `names` are the documents' names, `ends` their latest times and
/// `last_records` the lines on which their last log records start; `reference` is the time from which ages are
/// counted back, `now` the latest time in the input in nanoseconds since 1970. `audit` is true if notes are reported
/// too.
pub(crate) fn correlate(
    (catalogue, audit): (&Catalogue, bool),
    (names, ends, last_records): (&[String], &[Option<i128>], &[u64]),
    matches: Vec<(usize, Match)>,
    mut surplus: Vec<Surplus>,
    (at_least, further): (&BTreeSet<usize>, &BTreeMap<usize, u64>),
    (graph, snapshots): (&Graph, &Snapshots),
    (reference, now): (Option<Timestamp>, Option<i128>),
) -> Correlated {
    let of_record = |hit: &Hit| (hit.document, hit.record.start);
    let is_frame = |number: usize| catalogue.at(number).is_frame();
    let mut covered: Covered = matches
        .iter()
        .filter(|(number, _)| !is_frame(*number))
        .flat_map(|(_, found)| found.hits.iter().map(of_record))
        .collect();
    let mut matches = overlap::resolve_overlaps(catalogue, matches);
    frames::give_way(catalogue, &mut matches, &mut surplus, (ends, last_records));
    let hits = matches.iter().flat_map(|(_, found)| &found.hits);
    covered.extend(hits.map(of_record));
    give_way(&mut matches, &mut surplus);
    for (number, found) in &mut matches {
        let since = since(catalogue.at(*number), found);
        for hit in &mut found.hits {
            if hit.subject.node.is_none() {
                let node = graph.node_of(hit.document, &hit.subject);
                if node.is_some() {
                    Arc::make_mut(&mut hit.subject).node = node;
                }
            }
            hit.first = since.or(hit.first);
        }
    }
    let (mut groups, unplaced) = group::group(catalogue, matches, surplus, graph);
    community::join(catalogue, &mut groups);
    for group in &mut groups {
        group.at_least |= at_least.contains(&group.signature);
        group.others_at_least = further.contains_key(&group.signature);
    }
    let (mut silent, mut groups): (Vec<Group>, Vec<Group>) = groups
        .into_iter()
        .partition(|group| catalogue.at(group.signature).makes_no_finding());
    // a healthy but outdated snapshot resolves nothing
    for group in &mut silent {
        let shows = !catalogue.at(group.signature).ends.is_empty();
        group
            .hits
            .retain(|hit| !shows || !snapshots.is_outdated(hit));
    }
    let enders: Vec<&Group> = silent
        .iter()
        .filter(|group| !catalogue.at(group.signature).ends.is_empty())
        .collect();
    let ended = resolution::find_resolved(catalogue, &groups, &enders);
    let superseded = snapshots.superseded(catalogue, &groups);
    let over = over::Over {
        catalogue,
        snapshots,
        graph,
        users: graph::Users::new(graph),
        names,
        ends,
        now,
        well_cluster: snapshots.well_cluster(),
        last: over::LastSeen::new(&groups),
    };
    let ended: Vec<Option<Hit>> = ended
        .into_iter()
        .zip(superseded)
        .zip(&groups)
        .map(|((ended, superseded), group)| ended.or(superseded).or_else(|| over.shown(group)))
        .collect();
    let recency: Vec<Recency> = groups.iter().map(|group| over.recency(group)).collect();
    let explain::Explained { by, cut, survived } =
        explain::explain(catalogue, &groups, (&ended, &recency), graph);
    for (group, survived) in groups.iter_mut().zip(survived) {
        group.survived = survived;
    }
    let (groups, explained, ended) = replicas::fold_replicas(catalogue, groups, by, ended);
    let (groups, explained, ended) = notes::set_apart(catalogue, groups, explained, ended, audit);
    let recency: Vec<Recency> = groups.iter().map(|group| over.recency(group)).collect();
    let order = rank::rank(catalogue, &groups, &explained, (&ended, &recency));
    let cause_known = rank::is_cause_known(catalogue, &groups, &explained, &ended);
    let mut ranks = vec![0; groups.len()];
    for (rank, &group) in (1..).zip(&order.ranked) {
        ranks[group] = rank;
    }
    let mut explains: Vec<Vec<Explained>> = vec![Vec::new(); groups.len()];
    for (symptom, by) in explained.iter().enumerate() {
        if let Some((cause, why)) = by {
            explains[*cause].push(Explained {
                rank: ranks[symptom],
                why: why.clone(),
            });
        }
    }
    let mut findings: Vec<Finding> = order
        .ranked
        .iter()
        .map(|&at| {
            let mut finding = finding(catalogue, names, &groups[at], (graph, reference));
            finding.rank = ranks[at];
            if order.is_past[at] {
                finding.severity = Level::Info;
            }
            if recency[at] == Recency::Now {
                finding.state = State::Now;
            }
            if let Some(hit) = &ended[at] {
                finding.state = State::Over;
                finding.severity = Level::Info;
                finding.recovered = names
                    .get(hit.document)
                    .map(|name| Evidence::at(name.clone(), hit.place.clone()));
            }
            (finding.role, finding.confidence) = rank::role_and_confidence(
                catalogue,
                &groups[at],
                explained[at].is_some(),
                ended[at].is_some(),
                cause_known,
            );
            let is_new = |check: &Check| {
                let command = check.command.as_ref();
                !command.is_some_and(|command| shown::is_in_input(command, snapshots))
            };
            finding.check.retain(is_new);
            finding.explained_by = explained[at].as_ref().map(|(cause, _)| ranks[*cause]);
            finding.explains = std::mem::take(&mut explains[at]);
            sort::by_key(&mut finding.explains, |explained| explained.rank);
            finding
        })
        .collect();
    let is_info_failure = |finding: &&Finding, group: &Group| {
        finding.severity == Level::Info
            && finding.role == Role::Cause
            && finding.state != State::Over
            && !group.is_note
            && catalogue.at(group.signature).severity > Level::Info
    };
    let ranked = order.ranked.iter().map(|&at| &groups[at]);
    let info_failures = findings.iter().zip(ranked);
    let info_failures = info_failures.filter(|(finding, group)| is_info_failure(finding, group));
    let info_failures = info_failures.map(|(finding, _)| finding.count).sum();
    add_proofs_of_same_cause(&mut findings);
    let next = next_steps::steps(catalogue, &findings, &silent, graph);
    Correlated {
        findings,
        covered,
        next,
        unplaced,
        not_compared: cut,
        info_failures,
    }
}

/// Adds to each finding the evidence of the findings that it explains and that report the same cause of the same object
/// in other words.
fn add_proofs_of_same_cause(findings: &mut [Finding]) {
    for symptom in 0..findings.len() {
        let Some(by) = findings[symptom].explained_by else {
            continue;
        };
        let object = |known: &Finding| Subject {
            container: None,
            ..known.subject.clone()
        };
        let (cause, own) = (&findings[symptom].cause, object(&findings[symptom]));
        let says_same = |known: &Finding| known.cause == *cause && object(known) == own;
        let found = findings
            .iter()
            .position(|known| known.rank == by && says_same(known));
        let Some(found) = found.filter(|found| *found != symptom) else {
            continue;
        };
        let proofs = findings[symptom].evidence.clone();
        let known = &mut findings[found].evidence;
        for proof in proofs {
            let is_new = |e: &Evidence| (&e.source, e.line) != (&proof.source, proof.line);
            if known.len() < MAX_EVIDENCE && known.iter().all(is_new) {
                known.push(Evidence {
                    label: None,
                    ..proof
                });
            }
        }
    }
}

/// Drops the remaining matches of signatures that were superseded in part by one that was not
/// evaluated for all.
fn give_way(matches: &mut Vec<(usize, Match)>, surplus: &mut Vec<Surplus>) {
    if !surplus.iter().any(|more| more.rivals_were_cut) {
        return;
    }
    let stayed: HashSet<(usize, (usize, usize))> = matches
        .iter()
        .map(|(number, found)| (*number, found.primary().record_at()))
        .collect();
    let is_taken = |more: &Surplus| {
        let mut kept = more.kept.iter();
        more.rivals_were_cut && kept.any(|record| !stayed.contains(&(more.signature, *record)))
    };
    let taken: HashSet<(usize, (usize, usize))> = surplus
        .iter()
        .filter(|more| is_taken(more))
        .flat_map(|more| more.kept.iter().map(|record| (more.signature, *record)))
        .collect();
    surplus.retain(|more| !is_taken(more));
    matches.retain(|(number, found)| !taken.contains(&(*number, found.primary().record_at())));
}

/// Sets the object of a record that names none to the pod or node whose log its document is.
pub(crate) fn place(hit: &mut Hit, subject: &Subject) {
    hit.written_in(subject);
    if hit.format == Format::UnitStatus && subject.kind.as_deref() == Some("Node") {
        Arc::make_mut(&mut hit.subject).node = subject.name.clone();
    }
    if !hit.format.is_log() || !hit.subject.is_unknown() {
        return;
    }
    match subject.kind.as_deref() {
        Some("Node") => {
            if hit.subject.node.is_none() {
                Arc::make_mut(&mut hit.subject).node = subject.name.clone();
            }
        }
        _ => {
            hit.subject = Arc::new(Subject {
                container: hit.subject.container.clone(),
                node: hit.subject.node.clone(),
                ..subject.clone()
            });
        }
    }
}

/// The start of the fault, if a match states it.
fn since(signature: &Signature, found: &Match) -> Option<Moment> {
    let name = signature.since.as_ref()?;
    let mut captures = found.captures.iter();
    let (_, value) = captures.find(|(known, _)| known == name)?;
    stated_time(value).map(Moment::At)
}

fn finding(
    catalogue: &Catalogue,
    names: &[String],
    group: &Group,
    (graph, reference): (&Graph, Option<Timestamp>),
) -> Finding {
    let signature: &Signature = catalogue.at(group.signature);
    let values = Values::new(signature, group, graph);
    // the cause's meaning is less specific, but always available
    let meaning = || catalogue.cause(&signature.cause).unwrap_or_default();
    let title = values.text(&signature.title);
    let misses_others = group.others_at_least && !group.others.is_empty();
    let captures: BTreeMap<String, String> = group.best.captures.iter().cloned().collect();
    Finding {
        rank: 0,
        cause: signature.cause.as_str().into(),
        signature: signature.id.clone(),
        role: signature.role,
        severity: severity(catalogue, group),
        state: State::Unknown,
        confidence: 0.0,
        title: title.unwrap_or_else(|| meaning().to_owned())
            + &identity::further(&group.values, &group.variants),
        subject: group.subject.clone(),
        others: group.others.clone(),
        others_at_least: misses_others,
        captures,
        also: group
            .variants
            .iter()
            .map(|variant| variant.iter().cloned().collect())
            .collect(),
        count: group.count,
        at_least: group.at_least || misses_others,
        first: group.first.map(|first| when(first, reference)),
        last: group.last.map(|last| when(last, reference)),
        evidence: evidence(signature, names, group, &values),
        explains: Vec::new(),
        explained_by: None,
        recovered: None,
        why: values.sentences(&signature.why),
        check: advice::checks(&signature.check, &values),
        fix: advice::fixes(signature, group, &values),
        references: signature.references.clone(),
        rules: rules(catalogue, group),
    }
}

/// The community rules that found it, with their own texts.
fn rules(catalogue: &Catalogue, group: &Group) -> Vec<CommunityRule> {
    let numbers = std::iter::once(group.signature).chain(group.rules.iter().copied());
    let mut rules: Vec<CommunityRule> = Vec::new();
    for rule in numbers.filter_map(|number| catalogue.at(number).community.as_deref()) {
        if rules.iter().all(|known| known.id != rule.id) {
            // a report does not show the place in its file
            rules.push(rule.without_place());
        }
    }
    rules
}

fn when(moment: Moment, reference: Option<Timestamp>) -> When {
    match (moment, reference) {
        (Moment::At(stamp), _) => When::At(stamp),
        (Moment::Ago(seconds), Some(now)) => When::At(before(now, seconds)),
        (Moment::Ago(seconds), None) => When::Ago(Age {
            seconds,
            resolution: 1,
        }),
    }
}

/// Subtracts seconds from a time and drops the fraction, which ages do not have.
fn before(now: Timestamp, seconds: u64) -> Stamp {
    let age = i64::try_from(seconds).map(SignedDuration::from_secs).ok();
    let then = age
        .and_then(|age| now.checked_sub(age).ok())
        .unwrap_or(Timestamp::MIN);
    Stamp {
        nanos: then.as_nanosecond(),
        digits: 0,
        zone_stated: true,
        year_stated: true,
    }
}

/// The lines of evidence: those of the best match, then the first and last hit, then the others, and finally the
/// further lines of their values and states.
fn evidence(
    signature: &Signature,
    names: &[String],
    group: &Group,
    values: &Values<'_>,
) -> Vec<Evidence> {
    let best = group.best.hits.iter();
    let ends = group.hits.first().into_iter().chain(group.hits.last());
    let mut shown: Vec<(usize, u64)> = Vec::new();
    let mut evidence = Vec::new();
    let hits = best.chain(ends).chain(&group.hits);
    let proofs = hits.clone().map(|hit| (hit.document, &hit.place));
    let around = hits.flat_map(|hit| hit.around.iter().map(|place| (hit.document, place)));
    for (document, place) in proofs.chain(around) {
        if evidence.len() >= MAX_EVIDENCE {
            break;
        }
        let Some(name) = names.get(document) else {
            continue;
        };
        if shown.contains(&(document, place.line)) {
            continue;
        }
        shown.push((document, place.line));
        let label = signature.label.as_ref().filter(|_| evidence.is_empty());
        evidence.push(Evidence {
            label: label.and_then(|label| values.text(label)),
            ..Evidence::at(name.clone(), place.clone())
        });
    }
    evidence
}

/// The severity of a group's finding while it lasts: that of its signature, unless the program logs it as information.
fn severity(catalogue: &Catalogue, group: &Group) -> Level {
    let signature = catalogue.at(group.signature);
    if group.is_note || is_routine(group) && !signature.at_any_level {
        Level::Info
    } else {
        signature.severity
    }
}

/// Returns true if the program that logged a fault logs it as information.
fn is_routine(group: &Group) -> bool {
    group.hits.iter().all(|hit| {
        let is_info = |severity| severity <= Severity::Info;
        hit.format.is_log() && hit.severity.is_some_and(is_info)
    })
}

/// Returns true if all evidence is in prose.
fn is_hearsay(hits: &[Hit]) -> bool {
    hits.iter().all(|hit| hit.format == Format::Prose)
}

/// The role of a signature's finding if nothing explains it.
fn role_alone(signature: &Signature) -> Role {
    if signature.role == Role::Symptom {
        signature.alone
    } else {
        signature.role
    }
}
