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

/// The columns on a terminal, where the message is below them.
const NARROW: [(&str, usize); 4] = [("WHEN", 22), ("LEVEL", 8), ("COUNT", 6), ("REASON", 20)];

/// On a terminal, the indentation of a message and the maximum number of its lines.
const INDENT: usize = 4;
const MOST_LINES: usize = 4;

/// Returns the header of the table; `columns` are those of a terminal.
pub fn header(layout: &Layout, columns: Option<usize>) -> String {
    let mut line = String::new();
    if columns.is_some() {
        NARROW
            .into_iter()
            .for_each(|(title, width)| cell(&mut line, title, width));
        line.push_str("SUBJECT");
        line.truncate(layout.width);
    } else {
        COLUMNS
            .into_iter()
            .for_each(|(title, width)| cell(&mut line, title, width));
        line.push_str("MESSAGE");
    }
    format!("{}\n", layout.styled(Style::Strong, line.trim_end()))
}

/// Adds a row for an event.
pub fn row(text: &mut Vec<u8>, layout: &Layout, columns: Option<usize>, event: &Event<'_>) {
    let level = event.severity.map_or("", Severity::name);
    let reason = event.reason.as_ref().map_or("", |reason| reason.as_str());
    let subject = event.subject.to_string();
    let count = event.count.to_string();
    let when = when(event, columns.is_some());
    let cells = [when.as_str(), level, &count, reason, &subject];
    let style = match event.severity {
        Some(Severity::Error | Severity::Fatal) => Style::Level(Level::Error),
        Some(Severity::Warning) => Style::Level(Level::Warning),
        _ => Style::Plain,
    };
    let mut add = |line: &str| {
        let line = layout.styled(style, line.trim_end()).to_string();
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    };
    let mut line = String::new();
    let said = message(event);
    if columns.is_none() {
        for (value, (_, width)) in cells.into_iter().zip(COLUMNS) {
            cell(&mut line, value, width);
        }
        add(&(line + &said));
        return;
    }
    for (value, (_, width)) in cells.into_iter().zip(NARROW) {
        cell(&mut line, value, width);
    }
    let subject = visible(&subject);
    if line.width() + subject.width() <= layout.width {
        add(&(line + &subject));
    } else {
        add(&line);
        for line in layout.wrap(&subject, INDENT) {
            add(&format!("{:INDENT$}{line}", ""));
        }
    }
    let lines = layout.wrap(&said, INDENT);
    for (index, line) in lines.iter().take(MOST_LINES).enumerate() {
        let is_cut = index + 1 == MOST_LINES && lines.len() > MOST_LINES;
        let line = match is_cut {
            true => cut(line, layout.width.saturating_sub(INDENT)),
            false => line.clone(),
        };
        add(&format!("{:INDENT$}{line}", ""));
    }
}

/// Returns the time or age of an event; without fractions of a second if `is_short`.
fn when(event: &Event<'_>, is_short: bool) -> String {
    let time = |time: &Stamp| match time.to_string() {
        text if !is_short => text,
        text => match text.split_once('.') {
            Some((seconds, fraction)) if fraction.ends_with('Z') => format!("{seconds}Z"),
            Some((seconds, _)) => seconds.to_owned(),
            None => text,
        },
    };
    match (&event.time, event.age) {
        // `<` marks a time before that of the same writer's previous record
        (Some(own), _) if event.back.is_some() => format!("{} <", time(own)),
        (Some(own), _) => time(own),
        (None, Some(age)) => format!("{age} before"),
        (None, None) => String::new(),
    }
}

/// Returns the first line of an event's message and error.
fn message(event: &Event<'_>) -> String {
    let texts = event.texts().map(|text| text.as_str()).take(2);
    let mut texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    if let [message, error] = texts.as_slice()
        && message.contains(error)
    {
        texts.pop();
    }
    let said = texts.join(": ");
    let mut lines = said.lines();
    let mut said = visible(lines.next().unwrap_or("")).into_owned();
    if lines.next().is_some() {
        said.push_str(" …");
    }
    said
}

/// Truncates a line to a width that includes an ellipsis.
fn cut(line: &str, width: usize) -> String {
    let mut cut = line.trim_end().to_owned();
    while cut.width() + 2 > width && cut.pop().is_some() {}
    cut + " …"
}

/// Appends a cell; one that is wider than its column shifts the rest.
fn cell(line: &mut String, value: &str, width: usize) {
    let shown = visible(value).to_string();
    let fill = width.saturating_sub(shown.width()).max(1);
    let _ = write!(line, "{shown}{:fill$}", "");
}
