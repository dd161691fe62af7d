//! Generates a dump of a cluster: lists of pods, ReplicaSets, Deployments, Services and Endpoints, as `kubectl get`
//! prints them.

use std::io::{BufWriter, Write};

use serde_json::{Value, json};

/// The objects of one application: a Deployment, a ReplicaSet, a Service and Endpoints, and its pods.
const PARTS: usize = 4;
const PODS: usize = 6;

/// The number of applications in a namespace.
const APPLICATIONS: usize = 50;

/// One in this many Services selects a label that no pod has.
const ONE_IN: usize = 1000;

/// Writes a dump to standard output.
pub fn main(arguments: &[String]) -> Result<(), String> {
    let (form, number) = match arguments {
        [form, number] if matches!(form.as_str(), "json" | "yaml") => (form, number),
        _ => return Err("objects: wrong arguments".to_owned()),
    };
    let number: usize = number.parse().map_err(|_| format!("objects: {number}"))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    write(&mut out, form == "json", number / (PARTS + PODS)).map_err(|e| e.to_string())
}

fn write(out: &mut impl Write, as_json: bool, applications: usize) -> std::io::Result<()> {
    let lists: [fn(usize) -> Vec<Value>; 5] =
        [pods, replica_sets, deployments, services, endpoints];
    for (at, list) in lists.iter().enumerate() {
        let items = (0..applications).flat_map(list);
        if as_json {
            write!(out, "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [")?;
            for (at, item) in items.enumerate() {
                let separator = if at == 0 { "" } else { "," };
                write!(out, "{separator}\n{}", benches::json_item(&item)?)?;
            }
            writeln!(out, "\n    ],\n    \"kind\": \"List\"\n}}")?;
        } else {
            if at > 0 {
                writeln!(out, "---")?;
            }
            writeln!(out, "apiVersion: v1\nitems:")?;
            for item in items {
                out.write_all(benches::yaml_item(&item).as_bytes())?;
            }
            writeln!(out, "kind: List")?;
        }
    }
    Ok(())
}

fn name(application: usize) -> String {
    format!("app-{application}")
}

fn head(application: usize, name: &str) -> Value {
    json!({
        "creationTimestamp": "2024-03-04T05:06:07Z",
        "labels": {"app": self::name(application), "tier": "web"},
        "name": name,
        "namespace": format!("team-{}", application / APPLICATIONS),
        "resourceVersion": (1_000_000 + application).to_string(),
        "uid": format!("0a1b2c3d-0000-4000-8000-{application:012}"),
    })
}

fn template(application: usize) -> Value {
    json!({"metadata": {"labels": {"app": name(application)}}, "spec": {"containers": [container()], "restartPolicy": "Always"}})
}

fn container() -> Value {
    json!({
        "env": [{"name": "LEVEL", "value": "info"}, {"name": "REGION", "value": "north"}],
        "image": "registry.depot.example/web:2.18.0",
        "name": "web",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "timeoutSeconds": 1},
        "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
    })
}

fn address(application: usize, pod: usize) -> String {
    let number = application * PODS + pod;
    format!(
        "10.{}.{}.{}",
        number >> 16 & 255,
        number >> 8 & 255,
        number & 255
    )
}

fn pod_name(application: usize, pod: usize) -> String {
    format!("app-{application}-5d8c7b9f46-{pod:05}")
}

fn pods(application: usize) -> Vec<Value> {
    let pod = |pod| {
        let condition = |kind| json!({"lastTransitionTime": "2024-03-04T05:06:09Z", "status": "True", "type": kind});
        let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition);
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": head(application, &pod_name(application, pod)),
            "spec": {"containers": [container()], "nodeName": format!("quay-{}", application % 200), "serviceAccountName": "default"},
            "status": {
                "conditions": conditions,
                "containerStatuses": [{
                    "image": "registry.depot.example/web:2.18.0",
                    "name": "web",
                    "ready": true,
                    "restartCount": 0,
                    "started": true,
                    "state": {"running": {"startedAt": "2024-03-04T05:06:08Z"}},
                }],
                "phase": "Running",
                "podIP": address(application, pod),
                "startTime": "2024-03-04T05:06:07Z",
            },
        })
    };
    (0..PODS).map(pod).collect()
}

fn workload(kind: &str, application: usize, name: &str) -> Vec<Value> {
    vec![json!({
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": head(application, name),
        "spec": {"replicas": PODS, "selector": {"matchLabels": {"app": self::name(application)}}, "template": template(application)},
        "status": {"availableReplicas": PODS, "readyReplicas": PODS, "replicas": PODS, "updatedReplicas": PODS},
    })]
}

fn replica_sets(application: usize) -> Vec<Value> {
    workload(
        "ReplicaSet",
        application,
        &format!("app-{application}-5d8c7b9f46"),
    )
}

fn deployments(application: usize) -> Vec<Value> {
    workload("Deployment", application, &name(application))
}

fn services(application: usize) -> Vec<Value> {
    let selected = match application % ONE_IN {
        0 => format!("ap-{application}"),
        _ => name(application),
    };
    vec![json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": head(application, &name(application)),
        "spec": {
            "clusterIP": format!("10.200.{}.{}", application >> 8 & 255, application & 255),
            "ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}],
            "selector": {"app": selected},
            "type": "ClusterIP",
        },
    })]
}

fn endpoints(application: usize) -> Vec<Value> {
    let of_pod = |pod| {
        json!({
            "ip": address(application, pod),
            "targetRef": {"kind": "Pod", "name": pod_name(application, pod), "namespace": format!("team-{}", application / APPLICATIONS)},
        })
    };
    let addresses: Vec<Value> = (0..PODS).map(of_pod).collect();
    vec![json!({
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": head(application, &name(application)),
        "subsets": [{"addresses": addresses, "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]}],
    })]
}
