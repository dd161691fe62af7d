//! Roles, ClusterRoles and their bindings.

use super::common::{ANNOTATIONS, LABELS, NAME};
use super::layout::{Block, Content, Node, Tree, field, part, trimmed};
use super::table::{self, CellSyntax, Table, column, no_remark};
use super::values::{block, text, words};
use super::{Kind, kind};
use crate::input::Line;
use kwhy_model::Value;

static RULES: Table = Table {
    columns: &[
        column("Resources", "resource", CellSyntax::Word).optional(),
        column("Non-Resource URLs", "non_resource_urls", CellSyntax::List),
        column("Resource Names", "resource_names", CellSyntax::List),
        column("Verbs", "verbs", CellSyntax::List),
    ],
    parts: None,
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

static ROLE_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        LABELS,
        ANNOTATIONS,
        field("PolicyRule", "rules", Content::Table(&RULES), rules),
    ],
};

/// Roles and ClusterRoles, which have the same layout.
pub(super) static ROLE: Kind = kind("Role", &ROLE_BLOCK);

static SUBJECTS: Table = Table {
    columns: &[
        column("Kind", "kind", CellSyntax::Word),
        column("Name", "name", CellSyntax::Words),
        column("Namespace", "namespace", CellSyntax::Word).optional(),
    ],
    parts: Some(parts),
    headless: &[],
    remark: no_remark,
    last_cell_continues: false,
};

static REF: Block = Block {
    repeats: false,
    fields: &[
        field("Kind", "kind", Content::Value, text),
        field("Name", "name", Content::Value, text),
    ],
};

static BINDING_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        LABELS,
        ANNOTATIONS,
        field("Role", "role", Content::Fields(&REF), block),
        field("Subjects", "subjects", Content::Table(&SUBJECTS), subjects),
    ],
};

/// RoleBindings and ClusterRoleBindings, which have the same layout.
pub(super) static BINDING: Kind = kind("RoleBinding", &BINDING_BLOCK);

fn rules<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &RULES)
}

fn subjects<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    table::rows(node, &SUBJECTS)
}

/// Splits the cells of a subject that are separated by single spaces: only a ServiceAccount has a
/// namespace, and only its name cannot contain a space.
fn parts(line: Line<'_>) -> Vec<Line<'_>> {
    let line = trimmed(line);
    let words: Vec<_> = words(line).collect();
    match words.as_slice() {
        [kind, _, _] if kind.text == "ServiceAccount" => words,
        [kind, first, ..] => vec![*kind, part(line, first.start - line.start, line.text.len())],
        _ => Vec::new(),
    }
}
