//! Lines cut by a terminal at its width, even within words.
//!
//! All lines that are cut have the same width, and no line is wider. As the widest lines of any text may be equal by
//! chance, lines are joined only on further evidence: consecutive cuts, or different words at the cuts.

use super::decoration;
use super::wrap::{Begin, Head, begins, has_columns, head_of, is_of_format};
use crate::describe;
use crate::framing::Framer;
use crate::log;
use crate::log::stack_trace::{self, Trace};
use memchr::memchr_iter;
use std::ops::Range;

/// The possible widths of terminals, in characters.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=400;

/// Default widths of terminals.
const USUAL: &[usize] = &[80, 100, 120, 132, 160, 200];

/// The maximum number of pieces of one line.
const MAX_PARTS: usize = 64;

/// The number of characters on each side by which cuts are compared.
const AROUND: usize = 6;

/// The number of different cuts that is sufficient evidence.
const DIFFERING: usize = 3;

/// Returns the newlines at which a terminal cut lines.
pub(super) fn cuts(text: &str) -> Vec<Range<usize>> {
    let lines = lines(text);
    let widths = lines.iter().map(|(_, line)| line.chars().count());
    let Some(width) = widths.clone().max().filter(|width| WIDTHS.contains(width)) else {
        return Vec::new();
    };
    // most texts have a single widest line, which proves nothing
    if !USUAL.contains(&width) && widths.filter(|own| *own == width).count() < 2 {
        return Vec::new();
    }
    let found = Found::of(&lines, width);
    match found.is_shown(width) {
        true => found.cuts,
        false => Vec::new(),
    }
}

/// Returns the newlines at which lines were cut to this width.
pub(super) fn cuts_at(text: &str, width: usize) -> Vec<Range<usize>> {
    let found = Found::of(&lines(text), width);
    match found.cuts.len() >= 2 * found.whole {
        true => found.cuts,
        false => Vec::new(),
    }
}

/// Returns the lines of a text, each with the offset of its end.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr_iter(b'\n', text.as_bytes()) {
        lines.push((end, text.get(start..end).unwrap_or("")));
        start = end + 1;
    }
    if start < text.len() {
        lines.push((text.len(), text.get(start..).unwrap_or("")));
    }
    lines
}

/// The possible cuts of a text, and the evidence for them.
#[derive(Default)]
struct Found<'a> {
    cuts: Vec<Range<usize>>,
    /// The text around each cut, without repetitions.
    around: Vec<(&'a str, &'a str)>,
    /// The number of lines of full width after which something new starts.
    whole: usize,
    /// True if a line was cut more than once.
    is_repeated: bool,
    /// True if a log record or a row of events was cut.
    has_record: bool,
}

impl<'a> Found<'a> {
    fn of(lines: &[(usize, &'a str)], width: usize) -> Found<'a> {
        let mut found = Found::default();
        let mut rest = lines;
        while let Some(((_, line), following)) = rest.split_first() {
            let taken = match line.chars().count() == width {
                true => found.follow(rest, width),
                false => 0,
            };
            rest = following.get(taken..).unwrap_or_default();
        }
        found
    }

    /// Collects the cuts of the first line, which has the full width; returns the number of lines that are its rest.
    fn follow(&mut self, lines: &[(usize, &'a str)], width: usize) -> usize {
        let Some(((first_end, first), following)) = lines.split_first() else {
            return 0;
        };
        let head = head_of(first);
        if matches!(head, Head::Nothing | Head::Prose) || is_outside(first) {
            return 0;
        }
        let mut framer = Framer::default();
        is_of_format(&mut framer, "", first);
        let mut trace = Trace::default();
        trace.take(first);
        let (mut cut, mut above) = (*first_end, *first);
        for (parts, (end, line)) in following.iter().enumerate() {
            if above.chars().count() < width || parts == MAX_PARTS || is_outside(line) {
                return parts;
            }
            let is_in_head = log::is_cut_head(above, "", line);
            if !is_in_head
                && (!is_rest(line, first)
                    || is_of_format(&mut framer, above, line)
                    || trace.take(line).is_some())
            {
                self.whole += 1;
                return parts;
            }
            self.cuts.push(cut..cut + 1);
            self.is_repeated |= parts > 0;
            self.has_record |= head == Head::Record;
            let around = (last(above), first_of(line));
            if !self.around.contains(&around) && self.around.len() < DIFFERING {
                self.around.push(around);
            }
            (cut, above) = (*end, line);
        }
        following.len()
    }

    fn is_shown(&self, width: usize) -> bool {
        let is_usual = USUAL.contains(&width);
        let differing = self.around.len();
        self.cuts.len() >= 2 * self.whole
            && (self.is_repeated
                || differing >= DIFFERING
                || (is_usual && differing > 1)
                || (is_usual && differing > 0 && self.has_record))
    }
}

/// Returns true if a line is not a program's output: it is blank or a fence.
fn is_outside(line: &str) -> bool {
    line.trim().is_empty() || decoration::is_fence(line)
}

/// Returns true if a line can be the rest of the one before it; `first` is the start of the line that was cut.
fn is_rest(line: &str, first: &str) -> bool {
    // a one-line object may be cut before its closing brackets
    if first.trim_start().starts_with("{\"") && line.bytes().all(|byte| b"}]".contains(&byte)) {
        return true;
    }
    let begins = begins(line);
    let is_own = begins == Some(Begin::Surely)
        || (begins == Some(Begin::Maybe) && describe::is_field(line))
        || line.starts_with("  ")
        || line.starts_with('\t')
        || line.split_whitespace().next() == first.split_whitespace().next()
        || has_columns(line)
        // no class starts with a point
        || (stack_trace::is_head(line) && !line.starts_with('.'));
    !is_own
}

fn last(line: &str) -> &str {
    let from = line.char_indices().rev().nth(AROUND - 1);
    from.and_then(|(at, _)| line.get(at..)).unwrap_or(line)
}

fn first_of(line: &str) -> &str {
    let to = line.char_indices().nth(AROUND);
    to.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        let mut text = text.to_owned();
        for range in cuts(&text).into_iter().rev() {
            text.replace_range(range, "");
        }
        text
    }

    /// Cuts lines as a terminal does.
    fn cut(text: &str, width: usize) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let letters: Vec<char> = line.chars().collect();
            for part in letters.chunks(width) {
                out.extend(part);
                out.push('\n');
            }
        }
        out
    }

    const RECORDS: &str = include_str!("long_records.log");

    #[test]
    fn lines_that_were_cut_are_joined_at_any_width() {
        for width in [72, 79, 80, 86, 100, 119, 120] {
            let text = cut(RECORDS, width);
            assert!(text.lines().count() > 8);
            assert_eq!(joined(&text), RECORDS, "{width}");
        }
        // one record at a usual width
        let record = RECORDS.lines().nth(1).unwrap().to_owned() + "\n";
        assert_eq!(joined(&cut(&record, 100)), record);
    }

    #[test]
    fn a_head_that_was_cut_is_joined() {
        let record = "Mar 04 05:06:07 quay-3 crane[9]: E0304 05:06:07.123456    2210 lift_of_load.go:88] \"Lift failed\" err=\"the harbour of the north has asked for papers\"\n";
        let head = "E0304 05:06:07.123456    2210 crane.go:88] \"Lift failed, as no papers";
        let named = format!("{head:o<134}\" loadID=\"7f1d2c3b-1111\" berth=\"north\"\n");
        for width in 64..72 {
            assert_eq!(joined(&cut(record, width)), record, "{width}");
        }
        let at = named.find("ID=").unwrap();
        assert_eq!(joined(&cut(&named, at / 2)), named);
    }

    #[test]
    fn lines_that_are_as_wide_by_chance_stay() {
        let wide = |text: &str| format!("{text:x<90}");
        for text in [
            // the widest line, followed by another line of the program
            format!("{}\nit is well\n", wide("2024-03-04 05:06:07 ERROR the load ")),
            // a program that prints the same each time
            format!("{}\ncaused by tide\n", wide("ERROR the load ")).repeat(5),
            // records, each with frames
            format!("{}\n\tat harbour.lift(Crane.java:7)\n", wide("2024-03-04 05:06:07 ERROR the load ")).repeat(5),
            // a PEM key
            format!("-----BEGIN CERTIFICATE-----\n{}", "MIIBszCCAVmgAwIBAgIUPeJ9pUqEoHk1Z0Rr1hYkT3s9XxkwCgYIKoZIzj0EAwIw\n".repeat(5)),
            // rows of a table, all of the same width
            "NAME                      READY   STATUS    RESTARTS   AGE     IP            NODE        \nweb-6d5f9c7b8-kq2xz       1/1     Running   0          5d      10.0.0.1      quay-node-1 \ndb-0                      1/1     Running   0          5d      10.0.0.2      quay-node-2 \n".to_owned(),
            // records of the same width
            "E0304 05:06:07.123456       1 crane.go:88] Lift of the load failed: the harbour has asked\n".repeat(4),
            // members of an object
            "  \"berth\": \"the crane of the north quay cannot lift the load number seven, as it is brok\",\n  \"load\": 7,\n".repeat(3),
        ] {
            assert_eq!(joined(&text), text);
        }
    }
}
