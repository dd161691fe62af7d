//! Infers the namespace of an object that is named without one.

use std::collections::BTreeMap;

use kwhy_model::Subject;

/// The maximum number of objects that are kept.
const MAX_OBJECTS: usize = 20_000;

/// Kind and name.
type Named = (Box<str>, Box<str>);

/// The namespaces of objects by kind and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Namespaces {
    /// `None` if there are several.
    known: BTreeMap<Named, Option<Box<str>>>,
}

impl Namespaces {
    /// Adds an object that states its namespace.
    pub fn add(&mut self, subject: &Subject) {
        if let (Some(kind), Some(namespace), Some(name)) =
            (&subject.kind, &subject.namespace, &subject.name)
        {
            let key = (kind.as_str().into(), name.as_str().into());
            self.put(key, Some(namespace.as_str().into()));
        }
    }

    fn put(&mut self, key: Named, namespace: Option<Box<str>>) {
        if let Some(known) = self.known.get_mut(&key) {
            if *known != namespace {
                *known = None;
            }
        } else if self.known.len() < MAX_OBJECTS {
            self.known.insert(key, namespace);
        }
    }

    /// Merges the namespaces of a later part of the input.
    pub fn absorb(&mut self, later: Namespaces) {
        for (key, namespace) in later.known {
            self.put(key, namespace);
        }
    }

    /// Returns the namespace of an object's kind and name, if it is unique.
    pub fn of(&self, subject: &Subject) -> Option<String> {
        let key = (
            subject.kind.as_deref()?.into(),
            subject.name.as_deref()?.into(),
        );
        self.known.get(&key)?.as_deref().map(str::to_owned)
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
