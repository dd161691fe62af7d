//! Objects, tables, describe output and structured logs of a healthy cluster, in the formats of kubectl, the API server
//! and container runtimes.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{Random, json_item, yaml_item};

/// The inputs that can be generated.
pub const STRUCTURED: [Structured; 8] = [
    Structured::PodsTable,
    Structured::EventsTable,
    Structured::PodsJson,
    Structured::PodsJsonLine,
    Structured::PodsYaml,
    Structured::Describes,
    Structured::Audit,
    Structured::CriParts,
];

/// The kind of a generated output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structured {
    /// `kubectl get pods -A`.
    PodsTable,
    /// `kubectl get events -A`.
    EventsTable,
    /// `kubectl get pods -A -o json`.
    PodsJson,
    /// The API server's response to the same request, on a single line.
    PodsJsonLine,
    /// `kubectl get pods -A -o yaml`.
    PodsYaml,
    /// `kubectl describe pods -A`.
    Describes,
    /// The API server's audit log, with one kubelet request per line.
    Audit,
    /// A CRI log file with records longer than the runtime's buffer, so each is split into several lines.
    CriParts,
}

impl Structured {
    /// Returns the name of the output.
    pub fn name(self) -> &'static str {
        match self {
            Structured::PodsTable => "pods-table",
            Structured::EventsTable => "events-table",
            Structured::PodsJson => "pods-json",
            Structured::PodsJsonLine => "pods-json-line",
            Structured::PodsYaml => "pods-yaml",
            Structured::Describes => "describes",
            Structured::Audit => "audit",
            Structured::CriParts => "cri-parts",
        }
    }

    /// Returns the output with a name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Structured> {
        STRUCTURED.into_iter().find(|form| form.name() == name)
    }
}

impl std::fmt::Display for Structured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A generated output, with the number of its objects or events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text.
    pub text: String,
    /// The number of pods, events or records.
    pub items: u64,
}

const APPS: [&str; 6] = [
    "crane",
    "gauge",
    "harbour-proxy",
    "mole",
    "pier-web",
    "quay-api",
];
const NAMESPACES: [&str; 5] = ["dock", "harbour", "kube-system", "pier-staging", "tide"];

/// The names and other attributes of one pod.
struct Pod {
    namespace: &'static str,
    app: &'static str,
    hash: String,
    name: String,
    node: u64,
    address: String,
    uid: String,
    days: u64,
}

impl Pod {
    fn new(random: &mut Random) -> Pod {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut word = |length: usize| -> String {
            let letter = |_| char::from(LETTERS[random.below(LETTERS.len() as u64) as usize]);
            (0..length).map(letter).collect()
        };
        let (hash, own) = (word(9), word(5));
        let app = APPS[random.below(APPS.len() as u64) as usize];
        Pod {
            namespace: NAMESPACES[random.below(NAMESPACES.len() as u64) as usize],
            app,
            name: format!("{app}-{hash}-{own}"),
            hash,
            node: random.below(40),
            address: format!(
                "10.{}.{}.{}",
                random.below(200),
                random.below(250),
                random.below(250)
            ),
            uid: format!(
                "{:08x}-1c2d-4e3f-8a9b-{:012x}",
                random.below(1 << 32),
                random.below(1 << 48)
            ),
            days: 1 + random.below(90),
        }
    }

    /// Returns a request for the pod as a line of the API server's audit log.
    fn request(&self, number: u64) -> String {
        let Pod {
            namespace,
            name,
            node,
            uid,
            ..
        } = self;
        let time = format!(
            "2024-03-04T05:{:02}:{:02}.{:06}Z",
            number / 60 % 60,
            number % 60,
            number % 1_000_000
        );
        format!(
            concat!(
                r#"{{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"{uid}","stage":"ResponseComplete","#,
                r#""requestURI":"/api/v1/namespaces/{namespace}/pods/{name}","verb":"get","user":{{"username":"system:node:alder-{node:02}","#,
                r#""groups":["system:nodes","system:authenticated"]}},"sourceIPs":["192.0.2.{node}"],"userAgent":"kubelet/v1.29.4 (linux/amd64)","#,
                r#""objectRef":{{"resource":"pods","namespace":"{namespace}","name":"{name}","apiVersion":"v1"}},"responseStatus":{{"metadata":{{}},"code":200}},"#,
                r#""requestReceivedTimestamp":"{time}","stageTimestamp":"{time}","#,
                r#""annotations":{{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}}}"#
            ),
            uid = uid,
            namespace = namespace,
            name = name,
            node = node,
            time = time
        )
    }

    /// Appends a long record in parts, as a CRI runtime writes records that exceed its buffer.
    fn record_in_parts(&self, number: u64, text: &mut String) {
        const PART: usize = 256;
        let Pod { name, .. } = self;
        let berths = "north ".repeat(40 + number as usize % 120);
        let record = format!("level=info msg=\"charts were read\" pod={name} berths=\"{berths}\"");
        let mut rest = record.as_str();
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(PART));
            rest = after;
            let mark = if rest.is_empty() { 'F' } else { 'P' };
            let (minute, second) = (number / 60 % 60, number % 60);
            let _ = writeln!(
                text,
                "2024-03-04T05:{minute:02}:{second:02}.000000000Z stderr {mark} {part}"
            );
        }
    }

    /// Returns the pod as the API server sends it.
    fn value(&self) -> Value {
        let Pod {
            namespace,
            app,
            hash,
            name,
            node,
            address,
            uid,
            ..
        } = self;
        let time = "2024-03-04T05:06:07Z";
        let condition = |kind| json!({"lastProbeTime": null, "lastTransitionTime": time, "status": "True", "type": kind});
        let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition);
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "creationTimestamp": time,
                "labels": {"app": app, "pod-template-hash": hash},
                "name": name,
                "namespace": namespace,
                "ownerReferences": [{"apiVersion": "apps/v1", "controller": true, "kind": "ReplicaSet", "name": format!("{app}-{hash}")}],
                "uid": uid,
            },
            "spec": {
                "containers": [{
                    "env": [{"name": "TIDE_TABLE", "value": "north"}, {"name": "BERTHS", "value": "12"}],
                    "image": format!("registry.example/{app}:1.4"),
                    "name": app,
                    "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                    "resources": {"limits": {"memory": "256Mi"}},
                    "volumeMounts": [{"mountPath": "/charts", "name": "charts"}],
                }],
                "nodeName": format!("alder-{node:02}"),
                "serviceAccountName": "default",
                "volumes": [{"configMap": {"name": "charts"}, "name": "charts"}],
            },
            "status": {
                "conditions": conditions,
                "containerStatuses": [{"name": app, "ready": true, "restartCount": 0, "state": {"running": {"startedAt": time}}}],
                "phase": "Running",
                "podIP": address,
            },
        })
    }

    fn describe(&self, out: &mut String) {
        let Pod {
            namespace,
            app,
            hash,
            name,
            node,
            address,
            ..
        } = self;
        let _ = write!(
            out,
            "Name:             {name}\nNamespace:        {namespace}\nPriority:         0\nService Account:  default\nNode:             alder-{node:02}/192.0.2.{node}\nStart Time:       Mon, 04 Mar 2024 05:06:07 +0000\nLabels:           app={app}\n                  pod-template-hash={hash}\nAnnotations:      <none>\nStatus:           Running\nIP:               {address}\nIPs:\n  IP:           {address}\nControlled By:  ReplicaSet/{app}-{hash}\nContainers:\n  {app}:\n    Image:          registry.example/{app}:1.4\n    Port:           8080/TCP\n    Host Port:      0/TCP\n    State:          Running\n      Started:      Mon, 04 Mar 2024 05:06:09 +0000\n    Ready:          True\n    Restart Count:  0\n    Limits:\n      memory:     256Mi\n    Environment:  <none>\n    Mounts:\n      /charts from charts (rw)\nConditions:\n  Type              Status\n  Initialized       True \n  Ready             True \n  ContainersReady   True \n  PodScheduled      True \nVolumes:\n  charts:\n    Type:      ConfigMap (a volume populated by a ConfigMap)\n    Name:      charts\n    Optional:  false\nQoS Class:       Burstable\nNode-Selectors:  <none>\nTolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\nEvents:          <none>\n"
        );
    }
}

/// Generates at least `bytes` bytes of an output.
pub fn structured(form: Structured, bytes: usize, seed: u64) -> Output {
    let mut random = Random(seed);
    let mut text = String::with_capacity(bytes + 4096);
    text.push_str(match form {
        Structured::PodsTable => "NAMESPACE      NAME                                READY   STATUS    RESTARTS   AGE\n",
        Structured::EventsTable => "NAMESPACE      LAST SEEN   TYPE     REASON      OBJECT                                  MESSAGE\n",
        Structured::PodsJson => "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n",
        Structured::PodsJsonLine => "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[",
        Structured::PodsYaml => "apiVersion: v1\nitems:\n",
        Structured::Describes | Structured::Audit | Structured::CriParts => "",
    });
    let mut items = 0;
    while text.len() < bytes {
        let pod = Pod::new(&mut random);
        let Pod {
            namespace,
            app,
            name,
            days,
            node,
            ..
        } = &pod;
        if items > 0 {
            text.push_str(match form {
                Structured::PodsJson => ",\n",
                Structured::PodsJsonLine => ",",
                Structured::Describes => "\n\n",
                _ => "",
            });
        }
        items += 1;
        match form {
            Structured::PodsTable => {
                let _ = writeln!(
                    text,
                    "{namespace:<15}{name:<36}1/1     Running   0          {days}d"
                );
            }
            Structured::EventsTable => {
                let (reason, message) = match items % 3 {
                    0 => (
                        "Scheduled",
                        format!("Successfully assigned {namespace}/{name} to alder-{node:02}"),
                    ),
                    1 => (
                        "Pulled",
                        format!(
                            "Container image \"registry.example/{app}:1.4\" already present on machine"
                        ),
                    ),
                    _ => ("Started", format!("Started container {app}")),
                };
                let of = format!("pod/{name}");
                let _ = writeln!(
                    text,
                    "{namespace:<15}{:<12}Normal   {reason:<12}{of:<40}{message}",
                    format!("{}m", days % 59 + 1)
                );
            }
            Structured::PodsJson => text.push_str(&json_item(&pod.value()).unwrap_or_default()),
            Structured::PodsJsonLine => text.push_str(&pod.value().to_string()),
            Structured::PodsYaml => text.push_str(&yaml_item(&pod.value())),
            Structured::Describes => pod.describe(&mut text),
            Structured::Audit => {
                let _ = writeln!(text, "{}", pod.request(items));
            }
            Structured::CriParts => pod.record_in_parts(items, &mut text),
        }
    }
    text.push_str(match form {
        Structured::PodsJson => "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
        Structured::PodsJsonLine => "]}\n",
        Structured::PodsYaml => "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
        _ => "",
    });
    Output { text, items }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_core::Analyzer;

    #[test]
    fn all_is_read_and_well() {
        let analyzer = Analyzer::new();
        for form in STRUCTURED {
            let output = structured(form, 40_000, 7);
            let report = analyzer.analyze_text("x", output.text.as_str());
            assert_eq!(report.stats.records, output.items, "{form}");
            assert!(
                report.findings.is_empty(),
                "{form}: {:?}",
                report.findings[0].title
            );
            assert_eq!(report.inputs[0].not_understood, 0, "{form}");
        }
    }
}
