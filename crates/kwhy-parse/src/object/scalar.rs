//! The text of a YAML scalar, mapped to the document.
//!
//! The YAML parser yields a scalar's text and its range. How the text is spread over lines and escaped within
//! that range is decoded here once more to map its parts; if the result differs from the parser's text, the
//! latter is used, mapped to the range as a whole.

use saphyr_parser::ScalarStyle;

use super::source::Source;
use kwhy_model::{Span, Text, TextBuilder, Value};

/// Returns the text `value` of the scalar at `range`.
pub(super) fn text<'a>(
    source: &Source<'a>,
    range: Span,
    style: ScalarStyle,
    value: &str,
) -> Text<'a> {
    let raw = source.part(range.clone());
    let decoded = match style {
        ScalarStyle::Plain if raw == value => source.borrowed(range.clone()),
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
            if raw.get(1..raw.len().saturating_sub(1)) == Some(value) =>
        {
            source.borrowed(range.start + 1..range.end.saturating_sub(1))
        }
        ScalarStyle::Plain => Some(flowing(source, range.clone(), None)),
        ScalarStyle::SingleQuoted => Some(flowing(source, inner(&range), Some('\''))),
        ScalarStyle::DoubleQuoted => Some(flowing(source, inner(&range), Some('"'))),
        ScalarStyle::Literal => Some(literal(source, range.clone(), value)),
        ScalarStyle::Folded => None,
    };
    decoded
        .filter(|text| text.as_str() == value)
        .unwrap_or_else(|| {
            let mut builder = TextBuilder::new();
            builder.push_decoded(value, source.span(range));
            builder.finish()
        })
}

/// Returns the value of a scalar: a number or boolean if it is unquoted; `None` for `null`.
pub(super) fn value<'a>(
    source: &Source<'a>,
    range: Span,
    style: ScalarStyle,
    value: &str,
) -> Option<Value<'a>> {
    let is_plain = style == ScalarStyle::Plain;
    let typed = is_plain.then(|| word_or_number(value, || source.span(range.clone())));
    typed
        .flatten()
        .unwrap_or_else(|| Some(Value::Text(text(source, range, style, value))))
}

/// Interprets an unquoted scalar: the outer `None` means that it is text, the inner one that it is `null`.
pub(super) fn word_or_number<'a>(
    value: &str,
    span: impl FnOnce() -> Span,
) -> Option<Option<Value<'a>>> {
    match value {
        "" | "~" | "null" | "Null" | "NULL" => Some(None),
        "true" => Some(Some(Value::Boolean(true, span()))),
        "false" => Some(Some(Value::Boolean(false, span()))),
        _ => integer(value).map(|number| Some(Value::Integer(number, span()))),
    }
}

/// Parses a decimal integer in canonical form; other forms stay text.
pub(super) fn integer(text: &str) -> Option<i64> {
    let first = text.bytes().next()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let usual = digits == "0" || !digits.starts_with('0');
    ((first == b'-' || first.is_ascii_digit()) && usual)
        .then(|| text.parse().ok())
        .flatten()
}

fn inner(range: &Span) -> Span {
    range.start + 1..range.end.saturating_sub(1).max(range.start + 1)
}

/// Decodes text with folded line breaks: one becomes a space, each further one a newline.
pub(super) fn flowing(source: &Source<'_>, range: Span, quote: Option<char>) -> Text<'static> {
    let raw = source.part(range.clone());
    let mut builder = TextBuilder::new();
    let mut lines = raw.split('\n').peekable();
    let mut at = range.start;
    let mut first = true;
    // a line break's meaning depends on the next non-empty line
    let mut ends: Option<(usize, usize)> = None;
    while let Some(line) = lines.next() {
        let from = at;
        at += line.len() + 1;
        let lead = if first {
            0
        } else {
            line.len() - line.trim_start().len()
        };
        let is_last = lines.peek().is_none();
        let escaped = quote == Some('"') && !is_last && ends_in_escape(line);
        let body = &line[lead..];
        let body = if is_last || escaped {
            body
        } else {
            body.trim_end()
        };
        let end = from + lead + body.len();
        first = false;
        if body.is_empty() && !is_last {
            let start = ends.map_or(from, |(start, _)| start);
            ends = Some((start, ends.map_or(0, |(_, count)| count) + 1));
            continue;
        }
        if let Some((start, count)) = ends.take() {
            let folded = match count {
                0 => String::new(),
                1 => " ".to_owned(),
                more => "\n".repeat(more - 1),
            };
            builder.push_decoded(&folded, source.span(start..from + lead));
        }
        let body = if escaped {
            &body[..body.len() - 1]
        } else {
            body
        };
        match quote {
            None => builder.push(body, source.place(from + lead)),
            Some('\'') => single_quoted(&mut builder, body, &|at| source.place(from + lead + at)),
            Some(_) => double_quoted(&mut builder, body, &|at| source.place(from + lead + at)),
        }
        ends = Some((end, usize::from(!escaped)));
    }
    builder.finish()
}

/// Returns true if the line ends in an odd number of backslashes.
fn ends_in_escape(line: &str) -> bool {
    let run = line.bytes().rev().take_while(|b| *b == b'\\').count();
    run % 2 == 1
}

/// Appends a line of a single-quoted scalar; `place` maps its offsets to the document.
pub(super) fn single_quoted(builder: &mut TextBuilder, body: &str, place: &dyn Fn(usize) -> usize) {
    let mut kept = 0;
    for (quote, _) in body.match_indices("''") {
        builder.push(&body[kept..quote + 1], place(kept));
        kept = quote + 2;
    }
    builder.push(&body[kept..], place(kept));
}

/// Appends a line of a double-quoted scalar, decoding its escapes.
pub(super) fn double_quoted(builder: &mut TextBuilder, body: &str, place: &dyn Fn(usize) -> usize) {
    let mut kept = 0;
    while let Some(offset) = body.get(kept..).and_then(|rest| rest.find('\\')) {
        let slash = kept + offset;
        builder.push(&body[kept..slash], place(kept));
        let (text, length) = escape(&body[slash..]);
        let start = place(slash);
        let end = place(slash + length).max(start);
        builder.push_decoded(text.encode_utf8(&mut [0; 4]), start..end);
        kept = slash + length;
    }
    builder.push(body.get(kept..).unwrap_or(""), place(kept));
}

/// Decodes the escape at the start of a text; returns the character and the length of the escape.
fn escape(text: &str) -> (char, usize) {
    let mut chars = text.chars();
    let (_, Some(kind)) = (chars.next(), chars.next()) else {
        return ('\\', text.len().min(1));
    };
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let code = text.get(2..2 + digits);
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        return match code.and_then(char::from_u32) {
            Some(c) => (c, 2 + digits),
            None => (char::REPLACEMENT_CHARACTER, 2),
        };
    }
    let c = match kind {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        c => c,
    };
    (c, 1 + kind.len_utf8())
}

/// Decodes a block scalar, whose lines are kept verbatim except for their indentation.
fn literal(source: &Source<'_>, range: Span, value: &str) -> Text<'static> {
    let mut builder = TextBuilder::new();
    let mut row = source.row_at(range.start);
    // the parser's range starts at the indicator or at the text
    let own = source.part(range.start..range.end).starts_with('|');
    row += usize::from(own);
    let lead = |text: &str| text.len() - text.trim_start_matches(' ').len();
    let mut indent = None;
    for line in value.split_inclusive('\n') {
        let Some((whole, _)) = source.row(row) else {
            break;
        };
        let raw = source.part(whole.clone());
        let text = line.strip_suffix('\n').unwrap_or(line);
        if indent.is_none() && !text.is_empty() {
            indent = Some(lead(raw).saturating_sub(lead(text)));
        }
        let from = whole.start + indent.unwrap_or(0).min(raw.len());
        builder.push(text, source.place(from.min(whole.end)));
        if line.len() > text.len() {
            builder.push_decoded("\n", source.span(whole.end..whole.end + 1));
        }
        if raw.get(from - whole.start..) != Some(text) && !text.is_empty() {
            return Text::default();
        }
        row += 1;
    }
    builder.finish()
}
