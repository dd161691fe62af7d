//! Finds the data of Secrets in YAML and JSON.

use memchr::memmem;

use super::quote::Quote;
use kwhy_model::Span;

/// The maximum nesting depth of objects.
const MAX_DEPTH: usize = 512;

/// Returns true if a YAML value is the indicator of a block scalar.
pub(super) fn begins_block(value: &str) -> bool {
    value.starts_with(['|', '>'])
        && value.len() <= 3
        && value
            .bytes()
            .skip(1)
            .all(|byte| matches!(byte, b'-' | b'+' | b'1'..=b'9'))
}

/// Returns the lines of a text from an offset on, each with its own offset.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text.get(from..)
        .unwrap_or("")
        .split_inclusive('\n')
        .map(move |line| {
            let start = at;
            at += line.len();
            (start, line.trim_end_matches(['\n', '\r']))
        })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn push_trimmed(start: usize, line: &str, found: &mut Vec<Span>) {
    let spaces = line.len() - line.trim_start().len();
    found.push(start + spaces..start + spaces + line.trim().len());
}

/// Records the lines of a block scalar; `end` is the end of the key's line, `key` the key's column.
pub(super) fn block(text: &str, end: usize, key: usize, found: &mut Vec<Span>) {
    for (start, line) in lines(text, (end + 1).min(text.len())) {
        if !line.trim().is_empty() && indent(line) <= key {
            break;
        }
        push_trimmed(start, line, found);
    }
}

/// Records all values of the data of Secrets.
pub(super) fn data(text: &str, found: &mut Vec<Span>) {
    if memmem::find(text.as_bytes(), b"ata").is_none() {
        return;
    }
    yaml(text, found);
    if memmem::find(text.as_bytes(), b"ata\"").is_some()
        || memmem::find(text.as_bytes(), b"ata\\").is_some()
    {
        Json::default().read(text, found);
    }
}

/// Returns the key of a line of YAML, its column, and true if it starts an item.
fn key(line: &str) -> Option<(&str, usize, bool)> {
    let own = indent(line);
    let bare = line.trim_start_matches(' ');
    let (bare, column, is_item) = match bare.strip_prefix("- ") {
        Some(rest) => {
            let rest_bare = rest.trim_start_matches(' ');
            (rest_bare, own + 2 + rest.len() - rest_bare.len(), true)
        }
        None => (bare, own, false),
    };
    let (key, _) = bare.split_once(':')?;
    Some((key.trim_matches(['"', '\'']), column, is_item))
}

fn is_secret(line: &str) -> bool {
    let bare = line.trim().trim_start_matches("- ").trim_start();
    let value = bare
        .strip_prefix("kind:")
        .map(|value| value.trim().trim_matches(['"', '\'']));
    value == Some("Secret")
}

fn yaml(text: &str, found: &mut Vec<Span>) {
    let mut all: Option<Vec<(usize, &str)>> = None;
    // the end of the last object
    let mut done = 0;
    for at in memmem::find_iter(text.as_bytes(), b"kind:") {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let line = text
            .get(start..)
            .and_then(|rest| rest.lines().next())
            .unwrap_or("");
        if start < done || !is_secret(line) {
            continue;
        }
        let all = all.get_or_insert_with(|| lines(text, 0).collect());
        let number = all.partition_point(|(begin, _)| *begin < start);
        let Some((_, column, is_first)) = key(line) else {
            continue;
        };
        // the first key of the same map
        let mut from = number;
        let mut is_top = is_first;
        while let Some(before) = from.checked_sub(1).filter(|_| !is_top) {
            let (_, line) = all[before];
            if line.starts_with("---") {
                break;
            }
            match key(line) {
                Some((_, own, is_item)) if own == column && is_item => is_top = true,
                _ if !line.trim().is_empty() && indent(line) < column => break,
                _ => {}
            }
            from = before;
        }
        let rest = all.get(from..).unwrap_or_default();
        let mut is_data = false;
        // the column of the key whose block scalar is open
        let mut in_block: Option<usize> = None;
        for (number, (start, line)) in rest.iter().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let own = indent(line);
            if number > 0 && (own < column || line.starts_with("---")) {
                break;
            }
            done = start + line.len();
            match key(line) {
                Some((key, at, _)) if at == column => {
                    is_data = matches!(key, "data" | "stringData");
                    in_block = None;
                    // a flow map on the same line
                    if is_data && let Some(flow) = line.find('{') {
                        push_trimmed(start + flow, &line[flow..], found);
                    }
                    continue;
                }
                _ if !is_data => continue,
                _ => {}
            }
            if in_block.is_some_and(|key| own > key) {
                push_trimmed(*start, line, found);
                continue;
            }
            in_block = None;
            let value = line
                .find(": ")
                .map(|colon| colon + 2)
                .or(line.ends_with(':').then_some(line.len()));
            match value {
                Some(value)
                    if begins_block(line[value..].trim()) || line[value..].trim().is_empty() =>
                {
                    in_block = Some(own);
                }
                Some(value) => push_trimmed(start + value, &line[value..], found),
                // a continuation of the previous line
                None => push_trimmed(*start, line, found),
            }
        }
    }
}

/// An open JSON object.
#[derive(Debug, Default)]
struct Open {
    key: Option<Span>,
    /// True if its kind is Secret; `None` if it has none, as in items of a list.
    is_secret: Option<bool>,
    /// True if its type is one that Secrets have.
    has_type: bool,
    /// The values of its data.
    data: Vec<Span>,
    /// True if it is the data of the enclosing object.
    is_data: bool,
}

fn is_type(text: &str) -> bool {
    text == "Opaque"
        || ["kubernetes.io/", "bootstrap.kubernetes.io/", "helm.sh/"]
            .iter()
            .any(|start| text.starts_with(start))
}

/// Searches JSON anywhere in a text for Secrets.
#[derive(Debug, Default)]
struct Json {
    open: Vec<Open>,
    /// The number of open brackets beyond the maximum depth.
    deeper: usize,
}

impl Json {
    fn read(mut self, text: &str, found: &mut Vec<Span>) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'{' if self.open.len() >= MAX_DEPTH => self.deeper += 1,
                b'{' => {
                    let key = self
                        .open
                        .last()
                        .and_then(|open| text.get(open.key.clone()?));
                    let is_data = matches!(key, Some("data" | "stringData"));
                    self.open.push(Open {
                        is_data,
                        ..Open::default()
                    });
                }
                b'}' if self.deeper > 0 => self.deeper -= 1,
                b'}' => self.close(found),
                b'"' => {
                    let quote = Quote::at(bytes, at);
                    let end = quote.map_or(at + 1, |quote| quote.end(bytes, at + 1));
                    self.string(text, at + 1..end, found);
                    at = end;
                }
                b',' => {
                    if let Some(open) = self.open.last_mut() {
                        open.key = None;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        while !self.open.is_empty() {
            self.close(found);
        }
    }

    fn string(&mut self, text: &str, span: Span, found: &mut Vec<Span>) {
        let string = text.get(span.clone()).unwrap_or("");
        // an object in a string, such as the last applied configuration
        let holds = |word: &str| memmem::find(string.as_bytes(), word.as_bytes()).is_some();
        if holds("\\\"Secret\\\"") && (holds("\\\"data\\\"") || holds("\\\"stringData\\\"")) {
            found.push(span.clone());
        }
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let after = text.get(span.end + 1..).unwrap_or("").trim_start();
        if after.starts_with(':') {
            open.key = Some(span);
            return;
        }
        if open.is_data {
            open.data.push(span);
            return;
        }
        match open.key.clone().and_then(|key| text.get(key)) {
            Some("kind") => open.is_secret = Some(string == "Secret"),
            Some("type") => open.has_type = is_type(string),
            _ => {}
        }
    }

    fn close(&mut self, found: &mut Vec<Span>) {
        let Some(open) = self.open.pop() else {
            return;
        };
        if open.is_data {
            if let Some(outer) = self.open.last_mut() {
                outer.data.extend(open.data);
            }
        } else if open.is_secret.unwrap_or(open.has_type) {
            found.extend(open.data);
        }
    }
}
