//! Kinds without a table: all fields of the object, with keys in snake case.

use std::borrow::Cow;

use super::read;
use kwhy_model::{Map, Value};

/// Adds all of an object's fields that its identity does not cover, and its conditions.
pub(super) fn add<'a>(fields: &mut Map<'a>, object: &Map<'a>) {
    let own = object
        .iter()
        .filter(|(key, _)| !matches!(*key, "apiVersion" | "kind" | "metadata"))
        .filter_map(|(key, part)| Some((Cow::Owned(snake_case(key)), value(part)?)));
    // fields from the object's identity take precedence
    *fields = own.chain(std::mem::take(fields)).collect();
    let conditions = object.get("status.conditions").and_then(read::conditions);
    if let Some(conditions) = conditions {
        fields.insert("conditions", conditions);
    }
}

/// Returns a value with its keys in snake case; `None` if it is empty.
pub(super) fn value<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    match value {
        Value::Map(map) => {
            let map: Map<'a> = map
                .iter()
                .filter_map(|(key, below)| Some((Cow::Owned(snake_case(key)), self::value(below)?)))
                .collect();
            (!map.is_empty()).then_some(Value::Map(map))
        }
        Value::List(items) => read::list(items.iter().filter_map(self::value)),
        scalar => read::same(scalar),
    }
}

/// Converts a key to snake case: `podCIDR` to `pod_cidr`, `hostIPs` to `host_ips`. Keys that are not field names,
/// such as those of labels and data, stay as they are.
pub(super) fn snake_case(key: &str) -> String {
    let is_name = key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.len() <= 128
        && key.bytes().all(|b| b.is_ascii_alphanumeric());
    if !is_name {
        return key.to_owned();
    }
    let bytes = key.as_bytes();
    let mut name = String::with_capacity(key.len() + 4);
    for (at, c) in key.char_indices() {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + 1);
        let plural = after == Some(&b's') && bytes.get(at + 2).is_none_or(u8::is_ascii_uppercase);
        let starts = c.is_ascii_uppercase()
            && before.is_some_and(|b| {
                !b.is_ascii_uppercase() || (after.is_some_and(u8::is_ascii_lowercase) && !plural)
            });
        if starts {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (key, name) in [
            ("podCIDR", "pod_cidr"),
            ("podCIDRs", "pod_cidrs"),
            ("hostIP", "host_ip"),
            ("lastTransitionTime", "last_transition_time"),
            ("externalIPs", "external_ips"),
            ("nodeID", "node_id"),
            ("app.kubernetes.io/name", "app.kubernetes.io/name"),
            ("phase", "phase"),
        ] {
            assert_eq!(snake_case(key), name);
        }
    }
}
