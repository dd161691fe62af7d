//! Output of the generic describer, and fields unknown to a schema.
//!
//! kubernetes/kubectl `pkg/describe/describe.go`, `genericDescriber` and `printUnstructuredContent`
//! (releases 1.8 to 1.36): maps nest by one level, the elements of a list follow each other without
//! a separator. Field names are the printed keys in snake case; the tree keeps the keys as printed.

use std::collections::{HashMap, HashSet};

use super::kinds::{CONDITIONS_FIELD, CREATED};
use super::layout::{Block, Content, Node, Schema, Tree, field, is_absent, trimmed};
use super::values::{annotations, joined, labels, scalar, text, text_of, trim_end};
use crate::input::Line;
use kwhy_model::{Map, Value};

static ROOT: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Content::Value, text),
        field("Namespace", "namespace", Content::Value, text),
        field("Labels", "labels", Content::Lines, labels),
        field("Annotations", "annotations", Content::Lines, annotations),
    ],
};

/// The schema of custom kinds, and of all kinds without a describer of their own.
pub(super) const SCHEMA: Schema = Schema {
    root: Content::Open(&ROOT),
    implied: &[],
    generic: true,
};

static UNKNOWN_ROOT: Block = Block {
    repeats: false,
    fields: &[
        field("Name", "name", Content::Value, text),
        field("Namespace", "namespace", Content::Value, text),
        field("Labels", "labels", Content::Lines, labels),
        field("Annotations", "annotations", Content::Lines, annotations),
        CREATED,
        CONDITIONS_FIELD,
    ],
};

/// The schema of kinds with a describer that is not known here.
pub(super) const UNKNOWN: Schema = Schema {
    root: Content::Open(&UNKNOWN_ROOT),
    implied: &[],
    generic: false,
};

/// Adds nodes under the names of their keys; a repeated key becomes a list.
pub(super) fn add<'n, 'a: 'n>(
    map: &mut Map<'a>,
    tree: &Tree<'a>,
    nodes: impl Iterator<Item = &'n Node<'a>>,
) {
    let mut indices: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<(&str, Vec<Value<'a>>)> = Vec::new();
    for node in nodes {
        let Some(value) = value(tree, node) else {
            continue;
        };
        let index = *indices.entry(node.key.text).or_insert_with(|| {
            groups.push((node.key.text, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, values)) = groups.get_mut(index) {
            values.push(value);
        }
    }
    let mut names = HashSet::new();
    for (label, mut values) in groups {
        let value = match (values.len(), values.pop()) {
            (1, Some(only)) => only,
            (_, Some(last)) => {
                values.push(last);
                Value::List(values)
            }
            (_, None) => continue,
        };
        let mut name = snake_case(label);
        if name.is_empty() {
            name = label.to_owned();
        }
        // keys that are equal in snake case
        while !names.insert(name.clone()) {
            name.push('_');
        }
        map.insert_labelled(name, label, value);
    }
}

/// Returns the value of a node: text, a list of items, or a map or list of its children.
pub(super) fn value<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if !node.children.is_empty() {
        return Some(children_value(tree, node));
    }
    if node.lines.is_empty() {
        let key_end = node.key.start + node.key.text.len();
        // a title ends its line; an empty value was padded to its column
        let is_empty = node.value.text.is_empty() && node.value.start > key_end + 1;
        return if is_empty || is_absent(node.value.text) {
            Some(Value::Text(text_of(node.value)))
        } else {
            scalar(node.value)
        };
    }
    if !node.value.text.is_empty() {
        return text(tree, node);
    }
    Some(Value::List(items(node)))
}

/// Returns the items of a list below a key, each with its continuation lines.
fn items<'a>(node: &Node<'a>) -> Vec<Value<'a>> {
    let column = node
        .lines
        .iter()
        .find(|line| !line.is_blank())
        .map_or(0, Line::indent);
    let mut items = Vec::new();
    let mut open: Vec<Line<'a>> = Vec::new();
    for line in &node.lines {
        if line.indent() == column && !line.is_blank() {
            items.extend(joined(std::mem::take(&mut open).into_iter()).map(Value::Text));
            open.push(trimmed(*line));
        } else {
            open.push(trim_end(*line));
        }
    }
    items.extend(joined(open.into_iter()).map(Value::Text));
    items
}

/// Returns the fields of an object that is only partly present; conditions whose title was cut off
/// go below `conditions`.
pub(super) fn fields_of_part<'a>(tree: &Tree<'a>) -> Map<'a> {
    let conditions = match children_value(tree, tree.root()) {
        Value::List(items) => items,
        Value::Map(map) if map.get("last_transition_time").is_some() => vec![Value::Map(map)],
        Value::Map(map) => return map,
        _ => Vec::new(),
    };
    let mut map = Map::new();
    map.insert_labelled("conditions", "Conditions", Value::List(conditions));
    map
}

/// Returns the children of a node as a map, or as a list of maps. As list elements follow each
/// other without a separator, an element starts where a key repeats or the sort order is broken.
fn children_value<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Value<'a> {
    let nodes: Vec<_> = tree.children(node).collect();
    let mut seen = HashSet::new();
    let mut starts = vec![0];
    let mut before = "";
    for (index, node) in nodes.iter().enumerate() {
        let key = node.key.text;
        if index > 0 && (seen.contains(key) || (tree.sorted && breaks_order(before, key))) {
            seen.clear();
            starts.push(index);
        }
        seen.insert(key);
        before = key;
    }
    let map = |from: usize, to: usize| {
        let mut map = Map::new();
        if let Some(own) = scalar(node.value).filter(|_| from == 0) {
            map.insert_labelled("value", "", own);
        }
        let part = nodes.get(from..to).unwrap_or(&[]);
        add(&mut map, tree, part.iter().copied());
        Value::Map(map)
    };
    if starts.len() == 1 && node.key.text != "Conditions" {
        return map(0, nodes.len());
    }
    let ends = starts.iter().skip(1).copied().chain([nodes.len()]);
    let items = starts.iter().zip(ends).map(|(from, to)| map(*from, to));
    Value::List(items.collect())
}

/// Returns true if the field of `key` sorts before that of the key above it. Fields are sorted
/// bytewise, but a label does not show which letters were upper case, so both possible orders must
/// agree.
fn breaks_order(before: &str, key: &str) -> bool {
    let letters = |text: &str| text.replace(' ', "");
    let (before, key) = (letters(before), letters(key));
    key.to_lowercase() < before.to_lowercase() && camel(&key) < camel(&before)
}

fn camel(label: &str) -> String {
    let mut chars = label.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Converts a key to a field name: `StorageClass` and `Storage Class` are `storage_class`.
pub(super) fn snake_case(key: &str) -> String {
    let key = match key {
        "QoS Class" => "Qos Class",
        key => key,
    };
    let chars: Vec<char> = key.trim().chars().take(128).collect();
    let mut name = String::with_capacity(key.len() + 4);
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let starts = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_uppercase()
                        && after.is_some_and(|a| a.is_lowercase() && !is_plural(&chars, at)))
            });
        if starts && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    while name.ends_with('_') {
        name.pop();
    }
    name
}

/// Returns true if the capital at this position ends the plural of an acronym: `IPs`, `PodCIDRs`.
fn is_plural(chars: &[char], at: usize) -> bool {
    chars.get(at + 1) == Some(&'s') && chars.get(at + 2).is_none_or(|c| !c.is_alphanumeric())
}
