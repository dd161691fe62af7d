//! Cleans text of what editors, terminals and web pages add: byte order marks, carriage returns, colour
//! sequences, zero-width characters, unusual spaces and dashes, typographic quotes, HTML entities
//! (see [`html_entities`] for which lines count as escaped); and joins characters that a
//! container runtime split ([`split_utf8`]).

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memchr3, memchr3_iter, memrchr};

use super::{html_entities, split_utf8};

/// An edit that maps clean text to the original, by the offsets after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The offset in the clean text after the edit.
    pub clean: usize,
    /// The offset in the original after the edit.
    pub original: usize,
}

/// A cleaned text and its edits.
#[derive(Debug, Default)]
pub(crate) struct Clean {
    pub text: String,
    pub edits: Vec<Edit>,
    /// The number of byte sequences that were not UTF-8.
    pub invalid: u64,
}

/// Returns true if the bytes are text that needs no cleaning.
pub fn is_clean(bytes: &[u8]) -> bool {
    !has_dirty_ascii(bytes)
        && (bytes.is_ascii() || std::str::from_utf8(bytes).is_ok_and(|text| !has_dirty(text)))
}

/// The number of bytes that are filtered at once before any closer examination.
const CHUNK: usize = 4096;

/// Returns true if there is a carriage return, a terminal escape or a line escaped for HTML.
/// Chunks with an ampersand, which addresses in logs contain, are filtered without a branch per byte; each line
/// is examined once, however many entities it contains.
fn has_dirty_ascii(bytes: &[u8]) -> bool {
    let mut seen = 0;
    let mut start = 0;
    while let Some(found) = bytes
        .get(start..)
        .and_then(|rest| memchr3(b'\r', 0x1b, b'&', rest))
    {
        let at = start + found;
        if bytes.get(at) != Some(&b'&') {
            return true;
        }
        let end = bytes.len().min(at + CHUNK);
        let chunk = bytes.get(at..end).unwrap_or(&[]);
        if memchr2(b'\r', 0x1b, chunk).is_some() {
            return true;
        }
        // an entity may extend beyond the chunk
        let reach = bytes.get(at..bytes.len().min(end + 4)).unwrap_or(chunk);
        if html_entities::may_show_encoding(reach) {
            for entity in memchr_iter(b'&', chunk).map(|offset| at + offset) {
                if entity >= seen
                    && bytes
                        .get(entity..)
                        .is_some_and(html_entities::shows_encoding)
                {
                    let line = line_around(bytes, entity);
                    if bytes
                        .get(line.clone())
                        .is_some_and(html_entities::is_escaped)
                    {
                        return true;
                    }
                    seen = line.end;
                }
            }
        }
        start = end;
    }
    false
}

/// Returns the range of the line that contains an offset, without its newline.
fn line_around(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let before = bytes.get(..at).unwrap_or(bytes);
    let start = memrchr(b'\n', before).map_or(0, |end| end + 1);
    let rest = bytes.get(at..).unwrap_or(&[]);
    start..at + memchr(b'\n', rest).unwrap_or(rest.len())
}

/// The first bytes in UTF-8 of the characters that are replaced or removed.
const DIRTY_STARTS: [u8; 5] = [0xc2, 0xe1, 0xe2, 0xe3, 0xef];

fn has_dirty(text: &str) -> bool {
    let bytes = text.as_bytes();
    let [a, b, c, d, e] = DIRTY_STARTS;
    let starts = memchr3_iter(a, c, e, bytes).chain(memchr2_iter(b, d, bytes));
    starts.into_iter().any(|at| {
        // the second byte rules out most characters
        let may_be = matches!(
            (bytes.get(at), bytes.get(at + 1)),
            (Some(0xc2), Some(0x85 | 0xa0 | 0xad))
                | (Some(0xe1), Some(0x9a | 0xa0))
                | (Some(0xe2), Some(0x80 | 0x81 | 0x88))
                | (Some(0xe3), Some(0x80))
                | (Some(0xef), Some(0xbb | 0xbc))
        );
        if !may_be {
            return false;
        }
        let first = text.get(at..).and_then(|rest| rest.chars().next());
        first.is_some_and(|c| {
            let after = text.get(at + c.len_utf8()..).unwrap_or("");
            let before = text.get(..at).unwrap_or("");
            !matches!(replacement(before, c, after), Replacement::Keep)
        })
    })
}

enum Replacement {
    Keep,
    Drop,
    With(char),
}

/// Returns the replacement of a non-ASCII character. All Unicode spaces become a space; zero-width characters
/// are removed. A dash between spaces belongs to a sentence; any other was made from hyphens by an editor.
fn replacement(before: &str, c: char, after: &str) -> Replacement {
    match c {
        '\u{2013}'..='\u{2015}'
            if before.chars().next_back().is_none_or(char::is_whitespace)
                && after.chars().next().is_none_or(char::is_whitespace) =>
        {
            Replacement::Keep
        }
        // these join letters of other scripts, and emoji
        '\u{200c}' | '\u{200d}' if before.chars().next_back().is_some_and(|c| !c.is_ascii()) => {
            Replacement::Keep
        }
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}'
        | '\u{feff}' => Replacement::Drop,
        _ if !c.is_ascii() && c.is_whitespace() => Replacement::With(' '),
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '\u{ff02}' => Replacement::With('"'),
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '\u{ff07}' => Replacement::With('\''),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Replacement::With('-'),
        _ => Replacement::Keep,
    }
}

/// Cleans a document's bytes. UTF-16 with a byte order mark is decoded; invalid UTF-8 becomes
/// U+FFFD. Line ends become `\n`; none is added or removed.
pub(crate) fn clean(bytes: &[u8]) -> Clean {
    if let Some(clean) = utf16(bytes) {
        return clean;
    }
    let mut out = Clean {
        text: String::with_capacity(bytes.len()),
        ..Clean::default()
    };
    let mut at = 0;
    // the ends of split characters, which were moved to their starts
    let mut moved: Vec<std::ops::Range<usize>> = Vec::new();
    // the offset up to which the line is known to be escaped or not, and which
    let (mut counted_to, mut escaped) = (0, false);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        let mut chars = valid.char_indices().peekable();
        let mut kept = 0;
        while let Some((offset, c)) = chars.next() {
            let (length, put) = match c {
                '\x1b' => (escape_length(&valid[offset..]), None),
                '\r' if valid[offset + 1..].starts_with('\n') => (1, None),
                '&' => {
                    if at + offset >= counted_to {
                        let line = line_around(bytes, at + offset);
                        escaped = bytes
                            .get(line.clone())
                            .is_some_and(html_entities::is_escaped);
                        counted_to = line.end;
                    }
                    match html_entities::at_start(&valid.as_bytes()[offset..]).filter(|_| escaped) {
                        Some((length, put)) => (length, Some(put)),
                        None => continue,
                    }
                }
                _ if c.is_ascii() => continue,
                _ => match replacement(&valid[..offset], c, &valid[offset + c.len_utf8()..]) {
                    Replacement::Keep => continue,
                    Replacement::Drop => (c.len_utf8(), None),
                    Replacement::With(put) => (c.len_utf8(), Some(put)),
                },
            };
            out.text.push_str(&valid[kept..offset]);
            out.text.extend(put);
            kept = offset + length;
            out.mark(at + kept);
            while chars.next_if(|(next, _)| *next < kept).is_some() {}
        }
        out.text.push_str(&valid[kept..]);
        at += valid.len();
        if !chunk.invalid().is_empty() {
            let end = at + chunk.invalid().len();
            moved.retain(|rest| rest.end > at);
            if let Some((whole, rest)) = split_utf8::whole(bytes, at..end) {
                out.text.push(whole);
                moved.push(rest);
            } else if !moved.iter().any(|rest| rest.contains(&at)) {
                out.text.push(char::REPLACEMENT_CHARACTER);
                out.invalid += 1;
            }
            at = end;
            out.mark(at);
        }
    }
    out
}

impl Clean {
    fn mark(&mut self, original: usize) {
        let clean = self.text.len();
        match self.edits.last_mut() {
            Some(last) if last.clean == clean => last.original = original,
            _ => self.edits.push(Edit { clean, original }),
        }
    }
}

/// Returns the length of the terminal escape sequence at the start of a text. A truncated sequence ends before
/// the first byte that does not fit; a lone escape character has length 1.
fn escape_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'[') => {
            let body = bytes[2..]
                .iter()
                .take_while(|b| (0x20..0x40).contains(*b))
                .count();
            let last = usize::from(
                bytes
                    .get(2 + body)
                    .is_some_and(|b| (0x40..0x7f).contains(b)),
            );
            2 + body + last
        }
        Some(b']') => {
            // an operating system command ends at BEL or ESC \ on the same line; stopping at any
            // escape keeps a run of unterminated ones linear
            match memchr3(7, 0x1b, b'\n', &bytes[2..]).map(|at| at + 2) {
                Some(at) if bytes[at] == 7 => at + 1,
                Some(at) if bytes[at..].starts_with(b"\x1b\\") => at + 2,
                _ => 2,
            }
        }
        Some(b'(' | b')') if bytes.get(2).is_some_and(u8::is_ascii_graphic) => 3,
        _ => 1,
    }
}

/// Maps an offset in the clean text to the original.
pub(crate) fn original_offset(edits: &[Edit], at: usize) -> usize {
    let next = edits.partition_point(|edit| edit.clean <= at);
    match next.checked_sub(1).and_then(|index| edits.get(index)) {
        Some(edit) => edit.original + (at - edit.clean),
        None => at,
    }
}

/// The number of code units examined; below the second number, they decide nothing.
const CHECKED: usize = 512;
const LEAST_CHECKED: usize = 16;

/// Returns the function that combines two bytes to a UTF-16 code unit, if the document starts with a byte order
/// mark and looks like UTF-16.
pub fn utf16_unit(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    // tools print at least some ASCII; in binary data after the same mark hardly any unit is ASCII
    let units = bytes.get(2..).unwrap_or_default().chunks_exact(2);
    let units = units.take(CHECKED).map(|pair| unit([pair[0], pair[1]]));
    let (all, ascii) = units.fold((0, 0), |(all, ascii), unit| {
        (all + 1, ascii + usize::from(unit < 0x80))
    });
    (all < LEAST_CHECKED || ascii * 8 >= all).then_some(unit)
}

/// Decodes and cleans UTF-16 with a byte order mark.
fn utf16(bytes: &[u8]) -> Option<Clean> {
    let read = utf16_unit(bytes)?;
    let units = bytes[2..]
        .chunks_exact(2)
        .map(|pair| read([pair[0], pair[1]]));
    let mut decoded = Clean::default();
    let mut at = 2;
    for read in char::decode_utf16(units) {
        let c = read.unwrap_or_else(|_| {
            decoded.invalid += 1;
            char::REPLACEMENT_CHARACTER
        });
        // every character changes its length, so each needs an edit
        decoded.mark(at);
        at += 2 * c.len_utf16();
        decoded.text.push(c);
    }
    decoded.mark(at);
    let cleaned = clean(decoded.text.as_bytes());
    let mut out = Clean {
        invalid: decoded.invalid,
        ..Clean::default()
    };
    for (place, c) in cleaned.text.char_indices() {
        let place = original_offset(&cleaned.edits, place);
        out.mark(original_offset(&decoded.edits, place));
        out.text.push(c);
    }
    out.mark(at);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(bytes: &[u8]) -> String {
        clean(bytes).text
    }

    #[test]
    fn takes_out_what_does_not_belong() {
        assert_eq!(cleaned(b"\xef\xbb\xbfa\r\nb\r\n"), "a\nb\n");
        assert_eq!(
            cleaned("\u{201c}x\u{201d}\u{a0}\u{200b}y".as_bytes()),
            "\"x\" y"
        );
        assert_eq!(
            cleaned(b"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\ \x1b[31merror\x1b[0m \x1b]0;title\x07x \x1b["),
            "link error x "
        );
        assert_eq!(cleaned(b"a\xffb\xf0\x9f\x98c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(cleaned(b"\xff\xfea\0\r\0\n\0"), "a\n");
        assert_eq!(
            cleaned(b"IP: &lt;none&gt; &amp;\n?a&amp;b\n&lt;"),
            "IP: <none> &\n?a&amp;b\n<"
        );
        assert_eq!(cleaned("a — b –– c".as_bytes()), "a — b -- c");
        assert_eq!(
            cleaned("—namespace\u{2003}x\u{200d}y".as_bytes()),
            "-namespace xy"
        );
        assert_eq!(cleaned(b"\x1b"), "");
        assert_eq!(cleaned(b"a\x1b(Bb\x1b(\nc\x1b(\r\nd"), "ab(\nc(\nd");
    }

    #[test]
    fn what_a_runtime_cut_is_whole() {
        let head = |tag: &str| format!("2024-03-04T05:06:07.1Z stderr {tag} ").into_bytes();
        let log = [&head("P"), &b"a\xe6\x97\n"[..], &head("F"), b"\xa5b\n\xa5"].concat();
        let clean = clean(&log);
        let lines: Vec<&str> = clean.text.lines().collect();
        assert!(lines[0].ends_with("P a日") && lines[1].ends_with("F b") && lines[2] == "\u{fffd}");
        assert_eq!(clean.invalid, 1);
        let at = clean.text.find("b\n").unwrap();
        assert_eq!(log[original_offset(&clean.edits, at)], b'b');
    }

    #[test]
    fn plain_text_needs_nothing() {
        assert!(is_clean("日本語 ok x … ─ é /?a=1&amp;b=2\n".as_bytes()));
        for dirty in [
            "a\r\n",
            "\u{ad}",
            "\u{a0}",
            "\u{200b}",
            "\u{3000}",
            "\u{1680}",
            "\u{2003}",
            "\u{feff}",
            "“",
            "a–b",
            "b\nIP: &lt;none&gt;\n",
        ] {
            assert!(!is_clean(dirty.as_bytes()), "{dirty:?}");
        }
    }

    #[test]
    fn all_that_is_replaced_is_seen() {
        for c in (0x80..=0x10_ffffu32).filter_map(char::from_u32) {
            let is_kept = matches!(replacement("x", c, "x"), Replacement::Keep);
            let text = format!("x{c}x");
            assert_eq!(has_dirty(&text), !is_kept, "{c:?}");
        }
    }

    #[test]
    fn escaped_lines_are_seen_anywhere() {
        let log = "GET /?a=1&limit=2&quota=3&amp;b 200\n";
        for before in (0..3 * CHUNK).step_by(61) {
            let padding = "x".repeat(before % 4099);
            let text = format!("&{}{padding}\nIP: &lt;none&gt;", log.repeat(before / 40));
            assert!(!is_clean(text.as_bytes()), "{before}");
            assert_eq!(cleaned(text.as_bytes()).matches("IP: <none>").count(), 1);
            let text = text.replace("&lt;", "&l");
            assert!(is_clean(text.as_bytes()), "{before}");
        }
    }
}
