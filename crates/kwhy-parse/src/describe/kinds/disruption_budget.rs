//! PodDisruptionBudgets.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Block, Content, Tree, field};
use super::values::{add_fields, deferred, integer, text};
use super::{Kind, kind};
use kwhy_model::Map;

static STATUS: Block = Block {
    repeats: false,
    fields: &[
        field(
            "Allowed disruptions",
            "allowed_disruptions",
            Content::Value,
            integer,
        ),
        field("Current", "current", Content::Value, integer),
        field("Desired", "desired", Content::Value, integer),
        field("Total", "total", Content::Value, integer),
    ],
};

static BUDGET: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("Min available", "min_available", Content::Value, text),
        field("Max unavailable", "max_unavailable", Content::Value, text),
        SELECTOR,
        field("Status", "status", Content::Fields(&STATUS), deferred),
    ],
};

/// PodDisruptionBudgets.
pub(super) static KIND: Kind = kind("PodDisruptionBudget", &BUDGET).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(status) = tree.child(tree.root(), "Status") {
        add_fields(map, tree, status);
    }
}
