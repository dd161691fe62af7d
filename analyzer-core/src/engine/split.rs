//! Finds places at which a document can be cut: what follows reads the same without what precedes.

use memchr::{memmem, memrchr};

use super::lookback::Lookback;
use kwhy_parse::framing::{
    ENTRY_LINES, begins_record, cut_line, entry_at, line_at, lines_before, next_line, text,
};
use kwhy_parse::input::is_structural;
use kwhy_parse::table::OpenTable;
use kwhy_parse::{describe, object, plain, unit};

/// The number of lines that are examined before a text without records is cut anywhere.
const MAX_LINES: usize = 256;

/// The maximum number of preceding bytes that are searched for the start of an output.
const MAX_INSIDE: usize = 256 * 1024;

/// A place at which a document can be cut.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub at: usize,
    /// The table that continues there.
    pub table: Option<OpenTable>,
}

/// Returns the place at or after `from` at which the bytes can be cut; `None` if there is none yet and more bytes may
/// provide one. `open` is the table that is open at their start.
pub(crate) fn find(
    bytes: &[u8],
    from: usize,
    may_grow: bool,
    open: Option<&OpenTable>,
) -> Option<Cut> {
    let first = next_line(bytes, from.saturating_sub(1))?;
    if let Some((at, table)) = OpenTable::find(bytes, first, open) {
        let table = Some(table);
        return Some(Cut { at, table });
    }
    let at = find_apart(bytes, first, may_grow, open.is_some())?;
    Some(Cut { at, table: None })
}

/// Returns the first place from the line at `first` on at which what follows is independent of what precedes. `in_table` is
/// true if a table is open at the start of the bytes.
fn find_apart(bytes: &[u8], first: usize, may_grow: bool, in_table: bool) -> Option<usize> {
    let mut at = end_of_entry(bytes, first).unwrap_or(first);
    // computed lazily: it scans many lines backwards, and few places depend on it
    let mut inside: Option<bool> = None;
    let mut begun = false;
    let mut structural =
        |begun: bool| begun || *inside.get_or_insert_with(|| is_inside(bytes, first, in_table));
    let mut log = Lookback::default();
    let mut wrapping: Option<plain::Wrapping> = None;
    // of places without a record, prefer one that no earlier record takes, then a blank line
    let mut fallback: Option<(bool, bool, usize)> = None;
    for number in 0.. {
        let line = line_at(bytes, at);
        let Some(next) = next_line(bytes, at) else {
            break;
        };
        let is_record = begins_record(bytes, at);
        // the first record after an output belongs to the command above it
        if is_record && !(structural(begun) && is_inside(bytes, at, in_table)) {
            return Some(at);
        }
        let blank_before = is_blank_before(bytes, at);
        if (blank_before && begins_object(line)) || begins_item(bytes, at, line) {
            return Some(at);
        }
        if number < MAX_LINES {
            begun |= !is_record && is_structural(&text(line));
        } else if fallback.is_some_and(|(is_free, ..)| is_free) && !structural(begun) {
            break;
        }
        // a structured output is not cut while more of it may follow
        let is_apart = blank_before && !line.starts_with(b" ");
        // of equally good places the first one wins
        let is_better = is_record
            || fallback.is_none_or(|(is_free, known, _)| !is_free || (is_apart && !known));
        if is_better && !(begun && may_grow) {
            let text_before = wrapping.get_or_insert_with(|| wrapping_before(bytes, at));
            let is_free = !log.takes(bytes, at, is_record) && !text_before.may_continue();
            let rank = (is_free, is_apart, usize::MAX - at);
            // the goroutine stacks of a panic belong to it, with the blank line before them
            let stack = if line.is_empty() { next } else { at };
            let of_panic = line_at(bytes, stack).starts_with(b"goroutine ");
            if cut_line(line).is_none() && !of_panic && fallback.is_none_or(|known| known < rank) {
                fallback = Some(rank);
            }
        }
        if let Some(wrapping) = &mut wrapping {
            wrapping.read(&text(line));
        }
        // journal entries are not cut
        let may_be = matches!(line.first(), Some(b'_' | b'A'..=b'Z'));
        let entry = may_be.then(|| entry_at(bytes, at, &text(line))).flatten();
        let taken = entry.map_or(0, |entry| entry.lines - 1);
        at = next;
        for _ in 0..taken {
            at = next_line(bytes, at).unwrap_or(at);
        }
    }
    let may_be =
        |(is_free, ..): &(bool, bool, usize)| !may_grow || (*is_free && !structural(begun));
    let (.., place) = fallback.filter(may_be)?;
    Some(usize::MAX - place)
}

/// Returns whether a text on the lines before this byte may continue there.
fn wrapping_before(bytes: &[u8], at: usize) -> plain::Wrapping {
    let lines: Vec<&[u8]> = lines_before(bytes, at).take(plain::MAX_WRAPPED).collect();
    let mut wrapping = plain::Wrapping::default();
    lines
        .iter()
        .rev()
        .for_each(|line| wrapping.read(&text(line)));
    wrapping
}

/// Returns true if the line at this byte is in the same paragraph as a structured output before it: table rows are
/// meaningless without their header. `in_table` is true if a table is open at the start of the bytes.
fn is_inside(bytes: &[u8], at: usize, in_table: bool) -> bool {
    let mut end = at;
    // the journal below a unit's status takes its machine from there
    let below = end
        .checked_sub(1)
        .filter(|_| bytes[..end].ends_with(b"\n\n"));
    end = below.unwrap_or(end);
    while let Some(before) = end.checked_sub(1).filter(|_| at - end < MAX_INSIDE) {
        let start = memrchr(b'\n', &bytes[..before]).map_or(0, |end| end + 1);
        let line = &bytes[start..before];
        if line.iter().all(u8::is_ascii_whitespace) || begins_record(bytes, start) {
            return false;
        }
        let line = text(line);
        if unit::is_part(&line) || (below.is_none() && is_structural(&line)) {
            return true;
        }
        end = start;
    }
    in_table && end == 0
}

/// Returns the end of the journal entry that contains the line at this byte.
fn end_of_entry(bytes: &[u8], at: usize) -> Option<usize> {
    let field = line_at(bytes, at).trim_ascii_start();
    let is_field = matches!(field.first(), Some(b'_' | b'A'..=b'Z')) && field.contains(&b'=');
    if !is_field {
        return None;
    }
    let mut start = at;
    for line in lines_before(bytes, at).take(ENTRY_LINES) {
        if line.is_empty() {
            return None;
        }
        start = start.checked_sub(line.len() + 1)?;
        if matches!(line.first(), Some(b'_' | b'A'..=b'Z'))
            && let Some(entry) = entry_at(bytes, start, &text(line))
        {
            let lines = std::iter::successors(Some(start), |start| next_line(bytes, *start));
            let end = lines.take(entry.lines + 1).last()?;
            return (end > at).then_some(end);
        }
    }
    None
}

fn begins_object(line: &[u8]) -> bool {
    line.starts_with(b"Name:") && describe::is_start(&text(line))
}

/// Returns true if an item of a list of objects, or the next of several YAML or JSON objects, starts here.
pub fn begins_item(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    let after = || next_line(bytes, at).map_or(&b""[..], |next| &bytes[next..]);
    let before = || {
        let end = at.saturating_sub(1);
        let start = memrchr(b'\n', &bytes[..end]).map_or(0, |end| end + 1);
        &bytes[start..end]
    };
    object::begins_item(line, before, after)
}

fn is_blank_before(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    before.is_empty()
        || before.ends_with(b"\n\n")
        || before.ends_with(b"\n\r\n")
        || memmem::rfind(&before[..before.len() - 1], b"\n")
            .is_some_and(|start| before[start..].iter().all(u8::is_ascii_whitespace))
}

#[cfg(test)]
pub(super) mod tests {
    pub fn find(bytes: &[u8], from: usize, may_grow: bool) -> Option<usize> {
        let cut = super::find(bytes, from, may_grow, None)?;
        assert_eq!(cut.table, None);
        Some(cut.at)
    }

    #[test]
    fn tables_are_cut_between_rows() {
        let head = "NAME     READY   STATUS    RESTARTS   AGE\n";
        let row = "quay-0   1/1     Running   0          5d\n";
        let rows = row.repeat(9);
        let text = format!("$ kubectl get pods\n{head}{rows}");
        let at = text.len() - 3 * row.len();
        let cut = super::find(text.as_bytes(), at - 5, true, None).unwrap();
        assert_eq!(cut.at, at);
        let table = cut.table.unwrap();
        assert_eq!(table.command.as_deref(), Some("$ kubectl get pods"));
        // the next block contains only rows
        let next = super::find(rows.as_bytes(), row.len() + 1, true, Some(&table)).unwrap();
        assert_eq!((next.at, next.table), (2 * row.len(), Some(table)));
    }

    #[test]
    fn wrapped_texts_are_not_cut() {
        let text = "lift: \"north crane\nof quay 7\": no berth\n\nlowered\n";
        let place = text.find("lowered");
        assert_eq!(find(text.as_bytes(), 3, true), place);
    }

    #[test]
    fn entries_are_not_cut() {
        let entry = |message: &str| {
            format!(
                "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1709528767000000\nPRIORITY=6\nMESSAGE={message}\n_PID=7\n\n"
            )
        };
        let trace = [
            "panic: no berth",
            "",
            "goroutine 1 [running]:",
            "main.main()",
        ];
        let last = entry("I0304 05:06:07.123456       7 quay.go:7] next");
        let text: String = trace.iter().map(|message| entry(message)).collect();
        let end = text.len();
        let inside = text.rfind("PRIORITY").unwrap();
        // a block ends only before the next record
        assert_eq!(find((text + &last).as_bytes(), inside, false), Some(end));
        let middle = last.find("MESSAGE").unwrap();
        assert_eq!(find(last.as_bytes(), middle, false), Some(last.len() - 1));
    }

    #[test]
    fn cuts() {
        let klog = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n";
        let log = klog.repeat(3);
        assert_eq!(
            find(log.as_bytes(), klog.len() - 1, false),
            Some(klog.len())
        );
        assert_eq!(
            find(log.as_bytes(), klog.len() + 1, false),
            Some(2 * klog.len())
        );
        let describe = "Name:  a\nNamespace:  b\nStatus:  c\n\nName:  d\nNode:  e\n";
        assert_eq!(find(describe.as_bytes(), 3, false), Some(35));
        assert_eq!(find(b"Name:  a\nNode:  b\nNode:  c\n", 3, true), None);
        assert_eq!(find(b"no line end", 3, false), None);
        assert_eq!(find(b"one\ntwo\nthree\n", 1, false), Some(4));
    }
}
