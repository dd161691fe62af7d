//! Sentences quoted in JSON that contains nothing else: an item of a list on a line of its own, a list of
//! strings, or either as the only member of an object: `{"errors": ["...", "..."]}`.

use super::json_members::{Members, ValueKind, nested_end};
use super::payload::Payload;
use super::quote::{closing_quote, unquote_json};
use crate::input::Line;
use kwhy_model::Text;
use std::ops::Range;

/// The maximum number of sentences per line.
const MAX_SENTENCES: usize = 64;

/// The maximum number of nested objects around them.
const MAX_DEPTH: usize = 4;

/// Returns the sentences of a line, unquoted; empty if the line contains anything else.
pub(crate) fn sentences<'a>(line: Line<'a>) -> Vec<Text<'a>> {
    if !line.text.starts_with(['"', '[', '{']) {
        return Vec::new();
    }
    let length = line.text.trim_end().trim_end_matches(',').len();
    let Some(found) = inside(line.text, 0..length) else {
        return Vec::new();
    };
    let is_sentence = |part: &Range<usize>| line.text[part.clone()].trim().contains(' ');
    if !found.iter().any(is_sentence) {
        return Vec::new();
    }
    let payload = Payload::from_line(line);
    found
        .into_iter()
        .map(|part| unquote_json(&payload, part))
        .collect()
}

/// Returns the insides of the strings of which a part of a text consists; `None` if it contains anything else.
fn inside(text: &str, part: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut part = part;
    for _ in 0..MAX_DEPTH {
        match text.as_bytes().get(part.start)? {
            b'"' => {
                let close = closing_quote(text, part.start)?;
                let inside = part.start + 1..close;
                return (close + 1 == part.end).then(|| Vec::from([inside]));
            }
            b'[' => return strings(text, part),
            b'{' => {
                let mut members = Members::new(text, part.start);
                let only = members.next()?;
                if members.next().is_some() || members.end() != Some(part.end) {
                    return None;
                }
                if only.kind == ValueKind::String {
                    return Some(vec![only.value]);
                }
                part = only.value;
            }
            _ => return None,
        }
    }
    None
}

/// Returns the insides of the strings of a list; `None` if it contains anything else.
fn strings(text: &str, list: Range<usize>) -> Option<Vec<Range<usize>>> {
    if nested_end(text, list.start)? != list.end {
        return None;
    }
    let mut found = Vec::new();
    let mut at = list.start + 1;
    let mut is_open = true;
    while at + 1 < list.end {
        match text.as_bytes().get(at)? {
            b'"' if is_open => {
                let close = closing_quote(text, at)?;
                found.push(at + 1..close);
                (at, is_open) = (close + 1, false);
            }
            b',' if !is_open => (at, is_open) = (at + 1, true),
            b' ' => at += 1,
            _ => return None,
        }
    }
    (!found.is_empty() && found.len() <= MAX_SENTENCES).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let line = Line {
            text,
            start: 0,
            number: 1,
        };
        let found = sentences(line);
        for sentence in &found {
            assert!(text.get(sentence.span()).is_some(), "{text}");
        }
        found.iter().map(|text| text.as_str().to_owned()).collect()
    }

    #[test]
    fn sentences_are_read_without_their_quotes() {
        for (text, wanted) in [
            (
                r#"["crane \"north\" not found", "no berth"]"#,
                &["crane \"north\" not found", "no berth"][..],
            ),
            (r#"["no berth","north"]"#, &["no berth", "north"]),
            (
                r#"{"errors": ["no berth", "no crane" ] }"#,
                &["no berth", "no crane"],
            ),
            (
                r#"{"error":{"message":"crane \"north\" not found"}}"#,
                &["crane \"north\" not found"],
            ),
            (r#"{"error":"no berth"}"#, &["no berth"]),
            (
                r#""crane \"north\" not found","#,
                &["crane \"north\" not found"],
            ),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }

    #[test]
    fn other_json_stays_as_it_is() {
        for text in [
            r#"["north", "south"]"#,
            r#"["no berth", 7]"#,
            r#"["no berth", {"crane": "north"}]"#,
            r#"["no berth""#,
            r#"["no berth" "no crane"]"#,
            r#"["no berth"] and more"#,
            r#"{"error": "no berth", "code": 7}"#,
            r#"{"error": {"code": 7, "message": "no berth"}}"#,
            r#"{"error": "no berth"} and more"#,
            r#"{"code": 7}"#,
            r#""no berth" err="no crane""#,
            r#""no berth": "no crane""#,
            r#"{}"#,
            r#"[]"#,
            r#""""#,
            "no berth",
        ] {
            assert_eq!(read(text), [""; 0], "{text}");
        }
    }
}
