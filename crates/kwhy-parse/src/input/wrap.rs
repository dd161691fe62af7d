//! Line breaks between words, inserted by a terminal, a mail client or an issue tracker into lines too long for it.
//!
//! A line break counts as inserted only if the next word would not have fitted on the line, the next line starts
//! nothing of its own, and it reads as the middle of what is open: a log record, a row of events, a field, an error.

use super::decoration;
use super::segment::structure;
use super::sentence;
use crate::framing::{self, Framer, Relation};
use crate::log::stack_trace::{self, Trace};
use crate::{describe, events, log, plain, table};
use memchr::memchr_iter;
use std::collections::HashMap;
use std::ops::Range;

/// The widths, in characters, at which people or terminals break lines.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=132;

/// The number of lines certain to start with a word at which that word no longer counts as a continuation.
const STARTS: usize = 3;

/// Breaks in fewer than one in this many records may be chance.
const RECORDS: usize = 8;

/// The maximum number of pieces of one line.
const MAX_PARTS: usize = 24;

/// Words after which a sentence continues.
pub(super) const UNFINISHED: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "because", "been", "but", "by", "can", "cannot",
    "could", "desc", "did", "does", "for", "from", "had", "has", "have", "if", "in", "into", "is",
    "no", "not", "of", "on", "or", "that", "the", "to", "was", "were", "when", "which", "while",
    "will", "with", "would",
];

/// Returns the line breaks inserted into lines that were too long, each with the indentation after it.
pub(super) fn breaks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut paragraph: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    let last = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
    for end in memchr_iter(b'\n', text.as_bytes()).chain(last) {
        let line = text.get(start..end).unwrap_or("");
        if line.trim().is_empty() || decoration::is_fence(line) {
            of_paragraph(&paragraph, &mut found);
            paragraph.clear();
        } else {
            paragraph.push((end, line));
        }
        start = end + 1;
    }
    of_paragraph(&paragraph, &mut found);
    found
}

/// The start of the lines that are being joined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// A log record, or a row of events.
    Record,
    /// A JSON object that its line does not close.
    Json,
    /// A field of a describe, or other output of a program.
    Other,
    /// A sentence, whose continuation lines are not output either.
    Prose,
    /// A table or a stack trace, to which no lines are joined.
    Nothing,
}

pub(super) fn width(line: &str) -> usize {
    line.trim_end().chars().count()
}

/// Returns true if the first word of the next line would not have fitted on this one.
fn is_full(line: &str, next: &str, widest: usize) -> bool {
    let word = next.split_whitespace().next().unwrap_or("");
    width(line) + 1 + word.chars().count() > widest
}

/// Counts the words that start a line although they would have fitted on the line before, so were not moved by a break.
fn certain_starts<'t>(lines: &[(usize, &'t str)], widest: usize) -> HashMap<&'t str, usize> {
    let mut starts = HashMap::new();
    for pair in lines.windows(2) {
        if let [(_, before), (_, line)] = pair
            && !is_full(before, line, widest)
            && let Some(word) = leading_word(line)
        {
            *starts.entry(word).or_default() += 1;
        }
    }
    starts
}

/// Returns the word of letters, digits and underscores at the start of a line; `None` if it is too short.
fn leading_word(line: &str) -> Option<&str> {
    const SHORTEST: usize = 3;
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_');
    let word = line.get(..end.unwrap_or(line.len()))?;
    (word.len() >= SHORTEST && word.starts_with(char::is_alphabetic)).then_some(word)
}

fn of_paragraph(lines: &[(usize, &str)], found: &mut Vec<Range<usize>>) {
    let broken = lines.iter().filter(|(_, line)| line.trim().contains(' '));
    let Some(widest) = broken.map(|(_, line)| width(line)).max() else {
        return;
    };
    if lines.len() < 2 {
        return;
    }
    let after = |at: usize| lines.get(at + 1).map_or("", |(_, line)| *line);
    let is_broken =
        |at: usize, before: &str, line: &str| sentence::is_broken(before, line, after(at));
    // outside this range, the width is no evidence
    let is_measured = WIDTHS.contains(&widest);
    if !is_measured {
        let mut pairs = (1..).zip(lines.windows(2));
        if !pairs.any(|(at, pair)| is_broken(at, pair[0].1, pair[1].1)) {
            return;
        }
    }
    let starts = certain_starts(lines, widest);
    let leveled = lines
        .iter()
        .filter(|(_, line)| log::starts_with_level(line))
        .count();
    let before_all = found.len();
    let mut head = Head::Nothing;
    let mut first = "";
    let mut parts = 0;
    let mut quotes = Balance::default();
    let mut in_table = false;
    let mut trace = Trace::default();
    let mut framer = Framer::default();
    let mut scalar = OpenScalar::default();
    for (at, (_, line)) in lines.iter().enumerate() {
        let begins = begins(line);
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        let is_of_format = is_of_format(&mut framer, before.map_or("", |(_, line)| line), line);
        if let Some((end, before)) = before.filter(|_| head != Head::Nothing && parts < MAX_PARTS) {
            let word = line.split_whitespace().next().unwrap_or("");
            let is_full = is_measured && is_full(before, line, widest);
            let is_broken = head == Head::Other && is_broken(at, before, line);
            let is_start = leading_word(line).is_some_and(|word| starts.get(word) >= Some(&STARTS));
            let is_in_scalar = scalar.contains(line);
            let is_between_words = is_in_scalar || quotes.is_open() || ends_between_words(before);
            let is_open =
                is_between_words || before.trim_end().ends_with([',', ':', '=', '(', '[']);
            let is_own = begins == Some(Begin::Surely)
                || (begins == Some(Begin::Maybe)
                    && !(is_between_words || head == Head::Record)
                    && !sentence::is_word_before_colon(first, before, line, after(at)))
                || is_of_format
                || is_start
                || !is_indented_as_part(line, first)
                || Some(word) == first.split_whitespace().next()
                || line.starts_with('\t')
                || log::starts_with_level(line)
                    && (leveled >= STARTS || log::starts_with_level(first))
                || log::is_place_of_record(line)
                || has_columns(line)
                || stack_trace::is_head(line)
                || trace.take(line).is_some();
            let may_follow = match head {
                Head::Record => true,
                Head::Json => quotes.is_open(),
                Head::Prose => false,
                Head::Other | Head::Nothing => is_open || is_broken || is_middle(line),
            };
            if is_full && begins != Some(Begin::Surely) && head == Head::Prose {
                parts += 1;
                scalar.read(line);
                continue;
            }
            let is_own = is_own && !(is_full && log::is_cut_head(before.trim_end(), " ", line));
            if (is_full || is_broken) && !is_own && may_follow {
                found.push(*end..end + 1 + line.len() - line.trim_start().len());
                parts += 1;
                quotes.read(line);
                scalar.read(line);
                continue;
            }
        }
        in_table = match begins {
            Some(Begin::Surely) => table::is_header(line.trim()),
            _ => in_table,
        };
        head = match in_table {
            true if !events::is_row(line.trim()) => Head::Nothing,
            _ => head_of(line),
        };
        scalar.read(line);
        (first, parts) = (line, 0);
        quotes = Balance::default();
        quotes.read(line);
        trace = Trace::default();
        trace.take(line);
    }
    if is_by_chance(lines, found.get(before_all..).unwrap_or(&[])) {
        found.truncate(before_all);
    }
}

/// Returns true if only a few of many records seem to be broken, all of them before indented lines: these are
/// multi-line messages, as otherwise more records of this length would have been broken.
fn is_by_chance(lines: &[(usize, &str)], breaks: &[Range<usize>]) -> bool {
    let records = || {
        let records = lines
            .iter()
            .filter(|(_, line)| head_of(line) == Head::Record);
        records.count()
    };
    let is_before_indented = |place: &Range<usize>| place.len() > 1;
    !breaks.is_empty()
        && breaks.len() * RECORDS <= lines.len()
        && breaks.iter().all(is_before_indented)
        && breaks.len() * RECORDS <= records()
}

/// Returns true if a line belongs to the preceding log record by the rules of its format, whatever the width.
pub(super) fn is_of_format(framer: &mut Framer, before: &str, line: &str) -> bool {
    let record = framing::starts(line, before);
    if record.is_none() && log::is_second_line_anywhere(before, line) {
        return true;
    }
    // a terminal may have indented the rest of a broken line
    let bare = framer.clone().take(line.trim_start(), record, || false);
    let continues = framer.take(line, record, || false) == Relation::Continues;
    continues && (bare == Relation::Continues || framer.takes_all_indented())
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    Surely,
    /// An apparent field, which may be words before a colon.
    Maybe,
}

/// Returns whether something of its own starts on a line.
pub(super) fn begins(line: &str) -> Option<Begin> {
    let bare = line.trim();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered =
        digits > 0 && bare[digits..].starts_with([')', '.']) && bare[digits + 1..].starts_with(' ');
    let is_marked = bare.starts_with(['>', '|', '#', '\u{2502}'])
        || ["- ", "* ", "+ ", "\u{2022} "]
            .iter()
            .any(|mark| bare.starts_with(mark));
    if is_marked
        || is_numbered
        || decoration::is_rule(bare)
        || matches!(bare, "{" | "}" | "[" | "]" | "}," | "],")
        || framing::starts(bare, "").is_some()
        || log::is_enveloped(bare)
        || log::is_enveloped(line)
        || is_of_journal(bare)
        || bare.starts_with("{\"")
    {
        return Some(Begin::Surely);
    }
    let is_field = describe::is_field(line) || is_key(bare);
    match structure(line) {
        Some(_) if !is_field || describe::is_start(line) => Some(Begin::Surely),
        _ if is_field => Some(Begin::Maybe),
        _ => None,
    }
}

/// Returns true if a line is a field of a journal entry in the export format, or a line that `journalctl` prints
/// between entries: `_COMM=tide`, `-- Boot 5e1b8f0c --`.
fn is_of_journal(bare: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let name = bare.bytes().take_while(|byte| is_of_name(*byte)).count();
    // the journal quotes no value
    (name > 1 && bare[name..].starts_with('=') && !bare[name + 1..].starts_with('"'))
        || (bare.starts_with("-- ") && bare.ends_with(" --"))
}

/// Returns true if a line has at least three columns separated by gaps.
pub(super) fn has_columns(line: &str) -> bool {
    let gaps = line
        .trim()
        .split("  ")
        .filter(|cell| !cell.trim().is_empty());
    gaps.count() > 2
}

/// Returns true if a line starts with a word and a colon, like a field.
pub(super) fn is_key(bare: &str) -> bool {
    let word = bare.split_whitespace().next().unwrap_or("");
    word.len() > 1 && word.ends_with(':') && word.starts_with(char::is_alphabetic)
        || (word.starts_with('"') && word.ends_with("\":"))
}

pub(super) fn head_of(line: &str) -> Head {
    let bare = line.trim();
    if bare.starts_with("{\"") {
        return Head::Json;
    }
    if framing::starts(bare, "").is_some() || events::is_row(line) || log::is_enveloped(bare) {
        return Head::Record;
    }
    let is_trace = Trace::default().take(line).is_some();
    if is_trace || !bare.contains(' ') {
        return Head::Nothing;
    }
    if decoration::is_prose(bare) {
        return Head::Prose;
    }
    match begins(line) {
        Some(Begin::Surely) => Head::Nothing,
        _ => Head::Other,
    }
}

/// Returns true if a line starts like the middle of a sentence.
fn is_middle(line: &str) -> bool {
    let bare = line.trim_start();
    bare.starts_with(|c: char| {
        c.is_ascii_lowercase() || matches!(c, '"' | '\'' | '\\' | '`' | '(' | '[' | '/' | ',' | ')')
    })
}

/// Returns true if a line ends with a word that must be followed by another.
fn ends_between_words(line: &str) -> bool {
    let word = line
        .trim_end()
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or("");
    UNFINISHED.contains(&word)
}

/// Returns true if a line's indentation allows it to be part of another: none, or up to eight spaces more.
fn is_indented_as_part(line: &str, first: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (own, first) = (indent(line), indent(first));
    own == 0 || (own > first && own <= first + 8)
}

/// A single-quoted YAML scalar that is open, by the indentation of its key.
#[derive(Default)]
struct OpenScalar(Option<usize>);

impl OpenScalar {
    /// Returns true if a line belongs to the scalar: it is deeper than its key, or has lost its indentation.
    fn contains(&self, line: &str) -> bool {
        let indent = line.len() - line.trim_start().len();
        self.0
            .is_some_and(|key| indent > key || (indent == 0 && key > 0))
    }

    fn read(&mut self, line: &str) {
        let bare = line.trim();
        if self.contains(line) {
            if bare.ends_with('\'') {
                self.0 = None;
            }
            return;
        }
        let key = bare.trim_start_matches(['-', ' ']);
        let value = key.split_once(": ").map_or("", |(_, value)| value.trim());
        let opens =
            is_key(key) && value.starts_with('\'') && (value.len() < 2 || !value.ends_with('\''));
        self.0 = opens.then(|| line.len() - line.trim_start().len());
    }
}

/// The open quotes and brackets.
#[derive(Default)]
struct Balance {
    double: bool,
    depth: i32,
}

impl Balance {
    fn read(&mut self, line: &str) {
        let bytes = line.as_bytes();
        // the state if the first quote closes one that was opened before this text
        let mut without_end = None;
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'"' if at == 0 || bytes[at - 1] != b'\\' => {
                    without_end = match without_end {
                        None if !self.double && plain::follows_word(bytes, at) => Some(false),
                        None => None,
                        Some(open) => Some(!open),
                    };
                    self.double = !self.double;
                }
                b'(' | b'[' => self.depth += 1,
                b')' | b']' => self.depth = (self.depth - 1).max(0),
                _ => {}
            }
        }
        self.double &= without_end != Some(false);
    }

    fn is_open(&self) -> bool {
        self.double || self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> Vec<String> {
        let mut text = text.to_owned();
        for range in breaks(&text).into_iter().rev() {
            text.replace_range(range, " ");
        }
        text.lines().map(str::to_owned).collect()
    }

    /// Breaks lines as `fold -s` does.
    fn folded(text: &str, width: usize, indent: &str) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let mut length = 0;
            for word in line.split(' ') {
                if length > 0 && length + 1 + word.chars().count() > width {
                    out.push('\n');
                    out.push_str(indent);
                    length = indent.len();
                } else if length > 0 {
                    out.push(' ');
                    length += 1;
                }
                out.push_str(word);
                length += word.chars().count();
            }
            out.push('\n');
        }
        out
    }

    #[test]
    fn lines_that_start_alone_elsewhere_are_not_joined() {
        let alone = "crane_init() found arm 7 on slot 10\n".repeat(4);
        let full = "[client 192.0.2.166] the index of the berth is forbidden by rule: /var/quay/\n";
        let text = format!("{alone}{full}{alone}");
        assert_eq!(joined(&text).len(), 9);
        // a word that never starts a line by itself continues a broken line
        let text = format!("{alone}{full}for crates\n{alone}");
        assert_eq!(joined(&text).len(), 9);
    }

    #[test]
    fn a_quote_that_only_ends_leaves_nothing_open() {
        let text = "lift of arm, name=crane\", tag=seven, state=null, berth=17, tide=2227, and more\nVisible is the arm\n";
        assert_eq!(joined(text).len(), 2);
    }

    #[test]
    fn few_of_many_records_have_lines_of_their_own() {
        let record = "2031-03-04 05:06:07.125 ERROR quay.arm - lift failed\n";
        let long = "2031-03-04 05:06:07.125 ERROR quay.arm - the berth of the crane has no papers left in it\n    and no load\n";
        let text = format!("{}{long}{record}", record.repeat(10));
        assert_eq!(joined(&text).len(), 13);
        // of long records, many were broken
        let text = format!("{}{record}", long.repeat(4));
        assert_eq!(joined(&text).len(), 5);
    }

    #[test]
    fn lines_with_a_level_start_where_others_do() {
        for (one, two) in [("error - ", "debug - "), ("(E) | ", "(D) | ")] {
            let short = format!("{one}lift failed\n");
            let long = format!(
                "{one}the berth of the crane has no papers left in it, nor has any\n{two}the other\n"
            );
            let text = format!("{short}{short}{short}{long}");
            assert_eq!(joined(&text).len(), 5, "{text}");
        }
    }

    const LONG_RECORDS: &str = include_str!("long_records.log");

    #[test]
    fn broken_records_are_joined_at_any_width() {
        for width in [72, 80, 100, 120] {
            for indent in ["", "    "] {
                let text = folded(LONG_RECORDS, width, indent);
                assert!(text.lines().count() > 8);
                let wanted: Vec<&str> = LONG_RECORDS.lines().collect();
                assert_eq!(joined(&text), wanted, "{width} {indent:?}");
            }
        }
    }

    #[test]
    fn a_head_that_was_broken_is_joined() {
        let text = "Mar 04 05:06:07 quay-3 crane[9]: E0304 05:06:07.123456    2210\nlift_of_load.go:88] \"Lift failed\" err=\"the harbour of the quay\nnorthwards has asked for papers\"\n";
        assert_eq!(joined(text).len(), 1);
    }

    #[test]
    fn broken_texts_between_single_quotes_are_joined() {
        let text = "    state:
      waiting:
        message: 'lift of the load \"north.harbour.example.com:5000/crane/load-of-rye-7:2.0\": it is said by the
\"crane.harbour.example.com:5000/north/7\":
          the berth is not free: it is the load of
crane.harbour.example.com:5000/crane/load-of-rye-7-and-more-of-it:2.0:
          not lifted'
        reason: ErrLift
";
        let joined = joined(text);
        let wanted = [
            "    state:",
            "      waiting:",
            "        message: 'lift of the load \"north.harbour.example.com:5000/crane/load-of-rye-7:2.0\": it is said by the \"crane.harbour.example.com:5000/north/7\":",
            "          the berth is not free: it is the load of crane.harbour.example.com:5000/crane/load-of-rye-7-and-more-of-it:2.0:",
            "          not lifted'",
            "        reason: ErrLift",
        ];
        assert_eq!(joined, wanted);
    }

    #[test]
    fn whole_lines_stay() {
        for text in [
            // lines that the journal prints between entries
            "Mar 04 05:06:11 quay-1 crane[9]: the crane of the north quay cannot lift the load number 7\n-- Boot 5e1b8f0c9d1e4b8a9d0e1f2a3b4c5d6e --\n",
            "the crane of the north quay cannot lift the load number seven, as it is broken and\n_COMM=crane\n",
            // the second line of a two-line record
            "Mar 04, 2024 5:06:11 AM com.example.harbour.north.CraneController liftTheLoadNumberSeven\nSEVERE: no papers\n",
            // rows of a table, all of about the same length
            "NAME                      READY   STATUS    RESTARTS   AGE     IP            NODE\nweb-6d5f9c7b8-kq2xz       1/1     Running   0          5d      10.0.0.1      quay-node-1\ndb-0                      1/1     Running   0          5d      10.0.0.2      quay-node-2\n",
            "CRANE                      LIFTS                    TIME LEFT       HARBOUR                 OWN\nnorth-quay.harbour         Mar 04, 2024 05:06 UTC   <invalid>       ca                      no\n",
            // each line starts a record
            "E0304 05:06:07.123456       1 crane.go:88] Lift of the load failed: the harbour has asked\nE0304 05:06:08.123456       1 crane.go:88] Lift of the load failed: the harbour has asked\n",
            // a program that prints the same words each time
            "error: the crane of the north quay cannot lift the load number seven, as it is broken\nerror: the crane of the north quay cannot lift the load number eight, as it is broken\n",
            // frames
            "panic: the crane of the north quay cannot lift the load number seven, as it is broken\n\ngoroutine 1 [running]:\nmain.lift(0xc000012345, 0xc000012345, 0xc000012345, 0x1, 0x2, 0x3, 0x4, 0x5)\n\t/src/harbour/crane/lift.go:12 +0x1d\n",
            // values of a describe
            "    Mounts:\n      /var/run/secrets/harbour.example.com/crane-of-the-north-quay from papers (ro)\n      /var/run/secrets/harbour.example.com/lift from papers (ro)\n",
            "Labels:       harbour.example.com/crane-of-the-north-quay=the-seventh-of-all-the-cranes\n              harbour.example.com/lift=1\n",
            // members of an object
            "  \"berth\": \"the crane of the north quay cannot lift the load number seven, as it is broken\",\n  \"load\": 7\n",
            // a sentence quoting an error
            "The crane of the north quay does not lift a load. Nobody knows why, as it is not broken in\nitself: they say so. A typical reason is a harbour that refuses the load (\"no papers\") when it\nis asked.\n",
            // members of a map
            "message: the crane of the north quay cannot lift the load number seven, as it is brok\nreason: Broken\n",
            // a closed scalar, and one that is never closed
            "  message: 'the crane of the north quay cannot lift the load number seven, as it is brok'\nreason: Broken\n",
            "  message: 'the crane of the north quay cannot lift the load number seven, as it's brok\n  reason: Broken\n",
            // the next sentence would have fitted
            "the crane of the north quay cannot lift the load\nit is broken\nthe crane of the north quay cannot lift the load number seven, as it\n",
        ] {
            assert_eq!(joined(text), text.lines().collect::<Vec<_>>());
        }
    }
}
