//! Splits a paste into segments, runs of lines in one format: prose, a describe, a table, a log.

use super::command::{self, Extent};
use super::decoration;
use super::line::Line;
use super::segmenter::Segmenter;
use crate::table::OpenTable;
use crate::{describe, events, log, object, table, unit};
use kwhy_model::{Format, Subject};

/// A run of lines of a document in one format.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment<'a> {
    /// The format that parses it; for a log, which may mix formats, that of its first record.
    pub format: Format,
    /// True if the log parsers handle it, whatever the format of its first line.
    pub is_log: bool,
    /// The lines, without common indentation, list numbers and quote marks.
    pub lines: Vec<Line<'a>>,
    /// The object named by a preceding command, for lines that do not name one.
    pub subject: Subject,
    /// The objects selected by a preceding command, if the lines are its output.
    pub extent: Extent,
}

impl Segment<'_> {
    /// Returns the numbers of the first and last line.
    pub fn line_numbers(&self) -> (u64, u64) {
        // the header of a table that started in an earlier part has no number
        let first = self.lines.iter().find(|line| line.number > 0);
        let first = first.map_or(0, |line| line.number);
        (first, self.lines.last().map_or(0, |line| line.number))
    }
}

/// Splits a text into segments. Blank lines between segments, and fences, belong to none.
///
/// ```
/// use kwhy_model::Format;
/// use kwhy_parse::input::segments;
/// let text = "It is stuck:\n\n    1. $ kubectl get pods\n    2. NAME  READY  STATUS  RESTARTS  AGE\n    3. web-0  0/1  Pending  0  5m\n";
/// let formats: Vec<Format> = segments(text).iter().map(|segment| segment.format).collect();
/// assert_eq!(formats, [Format::Prose, Format::Command, Format::Table]);
/// ```
pub fn segments(text: &str) -> Vec<Segment<'_>> {
    segments_within(text, Around::default())
}

/// The surroundings of a part of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'a> {
    /// The table that is open at the start of the part.
    pub table: Option<&'a OpenTable>,
    /// True if a log record starts right after the part.
    pub record_follows: bool,
}

/// Splits a part of a document into segments. The header of a table that is open at the start becomes the first line of
/// the first segment, with number 0.
pub fn segments_within<'a>(text: &'a str, around: Around<'a>) -> Vec<Segment<'a>> {
    let mut segments = Segmenter::segments(text, around.table, around.record_follows);
    name_hosts(&mut segments);
    segments
}

/// Sets the host of unit states, as named by the journal below them or the prompt above.
fn name_hosts(segments: &mut [Segment<'_>]) {
    for at in 0..segments.len() {
        if segments[at].format != Format::UnitStatus {
            continue;
        }
        let below = segments.get(at + 1).filter(|next| next.is_log);
        let (first, _) = segments[at].line_numbers();
        let prompt = at.checked_sub(1).and_then(|above| segments.get(above));
        let prompt = prompt
            .filter(|above| above.format == Format::Command && above.line_numbers().1 + 1 == first);
        let host = below
            .and_then(|log| log::host(log.lines.first()?.text))
            .or_else(|| unit::host_of_prompt(prompt?.lines.first()?.text));
        segments[at].subject.node = host.map(str::to_owned);
    }
}

/// Returns true if a line on which no log record starts always ends the log before it.
pub fn ends_log(text: &str) -> bool {
    decoration::is_fence(text)
        || command::parse(text).is_some()
        || events::is_header(text)
        || events::is_row(text)
        || describe::is_start(text)
        || table::is_header(text)
}

/// Returns true if a line on which no log record starts is part of structured output: a describe, a
/// table, a command, a fence, a box. The lines around it must be parsed together with it.
pub fn is_structural(text: &str) -> bool {
    if decoration::is_fence(text) || decoration::is_box_rule(text) {
        return true;
    }
    let line = decoration::strip_marks(Line {
        text,
        start: 0,
        number: 1,
    });
    (structure(line.text).is_some() || object::may_begin(line.text))
        && log::detect(line.text).is_none()
}

/// Returns the format of structured output that a line belongs to, if no log record starts on it.
pub(super) fn structure(text: &str) -> Option<Format> {
    if events::is_header(text) || events::is_row(text) {
        return Some(Format::DescribeEvents);
    }
    if command::parse(text).is_some() {
        return Some(Format::Command);
    }
    if unit::is_part(text) {
        return Some(Format::UnitStatus);
    }
    if table::is_header(text) || table::is_row_without_header(text) {
        return Some(Format::Table);
    }
    (describe::is_start(text) || describe::is_field(text)).then_some(Format::Describe)
}

#[cfg(test)]
mod tests {
    use super::segments;
    use kwhy_model::Format;

    #[test]
    fn rows_below_a_line_of_another_program() {
        let rows = |numbers: std::ops::Range<u8>| -> String {
            let row = |n| format!("quay-{n}   1/1     Running   0          5d\n");
            numbers.map(row).collect()
        };
        let head = "NAME     READY   STATUS    RESTARTS   AGE\n";
        let first = format!("$ kubectl -n shop get pods\n{head}{}", rows(0..2));
        let spans = |between: &str| -> Vec<(Format, (u64, u64))> {
            let text = format!("{first}{between}{}", rows(2..4));
            let all = segments(&text);
            for table in all.iter().filter(|it| it.format == Format::Table) {
                assert_eq!(table.subject.namespace.as_deref(), Some("shop"));
            }
            all.iter()
                .map(|it| (it.format, it.line_numbers()))
                .collect()
        };
        for between in [
            "quay-1\t\u{1}unning\n",
            "W0304 05:06:07.123456       7 cache.go:1] slow\n",
        ] {
            let spans = spans(between);
            assert_eq!(spans[1], (Format::Table, (2, 4)), "{spans:?}");
            assert_eq!(spans[3], (Format::Table, (6, 7)), "{spans:?}");
        }
    }

    #[test]
    fn listed_errors_are_output() {
        let items = "\t* configmaps \"heat\" already exists\n\t* no berth\n";
        let text = format!("Error: INSTALLATION FAILED: 2 errors occurred:\n{items}");
        let formats =
            |text: &str| -> Vec<Format> { segments(text).iter().map(|it| it.format).collect() };
        assert_eq!(formats(&text), [Format::Plain]);
        // an item of any other list is a sentence
        assert_eq!(formats(items), [Format::Prose]);
    }
}
