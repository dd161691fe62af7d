use super::*;
use crate as parse;
use crate::input::{Document, lines, segments};

pub fn parsed(text: &str) -> Parsed<'_> {
    parse(&lines(text).collect::<Vec<_>>())
}

/// Returns the formats of the segments of a paste.
fn formats(text: &str) -> Vec<Format> {
    segments(text)
        .iter()
        .map(|segment| segment.format)
        .collect()
}

fn field(object: &Object<'_>, path: &str) -> String {
    let value = object.fields.get(path).and_then(Value::to_text);
    value.map(|text| text.into_owned()).unwrap_or_default()
}

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: shop
spec:
  containers:
  - image: web:1
    name: app
status:
  containerStatuses:
  - lastState:
      terminated:
        exitCode: 3
        message: |
          panic: first
            second

          E0304 05:06:07.123456       1 main.go:1] third
        reason: Error
    name: app
    state:
      waiting:
        message: 'back-off 40s: container ''app''
          of \"web-0\"'
        reason: CrashLoopBackOff
  phase: Running
";

#[test]
fn texts_over_several_lines_keep_their_places() {
    let parsed = parsed(POD);
    let pod = &parsed.objects[0];
    let message = match pod.fields.items("containers")[0].get("last_state.message") {
        Some(Value::Text(text)) => text.clone(),
        other => panic!("{other:?}"),
    };
    let third = "E0304 05:06:07.123456       1 main.go:1] third";
    assert_eq!(
        message.as_str(),
        format!("panic: first\n  second\n\n{third}")
    );
    let at = message.as_str().find("second").unwrap();
    assert_eq!(&POD[message.source_span(at..at + 6)], "second");
    let waiting = parsed.events.iter().find(|event| {
        event
            .reason
            .as_ref()
            .is_some_and(|reason| reason.as_str() == "CrashLoopBackOff")
    });
    let waiting = waiting.unwrap();
    assert_eq!(
        waiting.message.as_str(),
        "back-off 40s: container 'app' of \"web-0\""
    );
    let at = waiting.message.as_str().find("of \"").unwrap();
    assert_eq!(
        &POD[waiting.message.source_span(at..at + 10)],
        "of \"web-0\""
    );
    assert_eq!(waiting.subject.to_string(), "Pod shop/web-0");
    assert_eq!(waiting.subject.container.as_deref(), Some("app"));
    assert_eq!(&POD[pod.span.clone()], POD.trim_end());
}

#[test]
fn pastes_around_objects() {
    let quoted: String = POD.lines().map(|line| format!("> {line}\n")).collect();
    let indented: String = POD.lines().map(|line| format!("    {line}\n")).collect();
    let fenced = format!("It looks like this:\n```yaml\n{POD}```\nWhat is wrong with it now?\n");
    let prompted =
        format!("$ kubectl get pod web-0 -n shop -o yaml\n{POD}$ kubectl get pods\nNAME  READY\n");
    for text in [quoted, indented, fenced, prompted] {
        let document = Document::new("x", text.as_str());
        let parsed = parse::document(&document);
        assert_eq!(parsed.objects.len(), 1, "{text}");
        let pod = &parsed.objects[0];
        assert_eq!(pod.subject.to_string(), "Pod shop/web-0");
        assert_eq!(field(pod, "status"), "Running");
        assert_eq!(pod.fields.items("containers").len(), 1);
    }
    assert_eq!(
        formats(&format!(
            "{POD}Warning  BackOff  5s  kubelet  Back-off pulling image\n"
        )),
        [Format::ObjectYaml, Format::DescribeEvents]
    );
    assert_eq!(
        formats(&format!(
            "I0304 05:06:07.123456       1 a.go:1] b\n{POD}time=\"2024-03-04T05:06:07Z\" level=info msg=x\n"
        )),
        [Format::Klog, Format::ObjectYaml, Format::Logrus]
    );
}

#[test]
fn fragments_are_recognised_by_their_fields() {
    let status = &POD[POD.find("status:").unwrap()..];
    let statuses = &POD[POD.find("  containerStatuses:").unwrap()..];
    let state = "    state:\n      waiting:\n        message: 'Back-off pulling image'\n        reason: ImagePullBackOff\n";
    for (text, path) in [
        (status, "last_state.exit_code"),
        (statuses, "state.reason"),
        (state, "state.message"),
    ] {
        assert_eq!(formats(text), [Format::ObjectYaml], "{text}");
        let parsed = parse::segments(&segments(text));
        let pod = &parsed.objects[0];
        assert_eq!(pod.subject.kind.as_deref(), Some("Pod"), "{text}");
        assert!(
            pod.fields.items("containers")[0].get(path).is_some(),
            "{text}"
        );
        assert!(!parsed.events.is_empty());
    }
    let json = "    \"status\": {\n        \"phase\": \"Pending\",\n        \"hostIP\": \"10.0.0.1\"\n    }\n}\n";
    assert_eq!(formats(json), [Format::ObjectJson]);
    assert_eq!(field(&parsed(json).objects[0], "status"), "Pending");
}

#[test]
fn first_lines_without_their_indentation() {
    let text = "\
lastState:
        terminated:
          exitCode: 137
          reason: OOMKilled
      restartCount: 4
      state:
        waiting:
          reason: CrashLoopBackOff
";
    let parsed = parsed(text);
    let app = &parsed.objects[0].fields.items("containers")[0];
    for path in ["last_state.exit_code", "restart_count", "state.reason"] {
        assert!(app.get(path).is_some(), "{path}");
    }
}

#[test]
fn reports_on_others() {
    let text = "\
apiVersion: mill.example/v1
kind: OvenReport
metadata:
  name: north
statuses:
  ovens:
  - oven: a
    conditions:
    - message: 'no wood is left'
      type: HeatError
  - oven: b
results:
- message: 'bread is burnt'
  result: fail
- message: 'bread is fine'
  result: pass
";
    let parsed = parsed(text);
    let messages: Vec<_> = parsed
        .events
        .iter()
        .map(|event| event.message.as_str())
        .collect();
    assert_eq!(messages, ["no wood is left", "bread is burnt"]);
}

#[test]
fn objects_after_others_on_their_last_line() {
    let text = "\
{
  \"major\": \"1\",
  \"minor\": \"34\"
}{
  \"kind\": \"Status\",
  \"apiVersion\": \"v1\",
  \"status\": \"Failure\",
  \"message\": \"ovens \\\"north\\\" not found\",
  \"reason\": \"NotFound\"
}
";
    let parsed = parsed(text);
    assert_eq!(
        parsed.events[0]
            .reason
            .as_ref()
            .map(|reason| reason.as_str()),
        Some("NotFound")
    );
}

#[test]
fn what_is_broken_costs_its_own_entry() {
    let broken = POD.replace(
        "  namespace: shop\n",
        "  namespace: shop\n  note: a: b\nrest of a wrapped line\n",
    );
    let parsed = parsed(&broken);
    assert_eq!(parsed.not_understood, [7]);
    // the remaining text may still be a finding
    let whole = parse::segments(&segments(&broken));
    let text = whole
        .events
        .iter()
        .find(|event| event.format == Format::Plain);
    assert_eq!(text.unwrap().message.as_str(), "rest of a wrapped line");
    let pod = &parsed.objects[0];
    assert_eq!(pod.subject.to_string(), "Pod shop/web-0");
    assert_eq!(
        pod.fields.items("containers")[0]
            .get("last_state.exit_code")
            .unwrap()
            .to_text()
            .unwrap(),
        "3"
    );
    let open = POD.replace(
        "        reason: CrashLoopBackOff\n",
        "        reason: \"CrashLoopBackOff\n",
    );
    let pod = &super::parse(&lines(&open).collect::<Vec<_>>()).objects[0];
    assert_eq!(field(pod, "name"), "web-0");
    assert_eq!(pod.fields.items("containers").len(), 1);
    let cut = POD.replace("  - image: web:1\n", "  ...\n  - image: web:1\n");
    assert_eq!(
        super::parse(&lines(&cut).collect::<Vec<_>>()).not_understood,
        [0u64; 0]
    );
}

#[test]
fn other_yaml_and_json_is_no_object() {
    for text in [
        "replicaCount: 2\nimage:\n  repository: web\nservice:\n  type: ClusterIP\nresources:\n  limits:\n    cpu: 1\n",
        "version: '3'\nservices:\n  web:\n    image: web\n    ports:\n    - 80:80\n",
        "apiVersion: v2\nname: chart\nversion: 1.2.3\nappVersion: 1.0.0\n",
        "livenessProbe:\n  httpGet:\n    path: /\n    port: http\n",
        "{\"level\":\"info\",\"ts\":\"2024-03-04T05:06:07Z\",\"msg\":\"applied\",\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n",
        "{\n  \"name\": \"x\",\n  \"version\": 1\n}\n",
        "status: the pod is up\nkind: of\nspec: none\n",
    ] {
        let detected = formats(text);
        assert!(
            !detected.contains(&Format::ObjectYaml) && !detected.contains(&Format::ObjectJson),
            "{text}"
        );
    }
}

#[test]
fn json_is_decoded() {
    let text = "{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"metadata\": {\"name\": \"a\\/b\", \"annotations\": {\"x\": \"\\u00e9\\ud83d\\ude00\\t\\\"q\\\"\"}},\n    \"status\": {\"phase\": \"Run\nning\", \"reason\": null, \"message\": \"\"}\n}\n";
    let parsed = parsed(text);
    let pod = &parsed.objects[0];
    assert_eq!(pod.subject.name.as_deref(), Some("a/b"));
    assert_eq!(field(pod, "annotations.x"), "\u{e9}\u{1f600}\t\"q\"");
    assert_eq!(field(pod, "status"), "Running");
    assert!(pod.fields.get("reason").is_none() && pod.fields.get("message").is_none());
    let Some(Value::Text(note)) = pod.fields.get("annotations.x") else {
        panic!()
    };
    assert_eq!(&text[note.source_span(2..6)], "\\ud83d\\ude00");
}

#[test]
fn an_empty_object_of_the_api_server_ends_nothing() {
    for inside in ["\n", "\n    \n", "\n\n\n"] {
        let text = format!(
            "{{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {{{inside}  }},\n  \"status\": \"Failure\",\n  \"message\": \"no heat\",\n  \"reason\": \"Unauthorized\",\n  \"code\": 401\n}}\n"
        );
        assert_eq!(formats(&text), [Format::ObjectJson], "{text}");
        let parsed = parsed(&text);
        let event = parsed.events.first().unwrap();
        assert_eq!(event.message.as_str(), "no heat");
        assert_eq!(event.reason.as_ref().unwrap().as_str(), "Unauthorized");
    }
}

#[test]
fn broken_json_is_read_where_it_can_be() {
    let text = "{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"metadata\": {\n        \"name\": \"web-0\",\n        what is this\n        \"namespace\": \"shop\n    },\n    \"status\": {\n        ...\n        \"phase\": \"Pending\"\n";
    let parsed = parsed(text);
    assert_eq!(parsed.objects[0].subject.to_string(), "Pod shop/web-0");
    assert_eq!(field(&parsed.objects[0], "status"), "Pending");
    assert_eq!(parsed.not_understood, [6]);
}

#[test]
fn lists_of_one_kind_and_watches() {
    let text = "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}";
    let kinds: Vec<String> = parsed(text)
        .objects
        .iter()
        .map(|o| o.subject.to_string())
        .collect();
    assert_eq!(kinds, ["ConfigMap a", "ConfigMap b"]);
    let text = "{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"BackOff\",\"message\":\"m\",\"count\":3}}";
    assert_eq!(formats(text), [Format::ObjectJson]);
    let parsed = parsed(text);
    assert_eq!((parsed.events.len(), parsed.events[0].count), (1, 3));
    assert_eq!(parsed.events[0].subject.to_string(), "Pod a");
}

#[test]
fn an_item_of_a_list_says_so() {
    let listed = |text: &str| -> Vec<bool> {
        let objects = parsed(text).objects;
        objects.iter().map(|object| object.listed).collect()
    };
    let one = "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\"}}]}";
    assert_eq!(listed(one), [true]);
    let item = |kind: &str, name: &str| {
        format!("- apiVersion: v1\n  kind: {kind}\n  metadata:\n    name: {name}\n")
    };
    let list = |items: &str| format!("apiVersion: v1\nkind: List\nitems:\n{items}");
    assert_eq!(listed(&list(&item("Secret", "a"))), [false]);
    let of_kind = list(&item("Secret", "a")).replace("kind: List", "kind: SecretList");
    assert_eq!(listed(&of_kind), [true]);
    let two = item("Secret", "a") + &item("Secret", "b") + &item("Pod", "c");
    assert_eq!(listed(&list(&two)), [true, true, false]);
    let cut = item("Secret", "a") + "...\n" + &item("Secret", "b");
    assert_eq!(listed(&list(&cut)), [false, false]);
    let documents = "kind: Secret\nmetadata:\n  name: a\n---\nkind: Secret\nmetadata:\n  name: b\n";
    assert_eq!(listed(documents), [false, false]);
}

#[test]
fn an_answer_of_the_server_is_an_event() {
    let text = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"pods \\\"a\\\" not found\",\"reason\":\"NotFound\",\"details\":{\"name\":\"a\",\"kind\":\"pods\"},\"code\":404}";
    let parsed = parsed(text);
    assert_eq!(parsed.events[0].message.as_str(), "pods \"a\" not found");
    assert_eq!(parsed.events[0].subject.to_string(), "Pod a");
}

#[test]
fn an_unbounded_depth_is_reported() {
    let deep = format!(
        "apiVersion: v1\nkind: X\nspec: {}{}\n",
        "[".repeat(150),
        "]".repeat(150)
    );
    let parsed = parsed(&deep);
    assert_eq!(parsed.not_understood, [3]);
    assert_eq!(parsed.objects.len(), 1);
}

#[test]
fn documents_are_distinguished() {
    let text = format!(
        "{POD}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: |\n    x\n    ---\n    y\n"
    );
    let parsed = parsed(&text);
    let names: Vec<String> = parsed
        .objects
        .iter()
        .map(|o| o.subject.to_string())
        .collect();
    assert_eq!(names, ["Pod shop/web-0", "ConfigMap c"]);
    assert_eq!(field(&parsed.objects[1], "data.a"), "x\n---\ny\n");
}

#[test]
fn aliases_stand_for_their_anchors() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: tides\n  labels: &same\n    app: &app quay\n  annotations: *same\ndata:\n  app: *app\n  none: *app\n";
    let all: Vec<_> = lines(text).collect();
    let parsed = parse(&all);
    assert!(parsed.not_understood.is_empty());
    let fields = &parsed.objects[0].fields;
    let app = fields.get("annotations.app").unwrap();
    assert_eq!(app.to_text().unwrap(), "quay");
    // the span is that of the anchor
    assert_eq!(&text[app.span()], "quay");
    assert_eq!(app.span(), fields.get("labels.app").unwrap().span());
}

#[test]
fn parts_without_a_head() {
    // the pasted text, the kind derived from it, and the reasons of its conditions and states
    let condition = "lastTransitionTime: \"2026-03-04T05:06:07Z\"\n    message: it is not there\n    reason: Gone\n    status: \"False\"";
    let scheduled = format!("status:\n  conditions:\n  - {condition}\n    type: PodScheduled\n");
    let unknown =
        format!("status:\n  conditions:\n  - {condition}\n    type: Ready\n  phase: Failed\n");
    let pressure = format!("conditions:\n  - {condition}\n    type: DiskPressure\n");
    let spec = format!("spec:\n  tolerations: []\n  size: 3\n{unknown}");
    let json = "\"conditions\": [\n  {\n    \"lastTransitionTime\": \"2026-03-04T05:06:07Z\",\n    \"message\": \"it is not there\",\n    \"reason\": \"Gone\",\n    \"status\": \"False\",\n    \"type\": \"AbleToScale\"\n  }\n],\n";
    for (text, kind) in [
        (scheduled.as_str(), Some("Pod")),
        (unknown.as_str(), None),
        (pressure.as_str(), Some("Node")),
        (spec.as_str(), None),
        (json, Some("HorizontalPodAutoscaler")),
    ] {
        let document = Document::new("x", text);
        let parsed = parse::document(&document);
        let kinds: Vec<_> = parsed
            .objects
            .iter()
            .map(|o| o.subject.kind.as_deref())
            .collect();
        assert_eq!(kinds, [kind], "{text}");
        let reasons: Vec<_> = parsed
            .events
            .iter()
            .filter_map(|e| e.reason.as_ref())
            .collect();
        assert_eq!(reasons.len(), 1, "{text}");
        assert_eq!(reasons[0].as_str(), "Gone");
    }
    let container = "containers:\n- image: tide:4\n  imagePullPolicy: Always\n  name: tide\n";
    let document = Document::new("x", container);
    let pod = &parse::document(&document).objects[0];
    assert_eq!(pod.subject.kind.as_deref(), Some("Pod"));
    assert_eq!(pod.fields.items("containers").len(), 1);
}

#[test]
fn statuses_of_containers_on_one_line() {
    let list = r#"[{"containerID":"","image":"tide:4","lastState":{},"name":"tide","ready":false,"restartCount":0,"state":{"waiting":{"message":"it is not there","reason":"ErrImagePull"}}},{"image":"moon:4","lastState":{},"name":"moon","ready":true,"restartCount":7,"state":{"running":{}}}]"#;
    let document = Document::new("x", list);
    let parsed = parse::document(&document);
    let containers: Vec<_> = parsed
        .objects
        .iter()
        .flat_map(|pod| pod.fields.items("containers"))
        .map(|container| container.get("name").and_then(Value::to_text).unwrap())
        .collect();
    assert_eq!(containers, ["tide", "moon"]);
    assert_eq!(parsed.events.len(), 1);
    assert_eq!(parsed.events[0].message.as_str(), "it is not there");
    for text in [
        r#"[{"name":"tide","state":"high","level":"error","message":"it is not there"}]"#,
        r#"[{"image":"tide:4","restartCount":0,"state":"high"}]"#,
        r#"[{"berth":7,"restartCount":0,"state":{},"lastState":{}}]"#,
    ] {
        let document = Document::new("x", text);
        assert!(parse::document(&document).objects.is_empty(), "{text}");
    }
}

#[test]
fn other_yaml_is_no_part() {
    for text in [
        // values of a Helm chart
        "status:\n  message: it is not there\n  enabled: true\n",
        "containers:\n  image: tide\n  count: 3\n",
        "conditions:\n- if: always\n  then: never\n",
        // a JSON schema
        "status:\n  description: what is\n  properties:\n    size:\n      type: integer\n  type: object\n",
    ] {
        let document = Document::new("x", text);
        let parsed = parse::document(&document);
        assert!(parsed.objects.is_empty(), "{text}");
        let detected = parsed
            .events
            .iter()
            .filter(|e| e.format == Format::ObjectYaml);
        assert_eq!(detected.count(), 0, "{text}");
    }
}

#[test]
fn what_a_tool_makes_of_an_object_says_what_its_conditions_say() {
    let text = r#"{
  "pod_name": "oven-0",
  "status": "SUCCESS",
  "conditions": [
    {
      "type": "PodScheduled",
      "status": "False",
      "reason": "Unschedulable",
      "message": "0/1 nodes are available: 1 Insufficient cpu.",
      "last_transition_time": "2024-03-04T05:06:07Z"
    }
  ]
}
"#;
    let parsed = parsed(text);
    assert!(parsed.objects.is_empty());
    let [event] = parsed.events.as_slice() else {
        panic!("{:?}", parsed.events);
    };
    assert_eq!(
        event.message.as_str(),
        "0/1 nodes are available: 1 Insufficient cpu."
    );
    assert_eq!(event.reason.as_ref().unwrap().as_str(), "Unschedulable");
    // the results of a tool's own checks are not states of objects
    let results = "[\n  {\n    \"name\": \"postgres\",\n    \"status\": \"fail\",\n    \"message\": \"cannot connect\"\n  }\n]\n";
    assert!(parse(&lines(results).collect::<Vec<_>>()).events.is_empty());
}

#[test]
fn a_claim_shows_how_its_resize_fares() {
    let claim = |status: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: quay\nstatus:\n  phase: Bound\n  {status}\n"
        )
    };
    for (status, path, value) in [
        (
            "allocatedResourceStatuses:\n    storage: NodeResizeInfeasible",
            "allocated_resource_statuses.storage",
            "NodeResizeInfeasible",
        ),
        (
            "resizeStatus: NodeExpansionFailed",
            "resize_status",
            "NodeExpansionFailed",
        ),
        (
            "modifyVolumeStatus:\n    status: Infeasible",
            "modify_volume_status.status",
            "Infeasible",
        ),
    ] {
        let text = claim(status);
        assert_eq!(field(&parsed(&text).objects[0], path), value, "{text}");
    }
}

#[test]
fn lines_of_other_programs_amid_an_item_cost_no_other_item() {
    let item = |name: &str, between: &str| {
        format!("- apiVersion: v1\n{between}  kind: Pod\n  metadata:\n    name: {name}\n")
    };
    for line in [
        "garbage\n",
        "\u{1}\0Service\n",
        "# a comment\n",
        "error: the server is busy\n",
        "W0304 05:06:07.123456      12 memcache.go:265] couldn't get the current list\n",
    ] {
        let [one, two, three] =
            [("one", line), ("two", ""), ("three", line)].map(|it| item(it.0, it.1));
        let text = format!("apiVersion: v1\nkind: List\nitems:\n{one}{two}{three}");
        let parsed = parsed(&text);
        let names = parsed.objects.iter().map(|pod| pod.subject.name.as_deref());
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["one", "two", "three"].map(Some),
            "{line:?}"
        );
    }
}

#[test]
fn lines_of_other_programs_amid_json_cost_no_object() {
    let item = |name: &str| {
        format!(
            "        {{\n            \"kind\": \"Pod\",\n            \"metadata\": {{\n                \"name\": \"{name}\"\n            }}\n        }}"
        )
    };
    let [one, two] = ["one", "two"].map(item);
    let text = format!("{{\n    \"kind\": \"List\",\n    \"items\": [\n{one},\n{two}\n    ]\n}}\n");
    let count = text.lines().count();
    for foreign in [
        "W0304 05:06:07.123456      12 memcache.go:265] couldn't get the current list: {",
        "error: the server is busy",
    ] {
        for at in 1..count {
            let mut all: Vec<&str> = text.lines().collect();
            all.insert(at, foreign);
            let text = all.join("\n");
            let parsed = parsed(&text);
            let names = parsed.objects.iter().map(|pod| pod.subject.name.as_deref());
            assert_eq!(
                names.collect::<Vec<_>>(),
                [Some("one"), Some("two")],
                "{text}"
            );
            assert_eq!(parsed.not_understood, [at as u64 + 1], "{text}");
        }
    }
}
