//! Fills a signature's templates with what a match captured.

use crate::matcher::Match;
use crate::model::Subject;
use crate::signature::{Signature, Template};

/// The longest captured value that a text shows.
const MAX_VALUE: usize = 300;

/// The object at fault: the signature's own, or that of the event.
pub(crate) fn subject(signature: &Signature, found: &Match) -> Subject {
    let event = about(found);
    let Some(template) = &signature.subject else {
        return event;
    };
    let value = |name: &str| value(found, &event, 1, name);
    let filled = |template: &Template| {
        let complete = template.slots().all(|slot| value(slot).is_some());
        complete.then(|| template.fill(value))
    };
    Subject {
        kind: filled(&template.kind),
        namespace: match &template.namespace {
            Some(template) => filled(template).filter(|namespace| !namespace.is_empty()),
            None => event.namespace.clone(),
        },
        name: filled(&template.name),
        container: None,
        node: event.node.clone(),
    }
}

/// The object that the events are about, as far as any of them says.
pub(crate) fn about(found: &Match) -> Subject {
    let mut subject = found.primary().subject.clone();
    for hit in &found.hits[1..] {
        subject.fill_from(&hit.subject);
    }
    subject
}

/// The value of a template's slot.
pub(crate) fn value(found: &Match, about: &Subject, count: u64, name: &str) -> Option<String> {
    let captured = found.captures.iter().find(|(known, _)| known == name);
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

/// The registry's host of an image as its reference names it (distribution/reference 0.6 `splitDockerDomain`).
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
