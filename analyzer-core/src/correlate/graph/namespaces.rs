//! Infers the namespace of an object that is named without one.

use crate::hash::IndexMap;

use kwhy_model::Subject;

/// The maximum number of objects that are kept.
const MAX_OBJECTS: usize = 20_000;

/// The namespaces of a kind's objects, by name.
type OfKind = IndexMap<Box<str>, Option<Box<str>>>;

/// The namespaces of objects by kind and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Namespaces {
    /// By kind and name; `None` if there are several.
    known: IndexMap<Box<str>, OfKind>,
    count: usize,
}

impl Namespaces {
    /// Adds an object that states its namespace.
    pub fn add(&mut self, subject: &Subject) {
        if let (Some(kind), Some(namespace), Some(name)) =
            (&subject.kind, &subject.namespace, &subject.name)
        {
            self.put(kind, name, Some(namespace));
        }
    }

    fn put(&mut self, kind: &str, name: &str, namespace: Option<&str>) {
        let of_kind = self.known.get_mut(kind);
        if let Some(known) = of_kind.and_then(|of_kind| of_kind.get_mut(name)) {
            if known.as_deref() != namespace {
                *known = None;
            }
        } else if self.count < MAX_OBJECTS {
            self.count += 1;
            let of_kind = self.known.entry(kind.into()).or_default();
            of_kind.insert(name.into(), namespace.map(Box::from));
        }
    }

    /// Merges the namespaces of a later part of the input.
    pub fn absorb(&mut self, later: Namespaces) {
        for (kind, of_kind) in later.known {
            for (name, namespace) in of_kind {
                self.put(&kind, &name, namespace.as_deref());
            }
        }
    }

    /// Returns the namespace of an object's kind and name, if it is unique.
    pub fn of(&self, subject: &Subject) -> Option<String> {
        let of_kind = self.known.get(subject.kind.as_deref()?)?;
        let namespace = of_kind.get(subject.name.as_deref()?)?;
        namespace.as_deref().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_namespace_of_a_name() {
        let mut namespaces = Namespaces::default();
        namespaces.add(&Subject::new("Pod", Some("shop"), "web-0"));
        namespaces.add(&Subject::new("Pod", Some("shop"), "web-1"));
        namespaces.add(&Subject::new("Service", Some("mill"), "web-0"));
        let pod = |name| Subject::new("Pod", None, name);
        assert_eq!(namespaces.of(&pod("web-0")).as_deref(), Some("shop"));
        let mut later = Namespaces::default();
        later.add(&Subject::new("Pod", Some("mill"), "web-0"));
        later.add(&pod("web-1"));
        namespaces.absorb(later);
        assert_eq!(namespaces.of(&pod("web-0")), None);
        assert_eq!(namespaces.of(&pod("web-1")).as_deref(), Some("shop"));
        assert_eq!(namespaces.of(&pod("web-2")), None);
    }
}
