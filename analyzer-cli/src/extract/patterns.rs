//! Events folded by what stays the same in them, for people.

use std::fmt::Write as _;

use kwhy_core::{Folded, FoldedRow, Level};
use unicode_width::UnicodeWidthStr;

use crate::plan::Page;
use crate::render::counted;
use crate::render::page::Ink;
use crate::render::visible::visible;

/// One row for each template; in what follows where the first one stands.
pub fn table(page: &Page, folded: &Folded) -> String {
    let rows = folded.rows();
    let mut text = String::new();
    let counts: Vec<String> = rows.iter().map(|row| row.count.to_string()).collect();
    let width = counts.iter().map(|count| count.width()).max().unwrap_or(0);
    for (row, count) in rows.iter().zip(counts) {
        let level = row.severity.unwrap_or("");
        let template = visible(&row.template);
        let reason = row.reason.as_deref().map(|r| format!("{} ", visible(r)));
        let ink = match level {
            "fatal" | "error" => Ink::Level(Level::Error),
            "warning" => Ink::Level(Level::Warning),
            _ => Ink::Plain,
        };
        let head = format!("{count:>width$}  {level:<7}");
        let reason = reason.unwrap_or_default();
        let _ = writeln!(text, "{}  {reason}{template}", page.ink(ink, head));
        let _ = writeln!(
            text,
            "{:width$}           {}",
            "",
            page.ink(Ink::Faint, place(row))
        );
    }
    if folded.further() > 0 {
        let further = counted(folded.further(), "event");
        let _ = writeln!(text, "and {further} of further templates");
    }
    text
}

/// When, how often, and where the first one stands.
fn place(row: &FoldedRow) -> String {
    let mut told = String::new();
    match (&row.first, &row.last) {
        (Some(first), Some(last)) if first != last => {
            let _ = write!(told, "{first} to {last}, ");
        }
        (Some(only), _) => {
            let _ = write!(told, "{only}, ");
        }
        _ => {}
    }
    if let Some(rate) = row.per_minute {
        let _ = write!(told, "{rate} a minute, ");
    }
    let _ = write!(told, "first at {}:{}", visible(&row.source), row.line);
    told
}
