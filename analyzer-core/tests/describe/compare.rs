//! Compares parsed fields with the known ones.

use serde_json::Value;

/// Maps with user-defined keys, in which the result must not contain any other keys.
const MAPS: &[&str] = &[
    "labels",
    "annotations",
    "limits",
    "requests",
    "capacity",
    "allocatable",
    "node_selectors",
    "parameters",
    "data",
    "binary_bytes",
    "data_bytes",
];
/// Kinds with the same layout.
const SAME_KIND: &[[&str; 2]] = &[
    ["Role", "ClusterRole"],
    ["RoleBinding", "ClusterRoleBinding"],
];

/// Returns the differences between two answers. Keys that `want` lacks, the number of spaces and the order of lists
/// other than commands are ignored.
pub fn misses(want: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(&want["objects"], &got["objects"], "", &mut found);
    found
}

fn compare(want: &Value, got: &Value, path: &str, found: &mut Vec<String>) {
    let name = path.rsplit('.').next().unwrap();
    match (want, got) {
        _ if is_empty(want) && is_empty(got) => {}
        (Value::Object(want), _) => {
            let none = serde_json::Map::new();
            let got = got.as_object().unwrap_or(&none);
            for (key, value) in want {
                let other = got.get(key).unwrap_or(&Value::Null);
                compare(value, other, &format!("{path}.{key}"), found);
            }
            if MAPS.contains(&name) {
                for (key, value) in got.iter().filter(|(key, _)| !want.contains_key(*key)) {
                    compare(&Value::Null, value, &format!("{path}.{key}"), found);
                }
            }
        }
        (Value::Array(want), _) if name == "command" || name == "args" => {
            let none = Vec::new();
            let got = got.as_array().unwrap_or(&none);
            for index in 0..want.len().max(got.len()) {
                let item = |list: &[Value]| list.get(index).cloned().unwrap_or_default();
                compare(&item(want), &item(got), &format!("{path}[]"), found);
            }
        }
        (Value::Array(want), _) => {
            let mut left: Vec<&Value> = got.as_array().into_iter().flatten().collect();
            let path_of_item = format!("{path}[]");
            let cost = |item: &Value, other: &Value| {
                let mut misses = Vec::new();
                compare(item, other, &path_of_item, &mut misses);
                misses.len()
            };
            // match equal items first, so that one that differs does not affect the others
            let rest: Vec<&Value> = want
                .iter()
                .filter(
                    |item| match left.iter().position(|other| cost(item, other) == 0) {
                        Some(at) => {
                            left.remove(at);
                            false
                        }
                        None => true,
                    },
                )
                .collect();
            for item in rest {
                let costs = left.iter().enumerate();
                let best = costs.min_by_key(|(_, other)| cost(item, other));
                let other = match best.map(|(at, _)| at) {
                    Some(at) => left.remove(at),
                    None => &Value::Null,
                };
                compare(item, other, &path_of_item, found);
            }
            let more = left.into_iter().filter(|other| !is_empty(other));
            found.extend(more.map(|other| format!("{path}[]: want nothing, got {other}")));
        }
        (Value::String(a), Value::String(b)) if path == "[].kind" && same_kind(a, b) => {}
        (Value::String(a), Value::String(b)) if a.split_whitespace().eq(b.split_whitespace()) => {}
        _ if want == got => {}
        _ => found.push(format!("{path}: want {want}, got {got}")),
    }
}

fn same_kind(a: &str, b: &str) -> bool {
    SAME_KIND
        .iter()
        .any(|kinds| kinds.contains(&a) && kinds.contains(&b))
}

/// Returns true if a value is null or empty, or contains only empty values.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(map) => map.values().all(is_empty),
        _ => false,
    }
}
