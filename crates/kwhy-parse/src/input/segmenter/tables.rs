//! Tables whose header is not among the lines above their rows: the table began before the text, or a line that is none of
//! its rows interrupted it.

use super::Segmenter;
use crate::input::{Extent, Line, Segment, command};
use crate::table::{OpenTable, RowLayout};
use kwhy_model::Subject;

/// A table amid which there is a line of another program, or a damaged row.
#[derive(Debug)]
pub(super) struct Interrupted<'a> {
    header: &'a str,
    pub rows: RowLayout,
    subject: Subject,
    extent: Extent,
}

impl<'a> Interrupted<'a> {
    /// Keeps what further rows of a closed table need; `header` is its first line, unchanged.
    pub fn of(segment: &Segment<'a>, header: &'a str, rows: RowLayout) -> Interrupted<'a> {
        Interrupted {
            header,
            rows,
            subject: segment.subject.clone(),
            extent: segment.extent,
        }
    }
}

impl<'a> Segmenter<'a> {
    /// Opens the table that was already open before the text.
    pub(super) fn continue_table(&mut self, table: &'a OpenTable) {
        self.command = table.command.as_deref().and_then(command::parse);
        self.open_below(&table.header);
    }

    /// Opens a table again, for further rows.
    pub(super) fn resume(&mut self, table: Interrupted<'a>) {
        self.settle(false);
        self.open_below(table.header);
        if let Some(open) = &mut self.open {
            (open.subject, open.extent) = (table.subject, table.extent);
        }
    }

    /// Opens a table below a header that is elsewhere.
    fn open_below(&mut self, header: &'a str) {
        let header = Line {
            text: header,
            start: 0,
            number: 0,
        };
        self.place(header, false, None, None);
    }
}
