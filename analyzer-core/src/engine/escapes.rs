//! What a record says at each depth of quoting, without parsing it.

use memchr::{memchr, memmem};

/// How deep quotes nest: a program's own, a logger's, a container runtime's.
const MAX_DEPTH: usize = 3;

/// A record of one line, with the Go trace behind it, and what its escapes stand for, as often as there are some;
/// without the backslashes before quotes. Each text of the record stands in one of these as signatures see it. None
/// where that is not sure: the record has other lines, or escapes that not all formats read alike.
pub(super) fn levels(record: &[u8]) -> Option<Vec<Vec<u8>>> {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    let lines = record.split(|byte| *byte == b'\n');
    if !lines.skip(1).all(is_of_go_trace) {
        return None;
    }
    let mut level = record.to_vec();
    let mut levels = Vec::new();
    loop {
        levels.push(unquoted(&level));
        if memchr(b'\\', &level).is_none() {
            return Some(levels);
        }
        if levels.len() > MAX_DEPTH {
            return None;
        }
        level = decoded(&level)?;
    }
}

/// Whether a line is one of a Go trace, and surely not in a carrier: a function, or its place.
fn is_of_go_trace(line: &[u8]) -> bool {
    match line.split_first() {
        Some((b'\t', place)) => memmem::find(place, b".go:").is_some(),
        Some((first, _)) => {
            let is_of_name = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
            first.is_ascii_alphanumeric() && line.contains(&b'.') && line.iter().all(is_of_name)
        }
        None => false,
    }
}

/// The text that escapes stand for.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        out.push(match rest.get(at + 1)? {
            escaped @ (b'"' | b'\'' | b'\\' | b'/') => *escaped,
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            _ => return None,
        });
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Some(out)
}

/// The text without backslashes before quotes.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        let run = rest[at..].iter().take_while(|byte| **byte == b'\\').count();
        let behind = rest.get(at + run..).unwrap_or_default();
        let is_quote = matches!(behind.first(), Some(b'"' | b'\''));
        out.extend_from_slice(&rest[..if is_quote { at } else { at + run }]);
        rest = behind;
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(record: &str) -> Option<Vec<String>> {
        let levels = levels(record.as_bytes())?;
        let text = |level| String::from_utf8(level).unwrap();
        Some(levels.into_iter().map(text).collect())
    }

    #[test]
    fn each_depth_is_told() {
        assert_eq!(told("plain\n").unwrap(), ["plain"]);
        assert_eq!(
            told(r#"{"log":"{\"msg\":\"pod \\\"a\\\" is gone\"}\n"}"#).unwrap(),
            [
                r#"{"log":"{"msg":"pod "a" is gone"}\n"}"#,
                "{\"log\":\"{\"msg\":\"pod \"a\" is gone\"}\n\"}",
                "{\"log\":\"{\"msg\":\"pod \"a\" is gone\"}\n\"}",
            ]
        );
        assert_eq!(
            told("it \\\"broke\\\"\nmain.(*Crane).Run[...]\n\t/src/main.go:12 +0x1d\n").unwrap(),
            ["it \"broke\"\nmain.(*Crane).Run[...]\n\t/src/main.go:12 +0x1d"; 2]
        );
        assert_eq!(
            told(r"in C:\\temp").unwrap(),
            [r"in C:\\temp", r"in C:\temp", "in C:\temp"]
        );
    }

    #[test]
    fn what_is_not_sure_is_not_told() {
        for record in [
            "two\nlines",
            "two\n\t/not/a/place",
            "two\n{\"log\":\"main.run\\n\"}",
            "two\n2031-03-04T05:06:07Z stdout F main.run",
            r"a \u00e9",
            r"a \x22",
            r"ends in \",
            r#"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\a"#,
        ] {
            assert_eq!(told(record), None, "{record}");
        }
    }
}
