//! Renders a signature's templates with the values that a match captured.

use super::graph::{Graph, static_workload};
use super::group::Group;
use crate::matcher::{Hit, Match};
use crate::report::CommandLine;
use kwhy_model::Subject;
use kwhy_signature::{CommandTemplate, Signature, Template};

/// The maximum length of a captured value in a text.
const MAX_VALUE: usize = 300;

/// The object at fault: the signature's own, or that of the event.
pub(crate) fn subject(signature: &Signature, found: &Match) -> Subject {
    let mut event = about(found);
    if is_about_another(signature, found) {
        event.namespace = None;
    }
    let Some(template) = &signature.subject else {
        return event;
    };
    let value = |name: &str| value(found, &event, 1, name);
    let filled = |template: &Template| template.fill(value);
    let mut subject = Subject {
        kind: filled(&template.kind),
        namespace: match &template.namespace {
            Some(template) => filled(template).filter(|namespace| !namespace.is_empty()),
            None => event.namespace.clone(),
        },
        name: filled(&template.name),
        container: None,
        node: event.node.clone(),
    };
    if subject.is_cluster_scoped() {
        subject.namespace = None;
    }
    subject
}

/// The object of the events, merged from all that name one.
pub(crate) fn about(found: &Match) -> Subject {
    let mut subject = (*found.primary().subject).clone();
    for hit in &found.hits[1..] {
        subject.fill_from(&hit.subject);
    }
    subject
}

/// Returns true if a control-plane component writes about an object of another kind, whose namespace its own does not
/// imply.
fn is_about_another(signature: &Signature, found: &Match) -> bool {
    let writer = &found.primary().subject;
    let is_component = || {
        writer
            .name
            .as_deref()
            .is_some_and(|pod| static_workload(pod).is_some())
    };
    let of = signature
        .subject
        .as_ref()
        .map(|subject| subject.kind.as_str());
    of.is_some_and(|kind| kind != "Pod")
        && found.primary().format.is_log()
        && writer.kind.as_deref() == Some("Pod")
        && is_component()
}

/// Returns the value of a template's slot.
pub(crate) fn value(found: &Match, about: &Subject, count: u64, name: &str) -> Option<String> {
    let mut captures = found.captures.iter();
    let captured = captures.find(|(known, value)| known == name && !value.trim().is_empty());
    if let Some((_, value)) = captured {
        return Some(shortened(value));
    }
    let primary = found.primary();
    match name {
        "subject" => about.name.is_some().then(|| {
            Subject {
                container: None,
                node: None,
                ..about.clone()
            }
            .to_string()
        }),
        "kind" => about.kind.clone(),
        "namespace" => about.namespace.clone(),
        "name" => about.name.clone(),
        "node" => match about.kind.as_deref() {
            Some("Node") => about.name.clone(),
            _ => about.node.clone(),
        },
        "container" => about.container.clone(),
        "pod" => (about.kind.as_deref() == Some("Pod"))
            .then(|| about.name.clone())
            .flatten(),
        "owner" => about.workload().map(str::to_owned),
        "count" => Some(count.to_string()),
        "component" => primary.component.clone(),
        "reason" => primary.reason.clone(),
        "registry" => {
            let mut captures = found.captures.iter();
            let (_, image) = captures.find(|(known, _)| known == "image")?;
            Some(registry(image)?.to_owned())
        }
        _ => None,
    }
}

/// The kinds that can be said to start or run.
const RUN: [&str; 10] = [
    "Pod",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "ReplicationController",
    "Job",
    "CronJob",
    "Container",
    "Rollout",
];

/// The values available to the templates of a finding.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    signature: &'a Signature,
    found: &'a Match,
    about: Subject,
    count: u64,
}

impl<'a> Values<'a> {
    /// Collects the values of a group's best match, completed with what the rest of the input
    /// states unambiguously about its object.
    pub fn new(signature: &'a Signature, group: &'a Group, graph: &Graph) -> Values<'a> {
        let found = &group.best;
        let mut about = completed(about(found), group, graph);
        if is_about_another(signature, found) {
            about.namespace = graph.namespace_of(&subject(signature, found));
        }
        Values {
            signature,
            found,
            about,
            count: group.count,
        }
    }

    /// Returns the value of a slot in a text.
    pub fn value(&self, name: &str) -> Option<String> {
        value(self.found, &self.about, self.count, name)
    }

    /// Renders a text if all of its values are known.
    pub fn text(&self, template: &Template) -> Option<String> {
        template.fill_or(|name, otherwise| {
            let fits = name != "subject" || otherwise.is_none_or(|words| self.fits(words));
            self.value(name).filter(|_| fits)
        })
    }

    /// Returns true if a default's words fit the object at fault: a ConfigMap is not "the program".
    fn fits(&self, words: &str) -> bool {
        let is_run = matches!(
            words,
            "the pod" | "a pod" | "the container" | "the program" | "the workload"
        );
        let kind = self.about.kind.as_deref();
        !is_run || kind.is_none_or(|kind| RUN.contains(&kind)) || self.about.container.is_some()
    }

    /// Renders the sentences of a text whose values are known.
    pub fn sentences(&self, template: &Template) -> String {
        template.sentences(|name| self.value(name))
    }

    /// Renders a command if each of its values is known and has the required type.
    pub fn command(&self, template: &CommandTemplate) -> Option<CommandLine> {
        let filled = template.fill_as(|slot| {
            let form = self.signature.form(slot, |kind| self.value(kind));
            (self.value(slot), form)
        });
        CommandLine::new(filled?)
    }

    /// Returns true if all values of a text are known and would be valid in a command.
    pub fn are_proper(&self, template: &Template) -> bool {
        template.slots().all(|slot| {
            let form = self.signature.form(slot, |kind| self.value(kind));
            self.value(slot).is_some_and(|value| form.admits(&value))
        })
    }
}

/// Completes the object of a match with what the group's other records and the input's objects say
/// about it, where they agree.
fn completed(mut about: Subject, group: &Group, graph: &Graph) -> Subject {
    let hits = || group.best.hits.iter().chain(&group.hits);
    if about.name.is_none() && about.kind.is_none() {
        let named = hits().map(|hit| &hit.subject).filter(|s| s.name.is_some());
        if let Some(only) = only(named.map(|s| (&s.kind, &s.namespace, &s.name))) {
            (about.kind, about.name) = (only.0.clone(), only.2.clone());
            about.namespace = about.namespace.or_else(|| only.1.clone());
        }
    }
    let same = |hit: &&Hit| hit.subject.kind == about.kind && hit.subject.name == about.name;
    let agreed = |part: fn(&Subject) -> Option<&String>| {
        only(hits().filter(same).filter_map(|hit| part(&hit.subject))).cloned()
    };
    let container = agreed(|subject| subject.container.as_ref());
    let node = agreed(|subject| subject.node.as_ref());
    let of_hits = agreed(|subject| subject.namespace.as_ref());
    let own = &group.subject;
    let is_own = own.kind == about.kind && own.name == about.name;
    let own = own
        .namespace
        .clone()
        .filter(|_| is_own || about.name.is_none());
    let namespace = of_hits.or(own).or_else(|| graph.namespace_of(&about));
    about.namespace = about.namespace.or(namespace);
    about.container = about.container.or(container);
    let document = group.best.primary().document;
    let node = node.or_else(|| graph.node_of(document, &about));
    about.node = about.node.or(node);
    about
}

/// Returns the common value if all values are equal.
fn only<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}

/// Returns the registry host of an image reference (distribution/reference 0.6
/// `splitDockerDomain`).
pub(super) fn registry(image: &str) -> Option<&str> {
    match image.split_once('/') {
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => Some(host),
        _ if image.is_empty() => None,
        _ => Some("docker.io"),
    }
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::registry;

    #[test]
    fn hosts_of_images() {
        for (image, host) in [
            ("quay.tides.example/berth/web:1", "quay.tides.example"),
            ("berth:5000/web@sha256:1f", "berth:5000"),
            ("localhost/web", "localhost"),
            ("library/web:1.2", "docker.io"),
            ("web", "docker.io"),
        ] {
            assert_eq!(registry(image), Some(host), "{image}");
        }
        assert_eq!(registry(""), None);
    }
}
