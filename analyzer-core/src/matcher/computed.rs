//! Values that conditions can test but that are not a single value of an object: a whole map or list as text, a sum of
//! quantities.

use std::borrow::Cow;

use kwhy_model::{Map, Object, Quantity, TextBuilder, Value};

/// The maximum length of a flattened map or list in bytes; a node's labels take about 2 KiB.
const MAX_FLAT: usize = 16 << 10;

/// The maximum depth of nested maps in a flattened value.
const MAX_DEPTH: usize = 8;

/// Flattens a value to text: `a=b,c=d` for a map; the items of a list separated by `;`, or by `,` if they are scalars.
/// Nested keys are joined by a dot. `None` if the text is too long.
pub(super) fn flat(value: &Value<'_>) -> Option<String> {
    let mut text = String::new();
    add(value, "", 0, &mut text).then_some(text)
}

fn add(value: &Value<'_>, path: &str, depth: usize, into: &mut String) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match value {
        Value::Map(map) => map.iter().enumerate().all(|(at, (key, value))| {
            if at > 0 {
                into.push(',');
            }
            let path = match path {
                "" => Cow::Borrowed(key),
                above => Cow::Owned(format!("{above}.{key}")),
            };
            if value.to_text().is_some() {
                into.push_str(&path);
                into.push('=');
            }
            add(value, &path, depth + 1, into)
        }),
        Value::List(items) => items.iter().enumerate().all(|(at, item)| {
            if at > 0 {
                into.push(if item.to_text().is_some() { ',' } else { ';' });
            }
            add(item, path, depth + 1, into)
        }),
        scalar => {
            into.push_str(&scalar.to_text().unwrap_or_default());
            into.len() <= MAX_FLAT
        }
    }
}

/// The path of the object's kind, which is not one of its fields.
const KIND: &str = "kind";

/// Returns the value of a computed path; `None` for any other path, or if there is nothing to compute it from.
pub(super) fn of<'a>(path: &str, object: &Object<'a>) -> Option<Value<'a>> {
    if path == KIND {
        let mut text = TextBuilder::new();
        let start = object.span.start;
        text.push_decoded(object.subject.kind.as_deref()?, start..start);
        return Some(Value::Text(text.finish()));
    }
    sum(path, &object.fields).or_else(|| all(path, &object.fields))
}

/// Returns the value of `sum(LIST.PATH)`: the sum of the quantities at a path in the items of a list. A single quantity
/// keeps its spelling. `None` for any other path, or if no item has a quantity.
fn sum<'a>(path: &str, fields: &Map<'a>) -> Option<Value<'a>> {
    let path = path.strip_prefix("sum(")?.strip_suffix(')')?;
    // the list may itself be nested below other keys
    let (items, path) = path.match_indices('.').find_map(|(dot, _)| {
        let items = fields.items(path.get(..dot)?);
        Some((items, path.get(dot + 1..)?)).filter(|(items, _)| !items.is_empty())
    })?;
    let values: Vec<&Value<'a>> = items.iter().filter_map(|item| item.get(path)).collect();
    if let [only] = values.as_slice() {
        return Some((*only).clone());
    }
    let mut total = 0_i128;
    for value in &values {
        total = total.checked_add(Quantity::parse(&value.to_text()?)?.micro())?;
    }
    let spans = values.iter().map(|value| value.span());
    let span = spans.reduce(|all, span| all.start.min(span.start)..all.end.max(span.end))?;
    let mut text = TextBuilder::new();
    text.push_decoded(&shown(total), span);
    Some(Value::Text(text.finish()))
}

/// Returns true if a path is computed from several values: `sum(LIST.PATH)`, `all(LIST.PATH)`, `kind`.
pub(super) fn is_computed(path: &str) -> bool {
    path.starts_with("sum(") || path.starts_with("all(") || path == KIND
}

/// Returns the value of `all(LIST.PATH)`: the values at a path in the items of a list, as one list in which nested
/// lists are flattened. `None` for any other path, or if no item has a value.
fn all<'a>(path: &str, fields: &Map<'a>) -> Option<Value<'a>> {
    let path = path.strip_prefix("all(")?.strip_suffix(')')?;
    let (list, rest) = path.rsplit_once('.')?;
    let values = fields.all_items(list).filter_map(|item| item.get(rest));
    let values = values.flat_map(|value| match value {
        Value::List(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    });
    let values: Vec<Value<'a>> = values.cloned().collect();
    (!values.is_empty()).then_some(Value::List(values))
}

/// Formats an amount in millionths exactly, in the largest unit that divides it.
fn shown(micro: i128) -> String {
    const UNITS: [(&str, u32); 4] = [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let units = UNITS.iter().find(|(_, bits)| {
        let unit = 1_000_000_i128 << bits;
        micro >= unit && micro % unit == 0
    });
    match units {
        Some((unit, bits)) => format!("{}{unit}", micro / (1_000_000_i128 << bits)),
        None if micro % 1_000_000 == 0 => (micro / 1_000_000).to_string(),
        None => format!("{}m", micro / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_model::Text;

    fn text(text: &'static str) -> Value<'static> {
        Value::Text(Text::borrowed(text, 0))
    }

    fn map(pairs: &[(&'static str, &'static str)]) -> Value<'static> {
        let mut map = Map::new();
        for (key, value) in pairs {
            map.insert(*key, text(value));
        }
        Value::Map(map)
    }

    #[test]
    fn maps_and_lists_become_texts() {
        assert_eq!(
            flat(&map(&[("app", "web"), ("a.b/c", "d")])).as_deref(),
            Some("app=web,a.b/c=d")
        );
        let taints = Value::List(vec![map(&[("key", "gpu")]), map(&[("key", "spot")])]);
        assert_eq!(flat(&taints).as_deref(), Some("key=gpu;key=spot"));
        let modes = Value::List(vec![text("RWO"), text("ROX")]);
        assert_eq!(flat(&modes).as_deref(), Some("RWO,ROX"));
        let mut deep = text("end");
        for _ in 0..20 {
            deep = Value::List(vec![deep]);
        }
        assert_eq!(flat(&deep), None);
    }

    #[test]
    fn quantities_are_added_up() {
        let container = |cpu| {
            let mut container = Map::new();
            container.insert("requests", map(&[("cpu", cpu)]));
            Value::Map(container)
        };
        let pod = |cpus: &[&'static str]| {
            let mut pod = Map::new();
            let containers = cpus.iter().map(|cpu| container(cpu)).collect();
            pod.insert("containers", Value::List(containers));
            pod
        };
        let total = |cpus: &[&'static str]| {
            let sum = sum("sum(containers.requests.cpu)", &pod(cpus))?;
            sum.to_text().map(|text| text.into_owned())
        };
        assert_eq!(total(&["500m"]).as_deref(), Some("500m"));
        assert_eq!(total(&["500m", "2"]).as_deref(), Some("2500m"));
        assert_eq!(total(&["1Gi", "512Mi"]).as_deref(), Some("1536Mi"));
        assert_eq!(total(&["much", "2"]), None);
        assert_eq!(total(&[]), None);
        assert!(sum("containers", &pod(&["1", "2"])).is_none());
        let mut deployment = Map::new();
        deployment.insert("pod_template", Value::Map(pod(&["1", "250m"])));
        let below = sum("sum(pod_template.containers.requests.cpu)", &deployment);
        assert_eq!(below.unwrap().to_text().as_deref(), Some("1250m"));
    }
}
