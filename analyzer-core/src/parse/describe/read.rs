//! Readers of the values that many fields share.

use jiff::fmt::rfc2822;

use super::layout::{Entry, Node, Tree, is_nothing, part, trimmed};
use crate::input::Line;
use crate::model::{Age, Map, Text, TextBuilder, Value};

/// A piece of a line as text.
pub(super) fn text_of<'a>(line: Line<'a>) -> Text<'a> {
    Text::borrowed(line.text, line.start)
}

/// A piece of a line as a value; none if it is empty or stands for nothing.
pub(super) fn scalar<'a>(line: Line<'a>) -> Option<Value<'a>> {
    (!line.text.is_empty() && !is_nothing(line.text)).then(|| Value::Text(text_of(line)))
}

/// A piece of a line as a number.
pub(super) fn number<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let number = line.text.parse().ok()?;
    Some(Value::Integer(number, line.span()))
}

/// A piece of a line as a flag.
pub(super) fn flag<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let flag = match line.text {
        "True" | "true" | "Yes" => true,
        "False" | "false" | "No" => false,
        _ => return None,
    };
    Some(Value::Boolean(flag, line.span()))
}

/// A piece of a line that reads otherwise in the object.
pub(super) fn decoded<'a>(text: &str, line: Line<'a>) -> Value<'a> {
    let mut builder = TextBuilder::new();
    builder.push_decoded(text, line.span());
    Value::Text(builder.finish())
}

/// Adds a value that there may be.
pub(super) fn put<'a>(map: &mut Map<'a>, key: &'static str, value: Option<Value<'a>>) {
    if let Some(value) = value {
        map.insert(key, value);
    }
}

/// Text on one line, or over several.
pub(super) fn text<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if node.lines.is_empty() {
        return scalar(node.value);
    }
    joined(std::iter::once(node.value).chain(node.lines.iter().map(|line| trim_end(*line))))
        .map(Value::Text)
}

/// A whole number.
pub(super) fn integer<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    number(node.value)
}

/// `True`, `false`, `Yes`.
pub(super) fn boolean<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    flag(node.value)
}

/// An age such as `5m30s`, in seconds.
pub(super) fn seconds<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    age(node.value)
}

/// A piece of a line as an age in seconds.
pub(super) fn age<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let age = Age::parse(line.text)?;
    Some(Value::Integer(
        i64::try_from(age.seconds).ok()?,
        line.span(),
    ))
}

/// A time in RFC 1123 with zone, as RFC 3339 in UTC; as printed if it is in another form.
pub(super) fn time<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    time_of(node.value)
}

/// A piece of a line as a time.
pub(super) fn time_of<'a>(line: Line<'a>) -> Option<Value<'a>> {
    static PARSER: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    // Go's zero time: the field was not set
    if line.text.contains(" Jan 0001 ") {
        return None;
    }
    match PARSER.parse_timestamp(line.text) {
        Ok(time) => Some(decoded(&time.to_string(), line)),
        Err(_) => scalar(line),
    }
}

/// A container's ports; newer releases add the port's name in brackets.
pub(super) fn ports<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = split(node.value, ',')
        .filter_map(|port| scalar(words(port).next()?))
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// The parts of a line between separators, without their outer blanks.
pub(super) fn split<'a>(line: Line<'a>, separator: char) -> impl Iterator<Item = Line<'a>> {
    let mut at = 0;
    line.text.split(separator).map(move |piece| {
        let from = at;
        at += piece.len() + separator.len_utf8();
        trimmed(part(line, from, from + piece.len()))
    })
}

/// The words of a line.
pub(super) fn words<'a>(line: Line<'a>) -> impl Iterator<Item = Line<'a>> {
    split(line, ' ').filter(|word| !word.text.is_empty())
}

/// The lines of a node: that of the key, if a value stands there, then the further ones.
pub(super) fn entries<'n, 'a>(node: &'n Node<'a>) -> impl Iterator<Item = Line<'a>> + use<'n, 'a> {
    std::iter::once(node.value)
        .chain(node.lines.iter().map(|line| trimmed(*line)))
        .filter(|line| !line.text.is_empty() && !is_nothing(line.text))
}

/// `key=value` a line, as of labels and node selectors.
pub(super) fn labels<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for line in entries(node) {
        let (key, value) = line.text.split_once('=').unwrap_or((line.text, ""));
        let from = line.text.len() - value.len();
        map.insert(key, Value::Text(text_of(part(line, from, line.text.len()))));
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

/// `key: value` a line, as of annotations; the lines of a long value stand below their key.
pub(super) fn annotations<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    let base = node
        .lines
        .iter()
        .filter(|line| !line.is_blank())
        .map(Line::indent)
        .chain((!node.value.text.is_empty() && node.lines.is_empty()).then_some(node.column))
        .min()
        .unwrap_or(0);
    let mut open: Option<(&'a str, Vec<Line<'a>>)> = None;
    let first = (!node.value.text.is_empty()).then_some(node.value);
    for line in first.into_iter().chain(node.lines.iter().copied()) {
        let entry = Entry::new(line);
        let is_first = line.start == node.value.start;
        let deeper = !is_first && (line.is_blank() || line.indent() > base);
        match (&mut open, annotation(&entry)) {
            (Some((_, lines)), _) if deeper => {
                let blanks = line.indent().min(base + 2);
                lines.push(trim_end(part(line, blanks, line.text.len())));
            }
            (_, Some((key, value))) => {
                flush(&mut map, &mut open);
                if value.text.is_empty() {
                    open = Some((key, Vec::new()));
                } else {
                    map.insert(key, Value::Text(text_of(value)));
                }
            }
            // without its indentation a long value's line is known by the key before it
            (Some((_, lines)), None) => lines.push(trimmed(line)),
            (None, None) => {}
        }
    }
    flush(&mut map, &mut open);
    (!map.is_empty()).then_some(Value::Map(map))
}

fn flush<'a>(map: &mut Map<'a>, open: &mut Option<(&'a str, Vec<Line<'a>>)>) {
    if let Some((key, lines)) = open.take()
        && let Some(text) = joined(lines.into_iter())
    {
        map.insert(key, Value::Text(text));
    }
}

fn annotation<'a>(entry: &Entry<'a>) -> Option<(&'a str, Line<'a>)> {
    if let Some(key) = entry.key {
        return (!key.text.contains(' ')).then_some((key.text, entry.value));
    }
    // before 1.5 annotations were printed like labels
    let at = entry.value.text.find('=')?;
    let key = entry.value.text.get(..at)?;
    let is_key = !key.contains([' ', '{', '"']) && !key.is_empty();
    is_key.then(|| (key, part(entry.value, at + 1, entry.value.text.len())))
}

/// The lines below a key as they stand, without the indentation of the first.
pub(super) fn raw_lines<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let base = node.lines.first().map_or(0, Line::indent);
    let own = (!node.value.text.is_empty() && !is_nothing(node.value.text)).then_some(node.value);
    let items: Vec<_> = own
        .into_iter()
        .chain(node.lines.iter().map(|line| {
            let blanks = line.indent().min(base);
            trim_end(part(*line, blanks, line.text.len()))
        }))
        .map(|line| Value::Text(text_of(line)))
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// Named values below a key, as of limits.
pub(super) fn quantities<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for child in tree.children(node) {
        if let Some(value) = scalar(child.value) {
            map.insert(child.key.text, value);
        }
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

/// The values of the nodes below a key.
pub(super) fn values<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let own = split(node.value, ',').filter_map(scalar);
    let below = tree.children(node).filter_map(|child| scalar(child.value));
    let items: Vec<_> = own.chain(below).collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// Adds the fields below a node under their names.
pub(super) fn add_fields<'a>(map: &mut Map<'a>, tree: &Tree<'a>, node: &Node<'a>) {
    for child in tree.children(node) {
        if let Some(field) = child.field {
            put(map, field.name, (field.read)(tree, child));
        }
    }
    let others = tree.children(node).filter(|child| child.field.is_none());
    super::generic::add(map, tree, others);
}

/// Lines as one text, joined by newlines; trailing empty ones are left out.
pub(super) fn joined<'a>(lines: impl Iterator<Item = Line<'a>>) -> Option<Text<'a>> {
    let mut lines: Vec<_> = lines.collect();
    while lines.last().is_some_and(|line| line.text.is_empty()) {
        lines.pop();
    }
    if let [only] = lines.as_slice() {
        return Some(text_of(*only));
    }
    let mut builder = TextBuilder::new();
    let mut end: Option<usize> = None;
    for line in lines {
        if let Some(end) = end {
            builder.push_decoded("\n", end..line.start.max(end));
        }
        builder.push(line.text, line.start);
        end = Some(line.start + line.text.len());
    }
    (!builder.is_empty()).then(|| builder.finish())
}

/// A line without the blanks at its right end.
pub(super) fn trim_end(line: Line<'_>) -> Line<'_> {
    Line {
        text: line.text.trim_end(),
        ..line
    }
}
