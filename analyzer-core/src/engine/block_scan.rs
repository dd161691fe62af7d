//! Reads one block: finds what in it may prove something, and parses only that.

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

/// The number of error records without a literal of a signature that are parsed of each of the first blocks, for what
/// no finding covers.
const MAX_ERROR_RECORDS: usize = 64;

/// The same of the blocks after the first ones.
const MAX_LATER_ERROR_RECORDS: usize = 4;

/// The number of blocks at the start in which more error records are parsed.
const FIRST_BLOCKS: u64 = 64;

/// Returns the number of error records without a literal of a signature that are parsed of the block with this number.
pub(super) fn max_error_records(block: u64) -> usize {
    if block < FIRST_BLOCKS {
        MAX_ERROR_RECORDS
    } else {
        MAX_LATER_ERROR_RECORDS
    }
}

/// The number of segments of a document that are listed.
const MAX_SEGMENTS: usize = 1000;

/// The number of bytes that are kept of a line that was not understood.
const MAX_TEXT: usize = 1024;

/// The number of lines at the start of a block whose format counts, and at its end whose year does.
const SAMPLED: usize = 32;

/// The number of lines at the ends of a block in which a record with a time is looked for.
const UNDATED: usize = 256;

/// The contents of one block. Lines are counted from the block's first, which is line 1.
#[derive(Debug, Default)]
pub(crate) struct BlockResult {
    pub document: usize,
    pub lines: u64,
    pub events: u64,
    pub objects: u64,
    pub invalid: u64,
    /// The parts of objects that were omitted.
    pub left_out: LeftOut,
    pub long_lines: Vec<u64>,
    /// The number of tests that were ended at a limit.
    pub stopped: u64,
    /// Each with its text.
    pub not_understood: Vec<(u64, String)>,
    pub segments: Vec<SegmentSummary>,
    /// The number of lines of each format.
    pub formats: Vec<(Format, u64)>,
    pub hits: Vec<(ConditionId, Box<Hit>)>,
    /// The namespaces that were named.
    pub namespaces: BTreeSet<String>,
    pub unexplained_events: UnexplainedEvents,
    /// True if its first segment continues the last one of the block before.
    pub continues: bool,
    /// The number of events of the cluster with a reason.
    pub cluster_events: u64,
    /// The number of lines that report errors, contain no text of a signature and were not read.
    pub unread: u64,
    pub graph: Graph,
    /// The objects that were printed, in the order of the block.
    pub snapshots: Vec<ObjectSnapshot>,
    /// The kinds of which lists show all objects.
    pub listed: Listed,
    /// The lists of objects that contain none: the document, and the kind and namespace.
    pub empty_lists: Vec<(usize, Subject)>,
    /// The parts of lists that continue before or after the block.
    pub lists: Edges,
    /// The latest time whose year is stated, in nanoseconds since 1970.
    pub latest: Option<i128>,
    /// The time at which the input was collected, as an object shows it, in nanoseconds since 1970.
    pub collected: Option<i128>,
    /// The times of the first and the last log record that state one.
    pub ends: Option<(Stamp, Stamp)>,
    /// The latest time of an event of the cluster whose year is stated, in nanoseconds since 1970.
    pub event: Option<i128>,
    pub timeline: Timeline,
    /// The number of leading hits that belong to the log that was open at the block's start.
    pub inherited: usize,
    /// True if the log that was open at the block's start is open at its end.
    pub unbroken: bool,
    /// The object that a command names for the log that is open at the end.
    pub subject: Option<Subject>,
    /// The number of hits before the first mark of a container's log.
    pub enclosed: Option<usize>,
    /// The container whose marked log is open at the end.
    pub enclosing: Option<Subject>,
}

/// The amounts of a block that are read.
#[derive(Clone, Copy)]
pub(crate) struct BlockLimits {
    /// The number of error records without a literal of a signature that are parsed.
    pub error_records: usize,
    /// The size up to which lines of a whole document are joined that were broken for being too long.
    pub joined_up_to: usize,
}

/// Reads a block: all of it without an index, otherwise what the index's texts and the lines'
/// shapes point at.
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

/// What of a block is parsed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// All of it.
    Whole,
    /// Some lines of it.
    Part,
    /// One record of a log, which another record or the block's end follows.
    Record,
}

/// The log to which a record belongs that starts no output.
#[derive(Clone, Debug)]
enum Run {
    /// The one that was open at the block's start.
    Inherited,
    /// One of which a command says what it is about.
    OfCommand(Subject),
    /// One of which nothing is known.
    Ended,
}

struct BlockScan<'b, 't, 'c> {
    block: &'b Block,
    tester: &'t Tester<'c>,
    limits: &'b ReadLimits,
    secrets: SecretPolicy,
    block_limits: BlockLimits,
    /// True if the document is a paste: what sentences state is asked for.
    is_paste: bool,
    outcome: BlockResult,
    run: Run,
    /// What the tests of objects said last.
    memo: Memo,
    /// The starts of the lines without a time that follow a record in what is tested now, and the record's time.
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
        let records = index_lines(bytes, self.around_block()).records;
        self.outcome.ends = ends(bytes, records);
        self.outcome.lines = line_count(&self.block.bytes);
    }

    /// Reads what may matter of a text; `cleaned` is the way back to the block's bytes if the text
    /// is not these.
    fn sweep(&mut self, index: &Index, bytes: &[u8], cleaned: Option<&Document>) {
        let mut line_index = index_lines(bytes, self.around_block());
        // a line of escape sequences alone is none of the clean text
        self.outcome.lines = match cleaned {
            Some(_) => line_count(&self.block.bytes),
            None => line_index.lines,
        };
        self.outcome.events = line_index.records;
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
            // each record is read
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

    /// What precedes and follows the block.
    fn around_block(&self) -> Around<'b> {
        self.block.around(0, self.block.followed)
    }

    /// Reports the formats of a block from its first lines.
    fn sample(&mut self, bytes: &[u8], all: u64) {
        let mut sampled = 0;
        let mut formats: Vec<(Format, u64)> = Vec::new();
        // what follows the last line end is no line
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

/// Collects the conditions that the records of these lines may fulfil. Returns false if that is not known of each line.
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

/// Returns the times of the first and the last log record of a block that state one.
fn ends(bytes: &[u8], records: u64) -> Option<(Stamp, Stamp)> {
    if records == 0 {
        return None;
    }
    let is_end = |byte: &u8| *byte == b'\n';
    let first = bytes.split(is_end).take(UNDATED).find_map(time_of)?;
    let last = bytes.rsplit(is_end).take(UNDATED).find_map(time_of);
    Some((first, last.unwrap_or(first)))
}

/// The time of the record that starts on a line.
fn time_of(line: &[u8]) -> Option<Stamp> {
    log::header(&text(line))?.time
}

/// The number of lines; a last one without line end counts.
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
