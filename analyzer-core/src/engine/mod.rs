//! From a stream of bytes to a report, in bounded memory.
//!
//! A document is cut into blocks that can be read independently ([`blocks`], [`split`]). Of each
//! block only what may prove something is parsed and tested ([`block_scan`], [`line_index`]); blocks are read in
//! parallel. What they hold is put together in the order of the input ([`hit_store`]), so the
//! report is the same for any number of threads.

mod adaptive;
mod block_scan;
pub(crate) mod blocks;
mod candidates;
mod clock_skew;
mod collection_time;
mod document_order;
mod document_stats;
mod extract;
mod hit_store;
pub(crate) mod line_index;
mod list_continuation;
mod lookback;
mod pieces;
mod record_extent;
mod report_builder;
mod split;
mod timeline;
mod utf16;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io::{self, Read};

use jiff::Timestamp;
use rayon::prelude::*;

use crate::analyzer::Analyzer;
use crate::correlate::{Graph, Snapshots, UnexplainedEvents};
use crate::matcher::{Hit, Moment, Tester};
use crate::report::{SegmentSummary, Stats};
use kwhy_model::{Stamp, Subject};
use kwhy_parse::infer_year;
use kwhy_parse::input::ReadLimits;
use kwhy_parse::timeline::Timeline;
use kwhy_signature::{ConditionId, Index};

pub use extract::{Extract, ExtractOptions, Extracted, extract, extract_with};

use adaptive::{AdaptiveState, EPOCH, Full, MAX_IN_FLIGHT};
use block_scan::BlockResult;
use blocks::{Block, Blocks};
use document_stats::DocumentStats;
use hit_store::HitStore;
use list_continuation::{Ended, Open};

/// The size of a block: small enough for the second-level cache, large enough to be worth a task.
pub(crate) const BLOCK: usize = 256 * 1024;

/// The number of blocks for each thread that are scanned at a time.
const BLOCKS_A_THREAD: usize = 4;

/// The most blocks that are read in one go.
const MAX_BLOCKS: usize = MAX_IN_FLIGHT / 2;

/// The most line numbers that a report lists of lines that were not understood.
const MAX_LISTED_LINES: usize = 1000;

/// The most segments that a report lists of a document.
const MAX_LISTED_SEGMENTS: usize = 1000;

/// The most bytes that both lists take of all documents together.
const MAX_LISTED_BYTES: usize = 8 << 20;

/// The size of a list's entry beside its text.
const LISTED: usize = 32;

/// How an input is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanOptions {
    /// The least size of a block that is not a document's last one.
    pub block: usize,
    /// The size up to which all of a document is parsed.
    pub all_up_to: usize,
    /// True if the time and severity of each log record are counted.
    pub timeline: bool,
    /// The limits of reading.
    pub limits: ReadLimits,
}

impl Default for ScanOptions {
    fn default() -> Self {
        ScanOptions {
            block: BLOCK,
            all_up_to: BLOCK,
            timeline: false,
            limits: ReadLimits::default(),
        }
    }
}

/// Documents that are read one after another as one incident, as streams.
///
/// Memory does not grow with the documents: it takes some blocks for each thread and of each
/// signature's matches the first and last ones.
///
/// ```
/// use kwhy_core::Analyzer;
/// let analyzer = Analyzer::new();
/// let mut incident = analyzer.incident();
/// let log = r#"E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume "conf" : configmap "web-conf" not found"#;
/// incident.read("kubelet.log", log.as_bytes())?;
/// let report = incident.finish();
/// assert_eq!(report.findings[0].cause, "storage/configmap-missing");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Incident<'a> {
    scanner: Scanner<'a>,
    /// Blocks that are not scanned yet.
    waiting: Vec<Block>,
    waiting_bytes: usize,
    /// The results of blocks that were scanned, which are not merged yet.
    scanned: Vec<BlockResult>,
    merged: Merged<'a>,
}

/// Scans blocks, each independently of all others.
struct Scanner<'a> {
    tester: Tester<'a>,
    index: Option<&'a Index>,
    way: ScanOptions,
    /// Knowledge for the next blocks.
    learned: AdaptiveState,
    /// The number of blocks that were scanned.
    scanned: u64,
}

/// The results of the blocks so far, merged in the order of the input.
struct Merged<'a> {
    analyzer: &'a Analyzer,
    documents: Vec<DocumentStats>,
    /// The number of blocks that were merged.
    taken: u64,
    collector: HitStore<'a>,
    unexplained_events: UnexplainedEvents,
    graph: Graph,
    snapshots: Snapshots,
    stats: Stats,
    latest: Option<i128>,
    /// The latest time of an event of the cluster.
    event: Option<i128>,
    /// The time at which the input was collected, as a node's lease shows it.
    collected: Option<i128>,
    /// True if the newest time counts as that.
    newest: bool,
    /// The number of lines that report errors and were not read.
    unread: u64,
    /// The size of the documents' lists in bytes.
    listed_bytes: usize,
    timeline: Timeline,
    /// The namespaces that the input names.
    namespaces: BTreeSet<String>,
    /// The list of objects that is open where the last document was read to, and the document's number.
    list: (usize, Open),
}

impl<'a> Incident<'a> {
    pub(crate) fn new(
        analyzer: &'a Analyzer,
        tester: Tester<'a>,
        index: Option<&'a Index>,
        way: ScanOptions,
    ) -> Self {
        let merged = Merged {
            collector: HitStore::new(tester.catalogue()),
            analyzer,
            documents: Vec::new(),
            taken: 0,
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
        };
        Incident {
            scanner: Scanner {
                tester,
                index,
                way,
                learned: AdaptiveState::new(),
                scanned: 0,
            },
            waiting: Vec::new(),
            waiting_bytes: 0,
            scanned: Vec::new(),
            merged,
        }
    }

    /// Reads a document to its end, and says how many bytes it has.
    ///
    /// # Errors
    /// The reader's. What was read before belongs to the incident.
    pub fn read(&mut self, name: impl Into<String>, reader: impl Read) -> io::Result<u64> {
        self.read_about(name, Subject::default(), reader)
    }

    /// Reads a document of which the place where it was found shows what it is about, such as a log in the
    /// folder of a pod. What its lines say themselves counts more.
    ///
    /// ```
    /// use kwhy_core::{Analyzer, Subject};
    /// let analyzer = Analyzer::new();
    /// let mut incident = analyzer.incident();
    /// let about = Subject::new("Pod", Some("shop"), "web-0");
    /// incident.read_about("shop/web-0/app.log", about, "panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
    /// assert_eq!(incident.finish().findings[0].subject.to_string(), "Pod shop/web-0");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The reader's. What was read before belongs to the incident.
    pub fn read_about(
        &mut self,
        name: impl Into<String>,
        about: Subject,
        reader: impl Read,
    ) -> io::Result<u64> {
        let number = self.merged.documents.len();
        document_stats::note_namespace(&about, &mut self.merged.namespaces);
        self.merged.documents.push(DocumentStats {
            name: name.into(),
            about,
            ..DocumentStats::default()
        });
        let way = &self.scanner.way;
        let mut blocks = Blocks::new(number, reader, way.block).with_limits(way.limits);
        let blocks_at_once = rayon::current_num_threads() * BLOCKS_A_THREAD;
        let enough = blocks_at_once.min(MAX_BLOCKS) * BLOCK;
        while let Some(block) = blocks.next() {
            self.wait(block);
            while self.waiting_bytes >= enough || self.waiting.len() >= MAX_BLOCKS {
                let next = self.scan(|| fetch(&mut blocks, enough));
                next.into_iter().for_each(|block| self.wait(block));
            }
        }
        self.merged.stats.bytes += blocks.read;
        match blocks.failure {
            Some(error) => Err(error),
            None => Ok(blocks.read),
        }
    }

    /// Takes what the input's surroundings say of when it was collected, such as a folder's name. The
    /// latest such time counts, and one that is given to the analyzer counts more.
    pub fn collected_at(&mut self, time: Timestamp) {
        let collected = &mut self.merged.collected;
        *collected = (*collected).max(Some(time.as_nanosecond()));
    }

    /// Takes the newest time that the input states as the one of its collection, where nothing shows a better
    /// one: a bundle is made while its cluster continues writing.
    pub fn collected_at_newest(&mut self) {
        self.merged.newest = true;
    }

    /// Takes a further name of the document with this number, counted from 0 as they were read: it was found again,
    /// with the same content. It goes by the name that comes first.
    pub fn also_called(&mut self, number: usize, name: &str) {
        let Some(input) = self.merged.documents.get_mut(number) else {
            return;
        };
        if document_order::is_before(name, &input.name) {
            name.clone_into(&mut input.name);
        }
    }

    fn wait(&mut self, block: Block) {
        self.waiting_bytes += block.bytes.len();
        self.waiting.push(block);
    }

    /// Scans the pending blocks; meanwhile merges what was found in those before, and does something else on this
    /// thread.
    fn scan<T>(&mut self, meanwhile: impl FnOnce() -> T) -> T {
        let ready = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let before = std::mem::take(&mut self.scanned);
        let (scanner, merged, scanned) = (&self.scanner, &mut self.merged, &mut self.scanned);
        let (done, full) = rayon::in_place_scope(|scope| {
            scope.spawn(|_| *scanned = scanner.scan(&ready));
            let done = meanwhile();
            (done, merged.take_all(before))
        });
        self.scanner.scanned += ready.len() as u64;
        self.scanner.learned.take(full);
        self.scanner.learned.tune(self.scanner.index, &ready);
        done
    }
}

impl Scanner<'_> {
    fn scan(&self, blocks: &[Block]) -> Vec<BlockResult> {
        let read = |(number, block): (u64, &Block)| {
            let all = block.whole && block.bytes.len() <= self.way.all_up_to;
            let known = self.learned.known(number);
            let index = self.learned.index(self.index).filter(|_| !all);
            let mut outcome = block_scan::read(block, &self.tester, index, known, &self.way.limits);
            if self.way.timeline && block.piece.is_none() {
                outcome.timeline = timeline::timeline(&block.bytes);
            }
            outcome
        };
        let numbered: Vec<(u64, &Block)> = (self.scanned..).zip(blocks).collect();
        match numbered.as_slice() {
            [only] => vec![read(*only)],
            several => several.par_iter().copied().map(read).collect(),
        }
    }
}

impl Merged<'_> {
    /// The time at which the input was collected, if it is given or the input shows it.
    fn reference(&self) -> Option<Timestamp> {
        let newest = self.latest.filter(|_| self.newest);
        let shown = || Timestamp::from_nanosecond(self.collected.or(newest)?).ok();
        self.analyzer.reference().or_else(shown)
    }

    /// The latest time that a time without a year may mean.
    fn limit(&self) -> Option<i128> {
        let reference = self.reference();
        reference.map(|now| now.as_nanosecond()).or(self.latest)
    }

    /// The latest time at an end of a document or of an event of the cluster; a lower bound of the time at which the
    /// input ends.
    fn last_time(&self) -> Option<i128> {
        let limit = self.limit();
        let ends = self.documents.iter().filter_map(|document| document.ends);
        let ends = ends.flat_map(|(first, last)| [first, last]);
        let settled = |stamp: Stamp| {
            let settled = limit.and_then(|limit| infer_year::settled(&stamp, limit));
            settled.unwrap_or(stamp).nanos
        };
        let ends = ends.map(settled);
        ends.chain(self.event).max()
    }

    /// Takes what the next blocks hold. Returns what is full at the ends of generations among them.
    fn take_all(&mut self, outcomes: Vec<BlockResult>) -> Vec<Full> {
        let mut full = Vec::new();
        for outcome in outcomes {
            self.take(outcome);
            self.taken += 1;
            if self.taken.is_multiple_of(EPOCH) {
                full.push(self.collector.full().collect());
            }
        }
        full
    }

    /// Takes what the next block holds.
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
        input.invalid += outcome.invalid;
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
        for segment in outcome.segments {
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
        input.met_long_lines(&outcome.long_lines, before);
        self.stats.lines += outcome.lines;
        self.stats.events += outcome.events;
        self.stats.records += outcome.events + outcome.objects;
        for (number, (_, hit)) in outcome.hits.iter_mut().enumerate() {
            hit.place.line += before;
            if let Some(open) = input.open.as_ref().filter(|_| number < outcome.inherited) {
                hit.subject.fill_from(open);
                hit.written_in(open);
            }
            hit.subject.fill_from(&input.about);
            hit.written_in(&input.about);
        }
        for hit in outcome.lists.hits() {
            hit.place.line += before;
            hit.subject.fill_from(&input.about);
        }
        let ended = self.list.1.take(outcome.lists);
        if !outcome.unbroken {
            input.open = outcome.subject;
        }
        self.collect(outcome.hits, limit);
        self.collector.left_out(outcome.surplus);
        self.end_list(ended, limit);
        let order = by_name(&self.documents);
        if outcome.unread > 0 {
            self.unexplained_events.miss();
            self.unread += outcome.unread;
        }
        self.unexplained_events
            .absorb(outcome.unexplained_events, before, &order);
        self.graph.absorb(outcome.graph, &order);
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

    /// Takes what the end of a list shows to hold.
    fn end_list(&mut self, ended: Ended, limit: Option<i128>) {
        self.collector.left_out(ended.left_out);
        self.collect(ended.hits, limit);
    }

    /// Takes hits in the order of the input.
    fn collect(&mut self, hits: Vec<(ConditionId, Hit)>, limit: Option<i128>) {
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

fn fetch<R: Read>(blocks: &mut Blocks<R>, enough: usize) -> Vec<Block> {
    let mut fetched = Vec::new();
    let mut bytes = 0;
    while bytes < enough && fetched.len() < MAX_BLOCKS {
        let Some(block) = blocks.next() else { break };
        bytes += block.bytes.len();
        fetched.push(block);
    }
    fetched
}

/// A time without a year in the year that the limit shows.
fn settled(moment: Moment, limit: Option<i128>) -> Moment {
    match (moment, limit) {
        (Moment::At(stamp), Some(limit)) => {
            Moment::At(infer_year::settled(&stamp, limit).unwrap_or(stamp))
        }
        _ => moment,
    }
}
