//! From a stream of bytes to a report, in bounded memory.
//!
//! A document is cut into blocks that can be read by themselves ([`blocks`], [`boundary`]). Of each
//! block only what may prove something is parsed and tested ([`read`], [`survey`]); blocks are read in
//! parallel. What they hold is put together in the order of the input ([`collect`]), so the
//! report is the same for any number of threads.

mod around;
pub(crate) mod blocks;
mod boundary;
mod collect;
mod often;
mod read;
pub(crate) mod survey;
mod utf16;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Read};

use memchr::memchr_iter;
use rayon::prelude::*;

use crate::analyzer::Analyzer;
use crate::correlate::{Telling, Ties, correlate};
use crate::matcher::{Moment, Tester};
use crate::model::{Format, Subject};
use crate::parse::log;
use crate::report::{InputSummary, LimitMet, Report, SCHEMA, SegmentSummary, Stats};
use crate::signature::Index;
use crate::timeline::Timeline;
use crate::years;

use blocks::{Block, Blocks};
use collect::Collector;
use often::{EACH, EXACT, Often};
use read::Outcome;

/// The size of a block: small enough for the second-level cache, large enough to be worth a task.
pub(crate) const BLOCK: usize = 256 * 1024;

/// How many blocks are read in one go for each thread.
const BLOCKS_A_THREAD: usize = 4;

/// How many blocks a generation has. A block is read with what was known at the end of the generation
/// before the last one, whatever the number of threads.
const GENERATION: u64 = 64;

/// How many blocks are read in one go: they reach into two generations at most.
const MAX_BLOCKS: usize = GENERATION as usize / 2;

/// How many line numbers a report lists of what was not understood.
const MAX_LISTED_LINES: usize = 1000;

/// How many segments a report lists of a document.
const MAX_LISTED_SEGMENTS: usize = 1000;

/// How an input is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// The least size of a block that is not a document's last one.
    pub block: usize,
    /// The size up to which all of a document is parsed.
    pub all_up_to: usize,
    /// Whether the time and severity of each log record are counted.
    pub timeline: bool,
}

impl Default for Way {
    fn default() -> Self {
        Way {
            block: BLOCK,
            all_up_to: BLOCK,
            timeline: false,
        }
    }
}

/// Documents that are read one after another as one incident, as streams.
///
/// Memory does not grow with the documents: it holds some blocks for each thread and of each
/// signature's matches the first and last ones.
///
/// ```
/// use analyzer_core::Analyzer;
/// let analyzer = Analyzer::new();
/// let mut incident = analyzer.incident();
/// let log = r#"E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume "conf" : configmap "web-conf" not found"#;
/// incident.read("kubelet.log", log.as_bytes())?;
/// let report = incident.finish();
/// assert_eq!(report.findings[0].cause, "storage/configmap-missing");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Incident<'a> {
    analyzer: &'a Analyzer,
    tester: Tester<'a>,
    index: Option<&'a Index>,
    way: Way,
    /// Blocks that are not read yet.
    waiting: Vec<Block>,
    waiting_bytes: usize,
    documents: Vec<Input>,
    collector: Collector<'a>,
    telling: Telling,
    ties: Ties,
    stats: Stats,
    latest: Option<i128>,
    /// How many blocks were taken.
    taken: u64,
    /// What was known at the end of the last generations of blocks, the oldest first.
    often: VecDeque<Often>,
    /// How many records were counted by a text alone, by the signature's number.
    sampled: BTreeMap<u32, u64>,
    /// Signatures whose text stood in a record that did not fulfil them.
    vain: BTreeSet<u32>,
    timeline: Timeline,
}

/// What is known of a document.
#[derive(Debug, Default)]
struct Input {
    name: String,
    lines: u64,
    formats: Vec<(Format, u64)>,
    not_understood: u64,
    listed: Vec<(u64, String)>,
    segments: Vec<SegmentSummary>,
    long_lines: (u64, Option<u64>),
    invalid: u64,
    /// What a command said of the log that is open at the end of what was read.
    open: Option<Subject>,
}

impl<'a> Incident<'a> {
    pub(crate) fn new(
        analyzer: &'a Analyzer,
        tester: Tester<'a>,
        index: Option<&'a Index>,
        way: Way,
    ) -> Self {
        Incident {
            collector: Collector::new(tester.catalogue()),
            analyzer,
            tester,
            index,
            way,
            waiting: Vec::new(),
            waiting_bytes: 0,
            documents: Vec::new(),
            telling: Telling::default(),
            ties: Ties::default(),
            stats: Stats::default(),
            latest: None,
            taken: 0,
            often: VecDeque::from([Often::default(), Often::default()]),
            sampled: BTreeMap::new(),
            vain: BTreeSet::new(),
            timeline: Timeline::new(),
        }
    }

    /// Reads a document to its end, and says how many bytes it has.
    ///
    /// # Errors
    /// The reader's. What was read before belongs to the incident.
    pub fn read(&mut self, name: impl Into<String>, reader: impl Read + Send) -> io::Result<u64> {
        let number = self.documents.len();
        self.documents.push(Input {
            name: name.into(),
            ..Input::default()
        });
        let mut blocks = Blocks::new(number, reader, self.way.block);
        let blocks_at_once = rayon::current_num_threads() * BLOCKS_A_THREAD;
        let enough = blocks_at_once.min(MAX_BLOCKS) * BLOCK;
        while let Some(block) = blocks.next() {
            self.wait(block);
            while self.waiting_bytes >= enough || self.waiting.len() >= MAX_BLOCKS {
                // while these are read, the next ones are fetched
                let ready = std::mem::take(&mut self.waiting);
                self.waiting_bytes = 0;
                let (outcomes, next) =
                    rayon::join(|| self.outcomes(&ready), || fetch(&mut blocks, enough));
                outcomes.into_iter().for_each(|outcome| self.take(outcome));
                next.into_iter().for_each(|block| self.wait(block));
            }
        }
        self.stats.bytes += blocks.read;
        match blocks.failure {
            Some(error) => Err(error),
            None => Ok(blocks.read),
        }
    }

    /// What no time without a year may be after.
    fn limit(&self) -> Option<i128> {
        let reference = self.analyzer.reference();
        reference.map(|now| now.as_nanosecond()).or(self.latest)
    }

    fn wait(&mut self, block: Block) {
        self.waiting_bytes += block.bytes.len();
        self.waiting.push(block);
    }

    fn outcomes(&self, blocks: &[Block]) -> Vec<Outcome> {
        let read = |(number, block): (u64, &Block)| {
            let all = block.whole && block.bytes.len() <= self.way.all_up_to;
            // the first of the two is that of the generation before the last one
            let last = number / GENERATION - self.taken / GENERATION;
            let often = self.often.get(last as usize);
            let index = self.index.filter(|_| !all);
            let mut outcome =
                read::read(block, &self.tester, index, often.unwrap_or(&self.often[0]));
            if self.way.timeline {
                outcome.timeline = timeline(&block.bytes);
            }
            outcome
        };
        let numbered: Vec<(u64, &Block)> = (self.taken..).zip(blocks).collect();
        match numbered.as_slice() {
            [only] => vec![read(*only)],
            several => several.par_iter().copied().map(read).collect(),
        }
    }

    /// Takes what the next block holds.
    fn take(&mut self, mut outcome: Outcome) {
        self.latest = self.latest.max(outcome.latest);
        let limit = self.limit();
        let Some(input) = self.documents.get_mut(outcome.document) else {
            return;
        };
        let before = input.lines;
        input.lines += outcome.lines;
        input.invalid += outcome.invalid;
        for (format, lines) in outcome.formats {
            read::count(&mut input.formats, format, lines);
        }
        input.not_understood += outcome.not_understood.len() as u64;
        let room = MAX_LISTED_LINES.saturating_sub(input.listed.len());
        let lines = outcome.not_understood.into_iter().take(room);
        input
            .listed
            .extend(lines.map(|(line, text)| (line + before, text)));
        for segment in outcome.segments {
            if input.segments.len() < MAX_LISTED_SEGMENTS {
                input.segments.push(SegmentSummary {
                    first_line: segment.first_line + before,
                    last_line: segment.last_line + before,
                    ..segment
                });
            }
        }
        for line in outcome.long_lines {
            input.long_lines.0 += 1;
            input.long_lines.1.get_or_insert(line + before);
        }
        self.stats.lines += outcome.lines;
        self.stats.events += outcome.events;
        self.stats.records += outcome.events + outcome.objects;
        for (number, (_, hit)) in outcome.hits.iter_mut().enumerate() {
            hit.place.line += before;
            if let Some(open) = input.open.as_ref().filter(|_| number < outcome.inherited) {
                hit.subject.fill_from(open);
            }
        }
        if !outcome.unbroken {
            input.open = outcome.subject;
        }
        let mut hits = outcome.hits.into_iter().peekable();
        while let Some((_, first)) = hits.peek() {
            let record = first.record.start;
            let same = std::iter::from_fn(|| hits.next_if(|(_, hit)| hit.record.start == record));
            self.collector.record(same, |moment| settled(moment, limit));
        }
        self.telling.absorb(outcome.telling, before);
        self.ties.absorb(outcome.ties);
        self.timeline.merge(outcome.timeline);
        self.vain.extend(outcome.vain);
        for (number, count) in outcome.sampled {
            *self.sampled.entry(number).or_default() += count;
        }
        self.taken += 1;
        if self.taken.is_multiple_of(GENERATION) {
            self.often.pop_front();
            self.often.push_back(self.collector.often(&self.vain));
        }
    }

    /// The report of all that was read.
    pub fn finish(mut self) -> Report {
        let ready = std::mem::take(&mut self.waiting);
        let outcomes = self.outcomes(&ready);
        outcomes.into_iter().for_each(|outcome| self.take(outcome));
        let reference = self.analyzer.reference();
        let limit = self.limit();
        let collected = self.collector.finish(|moment| settled(moment, limit));
        let catalogue = self.tester.catalogue();
        let names: Vec<String> = self.documents.iter().map(|i| i.name.clone()).collect();
        let mut limits: Vec<LimitMet> = self.documents.iter().flat_map(Input::damage).collect();
        if let Some(name) = names.first() {
            limits.extend(left_out(name, collected.left_out));
            let further = collected.further.iter();
            let further = further.map(|(number, count)| (&*catalogue.at(*number).id, *count));
            limits.extend(many_objects(name, further.collect()));
            limits.extend(sampled(name, self.sampled.values().sum()));
        }
        let matched = collected.matched.iter();
        let matched = matched
            .map(|(number, count)| (catalogue.at(*number).id.clone(), *count))
            .collect();
        let (findings, covered) = correlate(
            catalogue,
            &names,
            collected.matches,
            collected.surplus,
            &self.ties,
            reference,
        );
        Report {
            schema: SCHEMA,
            findings,
            unexplained: self.telling.report(&names, &covered),
            inputs: self.documents.into_iter().map(Input::summary).collect(),
            limits,
            matched,
            timeline: self.way.timeline.then(|| {
                self.timeline.settle(reference);
                self.timeline.report()
            }),
            stats: self.stats,
        }
    }
}

/// Counts the log records of a block.
fn timeline(bytes: &[u8]) -> Timeline {
    let mut timeline = Timeline::new();
    let mut start = 0;
    let last = (!bytes.ends_with(b"\n")).then_some(bytes.len());
    for end in memchr_iter(b'\n', bytes).chain(last) {
        let line = std::str::from_utf8(&bytes[start..end]).unwrap_or("");
        if let Some(head) = log::head(line) {
            timeline.add(head.time, head.severity);
        }
        start = end + 1;
    }
    timeline
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

/// A time without a year in the year that the limit tells.
fn settled(moment: Moment, limit: Option<i128>) -> Moment {
    match (moment, limit) {
        (Moment::At(stamp), Some(limit)) => {
            Moment::At(years::settled(&stamp, limit).unwrap_or(stamp))
        }
        _ => moment,
    }
}

/// Matches beyond what one condition keeps.
fn left_out(source: &str, matches: u64) -> Option<LimitMet> {
    (matches > 0).then(|| LimitMet {
        source: source.to_owned(),
        limit: "many-matches".into(),
        message: format!("{matches} further matches of the same conditions were not counted"),
    })
}

/// Matches about more objects than are told apart.
fn many_objects(source: &str, mut further: Vec<(&str, u64)>) -> Option<LimitMet> {
    const NAMED: usize = 5;
    further.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
    let all: u64 = further.iter().map(|(_, count)| count).sum();
    let named = further.iter().take(NAMED);
    let mut named: Vec<String> = named.map(|(id, count)| format!("{id} {count}")).collect();
    if further.len() > NAMED {
        named.push(format!("{} more", further.len() - NAMED));
    }
    (all > 0).then(|| LimitMet {
        source: source.to_owned(),
        limit: "many-objects".into(),
        message: format!(
            "{all} matches about further objects were counted and are not listed: {}",
            named.join(", ")
        ),
    })
}

/// Matches that were not all read.
fn sampled(source: &str, records: u64) -> Option<LimitMet> {
    (records > 0).then(|| LimitMet {
        source: source.to_owned(),
        limit: "sampled".into(),
        message: format!(
            "{records} records hold the text of a signature that had matched {EXACT} times: one in {EACH} was read and counts for the others"
        ),
    })
}

impl Input {
    fn damage(&self) -> Vec<LimitMet> {
        let met = |limit: &str, message: String| LimitMet {
            source: self.name.clone(),
            limit: limit.to_owned(),
            message,
        };
        let mut all = Vec::new();
        if self.invalid > 0 {
            let invalid = self.invalid;
            let message = format!("{invalid} byte sequences are no UTF-8 and were read as U+FFFD");
            all.push(met("invalid-utf-8", message));
        }
        if let (lines, Some(first)) = self.long_lines {
            let message = match lines - 1 {
                0 => format!("of line {first} only the first MiB was looked at"),
                more => {
                    format!("of line {first} and {more} more only the first MiB each was looked at")
                }
            };
            all.push(met("long-line", message));
        }
        all
    }

    fn summary(mut self) -> InputSummary {
        let quiet = |format| matches!(format, Format::Command | Format::Prose | Format::Plain);
        self.formats
            .sort_by_key(|(format, lines)| (quiet(*format), std::cmp::Reverse(*lines), *format));
        let format = match self.formats.first() {
            None if self.lines == 0 => "empty".to_owned(),
            None => "text".to_owned(),
            Some((first, _)) if quiet(*first) => "text".to_owned(),
            Some(_) => {
                let told = self.formats.iter().filter(|(format, _)| !quiet(*format));
                told.map(|(format, _)| format.name())
                    .collect::<Vec<_>>()
                    .join(", ")
            }
        };
        let (not_understood_lines, not_understood_texts) = self.listed.into_iter().unzip();
        InputSummary {
            source: self.name,
            format,
            lines: self.lines,
            not_understood: self.not_understood,
            not_understood_lines,
            not_understood_texts,
            segments: self.segments,
        }
    }
}
