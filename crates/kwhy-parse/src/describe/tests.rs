mod mangled;
mod old_kubectl;

use super::*;
use crate::input::lines;

const POD: &str = "\
Name:             cart-6c9f-abcde
Namespace:        shop
Priority:         0
Node:             node-3/192.0.2.13
Start Time:       Tue, 03 Feb 2026 10:00:00 +0100
Labels:           app=cart
                  tier=web
Annotations:      example.org/note:
                    first line
                    second: line
                  example.org/port: 9102
Status:           Running
IP:               198.51.100.4
IPs:
  IP:           198.51.100.4
Controlled By:  ReplicaSet/cart-6c9f
Containers:
  cart:
    Container ID:  containerd://0a1b
    Image:         registry.example.org/cart:1.2
    Port:          8080/TCP
    Host Port:     0/TCP
    Command:
      sh
      -c
      echo start: now
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Message:      panic: no config
goroutine 1 [running]:
      Exit Code:    137
      Started:      Tue, 03 Feb 2026 10:01:00 +0100
      Finished:     Tue, 03 Feb 2026 10:01:09 +0100
    Ready:          False
    Restart Count:  7
    Limits:
      memory:  512Mi
    Liveness:   http-get http://:8080/live delay=5s timeout=1s period=10s #success=1 #failure=3
    Environment:
      MODE:      fast
      DB_PASS:   <set to the key 'pass' in secret 'db'>  Optional: true
      POD_NAME:  cart-6c9f-abcde (v1:metadata.name)
    Mounts:
      /etc/cart from settings (ro,path=\"cart.toml\")
Conditions:
  Type    Status
  Ready   False 
Volumes:
  settings:
    Type:      ConfigMap (a volume populated by a ConfigMap)
    Name:      cart-settings
    Optional:  false
QoS Class:       Burstable
Node-Selectors:  disk=ssd
Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                 spot=true:NoSchedule
Events:          <none>
";

pub(super) fn read(text: &str) -> Parsed<'_> {
    parse(&lines(text).collect::<Vec<_>>())
}

fn check_pod(text: &str) {
    let parsed = read(text);
    assert_eq!(parsed.objects.len(), 1, "{text}");
    assert_eq!(parsed.not_understood, [0u64; 0], "{text}");
    let pod = &parsed.objects[0];
    assert_eq!(pod.subject.to_string(), "Pod shop/cart-6c9f-abcde");
    assert_eq!(pod.subject.node.as_deref(), Some("node-3"));
    let expected = [
        ("start_time", "2026-02-03T09:00:00Z"),
        ("labels.tier", "web"),
        ("annotations.example.org/port", "9102"),
        ("node_ip", "192.0.2.13"),
        ("controlled_by", "ReplicaSet/cart-6c9f"),
        ("qos_class", "Burstable"),
        ("node_selectors.disk", "ssd"),
        ("no_events", "true"),
    ];
    for (path, value) in expected {
        assert_eq!(
            pod.fields.text(path).as_deref(),
            Some(value),
            "{path} of {text}"
        );
    }
    assert_eq!(pod.fields.items("ips").len(), 1);
    let expected = [
        ("name", "cart"),
        ("state.type", "waiting"),
        ("state.reason", "CrashLoopBackOff"),
        ("last_state.type", "terminated"),
        ("last_state.exit_code", "137"),
        ("last_state.finished_time", "2026-02-03T09:01:09Z"),
        ("ready", "false"),
        ("restart_count", "7"),
        ("limits.memory", "512Mi"),
        ("liveness.target", "http://:8080/live"),
        ("liveness.failure", "3"),
    ];
    let container = &pod.fields.items("containers")[0];
    for (path, value) in expected {
        let found = container.get(path).and_then(Value::to_text);
        assert_eq!(found.as_deref(), Some(value), "{path} of {text}");
    }
    let message = container.get("last_state.message").unwrap().to_text();
    let message: Vec<_> = message.as_deref().unwrap().lines().map(str::trim).collect();
    assert_eq!(message, ["panic: no config", "goroutine 1 [running]:"]);
    let list = |path: &str| container.get(path).map_or(&[][..], Value::items);
    assert_eq!(list("command").len(), 3);
    let env: Vec<_> = list("env")
        .iter()
        .filter_map(|env| env.get("source.type")?.to_text())
        .collect();
    assert_eq!(env, ["secret", "field"]);
    let mount = &list("mounts")[0];
    assert_eq!(
        mount.get("sub_path").unwrap().to_text().unwrap(),
        "cart.toml"
    );
    let volume = &pod.fields.items("volumes")[0];
    assert_eq!(
        volume.get("source").unwrap().to_text().unwrap(),
        "cart-settings"
    );
    let toleration = &pod.fields.items("tolerations")[1];
    assert_eq!(toleration.get("key").unwrap().to_text().unwrap(), "spot");
    let condition = &pod.fields.items("conditions")[0];
    assert_eq!(condition.get("status").unwrap().to_text().unwrap(), "False");
}

fn map_lines(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

#[test]
fn a_pod_in_any_layout() {
    check_pod(POD);
    check_pod(&map_lines(POD, |line| format!("     {line}")));
    check_pod(&map_lines(POD, |line| line.trim().to_owned()));
    let one_blank = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    check_pod(&map_lines(POD, one_blank));
    // container and volume names at the indentation of the object's own keys
    check_pod(&map_lines(POD, |line| {
        let indent = line.len() - line.trim_start().len();
        let indent = match indent {
            2 => 0,
            4 => 3,
            deep if deep > 8 => deep - 3,
            other => other,
        };
        " ".repeat(indent) + line.trim_start()
    }));
    // a chat client that strips the first line
    check_pod(&map_lines(POD, |line| {
        if line.starts_with("Name:") {
            line.to_owned()
        } else {
            format!("    {line}")
        }
    }));
    check_pod(&POD.replace("    Host Port:     0/TCP\n", "    ...\n"));
}

#[test]
fn spans_point_at_the_values() {
    let parsed = read(POD);
    let pod = &parsed.objects[0];
    assert_eq!(
        &POD[pod.fields.get("start_time").unwrap().span()],
        "Tue, 03 Feb 2026 10:00:00 +0100"
    );
    assert_eq!(&POD[pod.fields.get("labels.tier").unwrap().span()], "web");
    let container = &pod.fields.items("containers")[0];
    for (path, text) in [
        ("last_state.exit_code", "137"),
        ("state.type", "Waiting"),
        ("ready", "False"),
        ("liveness.period_s", "10"),
        ("limits.memory", "512Mi"),
    ] {
        assert_eq!(&POD[container.get(path).unwrap().span()], text);
    }
}

#[test]
fn fragments_of_a_container() {
    let whole = "    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Restart Count:  4\n";
    for text in [
        whole.to_owned(),
        map_lines(whole, |line| line.trim().to_owned()),
    ] {
        let parsed = read(&text);
        let pod = &parsed.objects[0];
        assert_eq!(pod.subject.kind.as_deref(), Some("Pod"));
        let container = &pod.fields.items("containers")[0];
        let text = |path: &str| container.get(path).unwrap().to_text().unwrap();
        assert_eq!(text("state.reason"), "CrashLoopBackOff");
        assert_eq!(text("last_state.reason"), "OOMKilled");
        assert_eq!(text("restart_count"), "4");
    }
    for (text, reason) in [
        ("Reason:       CrashLoopBackOff\n", "CrashLoopBackOff"),
        (
            "      Reason:       OOMKilled\n      Exit Code:    137\n",
            "OOMKilled",
        ),
    ] {
        let parsed = read(text);
        let container = &parsed.objects[0].fields.items("containers")[0];
        let known = container.get("state.reason").unwrap();
        assert_eq!(known.to_text().unwrap(), reason);
    }
    let parsed = read(
        "      Reason:     Error\n      Exit Code:  1\n    Ready:        False\n  side:\n    Image:  a/b\n",
    );
    let containers = parsed.objects[0].fields.items("containers");
    assert_eq!(containers.len(), 2);
    assert_eq!(
        containers[0]
            .get("state.exit_code")
            .unwrap()
            .to_text()
            .unwrap(),
        "1"
    );
    assert_eq!(
        containers[0]
            .get("state.reason")
            .unwrap()
            .to_text()
            .unwrap(),
        "Error"
    );
    assert_eq!(
        containers[1].get("name").unwrap().to_text().unwrap(),
        "side"
    );
}

#[test]
fn containers_above_their_title_are_init_containers() {
    let parsed = read(
        "    State:          Terminated\n      Reason:       Error\n      Exit Code:    7\n    Restart Count:  4\nContainers:\n  side:\n    State:     Waiting\n      Reason:  PodInitializing\n",
    );
    let fields = &parsed.objects[0].fields;
    for (list, path, text) in [
        ("init_containers", "state.exit_code", "7"),
        ("containers", "state.reason", "PodInitializing"),
    ] {
        let [container] = fields.items(list) else {
            panic!("{fields:?}");
        };
        assert_eq!(container.get(path).unwrap().to_text().unwrap(), text);
    }
}

#[test]
fn several_objects() {
    let claim = "Name:          data-0\nNamespace:     shop\nStorageClass:  fast\nStatus:        Pending\nVolume:        \nAccess Modes:  \nUsed By:       cart-0\n";
    for text in [
        format!("{POD}\n\n{claim}"),
        format!("{POD}{claim}"),
        format!("{claim}\n{POD}"),
    ] {
        let parsed = read(&text);
        let mut found: Vec<_> = parsed
            .objects
            .iter()
            .map(|o| o.subject.to_string())
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                "PersistentVolumeClaim shop/data-0",
                "Pod shop/cart-6c9f-abcde"
            ]
        );
    }
    let parsed = read(claim);
    let fields = &parsed.objects[0].fields;
    assert_eq!(fields.text("status").as_deref(), Some("Pending"));
    assert_eq!(fields.text("storage_class").as_deref(), Some("fast"));
    assert_eq!(
        fields.items("used_by")[0].to_text().as_deref(),
        Some("cart-0")
    );
    assert_eq!(fields.get("volume"), None);
}

#[test]
fn other_kinds() {
    let parsed = read(
        "Name:  web\nNamespace:  shop\nReplicas:  3 desired | 0 updated\nStrategyType:  RollingUpdate\nConditions:\n  Type         Status  Reason\n  ----         ------  ------\n  Progressing  False   ProgressDeadlineExceeded\n",
    );
    let deployment = &parsed.objects[0];
    assert_eq!(deployment.subject.kind.as_deref(), Some("Deployment"));
    let condition = &deployment.fields.items("conditions")[0];
    assert_eq!(
        condition.get("reason").unwrap().to_text().unwrap(),
        "ProgressDeadlineExceeded"
    );

    let parsed = read(
        "Name:  disk\nNamespace:  vm\nAPI Version:  cdi.kubevirt.io/v1beta1\nKind:  DataVolume\nStatus:\n  Conditions:\n    Message:  no space\n    Reason:   Full\n    Type:     Ready\n    Reason:   Bound\n    Type:     Bound\n  Phase:  ImportInProgress\n",
    );
    let volume = &parsed.objects[0];
    assert_eq!(volume.subject.to_string(), "DataVolume vm/disk");
    assert_eq!(
        volume.fields.text("status.phase").as_deref(),
        Some("ImportInProgress")
    );
    let conditions = volume.fields.items("status.conditions");
    assert_eq!(conditions.len(), 2);
    assert_eq!(
        conditions[0].get("message").unwrap().to_text().unwrap(),
        "no space"
    );

    let parsed = read(
        "Name:  api\nSelector:  app=api\nTargetPort:  80/TCP\nEndpoints:  <none>\nTargetPort:  81/TCP\nSession Affinity:  None\n",
    );
    let service = &parsed.objects[0];
    assert_eq!(service.subject.to_string(), "Service api");
    let ports = service.fields.items("ports");
    assert_eq!(ports.len(), 2);
    assert_eq!(
        ports[0].get("no_endpoints").and_then(Value::to_text),
        Some("true".into())
    );
    assert_eq!(ports[1].get("no_endpoints"), None);
}

#[test]
fn unplaceable_lines_are_listed() {
    let text = POD.replace("QoS Class:", "and so on, you see\nQoS Class:");
    let parsed = read(&text);
    assert_eq!(parsed.not_understood.len(), 1);
}

#[test]
fn keys_become_names() {
    for (key, name) in [
        ("StorageClass", "storage_class"),
        ("Storage Class", "storage_class"),
        ("QoS Class", "qos_class"),
        ("IsDefaultClass", "is_default_class"),
        ("LoadBalancer Ingress", "load_balancer_ingress"),
        ("IPs", "ips"),
        ("API Version", "api_version"),
        ("APIGroup", "api_group"),
        ("Node-Selectors", "node_selectors"),
        ("PodCIDRs", "pod_cidrs"),
        ("OldReplicaSets", "old_replica_sets"),
    ] {
        assert_eq!(generic::snake_case(key), name);
    }
}

#[test]
fn a_condition_with_a_colon_is_a_row() {
    let parsed = read(
        "Name:  n1\nTaints:  <none>\nConditions:\n  Type   Status  Reason           Message\n  ----   ------  ------           -------\n  Ready  False   KubeletNotReady  network not ready: NetworkReady=false\nAddresses:\n  Hostname:  n1\n",
    );
    let condition = &parsed.objects[0].fields.items("conditions")[0];
    assert_eq!(
        condition.get("message").unwrap().to_text().unwrap(),
        "network not ready: NetworkReady=false"
    );
}

#[test]
fn messages_of_conditions_may_hold_colons() {
    let text = "\
Name:         retired
Status:       Terminating
Conditions:
  Type                               Status  LastTransitionTime               Reason           Message
  ----                               ------  ------------------               ------           -------
  NamespaceDeletionDiscoveryFailure  True    Fri, 20 Nov 2026 20:07:33 +0000  DiscoveryFailed  Discovery failed: one group: stale
  NamespaceDeletionContentFailure    False   Fri, 20 Nov 2026 20:07:33 +0000  ContentDeleted   All content deleted

No resource quota.

No LimitRange resource.
";
    let lines: Vec<_> = lines(text).collect();
    let parsed = parse(&lines);
    let conditions = parsed.objects[0].fields.items("conditions");
    assert_eq!(conditions.len(), 2);
    let message = conditions[0].get("message").and_then(Value::to_text);
    assert_eq!(
        message.as_deref(),
        Some("Discovery failed: one group: stale")
    );
}

#[test]
fn messages_in_the_status_of_other_kinds_are_events() {
    let text = "\
Name:         north
Namespace:    harbour
API Version:  dock.example/v1
Kind:         Berth
Status:
  Conditions:
    Last Transition Time:  2026-03-04T05:06:07Z
    Message:               it is not there
    Reason:                Gone
    Status:                False
    Type:                  Ready
Events:                    <none>
";
    let lines: Vec<_> = lines(text).collect();
    let [event] = &parse(&lines).events[..] else {
        panic!("not one event");
    };
    assert_eq!(event.message.as_str(), "it is not there");
    assert_eq!(event.subject.to_string(), "Berth harbour/north");
    assert!(event.time.is_some());
    assert_eq!(&text[event.message.span()], "it is not there");
}
