//! Facts about clusters that no object states: `topology.yaml`.

use super::endpoints::Call;
use kwhy_catalogue::topology;
use kwhy_model::Subject;

/// The kinds through which clients reach a workload.
const SERVING: [&str; 2] = ["Service", "Endpoints"];

/// Returns true if an object is a Service or Endpoints, which a workload may serve.
pub(super) fn may_be_served(object: &Subject) -> bool {
    object
        .kind
        .as_deref()
        .is_some_and(|kind| SERVING.contains(&kind))
}

/// Returns true if a workload serves a Service: the two have the same name, as is usual, or `topology.yaml` says so, or
/// the workload is an operator's resource of the Service's name, from which the operator creates both.
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
    let is_in = |wanted: Option<&str>, subject: &Subject| match wanted {
        Some(wanted) => subject.namespace.as_deref() == Some(wanted),
        None => is_near,
    };
    (is_near && serving == served)
        || topology().served_by.iter().any(|(front, workload_name)| {
            front.name == served
                && workload_name.name == serving
                && is_in(front.namespace, service)
                && is_in(workload_name.namespace, workload)
        })
}

/// The name that image references use for the registry of a host.
pub(super) fn registry_of(host: &str) -> &str {
    let known = topology()
        .registries
        .iter()
        .find(|(other, _)| *other == host);
    known.map_or(host, |(_, name)| name)
}

/// Returns true if a message calls the API server, judging by port or path.
pub(super) fn calls_api_server(call: &Call<'_>) -> bool {
    let known = &topology().api_server;
    call.port.is_some_and(|port| known.ports.contains(&port))
        || known.paths.iter().any(|path| {
            let rest = call.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

/// The Service through which pods call the API server.
pub(super) fn api_server() -> Subject {
    let (namespace, name) = topology().api_server.service;
    Subject::new("Service", Some(namespace), name)
}

/// The workload and the node of a pod that the kubelet runs from a file.
pub(super) fn static_pod(pod: &str) -> Option<(&'static str, &str)> {
    topology().static_pods.iter().find_map(|workload| {
        let node = pod.strip_prefix(workload)?.strip_prefix('-')?;
        (!node.is_empty()).then_some((*workload, node))
    })
}

/// The workload of a static pod, from the pod's name: `etcd` for `etcd-quay-1`.
pub(in crate::correlate) fn static_workload(pod: &str) -> Option<&'static str> {
    static_pod(pod).map(|(workload, _)| workload)
}

#[cfg(test)]
mod tests {
    use super::*;

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
