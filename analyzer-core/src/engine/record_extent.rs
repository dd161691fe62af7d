//! The lines that must be parsed together with a line.

use std::ops::Range;

use memchr::memrchr;

use super::line_index::{Region, RegionReason};
use kwhy_parse::framing::{begins_record, next_line};

/// The number of lines parsed before and after a literal if there is no record.
const AROUND: usize = 24;

/// The maximum number of preceding lines that are searched for the start of a record.
const MAX_LINES: usize = 4000;

/// Finds the extent of the lines that belong together.
pub(super) struct RecordExtent<'t> {
    bytes: &'t [u8],
    /// Runs of table rows, in which no record starts.
    tables: &'t [Range<usize>],
    /// The end of the last extent.
    pub done: usize,
    /// A range without a record start, from the last search.
    barren: Range<usize>,
}

impl<'t> RecordExtent<'t> {
    /// Creates it for the lines of a block.
    pub fn new(bytes: &'t [u8], tables: &'t [Range<usize>]) -> Self {
        RecordExtent {
            bytes,
            tables,
            done: 0,
            barren: 0..0,
        }
    }

    /// Returns the range of whole lines to parse together with the first of these regions.
    pub fn lines(&mut self, region: &Region, regions: &[Region]) -> Range<usize> {
        let further = regions.iter().skip(1);
        if let Some(end) = region.end
            && further
                .take_while(|next| next.at < end)
                .all(|next| next.why != RegionReason::Structure)
        {
            self.done = end;
            return region.at..end;
        }
        let (start, of_record) = self.start(region.at);
        let end = self.end(region, of_record, regions);
        self.done = end;
        start..end
    }

    /// Returns the start of the record that a line belongs to; without a record, of a few lines before it.
    fn start(&mut self, at: usize) -> (usize, bool) {
        let mut start = at;
        let mut near = at;
        let mut lines = 0;
        loop {
            if self.barren.contains(&start) {
                start = self.barren.start;
                break;
            }
            if begins_record(self.bytes, start) {
                return (start, true);
            }
            let Some(before) = start.checked_sub(1).filter(|_| start > self.done) else {
                break;
            };
            start = memrchr(b'\n', &self.bytes[..before]).map_or(0, |end| end + 1);
            lines += 1;
            if lines <= AROUND && near > start {
                near = start;
            }
            if lines > MAX_LINES {
                break;
            }
        }
        self.barren = start..at;
        (near.max(self.done), false)
    }

    /// Returns the run of table rows that contains a byte.
    fn rows(&self, at: usize) -> Option<&'t Range<usize>> {
        let next = self.tables.partition_point(|rows| rows.end <= at);
        self.tables.get(next).filter(|rows| rows.start <= at)
    }

    fn end(&mut self, region: &Region, of_record: bool, regions: &[Region]) -> usize {
        let mut regions = regions.iter().peekable();
        let mut structure = region.why == RegionReason::Structure;
        let mut end = next_line(self.bytes, region.at).unwrap_or(self.bytes.len());
        let mut lines = 0;
        while end < self.bytes.len() {
            if structure && let Some(rows) = self.rows(end) {
                end = rows.end.min(self.bytes.len());
                continue;
            }
            if begins_record(self.bytes, end) {
                if !structure {
                    return end;
                }
                // the first record of the log below is included, as the command above may describe that log
                structure = false;
                lines = 0;
            } else if !of_record && !structure && lines >= AROUND {
                return end;
            }
            while let Some(next) = regions.next_if(|next| next.at <= end) {
                structure |= next.at == end && next.why == RegionReason::Structure;
            }
            lines += 1;
            end = next_line(self.bytes, end).unwrap_or(self.bytes.len());
        }
        end
    }
}
