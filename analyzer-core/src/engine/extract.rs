//! Extracts all events and objects of a byte stream, without a diagnosis, in bounded memory.

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use super::blocks::{Block, Blocks};
use super::clock_skew::{Clocks, Seen};
use super::document_stats::DocumentStats;
use super::incident::fetch;
use super::pieces::Piece;
use super::{BLOCK, BLOCKS_A_THREAD, MAX_BLOCKS};
use crate::parallel;
use crate::report::LimitMet;
use kwhy_model::{Event, Parsed, Span, Subject};
use kwhy_parse::input::{
    Around, Chunk, Document, Place, ReadLimits, Segment, is_output, log_section, segments_within,
};
use kwhy_parse::redact::SecretPolicy;
use kwhy_parse::table::OpenTable;
use kwhy_parse::{self as parse, infer_year, redact};

/// A parsed part of a document, as [`extract`] passes it on.
#[derive(Debug)]
#[non_exhaustive]
pub struct Extract<'e> {
    source: &'e str,
    chunk: &'e Chunk,
    /// Its events and objects; their spans are ranges of the part's clean text.
    pub parsed: Parsed<'e>,
}

impl Extract<'_> {
    /// The document's name.
    pub fn source(&self) -> &str {
        self.source
    }

    /// Returns the place of a span in the document.
    pub fn place(&self, span: &Span) -> Place {
        self.chunk.place(span)
    }

    /// Returns true if escape sequences, carriage returns or invisible characters were removed from a span's text.
    pub fn is_cleaned(&self, span: &Span) -> bool {
        self.chunk.text.is_cleaned(span)
    }

    /// Returns the lines of the document that a span covers, counted from 1.
    pub fn lines(&self, span: &Span) -> Range<u64> {
        let text = &self.chunk.text;
        let last = span.end.max(span.start + 1) - 1;
        let before = self.chunk.lines_before;
        before + text.line_of(span.start)..before + text.line_of(last) + 1
    }

    /// Returns the lines of the document that no parser understood, counted from 1.
    pub fn not_understood(&self) -> impl Iterator<Item = u64> {
        let before = self.chunk.lines_before;
        self.parsed
            .not_understood
            .iter()
            .map(move |line| line + before)
    }
}

/// Reads a document to its end and returns its size in bytes. `map` is applied to its parts, several at a time, and the
/// results are passed to `each` in document order.
///
/// ```
/// use kwhy_core::events::extract;
/// let log = "E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\" err=\"timeout\"\n";
/// let mut messages = Vec::new();
/// extract("kubelet.log", log.as_bytes(), |part| {
///     let events = part.parsed.events.iter();
///     events.map(|event| event.message.to_string()).collect::<Vec<_>>()
/// }, |mut more| messages.append(&mut more))?;
/// assert_eq!(messages, ["Sync failed"]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The reader's. Parts read before it have been passed to `each`.
pub fn extract<T: Send>(
    source: &str,
    reader: impl Read,
    map: impl Fn(&Extract<'_>) -> T + Sync,
    each: impl FnMut(T),
) -> io::Result<u64> {
    let read = extract_with(source, ExtractOptions::default(), reader, map, each);
    match read.failure {
        Some(error) => Err(error),
        None => Ok(read.bytes),
    }
}

/// The options of extraction: facts about a document besides its text, and the limits of reading.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ExtractOptions {
    /// The object that the document's location indicates.
    pub about: Subject,
    /// A time from elsewhere, such as another file of the same incident, in nanoseconds since 1970. Times without a
    /// year are placed near it unless the document states a year before them, which takes precedence.
    pub near: Option<i128>,
    /// The limits of reading.
    pub limits: ReadLimits,
    /// The policy for secrets: they are masked by default.
    pub secrets: SecretPolicy,
}

impl ExtractOptions {
    /// Sets the object that the document's location indicates.
    ///
    /// ```
    /// use kwhy_core::events::{ExtractOptions, extract_with};
    /// use kwhy_core::Subject;
    /// let options = ExtractOptions::default().with_about(Subject::new("Pod", Some("shop"), "web-0"));
    /// let mut subjects = Vec::new();
    /// let first = |part: &kwhy_core::events::Extract<'_>| part.parsed.events[0].subject.to_string();
    /// extract_with("web.log", options, "panic: no\n".as_bytes(), first, |subject| subjects.push(subject));
    /// assert_eq!(subjects, ["Pod shop/web-0"]);
    /// ```
    pub fn with_about(mut self, about: Subject) -> ExtractOptions {
        self.about = about;
        self
    }

    /// Sets a time from elsewhere, in nanoseconds since 1970, near which times without a year are placed.
    ///
    /// ```
    /// use kwhy_core::events::{ExtractOptions, extract_with};
    /// let log = "E1231 23:59:58.000001       1 sync.go:88] \"Sync failed\"\n";
    /// let options = ExtractOptions::default().with_near(1_704_172_767_000_000_000);
    /// let mut times = Vec::new();
    /// let first = |part: &kwhy_core::events::Extract<'_>| part.parsed.events[0].time.map(|time| time.to_string());
    /// extract_with("sync.log", options, log.as_bytes(), first, |time| times.extend(time));
    /// assert_eq!(times, ["2023-12-31T23:59:58.000001Z"]);
    /// ```
    pub fn with_near(mut self, nanoseconds: i128) -> ExtractOptions {
        self.near = Some(nanoseconds);
        self
    }

    /// Sets the limits of reading.
    pub fn with_limits(mut self, limits: ReadLimits) -> ExtractOptions {
        self.limits = limits;
        self
    }

    /// Sets how secrets are treated.
    ///
    /// ```
    /// use kwhy_core::events::{ExtractOptions, SecretPolicy, extract_with};
    /// let log = "E0304 05:06:07.000008       1 login.go:9] \"Login failed\" password=\"hunter22\"\n";
    /// let read = |options| {
    ///     let mut values = Vec::new();
    ///     let first = |part: &kwhy_core::events::Extract<'_>| part.parsed.events[0].field("password").map(|it| it.to_string());
    ///     extract_with("login.log", options, log.as_bytes(), first, |value| values.extend(value));
    ///     values
    /// };
    /// assert_eq!(read(ExtractOptions::default()), ["***"]);
    /// assert_eq!(read(ExtractOptions::default().with_secrets(SecretPolicy::Show)), ["hunter22"]);
    /// ```
    pub fn with_secrets(mut self, secrets: SecretPolicy) -> ExtractOptions {
        self.secrets = secrets;
        self
    }
}

/// The result of reading a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Extracted {
    /// The size in bytes.
    pub bytes: u64,
    /// The limits that were reached.
    pub limits: Vec<LimitMet>,
    /// The reason why it was not read to its end. Parts read before it have been passed to `each`.
    pub failure: Option<io::Error>,
}

/// Reads like [`extract`], with options.
///
/// ```
/// use kwhy_core::events::{ExtractOptions, extract_with};
/// use kwhy_core::report::Limit;
/// use kwhy_core::ReadLimits;
/// let options = ExtractOptions::default().with_limits(ReadLimits::default().with_line_length(64));
/// let log = format!("E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\"{}\n", " and so on".repeat(9));
/// let read = extract_with("kubelet.log", options, log.as_bytes(), |part| part.parsed.events.len(), |_| {});
/// assert_eq!(read.limits[0].limit, Limit::LongLine);
/// ```
pub fn extract_with<T: Send>(
    source: &str,
    options: ExtractOptions,
    reader: impl Read,
    map: impl Fn(&Extract<'_>) -> T + Sync,
    mut each: impl FnMut(T),
) -> Extracted {
    let limits = options.limits.bounded();
    let source = &*options.secrets.shown(source);
    let mut blocks = Blocks::new(0, reader, BLOCK).with_limits(limits);
    let at_once = (parallel::threads() * BLOCKS_A_THREAD).min(MAX_BLOCKS);
    let mut state = State {
        about: options.about,
        near: options.near,
        limits,
        secrets: options.secrets,
        met: DocumentStats {
            name: source.to_owned(),
            ..DocumentStats::default()
        },
        ..State::default()
    };
    let mut ready = fetch(&mut blocks, at_once * BLOCK);
    while !ready.is_empty() {
        let mut made = Vec::new();
        let next = parallel::beside(
            || made = state.read(source, ready, &map),
            || fetch(&mut blocks, at_once * BLOCK),
        );
        made.into_iter().for_each(&mut each);
        ready = next;
    }
    Extracted {
        bytes: blocks.read,
        limits: state.met.damage(&limits),
        failure: blocks.failure,
    }
}

/// The state of the document at the end of what was read.
#[derive(Default)]
struct State {
    /// The object that the document's location indicates.
    about: Subject,
    /// A time with a year, from which the years of times before the first stated year are inferred.
    near: Option<i128>,
    /// True if anything was read.
    begun: bool,
    lines: u64,
    limits: ReadLimits,
    secrets: SecretPolicy,
    /// The limits that were reached.
    met: DocumentStats,
    /// The object of the open log, if a command names it.
    open: Option<Subject>,
    /// The container whose marked log is open.
    enclosing: Option<Subject>,
    /// The latest time with a year, in nanoseconds since 1970.
    latest: Option<i128>,
    clocks: Clocks,
}

/// Returns the latest time with a year that an event or its envelope states.
fn dated(event: &Event<'_>) -> Option<i128> {
    let enveloped = event.envelope.as_ref().and_then(|envelope| envelope.time);
    let times = [event.time, enveloped].into_iter().flatten();
    times
        .filter(|time| time.year_stated)
        .map(|time| time.nanos)
        .max()
}

/// Adds years to times that lack them: from the record's envelope, or else the year nearest to the latest preceding
/// time in the document.
fn settle(events: &mut [Event<'_>], mut latest: Option<i128>) {
    for event in events {
        let own = dated(event);
        let enveloped = event
            .envelope
            .as_mut()
            .and_then(|envelope| envelope.time.as_mut());
        for time in event.time.as_mut().into_iter().chain(enveloped) {
            let settled = match (own, latest) {
                // a record is written before its envelope
                (Some(own), _) => infer_year::settled(time, own),
                (None, Some(latest)) => infer_year::nearest(time, latest),
                (None, None) => None,
            };
            *time = settled.unwrap_or(*time);
        }
        latest = latest.max(own);
    }
}

/// Sets the line numbers of segments to those of the document, where lines were joined.
fn numbered<'a>(mut segments: Vec<Segment<'a>>, chunk: &Chunk) -> Vec<Segment<'a>> {
    if chunk.text.has_joined_lines() {
        let lines = segments.iter_mut().flat_map(|segment| &mut segment.lines);
        lines.for_each(|line| line.number = chunk.text.line_of(line.start));
    }
    segments
}

impl State {
    fn read<T: Send>(
        &mut self,
        source: &str,
        blocks: Vec<Block>,
        map: impl Fn(&Extract<'_>) -> T + Sync,
    ) -> Vec<T> {
        let around: Vec<(Option<Arc<OpenTable>>, bool)> = blocks
            .iter()
            .map(|block| (block.table.clone(), block.followed))
            .collect();
        let pieces: Vec<Option<Piece>> = blocks.iter().map(|block| block.piece.clone()).collect();
        let long: Vec<Vec<u64>> = blocks
            .iter()
            .map(|block| block.long_lines.iter().map(|line| line + 1).collect())
            .collect();
        let blocks = blocks.into_iter().zip(&pieces).collect();
        let chunks = parallel::map(blocks, |(block, piece): (Block, &Option<Piece>)| Chunk {
            document: block.document,
            first_byte: block.offset,
            lines_before: memchr_iter(b'\n', &block.bytes).count() as u64,
            text: match block.whole && block.bytes.len() <= BLOCK {
                true => Document::new("", block.bytes).with_joined_lines(),
                false => Document::new("", block.bytes),
            },
            gaps: piece
                .as_ref()
                .map_or(Vec::new(), |piece| piece.gaps.clone()),
            ends: piece
                .as_ref()
                .map_or(Vec::new(), |piece| piece.ends.clone()),
            secrets: self.secrets.places(),
        });
        let chunks: Vec<Chunk> = chunks
            .into_iter()
            .zip(long)
            .map(|(chunk, long)| {
                let before = self.lines;
                self.lines += chunk.lines_before;
                self.met.met_long_lines(&long, before);
                Chunk {
                    lines_before: before,
                    ..chunk
                }
            })
            .collect();
        let around: Vec<Around<'_>> = around
            .iter()
            .map(|(table, record_follows)| Around {
                table: table.as_deref(),
                record_follows: *record_follows,
            })
            .collect();
        let uncut = chunks.iter().zip(around).zip(&pieces).collect();
        let mut cut = parallel::map(
            uncut,
            |((chunk, around), piece): ((&Chunk, Around<'_>), &Option<Piece>)| match piece {
                Some(_) => Vec::new(),
                None => numbered(segments_within(chunk.text.text(), around), chunk),
            },
        );
        for (segments, piece) in cut.iter_mut().zip(&pieces) {
            match piece {
                Some(_) => self.open = None,
                None => self.inherit(segments),
            }
        }
        let unparsed = cut.into_iter().zip(&chunks).zip(&pieces).collect();
        let parsed = parallel::map(
            unparsed,
            |((segments, chunk), piece): ((Vec<Segment<'_>>, &Chunk), &Option<Piece>)| {
                let mut parsed = match piece {
                    Some(piece) => piece.parse(chunk.text.text(), &self.limits),
                    None => Parsed::default(),
                };
                let segments = parse::segments_of_stream(chunk.text.text(), segments);
                for segment in &numbered(segments, chunk) {
                    parsed.append(parse::segment_of_stream(segment, &self.limits));
                }
                for event in &mut parsed.events {
                    event.subject.fill_from(&self.about);
                }
                let latest = parsed.events.iter().filter_map(dated).max();
                (parsed, latest)
            },
        );
        for (parsed, _) in &parsed {
            self.met.left_out.add(parsed.left_out);
        }
        if !std::mem::replace(&mut self.begun, true)
            && let Some((first, _)) = parsed.first()
        {
            // the first block does not depend on the number of threads
            self.near = first.events.iter().find_map(dated).or(self.near);
        }
        let dated: Vec<(Parsed<'_>, Option<i128>)> = parsed
            .into_iter()
            .map(|(parsed, latest)| {
                let before = self.latest;
                self.latest = before.max(latest);
                (parsed, before.or(self.near))
            })
            .collect();
        let ordered = parallel::map(dated, |(mut parsed, latest): (Parsed<'_>, Option<i128>)| {
            settle(&mut parsed.events, latest);
            let seen = Seen::mark(&mut parsed.events);
            (parsed, seen)
        });
        let ordered: Vec<Parsed<'_>> = ordered
            .into_iter()
            .map(|(mut parsed, seen)| {
                self.clocks.resume(&mut parsed.events, seen);
                parsed
            })
            .collect();
        let settled = chunks.iter().zip(ordered).collect();
        parallel::map(settled, |(chunk, mut parsed): (&Chunk, Parsed<'_>)| {
            redact::parsed(&mut parsed, chunk.secrets());
            map(&Extract {
                source,
                chunk,
                parsed,
            })
        })
    }

    /// Completes the segments of the log that is open at a block's start, and keeps what is known of the one that is
    /// open at its end.
    fn inherit(&mut self, segments: &mut [Segment<'_>]) {
        for segment in segments.iter_mut() {
            if let Some(container) = log_section(segment) {
                self.enclosing = container;
            } else if let Some(container) = self.enclosing.as_ref()
                && is_output(segment.format)
            {
                segment.subject.fill_from(container);
            }
        }
        let Some(first) = segments.first_mut() else {
            return;
        };
        let continues = first.is_log && first.subject == Subject::default();
        if let Some(open) = self.open.as_ref().filter(|_| continues) {
            first.subject.fill_from(open);
        }
        let unbroken = continues && segments.iter().all(|segment| segment.is_log);
        if let Some(last) = segments.last().filter(|_| !unbroken) {
            let known = last.is_log && last.subject != Subject::default();
            self.open = known.then(|| last.subject.clone());
        }
    }
}
