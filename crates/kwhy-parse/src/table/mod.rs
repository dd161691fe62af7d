//! Tables of `kubectl get` and similar tools, recognised by their header.
//!
//! Sources: kubernetes/kubernetes `pkg/printers/internalversion/printers.go` (the built-in kinds,
//! from the oldest releases to 1.36), `additionalPrinterColumns` of any custom resource, `kubectl
//! top`, `kubectl api-resources`, `oc get`; and the tables of crictl, docker, nerdctl, helm and k9s
//! (sources in `names`).
//!
//! Accepted: a header of upper-case words with its rows, with `-A`, `-o wide`, `--show-labels` and
//! custom columns; several tables in a row (`kubectl get all`); cells cut at the header's offsets
//! or at tabs, or aligned by the values each column accepts if the table was squeezed to single
//! spaces or a row was printed wider than the header (`--watch`); tables wrapped at the width of a
//! terminal. Rows of pods are recognised without a header too. Lines of dots replace rows that the
//! author removed and are skipped. A cell `<none>` is kept; an empty cell yields no field.
//!
//! Rejected: headers that are not in upper case, and tables whose first column is not a name, unless the others
//! identify the kind: `READY STATUS RESTARTS`.

mod align;
mod cells;
pub(crate) mod columns;
mod custom_columns;
mod detect_kind;
mod message;
mod names;
mod open;
mod rows;
mod runtime;
pub(crate) mod unwrap;

use std::sync::LazyLock;

use align::ColumnType;
use cells::{CellUse, RowBuilder};
use columns::{Cell, Columns};
pub(crate) use detect_kind::is_ambiguous;
pub use open::OpenTable;
pub use rows::RowLayout;
use unwrap::LogicalLine;

use super::events;
use crate::input::Line;
use kwhy_model::{Format, Map, Object, Parsed, Subject};

/// The maximum number of lines a header or row may be wrapped over.
const MAX_PARTS: usize = 8;

/// The number of recent lines that determine the width of a table.
const RECENT_LINES: usize = 32;

/// The maximum number of rows for which capacity is reserved in advance.
const MAX_ROOM: usize = 4096;

/// The maximum number of trailing spaces that a wrapped line may have lost.
const MAX_LOST_SPACES: usize = 40;

/// The header of a table of pods, for rows without one.
const PODS: &str = "NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES";
const PODS_NAMESPACED: &str =
    "NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES";

/// Returns true if the line is the header of a table of `kubectl get`, but not of an Events table.
///
/// ```
/// use kwhy_parse::table::is_header;
/// assert!(is_header("NAME    READY   STATUS    RESTARTS   AGE"));
/// assert!(is_header("NAMESPACE NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS AGE"));
/// assert!(!is_header("NAME AND SHAME"));
/// assert!(!is_header("Name:    web"));
/// ```
pub fn is_header(line: &str) -> bool {
    header(line).is_some()
}

/// Returns true if `line` is a row of the table with this header.
///
/// ```
/// use kwhy_parse::table::is_row;
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

/// Returns true if the line on its own is certainly a row of a table of pods.
///
/// ```
/// use kwhy_parse::table::is_row_without_header;
/// assert!(is_row_without_header("web-0   0/1   CreateContainerError   4 (2d8h ago)   9m50s"));
/// assert!(!is_row_without_header("step 1/2 done, 3 left, 5m"));
/// ```
pub fn is_row_without_header(line: &str) -> bool {
    let line = Line {
        text: line,
        start: 0,
        number: 1,
    };
    pod_row(&line).is_some()
}

/// Returns true if `line` continues the table made up of `lines`, whose first line is its header or
/// a row of pods. A continuation is a row, a part of a wrapped row, or a marker for removed rows.
///
/// ```
/// use kwhy_parse::{table::continues, input::lines};
/// let table: Vec<_> = lines("NAME    READY   STATUS    RESTARTS   AGE").collect();
/// assert!(continues(&table, "web-0   1/1     Running   0          5d"));
/// assert!(!continues(&table, "All of them run."));
/// ```
pub fn continues(lines: &[Line<'_>], line: &str) -> bool {
    let Some(first) = lines.first() else {
        return false;
    };
    if is_decoration(line) {
        return true;
    }
    let Some(table) = header(first.text) else {
        return is_row_without_header(line);
    };
    if is_header(line) {
        return lines.len() == 1 && is_rest_of_header(first, line);
    }
    let next = Line {
        text: line,
        start: 0,
        number: 1,
    };
    if table.cells(&next).is_some() {
        return true;
    }
    // a prompt ends the table, however wide its last row is
    if line.starts_with("$ ") {
        return false;
    }
    if is_rest_of_header(first, lines.get(1).map_or(line, |second| second.text)) {
        // the header itself was wrapped: no line is wider than it, except for lost trailing spaces
        return unwrap::width_of(&next) <= unwrap::width_of(first) + MAX_LOST_SPACES;
    }
    // only rows were wrapped, in their last column
    let Some(last) = lines.last().filter(|last| is_cut(last)) else {
        return false;
    };
    let width = unwrap::width_of(last);
    // checking only recent lines keeps the cost of a long table linear
    let mut latest = lines.iter().rev().take(RECENT_LINES);
    if latest.any(|line| unwrap::width_of(line) > width) {
        return false;
    }
    let parts = lines.iter().skip(1).rev().take(MAX_PARTS - 1);
    let full = parts
        .take_while(|line| unwrap::is_full(line, width))
        .count();
    (lines.len() - full..lines.len()).any(|start| {
        let mut parts = lines.get(start..).unwrap_or(&[]).to_vec();
        parts.push(next);
        LogicalLine::join(&parts).is_some_and(|whole| table.joined(&whole.line()).is_some())
    })
}

/// Parses the lines of one table, whose first line is the header. A later header starts another
/// table; rows of pods need no header.
///
/// ```
/// use kwhy_parse::{table, input::lines};
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
    let mut rest = lines;
    while let Some(line) = rest.first() {
        let head = header_parts(rest);
        let next = rest.iter().skip(head).position(|line| is_header(line.text));
        let own = next.map_or(rest.len(), |next| head + next);
        let (table, after) = rest.split_at(own);
        rest = after;
        if is_header(line.text) {
            rows_below_header(table, head, &mut parsed);
        } else {
            for line in table.iter().filter(|line| !is_decoration(line.text)) {
                rows_without_header(line, &mut parsed);
            }
        }
    }
    parsed
}

/// Parses a table that starts with its header, which occupies `parts` lines.
fn rows_below_header<'a>(lines: &[Line<'a>], parts: usize, parsed: &mut Parsed<'a>) {
    let (head, mut rest) = lines.split_at(parts);
    let width = if parts > 1 { unwrap::longest(lines) } else { 0 };
    let Some(head) = LogicalLine::join_at(head, width) else {
        return;
    };
    let Some(table) = header(head.text.as_str()) else {
        return;
    };
    let table = match rest.iter().find(|line| !is_decoration(line.text)) {
        Some(row) => table.with_kind_of(row),
        None => table,
    };
    let width = unwrap::longest(lines);
    let first = parsed.objects.len();
    parsed.objects.reserve(rest.len().min(MAX_ROOM));
    let mut is_whole = true;
    let mut ahead = None;
    while let Some(line) = rest.first() {
        if is_decoration(line.text) {
            is_whole &= line.is_blank();
            rest = rest.get(1..).unwrap_or(&[]);
            continue;
        }
        let mut taken = 1;
        match table.row(rest, parts > 1, width, &mut ahead) {
            Some((object, parts)) => {
                parsed.objects.push(object);
                taken = parts;
            }
            None => {
                rows_without_header(line, parsed);
                is_whole = false;
            }
        }
        rest = rest.get(taken..).unwrap_or(&[]);
    }
    parsed.has_gaps |= !is_whole;
    // a single row may be all that was requested
    let rows = parsed.objects.get_mut(first..).unwrap_or_default();
    if table.kind.is_none() {
        custom_columns::identify_pods(rows);
    }
    let listed = is_whole && rows.len() > 1;
    for row in rows {
        parsed.events.extend(message::event(table.kind, row));
        row.listed = listed;
    }
}

/// Returns true if a line is printed by kubectl in place of an empty table (kubernetes/kubectl
/// `pkg/cmd/get/get.go`): `No resources found in shop namespace.`
pub fn is_empty_list(line: &str) -> bool {
    line.trim_start().starts_with("No resources found")
}

/// Returns the namespace named in that line.
pub fn namespace_of_empty_list(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("No resources found in ")?;
    rest.split_once(" namespace").map(|(name, _)| name)
}

fn rows_without_header<'a>(line: &Line<'a>, parsed: &mut Parsed<'a>) {
    let whole = LogicalLine::of(line);
    let cut = whole.line();
    static TABLES: LazyLock<[Option<Table<'static>>; 2]> =
        LazyLock::new(|| [PODS, PODS_NAMESPACED].map(|head| Columns::read(head).map(Table::new)));
    let row = pod_row(&cut).and_then(|(is_namespaced, cells)| {
        let table = TABLES.get(usize::from(is_namespaced))?.as_ref()?;
        Some(table.object(&whole, &cells))
    });
    match row {
        Some(object) => parsed.objects.push(object),
        None => parsed.not_understood.push(line.number),
    }
}

/// Returns the number of lines that the header occupies.
fn header_parts(lines: &[Line<'_>]) -> usize {
    let Some((first, rest)) = lines.split_first() else {
        return 0;
    };
    let mut parts = 1;
    if !is_header(first.text) {
        return parts;
    }
    for line in rest.iter().take(MAX_PARTS - 1) {
        if !is_rest_of_header(first, line.text) {
            break;
        }
        parts += 1;
    }
    parts
}

/// Returns true if the line contains only column names, like the rest of a wrapped header.
fn is_rest_of_header(first: &Line<'_>, line: &str) -> bool {
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || b" -_()/%".contains(&byte);
    is_cut(first)
        && line.bytes().any(|byte| byte.is_ascii_uppercase())
        && line.bytes().all(is_capital)
        && !matches!(line.split_whitespace().next(), Some("NAME" | "NAMESPACE"))
}

/// Returns true if the line is long enough to have been wrapped by a terminal.
fn is_cut(line: &Line<'_>) -> bool {
    line.text.len() >= unwrap::MIN_WIDTH && unwrap::width_of(line) >= unwrap::MIN_WIDTH
}

/// Returns true if the line is decoration: dots for removed text, or a rule.
fn is_decoration(line: &str) -> bool {
    let line = line.trim();
    line.chars().all(|c| {
        matches!(
            c,
            '.' | '\u{2026}' | '[' | ']' | '-' | '=' | '+' | ' ' | '\u{2500}'
        )
    })
}

/// A table's header and what it implies.
struct Table<'h> {
    columns: Columns<'h>,
    types: Vec<ColumnType>,
    kind: Option<&'static str>,
    /// The conversions of the columns' cells.
    uses: Vec<CellUse>,
}

fn header(line: &str) -> Option<Table<'_>> {
    let start = line.trim_start();
    // cheap rejection of almost every line
    if !start.starts_with(|c: char| c.is_ascii_uppercase()) || !has_two_capitals(start) {
        return None;
    }
    let word = start.split_whitespace().next()?;
    // k9s marks the column it sorts by
    if !detect_kind::may_be_first(word.trim_end_matches(['\u{2191}', '\u{2193}'])) {
        return None;
    }
    let columns = Columns::read(line)?;
    let first = columns.names().next()?;
    let is_nameless = detect_kind::is_first_without_names(first);
    let is_table =
        (is_nameless || detect_kind::is_first(first) || detect_kind::is_first_if_kind_known(first))
            && columns.names().all(is_column_name)
            && !events::is_header(line);
    if !is_table {
        return None;
    }
    let is_plain = columns.is_aligned() || columns.names().all(names::is_known);
    let needs_kind = !(is_plain && detect_kind::is_first(first));
    let table = Table::new(columns);
    let is_known = match table.kind {
        Some(kind) => !is_nameless || !is_ambiguous(kind),
        None => !needs_kind,
    };
    is_known.then_some(table)
}

fn has_two_capitals(text: &str) -> bool {
    matches!(text.as_bytes(), [_, second, ..] if second.is_ascii_uppercase())
}

/// Returns true if the word is written like a column name of kubectl: upper case except for a unit
/// in parentheses (`CPU(cores)`, `PORT(S)`).
fn is_column_name(name: &str) -> bool {
    let (plain, unit) = name.split_once('(').unwrap_or((name, ")"));
    unit.ends_with(')')
        && plain.starts_with(|c: char| c.is_ascii_uppercase() || c == '%')
        && plain.bytes().all(|byte| {
            byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-_/%?:. ".contains(&byte)
        })
}

impl<'h> Table<'h> {
    fn new(columns: Columns<'h>) -> Self {
        let kind = detect_kind::of_header(&columns.names().collect::<Vec<_>>());
        Table::of_kind(columns, kind)
    }

    /// Returns the table with the kind that its first row shows, if several kinds have these columns.
    fn with_kind_of(self, row: &Line<'_>) -> Self {
        let status = self.columns.names().position(|name| name == "STATUS");
        let cells = self.cells(row).unwrap_or_default();
        let value = status.and_then(|at| cells.get(at));
        match value.and_then(|cell| detect_kind::of_status(self.kind, cell.text)) {
            Some(kind) => Table::of_kind(self.columns, Some(kind)),
            None => self,
        }
    }

    fn of_kind(columns: Columns<'h>, kind: Option<&'static str>) -> Self {
        // requested labels and columns of custom resources may be empty
        let column_type =
            |name| names::find(kind, name).map_or(ColumnType::Optional, |known| known.column_type);
        let types = columns.names().map(column_type).collect();
        let names: Vec<&str> = columns.names().collect();
        let uses = names.iter().map(|name| CellUse::of(kind, name, &names));
        Table {
            uses: uses.collect(),
            columns,
            types,
            kind,
        }
    }

    /// Splits a row into one cell per column; `None` if the line is not a row of this table.
    fn cells<'r>(&self, line: &Line<'r>) -> Option<Vec<Cell<'r>>> {
        self.aligned(line)
            .or_else(|| align::align(&self.types, &self.columns, line))
    }

    /// Splits a row that is aligned with the header.
    fn aligned<'r>(&self, line: &Line<'r>) -> Option<Vec<Cell<'r>>> {
        self.columns
            .cells(line)
            .filter(|cells| align::is_plausible(&self.types, cells))
    }

    /// Splits a row joined from wrapped lines. If a line of another row was joined by error, the
    /// last cell contains more than it may.
    fn joined<'r>(&self, line: &Line<'r>) -> Option<Vec<Cell<'r>>> {
        let is_long = self
            .types
            .last()
            .is_some_and(|column_type| column_type.is_long());
        let most = if is_long { "  " } else { " " };
        let fits =
            |cells: &Vec<Cell<'r>>| cells.last().is_none_or(|cell| !cell.text.contains(most));
        self.aligned(line).filter(fits)
    }

    /// Parses the first row and returns the number of lines it occupies: all but its last fill the
    /// width at which a terminal wrapped them. If the header is on one line, most rows are too.
    /// `ahead` caches the last line examined and its cells.
    fn row<'a>(
        &self,
        lines: &[Line<'a>],
        is_header_cut: bool,
        width: usize,
        ahead: &mut Option<(&'a str, Vec<Cell<'a>>)>,
    ) -> Option<(Object<'a>, usize)> {
        let first = lines.first()?;
        let is_own = |line: &Line<'_>| self.aligned(line).is_some() || is_decoration(line.text);
        // fast path: most rows are followed by another one
        if !is_header_cut && let Some(next) = lines.get(1) {
            let own = ahead.take();
            let own = own.filter(|(text, _)| std::ptr::eq(*text, first.text));
            let next_cells = self.aligned(&rows::line(next.text));
            let is_alone = next_cells.is_some() || is_decoration(next.text);
            *ahead = next_cells.map(|cells| (next.text, cells));
            if is_alone {
                let cells = match own {
                    Some((_, cells)) => cells,
                    None => self.cells(&rows::line(first.text))?,
                };
                return Some((self.object(&LogicalLine::of(first), &cells), 1));
            }
        }
        // a wrapped header shows that lines are wrapped; without it only full lines are
        let full = lines
            .iter()
            .take(MAX_PARTS - 1)
            .take_while(|line| is_header_cut || unwrap::is_full(line, width))
            .count();
        let mut most = (full + 1).min(lines.len());
        if !is_header_cut && most > 1 {
            let others = lines.get(1..most)?.iter().position(is_own);
            most = others.map_or(most, |at| at + 1);
        }
        let joined = (2..=most).rev().find_map(|parts| {
            let whole = LogicalLine::join_at(lines.get(..parts)?, width)?;
            let line = whole.line();
            let cells = self.joined(&line)?;
            Some((self.object(&whole, &cells), parts))
        });
        joined.or_else(|| {
            let whole = LogicalLine::of(first);
            let line = whole.line();
            let cells = self.cells(&line)?;
            Some((self.object(&whole, &cells), 1))
        })
    }

    fn object<'a>(&self, whole: &LogicalLine<'a>, cells: &[Cell<'_>]) -> Object<'a> {
        let mut builder = RowBuilder {
            whole,
            kind: self.kind,
            subject: Subject {
                kind: self.kind.map(str::to_owned),
                ..Subject::default()
            },
            fields: Map::with_room(self.uses.len()),
        };
        for (of, cell) in self.uses.iter().zip(cells) {
            builder.add(of, *cell);
        }
        let RowBuilder {
            mut subject,
            fields,
            ..
        } = builder;
        if let Some(node) = fields.text("node").filter(|node| !cells::is_absent(node)) {
            subject.node = Some(node.into_owned());
        }
        Object {
            format: Format::Table,
            span: whole.trimmed_span(),
            subject,
            fields,
            listed: false,
        }
    }
}

/// Splits a row of pods that has no header, and returns whether its first column is the namespace.
fn pod_row<'a>(line: &Line<'a>) -> Option<(bool, Vec<Cell<'a>>)> {
    // look for the READY column, rare in other lines, before cutting cells
    let ready =
        |part: &[u8]| matches!(part, [a, b'/', b] if a.is_ascii_digit() && b.is_ascii_digit());
    if !line.text.as_bytes().windows(3).any(ready) {
        return None;
    }
    let cells = align::pieces(line)?;
    let is_pod = |cells: &[Cell<'a>]| match cells {
        [name, ready, status, restarts, age, rest @ ..] => {
            align::is_object_name(name.text)
                && align::is_ratio(ready.text)
                && detect_kind::is_pod_status(status.text)
                && align::restarts(restarts.text).is_some()
                && align::is_age(age.text)
                && rest.len() <= 4
        }
        _ => false,
    };
    if is_pod(&cells) {
        return Some((false, cells));
    }
    let (namespace, rest) = cells.split_first()?;
    let is_namespaced = align::is_object_name(namespace.text) && is_pod(rest);
    is_namespaced.then_some((true, cells))
}

#[cfg(test)]
mod tests;
