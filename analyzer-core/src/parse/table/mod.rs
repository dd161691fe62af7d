//! Tables of `kubectl get`, by their header.
//!
//! Sources: kubernetes/kubernetes `pkg/printers/internalversion/printers.go` (the built-in
//! kinds, from the oldest releases to 1.36), `additionalPrinterColumns` of any custom resource,
//! and `kubectl top`.
//!
//! Accepted: a header of words in capitals with its rows, with `-A`, `-o wide`, `--show-labels`
//! and custom columns; several tables after one another (`kubectl get all`); cells cut at the
//! header's offsets, or fitted to the columns by what each may hold where the table was squeezed
//! to single blanks or a row was printed wider than the header (`--watch`). Rows of pods are read
//! without a header too. Lines of dots stand for rows that the author cut out and are skipped.
//! Refused: headers that are not in capitals, and the tables of other tools whose first column
//! is no name.

mod cells;
pub(in crate::parse) mod columns;
mod fit;
mod kind;

use columns::{Cell, Columns};
use fit::Shape;

use super::events;
use crate::input::Line;
use crate::model::{Format, Map, Object, Parsed, Subject};

/// The header of a table of pods, for rows that lost theirs.
const PODS: &str = "NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES";
const PODS_NAMESPACED: &str =
    "NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES";

/// Whether a line is the header of a table of `kubectl get`. The header of an Events table is
/// none.
///
/// ```
/// use analyzer_core::parse::table::is_header;
/// assert!(is_header("NAME    READY   STATUS    RESTARTS   AGE"));
/// assert!(is_header("NAMESPACE NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS AGE"));
/// assert!(!is_header("NAME AND SHAME"));
/// assert!(!is_header("Name:    web"));
/// ```
pub fn is_header(line: &str) -> bool {
    header(line).is_some()
}

/// Whether `line` fits the table that `header` begins.
///
/// ```
/// use analyzer_core::parse::table::is_row;
/// let header = "NAME    READY   STATUS    RESTARTS   AGE";
/// assert!(is_row(header, "web-0   1/1     Running   0          5d"));
/// assert!(is_row(header, "web-0 0/1 CrashLoopBackOff 7 (3m ago) 21m"));
/// assert!(!is_row(header, "The pod is running now"));
/// ```
pub fn is_row(header: &str, line: &str) -> bool {
    let Some(table) = self::header(header) else {
        return false;
    };
    let line = Line {
        text: line,
        start: 0,
        number: 1,
    };
    table.cells(&line).is_some()
}

/// Whether a line, taken alone, is surely a row of a table of pods.
///
/// ```
/// use analyzer_core::parse::table::is_row_without_header;
/// assert!(is_row_without_header("web-0   0/1   CreateContainerError   4 (2d8h ago)   9m50s"));
/// assert!(!is_row_without_header("step 1/2 done, 3 left, 5m"));
/// ```
pub fn is_row_without_header(line: &str) -> bool {
    let line = Line {
        text: line,
        start: 0,
        number: 1,
    };
    pod_cells(&line).is_some()
}

/// Reads the lines of one table; the first is its header. A header further on begins another
/// table; rows of pods need none.
///
/// ```
/// use analyzer_core::{lines, parse::table};
/// let text = "\
/// NAME    READY   STATUS             RESTARTS      AGE
/// web-0   0/1     CrashLoopBackOff   7 (3m ago)    21m";
/// let parsed = table::parse(&lines(text).collect::<Vec<_>>());
/// let pod = &parsed.objects[0];
/// assert_eq!(pod.subject.to_string(), "Pod web-0");
/// assert_eq!(pod.fields.integer("restarts"), Some(7));
/// assert_eq!(pod.fields.integer("age_s"), Some(1260));
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut table: Option<Table<'a>> = None;
    for line in lines {
        let text = line.text.trim();
        if text.bytes().all(|byte| byte == b'.') {
            continue;
        }
        if let Some(found) = header(line.text) {
            table = Some(found);
            continue;
        }
        let object = table
            .as_ref()
            .and_then(|table| Some(table.object(line, table.cells(line)?)))
            .or_else(|| pod_object(line));
        match object {
            Some(object) => parsed.objects.push(object),
            None => parsed.not_understood.push(line.number),
        }
    }
    parsed
}

/// A table's header and what it tells.
struct Table<'h> {
    columns: Columns<'h>,
    shapes: Vec<Shape>,
    kind: Option<&'static str>,
}

fn header(line: &str) -> Option<Table<'_>> {
    let start = line.trim_start();
    // cheap refusal of almost every line
    if !start.starts_with(|c: char| c.is_ascii_uppercase()) || !has_two_capitals(start) {
        return None;
    }
    let columns = Columns::read(line)?;
    let is_table = columns.names().next().is_some_and(kind::is_first)
        && columns.names().all(is_name_of_column)
        && (columns.is_aligned() || columns.names().all(kind::is_known_column))
        && !events::is_header(line);
    is_table.then(|| Table::new(columns))
}

fn has_two_capitals(text: &str) -> bool {
    matches!(text.as_bytes(), [_, second, ..] if second.is_ascii_uppercase())
}

/// Whether a word is written as kubectl writes column names: in capitals, but for a unit in
/// brackets (`CPU(cores)`, `PORT(S)`).
fn is_name_of_column(name: &str) -> bool {
    let (plain, unit) = name.split_once('(').unwrap_or((name, ")"));
    unit.ends_with(')')
        && plain.starts_with(|c: char| c.is_ascii_uppercase())
        && plain.bytes().all(|byte| {
            byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-_/%?. ".contains(&byte)
        })
}

impl<'h> Table<'h> {
    fn new(columns: Columns<'h>) -> Self {
        let shapes = columns.names().map(Shape::of).collect();
        let kind = kind::of_header(&columns.names().collect::<Vec<_>>());
        Table {
            columns,
            shapes,
            kind,
        }
    }

    /// The cells of a row, one a column; `None` if the line does not fit.
    fn cells<'a>(&self, line: &Line<'a>) -> Option<Vec<Cell<'a>>> {
        self.columns
            .cells(line)
            .filter(|cells| fit::suits(&self.shapes, cells))
            .or_else(|| fit::fit(&self.shapes, line))
    }

    fn object<'a>(&self, line: &Line<'a>, cells: Vec<Cell<'a>>) -> Object<'a> {
        let mut subject = Subject {
            kind: self.kind.map(str::to_owned),
            ..Subject::default()
        };
        let mut fields = Map::new();
        for (name, cell) in self.columns.names().zip(cells) {
            match name {
                _ if cell.is_empty() || cell.text == "<none>" => {}
                "NAMESPACE" => subject.namespace = Some(cell.text.to_owned()),
                "NAME" => cells::name(self.kind, cell, &mut subject, &mut fields),
                _ => cells::field(name, cell, &mut fields),
            }
        }
        if let Some(node) = fields.text("node") {
            subject.node = Some(node.into_owned());
        }
        let start = line.start + line.indent();
        Object {
            format: Format::Table,
            span: start..start + line.text.trim().len(),
            subject,
            fields,
        }
    }
}

/// The cells of a row of pods without header, with the header that it must have had.
fn pod_cells<'a>(line: &Line<'a>) -> Option<(Table<'static>, Vec<Cell<'a>>)> {
    // the column READY, which hardly any other line has, is seen without cutting cells
    let ready =
        |part: &[u8]| matches!(part, [a, b'/', b] if a.is_ascii_digit() && b.is_ascii_digit());
    if !line.text.as_bytes().windows(3).any(ready) {
        return None;
    }
    let cells = fit::pieces(line)?;
    let is_pod = |cells: &[Cell<'a>]| match cells {
        [name, ready, status, restarts, age, rest @ ..] => {
            fit::is_object_name(name.text)
                && fit::is_ratio(ready.text)
                && kind::is_pod_status(status.text)
                && fit::restarts(restarts.text).is_some()
                && fit::is_age(age.text)
                && rest.len() <= 4
        }
        _ => false,
    };
    let header = if is_pod(&cells) {
        PODS
    } else if cells
        .split_first()
        .is_some_and(|(namespace, rest)| fit::is_object_name(namespace.text) && is_pod(rest))
    {
        PODS_NAMESPACED
    } else {
        return None;
    };
    Some((Table::new(Columns::read(header)?), cells))
}

fn pod_object<'a>(line: &Line<'a>) -> Option<Object<'a>> {
    let (table, cells) = pod_cells(line)?;
    Some(table.object(line, cells))
}

#[cfg(test)]
mod tests;
