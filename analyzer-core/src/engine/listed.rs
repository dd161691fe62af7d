//! The kinds and namespaces of which an input shows all objects. Only for these does a missing object mean that it does
//! not exist.

use std::collections::{BTreeMap, BTreeSet};

use kwhy_model::Subject;

/// The maximum number of namespaces per kind.
const MAX_NAMESPACES: usize = 10_000;

/// The kinds that lists show completely.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listed {
    kinds: BTreeMap<String, Extent>,
    /// The names of the cluster's namespaces, if these are listed.
    namespaces: BTreeSet<String>,
}

/// The namespaces in which all objects of a kind are listed.
#[derive(Clone, Debug, Default)]
struct Extent {
    /// True for all namespaces.
    is_cluster: bool,
    /// Single namespaces; `None` is one that the input does not name, or a cluster-scoped kind.
    namespaces: BTreeSet<Option<String>>,
}

impl Listed {
    /// Adds an object of a list. A list with objects of two namespaces is one of all namespaces.
    pub fn add_object(&mut self, object: &Subject) {
        let Some(kind) = object.kind.as_deref() else {
            return;
        };
        self.add_extent(kind, object.namespace.clone());
        if let ("Namespace", Some(name)) = (kind, &object.name)
            && self.namespaces.len() < MAX_NAMESPACES
        {
            self.namespaces.insert(name.clone());
        }
    }

    /// Adds that all objects of a kind in a namespace are listed; `None` if the input does not name the namespace.
    pub fn add_extent(&mut self, kind: &str, namespace: Option<String>) {
        let extent = self.extent(kind);
        if extent.namespaces.len() < MAX_NAMESPACES {
            extent.namespaces.insert(namespace);
        }
    }

    /// Adds that all objects of a kind in all namespaces are listed.
    pub fn add_cluster(&mut self, kind: &str) {
        self.extent(kind).is_cluster = true;
    }

    fn extent(&mut self, kind: &str) -> &mut Extent {
        if !self.kinds.contains_key(kind) {
            self.kinds.insert(kind.to_owned(), Extent::default());
        }
        self.kinds.entry(kind.to_owned()).or_default()
    }

    /// Ends one list: if it has objects of two namespaces, it covers all of them.
    pub fn close(mut self) -> Listed {
        for extent in self.kinds.values_mut() {
            extent.is_cluster |= extent.namespaces.iter().flatten().count() > 1;
        }
        self
    }

    /// Keeps only the kinds that satisfy a predicate.
    pub fn retain(&mut self, is_listed: impl Fn(&str) -> bool) {
        self.kinds.retain(|kind, _| is_listed(kind));
        if !is_listed("Namespace") {
            self.namespaces.clear();
        }
    }

    /// Adds the kinds and namespaces of another list.
    pub fn add(&mut self, other: Listed) {
        for (kind, extent) in other.kinds {
            self.extent(&kind).is_cluster |= extent.is_cluster;
            for namespace in extent.namespaces {
                self.add_extent(&kind, namespace);
            }
        }
        for name in other.namespaces {
            if self.namespaces.len() < MAX_NAMESPACES {
                self.namespaces.insert(name);
            }
        }
    }

    /// Returns true if all objects of a kind in a namespace are listed; without a namespace, those of the cluster or of
    /// the one unnamed namespace. Lists that name no namespace count as lists of the namespace in question.
    pub fn lists(&self, kind: &str, namespace: Option<&str>) -> bool {
        let Some(extent) = self.kinds.get(kind) else {
            return false;
        };
        let is_named = extent.namespaces.iter().any(Option::is_some);
        extent.is_cluster
            || extent.namespaces.contains(&namespace.map(str::to_owned))
            || (!is_named && extent.namespaces.contains(&None))
    }

    /// The names of the cluster's namespaces; empty if they are not listed.
    pub fn namespaces(&self) -> &BTreeSet<String> {
        &self.namespaces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_of_two_namespaces_is_listed_of_all() {
        let pod = |namespace| Subject::new("Pod", Some(namespace), "crane-0");
        let mut one = Listed::default();
        one.add_object(&pod("quay"));
        let mut all = one.clone().close();
        assert!(all.lists("Pod", Some("quay")));
        assert!(!all.lists("Pod", Some("pier")));
        assert!(!all.lists("Service", Some("quay")));
        let mut unnamed = Listed::default();
        unnamed.add_object(&Subject::new("Pod", None, "crane-0"));
        assert!(unnamed.lists("Pod", Some("quay")));
        unnamed.add_object(&pod("pier"));
        assert!(!unnamed.lists("Pod", Some("quay")));
        // two lists of one namespace each do not make a list of all
        let mut other = Listed::default();
        other.add_object(&pod("pier"));
        all.add(other.close());
        assert!(all.lists("Pod", Some("pier")) && !all.lists("Pod", Some("mole")));
        one.add_object(&pod("pier"));
        assert!(one.close().lists("Pod", Some("mole")));
    }

    #[test]
    fn kinds_without_namespaces() {
        let mut listed = Listed::default();
        listed.add_object(&Subject::new("Namespace", None, "quay"));
        assert!(listed.lists("Namespace", None));
        assert!(listed.namespaces().contains("quay"));
        listed.retain(|kind| kind != "Namespace");
        assert!(listed.namespaces().is_empty());
    }
}
