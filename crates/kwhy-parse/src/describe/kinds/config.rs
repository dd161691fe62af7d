//! ConfigMaps, Secrets and ServiceAccounts.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE};
use super::layout::{Block, Content, Node, Tree, field, part, trimmed};
use super::values::{entries, lines, put, scalar, text};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

static CONFIG_MAP_BLOCK: Block = Block {
    repeats: false,
    fields: &[NAME, NAMESPACE, LABELS, ANNOTATIONS],
};

/// ConfigMaps; their [`data`](super::super::raw_data) is not part of the layout.
pub(super) static CONFIG_MAP: Kind = kind("ConfigMap", &CONFIG_MAP_BLOCK);

static SECRET_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("Type", "type", Content::Value, text),
    ],
};

/// Secrets.
pub(super) static SECRET: Kind = kind("Secret", &SECRET_BLOCK);

static ACCOUNT_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field(
            "Image pull secrets",
            "image_pull_secrets",
            Content::Lines,
            secrets,
        ),
        field(
            "Mountable secrets",
            "mountable_secrets",
            Content::Lines,
            secrets,
        ),
        field("Tokens", "tokens", Content::Lines, lines),
    ],
};

/// ServiceAccounts.
pub(super) static SERVICE_ACCOUNT: Kind = kind("ServiceAccount", &ACCOUNT_BLOCK);

/// Parses `NAME (not found)`, one per line.
fn secrets<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .map(|line| {
            let missing = line.text.strip_suffix("(not found)");
            let name = trimmed(part(line, 0, missing.unwrap_or(line.text).len()));
            let mut map = Map::new();
            put(&mut map, "name", scalar(name));
            map.insert("found", Value::Boolean(missing.is_none(), line.span()));
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}
