//! YAML as printers of Kubernetes write it, read directly: block style, a key or item with its scalar in one line.
//!
//! Nearly all YAML that kubectl, the API server's dumps and controllers write is of this form (sigs.k8s.io/yaml on go-yaml 2 and 3). What
//! is written otherwise (anchors, tags, flow style with content, scalars over several lines other than `|` and `|-`, odd indentation) is
//! refused as a whole, and the reader of all YAML ([`super::yaml`]) takes the block. Both give the same values with the same places.

use std::borrow::Cow;

use super::scalar;
use super::source::Row;
use kwhy_model::{Map, Text, TextBuilder, Value};

/// The depth to which maps and lists may nest here; those of Kubernetes nest to about 20.
const MAX_DEPTH: usize = 48;

/// What a block may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The depth to which maps and lists may nest.
    pub depth: usize,
    /// The number of scalars.
    pub nodes: usize,
}

/// Reads a block of lines; none if it is not all in block style, or exceeds the bounds.
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
    /// The document's byte at which the text starts.
    start: usize,
}

impl<'a> Rest<'a> {
    /// Of a row, without its indentation and the spaces at its end; none if it has bytes that YAML treats apart.
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

    /// Without its first bytes and the spaces after them.
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

    /// The key that it starts with, and what follows the colon.
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
    /// The row that is read, without what was read of it.
    row: Option<Rest<'a>>,
    rest: std::slice::Iter<'r, Row<'a>>,
    /// The number of scalars that may follow.
    nodes: usize,
    depth: usize,
}

impl<'a> Reader<'_, 'a> {
    /// Goes to the next row that is neither empty nor a comment; none if it cannot be read here.
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

    /// The map or list that starts at the row.
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
                    // the items of a key's list may be right below the key
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

    /// The scalar in the rest of a line of an entry at a column; none within if it is null.
    fn scalar(&mut self, rest: Rest<'a>, column: usize) -> Option<Option<Value<'a>>> {
        self.count()?;
        let first = *rest.text.as_bytes().first()?;
        let span = || rest.start..rest.start + rest.text.len();
        let value = match first {
            b'|' => return Some(Some(Value::Text(self.literal(rest.text, column)?))),
            b'\'' => Some(Value::Text(single_quoted(rest)?)),
            b'"' => Some(Value::Text(double_quoted(rest)?)),
            b'{' | b'[' => {
                // it is no scalar
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
        // a scalar that continues in the next line
        let continues = self.column().is_some_and(|next| next > column);
        (!continues).then_some(value)
    }

    /// The text of the lines that follow `|` or `|-`.
    fn literal(&mut self, mark: &str, column: usize) -> Option<Text<'a>> {
        let is_stripped = match mark {
            "|" => false,
            "|-" => true,
            _ => return None,
        };
        let mut builder = TextBuilder::new();
        let mut indent = None;
        // the ends of lines that may be the last ones
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
                // the other reader takes a first `|` for the mark
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

/// Returns true if a text is a scalar without quotes that ends where its line does.
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

/// What is between the quotes of all of a text, and where it starts.
fn quoted(rest: Rest<'_>, quote: char) -> Option<(&str, usize)> {
    let inner = rest.text.strip_prefix(quote)?.strip_suffix(quote)?;
    Some((inner, rest.start + 1))
}

fn single_quoted(rest: Rest<'_>) -> Option<Text<'_>> {
    let (inner, start) = quoted(rest, '\'')?;
    if !inner.contains('\'') {
        return Some(Text::borrowed(inner, start));
    }
    // each is written twice
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
