//! Roles, their bindings and service accounts.

use super::read::{self, Field, decoded, field, same};
use kwhy_model::{Map, Value};

pub(super) const ROLE: &[Field] = &[field("rules", "rules", rules)];

pub(super) const ROLE_BINDING: &[Field] = &[
    field("role", "roleRef", reference),
    field("subjects", "subjects", subjects),
];

pub(super) const SERVICE_ACCOUNT: &[Field] = &[
    field("image_pull_secrets", "imagePullSecrets", references),
    field("mountable_secrets", "secrets", references),
    field("automount_token", "automountServiceAccountToken", same),
];

const REFERENCE: &[Field] = &[
    field("kind", "kind", same),
    field("name", "name", same),
    field("namespace", "namespace", same),
];

fn reference<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::map(value, REFERENCE)
}

fn references<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, REFERENCE)
}

fn subjects<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    references(value)
}

/// The maximum length of a name in the API.
const MAX_NAME: usize = 253;

/// The maximum number of verbs listed per rule; the API has about a dozen.
const MAX_VERBS: usize = 64;

/// The maximum number of rows of a role's rules.
const MAX_ROWS: usize = 2000;

/// Returns a row for each resource of each group, as kubectl prints them.
fn rules<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let mut rows = Vec::new();
    for rule in value.items() {
        let list = |key| rule.get(key).map_or(&[][..], Value::items);
        let verbs = list("verbs").iter().take(MAX_VERBS).filter_map(read::text);
        let verbs = read::list(verbs);
        for url in list("nonResourceURLs").iter().take(MAX_ROWS) {
            if rows.len() >= MAX_ROWS {
                break;
            }
            let mut row = Map::new();
            row.insert("non_resource_urls", Value::List(vec![url.clone()]));
            row.insert(
                "verbs",
                verbs.clone().unwrap_or_else(|| Value::List(Vec::new())),
            );
            rows.push(row);
        }
        for group in list("apiGroups") {
            let group = group.to_text().unwrap_or_default();
            if rows.len() >= MAX_ROWS || group.len() > MAX_NAME {
                break;
            }
            for resource in list("resources") {
                if rows.len() >= MAX_ROWS {
                    break;
                }
                let Some(name) = resource.to_text() else {
                    continue;
                };
                let (base, sub) = name.split_at(name.find('/').unwrap_or(name.len()));
                let shown = if group.is_empty() {
                    name.to_string()
                } else {
                    format!("{base}.{group}{sub}")
                };
                let names = list("resourceNames").iter().map(Some);
                let names: Vec<_> = if list("resourceNames").is_empty() {
                    vec![None]
                } else {
                    names.collect()
                };
                for only in names {
                    if rows.len() >= MAX_ROWS {
                        break;
                    }
                    let mut row = Map::new();
                    row.insert("resource", decoded(&shown, resource.span()));
                    if let Some(only) = only {
                        row.insert("resource_names", Value::List(vec![only.clone()]));
                    }
                    if let Some(verbs) = &verbs {
                        row.insert("verbs", verbs.clone());
                    }
                    rows.push(row);
                }
            }
        }
    }
    read::list(rows.into_iter().map(Value::Map))
}
