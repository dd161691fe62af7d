//! Finds the log record that is open at a place where a document might be cut: its trace and further message lines are
//! meaningless without it.

use std::borrow::Cow;

use kwhy_parse::framing::{
    Framer, Relation, begins_record, line_at, lines_before, next_line, text,
};
use kwhy_parse::input::ends_log;
use kwhy_parse::log;

/// The maximum number of preceding lines that are searched for the record that a line may belong to.
const LINES: usize = 1024;

/// The last log record, framed up to a position.
#[derive(Default)]
pub(super) struct Lookback {
    framer: Option<Framer>,
    /// The offset of the next line to frame.
    at: usize,
}

impl Lookback {
    /// Returns true if the line at this byte may belong to a record before it. Must be called for lines in order.
    pub fn takes(&mut self, bytes: &[u8], at: usize, is_record: bool) -> bool {
        let mut framer = self.framer.take().unwrap_or_else(|| {
            let mut framer = Framer::default();
            self.at = at;
            if let Some((start, line)) = record_before(bytes, at) {
                self.at = next_line(bytes, start).unwrap_or(at);
                framer.take(&line, log::detect(&line), || false);
            }
            framer
        });
        let mut relation = Relation::Outside;
        while self.at <= at {
            let line = text(line_at(bytes, self.at));
            let form = log::detect(&line);
            let record = form.filter(|_| is_record && self.at == at);
            relation = framer.take(&line, record, || ends_log(&line));
            // a line shaped like a record that starts none continues the previous record within an envelope
            if form.is_some() && !is_record && self.at == at {
                relation = Relation::Continues;
            }
            let Some(next) = next_line(bytes, self.at) else {
                break;
            };
            self.at = next;
        }
        self.framer = Some(framer);
        matches!(relation, Relation::Continues | Relation::MayContinue)
    }
}

/// Returns the start of the last record before a byte, with its first line.
fn record_before(bytes: &[u8], at: usize) -> Option<(usize, Cow<'_, str>)> {
    let mut start = at;
    for line in lines_before(bytes, at).take(LINES) {
        start = start.checked_sub(line.len() + 1)?;
        if begins_record(bytes, start) {
            return Some((start, text(line)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::split::tests::find;

    #[test]
    fn no_block_begins_inside_a_record() {
        let record = "2024-03-04T05:06:07.123Z ERROR 7 --- [main] o.h.Crane : lift failed\n";
        let trace = "java.lang.IllegalStateException: no berth\n\tat org.harbour.Crane.lift(Crane.java:7)\n";
        let text = format!("{record}{trace}");
        for from in record.len()..text.len() {
            assert_eq!(find(text.as_bytes(), from, true), None, "{from}");
        }
        // lines that no record takes can be cut anywhere
        let other = format!("{record}\nThe crane stood still.\nNobody saw it.\n");
        let place = other.find("The").unwrap();
        assert_eq!(find(other.as_bytes(), record.len() + 1, true), Some(place));
    }
}
