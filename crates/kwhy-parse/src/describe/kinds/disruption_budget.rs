//! PodDisruptionBudgets.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE, SELECTOR};
use super::layout::{Below, Block, Tree, field};
use super::values::{add_fields, deferred, integer, text};
use super::{Kind, kind};
use kwhy_model::Map;

static STATUS: Block = Block {
    repeats: false,
    fields: &[
        field(
            "Allowed disruptions",
            "allowed_disruptions",
            Below::Value,
            integer,
        ),
        field("Current", "current", Below::Value, integer),
        field("Desired", "desired", Below::Value, integer),
        field("Total", "total", Below::Value, integer),
    ],
};

static BUDGET: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        NAMESPACE,
        LABELS,
        ANNOTATIONS,
        field("Min available", "min_available", Below::Value, text),
        field("Max unavailable", "max_unavailable", Below::Value, text),
        SELECTOR,
        field("Status", "status", Below::Fields(&STATUS), deferred),
    ],
};

/// PodDisruptionBudgets.
pub(super) static KIND: Kind = kind("PodDisruptionBudget", &BUDGET).finish(finish);

fn finish<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(status) = tree.child(tree.root(), "Status") {
        add_fields(map, tree, status);
    }
}
