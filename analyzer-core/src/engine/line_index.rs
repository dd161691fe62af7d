//! Surveys the lines of a block in one pass and finds those that must be read: structured outputs, text quoted over
//! several lines, errors. Lines that clearly start a log record are recognised by their first bytes and skipped.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memmem};

use kwhy_model::{Format, Severity};
use kwhy_parse::framing::{
    Class, Cri, DOCKER_LINE, Framer, Relation, classify_bare, is_error, is_go_frame, line_at,
    spread_lines,
};
use kwhy_parse::input::{Around, ends_log, is_structural, marked_record};
use kwhy_parse::log;
use kwhy_parse::plain;
use kwhy_parse::table::RowLayout;
use kwhy_signature::STARTS;

/// The interval in lines at which offsets are kept; lines in between are counted from these.
const MILE: u64 = 8;

/// The reason why a line must be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RegionReason {
    /// It is part of a structured output.
    Structure,
    /// A literal of a signature occurs in it, or may occur across it and the next lines.
    Text,
    /// It reports an error.
    Error,
}

/// A line that must be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Region {
    /// The byte offset of the line in the block.
    pub at: usize,
    pub why: RegionReason,
    /// The end of the record that starts with the line, if it is known.
    pub end: Option<usize>,
    /// The conditions whose literals occur in the line, as a range of those of all lines; `None` if unknown.
    pub candidates: Option<(usize, usize)>,
}

impl Region {
    /// Creates a region of which nothing else is known.
    pub fn new(at: usize, why: RegionReason) -> Region {
        Region {
            at,
            why,
            end: None,
            candidates: None,
        }
    }
}

/// The survey of a block's lines.
#[derive(Debug, Default)]
pub(crate) struct LineIndex {
    pub lines: u64,
    /// The offset of every [`MILE`]-th line, starting with the first.
    pub miles: Vec<usize>,
    /// Lines that start a log record.
    pub records: u64,
    /// The number of the last line that starts a log record; 0 if none does.
    pub last_record: u64,
    pub regions: Vec<Region>,
    /// The offsets of lines that a container runtime split: they continue on another line.
    pub partial: Vec<usize>,
    /// The offsets of lines that end a run of log records.
    pub breaks: Vec<usize>,
    /// The offset of the last record.
    record: Option<usize>,
    /// The framer that decides which lines belong to it; created when a line may.
    framer: Option<Framer>,
    /// The offsets of lines that end a run if the record does not continue after them.
    held: Vec<usize>,
    /// The end of the lines known to belong to a record.
    taken: usize,
    /// True while a structured output continues: everything up to the next record is read with it.
    structured: bool,
    /// The layout of that output's rows, if it is a table.
    rows: Option<RowLayout>,
    /// Runs of lines that are rows of a table, as ranges of bytes.
    pub tables: Vec<Range<usize>>,
    /// The offsets of the last lines that may state a date with a year, one for each possible first byte.
    pub dated: [Option<usize>; 4],
}

/// Surveys the lines of a block; `around` is what precedes and follows it.
#[inline(never)]
pub(crate) fn index_lines(bytes: &[u8], around: Around<'_>) -> LineIndex {
    let mut index = LineIndex::default();
    if let Some(table) = around.table {
        index.add(0, RegionReason::Structure);
        index.structured = true;
        index.rows = RowLayout::of(&table.header);
    }
    let last = (!bytes.is_empty() && !bytes.ends_with(b"\n")).then_some(bytes.len());
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes).chain(last) {
        let line = &bytes[start..end];
        if index.lines.is_multiple_of(MILE) {
            index.miles.push(start);
        }
        index.lines += 1;
        // no indented line starts a record
        let inside = index.structured && matches!(line.first(), Some(b' ' | b'\t'));
        if start < index.taken || inside {
            start = end + 1;
            continue;
        }
        if index.is_row(start, line) {
            start = end + 1;
            continue;
        }
        index.may_be_dated(start, line.first());
        if let Some(cri) = Cri::of(line) {
            index.cri(start, line, cri);
            start = end + 1;
            continue;
        }
        match classify_bare(line) {
            Class::Record(format) => {
                index.record(start);
                if is_error(format, line) {
                    index.add(start, RegionReason::Error);
                }
            }
            Class::Enveloped => index.record(start),
            Class::Json => {
                index.record(start);
                let is_long = line.len() > DOCKER_LINE && line.starts_with(b"{\"log\":\"");
                if is_long || is_journal_of_bytes(line) {
                    index.add(start, RegionReason::Text);
                }
            }
            Class::Inside => index.inside(bytes, start, line),
            Class::Unknown if is_go_frame(line, bytes.get(end + 1..).unwrap_or_default()) => {
                index.inside(bytes, start, line);
            }
            Class::Unknown => {
                // valid UTF-8 cut at line ends stays valid
                index.unknown(bytes, start, std::str::from_utf8(line).unwrap_or(""));
            }
        }
        start = end + 1;
    }
    index.settle(around.record_follows);
    index
}

impl LineIndex {
    /// Returns the number of lines before the one that starts at a byte.
    pub fn lines_before(&self, bytes: &[u8], at: usize) -> u64 {
        let mile = self
            .miles
            .partition_point(|start| *start <= at)
            .saturating_sub(1);
        let from = self.miles.get(mile).copied().unwrap_or_default();
        let more = bytes.get(from..at).unwrap_or_default();
        mile as u64 * MILE + memchr_iter(b'\n', more).count() as u64
    }

    /// Takes a line if it is a row of the open table.
    fn is_row(&mut self, start: usize, line: &[u8]) -> bool {
        let is_row = self.structured && self.rows.as_ref().is_some_and(|rows| rows.takes(line));
        if is_row {
            let end = start + line.len() + 1;
            match self.tables.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => self.tables.push(start..end),
            }
        }
        is_row
    }

    /// Notes a line that, by its first byte, may state a date with a year.
    #[inline]
    fn may_be_dated(&mut self, start: usize, first: Option<&u8>) {
        match first {
            Some(b'{') => self.dated[0] = Some(start),
            Some(b't') => self.dated[1] = Some(start),
            Some(b'0'..=b'9') => self.dated[2] = Some(start),
            Some(b'[' | b'l') => self.dated[3] = Some(start),
            _ => {}
        }
    }

    fn add(&mut self, at: usize, why: RegionReason) {
        self.regions.push(Region::new(at, why));
    }

    /// Takes a CRI line: partial lines and crashes are always read.
    fn cri(&mut self, start: usize, line: &[u8], cri: Cri) {
        self.record(start);
        let payload = line.get(cri.payload..).unwrap_or_default();
        if cri.partial {
            self.partial.push(start);
        } else if STARTS
            .iter()
            .any(|start| payload.starts_with(start.as_bytes()))
        {
            self.add(start, RegionReason::Text);
        }
    }

    /// Starts a record.
    #[inline]
    fn record(&mut self, start: usize) {
        self.records += 1;
        self.last_record = self.lines;
        self.record = Some(start);
        self.structured = false;
        if self.framer.is_some() {
            self.framer = None;
            self.held.clear();
        }
    }

    /// Decides the lines that depend on whether the last record continues.
    fn settle(&mut self, continues: bool) {
        if continues {
            self.held.clear();
        } else {
            self.breaks.append(&mut self.held);
        }
    }

    /// Takes a line that starts no record.
    fn other(&mut self, bytes: &[u8], start: usize, line: &str) {
        self.relate(bytes, start, line, || ends_log(line));
    }

    /// Takes a line that starts no record; `ends` returns true if it ends a log in any case.
    fn relate(&mut self, bytes: &[u8], start: usize, line: &str, ends: impl FnOnce() -> bool) {
        let relation = match self.record {
            None if line.trim().is_empty() => return,
            None => Relation::Outside,
            Some(at) => {
                let framer = self.framer.get_or_insert_with(|| framer_at(bytes, at));
                framer.take(line, None, ends)
            }
        };
        match relation {
            Relation::Begins | Relation::Continues => self.settle(true),
            Relation::MayContinue => self.held.push(start),
            Relation::Blank => self.settle(false),
            Relation::Outside => {
                self.settle(false);
                self.breaks.push(start);
                (self.record, self.framer) = (None, None);
            }
        }
    }

    /// Takes a line that starts neither a record nor a structured output.
    fn inside(&mut self, bytes: &[u8], start: usize, line: &[u8]) {
        let line = std::str::from_utf8(line).unwrap_or("");
        self.relate(bytes, start, line, || false);
    }

    fn unknown(&mut self, bytes: &[u8], start: usize, line: &str) {
        if line.trim().is_empty() {
            self.rows = None;
            self.other(bytes, start, line);
            return;
        }
        if let Some(lines) = spread_lines(bytes, start) {
            let ends = memchr_iter(b'\n', bytes.get(start..).unwrap_or(&[]));
            let last = ends.take(lines).last();
            self.taken = last.map_or(bytes.len(), |end| start + end + 1);
            self.record(start);
            self.record = None;
            return;
        }
        let before = self
            .record
            .filter(|at| at + line_at(bytes, *at).len() + 1 == start);
        let text = before.map_or(&b""[..], |at| line_at(bytes, at));
        let format = log::detect(line);
        let is_second = || log::is_second_line(std::str::from_utf8(text).unwrap_or(""), line);
        if let Some(format) = format.filter(|_| !is_second()) {
            self.record(start);
            if format == Format::Plain && is_crash(line) {
                self.add(start, RegionReason::Text);
            } else if is_severe(format, line) {
                self.add(start, RegionReason::Error);
            }
            return;
        }
        if format.is_some() {
            // the second line of the previous record
            if let Some(at) = before.filter(|_| line.starts_with("SEVERE")) {
                self.add(at, RegionReason::Error);
            }
            return;
        }
        if let Some(line) = marked_record(line) {
            self.record(start);
            self.may_be_dated(start, line.as_bytes().first());
            let format = log::detect(line).unwrap_or(Format::Plain);
            if is_severe(format, line) {
                self.add(start, RegionReason::Error);
            }
            return;
        }
        // everything up to the next record is read with the current output
        if self.structured {
            self.rows = RowLayout::of(line).or(self.rows.take());
            self.other(bytes, start, line);
            return;
        }
        if is_structural(line) {
            self.add(start, RegionReason::Structure);
            self.other(bytes, start, line);
            self.structured = self.record.is_none();
            self.rows = RowLayout::of(line);
            return;
        }
        self.other(bytes, start, line);
        let may_be_open = memchr2(b'"', b'\'', line.as_bytes()).is_some();
        if (may_be_open && plain::is_open(line)) || plain::ends_open(line) {
            self.add(start, RegionReason::Text);
        } else if self.record.is_none() && plain::reports_failure(line) {
            self.add(start, RegionReason::Error);
        } else if memchr(b'`', line.as_bytes()).is_some() && plain::quotes_output(line) {
            self.add(start, RegionReason::Text);
        }
    }
}

/// Returns true if a line of `journalctl -o json` has its message as an array of bytes, in which literals cannot be
/// found.
fn is_journal_of_bytes(line: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
    line.get(2).is_some_and(is_name)
        && line.starts_with(b"{\"")
        && memmem::find(line, b"\"MESSAGE\":[").is_some()
}

/// Returns true if a record's line states a level of error or above that neither its first bytes nor a literal of the
/// index reveal.
fn is_severe(format: Format, line: &str) -> bool {
    const WORDS: [&str; 10] = [
        "rror", "RROR", "FATAL", "CRIT", "crit", "emerg", "alert", " ERR ", " E | ", " C | ",
    ];
    const NEAR: usize = 128;
    if matches!(
        format,
        Format::JsonLog | Format::Logrus | Format::Klog | Format::ZapConsole | Format::Plain
    ) {
        return false;
    }
    if format == Format::GoLog {
        // records of this format have no level
        return plain::reports_failure(line);
    }
    let near = &line.as_bytes()[..line.len().min(NEAR)];
    let is_near = |word: &&str| memmem::find(near, word.as_bytes()).is_some();
    WORDS.iter().any(is_near)
        && log::header(line).is_some_and(|head| head.severity >= Some(Severity::Error))
}

/// Returns true if a text reports a crash, which is always read.
fn is_crash(text: &str) -> bool {
    STARTS.iter().any(|start| text.contains(start))
}

/// Creates a framer that starts with the record at a byte.
fn framer_at(bytes: &[u8], at: usize) -> Framer {
    let mut framer = Framer::default();
    let line = std::str::from_utf8(line_at(bytes, at)).unwrap_or("");
    let line = marked_record(line).unwrap_or(line);
    framer.take(line, log::detect(line), || false);
    framer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_read() {
        let text = "\
I0304 05:06:07.123456       1 sync.go:88] \"Synced\"
E0304 05:06:07.123456       1 sync.go:88] \"Sync failed\"
time=\"2024-03-04T05:06:07Z\" level=info msg=\"go on\"
Mar 04 05:06:07 node-1 kubelet[12]: I0304 05:06:07.123456      12 x.go:1] y
2024-03-04T05:06:07.123Z\tERROR\tmain\tno
main.run
\t/src/main.go:12
2024-03-04T05:06:07.123456789Z stdout F text
NAME    READY   STATUS    RESTARTS   AGE
web-0   1/1     Running   0          5d
I0304 05:06:08.123456       1 sync.go:88] \"Synced\"
Killed
he said \"this
goes on\"
";
        let index = index_lines(text.as_bytes(), Around::default());
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let classified: Vec<(usize, RegionReason)> =
            index.regions.iter().map(|t| (line(t.at), t.why)).collect();
        let wanted = [
            (2, RegionReason::Error),
            (5, RegionReason::Error),
            // the lines after it are read with it
            (9, RegionReason::Structure),
            (13, RegionReason::Text),
            (14, RegionReason::Text),
        ];
        assert_eq!(classified, wanted);
        assert_eq!((index.lines, index.records), (14, 7));
        let breaks: Vec<usize> = index.breaks.iter().map(|at| line(*at)).collect();
        // a row ends nothing that its header has not ended already
        assert_eq!(breaks, [9, 12, 13, 14]);
    }

    #[test]
    fn lines_are_counted_from_the_nearest_mile() {
        let text = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n\n  more\n".repeat(11);
        let index = index_lines(text.as_bytes(), Around::default());
        let starts = memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
        for (number, start) in (0..).zip(std::iter::once(0).chain(starts)) {
            assert_eq!(index.lines_before(text.as_bytes(), start), number);
        }
    }
}
