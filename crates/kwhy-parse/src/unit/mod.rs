//! systemd units: the head of `systemctl status`, and the tables of `systemctl list-units` and `--failed`.
//!
//! Sources: systemd/systemd `src/systemctl/systemctl-show.c` (`print_status_info`), `systemctl-list-units.c`
//! (`output_units_list`) and `src/basic/unit-def.c` (the names of states), releases 208 to 257. The journal
//! below a head is a [`log`](super::log) of its own.

mod list;
mod recognise;
mod status;

use crate::input::Line;
use crate::plain;
use kwhy_model::{Format, Parsed};

pub(crate) use recognise::{belongs, host_of_prompt, is_head, is_list_line};

/// The kind of the objects.
pub const KIND: &str = "Unit";

/// Returns true if a line is part of systemctl's output about units: a head's first line or its states, a table's
/// header or row.
///
/// ```
/// use kwhy_parse::unit;
/// assert!(unit::is_part("● crane.service - The harbour's crane"));
/// assert!(unit::is_part("     Active: inactive (dead) since Mon 2024-03-04 05:06:07 UTC; 3s ago"));
/// assert!(unit::is_part("● crane.service   loaded failed failed  The harbour's crane"));
/// assert!(!unit::is_part("Active: two of them"));
/// ```
pub fn is_part(line: &str) -> bool {
    is_list_line(line) || is_head(line) || recognise::is_state(line)
}

/// Parses the head of one unit's status, or a table of units. Lines without a unit's state remain text.
///
/// ```
/// use kwhy_parse::{self as parse, input::Document};
/// let text = "● crane.service - Crane\n   Loaded: loaded (/lib/systemd/system/crane.service; enabled)\n   Active: inactive (dead)\n";
/// let document = Document::new("stdin", text);
/// let crane = &parse::document(&document).objects[0];
/// assert_eq!(crane.subject.to_string(), "Unit crane.service");
/// assert_eq!(crane.fields.text("active.sub_state").as_deref(), Some("dead"));
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let is_list = lines.first().is_some_and(|line| is_list_line(line.text));
    let parsed = if is_list {
        list::parse(lines)
    } else {
        status::parse(lines)
    };
    parsed.unwrap_or_else(|| plain::parse(Format::Plain, lines))
}

/// Returns the bytes `from..to` of a line, trimmed; its empty end if they are not on character
/// boundaries.
fn part(line: Line<'_>, from: usize, to: usize) -> Line<'_> {
    let text = line.text.get(from..to).unwrap_or_default();
    let found = Line {
        text: text.trim_end(),
        start: line.start + from.min(line.text.len()),
        number: line.number,
    };
    found.skip(found.text.len() - found.text.trim_start().len())
}

/// Returns the parts of a line before and after the first occurrence of a mark.
fn split<'a>(line: Line<'a>, mark: &str) -> Option<(Line<'a>, Line<'a>)> {
    let at = line.text.find(mark)?;
    let after = part(line, at + mark.len(), line.text.len());
    Some((part(line, 0, at), after))
}

#[cfg(test)]
mod tests;
