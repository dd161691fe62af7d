//! The kinds that kubectl has a describer for: one file a kind, or two that print alike.
//!
//! Each has the keys that `pkg/describe/describe.go` of kubernetes/kubectl printed in any of the
//! releases 1.8 to 1.36. [`mark`] shows which kind lines are of, as kubectl does not print it.

mod autoscaler;
mod claim;
mod class;
mod common;
mod config;
mod container;
mod daemon_set;
mod deployment;
mod disruption_budget;
mod endpoints;
mod ingress;
mod job;
pub(super) mod mark;
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

use super::layout::{Below, Block, Schema, Tree};
use super::{data, generic, layout, read, table};
use kwhy_model::Map;

/// How objects of a kind are read.
pub(super) struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The schema of its describe.
    pub schema: Schema,
    /// Adds what several lines say together.
    pub finish: for<'a> fn(&mut Map<'a>, &Tree<'a>),
}

impl Kind {
    /// The fields of an object.
    pub fn fields<'a>(&self, tree: &Tree<'a>) -> Map<'a> {
        let mut map = Map::new();
        read::add_fields(&mut map, tree, tree.root());
        (self.finish)(&mut map, tree);
        map
    }
}

/// A kind whose lines say one field each.
const fn kind(name: &'static str, block: &'static Block) -> Kind {
    Kind {
        name,
        schema: Schema {
            root: Below::Fields(block),
            implied: &[],
            generic: false,
        },
        finish: nothing_more,
    }
}

/// A kind that makes pods of a template.
const fn controller(name: &'static str, block: &'static Block) -> Kind {
    Kind {
        name,
        schema: Schema {
            root: Below::Fields(block),
            implied: template::IMPLIED,
            generic: false,
        },
        finish: nothing_more,
    }
}

impl Kind {
    const fn finish(mut self, finish: for<'a> fn(&mut Map<'a>, &Tree<'a>)) -> Kind {
        self.finish = finish;
        self
    }
}

/// Each line says one field.
fn nothing_more<'a>(_: &mut Map<'a>, _: &Tree<'a>) {}

/// How a kind without a schema of its own is read.
static UNKNOWN: Kind = Kind {
    name: "",
    schema: generic::UNKNOWN,
    finish: nothing_more,
};

/// How what the generic describer printed is read.
static GENERIC: Kind = Kind {
    name: "",
    schema: generic::SCHEMA,
    finish: nothing_more,
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

/// How a part of an object of unknown kind is read that the generic describer printed.
pub(super) fn generic_part() -> &'static Kind {
    &GENERIC
}

/// How objects of a kind are read that `mark` reported.
pub(super) fn reader(found: Option<mark::Found<'_>>) -> &'static Kind {
    match found {
        Some(found) if found.is_generic => &GENERIC,
        Some(found) => KINDS
            .iter()
            .find(|kind| kind.name == found.kind)
            .unwrap_or(&&UNKNOWN),
        None => &UNKNOWN,
    }
}
