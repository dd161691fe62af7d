//! Objects that name one another: a pod and the claims of its volumes.

use std::collections::HashMap;

use crate::matcher::subjects_agree;
use crate::model::{Object, Subject, Value};

/// How many objects that name one are remembered.
const MAX_TIES: usize = 64;

/// What the objects of the input say of each other.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    /// By the name of the object that is named: both sides.
    by_name: HashMap<String, Vec<Tie>>,
}

/// In this document a pod says that it uses a claim, or a claim that a pod uses it.
#[derive(Debug, PartialEq)]
struct Tie {
    document: usize,
    claim: Subject,
    pod: Subject,
}

impl Ties {
    /// Takes an object of the document with this number.
    pub fn object(&mut self, document: usize, object: &Object<'_>) {
        let subject = &object.subject;
        let namespace = subject.namespace.as_deref();
        let named = |kind: &str, name: &str| Subject::new(kind, namespace, name);
        match subject.kind.as_deref() {
            Some("Pod") => {
                for volume in object.fields.items("volumes") {
                    if let Some(claim) = volume.get("claim_name").and_then(Value::to_text) {
                        let claim = named("PersistentVolumeClaim", &claim);
                        self.add(document, claim, subject);
                    }
                }
            }
            Some("PersistentVolumeClaim") => {
                let users = object.fields.items("used_by");
                for user in users.iter().filter_map(Value::to_text) {
                    self.add(document, subject.clone(), &named("Pod", &user));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, document: usize, claim: Subject, pod: &Subject) {
        let Some(name) = claim.name.clone() else {
            return;
        };
        let ties = self.by_name.entry(name).or_default();
        let tie = Tie {
            document,
            claim,
            pod: pod.clone(),
        };
        if ties.len() < MAX_TIES && !ties.contains(&tie) {
            ties.push(tie);
        }
    }

    /// Adds what a later part of the input says.
    pub fn absorb(&mut self, later: Ties) {
        for (name, ties) in later.by_name {
            let known = self.by_name.entry(name).or_default();
            for tie in ties {
                if known.len() < MAX_TIES && !known.contains(&tie) {
                    known.push(tie);
                }
            }
        }
    }

    /// The words for what ties two objects of these documents, if anything does.
    pub fn between(&self, a: &(usize, Subject), b: &(usize, Subject)) -> Option<String> {
        self.uses(a, b).or_else(|| self.uses(b, a))
    }

    fn uses(&self, claim: &(usize, Subject), pod: &(usize, Subject)) -> Option<String> {
        let ties = self.by_name.get(claim.1.name.as_ref()?)?;
        let same = |known: &Subject, document: usize, given: &(usize, Subject)| {
            subjects_agree(known, &given.1, document == given.0, false)
        };
        let tie = ties.iter().find(|tie| {
            same(&tie.claim, tie.document, claim) && same(&tie.pod, tie.document, pod)
        })?;
        Some(format!("{} uses {}", tie.pod, tie.claim))
    }
}
