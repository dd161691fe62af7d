//! Tables inside a describe: a header, perhaps dashes, rows.

use super::generic::snake_case;
use super::layout::{Node, Tree, part, trimmed};
use super::read::{scalar, time_of, words};
use crate::input::Line;
use crate::model::{Map, Value};

/// The rows below a key, each a map under the header's words; none if there is no header.
pub(super) fn rows<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut header: Option<Vec<(String, usize)>> = None;
    let mut items = Vec::new();
    for line in &node.lines {
        if line.is_blank() || is_dashes(line.text) {
            continue;
        }
        match &header {
            None if is_header(line.text) => header = Some(columns(*line)),
            // without the header a row of two words still says what it says
            None => items.extend(row(&[("type".into(), 0), ("status".into(), 0)], *line)),
            Some(columns) => items.extend(row(columns, *line)),
        }
    }
    (!items.is_empty()).then_some(Value::List(items))
}

/// Whether a line is a table's header: `Type  Status` and the like.
pub(super) fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    matches!(
        (words.next(), words.next()),
        (Some("Type"), Some("Status" | "Resource" | "Reason"))
            | (Some("Resource"), Some("Used" | "Requests"))
            | (Some("Kind"), Some("Name"))
            | (Some("Name"), Some("Port"))
            | (Some("Host"), Some("Path"))
            | (Some("Namespace"), Some("Name"))
            | (Some("Resources"), Some("Non-Resource"))
    )
}

/// Whether a line is the rule below a header.
pub(super) fn is_dashes(line: &str) -> bool {
    line.contains("--") && line.bytes().all(|b| b == b'-' || b.is_ascii_whitespace())
}

/// A header's names with the columns at which they begin.
fn columns(line: Line<'_>) -> Vec<(String, usize)> {
    let wide = line.text.trim().contains("  ");
    let mut columns: Vec<(String, usize)> = Vec::new();
    let mut end = 0;
    for word in words(line) {
        let at = word.start - line.start;
        match columns.last_mut() {
            Some((name, _)) if wide && at <= end + 1 => {
                name.push(' ');
                name.push_str(word.text);
            }
            _ => columns.push((word.text.to_owned(), at)),
        }
        end = at + word.text.len();
    }
    columns
        .into_iter()
        .take(32)
        .map(|(name, at)| (snake_case(&name), at))
        .collect()
}

fn row<'a>(columns: &[(String, usize)], line: Line<'a>) -> Option<Value<'a>> {
    let cells = match by_columns(columns, line) {
        Some(cells) => cells,
        None => by_words(columns.len(), line),
    };
    let mut map = Map::new();
    for ((name, _), cell) in columns.iter().zip(cells) {
        let value = if name.ends_with("_time") {
            time_of(cell)
        } else {
            scalar(cell)
        };
        if let Some(value) = value {
            map.insert(name.clone(), value);
        }
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

/// The cells at the header's columns, if each column begins behind a blank.
fn by_columns<'a>(columns: &[(String, usize)], line: Line<'a>) -> Option<Vec<Line<'a>>> {
    // offsets count characters; a row with others than ASCII before its last column is rare
    let bytes = line.text.as_bytes();
    let mut cells = Vec::new();
    for (index, (_, from)) in columns.iter().enumerate() {
        if *from > 0
            && bytes
                .get(from - 1)
                .is_some_and(|b| !b.is_ascii_whitespace())
        {
            return None;
        }
        let to = columns
            .get(index + 1)
            .map_or(bytes.len(), |(_, next)| (*next).min(bytes.len()));
        cells.push(trimmed(part(line, (*from).min(to), to)));
    }
    let first = columns.first().map_or(0, |(_, at)| *at);
    let starts_there = line.indent() == first || columns.len() < 2;
    (starts_there && columns.get(1).is_none_or(|(_, at)| *at > first)).then_some(cells)
}

/// The cells by blanks: two or more if there are any, else each word one, the last the rest.
fn by_words<'a>(count: usize, line: Line<'a>) -> Vec<Line<'a>> {
    let mut cells = Vec::new();
    let mut rest = trimmed(line);
    while !rest.text.is_empty() && cells.len() + 1 < count {
        let end = rest.text.find("  ").or_else(|| rest.text.find(' '));
        let end = end.unwrap_or(rest.text.len());
        cells.push(part(rest, 0, end));
        rest = trimmed(part(rest, end, rest.text.len()));
    }
    cells.push(rest);
    cells
}
