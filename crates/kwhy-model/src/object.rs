//! Kubernetes objects as shown in an input: trees of named values.

use std::borrow::Cow;
use std::collections::{HashMap, hash_map};

use super::{Event, Format, Span, Subject, Text};

/// A value in an object, with its span in the document.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text as printed: names, quantities, addresses; times as RFC 3339 in UTC.
    Text(Text<'a>),
    /// A count, or seconds if the key ends in `_s`.
    Integer(i64, Span),
    /// A boolean.
    Boolean(bool, Span),
    /// Named values.
    Map(Map<'a>),
    /// Values in order.
    List(Vec<Value<'a>>),
}

impl<'a> Value<'a> {
    /// Returns the range of the document that it was parsed from.
    pub fn span(&self) -> Span {
        match self {
            Value::Text(text) => text.span(),
            Value::Integer(_, span) | Value::Boolean(_, span) => span.clone(),
            Value::Map(map) => map.span(),
            Value::List(items) => join(items.iter().map(Value::span)),
        }
    }

    /// Returns a scalar as text: printed text, a number or a boolean.
    pub fn to_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Text(text) => Some(Cow::Borrowed(text.as_str())),
            Value::Integer(number, _) => Some(Cow::Owned(number.to_string())),
            Value::Boolean(flag, _) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
            Value::Map(_) | Value::List(_) => None,
        }
    }

    /// Returns the items of a list; empty for anything else.
    pub fn items(&self) -> &[Value<'a>] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Returns true for a map or a list.
    pub fn is_nested(&self) -> bool {
        matches!(self, Value::Map(_) | Value::List(_))
    }

    /// Returns the value at a dotted path of keys, such as `state.exit_code`.
    pub fn get(&self, path: &str) -> Option<&Value<'a>> {
        match self {
            Value::Map(map) => map.get(path),
            _ => None,
        }
    }

    fn add_scalars<'s>(&'s self, path: String, found: &mut Vec<(String, Cow<'s, str>)>) {
        match self {
            Value::Map(map) => map.add_scalars(&path, found),
            Value::List(items) => {
                for item in items {
                    item.add_scalars(path.clone(), found);
                }
            }
            scalar => found.extend(scalar.to_text().map(|text| (path, text))),
        }
    }
}

/// Named values in the order of the input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map<'a> {
    entries: Vec<Entry<'a>>,
    /// True if a value is or was a map or a list; false for most table rows, in which no path can lead deeper.
    is_nested: bool,
    /// The marks of all keys: a lookup fails fast if the key's mark is missing, as for most keys that are looked up.
    marks: u64,
}

/// Returns one of 64 bits for a key, by its length, first and last byte.
fn mark(key: &str) -> u64 {
    let (Some(first), Some(last)) = (key.as_bytes().first(), key.as_bytes().last()) else {
        return 1;
    };
    let number = key.len() * 29 + usize::from(*first) * 5 + usize::from(*last);
    1 << (number % 64)
}

#[derive(Clone, Debug, PartialEq)]
struct Entry<'a> {
    key: Cow<'a, str>,
    /// The key as shown in the input, if different.
    label: Option<Box<str>>,
    value: Value<'a>,
}

impl<'a> Map<'a> {
    /// Returns an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty map with capacity for a number of entries.
    pub fn with_room(entries: usize) -> Self {
        Map {
            entries: Vec::with_capacity(entries),
            ..Map::default()
        }
    }

    /// Adds a value; it replaces an earlier one of the same name.
    pub fn insert(&mut self, key: impl Into<Cow<'a, str>>, value: Value<'a>) {
        self.put(key.into(), None, value);
    }

    /// Adds a value whose key is shown as `label` in the input.
    pub fn insert_labelled(
        &mut self,
        key: impl Into<Cow<'a, str>>,
        label: impl Into<Cow<'a, str>>,
        value: Value<'a>,
    ) {
        self.put(key.into(), Some(label.into().into()), value);
    }

    fn put(&mut self, key: Cow<'a, str>, label: Option<Box<str>>, value: Value<'a>) {
        self.is_nested |= value.is_nested();
        let mark = mark(&key);
        let known = match self.marks & mark {
            0 => None,
            _ => self.entries.iter_mut().find(|known| known.key == key),
        };
        self.marks |= mark;
        let entry = Entry { key, label, value };
        match known {
            Some(slot) => *slot = entry,
            None => self.entries.push(entry),
        }
    }

    /// Returns the value at a dotted path of keys. A key that itself contains dots, such as that of a label,
    /// is found too.
    pub fn get(&self, path: &str) -> Option<&Value<'a>> {
        if let Some(value) = self.find(path) {
            return Some(value);
        }
        if !self.is_nested {
            return None;
        }
        let dots = path.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
        dots.map(|(dot, _)| dot)
            .find_map(|dot| self.find(path.get(..dot)?)?.get(path.get(dot + 1..)?))
    }

    /// Returns the value of a key, which is not interpreted as a path.
    pub fn find(&self, key: &str) -> Option<&Value<'a>> {
        if self.marks & mark(key) == 0 {
            return None;
        }
        // few keys of a map have the same length and first byte
        let first = key.as_bytes().first();
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| {
            let own = entry.key.as_bytes();
            own.len() == key.len() && own.first() == first && own == key.as_bytes()
        })?;
        Some(&entry.value)
    }

    /// Returns the text of the scalar at a path.
    pub fn text(&self, path: &str) -> Option<Cow<'_, str>> {
        self.get(path)?.to_text()
    }

    /// Returns the number at a path.
    pub fn integer(&self, path: &str) -> Option<i64> {
        match self.get(path)? {
            Value::Integer(number, _) => Some(*number),
            Value::Text(text) => text.as_str().parse().ok(),
            _ => None,
        }
    }

    /// Returns the boolean at a path.
    pub fn boolean(&self, path: &str) -> Option<bool> {
        match self.get(path)? {
            Value::Boolean(flag, _) => Some(*flag),
            _ => None,
        }
    }

    /// Returns the items of the list at a path; empty if there is none.
    pub fn items(&self, path: &str) -> &[Value<'a>] {
        match self.is_nested {
            true => self.get(path).map_or(&[], Value::items),
            false => &[],
        }
    }

    /// Returns the items of the list at a path; if the path leads through lists, those of all their items.
    ///
    /// ```
    /// use kwhy_model::{Map, Text, Value};
    /// let text = |text| Value::Text(Text::borrowed(text, 0));
    /// let container = |names: [&'static str; 2]| {
    ///     let mut container = Map::new();
    ///     container.insert("env", Value::List(names.map(text).to_vec()));
    ///     Value::Map(container)
    /// };
    /// let mut pod = Map::new();
    /// pod.insert("containers", Value::List(vec![container(["A", "B"]), container(["C", "D"])]));
    /// assert_eq!(pod.all_items("containers").count(), 2);
    /// assert_eq!(pod.all_items("containers.env").count(), 4);
    /// ```
    pub fn all_items<'s, 'p>(
        &'s self,
        path: &'p str,
    ) -> impl Iterator<Item = &'s Value<'a>> + use<'s, 'p, 'a> {
        let own = self.items(path);
        let dots = path.match_indices('.').filter(|_| own.is_empty());
        let nested = dots.flat_map(|(dot, _)| {
            let maps = self.items(&path[..dot]).iter();
            let rest = &path[dot + 1..];
            maps.flat_map(move |item| match item {
                Value::Map(map) => map.items(rest),
                _ => &[],
            })
        });
        own.iter().chain(nested)
    }

    /// Returns the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.entries
            .iter()
            .map(|entry| (entry.key.as_ref(), &entry.value))
    }

    /// Returns the entries in order with mutable values; a scalar must remain one.
    pub fn values_mut(&mut self) -> impl Iterator<Item = (&str, &mut Value<'a>)> {
        let entries = self.entries.iter_mut();
        entries.map(|entry| (entry.key.as_ref(), &mut entry.value))
    }

    /// Returns the entries in order, with keys that live as long as the document.
    pub fn entries(&self) -> impl Iterator<Item = (&Cow<'a, str>, &Value<'a>)> {
        self.entries.iter().map(|entry| (&entry.key, &entry.value))
    }

    /// Returns each scalar with the keys that lead to it, as shown in the input, joined by ` / `. The
    /// items of a list have the same path.
    ///
    /// ```
    /// use kwhy_model::{Map, Text, Value};
    /// let mut status = Map::new();
    /// status.insert_labelled("pod_ip", "Pod IP", Value::Text(Text::borrowed("192.0.2.1", 0)));
    /// let mut object = Map::new();
    /// object.insert_labelled("status", "Status", Value::Map(status));
    /// let scalars = object.scalars();
    /// assert_eq!(scalars, [("Status / Pod IP".to_owned(), "192.0.2.1".into())]);
    /// ```
    pub fn scalars(&self) -> Vec<(String, Cow<'_, str>)> {
        let mut found = Vec::new();
        self.add_scalars("", &mut found);
        found
    }

    fn add_scalars<'s>(&'s self, above: &str, found: &mut Vec<(String, Cow<'s, str>)>) {
        for entry in &self.entries {
            let label = entry.label.as_deref().unwrap_or(&entry.key);
            let path = match (above, label) {
                ("", label) => label.to_owned(),
                (above, "") => above.to_owned(),
                (above, label) => format!("{above} / {label}"),
            };
            entry.value.add_scalars(path, found);
        }
    }

    /// Returns true if any key is shown differently in the input: the object is of a kind that is parsed
    /// by its layout alone.
    pub fn is_labelled(&self) -> bool {
        self.entries.iter().any(|entry| entry.label.is_some())
    }

    /// Returns true if a value is or was a map or a list.
    pub fn is_nested(&self) -> bool {
        self.is_nested
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the span of all values in the document.
    pub fn span(&self) -> Span {
        join(self.entries.iter().map(|entry| entry.value.span()))
    }
}

/// The maximum number of entries for which a key is found by linear search.
const SMALL: usize = 16;

impl<'a> FromIterator<(Cow<'a, str>, Value<'a>)> for Map<'a> {
    /// Collects values in order; a repeated name keeps its first position and its last value.
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Value<'a>)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut map = Map::with_room(entries.size_hint().0);
        // most maps are small; a large one needs an index of its keys
        let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
        for (key, value) in entries {
            if map.entries.len() < SMALL {
                map.insert(key, value);
                continue;
            }
            if places.is_empty() {
                let known = map.entries.iter().map(|entry| entry.key.clone());
                places.extend(known.zip(0..));
            }
            match places.entry(key) {
                hash_map::Entry::Occupied(known) => {
                    if let Some(entry) = map.entries.get_mut(*known.get()) {
                        map.is_nested |= value.is_nested();
                        entry.value = value;
                    }
                }
                hash_map::Entry::Vacant(free) => {
                    map.is_nested |= value.is_nested();
                    map.marks |= mark(free.key());
                    map.entries.push(Entry {
                        key: free.key().clone(),
                        label: None,
                        value,
                    });
                    free.insert(map.entries.len() - 1);
                }
            }
        }
        map
    }
}

impl<'a> IntoIterator for Map<'a> {
    type Item = (Cow<'a, str>, Value<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        let entries = self.entries.into_iter();
        let pairs: Vec<_> = entries.map(|entry| (entry.key, entry.value)).collect();
        pairs.into_iter()
    }
}

impl serde::Serialize for Value<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) => text.serialize(serializer),
            Value::Integer(number, _) => serializer.serialize_i64(*number),
            Value::Boolean(flag, _) => serializer.serialize_bool(*flag),
            Value::Map(map) => map.serialize(serializer),
            Value::List(items) => items.serialize(serializer),
        }
    }
}

impl serde::Serialize for Map<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

fn join(spans: impl Iterator<Item = Span>) -> Span {
    spans
        .filter(|span| !span.is_empty())
        .reduce(|all, span| all.start.min(span.start)..all.end.max(span.end))
        .unwrap_or(0..0)
}

/// An object as shown in an input: from a describe, from a row of a table, as YAML or JSON.
///
/// `fields` contains the printed values under snake-case names: for a pod `status`, `node`,
/// `containers` (a list of maps with `state.reason`, `last_state.exit_code`, `limits.memory`,
/// `readiness.target`, ...), `conditions`, `volumes`; for a table row the column names
/// (`ready`, `status`, `restarts`).
#[derive(Clone, Debug, PartialEq)]
pub struct Object<'a> {
    /// The format that it was parsed from.
    pub format: Format,
    /// The range of the whole object in the document.
    pub span: Span,
    /// The kind, namespace and name, as shown or derived.
    pub subject: Subject,
    /// The fields that were printed.
    pub fields: Map<'a>,
    /// True if it is listed with others of its kind: below a table's header, or in a `List`.
    pub listed: bool,
}

/// The result of parsing a segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed<'a> {
    /// The objects, in the order of the input.
    pub objects: Vec<Object<'a>>,
    /// The events, in the order of the input.
    pub events: Vec<Event<'a>>,
    /// The numbers of lines (starting at 1) that the parser does not understand.
    pub not_understood: Vec<u64>,
    /// The parts omitted because of a limit.
    pub left_out: LeftOut,
    /// The lists of objects in YAML and JSON, in the order of the input.
    pub lists: Vec<Listing>,
    /// True if objects are certainly missing: lines are omitted, or a command selects only some objects.
    pub has_gaps: bool,
}

/// The objects of one list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// Their indices among the parsed objects.
    pub objects: std::ops::Range<usize>,
    /// True if the list's own kind shows that it is complete.
    pub of_kind: bool,
    /// True if the list covers all namespaces.
    pub of_cluster: bool,
    /// The kind of an empty list, and its namespace if stated.
    pub empty: Option<crate::Subject>,
}

/// The parts of objects omitted because of a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Maps and lists that are nested too deep.
    pub too_deep: u64,
    /// YAML aliases that would expand to too many values.
    pub aliases: u64,
    /// JSON strings whose end was omitted.
    pub long_strings: u64,
    /// JSON objects whose end was omitted.
    pub large_objects: u64,
    /// Lines of JSON that end before their brackets are closed.
    pub cut_off: u64,
}

impl LeftOut {
    /// Adds the counts of another parser.
    pub fn add(&mut self, other: LeftOut) {
        self.too_deep += other.too_deep;
        self.aliases += other.aliases;
        self.long_strings += other.long_strings;
        self.large_objects += other.large_objects;
        self.cut_off += other.cut_off;
    }
}

impl<'a> Parsed<'a> {
    /// Appends the result of another parser.
    pub fn append(&mut self, mut other: Parsed<'a>) {
        let before = self.objects.len();
        self.lists
            .extend(other.lists.into_iter().map(|list| Listing {
                objects: list.objects.start + before..list.objects.end + before,
                ..list
            }));
        self.has_gaps |= other.has_gaps;
        self.objects.append(&mut other.objects);
        self.events.append(&mut other.events);
        self.not_understood.append(&mut other.not_understood);
        self.left_out.add(other.left_out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_name_the_last_value_stays() {
        for others in [1, 100] {
            let value = |number| Value::Integer(number, 2..3);
            let others = (0..others).map(|number| (Cow::Owned(number.to_string()), value(number)));
            let twice = |number| std::iter::once((Cow::Borrowed("twice"), value(number)));
            let all = twice(-1).chain(others.clone()).chain(twice(-2));
            let map: Map<'_> = all.chain(others.clone()).collect();
            assert_eq!(map.integer("twice"), Some(-2));
            assert_eq!(map.iter().next().unwrap().0, "twice");
            assert_eq!(map.len(), 1 + others.count());
        }
    }

    #[test]
    fn paths_reach_into_maps() {
        let mut state = Map::new();
        state.insert("exit_code", Value::Integer(137, 7..10));
        let mut container = Map::new();
        container.insert("state", Value::Map(state));
        container.insert(
            "app.kubernetes.io/name",
            Value::Text(Text::borrowed("web", 20)),
        );
        assert_eq!(container.integer("state.exit_code"), Some(137));
        assert_eq!(
            container.text("app.kubernetes.io/name").as_deref(),
            Some("web")
        );
        assert_eq!(container.get("state.missing"), None);
        assert_eq!(container.span(), 7..23);
    }
}
