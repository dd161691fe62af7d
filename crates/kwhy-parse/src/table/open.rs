//! The table that is open where a long document is split: its rows have no meaning without the header.

use memchr::{memmem, memrchr};

use super::rows::RowLayout;
use super::{has_two_capitals, is_rest_of_header, rows};
use crate::framing::{begins_record, line_at, next_line};
use crate::input::is_command;

/// The number of lines one of which must be a row.
const MAX_ROWS: usize = 8;

/// A table whose rows continue in the next part of a document.
///
/// ```
/// use kwhy_parse::table::OpenTable;
/// let text = b"$ kubectl get pods\nNAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          5d\n";
/// let (row, table) = OpenTable::find(text, 60, None).unwrap();
/// assert_eq!(row, 60);
/// assert_eq!(table.header, "NAME    READY   STATUS    RESTARTS   AGE");
/// assert_eq!(table.command.as_deref(), Some("$ kubectl get pods"));
/// assert!(OpenTable::find(text, 0, None).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTable {
    /// The header line, unchanged.
    pub header: String,
    /// The command that printed it, unchanged.
    pub command: Option<String>,
}

impl OpenTable {
    /// Finds the table that has one of the first lines from `at` on as a row, if the lines above belong to it too; also
    /// returns the offset of that row. `before` is the table open at the start of these bytes.
    pub fn find(bytes: &[u8], at: usize, before: Option<&OpenTable>) -> Option<(usize, OpenTable)> {
        let rows = || {
            let all = std::iter::successors(Some(at), |at| next_line(bytes, *at)).take(MAX_ROWS);
            let mut lines = all.map(|at| (at, line_at(bytes, at)));
            std::iter::from_fn(move || lines.next().filter(|(_, line)| !is_blank(line)))
        };
        // cheap check that rules out almost every offset
        if !rows().any(|(_, line)| may_be_row(line)) || begins_record(bytes, at) {
            return None;
        }
        let (layout, table) = OpenTable::above(bytes, at, before)?;
        let (at, _) = rows().find(|(_, line)| layout.takes(line))?;
        Some((at, table))
    }

    /// Returns the table that is open above an offset.
    fn above(
        bytes: &[u8],
        at: usize,
        before: Option<&OpenTable>,
    ) -> Option<(RowLayout, OpenTable)> {
        let mut end = at;
        let mut below = line_at(bytes, at);
        while let Some(break_at) = end.checked_sub(1) {
            let start = memrchr(b'\n', &bytes[..break_at]).map_or(0, |end| end + 1);
            let line = &bytes[start..break_at];
            if is_blank(line) {
                return None;
            }
            let text = std::str::from_utf8(line).unwrap_or("");
            if has_two_capitals(text.trim_ascii_start())
                && let Some(layout) = RowLayout::of(text)
            {
                let below = String::from_utf8_lossy(below);
                // if the header was wrapped, its first line does not describe the rows
                let is_whole = !is_rest_of_header(&rows::line(text), &below);
                let table = || OpenTable {
                    header: text.to_owned(),
                    command: command_above(bytes, start, before),
                };
                return is_whole.then(|| (layout, table()));
            }
            below = line;
            end = start;
        }
        let table = before?;
        Some((RowLayout::of(&table.header)?, table.clone()))
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Returns true if a line contains a gap as between two cells.
fn may_be_row(line: &[u8]) -> bool {
    memmem::find(line.trim_ascii(), b"  ").is_some()
}

/// Returns the command that printed the table whose header is at this offset; one command may print several tables.
fn command_above(bytes: &[u8], at: usize, before: Option<&OpenTable>) -> Option<String> {
    let mut end = at;
    while let Some(break_at) = end.checked_sub(1) {
        let start = memrchr(b'\n', &bytes[..break_at]).map_or(0, |end| end + 1);
        let line = &bytes[start..break_at];
        if !is_blank(line) && !may_be_row(line) {
            let line = std::str::from_utf8(line).ok()?;
            return is_command(line).then(|| line.to_owned());
        }
        end = start;
    }
    before?.command.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "NAME     READY   STATUS    RESTARTS   AGE\n";
    const ROW: &str = "quay-0   1/1     Running   0          5d\n";

    fn above(text: &str, before: Option<&OpenTable>) -> Option<String> {
        let at = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
        OpenTable::find(text.as_bytes(), at, before).map(|(_, table)| table.header)
    }

    #[test]
    fn header_above_rows() {
        let head = HEAD.trim_end();
        let rows = ROW.repeat(3);
        assert_eq!(above(&format!("{HEAD}{rows}"), None).as_deref(), Some(head));
        // only the last header counts, not the rows above
        let other = "NAMESPACE   NAME     STATUS   AGE\nx   y\n";
        let nearest = format!("{other}{HEAD}{rows}");
        assert_eq!(above(&nearest, None).as_deref(), Some(head));
        assert_eq!(above(&format!("{HEAD}\n{rows}"), None), None);
        assert_eq!(
            above(&format!("{HEAD}{rows}All of them run.\n"), None),
            None
        );
        assert_eq!(
            above(&format!("{HEAD}{rows}mole-0  0/1  Pending  0  5d\n"), None),
            None
        );
        assert_eq!(above(&rows, None), None);
        // a damaged row is not the rest of the header
        let damaged = [
            HEAD.as_bytes(),
            b"quay-0   0/\xc61  Running\n",
            rows.as_bytes(),
        ]
        .concat();
        let at = damaged.len() - ROW.len();
        assert!(OpenTable::find(&damaged, at, None).is_some());
    }

    #[test]
    fn table_that_is_open_at_the_start() {
        let open = OpenTable {
            header: HEAD.trim_end().to_owned(),
            command: None,
        };
        assert_eq!(
            above(&ROW.repeat(2), Some(&open)),
            Some(open.header.clone())
        );
        assert_eq!(above(&format!("{ROW}\n{ROW}"), Some(&open)), None);
    }

    #[test]
    fn wrapped_headers_are_not_open() {
        let head =
            "NAMESPACE      NAME        READY      STATUS       RESTARTS      AGE    \nNODE\n";
        let row = "quay           mole-0      1/1        Running      0             5d     \nw1\n";
        let text = format!(
            "{head}{row}quay           mole-0      1/1        Running      0             5d\n"
        );
        assert_eq!(above(&text, None), None);
    }
}
