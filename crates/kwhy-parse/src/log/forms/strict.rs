//! Where the `key=value` pairs behind a raw message begin: at the first place from which the whole
//! rest reads as pairs of the writer's own grammar.

use crate::log::members::nested_end;
use crate::log::quote::closing_quote;

/// What a value without quotes may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    /// No blank, quote or `=` (log/slog).
    WithoutEquals,
    /// No blank or quote; JSON stands as it is (zerolog).
    Json,
}

/// The byte of the first key, in linear time: from a pair on there is one way to go on, so after a
/// pair that does not fit the search begins behind it.
pub(super) fn start(text: &str, from: usize, bare: Bare) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = text.trim_end_matches(' ').len();
    let mut at = next_key(bytes, from)?;
    'chain: loop {
        let first = at;
        let mut pairs = 0;
        loop {
            match pair(text, at, bare) {
                Some(behind) if behind >= end => return Some(first),
                Some(behind) if bytes.get(behind) == Some(&b' ') => {
                    at = behind + 1;
                    pairs += 1;
                }
                _ => {
                    // zerolog writes a key as it is, and one may hold blanks
                    if bare == Bare::Json
                        && pairs > 1
                        && let Some(behind) = pair_of_words(text, at)
                    {
                        at = behind;
                        continue;
                    }
                    at = next_key(bytes, at + 1)?;
                    continue 'chain;
                }
            }
        }
    }
}

/// The byte behind the next blank.
fn next_key(bytes: &[u8], from: usize) -> Option<usize> {
    let before = from.saturating_sub(1);
    let blank = memchr::memchr(b' ', bytes.get(before..)?)?;
    Some(before + blank + 1)
}

/// The byte of a key's last word, where up to three words before a `=` are a key.
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

/// The end of the pair that begins at a byte.
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
    match bytes.get(value) {
        Some(b'"') => return Some(closing_quote(text, value)? + 1),
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
        let json = "m pod={\"a\":\"b c\"} n=0";
        assert_eq!(start(json, 0, Bare::Json), Some(2));
    }
}
