//! Cuts a paste into runs of lines in one format: prose, a describe, a table, a log.

use super::command::{self, Command, Verb};
use super::line::{Line, lines};
use super::shape;
use crate::model::{Format, Subject};
use crate::parse::log::OpenLog;
use crate::parse::{describe, events, log, table};

/// A run of lines of a document in one format.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment<'a> {
    /// The format that parses it. A log may mix formats; it carries its first one's.
    pub format: Format,
    /// Whether the log parsers read it, whatever its first line's format.
    pub is_log: bool,
    /// The lines, without common indentation, list numbers and quote marks.
    pub lines: Vec<Line<'a>>,
    /// The object that a command above names, for what the lines do not say themselves.
    pub subject: Subject,
}

impl Segment<'_> {
    /// The numbers of the first and last line.
    pub fn line_numbers(&self) -> (u64, u64) {
        let first = self.lines.first().map_or(0, |line| line.number);
        (first, self.lines.last().map_or(0, |line| line.number))
    }
}

/// Cuts a text into segments. Blank lines between segments and fences belong to none.
///
/// ```
/// use analyzer_core::{Format, segments};
/// let text = "It is stuck:\n\n    1. $ kubectl get pods\n    2. NAME  READY  STATUS  RESTARTS  AGE\n    3. web-0  0/1  Pending  0  5m\n";
/// let formats: Vec<Format> = segments(text).iter().map(|segment| segment.format).collect();
/// assert_eq!(formats, [Format::Prose, Format::Command, Format::Table]);
/// ```
pub fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut cutter = Cutter::default();
    for line in lines(text) {
        cutter.take_any(line);
    }
    cutter.release();
    cutter.close();
    cutter.done
}

/// Whether a line that begins no log record belongs to an output with a structure: a describe, a
/// table, a command, a fence. What stands around it is read together with it.
pub(crate) fn is_structural(text: &str) -> bool {
    if shape::is_fence(text) {
        return true;
    }
    let line = shape::strip_marks(Line {
        text,
        start: 0,
        number: 1,
    });
    structure(line.text).is_some() && log::detect(line.text).is_none()
}

/// Whether a line that begins no log record may be a part of a message with raw line ends before it.
pub(crate) fn is_raw(text: &str) -> bool {
    log::may_be_raw(text) && !shape::is_prose(text) && structure(text).is_none()
}

/// The format of a line that begins no log record, if it has a structure.
fn structure(text: &str) -> Option<Format> {
    if events::is_header(text) || events::is_row(text) {
        return Some(Format::DescribeEvents);
    }
    if command::parse(text).is_some() {
        return Some(Format::Command);
    }
    if table::is_header(text) || table::is_row_without_header(text) {
        return Some(Format::Table);
    }
    (describe::is_start(text) || describe::is_field(text)).then_some(Format::Describe)
}

/// Whether a line behind a log belongs to something else beyond doubt.
fn is_other(text: &str) -> bool {
    command::parse(text).is_some()
        || events::is_header(text)
        || events::is_row(text)
        || describe::is_start(text)
        || table::is_header(text)
}

#[derive(Default)]
struct Cutter<'a> {
    done: Vec<Segment<'a>>,
    open: Option<Segment<'a>>,
    /// Blank lines seen since the open segment's last line.
    blanks: Vec<Line<'a>>,
    fenced: bool,
    command: Option<Command>,
    /// What the lines behind a log record may belong to.
    log: OpenLog,
    /// The lines of an object that is spread over lines, as far as they have come.
    spread: Vec<Line<'a>>,
    /// What the open describe has told of its object's events.
    events: EventsTold,
}

/// How far the events of a describe's present object are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum EventsTold {
    #[default]
    NotYet,
    /// `Events:  <none>`.
    None,
    /// `Events:`.
    Title,
    /// The header of their table.
    Header,
}

impl EventsTold {
    fn after(self, text: &str) -> EventsTold {
        if describe::is_start(text) {
            EventsTold::NotYet
        } else if let Some(value) = events_title(text) {
            if value.is_empty() {
                EventsTold::Title
            } else {
                EventsTold::None
            }
        } else if events::is_header(text) {
            EventsTold::Header
        } else {
            self
        }
    }

    /// Whether the line tells events again, which must be another object's: a paste may go on with
    /// the events alone.
    fn is_over_at(self, text: &str) -> bool {
        match self {
            EventsTold::NotYet => false,
            EventsTold::None => {
                events_title(text).is_some() || events::is_header(text) || events::is_row(text)
            }
            EventsTold::Title => events_title(text).is_some(),
            EventsTold::Header => events_title(text).is_some() || events::is_header(text),
        }
    }
}

/// What follows the title of a describe's events, if the line is that.
fn events_title(text: &str) -> Option<&str> {
    let value = text.trim_start().strip_prefix("Events:")?.trim();
    matches!(value, "" | "<none>").then_some(value)
}

impl<'a> Cutter<'a> {
    /// Takes a line, or keeps it while it may be of a record whose object is spread over lines.
    fn take_any(&mut self, raw: Line<'a>) {
        let opens = raw.text == "{";
        if opens || self.spread.len() > log::SPREAD_LINES {
            self.release();
        }
        if !opens && self.spread.is_empty() {
            self.take(raw);
            return;
        }
        self.spread.push(raw);
        if raw.text != "}" {
            return;
        }
        if !log::is_spread_object(self.spread.iter().map(|line| line.text)) {
            self.release();
            return;
        }
        let object = std::mem::take(&mut self.spread);
        if self.open.as_ref().is_some_and(|open| !open.is_log) {
            self.close();
        }
        self.log = OpenLog::default();
        if let Some(open) = &mut self.open {
            open.lines.append(&mut self.blanks);
            open.lines.extend(object);
        } else {
            self.blanks.clear();
            self.open = Some(Segment {
                format: Format::JsonLog,
                is_log: true,
                lines: object,
                subject: Subject::default(),
            });
        }
    }

    /// Takes the lines of what is no record.
    fn release(&mut self) {
        for line in std::mem::take(&mut self.spread) {
            self.take(line);
        }
    }

    fn take(&mut self, raw: Line<'a>) {
        if self.log.is_in_entry(raw.text) {
            if raw.is_blank() {
                self.blanks.push(raw);
            } else {
                self.push(raw);
            }
            return;
        }
        if raw.is_blank() {
            self.log.blank();
            self.blanks.push(raw);
            return;
        }
        if shape::is_fence(raw.text) {
            self.close();
            self.fenced = shape::fence_opens(raw.text, self.fenced);
            return;
        }
        if self.log.is_in_block(raw.text) {
            self.push(raw);
            return;
        }
        let line = shape::strip_marks(raw);
        let begun = log::begin(line.text);
        let record = begun.map(|begun| begun.format);
        let stays = self.stays(&line, record);
        if stays {
            if let Some(begun) = begun {
                self.log.take(begun, line.text);
            }
            self.push(line);
            return;
        }
        self.close();
        self.events = EventsTold::NotYet.after(line.text);
        let format = record.unwrap_or_else(|| self.classify(&line));
        if let Some(begun) = begun {
            self.log.take(begun, line.text);
        }
        if format == Format::Command {
            self.command = command::parse(line.text);
        }
        self.open = Some(Segment {
            format,
            is_log: record.is_some(),
            lines: vec![line],
            subject: Subject::default(),
        });
    }

    /// Whether the line belongs to the open segment; `record` is the format of the log record
    /// that begins on it.
    fn stays(&mut self, line: &Line<'a>, record: Option<Format>) -> bool {
        let Some(open) = &self.open else { return false };
        let blank_before = !self.blanks.is_empty();
        let text = line.text;
        if open.is_log {
            if record.is_some() {
                return true;
            }
            if blank_before {
                // a panic's goroutines stand behind blank lines
                return log::is_frame(text);
            }
            return !is_other(text) && self.log.goes_on(text, is_raw(text));
        }
        match open.format {
            Format::Describe => {
                if self.events.is_over_at(text) {
                    return false;
                }
                if describe::is_start(text) || describe::is_field(text) || events::is_row(text) {
                    return true;
                }
                let foreign = record.is_some() || command::parse(text).is_some();
                let base = open.lines.first().map_or(0, Line::indent);
                !foreign && (!blank_before || (line.indent() > base && self.blanks.len() < 3))
            }
            Format::DescribeEvents | Format::EventsTable => {
                let row = events::is_row(text) || shape::is_rule(text);
                let foreign = record.is_some()
                    || command::parse(text).is_some()
                    || table::is_header(text)
                    || describe::is_start(text)
                    || events_title(text).is_some();
                (row || (!blank_before && !foreign)) && !events::is_header(text)
            }
            Format::Table => {
                let header = open.lines.first().map_or("", |line| line.text);
                !blank_before
                    && !table::is_header(text)
                    && (shape::is_ellipsis(text)
                        || if table::is_header(header) {
                            table::is_row(header, text)
                        } else {
                            table::is_row_without_header(text)
                        })
            }
            Format::Plain | Format::Prose => {
                !blank_before && record.is_none() && self.classify(line) == open.format
            }
            _ => false,
        }
    }

    /// The format of a line that begins no log record.
    fn classify(&self, line: &Line<'a>) -> Format {
        let text = line.text;
        if let Some(format) = structure(text) {
            return format;
        }
        if !self.fenced && shape::is_prose(text) {
            Format::Prose
        } else {
            Format::Plain
        }
    }

    fn push(&mut self, line: Line<'a>) {
        if let Some(open) = &mut self.open {
            if open.format == Format::Describe {
                self.events = self.events.after(line.text);
            }
            open.lines.append(&mut self.blanks);
            open.lines.push(line);
        }
    }

    fn close(&mut self) {
        self.blanks.clear();
        self.log = OpenLog::default();
        let Some(mut segment) = self.open.take() else {
            return;
        };
        shape::strip_indentation(&mut segment.lines);
        if let Some(command) = &self.command {
            let fits = match segment.format {
                Format::Describe | Format::DescribeEvents => command.verb == Verb::Describe,
                Format::EventsTable | Format::Table => command.verb == Verb::Get,
                Format::Command | Format::Prose => false,
                Format::Plain => command.verb != Verb::Other,
                _ => command.verb == Verb::Logs,
            };
            if fits {
                segment.subject = command.subject.clone();
                // one command has one output; plain lines may be its start only
                if segment.format != Format::Plain {
                    self.command = None;
                }
            }
        }
        self.done.push(segment);
    }
}
