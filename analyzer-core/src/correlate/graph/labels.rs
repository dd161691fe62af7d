//! Resolves the input's selectors to pods.

use crate::sort;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Omitted;
use kwhy_model::{Object, Selector, Subject, Value};

/// The maximum number of labelled pods that are kept.
const MAX_PODS: usize = 5_000;

/// The maximum number of selectors that are kept.
const MAX_SELECTORS: usize = 2_000;

/// The maximum number of pods per selector.
const MAX_CHOSEN: usize = 64;

/// The kinds that depend on the pods that their `selector` selects.
const SELECTING: [&str; 6] = [
    "Service",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
];

/// A pod with its labels.
type Labelled = (Arc<Subject>, BTreeMap<String, String>);

/// A document's object with its selector.
type Selecting = (usize, Arc<Subject>, Selector);

/// The document and object of a selector, and a pod that it selects.
type Selected = (usize, Arc<Subject>, Arc<Subject>);

/// Labels of pods, and the selectors of the objects that depend on pods.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    /// The labelled pods, by namespace.
    pods: BTreeMap<Option<String>, Vec<Labelled>>,
    pods_known: usize,
    selectors: Vec<Selecting>,
    pub omitted: Omitted,
}

impl Labels {
    /// Adds an object of the document with this index.
    pub fn object(&mut self, document: usize, object: &Object<'_>, subject: &Arc<Subject>) {
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
            self.add(Arc::clone(subject), labels);
        } else if SELECTING.contains(&kind) {
            let selector = object.fields.get("selector").and_then(Value::to_text);
            let selector = selector.as_deref().and_then(Selector::parse);
            // a Service without a selector has its endpoints from elsewhere
            if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
                self.add_selector((document, Arc::clone(subject), selector));
            }
        }
    }

    fn add_selector(&mut self, selecting: Selecting) {
        if self.selectors.len() < MAX_SELECTORS {
            self.selectors.push(selecting);
        } else {
            self.omitted.selectors += 1;
        }
    }

    fn add(&mut self, pod: Arc<Subject>, labels: BTreeMap<String, String>) {
        if labels.is_empty() {
            return;
        }
        if self.pods_known >= MAX_PODS {
            self.omitted.pods += 1;
            return;
        }
        self.pods_known += 1;
        let of_namespace = self.pods.entry(pod.namespace.clone()).or_default();
        of_namespace.push((pod, labels));
    }

    /// Merges the labels and selectors of a later part of the input.
    pub fn absorb(&mut self, later: Labels) {
        for (pod, labels) in later.pods.into_values().flatten() {
            self.add(pod, labels);
        }
        for selecting in later.selectors {
            self.add_selector(selecting);
        }
        self.omitted.add(later.omitted);
    }

    /// Maps document indices to their final order, and sorts the pods by name.
    pub fn renumber(&mut self, numbers: &[usize]) {
        for (document, ..) in &mut self.selectors {
            super::super::renumber(document, numbers);
        }
        sort::by_key(&mut self.selectors, |(document, ..)| *document);
        let pods = self.pods.values_mut();
        pods.for_each(|pods| sort::by(pods, |(a, _), (b, _)| a.cmp(b)));
    }

    /// Returns the document and object of each selector with each pod that it selects, and the
    /// number of pods beyond the limit.
    pub fn selected(self) -> (Vec<Selected>, u64) {
        let mut selected = Vec::new();
        let mut more = 0;
        for (document, subject, selector) in self.selectors {
            let pods = self.pods.get(&subject.namespace).into_iter().flatten();
            let mut chosen = pods.filter(|(_, labels)| {
                let label = |key: &str| labels.get(key).map(String::as_str);
                selector.picks(label)
            });
            for (pod, _) in chosen.by_ref().take(MAX_CHOSEN) {
                selected.push((document, Arc::clone(&subject), Arc::clone(pod)));
            }
            more += chosen.count() as u64;
        }
        (selected, more)
    }
}
