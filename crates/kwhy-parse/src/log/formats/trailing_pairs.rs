//! Finds the `key=value` pairs after an unquoted message: they start at the first place from which
//! the whole rest parses as pairs in the writer's own grammar.

use crate::log::json_members::nested_end;
use crate::log::logfmt::{closing_single, unquoted_end};
use crate::log::quote::closing_quote;

/// The bytes allowed in an unquoted value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::log) enum Bare {
    /// No space, quote or `=` (log/slog).
    WithoutEquals,
    /// No space or quote; JSON is written verbatim (zerolog).
    Json,
}

/// Returns the offset of the first key, in linear time: a pair can be continued in one way only, so
/// after a pair that does not parse the search resumes after it.
pub(in crate::log) fn start(text: &str, from: usize, bare: Bare) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = text.trim_end_matches(' ').len();
    let mut at = next_key(bytes, from)?;
    'chain: loop {
        let first = at;
        let mut pairs = 0;
        loop {
            match pair(text, at, bare) {
                Some(after) if after >= end => return Some(first),
                Some(after) if bytes.get(after) == Some(&b' ') => {
                    at = after + 1;
                    pairs += 1;
                }
                _ => {
                    // zerolog writes keys verbatim, so one may contain spaces
                    if bare == Bare::Json
                        && pairs > 1
                        && let Some(after) = pair_of_words(text, at)
                    {
                        at = after;
                        continue;
                    }
                    at = next_key(bytes, at + 1)?;
                    continue 'chain;
                }
            }
        }
    }
}

/// Returns the number of pairs in a line, or `None` if it contains anything else.
pub(in crate::log) fn count(line: &str) -> Option<usize> {
    let end = line.trim_end().len();
    let (mut at, mut pairs) = (0, 0);
    loop {
        let after = pair(line, at, Bare::Json)?;
        pairs += 1;
        if after >= end {
            return Some(pairs);
        }
        at = after + 1;
        if line.as_bytes().get(after) != Some(&b' ') {
            return None;
        }
    }
}

/// Returns the offset after the next space.
fn next_key(bytes: &[u8], from: usize) -> Option<usize> {
    let before = from.saturating_sub(1);
    let space = memchr::memchr(b' ', bytes.get(before..)?)?;
    Some(before + space + 1)
}

/// Returns the offset of the last word of a key of up to three words before a `=`.
fn pair_of_words(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let mut start = at;
    for word in rest.splitn(4, ' ').take(3) {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if start > at
            && let Some((key, _)) = word.split_once('=')
            && is_word(key)
        {
            return Some(start);
        }
        if !is_word(word) {
            return None;
        }
        start += word.len() + 1;
    }
    None
}

/// Returns the end of the pair that starts at an offset.
fn pair(text: &str, at: usize, bare: Bare) -> Option<usize> {
    let bytes = text.as_bytes();
    let key_end = if bytes.get(at) == Some(&b'"') {
        closing_quote(text, at)? + 1
    } else {
        let length = bytes
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, b' ' | b'=' | b'"' | b'\n' | b'\t'))?;
        at + length
    };
    if key_end == at || bytes.get(key_end) != Some(&b'=') {
        return None;
    }
    let value = key_end + 1;
    // the text of an error may be written without quotes
    if bare == Bare::Json
        && matches!(text.get(at..key_end)?, "error" | "err")
        && !text.get(value..)?.starts_with(['"', '\''])
    {
        return Some(value + unquoted_end(text.get(value..)?, 0));
    }
    match bytes.get(value) {
        Some(b'"') => return Some(closing_quote(text, value)? + 1),
        Some(b'\'') if bare == Bare::Json => {
            if let Some(close) = closing_single(text.get(value..)?) {
                return Some(value + close + 1);
            }
        }
        Some(b'{' | b'[') if bare == Bare::Json => {
            let end = nested_end(text, value);
            if let Some(end) = end.filter(|end| matches!(bytes.get(*end), None | Some(b' '))) {
                return Some(end);
            }
        }
        _ => {}
    }
    let ends = |byte: &u8| match byte {
        b' ' | b'\n' | b'"' => true,
        b'=' => bare == Bare::WithoutEquals,
        _ => false,
    };
    let rest = bytes.get(value..)?;
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    Some(value + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_rest_must_be_pairs() {
        let found =
            |text: &str| start(text, 0, Bare::WithoutEquals).map(|at| text[at..].to_owned());
        assert_eq!(
            found("a=b, c = d x=1 y=\"a b\""),
            Some("x=1 y=\"a b\"".to_owned())
        );
        assert_eq!(found("x=1 behind"), None);
        assert_eq!(found("text \"key 1\"=2"), Some("\"key 1\"=2".to_owned()));
        assert_eq!(found("only text"), None);
        assert_eq!(count("x=1 y=\"a b\" z='c d'"), Some(3));
        assert_eq!(count("x=1 behind"), None);
        assert_eq!(count("x=\"1\"y=2"), None);
        let json = "m pod={\"a\":\"b c\"} n=0";
        assert_eq!(start(json, 0, Bare::Json), Some(2));
    }
}
