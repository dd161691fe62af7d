//! PersistentVolumeClaims and PersistentVolumes.

use super::common::{ANNOTATIONS, CONDITIONS_FIELD, LABELS, NAME, NAMESPACE, status, terminating};
use super::layout::{Block, Content, Field, Node, Tree, field};
use super::values::{block, entries, lines, scalar, text, values_of};
use super::volume::{VOLUME as SOURCE, source};
use super::{Kind, kind};
use kwhy_model::{Map, Value};

const STORAGE_CLASS: Field = field("StorageClass", "storage_class", Content::Value, text);
const STATUS: Field = field("Status", "status", Content::Value, status);
const FINALIZERS: Field = field("Finalizers", "finalizers", Content::Value, values_of);
const CAPACITY: Field = field("Capacity", "capacity", Content::Value, text);
const ACCESS_MODES: Field = field("Access Modes", "access_modes", Content::Value, values_of);
const VOLUME_MODE: Field = field("VolumeMode", "volume_mode", Content::Value, text);

static DATA_SOURCE: Block = Block {
    repeats: false,
    fields: &[
        field("APIGroup", "api_group", Content::Value, text),
        field("Kind", "kind", Content::Value, text),
        field("Name", "name", Content::Value, text),
    ],
};

static CLAIM_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        STORAGE_CLASS,
        STATUS,
        field("Volume", "volume", Content::Value, text),
        LABELS,
        ANNOTATIONS,
        FINALIZERS,
        CAPACITY,
        ACCESS_MODES,
        VOLUME_MODE,
        field(
            "DataSource",
            "data_source",
            Content::Fields(&DATA_SOURCE),
            block,
        ),
        field("Used By", "used_by", Content::Lines, lines),
        field("Mounted By", "used_by", Content::Lines, lines),
        CONDITIONS_FIELD,
    ],
};

/// PersistentVolumeClaims.
pub(super) static CLAIM: Kind = kind("PersistentVolumeClaim", &CLAIM_BLOCK).finish(finish);

static AFFINITY: Block = Block {
    repeats: false,
    fields: &[field(
        "Required Terms",
        "required_terms",
        Content::Entries,
        text,
    )],
};

static VOLUME_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        LABELS,
        ANNOTATIONS,
        FINALIZERS,
        STORAGE_CLASS,
        STATUS,
        field("Claim", "claim", Content::Value, text),
        field("Reclaim Policy", "reclaim_policy", Content::Value, text),
        ACCESS_MODES,
        VOLUME_MODE,
        CAPACITY,
        field(
            "Node Affinity",
            "node_affinity",
            Content::Fields(&AFFINITY),
            node_affinity,
        ),
        field("Message", "message", Content::Text, text),
        field("Source", "source", Content::Fields(&SOURCE), source),
    ],
};

/// PersistentVolumes.
pub(super) static VOLUME: Kind = kind("PersistentVolume", &VOLUME_BLOCK).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    terminating(map, tree);
}

/// Returns the expressions of all terms.
fn node_affinity<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let terms = tree.child(node, "Required Terms")?;
    let items: Vec<_> = tree
        .children(terms)
        .flat_map(entries)
        .filter_map(scalar)
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}
