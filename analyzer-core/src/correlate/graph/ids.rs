//! Resolves the ids that logs use in place of names: pods by UID and sandbox, containers by their
//! id.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::btree_map::BTreeMap;
use std::sync::Arc;

use super::{Owner, as_read};
use crate::matcher::Hit;
use crate::matcher::ids::{Ids, SHORT, find};
use kwhy_model::{Object, Subject, Value};

/// The maximum number of ids that are kept, about 5 MB.
const MAX_IDS: usize = 20_000;

/// Fields with a pod's ids, in objects and in the tables of crictl and docker.
const OF_POD: &[&str] = &["uid", "pod_id", "names"];

/// The kubelet's annotations of a static pod, whose logs use them as ids.
const OF_FILE: &[&str] = &["kubernetes.io/config.hash", "kubernetes.io/config.mirror"];

/// Lists of a pod's containers.
const CONTAINERS: &[&str] = &["containers", "init_containers", "ephemeral_containers"];

/// The owners of the ids in the input.
#[derive(Clone, Debug, Default)]
pub(super) struct IdOwners {
    /// By id (a prefix for containers): the full id, and its owner with the first document that
    /// names it.
    known: BTreeMap<String, (String, Owner)>,
    pub omitted: u64,
}

impl IdOwners {
    /// Adds the ids of a pod or claim in the document with this index.
    pub fn object(&mut self, document: usize, object: &Object<'_>, subject: Arc<Subject>) {
        if subject.name.is_none() {
            return;
        }
        let text = |key: &str| object.fields.find(key).and_then(Value::to_text);
        match subject.kind.as_deref() {
            Some("Pod") => {}
            // the name of a provisioned volume contains the UID of its claim
            Some("PersistentVolumeClaim") => {
                if let Some(uid) = text("uid") {
                    self.add_all(&uid, document, &subject);
                }
                return;
            }
            _ => return,
        }
        // a row of a table mostly has no ids
        let with_node = OnceCell::new();
        let on_node = || {
            with_node.get_or_init(|| match &object.subject.node {
                Some(node) => Arc::new(Subject {
                    node: Some(node.clone()),
                    ..Subject::clone(&subject)
                }),
                None => Arc::clone(&subject),
            })
        };
        for field in OF_POD {
            if let Some(value) = text(field) {
                self.add_all(&value, document, on_node());
            }
        }
        let of_file = object.fields.find("annotations");
        for annotation in OF_FILE {
            if let Some(value) = of_file.and_then(|all| all.get(annotation)?.to_text()) {
                self.add_all(&value, document, on_node());
            }
        }
        let in_container = |name: Option<String>| {
            Arc::new(Subject {
                container: name,
                ..Subject::clone(on_node())
            })
        };
        // a table row of a container
        if let Some(id) = text("container_id") {
            let of = in_container(object.subject.container.clone());
            self.add_all(&id, document, &of);
        }
        for list in CONTAINERS {
            for container in object.fields.items(list) {
                let ids = ["container_id", "last_state.container_id"];
                let ids = ids.iter().filter_map(|path| container.get(path)?.to_text());
                let mut ids = ids.peekable();
                if ids.peek().is_none() {
                    continue;
                }
                let name = container.get("name").and_then(Value::to_text);
                let of = in_container(name.map(String::from));
                for id in ids {
                    self.add_all(&id, document, &of);
                }
            }
        }
    }

    fn add_all(&mut self, text: &str, document: usize, of: &Arc<Subject>) {
        find(text, |id, _| {
            self.add(&id, (document, Arc::clone(of)), &as_read)
        });
    }

    /// Adds the owner of an id. The first document that names it wins, unless a later one says
    /// more.
    pub fn add(
        &mut self,
        id: &str,
        (document, of): Owner,
        order: &impl Fn(usize, usize) -> Ordering,
    ) {
        let Some((whole, (first, subject))) = self.known.get_mut(short(id)) else {
            if self.known.len() < MAX_IDS {
                let key = short(id).to_owned();
                self.known.insert(key, (id.to_owned(), (document, of)));
            } else {
                self.omitted += 1;
            }
            return;
        };
        if !agree(whole, id) {
            return;
        }
        if whole.len() < id.len() {
            *whole = id.to_owned();
        }
        let goes_before = order(document, *first) == Ordering::Less;
        let is_same = is_same(subject, &of);
        if goes_before {
            *first = document;
            let later = std::mem::replace(subject, of);
            if is_same && *subject != later {
                Arc::make_mut(subject).fill_from(&later);
            }
        } else if is_same && *subject != of {
            Arc::make_mut(subject).fill_from(&of);
        }
    }

    /// Merges the ids of a later part of the input.
    pub fn absorb(&mut self, later: IdOwners, order: &impl Fn(usize, usize) -> Ordering) {
        for (id, of) in later.known.into_values() {
            self.add(&id, of, order);
        }
        self.omitted += later.omitted;
    }

    fn of(&self, id: &str) -> Option<&Subject> {
        let (whole, (_, subject)) = self.known.get(short(id))?;
        agree(whole, id).then_some(&**subject)
    }

    /// Sets the object of a record that contains only ids; a record that names its pod gets the container.
    pub fn place(&self, hit: &mut Hit) {
        let Some(ids) = &hit.ids else { return };
        let Some(found) = self.only(ids) else { return };
        if ids.is_named {
            if is_same(&hit.subject, &found) {
                let own = Arc::make_mut(&mut hit.subject);
                own.container = own.container.take().or(found.container);
            }
            return;
        }
        let mut own = Subject::clone(&hit.subject);
        let node = match own.kind.as_deref() {
            Some("Node") => own.name.take(),
            _ => own.node.take(),
        };
        let container = own.container.take();
        let container = container.filter(|_| is_same(&own, &found));
        hit.subject = Arc::new(Subject {
            container: container.or_else(|| found.container.clone()),
            node: found.node.clone().or(node),
            ..found
        });
    }

    /// Returns the only object that these ids belong to: a pod outranks the objects that it owns or that act on it.
    fn only(&self, ids: &Ids) -> Option<Subject> {
        let known: Vec<&Subject> = ids.named.iter().filter_map(|id| self.of(id)).collect();
        let is_pod = |subject: &&&Subject| subject.kind.as_deref() == Some("Pod");
        let pods: Vec<&Subject> = known.iter().filter(is_pod).copied().collect();
        let all = if pods.is_empty() { known } else { pods };
        let mut only = (*all.first()?).clone();
        for other in &all {
            if !is_same(&only, other) {
                return None;
            }
            only.fill_from(other);
        }
        Some(only)
    }
}

/// The part of an id that is used as a key.
fn short(id: &str) -> &str {
    if id.contains('-') {
        id
    } else {
        id.get(..SHORT).unwrap_or(id)
    }
}

/// Returns true if the ids are equal or one is a prefix of the other.
fn agree(a: &str, b: &str) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

fn is_same(a: &Subject, b: &Subject) -> bool {
    a.kind == b.kind && a.namespace == b.namespace && a.name == b.name
}

#[cfg(test)]
mod tests {
    use super::*;

    const UID: &str = "5f0c1d2e-1111-4222-8333-944455566677";
    const CONTAINER: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";

    fn pod(name: &str, container: Option<&str>) -> Arc<Subject> {
        Arc::new(Subject {
            container: container.map(str::to_owned),
            ..Subject::new("Pod", Some("shop"), name)
        })
    }

    fn only(known: &IdOwners, ids: &[&str]) -> Option<String> {
        let ids = Ids {
            named: ids.iter().map(|id| (*id).to_owned()).collect(),
            ..Ids::default()
        };
        let found = known.only(&ids)?;
        let container = found.container.clone().unwrap_or_default();
        Some(format!("{found} {container}"))
    }

    #[test]
    fn short_ids_and_several() {
        let mut known = IdOwners::default();
        known.add(UID, (0, pod("db-0", None)), &as_read);
        known.add(&CONTAINER[..13], (0, pod("db-0", Some("db"))), &as_read);
        let other = UID.replace("5f0c", "6f0c");
        known.add(&other, (0, pod("web-0", None)), &as_read);
        let claim = UID.replace("5f0c", "7f0c");
        let data = Arc::new(Subject::new("PersistentVolumeClaim", Some("shop"), "data"));
        known.add(&claim, (0, data), &as_read);
        let db = Some("Pod shop/db-0 db".to_owned());
        assert_eq!(only(&known, &[CONTAINER]), db);
        assert_eq!(only(&known, &[&CONTAINER[..12]]), db);
        assert_eq!(only(&known, &[&claim, UID, CONTAINER]), db);
        assert_eq!(only(&known, &[&CONTAINER.replace("f9", "f8")]), db);
        known.add(CONTAINER, (0, pod("db-0", Some("db"))), &as_read);
        assert_eq!(only(&known, &[&CONTAINER.replace("f9", "f8")]), None);
        // ambiguous: two pods
        assert_eq!(only(&known, &[UID, &other]), None);
        let data = Some("PersistentVolumeClaim shop/data ".to_owned());
        assert_eq!(only(&known, &[&claim]), data);
        assert_eq!(
            only(&known, &["11111111-2222-3333-4444-555555555555"]),
            None
        );
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let mut known = IdOwners::default();
        for number in 0..MAX_IDS + 3 {
            known.add(&format!("{number}-x"), (0, pod("a", None)), &as_read);
        }
        assert_eq!(known.omitted, 3);
    }
}
