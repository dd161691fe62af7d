//! What is known of how clusters are put together and no object says: `signatures/topology.txt`.

use std::sync::LazyLock;

use super::endpoints::Call;
use kwhy_model::Subject;

const TEXT: &str = kwhy_catalogue::TOPOLOGY;

/// The kinds whose objects are there for those who call their name.
const SERVING: [&str; 2] = ["Service", "Endpoints"];

static TOPOLOGY: LazyLock<Topology> = LazyLock::new(|| Topology::read(TEXT));

/// The sections of the text.
#[derive(Debug, Default)]
struct Topology {
    /// A Service and the workload that serves it, each with its namespace if that is reported.
    served_by: Vec<(Name, Name)>,
    /// Workloads of which a node's name ends the pods' names.
    static_pods: Vec<&'static str>,
    /// Hosts of a registry with the name that images give it.
    registries: Vec<(&'static str, &'static str)>,
    api_server: ApiServer,
}

/// How calls of the API server are known.
#[derive(Debug, Default)]
struct ApiServer {
    service: Option<(&'static str, &'static str)>,
    ports: Vec<&'static str>,
    paths: Vec<&'static str>,
}

/// `namespace/name`, or a name alone.
type Name = (Option<&'static str>, &'static str);

impl Topology {
    fn read(text: &'static str) -> Topology {
        let mut topology = Topology::default();
        let mut section = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some(entry) = line.strip_prefix("    ") else {
                section = line.trim();
                continue;
            };
            match (section, entry.split_once(": ")) {
                ("served by", Some((service, workload))) => {
                    let pair = (name(service), name(workload));
                    topology.served_by.push(pair);
                }
                ("registries", Some((host, name))) => topology.registries.push((host, name)),
                ("API server", Some(("service", name))) => {
                    topology.api_server.service = name.split_once('/');
                }
                ("API server", Some(("port", port))) => topology.api_server.ports.push(port),
                ("API server", Some(("path", path))) => topology.api_server.paths.push(path),
                ("static pods", None) => topology.static_pods.push(entry.trim()),
                _ => {}
            }
        }
        topology
    }
}

fn name(text: &'static str) -> Name {
    match text.trim().split_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, text.trim()),
    }
}

/// Whether a workload serves a Service: it has its name, as most have, or is known to; or it is an operator's
/// resource of that name, for which the operator makes both.
pub(super) fn serves(service: &Subject, workload: &Subject) -> bool {
    let (Some(kind), Some(served)) = (service.kind.as_deref(), service.name.as_deref()) else {
        return false;
    };
    if !SERVING.contains(&kind) {
        return false;
    }
    let serving = match workload.kind.as_deref() {
        Some("Pod" | "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") => {
            let of_static = workload.name.as_deref().and_then(static_pod);
            of_static
                .map(|(workload, _)| workload)
                .or(workload.workload())
        }
        Some(kind) if Subject::known_kind(kind).is_none() => workload.name.as_deref(),
        _ => None,
    };
    let Some(serving) = serving else {
        return false;
    };
    let is_near = service.namespace == workload.namespace;
    let is_in = |told: Option<&str>, subject: &Subject| match told {
        Some(told) => subject.namespace.as_deref() == Some(told),
        None => is_near,
    };
    (is_near && serving == served)
        || TOPOLOGY.served_by.iter().any(|(front, behind)| {
            front.1 == served
                && behind.1 == serving
                && is_in(front.0, service)
                && is_in(behind.0, workload)
        })
}

/// The name that images give the registry of a host.
pub(super) fn registry_of(host: &str) -> &str {
    let known = TOPOLOGY.registries.iter().find(|(other, _)| *other == host);
    known.map_or(host, |(_, name)| name)
}

/// Whether a message calls the API server, by the port or path.
pub(super) fn calls_api_server(call: &Call<'_>) -> bool {
    let known = &TOPOLOGY.api_server;
    call.port.is_some_and(|port| known.ports.contains(&port))
        || known.paths.iter().any(|path| {
            let rest = call.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

/// The Service by which pods call the API server.
pub(super) fn api_server() -> Option<Subject> {
    let (namespace, name) = TOPOLOGY.api_server.service?;
    Some(Subject::new("Service", Some(namespace), name))
}

/// The workload and the node of a pod that the kubelet runs from a file.
pub(super) fn static_pod(pod: &str) -> Option<(&'static str, &str)> {
    TOPOLOGY.static_pods.iter().find_map(|workload| {
        let node = pod.strip_prefix(workload)?.strip_prefix('-')?;
        (!node.is_empty()).then_some((*workload, node))
    })
}

/// The workload of a static pod by the pod's name: of `etcd-quay-1` etcd.
pub(in crate::correlate) fn static_workload(pod: &str) -> Option<&'static str> {
    static_pod(pod).map(|(workload, _)| workload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_read() {
        let entries = TEXT.lines().filter(|line| line.starts_with(' ')).count();
        let read = &*TOPOLOGY;
        let api = &read.api_server;
        let known = read.served_by.len()
            + read.static_pods.len()
            + read.registries.len()
            + usize::from(api.service.is_some())
            + api.ports.len()
            + api.paths.len();
        assert_eq!(known, entries);
        assert!(!read.served_by.is_empty() && !read.static_pods.is_empty());
    }

    #[test]
    fn calls_of_the_api_server() {
        for (message, wanted) in [
            ("Get \"https://10.96.0.1:443/api/v1/nodes\": timeout", true),
            ("https://tide.example/apis/apps/v1/x", true),
            ("dial tcp 192.0.2.7:6443: connection refused", true),
            ("https://tide.example/apiserver", false),
            ("dial tcp 192.0.2.7:443: connection refused", false),
        ] {
            let is = crate::correlate::graph::endpoints::calls(message)
                .iter()
                .any(calls_api_server);
            assert_eq!(is, wanted, "{message}");
        }
        assert_eq!(registry_of("registry-1.docker.io"), "docker.io");
        assert_eq!(registry_of("hub.tide.example"), "hub.tide.example");
    }

    #[test]
    fn who_serves_whom() {
        let of = |kind: &str, path: &str| {
            let (namespace, name) = path.split_once('/').unwrap();
            Subject::new(kind, Some(namespace), name)
        };
        for (service, kind, workload, wanted) in [
            (
                "kube-system/kube-dns",
                "Pod",
                "kube-system/coredns-5dd5756b68-x2x4z",
                true,
            ),
            ("shop/kube-dns", "Deployment", "kube-system/coredns", false),
            (
                "default/kubernetes",
                "Pod",
                "kube-system/kube-apiserver-quay-1",
                true,
            ),
            (
                "shop/kubernetes",
                "Pod",
                "kube-system/kube-apiserver-quay-1",
                false,
            ),
            (
                "default/kubernetes",
                "Pod",
                "kube-system/kube-scheduler-quay-1",
                false,
            ),
            ("shop/web", "Pod", "shop/web-0", true),
            ("shop/web", "Pod", "erp/web-0", false),
            ("shop/db", "Postgresql", "shop/db", true),
        ] {
            let is = serves(&of("Service", service), &of(kind, workload));
            assert_eq!(is, wanted, "{service} by {kind} {workload}");
        }
        assert_eq!(static_pod("etcd-quay-1"), Some(("etcd", "quay-1")));
        assert_eq!(static_pod("etcdctl-1"), None);
        assert_eq!(static_pod("etcd-"), None);
    }
}
