//! Which pod or node a document is of by its name: people and tools put logs below folders of these names.

use std::collections::BTreeMap;

use super::plain;
use crate::model::Subject;

/// How many names are remembered.
const MAX_NAMES: usize = 20_000;

/// How many objects of one name are remembered.
const MAX_OF_NAME: usize = 4;

/// The pods and nodes of the input by their names.
#[derive(Debug, Default)]
pub(super) struct Paths {
    known: BTreeMap<String, Vec<Subject>>,
}

impl Paths {
    /// Takes a pod or node.
    pub fn add(&mut self, subject: &Subject) {
        let is_placed = matches!(subject.kind.as_deref(), Some("Pod" | "Node"));
        let Some(name) = subject.name.as_ref().filter(|_| is_placed) else {
            return;
        };
        if self.known.len() >= MAX_NAMES && !self.known.contains_key(name) {
            return;
        }
        let subject = plain(subject);
        let of_name = self.known.entry(name.clone()).or_default();
        if of_name.len() < MAX_OF_NAME && !of_name.contains(&subject) {
            of_name.push(subject);
        }
    }

    /// Adds what a later part of the input says.
    pub fn absorb(&mut self, later: Paths) {
        for subject in later.known.into_values().flatten() {
            self.add(&subject);
        }
    }

    /// The pod that a document's name tells, else the node.
    pub fn of(&self, document: &str) -> Option<&Subject> {
        let path: Vec<&str> = document.split(['/', '\\']).collect();
        let named = |kind: &str| {
            let mut parts = path.iter().rev();
            parts.find_map(|part| self.called(part, kind, &path))
        };
        named("Pod").or_else(|| named("Node"))
    }

    /// The object of a kind that a part of a path names, with or without an extension: the only one, or that of
    /// the namespace among the other parts.
    fn called(&self, part: &str, kind: &str, path: &[&str]) -> Option<&Subject> {
        let stem = part.rsplit_once('.').map_or(part, |(stem, _)| stem);
        [part, stem].into_iter().find_map(|name| {
            let of_name = self.known.get(name)?.iter();
            let of_kind: Vec<&Subject> = of_name
                .filter(|subject| subject.kind.as_deref() == Some(kind))
                .collect();
            if let [only] = of_kind.as_slice() {
                return Some(*only);
            }
            let is_in = |subject: &&Subject| {
                let namespace = subject.namespace.as_deref();
                namespace.is_some_and(|namespace| path.contains(&namespace))
            };
            of_kind.into_iter().find(is_in)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files() {
        let mut paths = Paths::default();
        for (kind, namespace, name) in [
            ("Pod", Some("shop"), "cart-6d8c9b7f54-2kxzq"),
            ("Pod", Some("shop"), "db-0"),
            ("Pod", Some("erp"), "db-0"),
            ("Node", None, "w3"),
        ] {
            paths.add(&Subject::new(kind, namespace, name));
        }
        let of = |document| paths.of(document).map(ToString::to_string);
        for (document, subject) in [
            (
                "logs/shop/cart-6d8c9b7f54-2kxzq/cart.log",
                Some("Pod shop/cart-6d8c9b7f54-2kxzq"),
            ),
            ("w3/db-0/erp/x.log", Some("Pod erp/db-0")),
            ("erp/db-0.log", Some("Pod erp/db-0")),
            ("db-0.log", None),
            ("w3/dmesg.txt", Some("Node w3")),
            ("w3.log", Some("Node w3")),
            ("w33/cart.log", None),
        ] {
            assert_eq!(of(document).as_deref(), subject, "{document}");
        }
    }
}
