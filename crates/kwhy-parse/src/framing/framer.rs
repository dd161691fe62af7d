//! Decides which lines after the first one belong to a record.

use crate::log::envelope::{Block, Layer, Sources, layer};
use crate::log::formats;
use crate::log::stack_trace::{self, Trace};
use kwhy_model::Format;

/// The maximum number of consecutive lines that may continue a message.
const MESSAGE_LINES: usize = 2000;

/// The relation of a line to the record before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It starts a record of its own.
    Begins,
    /// It belongs to the record.
    Continues,
    /// It belongs to the record if the next line with another relation starts or continues one.
    MayContinue,
    /// It is a blank line between records; preceding `MayContinue` lines belong to none.
    Blank,
    /// It belongs to no record, nor does any line after it until one starts.
    Outside,
}

/// Frames a log: given the lines of a stream in order, it returns the relation of each to the current record.
///
/// ```
/// use kwhy_model::Format;
/// use kwhy_parse::framing::{Framer, Relation};
/// let mut framer = Framer::default();
/// let mut take = |line| framer.take(line, kwhy_parse::log::detect(line), || false);
/// assert_eq!(take("2024-03-04T05:06:07.123Z\tERROR\tcrane\tlift failed"), Relation::Begins);
/// assert_eq!(take("example.io/crane.Lift"), Relation::Continues);
/// assert_eq!(take(""), Relation::Blank);
/// assert_eq!(take("The crane stood still."), Relation::Outside);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Framer {
    /// The format of the last record; `None` outside a log.
    format: Option<Format>,
    /// True if its message may have continuation lines.
    raw: bool,
    /// True if lines that are indented, or follow a colon, certainly continue its message.
    chained: bool,
    /// True if the record's last line ends in a colon, after which its message continues.
    ends_open: bool,
    trace: Trace,
    maybe: usize,
    blank: bool,
    /// The indentation of the message's continuation lines, for a record of the journal; otherwise 0.
    column: usize,
    /// The open multi-line journal entry.
    entry: Option<Block>,
    /// The known prefixes of the log's lines.
    sources: Sources,
}

impl Framer {
    /// Processes the next line. `record` is the format of the record that starts on it; `ends` returns true if a line
    /// without a record always ends the log.
    pub fn take(
        &mut self,
        line: &str,
        record: Option<Format>,
        ends: impl FnOnce() -> bool,
    ) -> Relation {
        if let Some(format) = record {
            self.begin(format, line);
            return Relation::Begins;
        }
        if self.is_in_entry(line) {
            return Relation::Continues;
        }
        if line.trim().is_empty() {
            return if self.blank(line) {
                Relation::Continues
            } else {
                Relation::Blank
            };
        }
        let relation = if ends() {
            Relation::Outside
        } else {
            self.line(line)
        };
        if relation == Relation::Outside {
            *self = Framer::default();
        }
        relation
    }

    /// Returns true if a line without a record certainly belongs to the last record.
    pub fn surely_takes(&self, line: &str) -> bool {
        let is_of = |format| (formats::follow(format).surely)(line);
        self.format.is_some_and(is_of)
    }

    /// Returns true if indented lines belong to the last record, whatever they contain.
    pub fn takes_all_indented(&self) -> bool {
        let is_of = |format| formats::follow(format).indented;
        self.format.is_some_and(is_of)
    }

    /// Starts a record on this line.
    pub fn begin(&mut self, format: Format, line: &str) {
        let envelope = layer(line);
        let mut sources = std::mem::take(&mut self.sources);
        if let Some(envelope) = &envelope {
            sources.learn(line, envelope);
        }
        *self = Framer {
            format: Some(format),
            // in an envelope, continuation lines have it too
            raw: envelope.is_none() && (formats::follow(format).raw)(line),
            chained: envelope.is_none() && (formats::follow(format).chained)(line),
            ends_open: ends_open(line),
            column: envelope.as_ref().map_or(0, Layer::column),
            entry: envelope.and_then(|_| Block::begin(line)),
            sources,
            ..Framer::default()
        };
    }

    /// Returns true if a line, blank or not, belongs to the open journal entry.
    pub fn is_in_entry(&mut self, line: &str) -> bool {
        let inside = self.entry.as_mut().is_some_and(|entry| entry.takes(line));
        if !inside {
            self.entry = None;
        }
        inside
    }

    /// Processes a blank line; returns true if it is part of a value.
    pub fn blank(&mut self, line: &str) -> bool {
        if self.is_in_entry(line) {
            return true;
        }
        let inside = !line.is_empty()
            && !self.blank
            && self
                .format
                .is_some_and(|format| (formats::follow(format).surely)(line));
        self.blank |= !inside;
        inside
    }

    /// Returns true if a blank line right after the last one belongs to the record, as java.util.logging ends a
    /// trace with one.
    pub fn ends_blank(&self) -> bool {
        self.format == Some(Format::JavaUtilLogging) && self.trace.is_open()
    }

    /// Processes a non-blank line on which no record starts.
    fn line(&mut self, line: &str) -> Relation {
        let Some(format) = self.format else {
            return Relation::Outside;
        };
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let is_indented = !self.blank && self.column > 0 && spaces >= self.column;
        if is_indented || self.is_in_entry(line) || self.sources.contains(line) {
            self.maybe = 0;
            return Relation::Continues;
        }
        if !self.blank || self.trace.continues_with(line) {
            let frame = self.trace.take(line).is_some();
            if frame || (formats::follow(format).surely)(line) {
                (self.maybe, self.blank) = (0, false);
                return Relation::Continues;
            }
            let is_apart = (formats::follow(format).apart)(line);
            if self.chained
                && !self.blank
                && !is_apart
                && (self.ends_open || line.starts_with([' ', '\t']))
            {
                (self.maybe, self.ends_open) = (0, ends_open(line));
                return Relation::Continues;
            }
            let may_be =
                (self.raw && !is_apart) || self.trace.is_in_message() || stack_trace::is_head(line);
            if may_be && self.maybe < MESSAGE_LINES {
                self.maybe += 1;
                return Relation::MayContinue;
            }
        }
        Relation::Outside
    }
}

fn ends_open(line: &str) -> bool {
    line.trim_end().ends_with(':')
}
