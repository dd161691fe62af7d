//! The most relevant events that no finding covers.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use kwhy_model::{Event, Format, Severity, Subject};
use kwhy_parse::input::{Chunk, Place, floor_char};
use kwhy_parse::plain::reports_failure;
use kwhy_parse::templates::mask;

use super::Covered;
use super::health::Health;
use super::log_course::LogCourse;
use super::over;
use super::snapshots::Snapshots;
use crate::matcher::Moment;
use crate::report::{Evidence, State, Unexplained};
use crate::sort;

/// The maximum number of groups reported.
const MAX_REPORTED: usize = 10;

/// The maximum number of distinct templates; further ones are omitted.
const MAX_TEMPLATES: usize = 2000;

/// The maximum number of matched events per template whose positions are kept.
const MAX_MATCHED: usize = 256;

/// The maximum number of logs and objects per template whose times are kept.
const MAX_SOURCES: usize = 8;

/// The total size in bytes of the lines kept for matched events; beyond it, only positions are kept.
const MAX_LINE_BYTES: usize = 2 << 20;

/// The number of characters of a message that are shown as its reason.
const MAX_WORDS: usize = 120;

/// The number of bytes of a message that determine its template.
const MAX_MESSAGE: usize = 1024;

/// Events at warning level or above and lines that report errors, grouped by template.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnexplainedEvents {
    groups: BTreeMap<EventTemplate, EventGroup>,
    /// True if events of unknown template were skipped.
    missed: bool,
    /// The bytes used by the lines of matched events.
    taken: usize,
    /// The number of log records that report a failure but are logged as information.
    info_failures: u64,
}

/// The template: the reason, and the message without its variable parts.
type EventTemplate = (Option<String>, String);

/// A document's index and a byte offset.
type Position = (usize, usize);

#[derive(Clone, Debug)]
struct EventGroup {
    /// The reason, or the message if there is none.
    words: String,
    severity: Option<Severity>,
    /// The namespace, if all events share it.
    namespace: Option<String>,
    /// The first event, and its line.
    first: (Position, Place),
    /// The number of events that no condition matched.
    count: u64,
    /// True if a condition matched more events than are kept.
    at_least: bool,
    /// The events that a condition matched, each with its count: reported only if no finding is
    /// based on them.
    matched: Vec<(Position, Option<Box<Place>>, u64)>,
    sightings: Vec<Sighting>,
    /// True if there are more logs or objects than are kept.
    is_spread: bool,
}

/// The place where events of a template were seen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// In the log with this document's index.
    Log(usize),
    /// In an event of the cluster about this object.
    Object(Subject),
}

/// The times at which events of a template were seen in one place.
#[derive(Clone, Debug)]
struct Sighting {
    source: Source,
    count: u64,
    first: Option<Moment>,
    last: Option<Moment>,
    /// True if some of the events have no time.
    is_undated: bool,
}

impl Sighting {
    fn of(chunk: &Chunk, event: &Event<'_>) -> Sighting {
        let at = event.time.map(Moment::At);
        let ago = |age: Option<kwhy_model::Age>| age.map(|age| Moment::Ago(age.seconds));
        let last = at.or(ago(event.age));
        let first = event.first_time.map(Moment::At);
        Sighting {
            source: match event.format.is_log() {
                true => Source::Log(chunk.document),
                false => Source::Object(event.subject.clone()),
            },
            count: event.count.max(1),
            first: first.or(at).or(ago(event.first_age)).or(last),
            last,
            is_undated: last.is_none(),
        }
    }

    fn add(&mut self, other: &Sighting) {
        let both =
            |known: Option<Moment>, new: Option<Moment>, choose: fn(Moment, Moment) -> Moment| {
                match (known, new) {
                    (Some(known), Some(new)) => Some(choose(known, new)),
                    (known, new) => known.or(new),
                }
            };
        self.count += other.count;
        self.first = both(self.first, other.first, Moment::earlier);
        self.last = both(self.last, other.last, Moment::later);
        self.is_undated |= other.is_undated;
    }
}

/// The facts that decide whether unexplained events are over.
pub(crate) struct Ended<'i> {
    pub snapshots: &'i Snapshots,
    /// The time of the last record of each document, in nanoseconds since 1970.
    pub last_times: &'i [Option<i128>],
    /// The time at which the input was collected, in nanoseconds since 1970.
    pub now: Option<i128>,
    /// True if everything that the input shows of the cluster and its nodes is healthy.
    pub is_cluster_well: bool,
    /// Adds the year to a time without one.
    pub settle: &'i dyn Fn(Moment) -> Moment,
}

impl Ended<'_> {
    /// Returns true if the events are over: their log continued without them, or their object is healthy. `is_probe` is
    /// true for failures of a probe.
    fn is_over(&self, seen: &Sighting, is_probe: bool) -> bool {
        let settle = |moment: Option<Moment>| moment.map(|moment| (self.settle)(moment));
        let (first, last) = (settle(seen.first), settle(seen.last));
        if seen.is_undated {
            return false;
        }
        let has_settled = self.is_cluster_well
            && over::is_settled((first, last), seen.count, self.now).unwrap_or(false);
        match &seen.source {
            Source::Log(document) => {
                let mut course = LogCourse::default();
                course.add(seen.count, [first, last]);
                let end = self.last_times.get(*document).copied().flatten();
                has_settled || course.is_over(end, 0)
            }
            Source::Object(subject) => {
                let current = self.snapshots.current(subject);
                let is_well = current.is_some_and(|object| object.state.health == Health::Well);
                let is_quiet = || over::is_quiet((first, last), seen.count, self.now);
                let has_acted = || {
                    let restarts = current.is_none_or(|object| object.restarts() > 0);
                    restarts || seen.count >= over::PROBE_THRESHOLD
                };
                let is_harmless = || is_quiet().unwrap_or(false) || (is_probe && !has_acted());
                has_settled || (is_well && is_harmless())
            }
        }
    }

    fn state(&self, group: &EventGroup) -> State {
        let is_fatal = group.severity == Some(Severity::Fatal);
        let is_probe = group.words == "Unhealthy";
        let is_over = |seen: &Sighting| self.is_over(seen, is_probe);
        if !is_fatal && !group.is_spread && group.sightings.iter().all(is_over) {
            State::Over
        } else {
            State::Unknown
        }
    }
}

impl EventGroup {
    fn see(&mut self, seen: Sighting) {
        let mut known = self.sightings.iter_mut();
        if let Some(known) = known.find(|known| known.source == seen.source) {
            known.add(&seen);
        } else if self.sightings.len() < MAX_SOURCES {
            self.sightings.push(seen);
        } else {
            self.is_spread = true;
        }
    }
}

impl UnexplainedEvents {
    /// Adds an event; `matched` is true if it fulfils any condition.
    pub fn event(&mut self, chunk: &Chunk, event: &Event<'_>, matched: bool) {
        if !is_notable(event) {
            self.info_failures += u64::from(reports_failure_as_info(event));
            return;
        }
        let reason = event.reason.as_ref().map(|text| text.as_str().to_owned());
        let message = event.message.as_str();
        let message = &message[..floor_char(message, MAX_MESSAGE)];
        let template = (reason.clone(), mask::text(&mask::tokens(message)));
        if self.groups.len() >= MAX_TEMPLATES && !self.groups.contains_key(&template) {
            self.missed = true;
            return;
        }
        let position = (chunk.document, chunk.whole(&event.span).start);
        let span = if event.message.is_empty() {
            event.span.clone()
        } else {
            event.message.span()
        };
        let words = || {
            // mask before truncating, as a cut secret would not be recognised
            let mut words = reason.unwrap_or_else(|| message.to_owned());
            chunk.hide(&event.span, &mut words);
            if let Some((end, _)) = words.char_indices().nth(MAX_WORDS) {
                words.truncate(end);
                words.push('…');
            }
            words
        };
        let group = self.groups.entry(template).or_insert_with(|| EventGroup {
            words: words(),
            severity: event.severity,
            namespace: event.subject.namespace.clone(),
            first: (position, chunk.place(&span)),
            count: 0,
            at_least: false,
            matched: Vec::new(),
            sightings: Vec::new(),
            is_spread: false,
        });
        group.see(Sighting::of(chunk, event));
        if group.namespace != event.subject.namespace {
            group.namespace = None;
        }
        if !matched {
            group.count += event.count;
        } else if group.matched.len() < MAX_MATCHED {
            let place = chunk.place(&span);
            group
                .matched
                .push((position, Some(Box::new(place)), event.count));
        } else {
            group.at_least = true;
        }
    }

    /// The number of parsed log records that report a failure but are logged as information.
    pub fn info_failures(&self) -> u64 {
        self.info_failures
    }

    /// Notes that some error records were skipped.
    pub fn miss(&mut self) {
        self.missed = true;
    }

    /// Merges the events of a later part of the input, whose document has `lines_before` lines before
    /// that part. `order` compares documents.
    pub fn absorb(
        &mut self,
        later: UnexplainedEvents,
        lines_before: u64,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        self.missed |= later.missed;
        self.info_failures += later.info_failures;
        for (template, mut group) in later.groups {
            group.first.1.line += lines_before;
            let known = self.groups.get(&template);
            if known.is_none() && self.groups.len() >= MAX_TEMPLATES {
                self.missed = true;
                continue;
            }
            let capacity = MAX_MATCHED.saturating_sub(known.map_or(0, |known| known.matched.len()));
            group.at_least |= group.matched.len() > capacity;
            group.matched.truncate(capacity);
            for (_, place, _) in &mut group.matched {
                let Some(known) = place else { continue };
                known.line += lines_before;
                let size = known.text.len() + size_of::<Place>();
                if self.taken + size > MAX_LINE_BYTES {
                    *place = None;
                } else {
                    self.taken += size;
                }
            }
            match self.groups.get_mut(&template) {
                Some(known) => {
                    known.count += group.count;
                    known.at_least |= group.at_least;
                    if known.namespace != group.namespace {
                        known.namespace = None;
                    }
                    known.matched.append(&mut group.matched);
                    known.is_spread |= group.is_spread;
                    group.sightings.into_iter().for_each(|seen| known.see(seen));
                    let (document, known_in) = (group.first.0.0, known.first.0.0);
                    if order(document, known_in) == Ordering::Less {
                        known.words = group.words;
                        known.severity = group.severity;
                        known.first = group.first;
                    }
                }
                None => {
                    self.groups.insert(template, group);
                }
            }
        }
    }

    /// Maps document indices to their final order.
    pub fn renumber(&mut self, numbers: &[usize]) {
        let renumber = |position: &mut Position| super::renumber(&mut position.0, numbers);
        for group in self.groups.values_mut() {
            renumber(&mut group.first.0);
            let matched = group.matched.iter_mut();
            matched.for_each(|(position, ..)| renumber(position));
            sort::by_key(&mut group.matched, |((document, _), ..)| *document);
            for seen in &mut group.sightings {
                if let Source::Log(document) = &mut seen.source {
                    super::renumber(document, numbers);
                }
            }
        }
    }

    /// Returns the most severe and most frequent groups, those that are over last.
    pub fn report(
        self,
        names: &[String],
        covered: &Covered,
        ended: &Ended<'_>,
    ) -> Vec<Unexplained> {
        let open = |group: EventGroup| {
            let state = ended.state(&group);
            let mut count = group.count;
            // the first event represents the others, unless a finding is based on it
            let mut shown = (!covered.contains(&group.first.0)).then(|| group.first.clone());
            for (position, place, events) in group.matched {
                if !covered.contains(&position) {
                    count += events;
                    // if the line was over the size limit, the first event's line shows the wording
                    let place =
                        place.map_or_else(|| group.first.clone(), |place| (position, *place));
                    shown.get_or_insert(place);
                }
            }
            let (position, place) = shown.filter(|_| count > 0)?;
            let source = names.get(position.0)?.clone();
            let unexplained = Unexplained {
                reason: group.words,
                count,
                at_least: group.at_least || self.missed,
                severity: group.severity,
                state,
                evidence: vec![Evidence::at(source, place)],
                namespace: group.namespace,
            };
            Some((position, unexplained))
        };
        let mut all: Vec<_> = self.groups.into_values().filter_map(open).collect();
        sort::by_key(&mut all, |(position, group)| {
            let is_over = group.state == State::Over;
            (
                is_over,
                Reverse(group.severity),
                Reverse(group.count),
                *position,
            )
        });
        all.truncate(MAX_REPORTED);
        all.into_iter().map(|(_, group)| group).collect()
    }
}

fn is_notable(event: &Event<'_>) -> bool {
    match event.severity {
        Some(severity) => severity >= Severity::Warning,
        None => {
            matches!(event.format, Format::Plain | Format::GoLog | Format::Logrus)
                && reports_failure(event.message.as_str())
        }
    }
}

/// Returns true if a log record reports a failure but is logged as information.
fn reports_failure_as_info(event: &Event<'_>) -> bool {
    let is_info = event
        .severity
        .is_some_and(|severity| severity <= Severity::Info);
    let has_error = || {
        let mut errors = ["err", "error"].iter().filter_map(|key| event.field(key));
        errors.any(|error| !matches!(error.as_str(), "" | "nil" | "null" | "<nil>"))
    };
    is_info && event.format.is_log() && (reports_failure(event.message.as_str()) || has_error())
}
