//! The kinds with a describer in kubectl, one file per kind or pair of kinds with the same layout.
//!
//! Each has the keys that `pkg/describe/describe.go` of kubernetes/kubectl printed in any of the
//! releases 1.8 to 1.36. [`detect_kind`] detects the kind, as kubectl does not print it.

mod autoscaler;
mod claim;
mod class;
mod common;
mod config;
mod container;
mod daemon_set;
mod deployment;
pub(super) mod detect_kind;
mod disruption_budget;
mod endpoints;
mod ingress;
mod job;
mod namespace;
mod network_policy;
mod node;
mod pod;
mod rbac;
mod service;
mod stateful_set;
mod template;
mod volume;

pub(super) use common::{CONDITIONS_FIELD, CREATED};

use super::layout::{Block, Content, Schema, Tree};
use super::{generic, layout, raw_data, table, values};
use kwhy_model::Map;

/// A kind and the conversion of its objects.
pub(super) struct Kind {
    /// The name of the kind.
    pub name: &'static str,
    /// The layout of its describe.
    pub schema: Schema,
    /// Adds fields that combine several lines.
    pub finish: for<'a> fn(&mut Map<'a>, &Tree<'a>),
}

impl Kind {
    /// Returns the fields of an object.
    pub fn fields<'a>(&self, tree: &Tree<'a>) -> Map<'a> {
        let mut map = Map::new();
        values::add_fields(&mut map, tree, tree.root());
        (self.finish)(&mut map, tree);
        map
    }
}

/// Returns a kind with one field per line.
const fn kind(name: &'static str, block: &'static Block) -> Kind {
    Kind {
        name,
        schema: Schema {
            root: Content::Fields(block),
            implied: &[],
            generic: false,
        },
        finish: no_extra_fields,
    }
}

/// Returns a kind that creates pods from a template.
const fn controller(name: &'static str, block: &'static Block) -> Kind {
    Kind {
        name,
        schema: Schema {
            root: Content::Fields(block),
            implied: template::IMPLIED,
            generic: false,
        },
        finish: no_extra_fields,
    }
}

impl Kind {
    const fn finish(mut self, finish: for<'a> fn(&mut Map<'a>, &Tree<'a>)) -> Kind {
        self.finish = finish;
        self
    }
}

/// Adds nothing: each line is one field.
fn no_extra_fields<'a>(_: &mut Map<'a>, _: &Tree<'a>) {}

/// The fallback for a kind without a schema of its own.
static UNKNOWN: Kind = Kind {
    name: "",
    schema: generic::UNKNOWN,
    finish: no_extra_fields,
};

/// Output of the generic describer.
static GENERIC: Kind = Kind {
    name: "",
    schema: generic::SCHEMA,
    finish: no_extra_fields,
};

static KINDS: &[&Kind] = &[
    &autoscaler::KIND,
    &claim::CLAIM,
    &claim::VOLUME,
    &class::CSI_NODE,
    &class::PRIORITY,
    &class::STORAGE,
    &config::CONFIG_MAP,
    &config::SECRET,
    &config::SERVICE_ACCOUNT,
    &daemon_set::KIND,
    &deployment::DEPLOYMENT,
    &deployment::REPLICA_SET,
    &disruption_budget::KIND,
    &endpoints::ENDPOINTS,
    &endpoints::SLICE,
    &ingress::CLASS,
    &ingress::INGRESS,
    &job::CRON_JOB,
    &job::JOB,
    &namespace::LIMITS,
    &namespace::NAMESPACE,
    &namespace::QUOTA,
    &network_policy::KIND,
    &node::KIND,
    &pod::KIND,
    &rbac::BINDING,
    &rbac::ROLE,
    &service::KIND,
    &stateful_set::KIND,
];

/// Returns the kind for part of an object of unknown kind in the generic describer's output.
pub(super) fn generic_part() -> &'static Kind {
    &GENERIC
}

/// Returns the kind for objects whose kind was detected by `detect_kind`.
pub(super) fn reader(found: Option<detect_kind::DetectedKind<'_>>) -> &'static Kind {
    match found {
        Some(found) if found.is_generic => &GENERIC,
        Some(found) => KINDS
            .iter()
            .find(|kind| kind.name == found.kind)
            .unwrap_or(&&UNKNOWN),
        None => &UNKNOWN,
    }
}
