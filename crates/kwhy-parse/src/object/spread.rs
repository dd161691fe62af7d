//! Skips pretty-printed JSON values as a whole.
//!
//! Lists of objects make up most of a bundle that is not logs. The layout alone shows that a line belongs to
//! the value: one member, item or bracket per line, indented, with closed strings.
//! Lines in any other layout are examined one by one ([`super::ObjectExtent`]).

use memchr::memchr3;

/// The maximum length of a key, in bytes.
const MAX_KEY: usize = 250;

/// The lines of a pretty-printed value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spread {
    /// The number of bytes, including the last newline.
    pub length: usize,
    /// The number of lines.
    pub lines: usize,
    /// The number of brackets still open; 0 if the value is complete.
    pub open: i64,
}

/// Measures a value whose opening bracket is alone on the first line, up to its closing bracket or to the first
/// line in another layout. Returns `None` if the first line is not such a bracket.
pub(super) fn spread(bytes: &[u8]) -> Option<Spread> {
    let indent = spaces(bytes);
    let first = bytes.get(indent..)?;
    let [b'{' | b'[', b'\n', ..] = first else {
        return None;
    };
    let mut all = Spread {
        length: indent + 2,
        lines: 1,
        open: 1,
    };
    while all.open > 0 {
        let Some(line) = bytes.get(all.length..).and_then(|rest| line(rest, indent)) else {
            break;
        };
        let open = all.open + line.open;
        // only the closing bracket of the whole value is at the level of its first line
        if (open <= 0) != line.on_level {
            break;
        }
        all.length += line.length;
        all.lines += 1;
        all.open = open;
    }
    Some(all)
}

/// One line of a value.
struct Line {
    length: usize,
    /// The number of brackets opened minus those closed.
    open: i64,
    /// True if it has the indentation of the value's first line.
    on_level: bool,
}

/// Returns the number of leading spaces; fast, as half of the text is indentation.
pub(super) fn spaces(bytes: &[u8]) -> usize {
    let eights = bytes
        .chunks_exact(8)
        .take_while(|eight| *eight == [b' '; 8]);
    let whole = 8 * eights.count();
    let rest = bytes.get(whole..).unwrap_or_default().iter();
    whole + rest.take_while(|byte| **byte == b' ').count()
}

/// Parses the line at the start of the bytes, inside a value indented by `outer` spaces.
fn line(bytes: &[u8], outer: usize) -> Option<Line> {
    let indent = spaces(bytes);
    if indent < outer {
        return None;
    }
    let mut open = 0;
    let at = match bytes.get(indent)? {
        b'}' | b']' => {
            open = -1;
            indent + 1
        }
        b'"' => {
            let end = string(bytes, indent)?;
            match bytes.get(end) {
                Some(b':') if is_key(bytes.get(indent + 1..end - 1)?) => {
                    let after = end + 1 + spaces(bytes.get(end + 1..)?);
                    value(bytes, after, &mut open)?
                }
                Some(b':') => return None,
                _ => end,
            }
        }
        _ => value(bytes, indent, &mut open)?,
    };
    let at = at + usize::from(bytes.get(at) == Some(&b','));
    let length = match bytes.get(at) {
        Some(b'\n') => at + 1,
        None => at,
        Some(_) => return None,
    };
    Some(Line {
        length,
        open,
        on_level: indent == outer,
    })
}

fn is_key(key: &[u8]) -> bool {
    key.len() <= MAX_KEY && !key.contains(&b'\\')
}

/// Returns the offset after the string that starts at `at`, if it ends on the same line.
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr3(b'"', b'\\', b'\n', bytes.get(at..)?)?;
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            _ => return None,
        }
    }
}

/// Returns the offset after a scalar, an empty collection or an opening bracket.
fn value(bytes: &[u8], at: usize, open: &mut i64) -> Option<usize> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'{', Some(b'}')) | (b'[', Some(b']')) => Some(at + 2),
        (b'{' | b'[', _) => {
            *open = 1;
            Some(at + 1)
        }
        (b'"', _) => string(bytes, at),
        _ => {
            let rest = bytes.get(at..)?;
            let is_of_word =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
            let length = rest.iter().take_while(|byte| is_of_word(byte)).count();
            let word = rest.get(..length)?;
            let is_number = |byte: &u8| byte.is_ascii_digit() || b"-+.eE".contains(byte);
            let is_known = matches!(word, b"true" | b"false" | b"null")
                || (matches!(word.first()?, b'-' | b'0'..=b'9') && word.iter().all(is_number));
            is_known.then_some(at + length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> Option<(usize, i64)> {
        let spread = spread(text.as_bytes())?;
        assert_eq!(
            text.as_bytes()[..spread.length]
                .split_inclusive(|b| *b == b'\n')
                .count(),
            spread.lines
        );
        Some((spread.lines, spread.open))
    }

    #[test]
    fn values_of_regular_form() {
        let text = r#"  {
    "kind": "Pod",
    "count": -1.5e3,
    "flag": true,
    "none": {},
    "list": [
      "a \"b\" } c\\",
      {
        "x": []
      },
      [
        null
      ]
    ]
  },
  {
"#;
        assert_eq!(extent(text), Some((15, 0)));
        assert_eq!(extent("{\n}"), Some((2, 0)));
        // up to the end of the text
        assert_eq!(extent("{\n  \"items\": [\n    {\n"), Some((3, 3)));
        assert_eq!(extent("{\"a\": 1}\n"), None);
        assert_eq!(extent("  x\n"), None);
        assert_eq!(extent("{"), None);
    }

    #[test]
    fn another_form_ends_it() {
        for line in [
            "",
            "x",
            "{ \"a\": 1 }",
            "  \"not closed",
            "  \"a\" \"b\"",
            "  \"a\": 1 2",
            "  \"a\\n\": 1",
            "  nul",
            "  \"a\": \"x\" # y",
            "  }, {",
            "}}",
            "]x",
            "\"on the first one's level\": 1",
            "{",
        ] {
            let text = format!("{{\n  \"a\": {{\n{line}\n  }}\n}}\n");
            assert_eq!(extent(&text), Some((2, 2)), "{line}");
        }
        // a bracket that closes too early
        assert_eq!(extent("{\n  }\n"), Some((1, 1)));
    }
}
