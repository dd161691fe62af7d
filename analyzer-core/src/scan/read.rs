//! Reads one block: finds what in it may prove something, and parses only that.

use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memchr_iter;

use super::around::Around;
use super::blocks::Block;
use super::boundary::{begins_record, line_at};
use super::collect::is_single;
use super::collected::collected;
use super::lists::{Edges, Items, Reach};
use super::often::{Group, Often, Sample, Unread};
use super::pick::{choose, is_cut_in_two};
use super::survey::{Trigger, Why, survey};
use crate::correlate::{Graph, Print, Telling};
use crate::input::{Document, ReadLimits, Stretch, floor_char, is_clean, lines, segments_before};
use crate::matcher::{Hit, Tester};
use crate::model::{Event, Format, LeftOut, Parsed, Stamp, Subject};
use crate::parse::{self, log};
use crate::report::SegmentSummary;
use crate::signature::{Index, Leaf, Record};
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
        long_lines: Vec::new(),
        undecoded: 0,
    };
    let mut reading = Reading::new(&block, tester, limits);
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
    let mut reading = Reading::new(block, tester, limits);
    match index {
        None => reading.all(),
        Some(index) if is_clean(&block.bytes) => {
            reading.sweep(index, known, &block.bytes, None);
        }
        Some(index) => {
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
    /// What becomes of records of signatures that matched often: the document's byte at which each
    /// begins.
    samples: Vec<(usize, Sample)>,
    outcome: Outcome,
    run: Run,
}

impl<'b, 't, 'c> Reading<'b, 't, 'c> {
    fn new(block: &'b Block, tester: &'t Tester<'c>, limits: &'b ReadLimits) -> Self {
        Reading {
            block,
            tester,
            limits,
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
        let survey = survey(bytes, self.block.followed);
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
        let mut triggers = survey.triggers;
        let original = |line: usize| cleaned.map_or(line, |c| c.original_line_begin(line));
        if index.boundless.is_empty() {
            self.samples = choose(self.tester, index, known, bytes, &mut triggers);
            for (line, _) in &mut self.samples {
                *line = self.block.offset + original(*line);
            }
            for at in survey.partial {
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
        let mut counted = (0, 0);
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
            counted.1 += memchr_iter(b'\n', &bytes[counted.0..range.start]).count() as u64;
            counted.0 = range.start;
            let range = original(range.start)..original(range.end);
            if trigger.why == Why::Left {
                let is_whole = trigger.end.is_some();
                self.leave(range, counted.1, is_whole);
            } else {
                self.stretch(range, counted.1, true);
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

    /// Which ends of the block a segment of a range reaches.
    fn reach(&self, range: &Range<usize>, is_first: bool, is_last: bool) -> Reach {
        Reach {
            start: is_first && range.start == 0 && self.begins_with_item(),
            end: is_last && range.end == self.block.bytes.len() && !self.block.whole,
        }
    }

    /// Whether the block begins with an item of a list that began before.
    fn begins_with_item(&self) -> bool {
        let line = line_at(&self.block.bytes, 0);
        self.block.offset > 0 && (line.starts_with(b"- ") || line.starts_with(b"    "))
    }

    /// Parses a range of the block's bytes and tests what is there; `part` of a block, or all of it.
    fn stretch(&mut self, range: Range<usize>, lines_before: u64, part: bool) {
        let Some(bytes) = self.block.bytes.get(range.clone()) else {
            return;
        };
        let stretch = Stretch {
            document: self.block.document,
            first_byte: self.block.offset + range.start,
            lines_before,
            text: Document::new("", bytes),
        };
        let text = stretch.text.text();
        let end = text.trim_end_matches('\n');
        if part && !end.contains('\n') && log::detect(end).is_some() {
            let line: Vec<_> = lines(end).collect();
            let mut parsed = log::parse(&line);
            self.fill(&mut parsed.events);
            self.test(&stretch, parsed, true, Reach::default());
            if matches!(self.run, Run::Inherited) {
                self.outcome.inherited = self.outcome.hits.len();
            }
            return;
        }
        // the slow reference looks at each line
        if !self.tester.is_naive()
            && let Some(regular) = parse::object::regular(text, self.limits)
        {
            if !part {
                self.outcome.invalid += stretch.text.invalid_sequences();
            }
            let lines = (1, regular.lines);
            let reach = self.reach(&range, true, true);
            self.test(&stretch, regular.parsed, false, reach);
            self.list(Format::ObjectJson, lines, regular.lines, lines_before);
            self.run = Run::Ended;
            return;
        }
        let mut segments = segments_before(text, self.is_followed(range.end));
        let first_is_log = segments.first().is_some_and(|segment| segment.is_log);
        if first_is_log
            && let (Some(first), Run::Known(subject)) = (segments.first_mut(), &self.run)
        {
            first.subject.fill_from(subject);
        }
        let inherits = matches!(self.run, Run::Inherited) && first_is_log;
        for (number, segment) in segments.iter().enumerate() {
            let is_log = part && segment.is_log;
            let is_last = number + 1 == segments.len();
            let reach = self.reach(&range, number == 0, is_last);
            self.test(
                &stretch,
                parse::segment(segment, self.limits),
                is_log,
                reach,
            );
            if !is_log {
                let (format, lines) = (segment.format, segment.lines.len() as u64);
                self.list(format, segment.line_numbers(), lines, lines_before);
            }
            if number == 0 && inherits {
                self.outcome.inherited = self.outcome.hits.len();
            }
        }
        if !part {
            self.outcome.invalid += stretch.text.invalid_sequences();
        }
        let other = segments.iter().any(|segment| !segment.is_log);
        if let Some(last) = segments.last().filter(|_| other || !inherits) {
            self.run = if last.is_log && last.subject != Subject::default() {
                Run::Known(last.subject.clone())
            } else {
                Run::Ended
            };
        }
    }

    /// Fills in what is known of the log that single records stand in.
    fn fill(&mut self, events: &mut [Event<'_>]) {
        if let Run::Known(subject) = &self.run {
            for event in events {
                event.subject.fill_from(subject);
            }
        }
    }

    /// Takes a time as a witness of the year.
    fn dated(&mut self, time: Option<Stamp>) {
        if let Some(time) = time.filter(|time| time.year_stated) {
            self.outcome.latest = self.outcome.latest.max(Some(time.nanos));
        }
    }

    /// Lists a segment: its first and last line, and how many it has.
    fn list(&mut self, format: Format, (first, last): (u64, u64), lines: u64, lines_before: u64) {
        count(&mut self.outcome.formats, format, lines);
        if self.outcome.segments.len() < MAX_SEGMENTS {
            self.outcome.segments.push(SegmentSummary {
                format,
                first_line: lines_before + first,
                last_line: lines_before + last,
            });
        }
    }

    /// Tests what was parsed. Records of a log were counted before.
    fn test(&mut self, stretch: &Stretch, mut parsed: Parsed<'_>, counted: bool, reach: Reach) {
        parsed
            .events
            .iter()
            .for_each(|event| self.dated(event.time));
        for event in &parsed.events {
            if !self.tester.takes(event) {
                continue;
            }
            let outcome = &mut self.outcome;
            let before = outcome.hits.len();
            let mut vain: Vec<Leaf> = Vec::new();
            self.tester
                .event(stretch, event, &mut outcome.hits, |leaf| vain.push(leaf));
            let hits = outcome.hits.get(before..).unwrap_or_default();
            if counted && !vain.is_empty() {
                let record = stretch.text.text().as_bytes().get(event.span.clone());
                let record = Record::new(record.unwrap_or_default());
                vain.retain(|leaf| {
                    hits.iter().all(|((hit, _), _)| *hit != leaf.0)
                        && !outcome.vain.contains(&leaf.0)
                        && self.tester.may_fulfil(*leaf, &record)
                });
                outcome.vain.extend(vain.iter().map(|(number, _)| number));
            }
            let catalogue = self.tester.catalogue();
            let covers = |((number, _), _): &(Leaf, Hit)| {
                let condition = &catalogue.at(*number as usize).condition;
                condition.comparisons.is_empty() && is_single(condition)
            };
            outcome.graph.event(stretch.document, event);
            let matched = !hits.is_empty();
            // what is a match by itself is told as a finding
            if !hits.iter().any(covers) {
                outcome.telling.event(stretch, event, matched);
            }
            self.weigh(before, stretch.whole(&event.span));
        }
        let outcome = &mut self.outcome;
        let items = Items::of(&parsed, reach);
        outcome.lists.begin(&items, reach);
        for (number, object) in parsed.objects.iter_mut().enumerate() {
            let before = outcome.hits.len();
            let part = outcome.lists.part(&items, number);
            object.listed |= part.is_some();
            self.tester.object(stretch, object, &mut outcome.hits);
            if let Some(part) = part {
                let waits = |(_, hit): &mut (Leaf, Hit)| hit.of_list;
                let kind = object.subject.kind.as_deref();
                part.object(kind, outcome.hits.extract_if(before.., waits));
            }
            outcome.graph.object(stretch.document, object);
            outcome.prints.extend(Print::of(stretch, object));
            outcome.collected = outcome.collected.max(collected(object));
        }
        if !counted {
            outcome.events += parsed.events.len() as u64;
        }
        outcome.objects += parsed.objects.len() as u64;
        outcome.left_out.add(parsed.left_out);
        let text = |line: u64| {
            let mut text = stretch.text.original_line(line);
            text.truncate(floor_char(&text, MAX_TEXT));
            text
        };
        let lines = parsed.not_understood.iter();
        outcome
            .not_understood
            .extend(lines.map(|line| (line + stretch.lines_before, text(*line))));
    }
}

/// When the record that begins on a line was written.
fn time_of(line: &[u8]) -> Option<Stamp> {
    log::head(std::str::from_utf8(line).unwrap_or(""))?.time
}

pub(super) fn count(formats: &mut Vec<(Format, u64)>, format: Format, lines: u64) {
    match formats.iter_mut().find(|(known, _)| *known == format) {
        Some((_, known)) => *known += lines,
        None => formats.push((format, lines)),
    }
}
