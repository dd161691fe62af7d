//! Relations of two hits: about the same object, its workload, its node.

use super::hit::Hit;
use kwhy_model::Subject;
use kwhy_signature::Scope;

/// Returns true if two hits share what the scope demands. Unknown properties count as equal within one document, as
/// pastes often omit names.
pub(crate) fn related(a: &Hit, b: &Hit, scope: Scope) -> bool {
    let near = a.document == b.document;
    match scope {
        Scope::Input => true,
        Scope::Source => near,
        Scope::Node => match (node(&a.subject), node(&b.subject)) {
            (Some(a), Some(b)) => a == b,
            _ => near,
        },
        Scope::Namespace => match (&a.subject.namespace, &b.subject.namespace) {
            (Some(a), Some(b)) => a == b,
            _ => near,
        },
        Scope::Subject => subjects_agree(&a.subject, &b.subject, near, false),
        Scope::Owner => subjects_agree(&a.subject, &b.subject, near, true),
    }
}

/// Returns the node that a subject is or runs on.
pub(crate) fn node(subject: &Subject) -> Option<&str> {
    match subject.kind.as_deref() {
        Some("Node") => subject.name.as_deref(),
        _ => subject.node.as_deref(),
    }
}

/// Returns true if two subjects may be the same object, or belong to one workload.
pub(crate) fn subjects_agree(a: &Subject, b: &Subject, near: bool, workload: bool) -> bool {
    let (Some(name), Some(other)) = (&a.name, &b.name) else {
        return near;
    };
    let same_namespace = match (&a.namespace, &b.namespace) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    if !same_namespace {
        return false;
    }
    // units of different machines have the same names
    let of_other_node = || matches!((&a.node, &b.node), (Some(a), Some(b)) if a != b);
    if a.kind.as_deref() == Some("Unit") && of_other_node() {
        return false;
    }
    let same_kind = a.kind.is_none() || b.kind.is_none() || a.kind == b.kind || {
        // the endpoints of a Service have its name
        let is_serving =
            |subject: &Subject| matches!(subject.kind.as_deref(), Some("Service" | "Endpoints"));
        is_serving(a) && is_serving(b)
    };
    if same_kind && name == other {
        return true;
    }
    workload && is_workload(a) && is_workload(b) && a.workload() == b.workload()
}

pub(crate) fn is_workload(subject: &Subject) -> bool {
    matches!(
        subject.kind.as_deref(),
        None | Some(
            "Pod"
                | "ReplicaSet"
                | "Deployment"
                | "StatefulSet"
                | "DaemonSet"
                | "Job"
                | "ReplicationController"
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement() {
        let pod = Subject::new("Pod", Some("shop"), "web-6d9f8c7b54-x4k2m");
        let sibling = Subject::new("Pod", None, "web-6d9f8c7b54-9xk2m");
        let deployment = Subject::new("Deployment", Some("shop"), "web");
        let elsewhere = Subject::new("Deployment", Some("prod"), "web");
        assert!(subjects_agree(&pod, &deployment, false, true));
        assert!(subjects_agree(&pod, &sibling, false, true));
        assert!(!subjects_agree(&pod, &sibling, true, false));
        assert!(!subjects_agree(&pod, &elsewhere, true, true));
        let service = Subject::new("Service", Some("shop"), "web");
        let endpoints = Subject::new("Endpoints", Some("shop"), "web");
        assert!(subjects_agree(&service, &endpoints, false, false));
        assert!(!subjects_agree(&service, &deployment, false, true));
        assert!(subjects_agree(&pod, &Subject::default(), true, false));
        assert!(!subjects_agree(&pod, &Subject::default(), false, false));
    }
}
