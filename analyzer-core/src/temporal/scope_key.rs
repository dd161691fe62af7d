//! The key of a scope: each scope has its own automaton.

use crate::matcher::Hit;
use crate::matcher::scope::{is_workload, node};
use kwhy_signature::Scope;

/// The scope of a hit. A hit without a known object belongs to its document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScopeKey {
    Input,
    Document(usize),
    Node(String),
    Namespace(String),
    Object {
        kind: Option<String>,
        namespace: Option<String>,
        name: String,
    },
    Workload {
        namespace: Option<String>,
        name: String,
    },
}

impl ScopeKey {
    pub fn of(hit: &Hit, scope: Scope) -> ScopeKey {
        let subject = &hit.subject;
        let known = match scope {
            Scope::Input => return ScopeKey::Input,
            Scope::Source => None,
            Scope::Node => node(subject).map(|node| ScopeKey::Node(node.to_owned())),
            Scope::Namespace => subject.namespace.clone().map(ScopeKey::Namespace),
            Scope::Subject | Scope::Owner => subject.name.as_ref().map(|name| {
                let namespace = subject.namespace.clone();
                match subject.workload() {
                    Some(workload) if scope == Scope::Owner && is_workload(subject) => {
                        ScopeKey::Workload {
                            namespace,
                            name: workload.to_owned(),
                        }
                    }
                    _ => ScopeKey::Object {
                        kind: subject.kind.clone(),
                        namespace,
                        name: name.clone(),
                    },
                }
            }),
        };
        known.unwrap_or(ScopeKey::Document(hit.document))
    }
}
