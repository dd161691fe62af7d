//! Raw data of a ConfigMap or Secret, outside the regular layout.
//!
//! kubernetes/kubectl `pkg/describe/describe.go`, `ConfigMapDescriber` and `SecretDescriber`
//! (releases 1.8 to 1.36): a title, a rule of `====`; then `key:`, `----` and the value verbatim,
//! followed by an empty line since 1.31; or `key: N bytes`.

use super::layout::{Entry, is_absent, trimmed};
use super::values::{joined, number, scalar, trim_end, words};
use crate::input::Line;
use kwhy_model::{Map, Value};

/// The maximum number of values per object; further lines are not understood.
const MAX_VALUES: usize = 1000;

/// Splits off the raw data; returns the lines before it and the data.
pub(super) fn split<'l, 'a>(lines: &'l [Line<'a>]) -> (&'l [Line<'a>], &'l [Line<'a>]) {
    let title = lines
        .windows(2)
        .position(|pair| matches!(pair, [title, rule] if is_title(*title, *rule)));
    lines.split_at(title.unwrap_or(lines.len()))
}

fn is_title(line: Line<'_>, next: Line<'_>) -> bool {
    matches!(line.text.trim(), "Data" | "BinaryData") && is_rule(next.text, '=')
}

fn is_rule(text: &str, of: char) -> bool {
    let text = text.trim();
    text.len() >= 4 && text.chars().all(|c| c == of)
}

/// Splits at the object's events. A value may contain any text, so the last line that can be the
/// title of the events decides.
pub(super) fn split_at_events<'l, 'a>(lines: &'l [Line<'a>]) -> (&'l [Line<'a>], &'l [Line<'a>]) {
    let base = lines.first().map_or(0, Line::indent);
    let title = lines.iter().rposition(|line| {
        let entry = Entry::new(*line);
        line.indent() <= base
            && entry.key_text() == "Events"
            && (entry.value.text.is_empty() || is_absent(entry.value.text))
    });
    lines.split_at(title.unwrap_or(lines.len()))
}

/// Adds the values, or their sizes in bytes. Lines before the first key are not understood.
pub(super) fn add<'a>(
    map: &mut Map<'a>,
    kind: &str,
    lines: &[Line<'a>],
    not_understood: &mut Vec<u64>,
) {
    let (mut data, mut bytes, mut binary) = (Map::new(), Map::new(), Map::new());
    let mut is_binary = false;
    let mut open: Option<(&'a str, Vec<Line<'a>>)> = None;
    let mut skip = false;
    for (index, line) in lines.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let next = lines.get(index + 1);
        // a value may contain such a title
        let binary_next = line.text.trim() == "BinaryData";
        if (index == 0 || (binary_next && !is_binary))
            && next.is_some_and(|next| is_title(*line, *next))
        {
            close(&mut data, &mut open);
            is_binary = binary_next;
            skip = true;
            continue;
        }
        let text = trimmed(*line);
        let key = text.text.strip_suffix(':').filter(|key| is_key(key));
        if let Some(key) = key
            && next.is_some_and(|next| is_rule(next.text, '-'))
            && data.len() < MAX_VALUES
        {
            close(&mut data, &mut open);
            open = Some((key, Vec::new()));
            skip = true;
            continue;
        }
        if is_binary || kind == "Secret" {
            let counts = if is_binary { &mut binary } else { &mut bytes };
            if counts.len() < MAX_VALUES
                && let Some((key, count)) = byte_count(text)
            {
                counts.insert(key, count);
                continue;
            }
            let entry = Entry::new(*line);
            if let Some(key) = entry.key.filter(|key| is_key(key.text)) {
                // a service account's token is printed in full
                if key.text == "token"
                    && let Some(token) = scalar(entry.value)
                {
                    map.insert("token", token);
                }
                continue;
            }
        }
        match &mut open {
            Some((_, lines)) => lines.push(trim_end(*line)),
            None if line.is_blank() => {}
            None => not_understood.push(line.number),
        }
    }
    close(&mut data, &mut open);
    for (name, part) in [
        ("data", data),
        ("data_bytes", bytes),
        ("binary_bytes", binary),
    ] {
        if !part.is_empty() {
            map.insert(name, Value::Map(part));
        }
    }
}

fn close<'a>(data: &mut Map<'a>, open: &mut Option<(&'a str, Vec<Line<'a>>)>) {
    if let Some((key, lines)) = open.take() {
        let text = joined(lines.into_iter()).unwrap_or_default();
        data.insert(key, Value::Text(text));
    }
}

/// Parses `KEY:  N bytes`.
fn byte_count(line: Line<'_>) -> Option<(&str, Value<'_>)> {
    let entry = Entry::new(line);
    let key = entry.key.filter(|key| is_key(key.text))?;
    let mut words = words(entry.value);
    let count = number(words.next()?)?;
    (words.next()?.text == "bytes" && words.next().is_none()).then_some((key.text, count))
}

/// Returns true if the text can be the name of a value.
fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
}
