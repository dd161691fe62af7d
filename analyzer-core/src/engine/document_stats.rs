//! The part of a report about the documents and the limits that were reached.

use std::collections::BTreeSet;

use crate::correlate::Omitted;
use crate::report::{InputSummary, Limit, LimitMet, SegmentSummary};
use crate::sort;
use kwhy_model::{Format, LeftOut as LeftOutOfObjects, Stamp, Subject};
use kwhy_parse::input::ReadLimits;

/// A document and its state.
#[derive(Clone, Debug, Default)]
pub(super) struct DocumentStats {
    pub name: String,
    /// The object that the document's location indicates.
    pub about: Subject,
    /// The number of bytes cut into blocks: decoded text, without the omitted ends of long lines.
    pub bytes: usize,
    /// The number of bytes that its readers provided.
    pub read: u64,
    pub lines: u64,
    /// The number of the last line that certainly starts a log record; 0 if none does.
    pub last_record: u64,
    pub formats: Vec<(Format, u64)>,
    /// The number of cluster events with a reason.
    pub cluster_events: u64,
    pub not_understood: u64,
    /// The last of these lines.
    pub failed: Option<u64>,
    pub listed: Vec<(u64, String)>,
    pub segments: Vec<SegmentSummary>,
    pub long_lines: (u64, Option<u64>),
    pub invalid: u64,
    /// The number of tests of raw records that stopped at a limit.
    pub stopped: u64,
    /// The parts of objects that were omitted.
    pub left_out: LeftOutOfObjects,
    /// The times of the first and the last log record that state one.
    pub ends: Option<(Stamp, Stamp)>,
    /// The object of the log that is open at the end of what was read, if a command names it.
    pub open: Option<Subject>,
    /// The container whose marked log is open at the end of what was read.
    pub enclosing: Option<Subject>,
    /// The number of bytes after which reading was cancelled, if it was.
    pub cancelled_after: Option<u64>,
}

/// Returns the sum of what the signatures omit and a list that names them, largest first: `a 30, b 4`. `None` if
/// nothing was omitted.
fn named(mut counts: Vec<(&str, u64)>) -> Option<(u64, String)> {
    counts.retain(|(_, count)| *count > 0);
    sort::by_key(&mut counts, |(id, count)| (std::cmp::Reverse(*count), *id));
    let all = counts.iter().map(|(_, count)| count).sum();
    let named = counts.iter().map(|(id, count)| format!("{id} {count}"));
    let named: Vec<String> = named.collect();
    (all > 0).then(|| (all, named.join(", ")))
}

/// Reports matches beyond what one condition keeps, by signature.
pub(super) fn many_matches(source: &str, left_out: Vec<(&str, u64)>) -> Option<LimitMet> {
    let (all, named) = named(left_out)?;
    Some(LimitMet {
        source: source.to_owned(),
        limit: Limit::ManyMatches,
        message: format!(
            "{all} further matches of the same conditions were not counted, so counts of these signatures are lower bounds: {named}"
        ),
    })
}

/// Reports matches about more objects than are distinguished, by signature.
pub(super) fn many_objects(source: &str, further: Vec<(&str, u64)>) -> Option<LimitMet> {
    let (all, named) = named(further)?;
    Some(LimitMet {
        source: source.to_owned(),
        limit: Limit::ManyObjects,
        message: format!(
            "{all} matches about further objects were counted and are not listed: {named}"
        ),
    })
}

/// Reports lines with errors that match no signature and were not parsed.
pub(super) fn many_errors(source: &str, lines: u64) -> Option<LimitMet> {
    (lines > 0).then(|| LimitMet {
        source: source.to_owned(),
        limit: Limit::ManyErrors,
        message: format!(
            "{lines} further lines that report errors contain no text of a signature and were not read: unexplained events may be more than are counted"
        ),
    })
}

/// Reports relations between objects that were not kept.
pub(super) fn many_relations(source: &str, left: Omitted, details: u64) -> Option<LimitMet> {
    let omissions = [
        (left.relations, "relations of objects"),
        (left.addresses, "addresses"),
        (left.pods, "pods' labels"),
        (left.selectors, "selectors"),
        (left.ids, "ids of pods and containers"),
        (left.snapshots, "prints of objects"),
        (details, "details of findings"),
    ];
    let omissions = omissions.into_iter().filter(|(count, _)| *count > 0);
    let omissions: Vec<String> = omissions
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!omissions.is_empty()).then(|| LimitMet {
        source: source.to_owned(),
        limit: Limit::ManyRelations,
        message: format!(
            "{} were not kept: a finding may lack the one that explains it, or that it is over",
            omissions.join(", ")
        ),
    })
}

/// Reports unexplained findings that were not compared with all others.
pub(super) fn not_compared(source: &str, findings: u64) -> Option<LimitMet> {
    (findings > 0).then(|| LimitMet {
        source: source.to_owned(),
        limit: Limit::ManyFindings,
        message: format!(
            "for {findings} of the findings that nothing explains, not all the others that may explain them were looked at"
        ),
    })
}

/// The maximum number of namespaces that are reported.
const MAX_NAMESPACES: usize = 1000;

/// Adds the namespace that a subject is in, or is itself.
pub(super) fn note_namespace(subject: &Subject, namespaces: &mut BTreeSet<String>) {
    let own = match subject.kind.as_deref() {
        Some("Namespace") => subject.name.as_ref(),
        _ => subject.namespace.as_ref(),
    };
    if let Some(own) = own {
        note(own, namespaces);
    }
}

/// Adds a name if it is valid for a namespace.
pub(super) fn note(name: &str, namespaces: &mut BTreeSet<String>) {
    const LONGEST: usize = 63;
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if namespaces.len() < MAX_NAMESPACES
        && (1..=LONGEST).contains(&name.len())
        && !namespaces.contains(name)
        && name.bytes().all(is_of_name)
    {
        namespaces.insert(name.to_owned());
    }
}

impl DocumentStats {
    /// Returns the line on which the last log record starts; the last line if none is recognised by its first bytes, as
    /// in a log with numbers or marks before its lines.
    pub fn last_record(&self) -> u64 {
        match self.last_record {
            0 => self.lines,
            line => line,
        }
    }

    /// Adds the lines of a block whose ends were omitted, numbered from 1 after the lines before it.
    pub fn met_long_lines(&mut self, lines: &[u64], before: u64) {
        self.long_lines.0 += lines.len() as u64;
        let first = lines.first().map(|line| line + before);
        self.long_lines.1 = self.long_lines.1.or(first);
    }

    /// Returns the limits about parts of the document that could not be read, or were not.
    pub fn damage(&self, limits: &ReadLimits) -> Vec<LimitMet> {
        let met = |limit, message: String| LimitMet::new(self.name.as_str(), limit, message);
        let mut all = Vec::new();
        if self.invalid > 0 {
            let invalid = self.invalid;
            let message = format!("{invalid} byte sequences are no UTF-8 and were read as U+FFFD");
            all.push(met(Limit::InvalidUtf8, message));
        }
        if let (lines, Some(first)) = self.long_lines {
            let length = match limits.line_length {
                whole if whole == ReadLimits::default().line_length => "MiB".to_owned(),
                bytes => format!("part of {bytes} bytes"),
            };
            let message = match lines - 1 {
                0 => format!("of line {first} only the first {length} was looked at"),
                more => {
                    format!(
                        "of line {first} and {more} more only the first {length} each was looked at"
                    )
                }
            };
            all.push(met(Limit::LongLine, message));
        }
        if self.left_out.too_deep > 0 {
            let (count, depth) = (self.left_out.too_deep, limits.depth);
            let message =
                format!("maps and lists that stand in {depth} others were left out: {count}");
            all.push(met(Limit::Depth, message));
        }
        if self.left_out.aliases > 0 {
            let (count, values) = (self.left_out.aliases, limits.aliases);
            let message =
                format!("aliases that stand for more than {values} values were left out: {count}");
            all.push(met(Limit::Aliases, message));
        }
        if let Some(bytes) = self.cancelled_after {
            let message = format!(
                "reading was cancelled after {bytes} bytes: the report is about what was read until then"
            );
            all.push(met(Limit::Interrupted, message));
        }
        if self.stopped > 0 {
            let message = format!(
                "records for which a term of a rule was not decided, as it took too many steps: {}",
                self.stopped
            );
            all.push(met(Limit::EntryTests, message));
        }
        let left = &self.left_out;
        if left.long_strings > 0 {
            let message = format!(
                "values of which only the first 256 KiB was looked at: {}",
                left.long_strings
            );
            all.push(met(Limit::LongValue, message));
        }
        if left.large_objects > 0 {
            let message = format!(
                "objects in JSON of which only the first part was looked at: {}",
                left.large_objects
            );
            all.push(met(Limit::LargeObject, message));
        }
        if left.cut_off > 0 {
            let message = format!(
                "lines of JSON that end before their brackets are closed: {}; what is there was read",
                left.cut_off
            );
            all.push(met(Limit::CutOff, message));
        }
        all
    }

    pub fn summary(mut self) -> InputSummary {
        let quiet = |format| matches!(format, Format::Command | Format::Prose | Format::Plain);
        sort::by_key(&mut self.formats, |(format, lines)| {
            (quiet(*format), std::cmp::Reverse(*lines), *format)
        });
        let formats = self.formats.iter().map(|(format, _)| *format);
        let formats = formats.filter(|format| !quiet(*format)).collect();
        let is_dated = self.ends.is_some();
        let is_log = |format: Format| format.is_log() && (format != Format::Plain || is_dated);
        let of_logs = self.formats.iter().filter(|(format, _)| is_log(*format));
        let log_lines = of_logs.map(|(_, lines)| lines).sum::<u64>() + self.cluster_events;
        let (not_understood_lines, not_understood_texts) = self.listed.into_iter().unzip();
        InputSummary {
            source: self.name,
            formats,
            lines: self.lines,
            log_lines,
            not_understood: self.not_understood,
            not_understood_lines,
            not_understood_texts,
            segments: self.segments,
        }
    }
}
