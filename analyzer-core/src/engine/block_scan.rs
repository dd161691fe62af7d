//! Scans one block: finds what may prove something, and parses only that.

mod chunk;
mod folded;

use std::collections::BTreeSet;

use memchr::memchr_iter;

use super::blocks::Block;
use super::candidates::{is_cut_in_two, select_candidates};
use super::line_index::{Region, RegionReason, index_lines};
use super::list_continuation::Edges;
use super::listed::Listed;
use super::record_extent::RecordExtent;
use crate::correlate::{Graph, ObjectSnapshot, UnexplainedEvents};
use crate::matcher::{Hit, Memo, Tester};
use crate::report::SegmentSummary;
use kwhy_model::{Format, LeftOut, Stamp, Subject};
use kwhy_parse::framing::{Class, begins_record, classify, line_at, text};
use kwhy_parse::input::{Around, Document, ReadLimits, is_clean};
use kwhy_parse::log;
use kwhy_parse::redact::SecretPolicy;
use kwhy_parse::timeline::Timeline;
use kwhy_signature::{ConditionId, Index};

/// The maximum number of error records without a literal of a signature that are parsed in each of the first blocks, to
/// report events that no finding covers.
const MAX_ERROR_RECORDS: usize = 64;

/// The same for each later block.
const MAX_LATER_ERROR_RECORDS: usize = 4;

/// The number of leading blocks in which more error records are parsed.
const FIRST_BLOCKS: u64 = 64;

/// Returns the maximum number of error records without a literal of a signature that are parsed in the block with this
/// number.
pub(super) fn max_error_records(block: u64) -> usize {
    if block < FIRST_BLOCKS {
        MAX_ERROR_RECORDS
    } else {
        MAX_LATER_ERROR_RECORDS
    }
}

/// The maximum number of segments that are listed per block.
const MAX_SEGMENTS: usize = 1000;

/// The number of bytes that are kept of a line that was not understood.
const MAX_TEXT: usize = 1024;

/// The number of lines at the start of a block whose formats are reported, and at its end that are searched for a year.
const SAMPLED: usize = 32;

/// The number of lines at each end of a block that are searched for a record with a time.
const UNDATED: usize = 256;

/// The result of scanning one block. Lines are counted from the block's first, which is line 1.
#[derive(Debug, Default)]
pub(crate) struct BlockResult {
    pub document: usize,
    pub lines: u64,
    /// The number of the last line that starts a log record; 0 if none does.
    pub last_record: u64,
    pub events: u64,
    pub objects: u64,
    pub invalid: u64,
    /// The parts of objects that were omitted.
    pub left_out: LeftOut,
    pub long_lines: Vec<u64>,
    /// The number of tests that stopped at a limit.
    pub stopped: u64,
    /// The lines that no parser understood, each with its text.
    pub not_understood: Vec<(u64, String)>,
    pub segments: Vec<SegmentSummary>,
    /// The number of lines of each format.
    pub formats: Vec<(Format, u64)>,
    pub hits: Vec<(ConditionId, Box<Hit>)>,
    /// The namespaces that occur in the block.
    pub namespaces: BTreeSet<String>,
    pub unexplained_events: UnexplainedEvents,
    /// True if its first segment continues the last one of the previous block.
    pub continues: bool,
    /// The number of cluster events with a reason.
    pub cluster_events: u64,
    /// The number of lines that report errors, contain no literal of a signature and were not parsed.
    pub unread: u64,
    pub graph: Graph,
    /// The objects in the block, in its order.
    pub snapshots: Vec<ObjectSnapshot>,
    /// The kinds and namespaces that lists show completely.
    pub listed: Listed,
    /// The empty lists of objects: the document, and the kind and namespace.
    pub empty_lists: Vec<(usize, Subject)>,
    /// The parts of lists that continue across the block's start or end.
    pub lists: Edges,
    /// The latest time whose year is stated, in nanoseconds since 1970.
    pub latest: Option<i128>,
    /// The time at which the input was collected, as an object shows it, in nanoseconds since 1970.
    pub collected: Option<i128>,
    /// The times of the first and the last log record that state one.
    pub ends: Option<(Stamp, Stamp)>,
    /// The latest time of a cluster event whose year is stated, in nanoseconds since 1970.
    pub event: Option<i128>,
    pub timeline: Timeline,
    /// The number of leading hits that belong to the log that was open at the block's start.
    pub inherited: usize,
    /// True if the log that was open at the block's start is still open at its end.
    pub unbroken: bool,
    /// The object of the log that is open at the end, if a command names it.
    pub subject: Option<Subject>,
    /// The number of hits before the first header of a container's log.
    pub enclosed: Option<usize>,
    /// The container whose log, marked by a header, is open at the end.
    pub enclosing: Option<Subject>,
}

/// The limits within which a block is read.
#[derive(Clone, Copy)]
pub(crate) struct BlockLimits {
    /// The maximum number of error records without a literal of a signature that are parsed.
    pub error_records: usize,
    /// The size in bytes up to which a document's broken lines are joined.
    pub joined_up_to: usize,
}

/// Scans a block: parses all of it without an index; otherwise only what the index's literals and the lines' shapes
/// select.
pub(crate) fn read(
    block: &Block,
    tester: &Tester<'_>,
    index: Option<&Index>,
    block_limits: BlockLimits,
    (limits, secrets): (&ReadLimits, SecretPolicy),
) -> BlockResult {
    let mut reading = BlockScan::new(block, tester, (limits, secrets), block_limits);
    match (&block.piece, index) {
        (Some(piece), _) => reading.piece(piece),
        (None, None) => reading.all(),
        (None, Some(index)) if is_clean(&block.bytes) => {
            reading.sweep(index, &block.bytes, None);
        }
        (None, Some(index)) => {
            let clean = Document::new("", block.bytes.as_slice());
            reading.sweep(index, clean.text().as_bytes(), Some(&clean));
        }
    }
    let mut outcome = reading.outcome;
    match reading.run {
        Run::Inherited => outcome.unbroken = true,
        Run::OfCommand(subject) => outcome.subject = Some(subject),
        Run::Ended => {}
    }
    outcome
}

/// The extent of a block that is parsed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// The whole block.
    Whole,
    /// Some of its lines.
    Part,
    /// One log record, followed by another record or the block's end.
    Record,
}

/// The log that a record belongs to if no header precedes it.
#[derive(Clone, Debug)]
enum Run {
    /// The log that was open at the block's start.
    Inherited,
    /// A log whose object a command names.
    OfCommand(Subject),
    /// A log of which nothing is known.
    Ended,
}

struct BlockScan<'b, 't, 'c> {
    block: &'b Block,
    tester: &'t Tester<'c>,
    limits: &'b ReadLimits,
    secrets: SecretPolicy,
    block_limits: BlockLimits,
    /// True if the document is a paste, so that statements in prose count.
    is_paste: bool,
    outcome: BlockResult,
    run: Run,
    /// The last results of object tests.
    memo: Memo,
    /// The starts of the lines without a time that follow a record in the current chunk, with the record's time.
    following: Vec<(usize, Stamp)>,
}

impl<'b, 't, 'c> BlockScan<'b, 't, 'c> {
    fn new(
        block: &'b Block,
        tester: &'t Tester<'c>,
        (limits, secrets): (&'b ReadLimits, SecretPolicy),
        block_limits: BlockLimits,
    ) -> Self {
        BlockScan {
            block,
            tester,
            limits,
            secrets,
            block_limits,
            is_paste: false,
            run: Run::Inherited,
            memo: Memo::default(),
            following: Vec::new(),
            outcome: BlockResult {
                document: block.document,
                long_lines: block.long_lines.iter().map(|line| line + 1).collect(),
                invalid: block.undecoded,
                continues: block.table.is_some(),
                ..BlockResult::default()
            },
        }
    }

    fn all(&mut self) {
        self.is_paste = self.block.bytes.len() <= self.block_limits.joined_up_to;
        self.read_chunk(0..self.block.bytes.len(), 0, Read::Whole, None);
        let clean = Document::new("", self.block.bytes.as_slice());
        let bytes = clean.text().as_bytes();
        let line_index = index_lines(bytes, self.around_block());
        self.outcome.ends = ends(bytes, line_index.records);
        self.outcome.last_record = line_index.last_record;
        self.outcome.lines = line_count(&self.block.bytes);
    }

    /// Scans a text and parses what may match. `cleaned` maps it back to the block's bytes if the text was cleaned.
    fn sweep(&mut self, index: &Index, bytes: &[u8], cleaned: Option<&Document>) {
        let mut line_index = index_lines(bytes, self.around_block());
        // the clean text lacks lines that consist of escape sequences only
        self.outcome.lines = match cleaned {
            Some(_) => line_count(&self.block.bytes),
            None => line_index.lines,
        };
        self.outcome.events = line_index.records;
        self.outcome.last_record = line_index.last_record;
        self.outcome.ends = ends(bytes, line_index.records);
        self.sample(bytes, line_index.lines);
        for at in line_index.dated.into_iter().flatten() {
            self.dated(time_of(line_at(bytes, at)));
        }
        if self.outcome.latest.is_none() {
            let lines = bytes.rsplit(|byte| *byte == b'\n').take(SAMPLED);
            lines.for_each(|line| self.dated(time_of(line)));
        }
        if let Some(cleaned) = cleaned {
            self.outcome.invalid += cleaned.invalid_sequences();
        }
        let mut regions = std::mem::take(&mut line_index.regions);
        let original = |line: usize| cleaned.map_or(line, |c| c.original_line_begin(line));
        if !index.boundless.is_empty() {
            // some condition has no literal, so that every record is parsed
            let whole = original(0)..self.block.bytes.len();
            self.read_chunk(whole, 0, Read::Part, None);
            return;
        }
        let candidates = select_candidates(self.tester, index, bytes, &mut regions);
        for at in std::mem::take(&mut line_index.partial) {
            if is_cut_in_two(bytes, index, at) {
                regions.push(Region::new(at, RegionReason::Text));
            }
        }
        regions.sort_unstable();
        regions.dedup_by_key(|region| region.at);
        let mut around = RecordExtent::new(bytes, &line_index.tables);
        let mut breaks = line_index.breaks.iter().copied().peekable();
        let mut error_records = 0;
        let mut leaves = Vec::new();
        for (number, region) in regions.iter().enumerate() {
            if region.at < around.done {
                continue;
            }
            if region.why == RegionReason::Error {
                error_records += 1;
                if error_records > self.block_limits.error_records {
                    self.outcome.unread += 1;
                    continue;
                }
            }
            let range = around.lines(region, &regions[number..]);
            while let Some(at) = breaks.next_if(|at| *at < range.end) {
                if at < range.start {
                    self.run = Run::Ended;
                }
            }
            let lines_before = line_index.lines_before(bytes, range.start);
            let inside = regions[number..].iter();
            let inside = inside.take_while(|region| region.at < range.end);
            let known = known_candidates(inside, &candidates, &mut leaves);
            if known {
                index.add_starting(&bytes[range.clone()], &mut leaves);
                leaves.sort_unstable();
                leaves.dedup();
            }
            let read = match region.end == Some(range.end) && region.at == range.start {
                true => Read::Record,
                false => Read::Part,
            };
            let range = original(range.start)..original(range.end);
            self.read_chunk(range, lines_before, read, known.then_some(&*leaves));
        }
        if breaks.peek().is_some() {
            self.run = Run::Ended;
        }
    }

    /// Returns what precedes and follows the block.
    fn around_block(&self) -> Around<'b> {
        self.block.around(0, self.block.followed)
    }

    /// Records the formats of the block's first lines.
    fn sample(&mut self, bytes: &[u8], all: u64) {
        let mut sampled = 0;
        let mut formats: Vec<(Format, u64)> = Vec::new();
        // there is no line after the last line end
        let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        for line in lines.split(|byte| *byte == b'\n').take(SAMPLED) {
            sampled += 1;
            let format = match classify(line) {
                Class::Record(format) => Some(format),
                _ => log::detect(std::str::from_utf8(line).unwrap_or("")),
            };
            if let Some(format) = format {
                count(&mut formats, format, 1);
            }
        }
        for (format, lines) in formats {
            count(&mut self.outcome.formats, format, lines * all / sampled);
        }
    }

    /// Returns true if a log record starts at the end of a range of the block's bytes.
    fn is_followed(&self, end: usize) -> bool {
        if end >= self.block.bytes.len() {
            self.block.followed
        } else {
            begins_record(&self.block.bytes, end)
        }
    }
}

/// Collects the conditions that the records of these lines may fulfil. Returns false if some line's are unknown.
fn known_candidates<'t>(
    lines: impl Iterator<Item = &'t Region>,
    candidates: &[ConditionId],
    into: &mut Vec<ConditionId>,
) -> bool {
    into.clear();
    for line in lines {
        match line.candidates {
            Some((first, end)) => into.extend_from_slice(&candidates[first..end]),
            None => return false,
        }
    }
    true
}

/// Returns the times of the first and the last record with a time; `None` if the block has no record or no time.
fn ends(bytes: &[u8], records: u64) -> Option<(Stamp, Stamp)> {
    if records == 0 {
        return None;
    }
    let is_end = |byte: &u8| *byte == b'\n';
    let first = bytes.split(is_end).take(UNDATED).find_map(time_of)?;
    let last = bytes.rsplit(is_end).take(UNDATED).find_map(time_of);
    Some((first, last.unwrap_or(first)))
}

/// Returns the time of the record that starts on a line.
fn time_of(line: &[u8]) -> Option<Stamp> {
    log::header(&text(line))?.time
}

/// Counts the lines; a last one without a line end counts.
fn line_count(bytes: &[u8]) -> u64 {
    let ends = memchr_iter(b'\n', bytes).count() as u64;
    ends + u64::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

pub(super) fn count(formats: &mut Vec<(Format, u64)>, format: Format, lines: u64) {
    match formats.iter_mut().find(|(known, _)| *known == format) {
        Some((_, known)) => *known += lines,
        None => formats.push((format, lines)),
    }
}
