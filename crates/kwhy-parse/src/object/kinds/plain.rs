//! ConfigMaps, Secrets and namespaces.

use super::read::{self, Field, conditions, field, labels, same};
use kwhy_model::{Map, Value};

pub(super) const CONFIG_MAP: &[Field] = &[
    field("data", "data", labels),
    field("binary_bytes", "binaryData", decoded_lengths),
    field("immutable", "immutable", same),
];

/// Secrets: the sizes of the values, never the values themselves.
pub(super) const SECRET: &[Field] = &[
    field("type", "type", same),
    field("data_bytes", "data", decoded_lengths),
    field("immutable", "immutable", same),
];

pub(super) const NAMESPACE: &[Field] = &[
    field("status", "status.phase", same),
    field("conditions", "status.conditions", conditions),
    field("spec_finalizers", "spec.finalizers", read::texts),
];

/// Returns the number of bytes that a base64 text encodes.
fn decoded_lengths<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Map(map) = value else {
        return None;
    };
    let lengths: Map<'a> = map
        .clone()
        .into_iter()
        .filter_map(|(key, value)| {
            let text = value.to_text()?;
            let digits = text
                .bytes()
                .filter(|b| !b.is_ascii_whitespace() && *b != b'=')
                .count();
            let bytes = i64::try_from(digits * 6 / 8).ok()?;
            let span = value.span();
            drop(text);
            Some((key, Value::Integer(bytes, span)))
        })
        .collect();
    (!lengths.is_empty()).then_some(Value::Map(lengths))
}
