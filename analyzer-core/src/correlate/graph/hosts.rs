//! The hosts that a finding involves: registries, the API server, and any other host that its lines
//! call.

use std::collections::BTreeSet;

use super::endpoints::{Call, Host, calls};
use super::topology::{calls_api_server, registry_of};
use super::{Graph, MAX_LINES, Named};
use crate::correlate::group::Group;
use crate::correlate::render::registry;
use kwhy_model::{Object, Subject, Value};

/// The kind under which the graph stores a registry's host.
const REGISTRY: &str = "Registry";

/// The common name of all addresses of the API server.
const API_SERVER: &str = "the API server";

/// The port of DNS: the server of a lookup is not the callee.
const DNS: &str = "53";

/// The text before an image in messages of kubelets and runtimes.
const BEFORE_IMAGE: [&str; 4] = ["image ", "reference ", "PullImage ", "image="];

/// Lists of a pod's containers.
const CONTAINERS: [&str; 2] = ["containers", "init_containers"];

/// Calls `add` with the registry of each image that a pod waits for.
pub(super) fn awaited(object: &Object<'_>, mut add: impl FnMut(Subject)) {
    if object.subject.kind.as_deref() != Some("Pod") {
        return;
    }
    let containers = CONTAINERS.iter().flat_map(|list| object.fields.items(list));
    for container in containers {
        let text = |path: &str| container.get(path).and_then(Value::to_text);
        // a running container's image has been pulled
        if text("container_id").is_some_and(|id| !id.is_empty()) {
            continue;
        }
        if let Some(host) = text("image").as_deref().and_then(registry) {
            add(kwhy_model::Subject::new(REGISTRY, None, registry_of(host)));
        }
    }
}

impl Graph {
    /// The hosts that a group's lines call or pull from; failing that, the registries of the images
    /// that its pods wait for.
    pub fn hosts(&self, group: &Group, named: &[Named]) -> BTreeSet<String> {
        let mut hosts = BTreeSet::new();
        for hit in group.hits.iter().take(MAX_LINES) {
            let text = hit.place.text.as_str();
            hosts.extend(images(text).map(name_of));
            hosts.extend(calls(text).iter().filter_map(|call| self.called(call)));
            let mut captures = hit.captures.iter();
            if let Some((_, image)) = captures.find(|(name, _)| name == "image") {
                hosts.extend(registry(image).map(name_of));
            }
        }
        if hosts.is_empty() {
            for pod in named.iter().take(MAX_LINES) {
                let edges = self.of((pod.0, &pod.1));
                let registries = edges.filter(|edge| edge.on.kind.as_deref() == Some(REGISTRY));
                hosts.extend(registries.filter_map(|edge| edge.on.name.clone()));
            }
        }
        hosts
    }

    /// Returns the canonical name of a host that a message calls.
    fn called(&self, call: &Call<'_>) -> Option<String> {
        if calls_api_server(call) || self.is_api_server(call) {
            return Some(API_SERVER.to_owned());
        }
        if call.port == Some(DNS) {
            return None;
        }
        match call.host()? {
            Host::Address(address) => Some(address),
            _ if !call.is_sure => None,
            // without a namespace, several Services may be meant
            Host::Name(_, None) => None,
            Host::Name(name, Some(namespace)) => {
                let name = format!("{name}.{namespace}");
                Some(registry_of(&name).to_owned())
            }
            Host::Outside(name) => Some(registry_of(&name).to_owned()),
        }
    }
}

/// The canonical name of a registry, without its port.
fn name_of(host: &str) -> String {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    registry_of(name).to_owned()
}

/// The registries of the images that a text names.
fn images(text: &str) -> impl Iterator<Item = &str> {
    BEFORE_IMAGE.iter().filter_map(|before| {
        let (_, rest) = text.split_once(before)?;
        // JSON and klog escape quotes
        let rest = rest.trim_start_matches(['\\', '"']);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\\' | ',' | '\'');
        let image = rest.split(is_end).next()?;
        let is_image = image.contains([':', '/', '@']);
        registry(image).filter(|_| is_image)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_in_messages() {
        let of = |text| images(text).collect::<Vec<_>>();
        assert_eq!(of("Back-off pulling image \"web:1\""), ["docker.io"]);
        assert_eq!(
            of(r#"msg="PullImage \"hub.tide.example/web:8\" failed""#),
            ["hub.tide.example"]
        );
        assert_eq!(
            of("Failed to pull image \"berth:5000/web@sha256:1f\": not found"),
            ["berth:5000"]
        );
        assert!(of("the image is broken").is_empty());
        assert_eq!(name_of("berth:5000"), "berth");
        assert_eq!(name_of("index.docker.io"), "docker.io");
    }
}
