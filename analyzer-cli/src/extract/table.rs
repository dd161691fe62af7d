//! Events as a table for people.

use std::fmt::Write as _;

use analyzer_core::{Event, Level, Severity, Stamp};
use unicode_width::UnicodeWidthStr;

use super::event::severity_name;
use crate::plan::Page;
use crate::render::page::Ink;
use crate::render::visible::visible;

/// The columns before the message, with their widths.
const COLUMNS: [(&str, usize); 5] = [
    ("WHEN", 24),
    ("LEVEL", 8),
    ("COUNT", 6),
    ("REASON", 18),
    ("SUBJECT", 32),
];

/// The table's header.
pub fn header(page: &Page) -> String {
    let mut line = String::new();
    for (title, width) in COLUMNS {
        cell(&mut line, title, width);
    }
    line.push_str("MESSAGE");
    format!("{}\n", page.ink(Ink::Strong, line))
}

/// One row for each event.
pub fn rows<'e>(page: &Page, events: impl Iterator<Item = &'e Event<'e>>) -> Vec<u8> {
    let mut text = String::new();
    for event in events {
        let when = match (&event.time, event.age) {
            (Some(time), _) => Stamp::to_string(time),
            (None, Some(age)) => format!("{age} before"),
            (None, None) => String::new(),
        };
        let level = event.severity.map_or("", severity_name);
        let reason = event.reason.as_ref().map_or("", |reason| reason.as_str());
        let subject = event.subject.to_string();
        let count = event.count.to_string();
        let cells = [when.as_str(), level, &count, reason, &subject];
        let mut line = String::new();
        for (value, (_, width)) in cells.into_iter().zip(COLUMNS) {
            cell(&mut line, value, width);
        }
        let first = event.message.as_str().lines().next().unwrap_or("");
        let _ = write!(line, "{}", visible(first));
        if event.message.as_str().lines().nth(1).is_some() {
            line.push_str(" …");
        }
        let line = line.trim_end();
        let ink = match event.severity {
            Some(Severity::Error | Severity::Fatal) => Some(Ink::Level(Level::Error)),
            Some(Severity::Warning) => Some(Ink::Level(Level::Warning)),
            _ => None,
        };
        let _ = match ink {
            Some(ink) => writeln!(text, "{}", page.ink(ink, line)),
            None => writeln!(text, "{line}"),
        };
    }
    text.into_bytes()
}

/// Adds a cell; what is wider than its column moves the rest.
fn cell(line: &mut String, value: &str, width: usize) {
    let shown = visible(value).to_string();
    let fill = width.saturating_sub(shown.width()).max(1);
    let _ = write!(line, "{shown}{:fill$}", "");
}
