//! The commands that convert: typed events, objects and log records of any input, without a
//! diagnosis.

mod event;
mod fields;
mod filter;
mod json;
mod merge;
mod object;
mod patterns;
mod record;
mod table;
mod tokens;

use kwhy_render::Layout;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use kwhy_core::events::{Event, Extract, ExtractOptions, Folded, extract, extract_with};
use kwhy_core::report::{Identities, LimitMet};

use crate::failure::Failure;
use crate::plan::{BundlePlan, Privacy};
use kwhy_bundle::Source;
use kwhy_bundle::sources::{self, InputSet, Inputs};
use kwhy_bundle::{Document, DocumentSink};
use kwhy_render::counted;

use merge::Sorter;
use tokens::Tokens;

pub use filter::{EventFilter, Moment};

/// The plan of a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct Convert {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// The selection of members of bundles.
    pub bundle: BundlePlan,
    /// The kind of output.
    pub what: What,
    /// The treatment of names and secrets.
    pub privacy: Privacy,
    /// The number of threads; `None` for one on each processor.
    pub threads: Option<usize>,
}

/// The part of the input that is printed.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Events that pass the filter, as a table or as NDJSON.
    Events {
        /// The criteria for events.
        filter: EventFilter,
        /// True for a table, false for NDJSON.
        table: bool,
        /// True to sort by time; `None` to do so only for several documents.
        by_time: Option<bool>,
    },
    /// Templates of the events that pass the filter.
    Patterns {
        /// The criteria for events.
        filter: EventFilter,
        /// True for a table, false for NDJSON.
        table: bool,
        /// True to print the template of each event instead.
        lines: bool,
    },
    /// Objects, as one JSON object or as NDJSON.
    Objects {
        /// True for NDJSON.
        lines: bool,
    },
    /// Log records as NDJSON.
    Records {
        /// True to name the document in each record.
        named: bool,
    },
}

/// Converts all documents that `feed` hands out, and returns the state of the inputs and the notes about them. Tables
/// are fitted into the columns of a terminal, if given.
pub fn run(
    convert: &Convert,
    (layout, columns): (&Layout, Option<usize>),
    reading: &InputSet,
    feed: impl FnOnce(&InputSet, &mut (dyn DocumentSink + Send)) -> Inputs,
    names: Option<&Mutex<Identities>>,
    out: &mut (dyn Write + Send),
) -> Result<(Inputs, Vec<String>), Failure> {
    let by_time = match convert.what {
        What::Events { by_time, .. } => {
            by_time.unwrap_or_else(|| sources::holds_several(&convert.sources))
        }
        _ => false,
    };
    let mut output = Output {
        out,
        failed: None,
        objects: object::Collected::default(),
        folded: folded(&convert.what),
        sorter: by_time.then(Sorter::default),
        number: 0,
        last: i128::MIN,
        limits: Vec::new(),
        more: 0,
    };
    if let What::Events { table: true, .. } = convert.what {
        output.write(table::header(layout, columns).as_bytes());
    }
    let near = match convert.what {
        What::Objects { .. } => None,
        _ if !sources::holds_several(&convert.sources) => None,
        _ => sources::files(&convert.sources).find_map(|path| first_time(&path)),
    };
    let undated = AtomicU64::new(0);
    let mut taking = IncidentSink {
        convert,
        page: (layout, columns),
        near,
        undated: &undated,
        names: Tokens(names),
        output: &mut output,
    };
    let mut inputs = feed(reading, &mut taking);
    let (limits, more) = (std::mem::take(&mut output.limits), output.more);
    output.finish(convert, (layout, columns))?;
    inputs.limits.extend(limits);
    if let Some(last) = inputs.limits.last_mut().filter(|_| more > 0) {
        last.message = format!("{}; {more} more such limits", last.message);
    }
    let undated = undated.into_inner();
    let mut notes = Vec::new();
    if undated > 0 {
        let events = counted(undated, "event");
        notes.push(format!(
            "{events} kept whose time is not known well enough for --since and --until; an age counts back from --now"
        ));
    }
    Ok((inputs, notes))
}

/// Creates an empty set of templates, which also keeps the template of each line if these are printed.
fn folded(what: &What) -> Folded {
    match what {
        What::Patterns { lines: true, .. } => Folded::with_lines(),
        _ => Folded::new(),
    }
}

/// A sink that converts documents and writes them to an output.
struct IncidentSink<'c, 'p, 'o, 'w> {
    convert: &'c Convert,
    page: (&'p Layout, Option<usize>),
    near: Option<i128>,
    /// The number of events kept because their time is unknown.
    undated: &'c AtomicU64,
    names: Tokens<'c>,
    output: &'o mut Output<'w>,
}

impl DocumentSink for IncidentSink<'_, '_, '_, '_> {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        self.output.last = i128::MIN;
        one(
            (self.convert, self.undated, self.names),
            self.page,
            (document, self.near),
            content,
            self.output,
        );
    }
}

/// The destination of the text, in the order of the input or sorted by time.
struct Output<'o> {
    out: &'o mut (dyn Write + Send),
    failed: Option<io::Error>,
    objects: object::Collected,
    folded: Folded,
    sorter: Option<Sorter>,
    /// The number of events so far.
    number: u64,
    /// The time of the last event in the document; an event without a time is sorted after it.
    last: i128,
    /// The first limits that documents met.
    limits: Vec<LimitMet>,
    /// The number of further limits.
    more: u64,
}

/// The maximum number of limits that are listed.
const MAX_TOLD: usize = 20;

/// The time of an event in nanoseconds, and its text.
type Timed = (Option<i128>, Vec<u8>);

impl Output<'_> {
    fn write(&mut self, text: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text).err();
        }
    }

    fn met(&mut self, limits: Vec<LimitMet>) {
        for limit in limits {
            if self.limits.len() < MAX_TOLD {
                self.limits.push(limit);
            } else {
                self.more += 1;
            }
        }
    }

    fn events(&mut self, events: Vec<Timed>) {
        for (time, text) in events {
            let Some(sorter) = &mut self.sorter else {
                self.write(&text);
                continue;
            };
            self.last = time.unwrap_or(self.last);
            let key = (self.last, self.number);
            self.number += 1;
            if self.failed.is_none() {
                self.failed = sorter.add(key, text).err();
            }
        }
    }

    fn finish(
        mut self,
        convert: &Convert,
        (layout, columns): (&Layout, Option<usize>),
    ) -> Result<(), Failure> {
        if let Some(sorter) = self.sorter.take().filter(|_| self.failed.is_none()) {
            for text in sorter.finish()? {
                self.write(&text?);
            }
        }
        match convert.what {
            What::Objects { lines: false } => {
                let text = std::mem::take(&mut self.objects).finish();
                self.write(&text);
            }
            What::Patterns { lines: true, .. } => {
                let mut text = Vec::new();
                let lines = self.folded.lines();
                lines.for_each(|line| event::push(&mut text, &line));
                self.write(&text);
            }
            What::Patterns { table: true, .. } => {
                let text = patterns::table(layout, columns, &self.folded);
                self.write(text.as_bytes());
            }
            What::Patterns { .. } => {
                let mut text = Vec::new();
                let rows = self.folded.rows();
                rows.iter().for_each(|row| event::push(&mut text, row));
                self.write(&text);
            }
            _ => {}
        }
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        Ok(self.out.flush()?)
    }
}

/// The number of bytes of a file that are searched for the year of times that state none.
const BEGINNING: u64 = 256 * 1024;

/// Returns the first time with a year near the start of a file, in nanoseconds, or `None`. Only regular files are
/// read, as a pipe could not be read again.
fn first_time(path: &Path) -> Option<i128> {
    if !path.metadata().is_ok_and(|file| file.is_file()) {
        return None;
    }
    let file = File::open(path).ok()?.take(BEGINNING);
    let mut found = None;
    let time = |part: &Extract<'_>| {
        let mut times = part.parsed.events.iter().filter_map(|event| event.time);
        times.find(|time| time.year_stated).map(|time| time.nanos)
    };
    extract("", file, time, |time| found = found.or(time)).ok()?;
    found
}

/// Converts one document. `near` is a time with a year, for times that state none.
fn one(
    (convert, undated, names): (&Convert, &AtomicU64, Tokens<'_>),
    (layout, columns): (&Layout, Option<usize>),
    (document, near): (Document, Option<i128>),
    reader: impl Read + Send,
    output: &mut Output<'_>,
) {
    let Document { name, about, .. } = document;
    let name = names.text(&name);
    let name = name.as_ref();
    let mut options = ExtractOptions::default().with_about(about);
    options.near = near;
    options.limits = convert.bundle.limits.read;
    options.secrets = convert.privacy.secrets;
    // read errors are ignored here: whatever feeds the sink reports them
    let read = match &convert.what {
        What::Objects { lines } => {
            let map = |part: &Extract<'_>| object::of(part, names);
            extract_with(name, options, reader, map, |more| {
                if *lines {
                    let text = more.lines();
                    output.write(&text);
                } else {
                    output.objects.append(more);
                }
            })
        }
        What::Events { filter, table, .. } => {
            let sorted = output.sorter.is_some();
            let map = |part: &Extract<'_>| {
                let mut texts: Vec<Timed> = Vec::new();
                for event in part
                    .parsed
                    .events
                    .iter()
                    .filter(|event| passes(filter, event, undated))
                {
                    // unsorted, all events of a part share one text
                    if sorted || texts.is_empty() {
                        texts.push((time(event, filter.now), Vec::new()));
                    }
                    let Some((_, text)) = texts.last_mut() else {
                        continue;
                    };
                    let event = names.event(event);
                    if *table {
                        table::row(text, layout, columns, &event);
                    } else {
                        event::line(text, part, &event);
                    }
                }
                texts
            };
            extract_with(name, options, reader, map, |texts| output.events(texts))
        }
        What::Patterns { filter, .. } => {
            let map = |part: &Extract<'_>| {
                let mut folded = folded(&convert.what);
                for event in part
                    .parsed
                    .events
                    .iter()
                    .filter(|event| passes(filter, event, undated))
                {
                    let line = part.lines(&event.span).start;
                    folded.add(&names.event(event), (part.source(), line));
                }
                folded
            };
            extract_with(name, options, reader, map, |folded| {
                output.folded.merge(folded);
            })
        }
        What::Records { named } => extract_with(
            name,
            options,
            reader,
            |part| record::lines(part, names, *named),
            |text| {
                output.write(&text);
            },
        ),
    };
    output.met(read.limits);
}

/// Returns true if an event passes the filter, and counts those that pass because their time is unknown.
fn passes(filter: &EventFilter, event: &Event<'_>, undated: &AtomicU64) -> bool {
    let passes = filter.passes(event);
    if passes && filter.is_undated(event) {
        undated.fetch_add(1, Ordering::Relaxed);
    }
    passes
}

/// Returns the time at which an event was last seen, in nanoseconds since 1970. Ages count back from the time of
/// collection; if it is unknown, it is taken to be later than any time of the input.
fn time(event: &Event<'_>, now: Option<jiff::Timestamp>) -> Option<i128> {
    let now = now.map_or(i128::MAX, |now| now.as_nanosecond());
    match (event.time, event.age) {
        (Some(time), _) => Some(time.nanos),
        (None, Some(age)) => Some(now - i128::from(age.seconds) * 1_000_000_000),
        (None, None) => None,
    }
}
