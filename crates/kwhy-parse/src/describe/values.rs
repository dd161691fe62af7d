//! Conversions of values shared by many fields.

use jiff::fmt::rfc2822;

use super::layout::{Content, Entry, Node, Tree, is_absent, part, trimmed};
use crate::input::Line;
use kwhy_model::{Age, Map, Text, TextBuilder, Value};

/// Returns a part of a line as text.
pub(super) fn text_of<'a>(line: Line<'a>) -> Text<'a> {
    Text::borrowed(line.text, line.start)
}

/// Returns a part of a line as a value; `None` if it is empty or a placeholder.
pub(super) fn scalar<'a>(line: Line<'a>) -> Option<Value<'a>> {
    (!line.text.is_empty() && !is_absent(line.text)).then(|| Value::Text(text_of(line)))
}

/// Parses a part of a line as a number.
pub(super) fn number<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let number = line.text.parse().ok()?;
    Some(Value::Integer(number, line.span()))
}

/// Parses a part of a line as a boolean.
pub(super) fn flag<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let flag = match line.text {
        "True" | "true" | "Yes" => true,
        "False" | "false" | "No" => false,
        _ => return None,
    };
    Some(Value::Boolean(flag, line.span()))
}

/// Returns a value whose text differs from its source in the line.
pub(super) fn decoded<'a>(text: &str, line: Line<'a>) -> Value<'a> {
    let mut builder = TextBuilder::new();
    builder.push_decoded(text, line.span());
    Value::Text(builder.finish())
}

/// Adds a value if there is one.
pub(super) fn put<'a>(map: &mut Map<'a>, key: &'static str, value: Option<Value<'a>>) {
    if let Some(value) = value {
        map.insert(key, value);
    }
}

/// Text on one line or several.
pub(super) fn text<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if node.lines.is_empty() {
        return scalar(node.value);
    }
    joined(std::iter::once(node.value).chain(node.lines.iter().map(|line| trim_end(*line))))
        .map(Value::Text)
}

/// An integer.
pub(super) fn integer<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    number(node.value)
}

/// A boolean: `True`, `false`, `Yes`.
pub(super) fn boolean<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    flag(node.value)
}

/// An age such as `5m30s`, in seconds.
pub(super) fn seconds<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    age(node.value)
}

/// Parses a part of a line as an age in seconds.
pub(super) fn age<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let age = Age::parse(line.text)?;
    Some(Value::Integer(
        i64::try_from(age.seconds).ok()?,
        line.span(),
    ))
}

/// A time in RFC 1123 with zone, converted to RFC 3339 in UTC; as printed if in another format.
pub(super) fn time<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    time_of(node.value)
}

/// Parses a part of a line as a time in RFC 1123 or 3339, or as Go's `Time.String` prints it.
pub(super) fn time_of<'a>(line: Line<'a>) -> Option<Value<'a>> {
    static PARSER: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let text = line.text;
    // Go's zero time: the field was not set
    if text.contains(" Jan 0001 ") || text.starts_with("0001-01-01") {
        return None;
    }
    let go = || {
        let (date, rest) = text.split_once(' ')?;
        let (clock, zone) = rest.split_once(' ')?;
        let zone = zone.split(' ').next()?;
        format!("{date}T{clock}{zone}").parse().ok()
    };
    let is_word = !text.contains(' ');
    let time: Option<jiff::Timestamp> = PARSER
        .parse_timestamp(text)
        .ok()
        .or_else(|| text.parse().ok().filter(|_| is_word))
        .or_else(go);
    match time {
        Some(time) => Some(decoded(&time.to_string(), line)),
        None => scalar(line),
    }
}

/// Parses `[a b]` or `a,b` as a list of texts.
pub(super) fn list<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let inner = bracketed(line);
    let items: Vec<_> = if inner.start > line.start || line.text.starts_with('[') {
        words(inner).filter_map(scalar).collect()
    } else {
        split(line, [',']).filter_map(scalar).collect()
    };
    (!items.is_empty()).then_some(Value::List(items))
}

/// Returns a line without the brackets around it.
pub(super) fn bracketed(line: Line<'_>) -> Line<'_> {
    if line.text.starts_with('[') && line.text.ends_with(']') && line.text.len() > 1 {
        return part(line, 1, line.text.len() - 1);
    }
    line
}

/// A list of values, separated by commas or in brackets.
pub(super) fn values_of<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if is_absent(node.value.text) {
        return None;
    }
    list(node.value)
}

/// A list with one value per line.
pub(super) fn lines<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node).filter_map(scalar).collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// The counts in `3 desired | 2 updated`, by their names.
pub(super) fn counts<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for piece in split(node.value, ['|', '/', '(', ')']) {
        let mut words = words(piece);
        let (Some(count), Some(name)) = (words.next(), words.next()) else {
            continue;
        };
        if let Some(count) = number(count) {
            map.insert(name.text.to_ascii_lowercase(), count);
        }
    }
    if map.is_empty() {
        return scalar(node.value);
    }
    Some(Value::Map(map))
}

/// An integer with the unit of seconds: `600s`.
pub(super) fn whole_seconds<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let text = node.value.text;
    number(part(node.value, 0, text.trim_end_matches('s').len())).or_else(|| age(node.value))
}

/// `a=b,c=d` on one line, as in annotations and parameters of classes; values may contain commas.
pub(super) fn pairs<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if is_absent(node.value.text) {
        return None;
    }
    if !node.lines.is_empty() {
        return text(tree, node);
    }
    let line = node.value;
    let mut map = Map::new();
    let mut from = 0;
    let mut ends: Vec<usize> = memchr::memchr_iter(b',', line.text.as_bytes()).collect();
    ends.push(line.text.len());
    for (index, end) in ends.iter().enumerate() {
        let next = ends
            .get(index + 1)
            .and_then(|next| line.text.get(end + 1..*next));
        // a part without a key continues the previous value
        if next.is_some_and(|next| !is_pair(next)) {
            continue;
        }
        let pair = part(line, from, *end);
        let equals = pair.text.find('=').unwrap_or(pair.text.len());
        if !pair.text.is_empty() {
            let value = part(pair, equals + 1, pair.text.len());
            map.insert(part(pair, 0, equals).text, Value::Text(text_of(value)));
        }
        from = end + 1;
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

fn is_pair(text: &str) -> bool {
    text.split_once('=').is_some_and(|(key, _)| {
        !key.is_empty()
            && key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._/".contains(&b))
    })
}

/// A map of the fields below a node.
pub(super) fn block<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    add_fields(&mut map, tree, node);
    (!map.is_empty()).then_some(Value::Map(map))
}

/// A list of maps of the fields below a node. Maps follow each other without a separator, so a new
/// one starts where a field repeats.
pub(super) fn groups<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut items = Vec::new();
    let mut seen = Vec::new();
    for child in tree.children(node) {
        add_to_group(&mut items, &mut seen, tree, child);
    }
    (!items.is_empty()).then(|| Value::List(items.into_iter().map(Value::Map).collect()))
}

/// Adds a field to the last map, or to a new one if it is already in `seen`.
pub(super) fn add_to_group<'a>(
    items: &mut Vec<Map<'a>>,
    seen: &mut Vec<&'static str>,
    tree: &Tree<'a>,
    node: &Node<'a>,
) {
    let Some(field) = node.field else { return };
    if items.is_empty() || seen.contains(&field.name) {
        items.push(Map::new());
        seen.clear();
    }
    seen.push(field.name);
    if let Some(item) = items.last_mut() {
        put(item, field.name, (field.read)(tree, node));
    }
}

/// No value: the kind combines several nodes later.
pub(super) fn deferred<'a>(_: &Tree<'a>, _: &Node<'a>) -> Option<Value<'a>> {
    None
}

/// The ports of a container; newer releases append the port's name in parentheses.
pub(super) fn ports<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = split(node.value, [','])
        .filter_map(|port| scalar(words(port).next()?))
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// Splits a line at separators into trimmed parts.
pub(super) fn split<'a, const N: usize>(
    line: Line<'a>,
    separators: [char; N],
) -> impl Iterator<Item = Line<'a>> {
    let mut at = 0;
    line.text.split_inclusive(separators).map(move |piece| {
        let from = at;
        at += piece.len();
        let end = from + piece.trim_end_matches(separators).len();
        trimmed(part(line, from, end))
    })
}

/// Returns the words of a line.
pub(super) fn words<'a>(line: Line<'a>) -> impl Iterator<Item = Line<'a>> {
    split(line, [' ', '\t']).filter(|word| !word.text.is_empty())
}

/// Returns the lines of a node: first the value on the key's line, if any.
pub(super) fn entries<'n, 'a>(node: &'n Node<'a>) -> impl Iterator<Item = Line<'a>> + use<'n, 'a> {
    std::iter::once(node.value)
        .chain(node.lines.iter().map(|line| trimmed(*line)))
        .filter(|line| !line.text.is_empty() && !is_absent(line.text))
}

/// A map of `key=value` lines, as in labels and node selectors.
pub(super) fn labels<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for line in entries(node) {
        let (key, value) = line.text.split_once('=').unwrap_or((line.text, ""));
        let from = line.text.len() - value.len();
        map.insert(key, Value::Text(text_of(part(line, from, line.text.len()))));
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

/// A map of `key: value` lines, as in annotations; a long value is on the lines below its key.
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
        let annotation = annotation(&entry);
        // without indentation, a key with a prefix is not followed by one without
        let is_text = |open: &str| {
            let key = annotation.as_ref().map_or("", |(key, _)| key);
            open.contains('/') && !key.contains('/')
        };
        match (&mut open, annotation) {
            (Some((_, lines)), _) if deeper => {
                let spaces = line.indent().min(base + 2);
                lines.push(trim_end(part(line, spaces, line.text.len())));
            }
            (Some((open, lines)), _) if is_text(open) => lines.push(trimmed(line)),
            (_, Some((key, value))) => {
                flush(&mut map, &mut open);
                if value.text.is_empty() {
                    open = Some((key, Vec::new()));
                } else {
                    map.insert(key, Value::Text(text_of(value)));
                }
            }
            // without indentation, a line of a long value belongs to the key before it
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

/// The lines below a key verbatim, without the indentation of the first.
pub(super) fn raw_lines<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let base = node.lines.first().map_or(0, Line::indent);
    let own = (!node.value.text.is_empty() && !is_absent(node.value.text)).then_some(node.value);
    let items: Vec<_> = own
        .into_iter()
        .chain(node.lines.iter().map(|line| {
            let spaces = line.indent().min(base);
            trim_end(part(*line, spaces, line.text.len()))
        }))
        .map(|line| Value::Text(text_of(line)))
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// A map of the named values below a key, as in limits.
pub(super) fn quantities<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    for child in tree.children(node) {
        if let Some(value) = scalar(child.value) {
            map.insert(child.key.text, value);
        }
    }
    (!map.is_empty()).then_some(Value::Map(map))
}

/// Adds the fields below a node by name. Text in place of a block or table, such as an error, is
/// added as the field's note.
pub(super) fn add_fields<'a>(map: &mut Map<'a>, tree: &Tree<'a>, node: &Node<'a>) {
    for child in tree.children(node) {
        let Some(field) = child.field else { continue };
        match (field.read)(tree, child) {
            Some(value) => map.insert(field.name, value),
            None if matches!(field.content, Content::Fields(_) | Content::Table(_)) => {
                // a count is not a note
                let note = scalar(child.value).filter(|_| !child.value.text.starts_with('('));
                if let Some(note) = note {
                    map.insert(format!("{}_note", field.name), note);
                }
            }
            None => {}
        }
    }
    let others = tree.children(node).filter(|child| child.field.is_none());
    super::generic::add(map, tree, others);
}

/// Joins lines with newlines, without trailing empty ones.
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

/// Returns a line without its trailing spaces.
pub(super) fn trim_end(line: Line<'_>) -> Line<'_> {
    Line {
        text: line.text.trim_end(),
        ..line
    }
}
