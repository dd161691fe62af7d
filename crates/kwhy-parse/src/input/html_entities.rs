//! Detects lines escaped for HTML by a web page, and decodes entities.
//!
//! Source: HTML Living Standard, "Character references". A page that shows a paste escapes all of
//! it, so a line counts as escaped only if
//! - it contains an entity for what kubectl prints in brackets or quotes (`&lt;none&gt;`, `&quot;`,
//!   `&#39;`) or for a space of a table (`&nbsp;`),
//! - each of its `&` starts an entity, which rules out addresses in logs (`?a=1&b=2`),
//! - and it contains nothing that would have been escaped: no `<` or `>` except in tags around
//!   pastes (`<br>`, `<pre>`), and no `"` beside `&quot;`.
//!
//! A line with only `&amp;` is left unchanged.

use memchr::{memchr, memchr_iter, memchr2_iter};

/// The maximum length of a recognised entity, including `&` and `;`.
const LONGEST: usize = 9;

/// Decodes the entity at the start of a text; returns its length and its character.
pub(super) fn at_start(text: &[u8]) -> Option<(usize, char)> {
    let head = text.get(..text.len().min(LONGEST))?;
    let end = memchr(b';', head)?;
    let name = head.get(1..end).filter(|_| head.first() == Some(&b'&'))?;
    let c = match name {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"quot" | b"ldquo" | b"rdquo" | b"bdquo" => '"',
        b"apos" | b"lsquo" | b"rsquo" => '\'',
        b"nbsp" | b"ensp" | b"emsp" | b"thinsp" => ' ',
        b"ndash" | b"mdash" | b"minus" => '-',
        b"hellip" => '\u{2026}',
        [b'#', b'x' | b'X', digits @ ..] => numbered(digits, 16)?,
        [b'#', digits @ ..] => numbered(digits, 10)?,
        _ => return None,
    };
    Some((end + 1, c))
}

/// Returns the character with this number, if a line may contain it.
fn numbered(digits: &[u8], radix: u32) -> Option<char> {
    if !digits.iter().all(u8::is_ascii_alphanumeric) {
        return None;
    }
    let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    match number {
        0xa0 => Some(' '),
        0x20..=0x7e => char::from_u32(number),
        _ => None,
    }
}

/// Returns true if an entity suggests that its line is escaped: a bracket, a plain quote or a space.
pub(super) fn shows_encoding(text: &[u8]) -> bool {
    const NAMES: [&[u8]; 6] = [b"&lt;", b"&gt;", b"&quot;", b"&apos;", b"&nbsp;", b"&#"];
    NAMES.iter().any(|name| text.starts_with(name))
        && at_start(text).is_some_and(|(_, c)| matches!(c, '<' | '>' | '"' | '\'' | ' '))
}

/// Returns true if the bytes may contain an entity that [`shows_encoding`], judging by its first letters; written so that the
/// compiler vectorises it.
pub(super) fn may_show_encoding(bytes: &[u8]) -> bool {
    let length = bytes.len().saturating_sub(2);
    let (Some(first), Some(second), Some(third)) =
        (bytes.get(..length), bytes.get(1..=length), bytes.get(2..))
    else {
        return false;
    };
    let is = |byte: &u8, wanted: u8| u8::from(*byte == wanted);
    let mut found = 0;
    for ((first, second), third) in first.iter().zip(second).zip(third) {
        let is_bracket = (is(second, b'l') | is(second, b'g')) & is(third, b't');
        let is_quote = is(second, b'q') & is(third, b'u');
        let is_apostrophe = is(second, b'a') & is(third, b'p');
        let is_blank = is(second, b'n') & is(third, b'b');
        let is_number = is(second, b'#');
        let is_name = is_bracket | is_quote | is_apostrophe | is_blank | is_number;
        found |= is(first, b'&') & is_name;
    }
    found != 0
}

/// Returns true if a line was escaped as a whole.
pub(super) fn is_escaped(line: &[u8]) -> bool {
    let mut is_encoded = false;
    let mut has_quote = false;
    for at in memchr_iter(b'&', line) {
        let rest = line.get(at..).unwrap_or(&[]);
        match at_start(rest) {
            Some((_, c)) => {
                is_encoded |= shows_encoding(rest);
                has_quote |= c == '"';
            }
            None => return false,
        }
    }
    is_encoded && !(has_quote && memchr(b'"', line).is_some()) && !has_foreign_bracket(line)
}

/// Returns true if a line contains a bracket outside the tags around pastes.
fn has_foreign_bracket(line: &[u8]) -> bool {
    let mut after = 0;
    for at in memchr2_iter(b'<', b'>', line) {
        if at < after {
            continue;
        }
        match line.get(at..).and_then(super::decoration::tag_at_start) {
            Some(length) => after = at + length,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_were_escaped() {
        for line in [
            "web-0 0/1 Pending 0 5m &lt;none&gt; &lt;none&gt;",
            "secret &quot;login&quot; not found",
            "Warning&nbsp;&nbsp;Failed",
            "&gt; configmap &#39;a&#39; &amp; more<br>",
            "<pre>IP: &lt;unset&gt;",
        ] {
            assert!(is_escaped(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn lines_that_were_not() {
        for line in [
            "GET /?a=1&amp;b=2 503",
            "GET /?a=1&b=2 body &lt;html&gt;",
            "msg=\"said &quot;no&quot;\"",
            "<p>&lt;none&gt;</p>",
            "a && b &lt; c",
            "plain",
            "&lt",
            "&#10;&#x0;",
        ] {
            assert!(!is_escaped(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn entities() {
        assert_eq!(at_start(b"&lt;none"), Some((4, '<')));
        assert_eq!(at_start(b"&#x27;"), Some((6, '\'')));
        assert_eq!(at_start(b"&#160;x"), Some((6, ' ')));
        for other in [
            &b"&"[..],
            b"&;",
            b"&#;",
            b"&#+39;",
            b"&#10;",
            b"&unknown;",
            b"lt;",
        ] {
            assert_eq!(at_start(other), None);
        }
    }
}
