//! `key=value` pairs: logrus and slog text, logfmt, klog's structured format.
//!
//! Values are unquoted, Go-quoted, bracketed (`{A:1 B:x}`, `map[a:1]`, JSON) or, in klog, blocks
//! (`key=<`, tab-indented lines, ` >`). These libraries write keys verbatim, so a key may contain
//! spaces, which are kept.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::payload::Payload;
use super::quote::{closing_quote, unquote_go};
use kwhy_model::{Field, Text, TextBuilder, Written};

/// A tab as written by journald.
const TAB: &str = "        ";

/// An iterator over pairs, from left to right.
pub(super) struct Pairs<'p, 'a> {
    payload: &'p Payload<'a>,
    at: usize,
    /// True if a bracketed value may contain spaces; cleared after a bracket that was not closed.
    brackets: bool,
    /// True if the end of the last value is missing.
    cut: bool,
    /// The grammar of unquoted values.
    bare: Written,
}

impl<'p, 'a> Pairs<'p, 'a> {
    pub(super) fn new(payload: &'p Payload<'a>, at: usize) -> Self {
        Pairs {
            payload,
            at,
            brackets: true,
            cut: false,
            bare: Written::Bare,
        }
    }

    /// Creates an iterator over pairs of a writer that quotes all text.
    pub(super) fn quoted(payload: &'p Payload<'a>, at: usize) -> Self {
        Pairs {
            bare: Written::Unquoted,
            ..Pairs::new(payload, at)
        }
    }

    /// Returns true if the end of the last value is missing.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    fn rest(&self) -> &'p str {
        self.payload.as_str().get(self.at..).unwrap_or("")
    }

    /// Returns the rest of the text between two offsets.
    fn rest_from(&self, start: usize, end: usize) -> &'p str {
        let text = self.payload.as_str();
        text.get(start..self.at + end).unwrap_or("")
    }

    fn key(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest();
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = rest.trim_start();
        if rest.starts_with('"')
            && let Some(close) = closing_quote(rest, 0)
            && rest.as_bytes().get(close + 1) == Some(&b'=')
        {
            self.at = start + close + 2;
            let key = unquote_go(self.payload, start + 1..start + close);
            return Some(Cow::Owned(key.as_str().to_owned()));
        }
        let length = memchr2(b'=', b'\n', rest.as_bytes())?;
        if length == 0 || rest.as_bytes().get(length) != Some(&b'=') {
            return None;
        }
        self.at = start + length + 1;
        Some(self.payload.name(start..start + length))
    }

    fn value(&mut self, key: &str) -> (Text<'a>, Written) {
        let rest = self.rest();
        let start = self.at;
        let ends = |at: usize| {
            rest.as_bytes()
                .get(at)
                .is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'\t'))
        };
        match rest.as_bytes().first() {
            Some(b'"') => {
                if let Some(close) = closing_quote(rest, 0) {
                    if ends(close + 1) {
                        self.at = start + close + 1;
                        let value = unquote_go(self.payload, start + 1..start + close);
                        return (value, Written::Text);
                    }
                } else {
                    // truncated: the value is the remaining text
                    self.cut = true;
                    self.at = start + rest.len();
                    let value = unquote_go(self.payload, start + 1..start + rest.len());
                    return (value, Written::Text);
                }
            }
            // a string as Python's `repr` prints it
            Some(b'\'') => {
                if let Some(close) = closing_single(rest).filter(|close| ends(close + 1)) {
                    self.at = start + close + 1;
                    let value = unquote_go(self.payload, start + 1..start + close);
                    return (value, Written::Text);
                }
            }
            Some(b'<') if rest.starts_with("<\n") => return (self.block(), Written::Text),
            _ => {}
        }
        let mut length = memchr2(b' ', b'\n', rest.as_bytes()).unwrap_or(rest.len());
        if self.brackets && rest[..length].contains(['{', '[', '(']) {
            match bracketed_end(rest) {
                Some(end) => length = end,
                None => self.brackets = false,
            }
        }
        let mut written = self.bare;
        if matches!(key, "msg" | "error" | "err") {
            length = unquoted_end(rest, length);
            if written == Written::Bare {
                written = Written::Text;
            }
        }
        self.at = start + length;
        (self.payload.part(start..start + length), written)
    }

    /// Parses klog's block: tab-indented lines up to a line of a space and `>`.
    fn block(&mut self) -> Text<'a> {
        let rest = self.rest();
        let mut builder = TextBuilder::new();
        let mut at = 2;
        let mut first = true;
        while at < rest.len() {
            let line_end = memchr(b'\n', &rest.as_bytes()[at..]).map_or(rest.len(), |n| at + n);
            let line = &rest[at..line_end];
            if let Some(after) = block_end(line) {
                self.at += line_end - after.len();
                return builder.finish();
            }
            if !first {
                let newline = self.at + at - 1..self.at + at;
                builder.push_decoded("\n", self.payload.text().source_span(newline));
            }
            first = false;
            // journald writes the tab as eight spaces
            let indent = if line.starts_with('\t') {
                1
            } else {
                line.bytes()
                    .take(8)
                    .take_while(|byte| *byte == b' ')
                    .count()
            };
            let mut start = self.at + at + indent;
            if indent == TAB.len() {
                // it then writes the value's own tabs the same way
                while self.rest_from(start, line_end).starts_with(TAB) {
                    let source = self.payload.text().source_span(start..start + TAB.len());
                    builder.push_decoded("\t", source);
                    start += TAB.len();
                }
            }
            builder.push_text(&self.payload.part(start..self.at + line_end));
            at = line_end + 1;
        }
        self.at += rest.len();
        builder.finish()
    }
}

impl<'a> Iterator for Pairs<'_, 'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let key = self.key()?;
        let (value, written) = self.value(&key);
        Some(Field::new(key, value, written))
    }
}

/// Returns the offset of the single quote that closes the one at the start of a text.
pub(super) fn closing_single(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += memchr2(b'\'', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'\'') {
            return Some(at);
        }
        at += 2;
    }
}

/// Returns the text after the end of a block (` >`), if the line ends one.
pub(super) fn block_end(line: &str) -> Option<&str> {
    let after = line.strip_prefix(" >")?;
    (after.is_empty() || after.starts_with(' ')).then_some(after)
}

/// Returns the end of a value that opens brackets: the first space outside them.
fn bracketed_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.checked_sub(1)?,
            b'"' => at = closing_quote(text, at)?,
            b' ' | b'\n' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
    (depth == 0).then_some(bytes.len())
}

/// Returns the end of an unquoted text: the next ` key=`, or the end of the line.
pub(super) fn unquoted_end(text: &str, first_word: usize) -> usize {
    let mut end = first_word;
    if end == 0 {
        end = text.find([' ', '\n']).unwrap_or(text.len());
    }
    while let Some(rest) = text.get(end..).filter(|rest| rest.starts_with(' ')) {
        let word = rest.trim_start_matches(' ');
        let length = word.find([' ', '\n']).unwrap_or(word.len());
        if is_pair(&word[..length]) {
            return end;
        }
        end += rest.len() - word.len() + length;
    }
    end
}

fn is_pair(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| {
        let quoted = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
        is_plain_key(quoted.unwrap_or(key))
    })
}

/// Returns true if a word looks like an ordinary key.
pub(super) fn is_plain_key(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '@')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let payload = Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        });
        Pairs::new(&payload, 0)
            .map(|field| (field.key.into_owned(), field.value.as_str().to_owned()))
            .collect()
    }

    fn assert_pairs(text: &str, expected: &[(&str, &str)]) {
        let found = pairs(text);
        let found: Vec<_> = found
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values() {
        assert_pairs(
            r#"a=1 b="x \"y\" z" c= d=/srv/a e={A:1 B:x} f=map[k:v w:x] g=["p","q r"]"#,
            &[
                ("a", "1"),
                ("b", "x \"y\" z"),
                ("c", ""),
                ("d", "/srv/a"),
                ("e", "{A:1 B:x}"),
                ("f", "map[k:v w:x]"),
                ("g", "[\"p\",\"q r\"]"),
            ],
        );
        assert_pairs(
            "msg=could not start id=7",
            &[("msg", "could not start"), ("id", "7")],
        );
        assert_pairs("a=\"cut o", &[("a", "cut o")]);
        assert_pairs(
            "a={cut b=[cut c=1",
            &[("a", "{cut"), ("b", "[cut"), ("c", "1")],
        );
        assert_pairs("no pair here", &[]);
    }

    #[test]
    fn blocks() {
        assert_pairs(
            "a=<\n\tone\n\t\n\t\ttwo k=<\n > b=2",
            &[("a", "one\n\n\ttwo k=<"), ("b", "2")],
        );
        assert_pairs("a=<\n\tcut", &[("a", "cut")]);
    }
}
