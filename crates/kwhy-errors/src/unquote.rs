//! Decodes Go's quoted strings (`strconv.Quote`, the verb `%q`), one level at a time.

use kwhy_model::{Text, TextBuilder};

/// Decodes the inside of a quoted string.
///
/// Escapes that Go does not use are kept as they are.
pub(super) fn unquote<'a>(quoted: &Text<'a>) -> Text<'a> {
    let value = quoted.as_str();
    if !value.contains('\\') {
        return quoted.clone();
    }
    let mut builder = TextBuilder::new();
    let mut plain = 0;
    let mut at = 0;
    while let Some(found) = value.get(at..).and_then(|rest| rest.find('\\')) {
        let start = at + found;
        let Some((decoded, length)) = value.get(start + 1..).and_then(escape) else {
            at = start + 1;
            continue;
        };
        builder.push_text(&quoted.slice(plain..start));
        let end = start + 1 + length;
        let mut buffer = [0; 4];
        builder.push_decoded(
            decoded.encode_utf8(&mut buffer),
            quoted.source_span(start..end),
        );
        plain = end;
        at = end;
    }
    builder.push_text(&quoted.slice(plain..value.len()));
    if builder.is_empty() {
        return quoted.slice(0..0);
    }
    builder.finish()
}

/// Decodes an escape; returns its character and its length after the backslash.
fn escape(rest: &str) -> Option<(char, usize)> {
    let plain = |decoded| Some((decoded, 1));
    match rest.as_bytes().first()? {
        b'"' => plain('"'),
        b'\'' => plain('\''),
        b'\\' => plain('\\'),
        b'n' => plain('\n'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        b'x' => hexadecimal(rest, 2),
        b'u' => hexadecimal(rest, 4),
        b'U' => hexadecimal(rest, 8),
        _ => None,
    }
}

fn hexadecimal(rest: &str, digits: usize) -> Option<(char, usize)> {
    let code = rest.get(1..1 + digits)?;
    if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let code = u32::from_str_radix(code, 16).ok()?;
    Some((char::from_u32(code)?, 1 + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_at_a_time() {
        let text = Text::borrowed(r#"mounting \"/a\" caused \\\"no\\\""#, 100);
        let once = unquote(&text);
        assert_eq!(once.as_str(), r#"mounting "/a" caused \"no\""#);
        assert_eq!(once.source_span(9..13), 109..115);
        let twice = unquote(&once);
        assert_eq!(twice.as_str(), r#"mounting "/a" caused "no""#);
        assert_eq!(twice.source_span(22..24), 127..129);
        assert_eq!(twice.source_span(21..22), 123..127);
    }

    #[test]
    fn characters_and_strangers() {
        let text = Text::borrowed(r"a\u00e9\x41\n\q\", 0);
        assert_eq!(unquote(&text).as_str(), "aéA\n\\q\\");
    }
}
