//! The way from documents to a report.

use std::sync::OnceLock;

use jiff::Timestamp;
use rayon::prelude::*;

use crate::correlate::{Ties, correlate, telling};
use crate::input::{Document, Segment, segments};
use crate::matcher::{Matcher, Prefilter};
use crate::model::{Event, Format, Parsed};
use crate::parse;
use crate::report::{InputSummary, LimitMet, Report, SCHEMA, SegmentSummary, Stats};
use crate::signature::Catalogue;
use crate::years;

/// How many line numbers a report lists of what was not understood.
const MAX_LISTED_LINES: usize = 1000;

/// Finds root causes with a catalogue of signatures.
///
/// ```
/// use analyzer_core::Analyzer;
/// let paste = r#"Warning  FailedMount  5s (x9 over 3m)  kubelet  MountVolume.SetUp failed for volume "conf" : configmap "web-conf" not found"#;
/// let report = Analyzer::new().analyze_text("stdin", paste);
/// assert_eq!(report.findings[0].cause, "storage/configmap-missing");
/// assert_eq!(report.findings[0].captures["configmap"], "web-conf");
/// ```
#[derive(Debug)]
pub struct Analyzer {
    catalogue: Catalogue,
    /// Made when it is first needed, and kept for the next input.
    prefilter: OnceLock<Prefilter>,
    reference: Option<Timestamp>,
    naive: bool,
}

impl Default for Analyzer {
    fn default() -> Self {
        Analyzer::new()
    }
}

impl Analyzer {
    /// With the built-in signatures.
    pub fn new() -> Analyzer {
        Analyzer::with_catalogue(Catalogue::builtin())
    }

    /// With signatures of one's own, or the built-in ones and more.
    pub fn with_catalogue(catalogue: Catalogue) -> Analyzer {
        Analyzer {
            catalogue,
            prefilter: OnceLock::new(),
            reference: None,
            naive: false,
        }
    }

    /// Takes `now` as the time at which the input was made: ages become times, and stamps without a
    /// year get the latest one that is not after it. Without it ages stay ages, and a year is
    /// taken from the input where it shows one.
    pub fn with_reference_time(mut self, now: Timestamp) -> Analyzer {
        self.reference = Some(now);
        self
    }

    /// Tests every signature on everything: the slow reference that tests compare with.
    #[doc(hidden)]
    pub fn with_naive_matching(mut self) -> Analyzer {
        self.naive = true;
        self
    }

    /// The signatures in use.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Analyses one text.
    pub fn analyze_text(&self, name: &str, bytes: impl Into<Vec<u8>>) -> Report {
        self.analyze(&[Document::new(name, bytes)])
    }

    /// Analyses documents as one incident.
    pub fn analyze(&self, documents: &[Document]) -> Report {
        let mut matcher = if self.naive {
            Matcher::naive(&self.catalogue)
        } else {
            Matcher::new(
                &self.catalogue,
                self.prefilter
                    .get_or_init(|| Prefilter::new(&self.catalogue)),
            )
        };
        let mut inputs = Vec::new();
        let mut limits = Vec::new();
        let mut stats = Stats::default();
        let mut read: Vec<Read<'_>> = if documents.len() > 1 {
            documents.par_iter().map(Read::of).collect()
        } else {
            documents.iter().map(Read::of).collect()
        };
        years::settle(
            read.iter_mut().flat_map(|read| &mut read.parsed.events),
            self.reference,
        );
        let mut ties = Ties::default();
        let mut all_events: Vec<(usize, Vec<Event<'_>>)> = Vec::new();
        for (number, (document, Read { segments, parsed })) in
            documents.iter().zip(read).enumerate()
        {
            for event in &parsed.events {
                matcher.event(number, event);
            }
            for object in &parsed.objects {
                matcher.object(number, object);
                ties.object(number, object);
            }
            stats.bytes += document.byte_count();
            stats.lines += document.line_count();
            stats.events += parsed.events.len() as u64;
            stats.records += (parsed.events.len() + parsed.objects.len()) as u64;
            inputs.push(summary(document, &segments, parsed.not_understood));
            limits.extend(damage(document));
            all_events.push((number, parsed.events));
        }
        limits.extend(left_out(documents, matcher.left_out()));
        let (findings, covered) = correlate(
            &self.catalogue,
            documents,
            matcher.finish(),
            &ties,
            self.reference,
        );
        let unexplained = telling(documents, &all_events, &covered);
        Report {
            schema: SCHEMA,
            findings,
            unexplained,
            inputs,
            limits,
            stats,
        }
    }
}

/// A document, cut and parsed.
struct Read<'a> {
    segments: Vec<Segment<'a>>,
    parsed: Parsed<'a>,
}

impl<'a> Read<'a> {
    fn of(document: &'a Document) -> Read<'a> {
        let segments = segments(document.text());
        let parsed = parse::segments(&segments);
        Read { segments, parsed }
    }
}

fn summary(
    document: &Document,
    segments: &[Segment<'_>],
    not_understood: Vec<u64>,
) -> InputSummary {
    let mut formats: Vec<(Format, usize)> = Vec::new();
    let quiet = |format| matches!(format, Format::Command | Format::Prose | Format::Plain);
    for segment in segments {
        match formats
            .iter_mut()
            .find(|(known, _)| *known == segment.format)
        {
            Some((_, lines)) => *lines += segment.lines.len(),
            None => formats.push((segment.format, segment.lines.len())),
        }
    }
    formats.sort_by_key(|(format, lines)| (quiet(*format), std::cmp::Reverse(*lines)));
    let format = match formats.first() {
        None => "empty".to_owned(),
        Some((first, _)) if quiet(*first) => "text".to_owned(),
        Some(_) => {
            let told = formats.iter().filter(|(format, _)| !quiet(*format));
            told.map(|(format, _)| format.name())
                .collect::<Vec<_>>()
                .join(", ")
        }
    };
    InputSummary {
        source: document.name().to_owned(),
        format,
        lines: document.line_count(),
        not_understood: not_understood.len() as u64,
        not_understood_lines: not_understood.into_iter().take(MAX_LISTED_LINES).collect(),
        segments: segments
            .iter()
            .map(|segment| {
                let (first_line, last_line) = segment.line_numbers();
                SegmentSummary {
                    format: segment.format,
                    first_line,
                    last_line,
                }
            })
            .collect(),
    }
}

/// Matches beyond what one condition keeps.
fn left_out(documents: &[Document], matches: u64) -> Option<LimitMet> {
    let source = documents.first().filter(|_| matches > 0)?.name().to_owned();
    Some(LimitMet {
        source,
        limit: "many-matches".into(),
        message: format!("{matches} further matches of the same conditions were not counted"),
    })
}

fn damage(document: &Document) -> Vec<LimitMet> {
    let met = |limit: &str, message: String| LimitMet {
        source: document.name().to_owned(),
        limit: limit.to_owned(),
        message,
    };
    let mut all = Vec::new();
    let invalid = document.invalid_sequences();
    if invalid > 0 {
        let message = format!("{invalid} byte sequences are no UTF-8 and were read as U+FFFD");
        all.push(met("invalid-utf-8", message));
    }
    let mut long = document.long_lines();
    if let Some(first) = long.next() {
        let message = match long.count() {
            0 => format!("of line {first} only the first MiB was looked at"),
            more => {
                format!("of line {first} and {more} more only the first MiB each was looked at")
            }
        };
        all.push(met("long-line", message));
    }
    all
}
