//! From a stream of bytes to a report, in bounded memory.
//!
//! A document is cut into blocks that can be read independently ([`blocks`], [`split`]). Only the parts of a block that
//! may prove something are parsed and tested ([`block_scan`], [`line_index`]); blocks are read in parallel. Their
//! results are merged in input order ([`hit_store`]), so the report is the same for any number of threads.

mod block_scan;
pub(crate) mod blocks;
mod candidates;
mod clock_skew;
mod collection_time;
mod document_order;
mod document_stats;
mod extract;
mod hit_store;
mod incident;
pub(crate) mod line_index;
mod list_continuation;
mod listed;
mod lookback;
mod pieces;
mod record_extent;
mod report_builder;
mod split;
mod timeline;
mod utf16;
mod utf32;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::correlate::{Graph, Snapshots, UnexplainedEvents};
use crate::matcher::{Compiled, Hit, Moment};
use crate::report::{SegmentSummary, Stats};
use kwhy_model::Stamp;
use kwhy_parse::infer_year;
use kwhy_parse::input::{ReadLimits, is_output};
use kwhy_parse::redact::SecretPolicy;
use kwhy_parse::timeline::Timeline;
use kwhy_signature::ConditionId;

pub use extract::{Extract, ExtractOptions, Extracted, extract, extract_with};
pub use incident::Incident;
pub(crate) use incident::Settings;

use block_scan::BlockResult;
use document_stats::DocumentStats;
use hit_store::HitStore;
use list_continuation::{Ended, Open};

pub(crate) use listed::Listed;

/// The size of a block: small enough for the second-level cache, large enough to be worth a task.
pub(crate) const BLOCK: usize = 256 * 1024;

/// The number of blocks per thread that are read before they are scanned.
const BLOCKS_A_THREAD: usize = 4;

/// The number of blocks per thread, with several threads, that are being scanned or wait to be merged: the results of
/// objects take more memory than the blocks.
const UNDER_WAY_A_THREAD: usize = 2;

/// The maximum number of blocks that are read at once.
const MAX_BLOCKS: usize = 32;

/// The maximum number of lines not understood that a report lists per document.
const MAX_LISTED_LINES: usize = 1000;

/// The maximum number of segments that a report lists per document.
const MAX_LISTED_SEGMENTS: usize = 1000;

/// The maximum number of bytes that both lists take for all documents together.
const MAX_LISTED_BYTES: usize = 8 << 20;

/// The size of a list entry in bytes, without its text.
const LISTED: usize = 32;

/// The options for reading an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanOptions {
    /// The minimum size in bytes of a block that is not a document's last one.
    pub block: usize,
    /// The size in bytes up to which a document is parsed completely.
    pub all_up_to: usize,
    /// The size in bytes up to which a document counts as a paste, whose broken lines are joined.
    pub joined_up_to: usize,
    /// True if the time and severity of each log record are counted.
    pub timeline: bool,
    /// True if defects that nothing suffers from are reported as notes.
    pub audit: bool,
    /// The limits of reading.
    pub limits: ReadLimits,
    /// The policy for secrets.
    pub secrets: SecretPolicy,
}

impl Default for ScanOptions {
    fn default() -> Self {
        ScanOptions {
            block: BLOCK,
            all_up_to: BLOCK,
            joined_up_to: BLOCK,
            timeline: false,
            audit: false,
            limits: ReadLimits::default(),
            secrets: SecretPolicy::default(),
        }
    }
}

/// The results of the blocks so far, merged in the order of the input.
#[derive(Clone)]
struct Merged {
    /// The time at which the input was collected, if the caller states it.
    stated: Option<Timestamp>,
    documents: Vec<DocumentStats>,
    collector: HitStore,
    unexplained_events: UnexplainedEvents,
    graph: Graph,
    snapshots: Snapshots,
    stats: Stats,
    latest: Option<i128>,
    /// The latest time of a cluster event, in nanoseconds since 1970.
    event: Option<i128>,
    /// The time at which the input was collected, as a node's lease shows it, in nanoseconds since 1970.
    collected: Option<i128>,
    /// True if the latest time in the input may serve as the time of collection.
    newest: bool,
    /// The number of lines that report errors and were not parsed.
    unread: u64,
    /// The size of the documents' lists in bytes.
    listed_bytes: usize,
    timeline: Timeline,
    /// The namespaces that occur in the input.
    namespaces: BTreeSet<String>,
    /// The list of objects that is open at the end of the last document, with that document's number.
    list: (usize, Open),
}

impl Merged {
    fn new(compiled: Arc<Compiled>, stated: Option<Timestamp>) -> Merged {
        Merged {
            collector: HitStore::new(compiled),
            stated,
            documents: Vec::new(),
            unexplained_events: UnexplainedEvents::default(),
            graph: Graph::default(),
            snapshots: Snapshots::default(),
            stats: Stats::default(),
            latest: None,
            event: None,
            collected: None,
            newest: false,
            unread: 0,
            listed_bytes: 0,
            timeline: Timeline::new(),
            namespaces: BTreeSet::new(),
            list: Default::default(),
        }
    }

    /// Returns the time at which the input was collected, if it is given or the input shows it.
    fn reference(&self) -> Option<Timestamp> {
        let newest = self.latest.filter(|_| self.newest);
        let shown = || Timestamp::from_nanosecond(self.collected.or(newest)?).ok();
        self.stated.or_else(shown)
    }

    /// The upper bound for times without a year, in nanoseconds since 1970.
    fn limit(&self) -> Option<i128> {
        let reference = self.reference();
        reference.map(|now| now.as_nanosecond()).or(self.latest)
    }

    /// The latest time at a document's start or end or of a cluster event: a lower bound of the time of collection.
    fn last_time(&self) -> Option<i128> {
        self.ends().into_iter().flatten().chain(self.event).max()
    }

    /// The latest time of each document's records, in nanoseconds since 1970.
    fn ends(&self) -> Vec<Option<i128>> {
        self.times(|first, last| first.max(last))
    }

    /// The time of the last record of each document, in nanoseconds since 1970.
    fn last_times(&self) -> Vec<Option<i128>> {
        self.times(|_, last| last)
    }

    /// Returns a time of each document, chosen from those of its first and last record.
    fn times(&self, choose: impl Fn(i128, i128) -> i128) -> Vec<Option<i128>> {
        let limit = self.limit();
        let settled = |stamp: Stamp| {
            let settled = limit.and_then(|limit| infer_year::settled(&stamp, limit));
            settled.unwrap_or(stamp).nanos
        };
        let time = |document: &DocumentStats| {
            let (first, last) = document.ends?;
            Some(choose(settled(first), settled(last)))
        };
        self.documents.iter().map(time).collect()
    }

    /// Merges the result of the next block.
    fn take(&mut self, mut outcome: BlockResult) {
        self.latest = self.latest.max(outcome.latest);
        self.collected = self.collected.max(outcome.collected);
        let limit = self.limit();
        if self.list.0 != outcome.document {
            self.close_list(limit);
            self.list.0 = outcome.document;
        }
        let Some(input) = self.documents.get_mut(outcome.document) else {
            return;
        };
        let before = input.lines;
        input.lines += outcome.lines;
        if outcome.last_record > 0 {
            input.last_record = before + outcome.last_record;
        }
        input.invalid += outcome.invalid;
        input.cluster_events += outcome.cluster_events;
        for (format, lines) in outcome.formats {
            block_scan::count(&mut input.formats, format, lines);
        }
        // a line that is read in pieces counts once
        let failed = &mut input.failed;
        let not_understood = &mut outcome.not_understood;
        not_understood.retain(|(line, _)| failed.replace(line + before) != Some(line + before));
        input.not_understood += not_understood.len() as u64;
        let room = MAX_LISTED_LINES.saturating_sub(input.listed.len());
        for (line, text) in outcome.not_understood.into_iter().take(room) {
            if self.listed_bytes < MAX_LISTED_BYTES {
                self.listed_bytes += text.len() + LISTED;
                input.listed.push((line + before, text));
            }
        }
        let mut segments = outcome.segments.into_iter().peekable();
        if outcome.continues
            && let Some(last) = input.segments.last_mut()
            && let Some(more) = segments.next_if(|next| next.format == last.format)
        {
            last.last_line = more.last_line + before;
        }
        for segment in segments {
            if input.segments.len() < MAX_LISTED_SEGMENTS && self.listed_bytes < MAX_LISTED_BYTES {
                self.listed_bytes += LISTED;
                input.segments.push(SegmentSummary {
                    first_line: segment.first_line + before,
                    last_line: segment.last_line + before,
                    ..segment
                });
            }
        }
        input.ends = match (input.ends, outcome.ends) {
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (known, ends) => known.or(ends),
        };
        self.event = self.event.max(outcome.event);
        input.left_out.add(outcome.left_out);
        input.stopped += outcome.stopped;
        input.met_long_lines(&outcome.long_lines, before);
        self.stats.lines += outcome.lines;
        self.stats.events += outcome.events;
        self.stats.records += outcome.events + outcome.objects;
        let enclosed = outcome.enclosed.unwrap_or(usize::MAX);
        for (number, (_, hit)) in outcome.hits.iter_mut().enumerate() {
            hit.move_down(before);
            if let Some(open) = input.open.as_ref().filter(|_| number < outcome.inherited) {
                hit.fill_subject(open);
                hit.written_in(open);
            }
            let is_enclosed = is_output(hit.format) && number < enclosed;
            if let Some(container) = input.enclosing.as_ref().filter(|_| is_enclosed) {
                hit.fill_subject(container);
                hit.written_in(container);
            }
            hit.fill_subject(&input.about);
            hit.written_in(&input.about);
        }
        for hit in outcome.lists.hits() {
            hit.move_down(before);
            hit.fill_subject(&input.about);
        }
        let ended = self.list.1.take(outcome.lists);
        if !outcome.unbroken {
            input.open = outcome.subject;
        }
        if outcome.enclosed.is_some() {
            input.enclosing = outcome.enclosing;
        }
        self.collect(outcome.hits, limit);
        self.end_list(ended, limit);
        let order = by_name(&self.documents);
        if outcome.unread > 0 {
            self.unexplained_events.miss();
            self.unread += outcome.unread;
        }
        self.unexplained_events
            .absorb(outcome.unexplained_events, before, &order);
        self.graph.absorb(outcome.graph, &order);
        self.snapshots.add_listed(outcome.listed);
        for (document, of) in outcome.empty_lists {
            self.snapshots.add_empty_list(document, &of);
        }
        for mut print in outcome.snapshots {
            print.place.line += before;
            self.snapshots.add(print);
        }
        self.timeline.merge(outcome.timeline);
        let namespaces = &mut self.namespaces;
        outcome
            .namespaces
            .iter()
            .for_each(|name| document_stats::note(name, namespaces));
    }

    /// Ends the list that is open at a document's end.
    fn close_list(&mut self, limit: Option<i128>) {
        let ended = self.list.1.close();
        self.end_list(ended, limit);
    }

    /// Merges the result of a list that ended.
    fn end_list(&mut self, ended: Ended, limit: Option<i128>) {
        self.collector.left_out(ended.left_out);
        self.snapshots.add_listed(ended.listed);
        self.collect(ended.hits, limit);
    }

    /// Collects hits in input order.
    fn collect(&mut self, hits: Vec<(ConditionId, Box<Hit>)>, limit: Option<i128>) {
        let order = by_name(&self.documents);
        let mut hits = hits.into_iter().peekable();
        while let Some((_, first)) = hits.peek() {
            let record = first.record.start;
            let graph = &mut self.graph;
            let same = std::iter::from_fn(|| hits.next_if(|(_, hit)| hit.record.start == record));
            let same = same.inspect(|(_, hit)| graph.add_ids(hit, &order));
            self.collector
                .record(same, |moment| settled(moment, limit), &order);
        }
    }
}

/// Compares documents by their names.
fn by_name(documents: &[DocumentStats]) -> impl Fn(usize, usize) -> Ordering {
    document_order::compare(|number| documents.get(number).map(|input| input.name.as_str()))
}

/// Adds the year to a time without one: the latest that does not exceed the limit.
fn settled(moment: Moment, limit: Option<i128>) -> Moment {
    match (moment, limit) {
        (Moment::At(stamp), Some(limit)) => {
            Moment::At(infer_year::settled(&stamp, limit).unwrap_or(stamp))
        }
        _ => moment,
    }
}
