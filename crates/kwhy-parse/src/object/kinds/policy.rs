//! Kinds that constrain workloads: autoscalers, budgets, quotas, limits, priorities.

use std::collections::HashMap;

use super::read::{
    self, Field, conditions, decoded, field, joined, same, selector, text, texts, time,
};
use kwhy_model::{Map, Value};

pub(super) const AUTOSCALER: &[Field] = &[
    field("reference", "spec.scaleTargetRef", reference),
    field("metrics", "", metrics),
    field("min_replicas", "spec.minReplicas", same),
    field("max_replicas", "spec.maxReplicas", same),
    field("replicas", "", replicas),
    field("last_scale_time", "status.lastScaleTime", time),
    field("conditions", "status.conditions", conditions),
];

pub(super) const DISRUPTION_BUDGET: &[Field] = &[
    field("min_available", "spec.minAvailable", text),
    field("max_unavailable", "spec.maxUnavailable", text),
    field("selector", "spec.selector", selector),
    field("allowed_disruptions", "status.disruptionsAllowed", same),
    field("current", "status.currentHealthy", same),
    field("desired", "status.desiredHealthy", same),
    field("total", "status.expectedPods", same),
    field("conditions", "status.conditions", conditions),
];

pub(super) const QUOTA: &[Field] = &[
    field("scopes", "spec.scopes", texts),
    field("resources", "", quota_resources),
];

pub(super) const LIMIT_RANGE: &[Field] = &[field("limits", "spec.limits", limits)];

pub(super) const PRIORITY_CLASS: &[Field] = &[
    field("value", "value", same),
    field("global_default", "", global_default),
    field("preemption_policy", "preemptionPolicy", same),
    field("description", "description", same),
];

fn reference<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    joined(value, &["kind", "name"], "/")
}

fn replicas<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    let status = object.get("status")?;
    for (name, key) in [
        ("current", "currentReplicas"),
        ("desired", "desiredReplicas"),
    ] {
        let said = status.get(key).cloned();
        map.insert(
            name,
            said.unwrap_or_else(|| Value::Integer(0, status.span())),
        );
    }
    Some(Value::Map(map))
}

/// Returns each metric with its current and target value, as kubectl prints them.
fn metrics<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let wanted = object.get("spec.metrics").map_or(&[][..], Value::items);
    let current = object
        .get("status.currentMetrics")
        .map_or(&[][..], Value::items);
    let items = wanted
        .iter()
        .enumerate()
        .filter_map(|(at, metric)| self::metric(metric, current.get(at)));
    read::list(items)
}

fn metric<'a>(metric: &Value<'a>, current: Option<&Value<'a>>) -> Option<Value<'a>> {
    const KINDS: &[&str] = &[
        "resource",
        "containerResource",
        "pods",
        "object",
        "external",
    ];
    let (kind, source) = KINDS
        .iter()
        .find_map(|kind| Some((*kind, metric.get(kind)?)))?;
    let target = source.get("target")?;
    let now = current
        .and_then(|current| current.get(kind))
        .and_then(|now| now.get("current"));
    let text = |of: Option<&Value<'a>>, key: &str| -> Option<String> {
        Some(of?.get(key)?.to_text()?.into_owned())
    };
    let amount =
        |of: Option<&Value<'a>>, key: &str| text(of, key).unwrap_or_else(|| "<unknown>".to_owned());
    let (label, shown, wanted);
    if matches!(kind, "resource" | "containerResource") {
        let container = text(Some(source), "container").map_or_else(String::new, |container| {
            format!(" of container \"{container}\"")
        });
        let name = text(Some(source), "name").unwrap_or_default();
        let what = format!("resource {name}{container} on pods");
        if target.get("averageValue").is_some() {
            label = what;
            shown = amount(now, "averageValue");
            wanted = amount(Some(target), "averageValue");
        } else {
            label = format!("{what} (as a percentage of request)");
            shown = match text(now, "averageUtilization") {
                Some(percent) => format!("{percent}% ({})", amount(now, "averageValue")),
                None => "<unknown>".to_owned(),
            };
            wanted = format!("{}%", amount(Some(target), "averageUtilization"));
        }
    } else {
        let name = source.get("metric.name").and_then(Value::to_text)?;
        let averages = target.get("averageValue").is_some();
        let key = if kind == "pods" || averages {
            "averageValue"
        } else {
            "value"
        };
        label = if kind == "pods" {
            format!("\"{name}\" on pods")
        } else {
            let object = source
                .get("describedObject")
                .and_then(|object| joined(object, &["kind", "name"], "/"));
            let object = object.as_ref().and_then(Value::to_text);
            let place = object.map_or_else(String::new, |object| format!(" on {object}"));
            let average = if averages { "average " } else { "" };
            format!("\"{name}\"{place} (target {average}value)")
        };
        shown = amount(now, key);
        wanted = amount(Some(target), key);
    }
    let mut map = Map::new();
    let span = source.span();
    map.insert("metric", decoded(&label, span.clone()));
    let place = now.map_or_else(|| span.clone(), Value::span);
    map.insert("current", decoded(&shown, place));
    map.insert("target", decoded(&wanted, target.span()));
    Some(Value::Map(map))
}

fn quota_resources<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let hard = object
        .get("status.hard")
        .or_else(|| object.get("spec.hard"))?;
    let Value::Map(hard) = hard else {
        return None;
    };
    let used: HashMap<&str, &Value<'a>> = match object.get("status.used") {
        Some(Value::Map(used)) => used.iter().collect(),
        _ => HashMap::new(),
    };
    read::list(hard.iter().map(|(name, limit)| {
        let mut map = Map::new();
        map.insert("resource", decoded(name, limit.span()));
        let used = used.get(name).and_then(|used| text(used));
        map.insert("used", used.unwrap_or_else(|| decoded("0", limit.span())));
        if let Some(limit) = text(limit) {
            map.insert("hard", limit);
        }
        Value::Map(map)
    }))
}

/// The maximum number of resources per limit; a cluster has about a dozen.
const MAX_RESOURCES: usize = 256;

fn limits<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    const COLUMNS: &[(&str, &str)] = &[
        ("min", "min"),
        ("max", "max"),
        ("default_request", "defaultRequest"),
        ("default_limit", "default"),
        ("max_ratio", "maxLimitRequestRatio"),
    ];
    let mut rows: Vec<Map<'a>> = Vec::new();
    for item in value.items() {
        let first = rows.len();
        for (column, key) in COLUMNS {
            let Some(Value::Map(amounts)) = item.get(key) else {
                continue;
            };
            for (resource, amount) in amounts.iter().take(MAX_RESOURCES) {
                let Some(amount) = text(amount) else { continue };
                let own = rows.get_mut(first..).unwrap_or_default();
                let known = own
                    .iter_mut()
                    .find(|row| row.text("resource").as_deref() == Some(resource));
                match known {
                    Some(row) => row.insert(*column, amount),
                    None => {
                        let mut row = Map::new();
                        if let Some(kind) = item.get("type").and_then(same) {
                            row.insert("type", kind);
                        }
                        row.insert("resource", decoded(resource, amount.span()));
                        row.insert(*column, amount);
                        rows.push(row);
                    }
                }
            }
        }
    }
    read::list(rows.into_iter().map(Value::Map))
}

fn global_default<'a>(object: &Value<'a>) -> Option<Value<'a>> {
    let said = object.get("globalDefault").cloned();
    Some(said.unwrap_or_else(|| Value::Boolean(false, object.span())))
}
