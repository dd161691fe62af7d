//! Finds the pod or node that a document belongs to by its path: people and tools put logs into
//! folders named after them.

use crate::hash::IndexMap;

use kwhy_model::Subject;

/// The maximum number of names kept.
const MAX_NAMES: usize = 20_000;

/// The maximum number of objects kept per name.
const MAX_OF_NAME: usize = 4;

/// The pods and nodes of the input by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    known: IndexMap<String, Vec<Placed>>,
}

/// The objects of one name. Kept small, as there may be very many.
#[derive(Clone, Debug, PartialEq)]
struct Placed {
    kind: Kind,
    namespace: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Pod,
    Node,
}

impl Kind {
    fn of(name: &str) -> Option<Kind> {
        [Kind::Pod, Kind::Node]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Pod => "Pod",
            Kind::Node => "Node",
        }
    }
}

impl Paths {
    /// Adds a pod or node.
    pub fn add(&mut self, subject: &Subject) {
        let kind = subject.kind.as_deref().and_then(Kind::of);
        if let (Some(kind), Some(name)) = (kind, &subject.name) {
            self.put(name, kind, subject.namespace.as_deref());
        }
    }

    fn put(&mut self, name: &str, kind: Kind, namespace: Option<&str>) {
        let placed = || Placed {
            kind,
            namespace: namespace.map(Box::from),
        };
        if let Some(of_name) = self.known.get_mut(name) {
            let is_same =
                |known: &Placed| known.kind == kind && known.namespace.as_deref() == namespace;
            if of_name.len() < MAX_OF_NAME && !of_name.iter().any(is_same) {
                of_name.push(placed());
            }
        } else if self.known.len() < MAX_NAMES {
            self.known.insert(name.to_owned(), vec![placed()]);
        }
    }

    /// Keeps only what these documents' paths name.
    pub fn keep(&mut self, documents: &[String]) {
        let mut all = std::mem::take(&mut self.known);
        for part in documents.iter().flat_map(|document| parts(document)) {
            for name in names(part) {
                self.known.extend(all.swap_remove_entry(name));
            }
        }
    }

    /// Returns the pod that a document's path names, or else the node.
    pub fn of(&self, document: &str) -> Option<Subject> {
        let path: Vec<&str> = parts(document).collect();
        let named = |kind: Kind| {
            let mut parts = path.iter().rev();
            parts.find_map(|part| self.called(part, kind, &path))
        };
        named(Kind::Pod).or_else(|| named(Kind::Node))
    }

    /// Returns the object of a kind that a path component names, with or without an extension: the
    /// only one, or the one whose namespace is among the other components.
    fn called(&self, part: &str, kind: Kind, path: &[&str]) -> Option<Subject> {
        names(part).into_iter().find_map(|name| {
            let of_name = self.known.get(name)?.iter();
            let of_kind: Vec<Option<&str>> = of_name
                .filter(|placed| placed.kind == kind)
                .map(|placed| placed.namespace.as_deref())
                .collect();
            let is_in = |namespace: &Option<&str>| namespace.is_some_and(|it| path.contains(&it));
            let namespace = match of_kind.as_slice() {
                [only] => *only,
                several => *several.iter().find(|namespace| is_in(namespace))?,
            };
            Some(Subject::new(kind.name(), namespace, name))
        })
    }
}

/// The components of a document's path.
fn parts(document: &str) -> impl DoubleEndedIterator<Item = &str> {
    document.split(['/', '\\'])
}

/// The names that a component may denote: with and without an extension.
fn names(part: &str) -> [&str; 2] {
    let stem = part.rsplit_once('.').map_or(part, |(stem, _)| stem);
    [part, stem]
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
        let wanted = [
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
        ];
        let documents = wanted.map(|(document, _)| document.to_owned());
        for _ in 0..2 {
            for (document, subject) in wanted {
                let of = paths.of(document).map(|subject| subject.to_string());
                assert_eq!(of.as_deref(), subject, "{document}");
            }
            // no effect on the lookups below
            paths.keep(&documents);
        }
        paths.keep(&documents[..1]);
        assert_eq!(paths.known.len(), 1);
    }
}
