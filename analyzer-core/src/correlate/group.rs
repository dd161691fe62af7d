//! Matches of one signature about one object, folded.

use std::collections::HashSet;

use crate::matcher::{Hit, Match, Moment};
use crate::model::Subject;
use crate::signature::Catalogue;

use super::fill;

/// Matches of one signature about one object.
#[derive(Debug)]
pub(crate) struct Group {
    /// The signature's number in the catalogue.
    pub signature: usize,
    /// The object at fault.
    pub subject: Subject,
    /// The match that fills the templates.
    pub best: Match,
    /// Hits that prove it, in the order of the input, without repetitions.
    pub hits: Vec<Hit>,
    pub count: u64,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

/// Folds matches of the same signature about the same object.
pub(crate) fn group(catalogue: &Catalogue, matches: Vec<(usize, Match)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_key: std::collections::HashMap<(usize, Subject), usize> = Default::default();
    for (number, found) in matches {
        let subject = fill::subject(catalogue.at(number), &found);
        let key = (number, key(&subject));
        match by_key.get(&key) {
            Some(&at) => groups[at].add(found),
            None => {
                by_key.insert(key, groups.len());
                groups.push(Group::new(number, subject, found));
            }
        }
    }
    merge_unknown(&mut groups);
    for group in &mut groups {
        group.settle();
    }
    groups
}

/// What tells objects apart: containers of a pod do, nodes do not.
fn key(subject: &Subject) -> Subject {
    Subject {
        node: None,
        ..subject.clone()
    }
}

/// A match that does not say what it is about belongs to the only one of its signature that does.
fn merge_unknown(groups: &mut Vec<Group>) {
    let mut at = 0;
    while at < groups.len() {
        let group = &groups[at];
        let signature = group.signature;
        let mut known = groups
            .iter()
            .enumerate()
            .filter(|(other, candidate)| {
                *other != at && candidate.signature == signature && candidate.subject.name.is_some()
            })
            .map(|(other, _)| other);
        let only = known.next().filter(|_| known.next().is_none());
        match only {
            Some(only) if group.subject.name.is_none() => {
                let merged = groups.remove(at);
                let only = if only > at { only - 1 } else { only };
                groups[only].hits.extend(merged.hits);
            }
            _ => at += 1,
        }
    }
}

impl Group {
    fn new(signature: usize, subject: Subject, found: Match) -> Group {
        let hits = found.hits.clone();
        Group {
            signature,
            subject,
            best: found,
            hits,
            count: 0,
            first: None,
            last: None,
        }
    }

    fn add(&mut self, found: Match) {
        self.hits.extend(found.hits.iter().cloned());
        if found.captures.len() > self.best.captures.len() {
            self.best = found;
        }
    }

    fn settle(&mut self) {
        let mut seen = HashSet::new();
        self.hits.sort_by_key(Hit::position);
        self.hits
            .retain(|hit| seen.insert((hit.document, hit.record.start, hit.mark.start)));
        // parts of one proof are not counted twice: only the kind of hit that leads it
        let lead = (
            self.best.primary().format,
            self.best.primary().reason.clone(),
        );
        let mut records = HashSet::new();
        self.count = self
            .hits
            .iter()
            .filter(|hit| (hit.format, hit.reason.clone()) == lead || self.best.hits.len() == 1)
            .filter(|hit| records.insert((hit.document, hit.record.start)))
            .map(|hit| hit.count)
            .sum::<u64>()
            .max(1);
        let earlier = |a: Moment, b: Moment| if a.is_after(&b) == Some(true) { b } else { a };
        let later = |a: Moment, b: Moment| if b.is_after(&a) == Some(true) { b } else { a };
        // absolute times are preferred, as ages have their own zero in each output
        let moments = |pick: fn(&Hit) -> Option<Moment>| {
            let all: Vec<Moment> = self.hits.iter().filter_map(pick).collect();
            let absolute: Vec<Moment> = all
                .iter()
                .copied()
                .filter(|m| matches!(m, Moment::At(_)))
                .collect();
            if absolute.is_empty() { all } else { absolute }
        };
        self.first = moments(|hit| hit.first).into_iter().reduce(earlier);
        self.last = moments(|hit| hit.last).into_iter().reduce(later);
    }
}
