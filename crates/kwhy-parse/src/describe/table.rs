//! Tables inside a describe: a header, an optional rule of dashes, rows.
//!
//! Go's tabwriter aligns the columns with spaces (kubernetes/kubectl `pkg/describe/describe.go`).
//! Pasted text may have tabs or single spaces instead. So a row is split at the gaps between its
//! cells, by the header's columns, and as a last resort by the syntax of each cell.

use super::layout::{Node, is_absent, part, trimmed};
use super::values::{age, joined, list, number, put, scalar, time_of, trim_end, words};
use crate::input::Line;
use kwhy_model::{Map, Value};

/// The syntax of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CellSyntax {
    /// One word.
    Word,
    /// One word, `-` for none.
    Dash,
    /// `True`, `False` or `Unknown`.
    Status,
    /// A number.
    Count,
    /// A timestamp.
    Time,
    /// An age.
    Age,
    /// A quantity with an optional percentage: `750m (18%)`.
    Amount,
    /// `[a b]`.
    List,
    /// Words.
    Words,
    /// Text up to the end of the row.
    Rest,
}

/// A column that at least one release prints.
#[derive(Debug)]
pub(super) struct Column {
    /// The words of its header.
    pub title: &'static str,
    /// The name of the value in the row.
    pub name: &'static str,
    /// The name of the percentage after an amount.
    pub percent: &'static str,
    /// The syntax of its cells.
    pub cell: CellSyntax,
    /// True if its cells may be empty.
    pub optional: bool,
}

/// Returns a column whose cells are never empty.
pub(super) const fn column(title: &'static str, name: &'static str, cell: CellSyntax) -> Column {
    Column {
        title,
        name,
        percent: "",
        cell,
        optional: false,
    }
}

impl Column {
    /// Allows the cells of the column to be empty.
    pub const fn optional(mut self) -> Column {
        self.optional = true;
        self
    }

    /// Names the percentage.
    pub const fn percent(mut self, name: &'static str) -> Column {
        self.percent = name;
        self
    }
}

/// The tables of a kind.
pub(super) struct Table {
    /// All columns of all releases, in order.
    pub columns: &'static [Column],
    /// Splits a row from the left, for cells that are separated by single spaces and not
    /// distinguished by their syntax.
    pub parts: Option<for<'a> fn(Line<'a>) -> Vec<Line<'a>>>,
    /// The columns of a row whose header was cut off; the first alternative that fits is used.
    pub headless: &'static [&'static [usize]],
    /// Returns true if the line is a remark between the rows.
    pub remark: fn(&str) -> bool,
    /// True if the last cell may continue on further lines.
    pub last_cell_continues: bool,
}

/// Accepts no line as a remark.
pub(super) fn no_remark(_: &str) -> bool {
    false
}

/// The columns of a header, each with the position of its first character.
type HeaderColumns = Vec<(&'static Column, Option<usize>)>;

impl Table {
    /// Returns true if the line belongs to the table.
    pub fn accepts(&self, line: Line<'_>) -> bool {
        is_dashes(line.text)
            || (self.remark)(line.text.trim())
            || self.header_columns(line.text).is_some()
            || self.headless(line).is_some()
    }

    /// Returns true if the line is a header of several columns.
    pub fn is_header(&self, text: &str) -> bool {
        self.header_columns(text)
            .is_some_and(|header| header.len() > 1)
    }

    /// Parses the rows among lines, each into a map keyed by column name.
    pub fn rows<'a>(&self, lines: &[Line<'a>]) -> Option<Value<'a>> {
        let mut header: Option<HeaderColumns> = None;
        let mut items = Vec::new();
        let mut open = Row::default();
        for line in lines {
            if is_dashes(line.text) || (line.is_blank() && !open.is_open()) {
                continue;
            }
            if (self.remark)(line.text.trim()) {
                continue;
            }
            if let Some(found) = self.header_columns(line.text) {
                header = Some(found);
                continue;
            }
            let cells = header
                .as_ref()
                .and_then(|header| self.cells(header, *line))
                .or_else(|| self.headless(*line));
            match cells {
                Some(cells) => {
                    items.extend(std::mem::take(&mut open).finish());
                    open = Row::new(cells);
                }
                None if self.last_cell_continues => open.last.push(trim_end(*line)),
                None => {}
            }
        }
        items.extend(open.finish());
        (!items.is_empty()).then_some(Value::List(items))
    }

    /// Returns the columns of a header; `None` if the line is not a header.
    fn header_columns(&self, text: &str) -> Option<HeaderColumns> {
        let mut header: HeaderColumns = Vec::new();
        let mut rest = text;
        let mut columns = self.columns;
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let index = columns.iter().position(|column| {
                rest.get(..column.title.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(column.title))
                    && rest
                        .get(column.title.len()..)
                        .is_some_and(|after| !after.starts_with(char::is_alphanumeric))
            })?;
            let column = columns.get(index)?;
            let at = text.len() - rest.len();
            header.push((column, Some(text.get(..at)?.chars().count())));
            rest = rest.get(column.title.len()..)?;
            columns = columns.get(index + 1..)?;
        }
        (header.len() >= 2).then_some(header)
    }

    /// Returns the cells of a row without a header.
    fn headless<'a>(&self, line: Line<'a>) -> Option<Cells<'a>> {
        if self.headless.is_empty() {
            let header: HeaderColumns = self.columns.iter().map(|column| (column, None)).collect();
            return self.cells(&header, line);
        }
        self.headless.iter().find_map(|columns| {
            let header: HeaderColumns = columns
                .iter()
                .filter_map(|at| Some((self.columns.get(*at)?, None)))
                .collect();
            self.cells(&header, line)
        })
    }
}

impl Table {
    /// Returns the cells of a row, each with its column; `None` if it does not fit.
    fn cells<'a>(&self, header: &HeaderColumns, line: Line<'a>) -> Option<Cells<'a>> {
        let pieces = pieces(line);
        by_number(header, line, &pieces)
            .or_else(|| by_columns(header, line, &pieces))
            .or_else(|| by_syntax(header, line, &pieces))
            .or_else(|| match self.parts {
                Some(parts) => by_syntax(header, line, &parts(line)),
                None => by_words(header, line),
            })
    }
}

/// Parses the rows of a table below a key.
pub(super) fn rows<'a>(node: &Node<'a>, table: &Table) -> Option<Value<'a>> {
    table.rows(&node.lines)
}

/// Returns true if the line is the rule below a header.
pub(super) fn is_dashes(line: &str) -> bool {
    // an editor may draw lines instead of dashes
    [
        "--",
        "\u{2500}\u{2500}",
        "\u{2501}\u{2501}",
        "\u{2014}\u{2014}",
    ]
    .iter()
    .any(|two| line.contains(two))
        && line.chars().all(|c| {
            matches!(c, '-' | '\u{2500}' | '\u{2501}' | '\u{2014}') || c.is_ascii_whitespace()
        })
}

type Cells<'a> = Vec<(&'static Column, Line<'a>)>;

/// A row whose last cell may continue.
#[derive(Default)]
struct Row<'a> {
    map: Map<'a>,
    name: &'static str,
    last: Vec<Line<'a>>,
}

impl<'a> Row<'a> {
    fn new(cells: Cells<'a>) -> Self {
        let mut row = Row::default();
        for (column, cell) in cells {
            if column.cell == CellSyntax::Rest {
                row.name = column.name;
                row.last.push(cell);
            } else {
                add(&mut row.map, column, cell);
            }
        }
        row
    }

    fn is_open(&self) -> bool {
        !self.last.is_empty()
    }

    fn finish(mut self) -> Option<Value<'a>> {
        if let Some(text) = joined(self.last.into_iter())
            && !is_absent(text.as_str())
            && !self.name.is_empty()
        {
            self.map.insert(self.name, Value::Text(text));
        }
        (!self.map.is_empty()).then_some(Value::Map(self.map))
    }
}

fn add<'a>(map: &mut Map<'a>, column: &'static Column, cell: Line<'a>) {
    let value = match column.cell {
        CellSyntax::Dash if cell.text == "-" => None,
        CellSyntax::Count => number(cell).or_else(|| scalar(cell)),
        CellSyntax::Time => time_of(cell),
        CellSyntax::Age => age(cell),
        CellSyntax::List => list(cell),
        CellSyntax::Amount => {
            let end = cell.text.find(" (").unwrap_or(cell.text.len());
            let percent = cell.text.rfind('%').unwrap_or(0);
            if !column.percent.is_empty() {
                put(map, column.percent, number(part(cell, end + 2, percent)));
            }
            scalar(part(cell, 0, end))
        }
        CellSyntax::Word
        | CellSyntax::Words
        | CellSyntax::Dash
        | CellSyntax::Status
        | CellSyntax::Rest => scalar(cell),
    };
    put(map, column.name, value);
}

impl CellSyntax {
    fn fits(self, text: &str) -> bool {
        let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
        match self {
            CellSyntax::Word | CellSyntax::Dash => is_word && !text.starts_with('['),
            CellSyntax::Status => matches!(text, "True" | "False" | "Unknown") || is_absent(text),
            CellSyntax::Count => {
                is_word && (is_absent(text) || text.bytes().all(|b| b.is_ascii_digit()))
            }
            CellSyntax::Time => is_date(text),
            CellSyntax::Age => {
                is_word && (kwhy_model::Age::parse(text).is_some() || is_absent(text))
            }
            CellSyntax::Amount => {
                let mut words = text.split_whitespace();
                let quantity = words.next().is_some_and(is_quantity);
                quantity && words.next().is_none_or(is_percent) && words.next().is_none()
            }
            CellSyntax::List => text.starts_with('[') && text.ends_with(']'),
            CellSyntax::Words => !text.is_empty(),
            CellSyntax::Rest => true,
        }
    }

    /// Returns the number of leading words that the cell takes.
    fn words(self, words: &[Line<'_>]) -> Option<usize> {
        let first = words.first()?.text;
        let count = match self {
            CellSyntax::Rest => words.len(),
            CellSyntax::Time if is_absent(first) || first.contains('T') && first.contains(':') => 1,
            CellSyntax::Time => 6,
            CellSyntax::Amount if words.get(1).is_some_and(|next| is_percent(next.text)) => 2,
            CellSyntax::List => 1 + words.iter().position(|word| word.text.ends_with(']'))?,
            _ => 1,
        };
        let cell = spanned(words.get(..count)?)?;
        self.fits(&cell).then_some(count)
    }
}

/// Joins words with single spaces.
fn spanned(words: &[Line<'_>]) -> Option<String> {
    let texts: Vec<_> = words.iter().map(|word| word.text).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    is_absent(text)
        || (bytes.get(3) == Some(&b',') && bytes.len() >= 29 && text.ends_with(is_zone_end))
        || (bytes.get(4) == Some(&b'-') && bytes.get(10) == Some(&b'T'))
}

fn is_zone_end(c: char) -> bool {
    c.is_ascii_digit() || c.is_ascii_uppercase()
}

fn is_quantity(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+' || c == '.')
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

fn is_percent(word: &str) -> bool {
    word.strip_prefix('(')
        .and_then(|word| word.strip_suffix("%)"))
        .is_some_and(|word| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
        })
}

/// Splits a line at tabs and runs of spaces.
fn pieces<'a>(line: Line<'a>) -> Vec<Line<'a>> {
    let mut pieces = Vec::new();
    let mut rest = trimmed(line);
    while !rest.text.is_empty() {
        let gap = rest
            .text
            .match_indices(char::is_whitespace)
            .find(|(at, gap)| {
                *gap == "\t"
                    || rest
                        .text
                        .get(at + gap.len()..)
                        .is_some_and(|after| after.starts_with(char::is_whitespace))
            });
        let end = gap.map_or(rest.text.len(), |(at, _)| at);
        pieces.push(part(rest, 0, end));
        rest = trimmed(part(rest, end, rest.text.len()));
    }
    pieces
}

/// Assigns one piece per column; surplus pieces belong to the last one.
fn by_number<'a>(header: &HeaderColumns, line: Line<'a>, pieces: &[Line<'a>]) -> Option<Cells<'a>> {
    let ends_in_text = header.last()?.0.cell == CellSyntax::Rest;
    if pieces.len() < header.len() || (pieces.len() > header.len() && !ends_in_text) {
        return None;
    }
    let mut cells = Vec::new();
    for (index, (column, _)) in header.iter().enumerate() {
        let mut cell = *pieces.get(index)?;
        if index + 1 == header.len() {
            cell = through(line, cell, *pieces.last()?);
        }
        if !column.cell.fits(cell.text) {
            return None;
        }
        cells.push((*column, cell));
    }
    Some(cells)
}

/// Assigns pieces to the columns of the header they start at.
fn by_columns<'a>(
    header: &HeaderColumns,
    line: Line<'a>,
    pieces: &[Line<'a>],
) -> Option<Cells<'a>> {
    let mut cells: Cells<'a> = Vec::new();
    let mut header = header.iter();
    let last = *pieces.last()?;
    for piece in pieces {
        let offset = line.text.get(..piece.start - line.start)?.chars().count();
        let (column, _) = loop {
            let head = header.next()?;
            if head.1? == offset {
                break head;
            }
            if !head.0.optional {
                return None;
            }
        };
        if column.cell == CellSyntax::Rest {
            cells.push((column, through(line, *piece, last)));
            return Some(cells);
        }
        if !column.cell.fits(piece.text) {
            return None;
        }
        cells.push((column, *piece));
    }
    header.all(|(column, _)| column.optional).then_some(cells)
}

/// Assigns pieces to columns by their syntax if some cells are empty.
fn by_syntax<'a>(header: &HeaderColumns, line: Line<'a>, pieces: &[Line<'a>]) -> Option<Cells<'a>> {
    if pieces.len() < 2 {
        return None;
    }
    let mut cells: Cells<'a> = Vec::new();
    let last = *pieces.last()?;
    let mut at = 0;
    for (column, _) in header {
        match pieces.get(at) {
            Some(piece) if column.cell == CellSyntax::Rest => {
                cells.push((column, through(line, *piece, last)));
                return Some(cells);
            }
            Some(piece) if column.cell.fits(piece.text) => {
                cells.push((column, *piece));
                at += 1;
            }
            _ if column.optional => {}
            _ => return None,
        }
    }
    (at == pieces.len()).then_some(cells)
}

/// Assigns words to columns by their syntax.
fn by_words<'a>(header: &HeaderColumns, line: Line<'a>) -> Option<Cells<'a>> {
    let words: Vec<_> = words(line).take(4096).collect();
    let mut at = 0;
    let mut cells: Cells<'a> = Vec::new();
    for (column, _) in header {
        let rest = words.get(at..).unwrap_or(&[]);
        match column.cell.words(rest) {
            Some(count) => {
                let (first, last) = (*rest.first()?, *rest.get(count - 1)?);
                let mut cell = through(line, first, last);
                if column.cell == CellSyntax::Rest {
                    let from = first.start - line.start;
                    cell = trimmed(part(line, from, line.text.len()));
                }
                cells.push((column, cell));
                at += count;
            }
            None if column.optional => {}
            None => return None,
        }
    }
    (at == words.len()).then_some(cells)
}

/// Returns a line from the start of one piece to the end of a later one.
fn through<'a>(line: Line<'a>, first: Line<'a>, last: Line<'a>) -> Line<'a> {
    let end = last.start + last.text.len();
    part(
        line,
        first.start.saturating_sub(line.start),
        end.saturating_sub(line.start),
    )
}
