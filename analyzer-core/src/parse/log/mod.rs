//! Log lines. Formats are told apart line by line, as they mix in one stream.

use crate::input::Line;
use crate::model::{Format, Parsed};

/// The format of the record that begins on this line, if one does.
pub fn detect(line: &str) -> Option<Format> {
    let _ = line;
    None
}

/// Whether a line that begins no record continues the one of `format` before it (a stack
/// trace's frame, the next line of a value).
pub fn continues(format: Format, line: &str) -> bool {
    let _ = (format, line);
    false
}

/// Reads the lines of a log, in any mix of formats.
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let _ = lines;
    Parsed::default()
}
