//! Which pods a selector of the input chooses.

use std::collections::BTreeMap;

use super::plain;
use crate::model::{Object, Subject, Value};

/// How many pods with labels are remembered.
const MAX_PODS: usize = 20_000;

/// How many selectors are remembered.
const MAX_SELECTORS: usize = 2_000;

/// How many pods a selector chooses at most.
const MAX_CHOSEN: usize = 64;

/// The kinds whose `selector` chooses pods on which they depend.
const SELECTING: [&str; 6] = [
    "Service",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
];

/// Labels of pods, and the selectors of what depends on pods.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// By namespace.
    pods: BTreeMap<Option<String>, Vec<(Subject, BTreeMap<String, String>)>>,
    pods_known: usize,
    selectors: Vec<(usize, Subject, Vec<(String, String)>)>,
}

impl Labels {
    /// Takes an object of the document with this number.
    pub fn object(&mut self, document: usize, object: &Object<'_>) {
        let subject = &object.subject;
        let (Some(kind), Some(_)) = (subject.kind.as_deref(), &subject.name) else {
            return;
        };
        if kind == "Pod" {
            let Some(Value::Map(labels)) = object.fields.get("labels") else {
                return;
            };
            let labels: BTreeMap<String, String> = labels
                .iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value.to_text()?.into_owned())))
                .collect();
            self.add(plain(subject), labels);
        } else if SELECTING.contains(&kind) && self.selectors.len() < MAX_SELECTORS {
            let selector = object.fields.get("selector").and_then(Value::to_text);
            if let Some(pairs) = selector.as_deref().and_then(pairs) {
                self.selectors.push((document, plain(subject), pairs));
            }
        }
    }

    fn add(&mut self, pod: Subject, labels: BTreeMap<String, String>) {
        if !labels.is_empty() && self.pods_known < MAX_PODS {
            self.pods_known += 1;
            let of_namespace = self.pods.entry(pod.namespace.clone()).or_default();
            of_namespace.push((pod, labels));
        }
    }

    /// Adds what a later part of the input says.
    pub fn absorb(&mut self, later: Labels) {
        for (pod, labels) in later.pods.into_values().flatten() {
            self.add(pod, labels);
        }
        let room = MAX_SELECTORS.saturating_sub(self.selectors.len());
        self.selectors
            .extend(later.selectors.into_iter().take(room));
    }

    /// Each selector's document and object, with a pod that it chooses.
    pub fn selected(self) -> Vec<(usize, Subject, Subject)> {
        let mut selected = Vec::new();
        for (document, subject, pairs) in self.selectors {
            let pods = self.pods.get(&subject.namespace).into_iter().flatten();
            let chosen = pods.filter(|(_, labels)| {
                let mut pairs = pairs.iter();
                pairs.all(|(key, value)| labels.get(key) == Some(value))
            });
            for (pod, _) in chosen.take(MAX_CHOSEN) {
                selected.push((document, subject.clone(), pod.clone()));
            }
        }
        selected
    }
}

/// The pairs of a selector as kubectl prints it; none where it holds other terms than `key=value`.
fn pairs(selector: &str) -> Option<Vec<(String, String)>> {
    let pair = |term: &str| {
        let (key, value) = term.split_once('=')?;
        let is_plain = !key.is_empty() && !key.ends_with('!') && !term.contains([' ', '(']);
        is_plain.then(|| (key.to_owned(), value.to_owned()))
    };
    let pairs: Option<Vec<_>> = selector.split(',').map(pair).collect();
    pairs.filter(|pairs| !pairs.is_empty())
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn selectors() {
        assert_eq!(pairs("a=b,c=").unwrap().len(), 2);
        for other in ["", "a in (b,c)", "a=b,!c", "a!=b", "<none>"] {
            assert_eq!(pairs(other), None, "{other}");
        }
    }
}
