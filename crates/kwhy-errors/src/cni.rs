//! Pod networks: libcni's `plugin type="x" failed (add)`, dockershim's `networkPlugin cni failed
//! to set up pod "x_ns" network`, containerd's `failed to setup network for sandbox "x"`,
//! cri-o's and Multus's `error adding pod x to CNI network "y"`.

use super::operation;
use super::part::Cursor;
use super::recognise::Found;
use super::{Fact, LinkKind};

const PHRASES: &[&str] = &[
    "network for sandbox",
    "network for pod",
    "to CNI network",
    "from CNI network",
    "add container to network",
    "adding container to network",
    "cni plugin not initialized",
    "cni config uninitialized",
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    if let Some(plugin) = first.between("plugin type=\"", "\"") {
        let mut facts = vec![plugin.fact(Fact::Plugin)];
        if let Some(operation) = first.between("failed (", ")") {
            facts.push(operation.fact(Fact::PluginOperation));
        }
        return Some(Found::new(LinkKind::Cni, facts));
    }
    if let Some((lead, rest)) = first.split_once("networkPlugin ") {
        let mut facts = Vec::new();
        if let Some((_, operation)) = rest.split_once("failed to ") {
            let words = operation
                .split_once(" \"")
                .map_or(operation, |(words, _)| words);
            facts.push(words.fact(Fact::Operation));
            let delete = words.as_str().starts_with("teardown");
            let name = if delete { "delete" } else { "add" };
            facts.push(words.says(Fact::PluginOperation, name));
        }
        return Some(Found::new(LinkKind::Cni, facts).at(lead.as_str().len()));
    }
    if let Some(plugin) = first.between("failed to find plugin \"", "\"") {
        let facts = vec![plugin.fact(Fact::Plugin)];
        return Some(Found::new(LinkKind::Cni, facts));
    }
    let known = PHRASES
        .iter()
        .any(|words| first.find_words(words).is_some());
    known.then(|| Found::new(LinkKind::Cni, operation::describe(first).1))
}
