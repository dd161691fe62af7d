//! Layouts of older kubectl releases, and texts without additions of newer ones.

use super::read;
use kwhy_model::{Object, Value};

fn only(text: &str) -> Object<'_> {
    let parsed = read(text);
    assert_eq!(parsed.not_understood, [0u64; 0], "{text}");
    assert_eq!(parsed.objects.len(), 1, "{text}");
    parsed.objects.into_iter().next().unwrap()
}

#[track_caller]
fn has(object: &Object<'_>, expected: &[(&str, &str)]) {
    for (path, value) in expected {
        let found = match path.split_once("[]") {
            None => object.fields.get(path),
            Some((list, "")) => object.fields.items(list).first(),
            Some((list, rest)) => object
                .fields
                .items(list)
                .first()
                .and_then(|item| item.get(rest.trim_start_matches('.'))),
        };
        let found = found.and_then(Value::to_text);
        assert_eq!(found.as_deref(), Some(*value), "{path} of {object:?}");
    }
}

#[test]
fn a_service_of_1_18_with_an_address_asked_for() {
    let service = only(
        "Name:                     front\nNamespace:                shop\nSelector:                 app=front\nType:                     LoadBalancer\nIP:                       10.0.9.1\nIP:                       198.51.100.9\nPort:                     <unset>  80/TCP\nTargetPort:               8080/TCP\nNodePort:                 <unset>  31234/TCP\nEndpoints:                10.2.0.4:8080\nSession Affinity:         None\nExternal Traffic Policy:  Cluster\nEvents:                   <none>\n",
    );
    has(
        &service,
        &[
            ("ip", "10.0.9.1"),
            ("desired_load_balancer_ip", "198.51.100.9"),
            ("ports[].node_port", "31234/TCP"),
        ],
    );
}

#[test]
fn a_node_of_1_11() {
    let node = only(
        "Name:               n1\nRoles:              master,etcd\nTaints:             <none>\nUnschedulable:      false\nConditions:\n  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message\n  ----             ------  -----------------                 ------------------                ------                       -------\n  OutOfDisk        False   Mon, 03 Sep 2018 10:00:00 +0200   Sun, 02 Sep 2018 10:00:00 +0200   KubeletHasSufficientDisk     kubelet has sufficient disk space available\nAddresses:\n  InternalIP:  10.0.0.1\nNon-terminated Pods:         (2 in total)\n  Namespace                  Name                         CPU Requests  CPU Limits  Memory Requests  Memory Limits\n  ---------                  ----                         ------------  ----------  ---------------  -------------\n  kube-system                etcd-n1                      0 (0%)        0 (0%)      0 (0%)           0 (0%)\nAllocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n  CPU Requests  CPU Limits  Memory Requests  Memory Limits\n  ------------  ----------  ---------------  -------------\n  850m (42%)    100m (5%)   190Mi (5%)       390Mi (10%)\nEvents:         <none>\n",
    );
    has(
        &node,
        &[
            ("conditions[].last_transition_time", "2018-09-02T08:00:00Z"),
            ("pods[].name", "etcd-n1"),
            ("pods[].cpu_requests_percent", "0"),
            ("allocated[].resource", "cpu"),
            ("allocated[].requests", "850m"),
            ("allocated[].limits_percent", "5"),
            ("pods_total", "2"),
        ],
    );
    assert_eq!(node.subject.to_string(), "Node n1");
}

#[test]
fn an_autoscaler_of_version_1() {
    let autoscaler = only(
        "Name:                                                  web\nNamespace:                                             shop\nLabels:                                                <none>\nAnnotations:                                           <none>\nCreationTimestamp:                                     Tue, 03 Feb 2026 10:00:00 +0100\nReference:                                             Deployment/web\nTarget CPU utilization:                                80%\nCurrent CPU utilization:                               <unknown>%\nMin replicas:                                          1\nMax replicas:                                          10\nDeployment pods:                                       1 current / 0 desired\n",
    );
    has(
        &autoscaler,
        &[
            ("target_cpu_utilization", "80%"),
            ("current_cpu_utilization", "<unknown>%"),
            ("replicas.current", "1"),
            ("created_time", "2026-02-03T09:00:00Z"),
        ],
    );
}

#[test]
fn claims_and_jobs_before_their_fields_were_renamed() {
    let claim = only(
        "Name:          data\nNamespace:     shop\nStorageClass:  fast\nStatus:        Bound\nVolume:        pv-1\nAccess Modes:  RWO,ROX\nMounted By:    web-0\n               web-1\nEvents:        <none>\n",
    );
    assert_eq!(claim.fields.items("used_by").len(), 2);
    assert_eq!(claim.fields.items("access_modes").len(), 2);
    let job = only(
        "Name:           once\nNamespace:      shop\nSelector:       a=b\nParallelism:    1\nCompletions:    1\nStart Time:     Tue, 03 Feb 2026 10:00:00 +0100\nPods Statuses:  1 Running / 2 Succeeded / 3 Failed\nPod Template:\n  Labels:  a=b\n  Containers:\n   c:\n    Image:  x\n  Volumes:  <none>\nEvents:    <none>\n",
    );
    has(
        &job,
        &[
            ("pods_statuses.running", "1"),
            ("pods_statuses.failed", "3"),
        ],
    );
}

#[test]
fn ingresses_before_1_20() {
    let ingress = only(
        "Name:             shop\nNamespace:        web\nAddress:          \nDefault backend:  default-http-backend:80 (<error: endpoints \"default-http-backend\" not found>)\nRules:\n  Host        Path  Backends\n  ----        ----  --------\n  shop.example.org  \n              /     shop:80 (<none>)\n              /api  api:8080 (10.1.0.9:8080)\nAnnotations:  kubernetes.io/ingress.class: nginx\nEvents:       <none>\n",
    );
    assert_eq!(ingress.subject.to_string(), "Ingress web/shop");
    assert_eq!(ingress.fields.items("rules").len(), 2);
    has(
        &ingress,
        &[
            ("default_backend", "default-http-backend:80"),
            ("rules[].host", "shop.example.org"),
            ("rules[].backend", "shop:80"),
        ],
    );
}

#[test]
fn tables_without_their_header() {
    let node = only(
        "Name:   n1\nTaints: <none>\nConditions:\n  Ready False Tue, 03 Feb 2026 10:00:00 +0100 Tue, 03 Feb 2026 09:00:00 +0100 KubeletNotReady container runtime is down: really\nAddresses:\n",
    );
    has(
        &node,
        &[
            ("conditions[].reason", "KubeletNotReady"),
            ("conditions[].last_heartbeat_time", "2026-02-03T09:00:00Z"),
            ("conditions[].message", "container runtime is down: really"),
        ],
    );
}

#[test]
fn a_message_of_a_condition_runs_on() {
    let autoscaler = only(
        "Name:          web\nReference:     Deployment/web\nMin replicas:  1\nConditions:\n  Type           Status  Reason    Message\n  ----           ------  ------    -------\n  ScalingActive  False   Failed    the first line\nsecond: line\n  AbleToScale    True    Ready     fine\nEvents:        <none>\n",
    );
    has(
        &autoscaler,
        &[("conditions[].message", "the first line\nsecond: line")],
    );
    assert_eq!(autoscaler.fields.items("conditions").len(), 2);
}

#[test]
fn managed_fields_up_to_1_26() {
    let text = "Name:         disk\nNamespace:    vm\nLabels:       <none>\nAnnotations:  <none>\nAPI Version:  cdi.example/v1\nKind:         DataVolume\nMetadata:\n  Creation Timestamp:  2026-02-03T10:00:00Z\n  Managed Fields:\n    API Version:  cdi.example/v1\n    Fields Type:  FieldsV1\n    fieldsV1:\n      f:metadata:\n        f:annotations:\n          .:\n          f:example.org/a:\n      f:spec:\n        k:{\"port\":80,\"protocol\":\"TCP\"}:\n          .:\n          f:port:\n    Manager:         kubectl\n    Operation:       Update\n  Resource Version:  7\nSpec:\n  Size:  1Gi\nEvents:  <none>\n";
    let volume = only(text);
    assert_eq!(volume.subject.to_string(), "DataVolume vm/disk");
    has(
        &volume,
        &[
            ("metadata.managed_fields.manager", "kubectl"),
            ("metadata.resource_version", "7"),
            ("spec.size", "1Gi"),
        ],
    );
    assert_eq!(
        volume
            .fields
            .scalars()
            .iter()
            .filter(|(path, _)| path == "Spec / Size")
            .count(),
        1
    );
}

#[test]
fn errors_in_place_of_a_part() {
    let node = only(
        "Name:   n1\nRoles:  <none>\nTaints: <none>\nLease:  Failed to get lease: leases.coordination.k8s.io \"n1\" is forbidden\nNon-terminated Pods:  not authorized\nEvents: <none>\n",
    );
    has(
        &node,
        &[
            (
                "lease_note",
                "Failed to get lease: leases.coordination.k8s.io \"n1\" is forbidden",
            ),
            ("pods_note", "not authorized"),
        ],
    );
}

#[test]
fn kinds_without_a_schema_keep_all() {
    let request = only(
        "Name:               csr-1\nLabels:             <none>\nAnnotations:        <none>\nCreationTimestamp:  Tue, 03 Feb 2026 10:00:00 +0100\nRequesting User:    system:node:n1\nSigner:             kubernetes.io/kubelet-serving\nStatus:             Pending\nSubject:\n         Common Name:    system:node:n1\n         Serial Number:  \n         Organization:   system:nodes\nEvents:  <none>\n",
    );
    assert_eq!(
        request.subject.kind.as_deref(),
        Some("CertificateSigningRequest")
    );
    has(
        &request,
        &[
            ("requesting_user", "system:node:n1"),
            ("subject.common_name", "system:node:n1"),
        ],
    );
}
