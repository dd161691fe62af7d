//! Reads one block: finds what in it may prove something, and parses only that.

mod stretch;

use std::collections::{BTreeMap, BTreeSet};

use memchr::memchr_iter;

use super::around::Around;
use super::blocks::Block;
use super::boundary::{begins_record, line_at, text};
use super::lists::Edges;
use super::pick::{choose, is_cut_in_two};
use super::survey::{Trigger, Why, survey};
use crate::correlate::{Graph, ObjectSnapshot, UnexplainedEvents};
use crate::matcher::{Hit, Tester};
use crate::report::SegmentSummary;
use kwhy_model::{Format, LeftOut, Stamp, Subject};
use kwhy_parse::input::{Document, ReadLimits, is_clean};
use kwhy_parse::log;
use kwhy_parse::timeline::Timeline;
use kwhy_signature::{Index, Leaf};

/// The number of error records of a block without a literal of a signature that are parsed, for
/// what no finding covers.
pub(super) const MAX_GRAVE: usize = 64;

/// The same for blocks after a document's first ones.
pub(super) const MAX_LATER_GRAVE: usize = 4;

/// The number of segments of a document that are listed.
const MAX_SEGMENTS: usize = 1000;

/// The number of bytes that are kept of a line that was not understood.
const MAX_TEXT: usize = 1024;

/// The number of lines at the start of a block whose format counts, and at its end whose year does.
const SAMPLED: usize = 32;

/// The contents of one block. Lines are counted from the block's first, which is line 1.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub document: usize,
    pub lines: u64,
    pub events: u64,
    pub objects: u64,
    pub invalid: u64,
    /// The parts of objects that were omitted.
    pub left_out: LeftOut,
    /// The number of hits that were not made because a condition keeps no more.
    pub surplus: BTreeMap<Leaf, u64>,
    pub long_lines: Vec<u64>,
    /// Each with its text.
    pub not_understood: Vec<(u64, String)>,
    pub segments: Vec<SegmentSummary>,
    /// The number of lines of each format.
    pub formats: Vec<(Format, u64)>,
    pub hits: Vec<(Leaf, Hit)>,
    /// The namespaces that were named.
    pub namespaces: BTreeSet<String>,
    pub telling: UnexplainedEvents,
    /// The number of lines that report errors, contain no text of a signature and were not read.
    pub unread: u64,
    pub graph: Graph,
    /// The objects that were printed, in the order of the block.
    pub prints: Vec<ObjectSnapshot>,
    /// The parts of lists that continue before or after the block.
    pub lists: Edges,
    /// The latest time whose year is stated, in nanoseconds since 1970.
    pub latest: Option<i128>,
    /// The time at which the input was collected, as an object shows it, in nanoseconds since 1970.
    pub collected: Option<i128>,
    pub timeline: Timeline,
    /// The number of leading hits that belong to the log that was open at the block's start.
    pub inherited: usize,
    /// True if the log that was open at the block's start is open at its end.
    pub unbroken: bool,
    /// The object that a command names for the log that is open at the end.
    pub subject: Option<Subject>,
}

/// The knowledge with which a block is scanned.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    /// The conditions over several of which no further hit is kept.
    pub full: &'k BTreeSet<Leaf>,
    /// The number of error records without a literal of a signature that are parsed.
    pub grave: usize,
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
    let mut reading = Reading::new(block, tester, limits, known.full);
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

/// The log to which a record belongs that starts no output.
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
    /// The conditions over several of which no further hit is kept.
    full: &'b BTreeSet<Leaf>,
    outcome: Outcome,
    run: Run,
}

impl<'b, 't, 'c> Reading<'b, 't, 'c> {
    fn new(
        block: &'b Block,
        tester: &'t Tester<'c>,
        limits: &'b ReadLimits,
        full: &'b BTreeSet<Leaf>,
    ) -> Self {
        Reading {
            block,
            tester,
            limits,
            full,
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
        self.stretch(0..self.block.bytes.len(), 0, false, None);
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
        let mut candidates = Vec::new();
        if index.boundless.is_empty() {
            candidates = choose(self.tester, index, bytes, &mut triggers);
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
        let mut leaves = Vec::new();
        for (number, trigger) in triggers.iter().enumerate() {
            if trigger.at < around.done {
                continue;
            }
            if trigger.why == Why::Grave {
                grave += 1;
                if grave > known.grave {
                    self.outcome.unread += 1;
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
            let inside = triggers[number..].iter();
            let inside = inside.take_while(|trigger| trigger.at < range.end);
            let known = known_candidates(inside, &candidates, &mut leaves);
            if known {
                index.add_starting(&bytes[range.clone()], &mut leaves);
                leaves.sort_unstable();
                leaves.dedup();
            }
            let range = original(range.start)..original(range.end);
            self.stretch(range, lines_before, true, known.then_some(&*leaves));
        }
        if breaks.peek().is_some() {
            self.run = Run::Ended;
        }
    }

    /// Reports the formats of a block from its first lines.
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
    lines: impl Iterator<Item = &'t Trigger>,
    candidates: &[Leaf],
    into: &mut Vec<Leaf>,
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

/// The time of the record that starts on a line.
fn time_of(line: &[u8]) -> Option<Stamp> {
    log::head(&text(line))?.time
}

pub(super) fn count(formats: &mut Vec<(Format, u64)>, format: Format, lines: u64) {
    match formats.iter_mut().find(|(known, _)| *known == format) {
        Some((_, known)) => *known += lines,
        None => formats.push((format, lines)),
    }
}
