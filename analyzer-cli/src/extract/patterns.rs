//! Templates of events, for people.

use std::fmt::Write as _;

use kwhy_core::Level;
use kwhy_core::events::{Folded, FoldedRow, Severity};
use unicode_width::UnicodeWidthStr;

use kwhy_render::Layout;
use kwhy_render::counted;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;

/// Returns one row for each template, with the place of its first event below it. Rows are wrapped to the columns of a
/// terminal, if given.
pub fn table(layout: &Layout, columns: Option<usize>, folded: &Folded) -> String {
    let rows = folded.rows();
    let mut text = String::new();
    let counts: Vec<String> = rows.iter().map(|row| row.count.to_string()).collect();
    let width = counts.iter().map(|count| count.width()).max().unwrap_or(0);
    for (row, count) in rows.iter().zip(counts) {
        let level = row.severity.map_or("", Severity::name);
        let template = visible(&row.template);
        let reason = row.reason.as_deref().map(|r| format!("{} ", visible(r)));
        let style = match row.severity {
            Some(Severity::Fatal | Severity::Error) => Style::Level(Level::Error),
            Some(Severity::Warning) => Style::Level(Level::Warning),
            _ => Style::Plain,
        };
        let head = format!("{count:>width$}  {level:<7}");
        let reason = reason.unwrap_or_default();
        let indent = width + 11;
        let _ = write!(text, "{}", layout.styled(style, &head));
        let mut add = |style, taken: usize, line: &str| {
            let lines = match columns {
                Some(_) => layout.wrap(line, indent),
                None => vec![line.to_owned()],
            };
            let mut fill = indent - taken;
            for line in lines {
                let _ = writeln!(text, "{:fill$}{}", "", layout.styled(style, line));
                fill = indent;
            }
        };
        add(Style::Plain, head.width(), &format!("{reason}{template}"));
        add(Style::Faint, 0, &place(row));
    }
    if folded.further() > 0 {
        let further = counted(folded.further(), "event");
        let _ = writeln!(text, "and {further} of further templates");
    }
    text
}

/// Returns the times and the rate of a template, and the place of its first event.
fn place(row: &FoldedRow) -> String {
    let mut description = String::new();
    match (&row.first, &row.last) {
        (Some(first), Some(last)) if first != last => {
            let _ = write!(description, "{first} to {last}, ");
        }
        (Some(only), _) => {
            let _ = write!(description, "{only}, ");
        }
        _ => {}
    }
    if let Some(rate) = row.per_minute {
        let _ = write!(description, "{rate} a minute, ");
    }
    let _ = write!(
        description,
        "first at {}:{}",
        visible(&row.source),
        row.line
    );
    description
}
