//! Reads one block: finds what in it may prove something, and parses only that.

mod stretch;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use memchr::memchr_iter;

use super::around::Around;
use super::blocks::Block;
use super::boundary::{begins_record, line_at, text};
use super::lists::Edges;
use super::often::{Group, Often, Sample, Unread};
use super::pick::{choose, is_cut_in_two};
use super::survey::{Trigger, Why, survey};
use crate::correlate::{Graph, Print, Telling};
use crate::input::{Document, ReadLimits, is_clean};
use crate::matcher::{Hit, Tester};
use crate::model::{Format, LeftOut, Stamp, Subject};
use crate::parse::log;
use crate::report::SegmentSummary;
use crate::signature::{Index, Leaf};
use crate::timeline::Timeline;

/// How many records of a block that tell of an error and hold no text of a signature are read, for
/// what no finding covers.
pub(super) const MAX_GRAVE: usize = 64;

/// The same for blocks behind a document's first ones.
pub(super) const MAX_LATER_GRAVE: usize = 4;

/// How many segments of a document are listed.
const MAX_SEGMENTS: usize = 1000;

/// How many bytes are kept of a line that was not understood.
const MAX_TEXT: usize = 1024;

/// Of how many lines at the start of a block the format is told, and at its end the year.
const SAMPLED: usize = 32;

/// What one block holds. Lines are counted from the block's first, which is line 1.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub document: usize,
    pub lines: u64,
    pub events: u64,
    pub objects: u64,
    pub invalid: u64,
    /// What was left out of objects.
    pub left_out: LeftOut,
    /// How many hits were left out of conditions of which enough are kept.
    pub surplus: BTreeMap<Leaf, u64>,
    pub long_lines: Vec<u64>,
    /// Each with its text.
    pub not_understood: Vec<(u64, String)>,
    pub segments: Vec<SegmentSummary>,
    /// How many lines were seen of each format.
    pub formats: Vec<(Format, u64)>,
    pub hits: Vec<(Leaf, Hit)>,
    /// Signatures whose text stood in a record that did not fulfil them.
    pub vain: BTreeSet<u32>,
    /// The group of a record that was read, and the signatures that it fulfilled.
    pub fulfilled: Vec<(Group, Group)>,
    /// Hits that stand for more than one record: their range, the group, and for how many records of the
    /// block.
    pub sampled: Vec<(Range<usize>, Group, u64)>,
    /// The last record of each group of which some wait for one that is read, with their number.
    pub left: Vec<(Group, u64, Unread)>,
    /// How many records were counted without being read.
    pub unread: u64,
    /// The namespaces that were named.
    pub namespaces: BTreeSet<String>,
    pub telling: Telling,
    pub graph: Graph,
    /// The objects that were printed, in the order of the block.
    pub prints: Vec<Print>,
    /// What is said of lists that go on before or behind the block.
    pub lists: Edges,
    /// The latest time whose year is stated, in nanoseconds since 1970.
    pub latest: Option<i128>,
    /// When the input was collected, as an object shows it, in nanoseconds since 1970.
    pub collected: Option<i128>,
    pub timeline: Timeline,
    /// How many hits at the start belong to the log that was open at the block's start.
    pub inherited: usize,
    /// Whether the log that was open at the block's start is open at its end.
    pub unbroken: bool,
    /// What a command said of the log that is open at the end.
    pub subject: Option<Subject>,
}

/// What is known when a block is read.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    /// The block's number.
    pub number: u64,
    pub often: &'k Often,
    /// How many records that tell of an error and hold no text of a signature are read.
    pub grave: usize,
}

/// Reads a record that was passed over; lines are counted from the document's first.
pub(crate) fn read_unread(unread: Unread, tester: &Tester<'_>, limits: &ReadLimits) -> Outcome {
    let block = Block {
        document: unread.document,
        offset: unread.offset,
        bytes: unread.bytes,
        followed: unread.followed,
        whole: false,
        ..Block::default()
    };
    let often = Often::default();
    let mut reading = Reading::new(&block, tester, limits, &often);
    reading.run = unread.subject.map_or(Run::Ended, Run::Known);
    reading.stretch(0..block.bytes.len(), unread.lines_before, true);
    reading.outcome
}

/// Reads a block: all of it without an index, otherwise what the index's texts and the lines'
/// shapes point at.
pub(crate) fn read(
    block: &Block,
    tester: &Tester<'_>,
    index: Option<&Index>,
    known: Known<'_>,
    limits: &ReadLimits,
) -> Outcome {
    let mut reading = Reading::new(block, tester, limits, known.often);
    match (&block.piece, index) {
        (Some(piece), _) => reading.piece(piece),
        (None, None) => reading.all(),
        (None, Some(index)) if is_clean(&block.bytes) => {
            reading.sweep(index, known, &block.bytes, None);
        }
        (None, Some(index)) => {
            let clean = Document::new("", block.bytes.as_slice());
            reading.sweep(index, known, clean.text().as_bytes(), Some(&clean));
        }
    }
    let mut outcome = reading.outcome;
    match reading.run {
        Run::Inherited => outcome.unbroken = true,
        Run::Known(subject) => outcome.subject = Some(subject),
        Run::Ended => {}
    }
    outcome
}

/// The log to which a record belongs that begins no output.
#[derive(Clone, Debug)]
enum Run {
    /// The one that was open at the block's start.
    Inherited,
    /// One of which a command says what it is about.
    Known(Subject),
    /// One of which nothing is known.
    Ended,
}

struct Reading<'b, 't, 'c> {
    block: &'b Block,
    tester: &'t Tester<'c>,
    limits: &'b ReadLimits,
    /// Of which conditions enough is known.
    often: &'b Often,
    /// What becomes of records of signatures that matched often: the document's byte at which each
    /// begins.
    samples: Vec<(usize, Sample)>,
    outcome: Outcome,
    run: Run,
}

impl<'b, 't, 'c> Reading<'b, 't, 'c> {
    fn new(
        block: &'b Block,
        tester: &'t Tester<'c>,
        limits: &'b ReadLimits,
        often: &'b Often,
    ) -> Self {
        Reading {
            block,
            tester,
            limits,
            often,
            samples: Vec::new(),
            run: Run::Inherited,
            outcome: Outcome {
                document: block.document,
                long_lines: block.long_lines.iter().map(|line| line + 1).collect(),
                invalid: block.undecoded,
                ..Outcome::default()
            },
        }
    }

    fn all(&mut self) {
        self.stretch(0..self.block.bytes.len(), 0, false);
        self.outcome.lines = match self.block.bytes.last() {
            None => 0,
            Some(last) => {
                let ends = memchr_iter(b'\n', &self.block.bytes).count() as u64;
                ends + u64::from(*last != b'\n')
            }
        };
    }

    /// Reads what may matter of a text; `cleaned` is the way back to the block's bytes if the text
    /// is not these.
    fn sweep(&mut self, index: &Index, known: Known<'_>, bytes: &[u8], cleaned: Option<&Document>) {
        let mut survey = survey(bytes, self.block.followed);
        self.outcome.lines = survey.lines;
        self.outcome.events = survey.records;
        self.sample(bytes, survey.lines);
        for at in survey.dated.into_iter().flatten() {
            self.dated(time_of(line_at(bytes, at)));
        }
        if self.outcome.latest.is_none() {
            let lines = bytes.rsplit(|byte| *byte == b'\n').take(SAMPLED);
            lines.for_each(|line| self.dated(time_of(line)));
        }
        if let Some(cleaned) = cleaned {
            self.outcome.invalid += cleaned.invalid_sequences();
        }
        let mut triggers = std::mem::take(&mut survey.triggers);
        let original = |line: usize| cleaned.map_or(line, |c| c.original_line_begin(line));
        if index.boundless.is_empty() {
            self.samples = choose(self.tester, index, known, bytes, &mut triggers);
            for (line, _) in &mut self.samples {
                *line = self.block.offset + original(*line);
            }
            for at in std::mem::take(&mut survey.partial) {
                if is_cut_in_two(bytes, index, at) {
                    triggers.push(Trigger::new(at, Why::Text));
                }
            }
        } else {
            triggers.push(Trigger::new(0, Why::Structure));
        }
        triggers.sort_unstable();
        triggers.dedup_by_key(|trigger| trigger.at);
        let mut around = Around::new(bytes);
        let mut breaks = survey.breaks.iter().copied().peekable();
        let mut grave = 0;
        for (number, trigger) in triggers.iter().enumerate() {
            if trigger.at < around.done {
                continue;
            }
            if trigger.why == Why::Grave {
                grave += 1;
                if grave > known.grave {
                    continue;
                }
            }
            let range = around.lines(trigger, &triggers[number..]);
            while let Some(at) = breaks.next_if(|at| *at < range.end) {
                if at < range.start {
                    self.run = Run::Ended;
                }
            }
            let lines_before = survey.lines_before(bytes, range.start);
            let range = original(range.start)..original(range.end);
            if trigger.why == Why::Left {
                let is_whole = trigger.end.is_some();
                self.leave(range, lines_before, is_whole);
            } else {
                self.stretch(range, lines_before, true);
            }
        }
        if breaks.peek().is_some() {
            self.run = Run::Ended;
        }
    }

    /// Keeps a record as it stands, for which a later one may stand. Behind one that is known to be
    /// whole another one begins, or the block ends.
    fn leave(&mut self, range: Range<usize>, lines_before: u64, is_whole: bool) {
        let offset = self.block.offset + range.start;
        let sample = self.samples.binary_search_by_key(&offset, |(at, _)| *at);
        let Some((_, Sample::Left(group, count))) = sample.ok().map(|at| &self.samples[at]) else {
            return;
        };
        let unread = Unread {
            document: self.block.document,
            offset,
            lines_before,
            followed: if is_whole && range.end < self.block.bytes.len() {
                true
            } else {
                self.is_followed(range.end)
            },
            bytes: self.block.bytes.get(range).unwrap_or_default().to_vec(),
            subject: match &self.run {
                Run::Known(subject) => Some(subject.clone()),
                _ => None,
            },
            inherits: matches!(self.run, Run::Inherited),
        };
        self.outcome.unread += count;
        self.outcome.left.push((group.clone(), *count, unread));
    }

    /// Sees to it that the hits of one record from `first` on count for those records that it stands for.
    fn weigh(&mut self, first: usize, record: Range<usize>) {
        let from = self.samples.partition_point(|(at, _)| *at < record.start);
        let sample = self
            .samples
            .get(from)
            .filter(|(at, _)| *at < record.end.max(record.start + 1));
        let Some((_, sample)) = sample else {
            return;
        };
        let hits = self.outcome.hits.get(first..).unwrap_or_default();
        let mut fulfilled: Vec<u32> = hits.iter().map(|((number, _), _)| *number).collect();
        fulfilled.dedup();
        let (group, count) = match sample {
            Sample::Passed => return self.outcome.hits.truncate(first),
            Sample::Lone(group) => (group, 1),
            Sample::Read(group, count) | Sample::Left(group, count) => (group, *count),
        };
        self.outcome
            .fulfilled
            .push((group.clone(), fulfilled.into()));
        if count > 1 || !matches!(sample, Sample::Lone(_)) {
            self.outcome.unread += count - 1;
            let hits = first..self.outcome.hits.len();
            if !hits.is_empty() {
                self.outcome.sampled.push((hits, group.clone(), count));
            }
        }
    }

    /// Tells the formats of a block from its first lines.
    fn sample(&mut self, bytes: &[u8], all: u64) {
        let mut sampled = 0;
        let mut formats: Vec<(Format, u64)> = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n').take(SAMPLED) {
            sampled += 1;
            let format = match log::kind(line) {
                Some(log::Kind::Record(format)) => Some(format),
                Some(log::Kind::Carried) | None => {
                    log::detect(std::str::from_utf8(line).unwrap_or(""))
                }
            };
            if let Some(format) = format {
                count(&mut formats, format, 1);
            }
        }
        for (format, lines) in formats {
            count(&mut self.outcome.formats, format, lines * all / sampled);
        }
    }

    /// Whether a log record begins at the end of a range of the block's bytes.
    fn is_followed(&self, end: usize) -> bool {
        if end >= self.block.bytes.len() {
            self.block.followed
        } else {
            begins_record(&self.block.bytes, end)
        }
    }
}

/// When the record that begins on a line was written.
fn time_of(line: &[u8]) -> Option<Stamp> {
    log::head(&text(line))?.time
}

pub(super) fn count(formats: &mut Vec<(Format, u64)>, format: Format, lines: u64) {
    match formats.iter_mut().find(|(known, _)| *known == format) {
        Some((_, known)) => *known += lines,
        None => formats.push((format, lines)),
    }
}
