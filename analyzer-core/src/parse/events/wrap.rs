//! Rows that a terminal cut at its width, so that a word may go on in the next line.

use crate::input::Line;

/// The narrowest terminal that is believed.
const NARROWEST: usize = 60;

/// The width at which lines were cut: no line is longer, and at least two different lines are
/// exactly as long. `None` if nothing was cut.
pub(super) fn width(lines: &[Line<'_>]) -> Option<usize> {
    let mut widest = 0;
    let mut first: Option<&str> = None;
    let mut is_repeated = false;
    for line in lines {
        // bytes are never fewer than characters, so most lines need not be counted
        if line.text.len() < widest.max(NARROWEST) {
            continue;
        }
        let width = of(line);
        if width > widest {
            (widest, first, is_repeated) = (width, Some(line.text), false);
        } else if width == widest && first != Some(line.text) {
            is_repeated = true;
        }
    }
    (is_repeated && widest >= NARROWEST).then_some(widest)
}

/// What stood between a line and the next one: nothing or a blank where it was cut at `width`,
/// else a line end.
pub(super) fn joint(line: &Line<'_>, width: Option<usize>) -> &'static str {
    let is_cut = width.is_some_and(|width| line.text.len() >= width && of(line) == width);
    if !is_cut {
        "\n"
    } else if line.text.ends_with(char::is_whitespace) {
        " "
    } else {
        ""
    }
}

/// A line's width in characters.
fn of(line: &Line<'_>) -> usize {
    line.text.chars().count()
}
