//! Rules for the lines after a record's first one that belong to it.

use super::envelope::{Block, Layer, Sources, layer};
use super::formats;
use super::stack_trace::{self, Trace};
use kwhy_model::Format;

/// The number of consecutive lines without a format of their own that a message may take.
const MESSAGE_LINES: usize = 2000;

/// True if a line belongs to the record before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// By its own form.
    Surely,
    /// If a record or a line that surely belongs to it follows, with no blank line before that.
    Maybe,
    /// It does not belong to the record.
    No,
}

/// Follows a log line by line.
#[derive(Clone, Debug, Default)]
pub struct Follower {
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

impl Follower {
    /// A record starts on this line.
    pub fn record(&mut self, format: Format, line: &str) {
        let carrier = layer(line);
        let mut sources = std::mem::take(&mut self.sources);
        if let Some(carrier) = &carrier {
            sources.learn(line, carrier);
        }
        *self = Follower {
            format: Some(format),
            // in an envelope all lines have it
            raw: carrier.is_none() && (formats::follow(format).raw)(line),
            column: carrier.as_ref().map_or(0, Layer::column),
            entry: carrier.and_then(|_| Block::begin(line)),
            sources,
            ..Follower::default()
        };
    }

    /// Takes a line, space or not, if it belongs to an entry that is open.
    pub fn is_in_entry(&mut self, line: &str) -> bool {
        let inside = self.entry.as_mut().is_some_and(|entry| entry.takes(line));
        if !inside {
            self.entry = None;
        }
        inside
    }

    /// A blank line; whether it is a part of a value.
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

    /// A line that is not space and starts no record.
    pub fn line(&mut self, line: &str) -> Belongs {
        let Some(format) = self.format else {
            return Belongs::No;
        };
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let is_indented = !self.blank && self.column > 0 && blanks >= self.column;
        if is_indented || self.is_in_entry(line) || self.sources.contains(line) {
            self.maybe = 0;
            return Belongs::Surely;
        }
        if !self.blank || self.trace.continues_with(line) {
            let frame = self.trace.take(line).is_some();
            if frame || (formats::follow(format).surely)(line) {
                (self.maybe, self.blank) = (0, false);
                return Belongs::Surely;
            }
            let may_be = self.raw || self.trace.is_in_message() || stack_trace::is_head(line);
            if may_be && self.maybe < MESSAGE_LINES {
                self.maybe += 1;
                return Belongs::Maybe;
            }
        }
        self.format = None;
        Belongs::No
    }
}
