//! `kubectl describe`.

use crate::input::Line;
use crate::model::Parsed;

/// Whether a line begins a describe: `Name:` and a value.
pub fn is_start(line: &str) -> bool {
    let _ = line;
    false
}

/// Whether a line, taken alone, is surely a line of a describe (a known field with its value).
pub fn is_field(line: &str) -> bool {
    let _ = line;
    false
}

/// Reads the lines of one or several describes.
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let _ = lines;
    Parsed::default()
}
