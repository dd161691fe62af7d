//! Sentences quoted in JSON that contains nothing else: an item of a list on a line of its own, a list of
//! strings, or either as the only member of an object: `{"errors": ["...", "..."]}`. Also a member on a line of its own
//! that holds what a program said (`"stderr": "..."`), and such members with escapes in the result of an Ansible task
//! (ansible/ansible `lib/ansible/plugins/callback/default.py`): `fatal: [node-1]: FAILED! => {"msg": "..."}`.

use super::json_members::{Member, Members, ValueKind, nested_end};
use super::payload::Payload;
use super::quote::{closing_quote, unquote_json};
use crate::input::Line;
use kwhy_model::Text;
use memchr::memmem;
use std::ops::Range;

/// The maximum number of sentences per line.
const MAX_SENTENCES: usize = 64;

/// The maximum number of nested objects around them.
const MAX_DEPTH: usize = 4;

/// Keys of members that hold what a program said, of results of tasks. `error` and `message` are any program's, whose own
/// record they are in.
const SAID: &[&str] = &[
    "exception",
    "module_stderr",
    "module_stdout",
    "msg",
    "stderr",
    "stderr_lines",
    "stdout",
    "stdout_lines",
];

/// Returns the sentences of a line, unquoted; empty if the line contains anything else.
pub(crate) fn sentences<'a>(line: Line<'a>) -> Vec<Text<'a>> {
    match line.text.as_bytes().first() {
        Some(b'"' | b'[' | b'{') => {}
        Some(b'f') => return of_task(line).unwrap_or_default(),
        _ => return Vec::new(),
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

/// What the result of a task quotes, as the insides of strings.
#[derive(Default)]
struct Said {
    texts: Vec<Range<usize>>,
    /// The values of members that only repeat others.
    repeated: Vec<Range<usize>>,
}

/// Returns the line of a failed task's result in pieces: what it quotes with escapes, without them, and what is between;
/// `None` for any other line.
fn of_task<'a>(line: Line<'a>) -> Option<Vec<Text<'a>>> {
    let text = line.text.trim_end();
    if !text.starts_with("fatal: [") && !text.starts_with("failed: [") {
        return None;
    }
    let open = memmem::find(text.as_bytes(), b" => {\"")? + 4;
    let mut said = Said::default();
    let end = add_said(text, open, true, &mut said)?;
    let escaped = |part: &Range<usize>| text.get(part.clone()).is_some_and(|it| it.contains('\\'));
    let texts = said.texts.into_iter().filter(escaped).map(|at| (at, true));
    let repeated = said.repeated.into_iter().map(|at| (at, false));
    let mut apart: Vec<_> = texts.take(MAX_SENTENCES).chain(repeated).collect();
    if end < text.len() || apart.is_empty() {
        return None;
    }
    apart.sort_by_key(|(at, _)| at.start);
    let payload = Payload::from_line(line);
    let mut pieces = Vec::new();
    let mut before = 0;
    for (at, is_text) in apart {
        pieces.push(payload.part(before..at.start));
        before = at.end;
        if is_text {
            pieces.push(unquote_json(&payload, at));
        }
    }
    pieces.push(payload.part(before..text.len()));
    Some(pieces)
}

/// Adds what an object quotes, and, in the outermost one, the results of each item; returns the offset after the object.
fn add_said(text: &str, open: usize, is_outer: bool, into: &mut Said) -> Option<usize> {
    let mut members = Members::new(text, open);
    let key = |member: &Member| text.get(member.key.clone()).unwrap_or("");
    let is_known = |member: &Member| SAID.contains(&key(member)) || key(member) == "results";
    let known = members.by_ref().filter(is_known);
    let all: Vec<_> = known.take(MAX_SENTENCES).collect();
    members.by_ref().for_each(drop);
    for member in &all {
        let value = member.value.clone();
        if value.is_empty() {
            continue;
        }
        // the same as a text and as a list of lines
        let is_repeated = key(member)
            .strip_suffix("_lines")
            .is_some_and(|of| all.iter().any(|member| key(member) == of));
        if is_repeated {
            into.repeated.push(value);
        } else if key(member) != "results" {
            match member.kind {
                ValueKind::String => into.texts.push(value),
                _ => into.texts.extend(strings(text, value).unwrap_or_default()),
            }
        } else if is_outer {
            let mut at = value.start + 1;
            while text.as_bytes().get(at) == Some(&b'{') {
                let end = add_said(text, at, false, into)?;
                let gap = text.get(end..)?;
                at = text.len() - gap.trim_start_matches([',', ' ']).len();
            }
        }
    }
    members.end()
}

/// Returns the inside of the value of a member that holds what a program said.
fn said(text: &str, key: &str, end: usize) -> Option<Range<usize>> {
    let value = text.get(key.len() + 2..end)?;
    let inside = value.strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let start = end - inside.len();
    (SAID.contains(&key) && closing_quote(text, start - 1)? + 1 == end).then_some(start..end - 1)
}

/// Returns the insides of the strings of which a part of a text consists; `None` if it contains anything else.
fn inside(text: &str, part: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut part = part;
    for _ in 0..MAX_DEPTH {
        match text.as_bytes().get(part.start)? {
            b'"' => {
                let close = closing_quote(text, part.start)?;
                let inside = part.start + 1..close;
                if close + 1 == part.end {
                    return Some(Vec::from([inside]));
                }
                let key = text.get(inside).filter(|_| part.start == 0)?;
                return said(text, key, part.end).map(|said| Vec::from([said]));
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
            (
                r#""stderr": "crane \"north\" not found","#,
                &["crane \"north\" not found"],
            ),
            (
                r#"fatal: [quay-1]: FAILED! => {"msg": "exit code 1", "stderr": "no \"north\"\nno berth", "stderr_lines": ["no \"north\"", "no berth"], "stdout": ""}"#,
                &[
                    r#"fatal: [quay-1]: FAILED! => {"msg": "exit code 1", "stderr": ""#,
                    "no \"north\"\nno berth",
                    r#"", "stderr_lines": "#,
                    r#", "stdout": ""}"#,
                ],
            ),
            (
                r#"failed: [quay-1] (item=north) => {"msg": "no items", "results": [{"item": "a", "msg": "no \"north\""}, {"rc": 0}]}"#,
                &[
                    r#"failed: [quay-1] (item=north) => {"msg": "no items", "results": [{"item": "a", "msg": ""#,
                    "no \"north\"",
                    r#""}, {"rc": 0}]}"#,
                ],
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
            r#""stderr": """#,
            r#""error": "no berth is there","#,
            r#""stderr": "north""#,
            r#""stderr": "no berth" and more"#,
            r#""berth": "no crane""#,
            r#"fatal: [quay-1]: FAILED! => {"msg": "no berth"#,
            r#"fatal: [quay-1]: FAILED! => {"rc": 1}"#,
            r#"fatal: [quay-1]: FAILED! => {"msg": "no berth"}"#,
            r#"fatal: no berth => {"msg": "no berth"}"#,
            r#"{}"#,
            r#"[]"#,
            r#""""#,
            "no berth",
        ] {
            assert_eq!(read(text), [""; 0], "{text}");
        }
    }
}
