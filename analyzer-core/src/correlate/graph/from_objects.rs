//! The dependencies that an object's fields state, by kind.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use crate::hash::HashMap;
use kwhy_model::{Object, Subject, Value};

/// A field that names another object.
struct Names {
    /// The kind of the object that has the field.
    of: &'static str,
    /// The path of the field; lists are traversed.
    path: &'static str,
    /// The syntax of the reference, by the sibling field `type`, if there is one.
    how: &'static [(&'static str, How)],
    verb: &'static str,
    /// True if the other object depends on this one.
    turned: bool,
}

/// The syntax of a reference to an object.
#[derive(Clone, Copy)]
enum How {
    /// The name of an object of this kind, in the namespace of the referrer.
    Name(&'static str),
    /// The name of an object of a cluster-scoped kind.
    Cluster(&'static str),
    /// `Kind/name`.
    KindAndName,
    /// `namespace/name`, of this kind.
    NamespaceAndName(&'static str),
    /// The name before a colon or space: `web:80`.
    Start(&'static str),
}

use How::{Cluster, KindAndName, Name, NamespaceAndName, Start};

/// Matches any type.
const ANY: &str = "";

/// The kinds that contain settings, keyed by the type names that volumes and variables use for them.
const SETTINGS: &[(&str, How)] = &[
    ("ConfigMap", Name("ConfigMap")),
    ("config_map", Name("ConfigMap")),
    ("Secret", Name("Secret")),
    ("secret", Name("Secret")),
];

/// A row of the table: kind, path, verb, syntax.
macro_rules! names {
    ($of:literal, $path:literal, $verb:literal, by $how:expr) => {
        Names {
            of: $of,
            path: $path,
            how: $how,
            verb: $verb,
            turned: false,
        }
    };
    ($of:literal, $path:literal, $verb:literal, $how:expr) => {
        Names {
            of: $of,
            path: $path,
            how: &[(ANY, $how)],
            verb: $verb,
            turned: false,
        }
    };
}

/// A row whose named object depends on the one that names it.
macro_rules! named_by {
    ($of:literal, $path:literal, $verb:literal, $how:expr) => {
        Names {
            of: $of,
            path: $path,
            how: &[(ANY, $how)],
            verb: $verb,
            turned: true,
        }
    };
}

/// The reference fields of all kinds, as named by the parsers (`parse/object/kinds`).
#[rustfmt::skip]
const FIELDS: &[Names] = &[
    names!("Pod", "node", "runs on", Cluster("Node")),
    named_by!("Pod", "controlled_by", "owns", KindAndName),
    names!("Pod", "volumes.claim_name", "uses", Name("PersistentVolumeClaim")),
    names!("Pod", "volumes.source", "mounts", by SETTINGS),
    names!("Pod", "volumes.sources.name", "mounts", by SETTINGS),
    names!("Pod", "volumes.source", "uses", by &[("CSI", Cluster("CSIDriver"))]),
    names!("Pod", "containers.env_from.name", "reads", by SETTINGS),
    names!("Pod", "containers.env.source.name", "reads", by SETTINGS),
    names!("Pod", "service_account", "runs as", Name("ServiceAccount")),
    names!("Pod", "image_pull_secrets", "pulls with", Name("Secret")),
    named_by!("ReplicaSet", "controlled_by", "owns", KindAndName),
    named_by!("Job", "controlled_by", "owns", KindAndName),
    named_by!("ControllerRevision", "controlled_by", "owns", KindAndName),
    names!("Deployment", "new_replica_set.name", "owns", Name("ReplicaSet")),
    names!("Deployment", "old_replica_sets.name", "owns", Name("ReplicaSet")),
    names!("CronJob", "active_jobs", "owns", Name("Job")),
    names!("StatefulSet", "volume_claims.storage_class", "claims of", Cluster("StorageClass")),
    names!("PersistentVolumeClaim", "volume", "is bound to", Cluster("PersistentVolume")),
    names!("PersistentVolumeClaim", "storage_class", "is of", Cluster("StorageClass")),
    named_by!("PersistentVolumeClaim", "used_by", "uses", Name("Pod")),
    named_by!("PersistentVolume", "claim", "is bound to", NamespaceAndName("PersistentVolumeClaim")),
    names!("PersistentVolume", "storage_class", "is of", Cluster("StorageClass")),
    names!("Ingress", "rules.backend", "sends to", Start("Service")),
    names!("Ingress", "default_backend", "sends to", Start("Service")),
    names!("Ingress", "tls.secret", "serves with", Name("Secret")),
    names!("Ingress", "ingress_class", "is of", Cluster("IngressClass")),
    names!("HorizontalPodAutoscaler", "reference", "scales", KindAndName),
    names!("EndpointSlice", "endpoints.target_ref", "holds", KindAndName),
    // `.name` in objects, without it in `kubectl describe`
    names!("ServiceAccount", "image_pull_secrets.name", "pulls with", Name("Secret")),
    names!("ServiceAccount", "image_pull_secrets", "pulls with", Name("Secret")),
];

/// A field with the key that its path starts with, and the rest of the path.
type Reference = (&'static str, &'static str, &'static Names);

/// The reference fields by the kinds that have them.
static OF_KIND: LazyLock<HashMap<&str, Vec<Reference>>> = LazyLock::new(|| {
    let mut of_kind: HashMap<&str, Vec<Reference>> = HashMap::default();
    for field in FIELDS {
        let (first, rest) = field.path.split_once('.').unwrap_or((field.path, ""));
        let all = of_kind.entry(field.of).or_default();
        all.push((first, rest, field));
    }
    of_kind
});

/// The lists of similar containers of a pod: references in one list apply to all three.
const CONTAINERS: [&str; 3] = ["containers", "init_containers", "ephemeral_containers"];

/// The fields with an object's own addresses in `kubectl describe`, objects and tables, each with the path to the
/// address within the field.
const ADDRESSES: [(&str, &str); 6] = [
    ("ip", ""),
    ("cluster_ip", ""),
    ("ips", ""),
    ("addresses", "address"),
    ("internal_ip", ""),
    ("external_ip", ""),
];

/// Calls `add` with dependant, verb and dependency for each object that an object names.
pub(super) fn edges(
    object: &Object<'_>,
    this: &Arc<Subject>,
    mut add: impl FnMut(Arc<Subject>, &'static str, Arc<Subject>),
) {
    let Some(kind) = this.kind.as_deref().filter(|_| this.name.is_some()) else {
        return;
    };
    for (first, rest, field) in OF_KIND.get(kind).into_iter().flatten() {
        at(object, (first, rest), &mut |name, beside| {
            let is_so = |wanted: &str| wanted == ANY || beside.is_some_and(|is| is == wanted);
            let how = field.how.iter().find(|(wanted, _)| is_so(wanted));
            if let Some(other) = how.and_then(|(_, how)| other(name, *how, this)) {
                let (this, other) = (Arc::clone(this), Arc::new(other));
                if field.turned {
                    add(other, field.verb, this);
                } else {
                    add(this, field.verb, other);
                }
            }
        });
    }
}

/// Calls `add` with each address that an object states, and its owner.
pub(super) fn addresses(
    object: &Object<'_>,
    this: &Arc<Subject>,
    mut add: impl FnMut(String, Arc<Subject>),
) {
    if this.name.is_none() {
        return;
    }
    let mut add = |address: &str, owner: &Arc<Subject>| {
        // a headless Service has `None`
        if address.parse::<IpAddr>().is_ok() {
            add(address.to_owned(), Arc::clone(owner));
        }
    };
    let text = |key: &str| object.fields.find(key).and_then(Value::to_text);
    if let Some(address) = text("node_ip")
        && let Some(node) = text("node")
    {
        add(&address, &Arc::new(Subject::new("Node", None, &node)));
    }
    for path in ADDRESSES {
        at(object, path, &mut |address, _| add(address, this));
    }
}

/// Calls `add` with each host name that an object serves.
pub(super) fn hosts(
    object: &Object<'_>,
    this: &Arc<Subject>,
    mut add: impl FnMut(String, Arc<Subject>),
) {
    if this.name.is_some() && this.kind.as_deref() == Some("Ingress") {
        at(object, ("rules", "host"), &mut |host, _| {
            if host.contains('.') && !host.contains('*') {
                add(host.to_ascii_lowercase(), Arc::clone(this));
            }
        });
    }
}

/// Calls `found` with the text of each scalar at a path below a field, and with its sibling `type`.
fn at(object: &Object<'_>, (first, rest): (&str, &str), found: &mut dyn FnMut(&str, Option<&str>)) {
    let alike: &[&str] = match first {
        "containers" => &CONTAINERS,
        _ => &[first],
    };
    for value in alike.iter().filter_map(|key| object.fields.find(key)) {
        each(value, rest, None, found);
    }
}

fn each(
    value: &Value<'_>,
    path: &str,
    beside: Option<&str>,
    found: &mut dyn FnMut(&str, Option<&str>),
) {
    if let Value::List(items) = value {
        for item in items {
            each(item, path, beside, found);
        }
        return;
    }
    if path.is_empty() {
        if let Some(text) = value.to_text().filter(|text| !text.is_empty()) {
            found(&text, beside);
        }
        return;
    }
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    if let Some(next) = value.get(first) {
        // the last map of the path has the sibling
        let beside = value.get("type").and_then(Value::to_text);
        each(next, rest, beside.as_deref(), found);
    }
}

/// Returns the object that a field's text names.
fn other(text: &str, how: How, this: &Subject) -> Option<Subject> {
    let namespace = this.namespace.as_deref();
    match how {
        Name(kind) => Some(Subject::new(kind, namespace, text)),
        Cluster(kind) => Some(Subject::new(kind, None, text)),
        KindAndName => {
            let (kind, name) = text.split_once('/')?;
            let namespace = namespace.filter(|_| kind != "Node");
            Some(Subject::new(kind, namespace, name))
        }
        NamespaceAndName(kind) => {
            let (namespace, name) = text.split_once('/')?;
            Some(Subject::new(kind, Some(namespace), name))
        }
        Start(kind) => {
            let name = text.split([':', ' ']).next()?;
            // a resource that is not a Service: `APIGroup: x, Kind: y, Name: z`
            (!name.is_empty() && name != "APIGroup").then(|| Subject::new(kind, namespace, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_parse::input::lines;
    use kwhy_parse::{describe, object};

    fn edges_of(objects: &[Object<'_>]) -> Vec<String> {
        let mut found = Vec::new();
        for object in objects {
            let this = Arc::new(super::super::plain(&object.subject));
            edges(object, &this, |a, verb, b| {
                found.push(format!("{a} {verb} {b}"))
            });
            addresses(object, &this, |address, owner| {
                found.push(format!("{owner} has {address}"))
            });
        }
        found
    }

    fn edges_of_yaml(text: &str) -> Vec<String> {
        edges_of(&object::parse(&lines(text).collect::<Vec<_>>()).objects)
    }

    fn edges_of_describe(text: &str) -> Vec<String> {
        edges_of(&describe::parse(&lines(text).collect::<Vec<_>>()).objects)
    }

    const POD_YAML: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: tide-0
  namespace: harbour
  ownerReferences:
  - {apiVersion: apps/v1, kind: StatefulSet, name: tide, controller: true}
spec:
  nodeName: quay-4
  serviceAccountName: keeper
  imagePullSecrets:
  - name: depot
  initContainers:
  - name: fetch
    image: tide:1
    envFrom:
    - secretRef: {name: fetch-token}
    env:
    - name: TABLE
      valueFrom:
        configMapKeyRef: {name: tables, key: now}
  containers:
  - name: gauge
    image: tide:1
    envFrom:
    - configMapRef: {name: gauge-settings}
    env:
    - name: PASSWORD
      valueFrom:
        secretKeyRef: {name: gauge-password, key: word}
  ephemeralContainers:
  - name: debugger
    image: busybox
    envFrom:
    - configMapRef: {name: debug-settings}
  volumes:
  - name: data
    persistentVolumeClaim: {claimName: data-tide-0}
  - name: settings
    configMap: {name: charts}
  - name: certificate
    secret: {secretName: tide-tls}
  - name: both
    projected:
      sources:
      - secret: {name: projected-secret}
      - configMap: {name: projected-map}
  - name: keys
    csi: {driver: keys.csi.example}
status:
  hostIP: 192.0.2.44
  podIP: 10.4.0.9
  podIPs:
  - ip: 10.4.0.9
  - ip: fd00::9
";

    #[test]
    fn what_a_pod_needs() {
        let mut found = edges_of_yaml(POD_YAML);
        found.dedup();
        let pod = "Pod harbour/tide-0";
        let wanted = [
            format!("{pod} runs on Node quay-4"),
            format!("StatefulSet harbour/tide owns {pod}"),
            format!("{pod} uses PersistentVolumeClaim harbour/data-tide-0"),
            format!("{pod} mounts ConfigMap harbour/charts"),
            format!("{pod} mounts Secret harbour/tide-tls"),
            format!("{pod} mounts Secret harbour/projected-secret"),
            format!("{pod} mounts ConfigMap harbour/projected-map"),
            format!("{pod} uses CSIDriver keys.csi.example"),
            format!("{pod} reads ConfigMap harbour/gauge-settings"),
            format!("{pod} reads Secret harbour/fetch-token"),
            format!("{pod} reads ConfigMap harbour/debug-settings"),
            format!("{pod} reads Secret harbour/gauge-password"),
            format!("{pod} reads ConfigMap harbour/tables"),
            format!("{pod} runs as ServiceAccount harbour/keeper"),
            format!("{pod} pulls with Secret harbour/depot"),
            "Node quay-4 has 192.0.2.44".to_owned(),
            format!("{pod} has 10.4.0.9"),
            format!("{pod} has fd00::9"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_describe_shows_the_same() {
        let found = edges_of_describe(
            "\
Name:             tide-0
Namespace:        harbour
Service Account:  keeper
Node:             quay-4/192.0.2.44
Status:           Running
IP:               10.4.0.9
Controlled By:    StatefulSet/tide
Init Containers:
  fetch:
    Image:  tide:1
    Environment Variables from:
      fetch-token  Secret  Optional: false
    Environment:
      TABLE:  <set to the key 'now' of config map 'tables'>  Optional: false
    Mounts:   <none>
Containers:
  gauge:
    Image:  tide:1
    Environment:
      PASSWORD:  <set to the key 'word' in secret 'gauge-password'>  Optional: false
    Mounts:      <none>
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data-tide-0
    ReadOnly:   false
  settings:
    Type:      ConfigMap (a volume populated by a ConfigMap)
    Name:      charts
    Optional:  false
QoS Class:     BestEffort
Events:        <none>
",
        );
        let pod = "Pod harbour/tide-0";
        let wanted = [
            format!("{pod} runs on Node quay-4"),
            format!("StatefulSet harbour/tide owns {pod}"),
            format!("{pod} uses PersistentVolumeClaim harbour/data-tide-0"),
            format!("{pod} mounts ConfigMap harbour/charts"),
            format!("{pod} reads Secret harbour/fetch-token"),
            format!("{pod} reads Secret harbour/gauge-password"),
            format!("{pod} reads ConfigMap harbour/tables"),
            format!("{pod} runs as ServiceAccount harbour/keeper"),
            "Node quay-4 has 192.0.2.44".to_owned(),
            format!("{pod} has 10.4.0.9"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn addresses_of_nodes() {
        let yaml = "\
apiVersion: v1
kind: Node
metadata:
  name: quay-4
status:
  addresses:
  - {type: InternalIP, address: 192.0.2.44}
  - {type: ExternalIP, address: 198.51.100.4}
  - {type: Hostname, address: quay-4}
";
        let wanted = ["Node quay-4 has 192.0.2.44", "Node quay-4 has 198.51.100.4"];
        assert_eq!(edges_of_yaml(yaml), wanted);
        let described = "\
Name:               quay-4
Roles:              <none>
Taints:             <none>
Unschedulable:      false
Addresses:
  InternalIP:  192.0.2.44
  ExternalIP:  198.51.100.4
  Hostname:    quay-4
Capacity:
  cpu:  8
";
        assert_eq!(edges_of_describe(described), wanted);
    }

    #[test]
    fn what_others_need() {
        let found = edges_of_yaml(
            "\
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: tide-x7, namespace: harbour}
addressType: IPv4
endpoints:
- addresses: [10.4.0.9]
  targetRef: {kind: Pod, name: tide-0, namespace: harbour}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: keeper, namespace: harbour}
imagePullSecrets:
- name: depot
---
apiVersion: v1
kind: Service
metadata: {name: tide, namespace: harbour}
spec:
  clusterIP: None
",
        );
        let wanted = [
            "EndpointSlice harbour/tide-x7 holds Pod harbour/tide-0",
            "ServiceAccount harbour/keeper pulls with Secret harbour/depot",
        ];
        assert_eq!(found, wanted);
    }
}
