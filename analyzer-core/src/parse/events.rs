//! Events tables: describe's own and those of `kubectl get events`.

use crate::input::Line;
use crate::model::Parsed;

/// Whether a line is the header of an Events table.
pub fn is_header(line: &str) -> bool {
    let _ = line;
    false
}

/// Whether a line, taken alone, is surely a row of an Events table (also without its header).
pub fn is_row(line: &str) -> bool {
    let _ = line;
    false
}

/// Reads the lines of one Events table, with or without its header.
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let _ = lines;
    Parsed::default()
}
