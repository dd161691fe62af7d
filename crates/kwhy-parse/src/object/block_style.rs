//! A fast reader for YAML in block style, as Kubernetes tools print it: one key or item per line, with its scalar.
//!
//! Nearly all YAML from kubectl, the API server's dumps and controllers has this style (sigs.k8s.io/yaml on go-yaml 2
//! and 3). A block with anything else (anchors, tags, non-empty flow style, multi-line scalars other than `|` and `|-`,
//! odd indentation) is rejected as a whole and parsed by the complete reader ([`super::yaml`]). Both yield the same
//! values with the same spans.

use std::borrow::Cow;

use super::scalar;
use super::source::Row;
use kwhy_model::{Map, Text, TextBuilder, Value};

/// The maximum nesting depth; Kubernetes' own objects nest about 20 levels deep.
const MAX_DEPTH: usize = 48;

/// The limits of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The maximum nesting depth of maps and lists.
    pub depth: usize,
    /// The maximum number of scalars.
    pub nodes: usize,
}

/// Parses a block of lines; `None` if it is not entirely in block style or exceeds the limits.
pub(super) fn read<'a>(rows: &[Row<'a>], bounds: Bounds) -> Option<Vec<Value<'a>>> {
    let mut reader = Reader {
        row: None,
        rest: rows.iter(),
        nodes: bounds.nodes,
        depth: bounds.depth.min(MAX_DEPTH),
    };
    reader.advance()?;
    let Some(column) = reader.column() else {
        return Some(Vec::new());
    };
    let root = reader.block(column, 0)?;
    reader.row.is_none().then(|| vec![root])
}

/// The rest of a line at a column.
#[derive(Clone, Copy)]
struct Rest<'a> {
    column: usize,
    text: &'a str,
    /// The offset of the text in the document.
    start: usize,
}

impl<'a> Rest<'a> {
    /// Returns a row without indentation and trailing spaces; `None` if it contains control characters.
    fn of(row: &Row<'a>) -> Option<Rest<'a>> {
        let bytes = row.line.text.as_bytes();
        let spaces = bytes.iter().take_while(|byte| **byte == b' ').count();
        let is_plain = bytes.iter().all(|byte| *byte >= b' ' && *byte != 0x7f);
        is_plain.then(|| Rest {
            column: row.pad + spaces,
            text: row.line.text[spaces..].trim_end_matches(' '),
            start: row.line.start + spaces,
        })
    }

    /// Returns the rest without its first bytes and the spaces after them.
    fn skip(self, bytes: usize) -> Rest<'a> {
        let text = &self.text[bytes..];
        let spaces = text.bytes().take_while(|byte| *byte == b' ').count();
        Rest {
            column: self.column + bytes + spaces,
            text: &text[spaces..],
            start: self.start + bytes + spaces,
        }
    }

    fn is_item(&self) -> bool {
        self.text == "-" || self.text.starts_with("- ")
    }

    /// Parses the key at the start; also returns the text after the colon.
    fn key(self) -> Option<(&'a str, Rest<'a>)> {
        let bytes = self.text.as_bytes();
        let (name, end) = match bytes.first()? {
            quote @ (b'"' | b'\'') => {
                let length = bytes[1..].iter().position(|byte| byte == quote)?;
                let name = &self.text[1..1 + length];
                (!name.contains('\\')).then_some((name, length + 2))?
            }
            first if is_of_key(*first) && *first != b'-' => {
                let end = bytes.iter().position(|byte| !is_of_key(*byte))?;
                (&self.text[..end], end)
            }
            _ => return None,
        };
        let is_key =
            bytes.get(end) == Some(&b':') && matches!(bytes.get(end + 1), None | Some(b' '));
        is_key.then(|| (name, self.skip(end + 1)))
    }
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

struct Reader<'r, 'a> {
    /// The unread part of the current row; `None` at the end.
    row: Option<Rest<'a>>,
    rest: std::slice::Iter<'r, Row<'a>>,
    /// The number of further scalars allowed.
    nodes: usize,
    depth: usize,
}

impl<'a> Reader<'_, 'a> {
    /// Advances to the next row that is neither empty nor a comment; `None` if a row is not in block style.
    fn advance(&mut self) -> Option<()> {
        self.row = None;
        for row in self.rest.by_ref() {
            let rest = Rest::of(row)?;
            if !rest.text.is_empty() && !rest.text.starts_with('#') {
                self.row = Some(rest);
                break;
            }
        }
        Some(())
    }

    fn column(&self) -> Option<usize> {
        self.row.map(|row| row.column)
    }

    fn count(&mut self) -> Option<()> {
        self.nodes = self.nodes.checked_sub(1)?;
        Some(())
    }

    /// Parses the map or list that starts at the current row.
    fn block(&mut self, column: usize, depth: usize) -> Option<Value<'a>> {
        if depth >= self.depth {
            return None;
        }
        match self.row?.is_item() {
            true => self.list(column, depth),
            false => self.map(column, depth),
        }
    }

    fn map(&mut self, column: usize, depth: usize) -> Option<Value<'a>> {
        let mut entries: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
        while let Some(row) = self.row.filter(|row| row.column >= column) {
            if row.column > column || row.is_item() {
                return None;
            }
            let (name, rest) = row.key()?;
            self.count()?;
            let value = if rest.text.is_empty() {
                self.advance()?;
                match self.row {
                    Some(next) if next.column > column => Some(self.block(next.column, depth + 1)?),
                    // the items of a key's list may have the indentation of the key
                    Some(next) if next.column == column && next.is_item() => {
                        (depth + 1 < self.depth).then_some(())?;
                        Some(self.list(column, depth + 1)?)
                    }
                    _ => {
                        self.count()?;
                        None
                    }
                }
            } else {
                self.scalar(rest, column)?
            };
            entries.extend(value.map(|value| (Cow::Borrowed(name), value)));
        }
        Some(Value::Map(entries.into_iter().collect::<Map<'a>>()))
    }

    fn list(&mut self, column: usize, depth: usize) -> Option<Value<'a>> {
        let mut items = Vec::new();
        while let Some(row) = self.row.filter(|row| row.column >= column) {
            if row.column > column {
                return None;
            }
            if !row.is_item() {
                break;
            }
            let inner = row.skip(1);
            let value = if inner.text.is_empty() {
                self.advance()?;
                match self.column().filter(|next| *next > column) {
                    Some(next) => Some(self.block(next, depth + 1)?),
                    None => {
                        self.count()?;
                        None
                    }
                }
            } else if inner.is_item() || inner.key().is_some() {
                self.row = Some(inner);
                Some(self.block(inner.column, depth + 1)?)
            } else {
                self.scalar(inner, column)?
            };
            items.extend(value);
        }
        Some(Value::List(items))
    }

    /// Parses the scalar of an entry at a column. The outer `None` means another style, the inner one a null.
    fn scalar(&mut self, rest: Rest<'a>, column: usize) -> Option<Option<Value<'a>>> {
        self.count()?;
        let first = *rest.text.as_bytes().first()?;
        let span = || rest.start..rest.start + rest.text.len();
        let value = match first {
            b'|' => return Some(Some(Value::Text(self.literal(rest.text, column)?))),
            b'\'' => Some(Value::Text(single_quoted(rest)?)),
            b'"' => Some(Value::Text(double_quoted(rest)?)),
            b'{' | b'[' => {
                // an empty collection does not count as a scalar
                self.nodes += 1;
                match rest.text {
                    "{}" => Some(Value::Map(Map::new())),
                    "[]" => Some(Value::List(Vec::new())),
                    _ => return None,
                }
            }
            _ if !is_plain(rest.text) => return None,
            _ => match scalar::word_or_number(rest.text, span) {
                Some(value) => value,
                None => Some(Value::Text(Text::borrowed(rest.text, rest.start))),
            },
        };
        self.advance()?;
        // a deeper next line would continue the scalar
        let continues = self.column().is_some_and(|next| next > column);
        (!continues).then_some(value)
    }

    /// Parses the lines that follow `|` or `|-`.
    fn literal(&mut self, mark: &str, column: usize) -> Option<Text<'a>> {
        let is_stripped = match mark {
            "|" => false,
            "|-" => true,
            _ => return None,
        };
        let mut builder = TextBuilder::new();
        let mut indent = None;
        // line ends that are dropped or kept once if no text follows
        let mut ends: Vec<(usize, usize)> = Vec::new();
        self.row = None;
        let mut rows = self.rest.clone();
        while let Some(row) = rows.next() {
            let text = row.line.text;
            let spaces = text.bytes().take_while(|byte| *byte == b' ').count();
            let is_blank = spaces == text.len();
            if row.pad > 0 {
                return None;
            }
            if !is_blank && spaces <= column {
                break;
            }
            if is_blank && spaces > indent.unwrap_or(0) {
                return None;
            }
            let strange = |byte: u8| (byte < b' ' && byte != b'\t') || byte == 0x7f;
            if text.bytes().any(strange) {
                return None;
            }
            if !is_blank {
                let indent = *indent.get_or_insert(spaces);
                // the complete reader would treat a leading `|` as the indicator
                if spaces < indent || builder.is_empty() && text[indent..].starts_with('|') {
                    return None;
                }
                for (end, next) in ends.drain(..) {
                    builder.push_decoded("\n", end..next);
                }
                builder.push(&text[indent..], row.line.start + indent);
            } else if indent.is_none() {
                return None;
            }
            let end = row.line.start + text.len();
            let next = rows.as_slice().first().map_or(end, |next| next.line.start);
            ends.push((end, next.max(end)));
            self.rest = rows.clone();
        }
        indent?;
        if let Some((end, next)) = ends.first().filter(|_| !is_stripped) {
            builder.push_decoded("\n", *end..*next);
        }
        self.advance()?;
        let ends = self.column().is_none_or(|next| next <= column);
        ends.then(|| builder.finish())
    }
}

/// Returns true if a text is an unquoted scalar.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = match bytes {
        [] => false,
        [b'-', next, ..] => next.is_ascii_alphanumeric(),
        [first, ..] => !b"-?:,[]{}#&*!|>'\"%@`".contains(first),
    };
    starts && {
        let mut pairs = bytes.windows(2);
        bytes.last() != Some(&b':') && !pairs.any(|pair| pair == b": " || pair == b" #")
    }
}

/// Returns the text between quotes that enclose all of the rest, and its offset.
fn quoted(rest: Rest<'_>, quote: char) -> Option<(&str, usize)> {
    let inner = rest.text.strip_prefix(quote)?.strip_suffix(quote)?;
    Some((inner, rest.start + 1))
}

fn single_quoted(rest: Rest<'_>) -> Option<Text<'_>> {
    let (inner, start) = quoted(rest, '\'')?;
    if !inner.contains('\'') {
        return Some(Text::borrowed(inner, start));
    }
    // a quote inside is doubled
    let quotes = inner.split(|c| c != '\'').filter(|run| !run.is_empty());
    let are_pairs = quotes.into_iter().all(|run| run.len() % 2 == 0);
    are_pairs.then(|| {
        let mut builder = TextBuilder::new();
        scalar::single_quoted(&mut builder, inner, &|at| start + at);
        builder.finish()
    })
}

fn double_quoted(rest: Rest<'_>) -> Option<Text<'_>> {
    let (inner, start) = quoted(rest, '"')?;
    if !inner.contains(['"', '\\']) {
        return Some(Text::borrowed(inner, start));
    }
    let mut escaped = false;
    for byte in inner.bytes() {
        match (escaped, byte) {
            (true, b'"' | b'\\' | b'n' | b't' | b'r' | b'/') => escaped = false,
            (true, _) | (false, b'"') => return None,
            (false, _) => escaped = byte == b'\\',
        }
    }
    (!escaped).then(|| {
        let mut builder = TextBuilder::new();
        scalar::double_quoted(&mut builder, inner, &|at| start + at);
        builder.finish()
    })
}

#[cfg(test)]
mod tests;
