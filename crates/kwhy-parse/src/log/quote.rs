//! Quoted strings: Go's `strconv.Quote` (logrus, klog, logfmt) and JSON (RFC 8259).
//!
//! Decoders keep the mapping from every decoded byte to the document, and copy nothing if there are
//! no escapes. Unknown escapes are kept as written.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::payload::Payload;
use kwhy_model::{Text, TextBuilder};

/// Returns the offset of the quote that closes the string opened at `open`.
pub(super) fn closing_quote(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = open + 1;
    loop {
        let hit = at + memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(hit) == Some(&b'"') {
            return Some(hit);
        }
        at = hit + 2;
    }
}

/// Decodes the inside of a Go string literal (`strconv.Unquote`).
pub(super) fn unquote_go<'a>(payload: &Payload<'a>, inside: Range<usize>) -> Text<'a> {
    decode(payload, inside, go_escape)
}

/// Decodes the inside of a JSON string.
pub(super) fn unquote_json<'a>(payload: &Payload<'a>, inside: Range<usize>) -> Text<'a> {
    decode(payload, inside, json_escape)
}

/// Decodes a string in which quotes and control characters are escaped, but not backslashes.
pub(super) fn unquote_controls<'a>(payload: &Payload<'a>, inside: Range<usize>) -> Text<'a> {
    decode(payload, inside, |text| match text.as_bytes().get(1)? {
        b'n' | b't' | b'r' | b'"' | b'a' | b'b' | b'f' | b'v' | b'x' | b'u' => go_escape(text),
        _ => None,
    })
}

/// Decodes a string in which bytes are written as `\\x22` and nothing else is escaped (nginx).
pub(super) fn unquote_bytes<'a>(payload: &Payload<'a>, inside: Range<usize>) -> Text<'a> {
    decode(payload, inside, |text| {
        let byte = |at: usize| {
            let hex = text.get(at..)?.strip_prefix("\\x")?;
            u8::try_from(number(hex, 0..2, 16)?).ok()
        };
        let first = byte(0)?;
        let length = match first {
            0..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => 0,
        };
        let mut room = [0; 4];
        for (index, place) in room.iter_mut().enumerate().take(length) {
            *place = byte(index * 4).unwrap_or(0);
        }
        let text = std::str::from_utf8(room.get(..length)?).ok();
        match text.and_then(|text| text.chars().next()) {
            Some(decoded) => Some((decoded, length * 4)),
            None => Some((char::REPLACEMENT_CHARACTER, 4)),
        }
    })
}

/// Parses the escape at the start of a text: its character and its length.
type Escape = fn(&str) -> Option<(char, usize)>;

fn decode<'a>(payload: &Payload<'a>, inside: Range<usize>, escape: Escape) -> Text<'a> {
    let Some(text) = payload.as_str().get(inside.clone()) else {
        return payload.part(inside);
    };
    if memchr(b'\\', text.as_bytes()).is_none() {
        return payload.part(inside);
    }
    let mut builder = TextBuilder::new();
    let (mut at, mut run) = (0, 0);
    while let Some(hit) = text
        .get(at..)
        .and_then(|rest| memchr(b'\\', rest.as_bytes()))
    {
        let start = at + hit;
        let Some((decoded, length)) = escape(&text[start..]) else {
            at = start + 1;
            continue;
        };
        builder.push_text(&payload.part(inside.start + run..inside.start + start));
        let source = inside.start + start..inside.start + start + length;
        builder.push_decoded(
            decoded.encode_utf8(&mut [0; 4]),
            payload.text().source_span(source),
        );
        at = start + length;
        run = at;
    }
    builder.push_text(&payload.part(inside.start + run..inside.end));
    builder.finish()
}

/// Appends the decoded inside of a JSON string to a text, without a mapping.
pub(super) fn push_unquoted_json(out: &mut String, text: &str) {
    let (mut at, mut run) = (0, 0);
    while let Some(hit) = text
        .get(at..)
        .and_then(|rest| memchr(b'\\', rest.as_bytes()))
    {
        let start = at + hit;
        let Some((decoded, length)) = json_escape(&text[start..]) else {
            at = start + 1;
            continue;
        };
        out.push_str(&text[run..start]);
        out.push(decoded);
        at = start + length;
        run = at;
    }
    out.push_str(&text[run..]);
}

fn number(text: &str, range: Range<usize>, radix: u32) -> Option<u32> {
    let digits = text.get(range)?;
    let all_digits = digits.bytes().all(|b| char::from(b).is_digit(radix));
    u32::from_str_radix(digits, radix)
        .ok()
        .filter(|_| all_digits)
}

/// Converts a byte; invalid UTF-8 (`\xff`) becomes U+FFFD.
fn from_byte(byte: u32) -> char {
    u8::try_from(byte)
        .ok()
        .filter(u8::is_ascii)
        .map_or(char::REPLACEMENT_CHARACTER, char::from)
}

fn go_escape(text: &str) -> Option<(char, usize)> {
    let scalar = |code: u32| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    let simple = |c| Some((c, 2));
    match text.as_bytes().get(1)? {
        b'n' => simple('\n'),
        b't' => simple('\t'),
        b'"' => simple('"'),
        b'\'' => simple('\''),
        b'\\' => simple('\\'),
        b'r' => simple('\r'),
        b'a' => simple('\x07'),
        b'b' => simple('\x08'),
        b'f' => simple('\x0c'),
        b'v' => simple('\x0b'),
        b'x' => Some((from_byte(number(text, 2..4, 16)?), 4)),
        b'u' => Some((scalar(number(text, 2..6, 16)?), 6)),
        b'U' => Some((scalar(number(text, 2..10, 16)?), 10)),
        b'0'..=b'7' => Some((from_byte(number(text, 1..4, 8)?), 4)),
        _ => None,
    }
}

fn json_escape(text: &str) -> Option<(char, usize)> {
    let simple = |c| Some((c, 2));
    match text.as_bytes().get(1)? {
        b'n' => simple('\n'),
        b't' => simple('\t'),
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        b'/' => simple('/'),
        b'r' => simple('\r'),
        b'b' => simple('\x08'),
        b'f' => simple('\x0c'),
        b'u' => {
            let high = number(text, 2..6, 16)?;
            if let Some(c) = char::from_u32(high) {
                return Some((c, 6));
            }
            let low = match text.get(6..8) {
                Some("\\u") => number(text, 8..12, 16),
                _ => None,
            };
            let pair = low
                .filter(|low| (0xdc00..0xe000).contains(low) && (0xd800..0xdc00).contains(&high))
                .and_then(|low| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
            Some(pair.map_or((char::REPLACEMENT_CHARACTER, 6), |c| (c, 12)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn payload(text: &str) -> Payload<'_> {
        Payload::from_line(Line {
            text,
            start: 100,
            number: 1,
        })
    }

    #[test]
    fn go_strings_map_back() {
        let line = r#""open \"/srv/a\": no\tsuch \xff \u00e9""#;
        let close = closing_quote(line, 0).unwrap();
        assert_eq!(close, line.len() - 1);
        let text = unquote_go(&payload(line), 1..close);
        assert_eq!(text.as_str(), "open \"/srv/a\": no\tsuch \u{fffd} é");
        let path = text.as_str().find("/srv/a").unwrap();
        assert_eq!(text.source_span(path..path + 6), 108..114);
        assert_eq!(text.source_span(path - 1..path), 106..108);
    }

    #[test]
    fn json_strings_map_back() {
        let line = r#"a\u003cb\ud83d\ude00 \q \ud800"#;
        let text = unquote_json(&payload(line), 0..line.len());
        assert_eq!(text.as_str(), "a<b😀 \\q \u{fffd}");
        assert_eq!(text.source_span(1..2), 101..107);
        assert_eq!(text.source_span(2..3), 107..108);
    }

    #[test]
    fn plain_text_is_borrowed() {
        let text = unquote_go(&payload("nothing to do"), 0..7);
        assert_eq!((text.as_str(), text.span()), ("nothing", 100..107));
        assert_eq!(closing_quote("\"open \\\"", 0), None);
        assert_eq!(closing_quote("\"\\", 0), None);
    }
}
