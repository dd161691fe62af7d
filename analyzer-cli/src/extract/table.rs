//! Events as a table for people.

use std::fmt::Write as _;

use kwhy_core::Level;
use kwhy_core::events::{Event, Severity, Stamp};
use unicode_width::UnicodeWidthStr;

use kwhy_render::Layout;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;

/// The columns before the message, with their widths.
const COLUMNS: [(&str, usize); 5] = [
    ("WHEN", 24),
    ("LEVEL", 8),
    ("COUNT", 6),
    ("REASON", 18),
    ("SUBJECT", 32),
];

/// The table's header.
pub fn header(layout: &Layout) -> String {
    let mut line = String::new();
    for (title, width) in COLUMNS {
        cell(&mut line, title, width);
    }
    line.push_str("MESSAGE");
    format!("{}\n", layout.styled(Style::Strong, line))
}

/// Adds a row for an event.
pub fn row(text: &mut Vec<u8>, layout: &Layout, event: &Event<'_>) {
    let when = match (&event.time, event.age) {
        // it lies before the time of its writer's record before it
        (Some(time), _) if event.back.is_some() => format!("{time} <"),
        (Some(time), _) => Stamp::to_string(time),
        (None, Some(age)) => format!("{age} before"),
        (None, None) => String::new(),
    };
    let level = event.severity.map_or("", Severity::name);
    let reason = event.reason.as_ref().map_or("", |reason| reason.as_str());
    let subject = event.subject.to_string();
    let count = event.count.to_string();
    let cells = [when.as_str(), level, &count, reason, &subject];
    let mut line = String::new();
    for (value, (_, width)) in cells.into_iter().zip(COLUMNS) {
        cell(&mut line, value, width);
    }
    let texts = event.texts().map(|text| text.as_str()).take(2);
    let mut texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    if let [message, error] = texts.as_slice()
        && message.contains(error)
    {
        texts.pop();
    }
    let said = texts.join(": ");
    let mut lines = said.lines();
    let _ = write!(line, "{}", visible(lines.next().unwrap_or("")));
    if lines.next().is_some() {
        line.push_str(" …");
    }
    let line = line.trim_end();
    let style = match event.severity {
        Some(Severity::Error | Severity::Fatal) => Some(Style::Level(Level::Error)),
        Some(Severity::Warning) => Some(Style::Level(Level::Warning)),
        _ => None,
    };
    let line = match style {
        Some(style) => layout.styled(style, line).to_string(),
        None => line.to_owned(),
    };
    text.extend_from_slice(line.as_bytes());
    text.push(b'\n');
}

/// Adds a cell; what is wider than its column moves the rest.
fn cell(line: &mut String, value: &str, width: usize) {
    let shown = visible(value).to_string();
    let fill = width.saturating_sub(shown.width()).max(1);
    let _ = write!(line, "{shown}{:fill$}", "");
}
