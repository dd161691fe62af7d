//! The members of a JSON object as ranges of its text, without building a tree.
//!
//! Only the members of the outer object are parsed; nested values are skipped by counting brackets
//! outside strings, so nesting depth costs nothing. The walk ends at a truncation.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::payload::Payload;
use super::quote::{closing_quote, unquote_json};
use kwhy_model::{Field, Text, Written};

/// The kind of a member's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A string; the range is its inside.
    String,
    /// An object or a list, including its brackets.
    Nested,
    /// A number, `true`, `false` or `null`.
    Literal,
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The inside of the key's quotes.
    pub key: Range<usize>,
    pub value: Range<usize>,
    pub kind: ValueKind,
    /// True if the key contains escapes.
    pub escaped: bool,
}

impl Member {
    /// Returns the member as a field.
    pub(super) fn field<'a>(&self, payload: &Payload<'a>) -> Field<'a> {
        self.field_named(self.name(payload), payload)
    }

    /// Returns the member as a field with another name.
    pub(super) fn field_named<'a>(
        &self,
        key: impl Into<Cow<'a, str>>,
        payload: &Payload<'a>,
    ) -> Field<'a> {
        let written = match self.kind {
            ValueKind::String => Written::Text,
            ValueKind::Nested | ValueKind::Literal => Written::Unquoted,
        };
        Field::new(key, self.text(payload), written)
    }

    /// Returns the decoded key.
    pub(super) fn name<'a>(&self, payload: &Payload<'a>) -> Cow<'a, str> {
        let name = payload.name(self.key.clone());
        if !self.escaped {
            return name;
        }
        Cow::Owned(unquote_json(payload, self.key.clone()).as_str().to_owned())
    }

    /// Returns the value as text: strings decoded, anything else as written.
    pub(super) fn text<'a>(&self, payload: &Payload<'a>) -> Text<'a> {
        match self.kind {
            ValueKind::String => unquote_json(payload, self.value.clone()),
            ValueKind::Nested | ValueKind::Literal => payload.part(self.value.clone()),
        }
    }
}

/// An iterator over the members of the object that opens at an offset.
pub(super) struct Members<'t> {
    text: &'t str,
    at: usize,
    closed: Option<usize>,
    started: bool,
    /// The key whose value is being parsed, and whether it contains escapes.
    open: Option<(Range<usize>, bool)>,
}

impl<'t> Members<'t> {
    /// Creates an iterator; `open` is the offset of the object's `{`.
    pub(super) fn new(text: &'t str, open: usize) -> Self {
        Members {
            text,
            at: open + 1,
            closed: None,
            started: false,
            open: None,
        }
    }

    /// Returns the offset after the closing bracket, once the walk has reached it.
    pub(super) fn end(&self) -> Option<usize> {
        self.closed
    }

    /// Returns true if the text ended within the object.
    pub(super) fn is_cut(&self) -> bool {
        self.closed.is_none()
            && match self.byte() {
                None => true,
                Some(b'"') => closing_quote(self.text, self.at).is_none(),
                Some(b'{' | b'[') => nested_end(self.text, self.at).is_none(),
                Some(_) => false,
            }
    }

    /// Returns the truncated string, once the walk has reached it.
    pub(super) fn cut_string(&self) -> Option<Member> {
        let (key, escaped) = self.open.clone()?;
        let is_string = self.byte() == Some(b'"') && self.is_cut();
        is_string.then(|| Member {
            key,
            value: self.at + 1..self.text.len(),
            kind: ValueKind::String,
            escaped,
        })
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn spaces(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Option<Range<usize>> {
        if self.byte() != Some(b'"') {
            return None;
        }
        let close = closing_quote(self.text, self.at)?;
        let inside = self.at + 1..close;
        self.at = close + 1;
        Some(inside)
    }

    /// Parses a key; also returns whether it contains escapes. Keys are too short for a search to
    /// pay off.
    fn key(&mut self) -> Option<(Range<usize>, bool)> {
        if self.byte() != Some(b'"') {
            return None;
        }
        let start = self.at + 1;
        let inside = self.text.as_bytes().get(start..)?;
        let length = inside
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\'))?;
        if inside.get(length) == Some(&b'"') {
            self.at = start + length + 1;
            return Some((start..start + length, false));
        }
        Some((self.string()?, true))
    }

    fn value(&mut self) -> Option<(Range<usize>, ValueKind)> {
        let start = self.at;
        match self.byte()? {
            b'"' => Some((self.string()?, ValueKind::String)),
            b'{' | b'[' => {
                self.at = nested_end(self.text, start)?;
                Some((start..self.at, ValueKind::Nested))
            }
            _ => {
                while self.byte().is_some_and(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
                }) {
                    self.at += 1;
                }
                (self.at > start).then_some((start..self.at, ValueKind::Literal))
            }
        }
    }
}

impl Iterator for Members<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        if self.closed.is_some() {
            return None;
        }
        self.spaces();
        if self.byte() == Some(b'}') {
            self.closed = Some(self.at + 1);
            return None;
        }
        if self.started {
            if self.byte() != Some(b',') {
                return None;
            }
            self.at += 1;
            self.spaces();
        }
        self.started = true;
        let (key, escaped) = self.key()?;
        self.spaces();
        if self.byte() != Some(b':') {
            return None;
        }
        self.at += 1;
        self.spaces();
        self.open = Some((key.clone(), escaped));
        let (value, kind) = self.value()?;
        self.open = None;
        Some(Member {
            key,
            value,
            kind,
            escaped,
        })
    }
}

/// Returns the offset after the bracket that closes the one at `open`.
pub(super) fn nested_end(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = open;
    loop {
        match bytes.get(at)? {
            b'"' => at = closing_quote(text, at)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the undecoded value of a string member of a small object such as `{"name":"web-0"}`.
pub(super) fn string_member<'t>(object: &'t str, name: &str) -> Option<&'t str> {
    let open = memchr(b'{', object.as_bytes())?;
    Members::new(object, open)
        .find(|member| {
            member.kind == ValueKind::String && object.get(member.key.clone()) == Some(name)
        })
        .and_then(|member| object.get(member.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(text: &str) -> (Vec<(&str, &str)>, Option<usize>) {
        let mut members = Members::new(text, 0);
        let found = members
            .by_ref()
            .map(|member| (&text[member.key], &text[member.value]))
            .collect();
        (found, members.end())
    }

    #[test]
    fn outer_members_only() {
        let text = r#"{"a":"x\"}", "b": {"c":["}"]},"d":-1.5e+3,"e":null} rest"#;
        let (found, end) = walk(text);
        assert_eq!(
            found,
            [
                ("a", r#"x\"}"#),
                ("b", r#"{"c":["}"]}"#),
                ("d", "-1.5e+3"),
                ("e", "null")
            ]
        );
        assert_eq!(&text[end.unwrap()..], " rest");
    }

    #[test]
    fn truncation_ends_the_walk() {
        assert_eq!(walk(r#"{"a":1,"b":"cut"#), (vec![("a", "1")], None));
        assert_eq!(walk(r#"{"a" 1}"#), (vec![], None));
        assert_eq!(walk("{}"), (vec![], Some(2)));
        assert_eq!(walk("{"), (vec![], None));
    }
}
