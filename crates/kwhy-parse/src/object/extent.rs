//! The extent of an output of objects: by indentation in YAML, by brackets in JSON.

use super::recognise::{
    Ahead, begins, is_ellipsis, is_head_key, json_key, key_length, without_mark,
};
use super::spread::spread;
use crate::input::Line;
use kwhy_model::Format;

/// Words before a colon that start a message and are not keys.
const MESSAGE_WORDS: &[&str] = &[
    "debug", "error", "fatal", "help", "hint", "http", "https", "info", "note", "panic", "tip",
    "trace", "usage", "warning",
];

/// Tracks which lines belong to an output of objects.
#[derive(Clone, Debug)]
pub(crate) struct ObjectExtent {
    format: Format,
    /// The smallest indentation of its lines.
    base: usize,
    /// The number of open brackets, if the first line starts with one.
    open: Option<i64>,
    /// The indentation of the key whose block scalar is open.
    text: Option<usize>,
}

impl ObjectExtent {
    /// Starts with the first line of an object.
    pub fn new(format: Format, line: &Line<'_>) -> ObjectExtent {
        let mut run = ObjectExtent {
            format,
            base: line.indent(),
            open: line.text.trim_start().starts_with(['{', '[']).then_some(0),
            text: None,
        };
        run.see(line);
        run
    }

    /// Returns true if a line belongs to the output; `rest` are the lines after it. `foreign` returns true if it
    /// would start something else.
    pub fn takes(
        &mut self,
        line: &Line<'_>,
        rest: &Ahead<'_, '_>,
        blank_lines: usize,
        foreign: impl Fn() -> bool,
    ) -> bool {
        let takes = match self.format {
            Format::ObjectJson => self.takes_json(line, rest, blank_lines, foreign),
            _ => self.takes_yaml(line, rest, blank_lines, foreign),
        };
        if takes {
            self.base = self.base.min(line.indent());
            self.see(line);
        }
        takes
    }

    /// Returns the number of lines after the last accepted one that certainly belong to the output: the rest of a
    /// pretty-printed value. `text` starts with that last line.
    pub fn takes_on(&mut self, text: &str) -> usize {
        if self.format != Format::ObjectJson || self.open.is_some_and(|open| open < 1) {
            return 0;
        }
        let Some(spread) = spread(text.as_bytes()) else {
            return 0;
        };
        // the bracket of the first line was counted already
        self.open = self.open.map(|open| open - 1 + spread.open);
        spread.lines - 1
    }

    /// Updates the state with what a line opens.
    fn see(&mut self, line: &Line<'_>) {
        let text = line.text.trim_end();
        if self.format == Format::ObjectJson {
            // brackets in a line of another program open nothing
            if line.indent() > 0 || is_json(text) {
                self.open = self.open.map(|open| open + opened(text));
            }
            return;
        }
        if self.text.is_some_and(|indent| line.indent() > indent) {
            return;
        }
        // a block scalar's indicator has at most three bytes
        let mut end = text.bytes().rev().take(3);
        let mark = match end.any(|byte| matches!(byte, b'|' | b'>')) {
            true => text.rsplit([' ', ':']).next().unwrap_or(""),
            false => "",
        };
        let opens = mark.starts_with(['|', '>'])
            && mark.len() <= 3
            && mark
                .bytes()
                .skip(1)
                .all(|b| matches!(b, b'-' | b'+' | b'1'..=b'9'));
        self.text = opens.then(|| line.indent());
    }

    fn takes_yaml(
        &self,
        line: &Line<'_>,
        rest: &Ahead<'_, '_>,
        blank_lines: usize,
        foreign: impl Fn() -> bool,
    ) -> bool {
        if line.indent() > self.base {
            return blank_lines == 0 || self.text.is_some() || !foreign();
        }
        if foreign() {
            return false;
        }
        let bare = line.text.trim();
        match begins(line, rest) {
            Some(Format::ObjectYaml) => return true,
            Some(_) => return false,
            None if bare == "---" => return true,
            None => {}
        }
        let field = key_and_value(without_mark(bare));
        if blank_lines > 0 {
            // objects rarely contain blank lines
            return blank_lines == 1
                && line.indent() == self.base
                && field.is_some_and(|(key, _)| is_head_key(key));
        }
        field.is_some_and(|(key, value)| is_object_key(key, value))
            || matches!(bare, "..." | "-")
            || is_ellipsis(bare)
            || bare.starts_with(['#'])
            || bare.starts_with("- ")
            || self.is_broken(rest)
    }

    /// Returns true if the object continues after a line that does not fit.
    fn is_broken(&self, rest: &Ahead<'_, '_>) -> bool {
        rest.first().is_some_and(|next| {
            let bare = without_mark(next.text.trim_start());
            next.indent() > self.base
                && key_length(bare).is_some_and(|end| is_field(bare.get(..end).unwrap_or("")))
        })
    }

    fn takes_json(
        &self,
        line: &Line<'_>,
        rest: &Ahead<'_, '_>,
        blank_lines: usize,
        foreign: impl Fn() -> bool,
    ) -> bool {
        let bare = line.text.trim();
        // the API server prints an empty object as brackets around an empty line
        if blank_lines > 0 && self.open.is_some_and(|open| open > 0) && is_json(bare) {
            return !foreign();
        }
        // after the last bracket, the end of a list whose start was cut off may follow
        if self.open.is_some_and(|open| open <= 0) || blank_lines > 0 {
            return begins(line, rest) == Some(Format::ObjectJson)
                || (blank_lines == 0
                    && (json_key(bare).is_some() || matches!(bare, "," | "]" | "}" | "],")));
        }
        let continues = |next: Line<'_>| next.indent() > self.base && is_json(next.text.trim());
        let is_amid = self.open.is_some() && rest.first().is_some_and(continues);
        let other = || foreign() || begins(line, rest) == Some(Format::ObjectYaml);
        if line.indent() <= self.base && !is_amid && other() {
            return false;
        }
        is_json(bare) || is_ellipsis(bare) || rest.first().is_some_and(continues)
    }
}

/// Returns the number of brackets that a line of JSON opens minus those that it closes.
fn opened(text: &str) -> i64 {
    let mut open = 0;
    let mut in_string = false;
    let mut escaped = false;
    for b in text.bytes() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => open += 1,
            b'}' | b']' if !in_string => open -= 1,
            _ => {}
        }
    }
    open
}

/// Returns true if a line may be one of pretty-printed JSON, judging by its start.
pub(super) fn is_json(bare: &str) -> bool {
    match bare.as_bytes().first() {
        Some(b'"') => json_key(bare).is_some() || bare.ends_with(['"', ',']),
        Some(b'{' | b'}' | b'[' | b']' | b',') => true,
        Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
            let word = bare.trim_end_matches(',');
            matches!(word, "true" | "false" | "null")
                || word
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b"-+.eE".contains(&b))
        }
        _ => false,
    }
}

/// Splits a line of YAML into its key and value.
fn key_and_value(bare: &str) -> Option<(&str, &str)> {
    let end = key_length(bare)?;
    Some((bare.get(..end)?, bare.get(end + 1..)?.trim()))
}

/// Returns the key at the start of a top-level line, if it may belong to a Kubernetes object.
pub(super) fn object_key(bare: &str) -> Option<&str> {
    let (key, value) = key_and_value(bare)?;
    is_object_key(key, value).then_some(key)
}

/// Returns true if a top-level key may belong to a Kubernetes object: it is in lower camel case and not a word
/// that starts a message.
fn is_object_key(key: &str, value: &str) -> bool {
    is_field(key) && (!MESSAGE_WORDS.contains(&key) || (key == "note" && value.is_empty()))
}

fn is_field(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '"' | '\'' | '.'))
        || key.contains(['.', '/', '-', '_'])
        || key
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}
