//! The objects that use another one: the pods that mount a Secret, run as a ServiceAccount, claim a volume.

use std::collections::HashMap;

use super::{Edge, Graph};
use kwhy_model::Subject;

/// The relations without which the dependent object cannot work.
const NEEDS: &[&str] = &["mounts", "reads", "uses", "runs as", "pulls with"];

/// The relations of a graph from the used object's side.
pub(crate) struct Users<'g> {
    /// The edges, by the used object's name.
    by_name: HashMap<&'g str, Vec<&'g Edge>>,
}

impl<'g> Users<'g> {
    pub fn new(graph: &'g Graph) -> Users<'g> {
        let mut by_name: HashMap<&str, Vec<&Edge>> = HashMap::new();
        for edge in graph.by_dependant.values().flatten() {
            if let Some(name) = edge
                .on
                .name
                .as_deref()
                .filter(|_| NEEDS.contains(&edge.verb))
            {
                by_name.entry(name).or_default().push(edge);
            }
        }
        Users { by_name }
    }

    /// Returns the objects that use this one, up to a number.
    pub fn of(&self, subject: &Subject, most: usize) -> Vec<&'g Subject> {
        let Some(name) = subject.name.as_deref() else {
            return Vec::new();
        };
        let edges = self.by_name.get(name).into_iter().flatten();
        let is_same = |edge: &&&Edge| {
            edge.on.kind == subject.kind
                && (subject.namespace.is_none() || edge.on.namespace == subject.namespace)
        };
        edges
            .filter(is_same)
            .map(|edge| &*edge.dependant)
            .take(most)
            .collect()
    }
}
