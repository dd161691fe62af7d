//! Builds the report at the end of the input, with documents in the order of their names.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::document_stats::{
    DocumentStats, many_errors, many_matches, many_objects, many_relations, not_compared,
    note_namespace,
};
use super::{Merged, ScanOptions, by_name, document_order, settled};
use crate::correlate::{Ended, Omitted, correlate, place, renumber};
use crate::matcher::{Hit, Moment};
use crate::report::{CollectedAt, LimitMet, Report, SCHEMA, Verdict, When, judge};
use kwhy_catalogue::Catalogue;
use kwhy_model::Subject;

/// The seconds of a year: earlier times come from logs that state no year.
const YEAR: i64 = 366 * 86_400;

impl Merged {
    /// Sorts the documents by name, and returns the new number of each old number.
    fn by_name(&mut self) -> Vec<usize> {
        let order = document_order::sorted(self.documents.len(), by_name(&self.documents));
        let mut numbers = vec![0; order.len()];
        let mut documents = Vec::with_capacity(order.len());
        for (now, before) in order.into_iter().enumerate() {
            documents.extend(self.documents.get_mut(before).map(std::mem::take));
            if let Some(number) = numbers.get_mut(before) {
                *number = now;
            }
        }
        self.documents = documents;
        self.graph.renumber(&numbers);
        self.snapshots.renumber(&numbers);
        self.unexplained_events.renumber(&numbers);
        numbers
    }

    /// Returns the report of everything that was merged.
    pub(super) fn report(mut self, catalogue: &Catalogue, way: &ScanOptions) -> Report {
        let reference = self.reference();
        let limit = self.limit();
        let last_time = self.last_time();
        self.close_list(limit);
        let numbers = self.by_name();
        let names: Vec<String> = self.documents.iter().map(|i| i.name.clone()).collect();
        let of_documents: Vec<Option<Subject>> = names
            .iter()
            .map(|name| self.graph.of_document(name))
            .collect();
        self.snapshots.name_empty_lists(&names);
        // from here on, paths are only displayed
        for document in &mut self.documents {
            document.name = way.secrets.shown(&document.name).into_owned();
        }
        let names: Vec<String> = self.documents.iter().map(|i| i.name.clone()).collect();
        self.graph.settle(&names);
        let ends = self.ends();
        let last_times = self.last_times();
        let documents = self.documents.iter();
        let last_records: Vec<u64> = documents.map(DocumentStats::last_record).collect();
        let given = |hit: &mut Hit| {
            self.graph.place(hit);
            renumber(&mut hit.document, &numbers);
            if let Some(Some(subject)) = of_documents.get(hit.document) {
                place(hit, subject);
            }
        };
        let mut collected = self.collector.finish(
            |moment| settled(moment, limit),
            given,
            (&numbers, self.snapshots.listed()),
        );
        let mut limits: Vec<LimitMet> = {
            let documents = self.documents.iter();
            documents
                .flat_map(|input| input.damage(&way.limits))
                .collect()
        };
        let matched = collected.matched.iter();
        let matched = matched
            .map(|(number, count)| (catalogue.at(*number).id.clone(), *count))
            .collect();
        let hits = collected.matches.iter().flat_map(|(_, found)| &found.hits);
        let hits = hits.filter_map(|hit| match hit.last? {
            Moment::At(stamp) => Some(stamp.nanos),
            Moment::Ago(_) => None,
        });
        let given = self.stated.map(|given| given.as_nanosecond());
        let shown = reference.map(|reference| reference.as_nanosecond());
        let shown = shown.into_iter().chain(self.snapshots.latest());
        let now = given.or_else(|| hits.chain(last_time).chain(shown).max());
        let correlated = correlate(
            (catalogue, way.audit),
            (&names, &ends, &last_records),
            collected.matches,
            collected.surplus,
            (&collected.at_least, &collected.further),
            (&self.graph, &self.snapshots),
            (reference, now),
        );
        for (number, count) in correlated.unplaced {
            *collected.further.entry(number).or_default() += count;
        }
        if let Some(name) = names.first() {
            let by_id = |counts: &BTreeMap<usize, u64>| -> Vec<(&str, u64)> {
                let counts = counts.iter();
                counts
                    .map(|(number, count)| (&*catalogue.at(*number).id, *count))
                    .collect()
            };
            limits.extend(many_matches(name, by_id(&collected.left_out)));
            limits.extend(many_objects(name, by_id(&collected.further)));
            limits.extend(many_errors(name, self.unread));
            let omitted = Omitted {
                snapshots: self.snapshots.omitted,
                ..self.graph.omitted()
            };
            limits.extend(many_relations(name, omitted, collected.details_left_out));
            limits.extend(not_compared(name, correlated.not_compared));
        }
        for finding in &correlated.findings {
            let subjects = std::iter::once(&finding.subject).chain(&finding.others);
            subjects.for_each(|subject| note_namespace(subject, &mut self.namespaces));
        }
        let settle = |moment| settled(moment, limit);
        let ended = Ended {
            snapshots: &self.snapshots,
            last_times: &last_times,
            now,
            is_cluster_well: self.snapshots.well_cluster().is_some(),
            settle: &settle,
        };
        let unexplained = self.unexplained_events;
        let info_failures = unexplained.info_failures() + correlated.info_failures;
        let unexplained = unexplained.report(&names, &correlated.covered, &ended);
        let until = now.and_then(|now| Timestamp::from_nanosecond(now).ok());
        // a time without a year means nothing to a reader
        let until = until.filter(|until| until.as_second() > YEAR);
        let mut report = Report {
            schema: SCHEMA.into(),
            verdict: Verdict::Unknown,
            health: self
                .snapshots
                .health(reference.map(|time| time.as_nanosecond())),
            situations: self.snapshots.situations(now),
            until: until.map(When::from),
            findings: correlated.findings,
            unexplained,
            next: correlated.next,
            inputs: self
                .documents
                .into_iter()
                .map(DocumentStats::summary)
                .collect(),
            bundles: Vec::new(),
            limits,
            collected_at: reference.map(|time| CollectedAt {
                time: time.into(),
                given: self.stated.is_some(),
            }),
            matched,
            timeline: way.timeline.then(|| {
                self.timeline.settle(reference);
                self.timeline.report()
            }),
            namespaces: self.namespaces,
            info_failures,
            secrets: way.secrets,
            stats: self.stats,
        };
        report.verdict = judge(&report);
        report
    }
}
