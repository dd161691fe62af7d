//! Rows that are certainly aligned with their table's header: their cells start where its columns do.

use memchr::memchr2_iter;

use super::align::ColumnType;
use super::{Table, has_two_capitals, header};
use crate::events;
use crate::input::Line;

/// The minimum number of columns; fewer may be aligned by chance.
const MIN_COLUMNS: usize = 4;

/// The layout of a table: the offsets of its columns and the values that they accept.
///
/// It covers ASCII tables of objects and events that are aligned with spaces. Any other table, and rows with an
/// empty cell, are left to the row parsers.
///
/// ```
/// use kwhy_parse::table::RowLayout;
/// let layout = RowLayout::of("NAME    READY   STATUS    RESTARTS   AGE").unwrap();
/// assert!(layout.takes(b"web-0   1/1     Running   0          5d"));
/// assert!(!layout.takes(b"web-0 1/1 Running 0 5d"));
/// assert!(!layout.takes(b"web-0   1/1     Running   0          none of these"));
/// ```
#[derive(Clone, Debug)]
pub struct RowLayout {
    starts: Vec<usize>,
    columns: Accepted,
}

/// The values that the columns accept.
#[derive(Clone, Debug)]
enum Accepted {
    Objects(Vec<ColumnType>),
    /// The columns of an Events table, with the index of the type.
    Events(usize),
}

impl RowLayout {
    /// Returns the layout of the table with this header.
    pub fn of(line: &str) -> Option<RowLayout> {
        if !line.is_ascii() || line.contains('\t') {
            return None;
        }
        if let Some(Table { columns, types, .. }) = header(line) {
            let starts = columns.starts(MIN_COLUMNS)?;
            return Some(RowLayout {
                starts,
                columns: Accepted::Objects(types),
            });
        }
        let (columns, of_type) = events::columns(line)?;
        Some(RowLayout {
            starts: columns.starts(MIN_COLUMNS)?,
            columns: Accepted::Events(of_type),
        })
    }

    /// Returns true if a line is certainly a row of the table.
    pub fn takes(&self, line: &[u8]) -> bool {
        let (Some(first), Some(last)) = (self.starts.first(), self.starts.last()) else {
            return false;
        };
        let is_blank = |bytes: &[u8]| bytes.iter().all(|byte| *byte == b' ');
        let begins_at = |start: usize| {
            let gap = line.get(start - 2..start);
            gap == Some(b"  ") && line.get(start).is_some_and(u8::is_ascii_graphic)
        };
        let is_aligned = line.len() > *last
            && is_blank(&line[..*first])
            && line[*first].is_ascii_graphic()
            && self.starts.iter().skip(1).all(|start| begins_at(*start));
        if !is_aligned || !line.is_ascii() || is_marked(line) {
            return false;
        }
        let Ok(text) = std::str::from_utf8(line) else {
            return false;
        };
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(line.len()));
        let spans = self.starts.iter().copied().zip(ends);
        let mut cells = spans.map(|(start, end)| {
            let is_text = |byte: &u8| *byte > b' ';
            let length = line[start..end].iter().rposition(is_text);
            text.get(start..start + length.map_or(0, |last| last + 1))
                .unwrap_or("")
        });
        let own = &text[*first..];
        match &self.columns {
            // a leading digit may start a record's time, two capitals another header
            Accepted::Objects(types) => {
                !own.starts_with(|c: char| c.is_ascii_digit())
                    && !has_two_capitals(own)
                    && types.iter().zip(cells).all(|(of, cell)| of.accepts(cell))
            }
            Accepted::Events(of_type) => {
                matches!(cells.nth(*of_type), Some("Normal" | "Warning"))
            }
        }
    }
}

/// Returns true if a line may contain markup of the page it was copied from: code or tags.
fn is_marked(line: &[u8]) -> bool {
    const WORDS: [&[u8]; 6] = [
        b"<none>",
        b"<unknown>",
        b"<pending>",
        b"<unset>",
        b"<nil>",
        b"<invalid>",
    ];
    let is_word = |at: usize| WORDS.iter().any(|word| line[at..].starts_with(word));
    memchr2_iter(b'`', b'<', line).any(|at| !is_word(at))
}

impl<'h> super::columns::Columns<'h> {
    /// Returns the offsets of the columns of an ASCII header without tabs; `None` if it is not aligned or has fewer
    /// than `least` columns.
    fn starts(&self, least: usize) -> Option<Vec<usize>> {
        let count = self.names().count();
        let starts = (0..count).map(|column| self.position(column));
        let starts = starts.collect::<Option<Vec<usize>>>()?;
        let is_wide = |pair: &[usize]| matches!(pair, [one, next] if one + 2 < *next);
        (count >= least && starts.windows(2).all(is_wide)).then_some(starts)
    }
}

/// Returns a line as the row parsers expect it.
pub(super) fn line(text: &str) -> Line<'_> {
    Line {
        text,
        start: 0,
        number: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::is_row;
    use proptest::prelude::*;

    #[test]
    fn events() {
        let header = "LAST SEEN   TYPE      REASON    OBJECT       MESSAGE";
        let layout = RowLayout::of(header).unwrap();
        assert!(layout.takes(
            b"17m         Normal    Pulled    pod/quay-0   Container image  \"x\" already present"
        ));
        assert!(layout.takes(b"17m         Warning   BackOff   pod/quay-0   Back-off"));
        assert!(!layout.takes(b"17m         Normal    Pulled                 Container image"));
        assert!(!layout.takes(b"17m         Common    Pulled    pod/quay-0   Container image"));
    }

    #[test]
    fn tables_that_are_left_to_others() {
        assert!(RowLayout::of("NAME   STATUS   AGE").is_none());
        assert!(RowLayout::of("NAME READY STATUS RESTARTS AGE").is_none());
        assert!(RowLayout::of("NAME\tREADY\tSTATUS\tRESTARTS\tAGE").is_none());
        assert!(RowLayout::of("A line of some text").is_none());
        let layout = RowLayout::of("NAME    READY   STATUS    RESTARTS   AGE").unwrap();
        for line in [
            "NAME    READY   STATUS    RESTARTS   AGE",
            "",
            "web-0   1/1",
            "web-0   1/1               0          5d",
            "web-0   1/1     Running   0          5d```",
            "web-0   1/1     Running   0          5d<br />",
            "wéb-0   1/1     Running   0          5d",
            "web-0\t1/1     Running   0          5d",
        ] {
            assert!(!layout.takes(line.as_bytes()), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_it_takes_the_parser_takes(
            cells in proptest::collection::vec("[a-zA-Z0-9/ ()-]{0,9}", 5),
            gaps in proptest::collection::vec(0usize..4, 5),
        ) {
            let header = "NAME       READY      STATUS     RESTARTS   AGE";
            let layout = RowLayout::of(header).unwrap();
            let row: String = cells.iter().zip(gaps).map(|(cell, gap)| format!("{cell:<width$}", width = 8 + gap)).collect();
            if layout.takes(row.as_bytes()) {
                prop_assert!(is_row(header, &row), "{row}");
            }
        }
    }
}
