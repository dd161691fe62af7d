//! Which lines after a record's first one belong to it.

use crate::log::envelope::{Block, Layer, Sources, layer};
use crate::log::formats;
use crate::log::stack_trace::{self, Trace};
use kwhy_model::Format;

/// The number of consecutive lines without a format of their own that a message may take.
const MESSAGE_LINES: usize = 2000;

/// The relation of a line to the record before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It starts a record of its own.
    Begins,
    /// It belongs to the record.
    Continues,
    /// It belongs to the record if the next line that is not `MayContinue` starts or continues one.
    MayContinue,
    /// It is a blank line between records: `MayContinue` lines before it belong to none.
    Blank,
    /// It belongs to no record, and no line after it does until one starts.
    Outside,
}

/// Frames a log: fed the lines of a stream in order, it reports which record each belongs to.
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
    /// The format of the last record; none where no log is open.
    format: Option<Format>,
    /// True if its message may continue over lines.
    raw: bool,
    trace: Trace,
    maybe: usize,
    blank: bool,
    /// The indentation of further lines of the message, if the record is a line of the journal's.
    column: usize,
    /// The entry of the journal that is open, if it takes several lines.
    entry: Option<Block>,
    /// The prefix of the log's lines.
    sources: Sources,
}

impl Framer {
    /// Takes the next line. `record` is the format of the record that starts on it, `ends` says whether a line
    /// that starts none ends the log in any case.
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

    /// Returns true if a line that starts no record belongs to the last one for sure.
    pub fn surely_takes(&self, line: &str) -> bool {
        let is_of = |format| (formats::follow(format).surely)(line);
        self.format.is_some_and(is_of)
    }

    /// Returns true if indented lines belong to the last record whatever they contain.
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
            // in an envelope all lines have it
            raw: envelope.is_none() && (formats::follow(format).raw)(line),
            column: envelope.as_ref().map_or(0, Layer::column),
            entry: envelope.and_then(|_| Block::begin(line)),
            sources,
            ..Framer::default()
        };
    }

    /// Returns true if a line, blank or not, belongs to the entry of the journal that is open.
    pub fn is_in_entry(&mut self, line: &str) -> bool {
        let inside = self.entry.as_mut().is_some_and(|entry| entry.takes(line));
        if !inside {
            self.entry = None;
        }
        inside
    }

    /// Takes a blank line, and returns true if it is a part of a value.
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

    /// Returns true if a blank line right after the lines so far is the record's own: java.util.logging ends a
    /// trace with one.
    pub fn ends_blank(&self) -> bool {
        self.format == Some(Format::JavaUtilLogging) && self.trace.is_open()
    }

    /// Takes a line that is not blank and starts no record.
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
