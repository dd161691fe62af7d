//! Conversions of the API's values.

use kwhy_model::{Map, Span, TextBuilder, Value};

/// Converts a value; `None` if it has no meaning.
pub(super) type Reader = for<'a> fn(&Value<'a>) -> Option<Value<'a>>;

/// A field: its neutral name, the path of its value (empty for the whole value), and the conversion.
pub(super) struct Field {
    name: &'static str,
    path: &'static str,
    read: Reader,
}

pub(super) const fn field(name: &'static str, path: &'static str, read: Reader) -> Field {
    Field { name, path, read }
}

/// Adds the fields of a map that a table lists.
pub(super) fn add<'a>(fields: &mut Map<'a>, from: &Map<'a>, table: &[Field]) {
    add_all(fields, from, None, table);
}

/// Like [`add`], given also the value that contains the map.
fn add_all<'a>(fields: &mut Map<'a>, from: &Map<'a>, whole: Option<&Value<'a>>, table: &[Field]) {
    for field in table {
        let value = match whole {
            _ if !field.path.is_empty() => from.get(field.path).and_then(field.read),
            Some(whole) => (field.read)(whole),
            // only the few fields without a path need a copy
            None => (field.read)(&Value::Map(from.clone())),
        };
        if let Some(value) = value {
            fields.insert(field.name, value);
        }
    }
}

/// Converts a map by a table.
pub(super) fn map<'a>(value: &Value<'a>, table: &[Field]) -> Option<Value<'a>> {
    let Value::Map(from) = value else {
        return None;
    };
    let mut fields = Map::with_room(from.len());
    add_all(&mut fields, from, Some(value), table);
    (!fields.is_empty()).then_some(Value::Map(fields))
}

/// Converts each map of a list by a table.
pub(super) fn each<'a>(value: &Value<'a>, table: &[Field]) -> Option<Value<'a>> {
    list(value.items().iter().filter_map(|item| map(item, table)))
}

/// Returns a list, or `None` if it has no items.
pub(super) fn list<'a>(items: impl Iterator<Item = Value<'a>>) -> Option<Value<'a>> {
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// Returns a derived text that does not occur verbatim in the object.
pub(super) fn decoded<'a>(text: &str, span: Span) -> Value<'a> {
    let mut builder = TextBuilder::new();
    builder.push_decoded(text, span);
    Value::Text(builder.finish())
}

/// Returns the span of a value, or of the value around it if that is empty.
pub(super) fn place(value: &Value<'_>, around: &Value<'_>) -> Span {
    let span = value.span();
    if span.is_empty() { around.span() } else { span }
}

/// Returns a scalar unchanged.
pub(super) fn same<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    match value {
        Value::Text(text) if text.is_empty() => None,
        Value::Map(_) | Value::List(_) => None,
        scalar => Some(scalar.clone()),
    }
}

/// Returns a number.
pub(super) fn integer<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    matches!(value, Value::Integer(..)).then(|| value.clone())
}

/// Returns a boolean.
pub(super) fn flag<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    matches!(value, Value::Boolean(..)).then(|| value.clone())
}

/// Returns a scalar as text, as a quantity or port may be written as a number.
pub(super) fn text<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    match same(value)? {
        Value::Text(text) => Some(Value::Text(text)),
        scalar => Some(decoded(&scalar.to_text()?, scalar.span())),
    }
}

/// Returns a time in UTC, in whole seconds.
pub(super) fn time<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Text(text) = value else {
        return None;
    };
    let is_whole = text.as_str().len() == 20 && text.as_str().ends_with('Z');
    if is_whole {
        return Some(value.clone());
    }
    match text.as_str().parse::<jiff::Timestamp>() {
        Ok(time) => Some(decoded(&format!("{time:.0}"), text.span())),
        Err(_) => same(value),
    }
}

/// Returns a list of scalars as texts.
pub(super) fn texts<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    list(value.items().iter().filter_map(text))
}

/// Returns the lines of texts, as a describe prints a command.
pub(super) fn lines<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    list(
        value
            .items()
            .iter()
            .filter_map(text)
            .flat_map(|value| match value {
                Value::Text(text) => {
                    let mut at = 0;
                    let mut parts = Vec::new();
                    for line in text.as_str().split('\n') {
                        parts.push(Value::Text(text.slice(at..at + line.len())));
                        at += line.len() + 1;
                    }
                    parts
                }
                other => vec![other],
            }),
    )
}

/// Returns a map of scalars as texts: labels, quantities. Empty values are kept.
pub(super) fn labels<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Map(map) = value else {
        return None;
    };
    let texts: Map<'a> = map
        .entries()
        .filter_map(|(key, value)| {
            let value = match value {
                Value::Text(text) => Value::Text(text.clone()),
                other => text(other)?,
            };
            Some((key.clone(), value))
        })
        .collect();
    (!texts.is_empty()).then_some(Value::Map(texts))
}

/// Returns annotations without the copy of the object that `kubectl apply` stores.
pub(super) fn annotations<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Some(Value::Map(map)) = labels(value) else {
        return None;
    };
    let kept: Map<'a> = map
        .into_iter()
        .filter(|(key, _)| key != "kubectl.kubernetes.io/last-applied-configuration")
        .map(|(key, value)| match value {
            Value::Text(text) if text.as_str().ends_with('\n') => {
                let length = text.as_str().trim_end_matches('\n').len();
                (key, Value::Text(text.slice(0..length)))
            }
            other => (key, other),
        })
        .collect();
    (!kept.is_empty()).then_some(Value::Map(kept))
}

/// Joins scalars of a map.
pub(super) fn joined<'a>(value: &Value<'a>, keys: &[&str], by: &str) -> Option<Value<'a>> {
    let parts: Vec<_> = keys.iter().filter_map(|key| value.get(key)).collect();
    let texts: Vec<_> = parts.iter().filter_map(|part| part.to_text()).collect();
    let span = parts
        .iter()
        .map(|part| part.span())
        .reduce(|all, span| all.start.min(span.start)..all.end.max(span.end))?;
    (texts.len() == keys.len()).then(|| decoded(&texts.join(by), span))
}

/// Formats a label selector as kubectl prints it: `a=b,c in (d,e),!f`.
pub(super) fn selector<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Map(map) = value else {
        return None;
    };
    let is_new = map
        .iter()
        .all(|(key, _)| matches!(key, "matchLabels" | "matchExpressions"));
    let mut terms: Vec<(String, String)> = Vec::new();
    let pairs = if is_new {
        map.get("matchLabels")
    } else {
        Some(value)
    };
    if let Some(Value::Map(pairs)) = pairs {
        for (key, value) in pairs.iter() {
            let value = value.to_text().unwrap_or_default();
            terms.push((key.to_owned(), format!("{key}={value}")));
        }
    }
    for expression in map.items("matchExpressions").iter().filter(|_| is_new) {
        let scalar = |key| {
            expression
                .get(key)
                .and_then(Value::to_text)
                .unwrap_or_default()
        };
        let key = scalar("key").into_owned();
        let items = expression.get("values").map_or(&[][..], Value::items);
        let mut values: Vec<_> = items.iter().filter_map(Value::to_text).collect();
        values.sort();
        let values = values.join(",");
        let term = match &*scalar("operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.clone(),
        };
        terms.push((key, term));
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    let terms: Vec<String> = terms.into_iter().map(|(_, term)| term).collect();
    (!terms.is_empty()).then(|| decoded(&terms.join(","), map.span()))
}

const CONDITION: &[Field] = &[
    field("type", "type", same),
    field("status", "status", text),
    field("reason", "reason", same),
    field("message", "message", same),
    field("last_heartbeat_time", "lastHeartbeatTime", time),
    field("last_probe_time", "lastProbeTime", time),
    field("last_transition_time", "lastTransitionTime", time),
    field("last_update_time", "lastUpdateTime", time),
];

/// Returns the conditions of any kind.
pub(super) fn conditions<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    each(value, CONDITION)
}

/// Abbreviates access modes: `ReadWriteOnce` to `RWO`.
pub(super) fn access_modes<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    list(value.items().iter().filter_map(|mode| {
        let short = match &*mode.to_text()? {
            "ReadWriteOnce" => "RWO",
            "ReadOnlyMany" => "ROX",
            "ReadWriteMany" => "RWX",
            "ReadWriteOncePod" => "RWOP",
            _ => return same(mode),
        };
        Some(decoded(short, mode.span()))
    }))
}
