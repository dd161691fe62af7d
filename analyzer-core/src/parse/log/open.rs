//! Which lines belong to the log that is open, for what cuts a text into segments: as the reader
//! groups them, but without reading them.

use super::forms;
use super::frame::is_frame;
use super::pairs::block_end;
use super::payload::Payload;
use super::record::{self, plain_severity};
use super::wrapper::{Block, Sources, peel};
use crate::input::Line;
use crate::model::Format;

/// How many lines an object that is spread over lines may take.
pub(crate) const SPREAD_LINES: usize = 400;

/// The record that begins on a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub format: Format,
    /// Whether lines that begin nothing may be a part of its message.
    pub raw: bool,
    /// Whether its last value is a block whose lines are to come.
    block: bool,
    /// How far its message's further lines are indented.
    column: usize,
}

/// The record that begins on a line, if one does.
pub(crate) fn begin(line: &str) -> Option<Begun> {
    let text = line.trim_start();
    let (wrapper, payload) = peel(Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    }));
    let inner = payload.as_str().trim_start();
    let form = forms::find(inner);
    let format = form.map(|form| form.format);
    let format = format.or(wrapper.present.then_some(Format::Plain))?;
    let is_journal = wrapper.carrier.program.is_some() && payload.stands();
    Some(Begun {
        format,
        raw: !wrapper.present && form.is_some_and(|form| (form.follow.raw)(inner)),
        block: format == Format::Klog && record::opens_block(inner),
        column: if is_journal {
            payload.text().span().start
        } else {
            0
        },
    })
}

/// Whether a line that begins nothing may be a part of a message with raw line ends, by itself: it
/// has no level of its own.
pub(crate) fn may_be_raw(line: &str) -> bool {
    plain_severity(line).is_none()
}

/// Whether lines from `{` to `}` are one log record.
pub(crate) fn is_spread_object<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut text = String::new();
    for line in lines.take(SPREAD_LINES + 2) {
        text.push_str(line);
        text.push('\n');
    }
    text.starts_with('{') && (super::json::FORM.begins)(&text)
}

/// The log that is open.
#[derive(Debug, Default)]
pub(crate) struct OpenLog {
    sources: Sources,
    entry: Option<Block>,
    last: Option<Begun>,
}

impl OpenLog {
    /// Whether a line, blank or not, belongs to an entry of the journal that is spread over lines.
    pub(crate) fn is_in_entry(&mut self, line: &str) -> bool {
        let inside = self.entry.as_mut().is_some_and(|entry| entry.takes(line));
        if !inside {
            self.entry = None;
        }
        inside
    }

    /// Takes a blank line, behind which no message goes on.
    pub(crate) fn blank(&mut self) {
        if let Some(last) = self.last.as_mut() {
            last.raw &= last.block;
        }
    }

    /// Whether a line stands in a block that a record's value opened.
    pub(crate) fn is_in_block(&mut self, line: &str) -> bool {
        let Some(last) = self.last.as_mut().filter(|last| last.block) else {
            return false;
        };
        if !line.starts_with([' ', '\t']) {
            last.block = false;
            return false;
        }
        let own = line.get(last.column..).unwrap_or(line);
        last.block = block_end(own).is_none() || record::opens_block(own);
        true
    }

    /// Takes the record that begins on a line.
    pub(crate) fn take(&mut self, begun: Begun, line: &str) {
        self.sources.see(line);
        self.entry = Block::begin(line);
        let in_carrier = begun.column == 0 && !begun.raw;
        // a block in a carrier goes on in the same carrier
        self.last = Some(Begun {
            block: begun.block && !in_carrier,
            ..begun
        });
    }

    /// Whether a line that begins no record and stands right behind the log's last line belongs to
    /// the record there; `is_raw` if it may be a part of a raw message.
    pub(crate) fn goes_on(&mut self, line: &str, is_raw: bool) -> bool {
        if self.sources.see(line) {
            return true;
        }
        let Some(last) = self.last.as_mut() else {
            return false;
        };
        let blanks = line.len() - line.trim_start_matches(' ').len();
        if last.column > 0 && blanks >= last.column {
            return true;
        }
        if super::continues(last.format, line) {
            last.raw &= !is_frame(line);
            return true;
        }
        last.raw && is_raw
    }
}
