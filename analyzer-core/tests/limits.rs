//! A limit is reported if and only if it was reached.

use std::fmt::Write;

use kwhy_core::{Analyzer, Document, ReadLimits, Report};

/// Returns the messages about a limit in a report.
fn messages<'r>(report: &'r Report, limit: &str) -> Vec<&'r str> {
    let met = report.limits.iter().filter(|met| met.limit.name() == limit);
    met.map(|met| met.message.as_str()).collect()
}

fn pods(from: usize, count: usize) -> String {
    let mut table = String::from(
        "NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE   IP   NODE   NOMINATED NODE   READINESS GATES\n",
    );
    for number in from..from + count {
        let (high, low) = (number / 250, number % 250);
        writeln!(
            table,
            "dock   crane-{number}   1/1   Running   0   5d   10.4.{high}.{low}   quay-1   <none>   <none>"
        )
        .unwrap();
    }
    table
}

#[test]
fn more_addresses_than_are_kept() {
    let analyzer = Analyzer::new();
    let read = |all: usize| {
        let mut incident = analyzer.incident();
        for part in 0..all / 500 {
            let text = pods(part * 500, 500);
            incident.read("pods", text.as_bytes()).unwrap();
        }
        incident.finish()
    };
    assert!(messages(&read(10_000), "many-relations").is_empty());
    let report = read(10_500);
    let messages = messages(&report, "many-relations");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].starts_with("500 addresses were not kept"),
        "{messages:?}"
    );
    let report = read(20_500);
    let messages = self::messages(&report, "many-relations");
    assert!(
        messages[0].contains("10500 addresses, 500 prints of objects"),
        "{messages:?}"
    );
}

/// Hits beyond the number kept are counted without being stored. The reported number must not depend on the block size.
#[test]
fn more_objects_than_a_condition_keeps() {
    // an event to compare objects with, as the number of objects compared with one another is not limited
    let event = "LAST SEEN   TYPE     REASON          OBJECT                            MESSAGE\n\
                 3s          Normal   FailedBinding   persistentvolumeclaim/logbook-0   no persistent volumes available for this claim and no storage class is set\n";
    for (kind, phase) in [
        ("PersistentVolume", "Available"),
        ("PersistentVolume", "Released"),
    ] {
        let lists = list_of(1500, kind, phase, "dock") + &list_of(1500, kind, phase, "quay");
        let text = format!("{event}{lists}");
        // complete lists, and a truncated one
        let cut = text.get(..text.len() * 3 / 4).unwrap_or_default();
        for text in [&text, cut] {
            let at_once = Analyzer::new().analyze_text("objects", text.as_bytes());
            let wanted = messages(&at_once, "many-matches");
            for blocks in [1000, 4096] {
                let analyzer = Analyzer::new().with_blocks_of(blocks);
                let report = analyzer.analyze_text("objects", text.as_bytes());
                assert_eq!(
                    messages(&report, "many-matches"),
                    wanted,
                    "{kind}, {blocks}"
                );
            }
            assert!(!wanted.is_empty());
        }
    }
}

/// Returns `count` healthy objects of a kind, as `kubectl get -o json` prints them.
fn list_of(count: usize, kind: &str, phase: &str, namespace: &str) -> String {
    let items = (0..count).map(|number| {
        serde_json::json!({
            "apiVersion": "v1",
            "kind": kind,
            "metadata": {"labels": {"app": "crane"}, "name": format!("crane-{number}"), "namespace": namespace},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "3Gi"}},
            "status": {"phase": phase},
        })
    });
    let list =
        serde_json::json!({"apiVersion": "v1", "items": items.collect::<Vec<_>>(), "kind": "List"});
    serde_json::to_string_pretty(&list).unwrap() + "\n"
}

#[test]
fn more_causes_than_are_compared() {
    let analyzer = Analyzer::new();
    let read = |nodes: usize| {
        let mut text = String::new();
        for number in 0..nodes {
            write!(
                text,
                "\
Name:               quay-{number}
Roles:              <none>
Taints:             node.kubernetes.io/unreachable:NoSchedule
Unschedulable:      false
Conditions:
  Type    Status   LastHeartbeatTime                 LastTransitionTime                Reason             Message
  ----    ------   -----------------                 ------------------                ------             -------
  Ready   Unknown  Mon, 16 Nov 2026 10:00:00 +0000   Mon, 16 Nov 2026 10:01:00 +0000   NodeStatusUnknown  Kubelet stopped posting node status.
Events:  <none>


"
            )
            .unwrap();
        }
        let call = r#"Error from server (InternalError): error when creating "web.yaml": Internal error occurred: failed calling webhook "check.tide.example": failed to call webhook: Post "https://192.0.2.44:8443/check?timeout=10s": dial tcp 192.0.2.44:8443: i/o timeout"#;
        let documents = [
            Document::new("nodes", text),
            Document::new("create", call.to_owned()),
        ];
        analyzer.analyze(&documents)
    };
    let few = read(3);
    assert!(messages(&few, "many-findings").is_empty());
    assert!(few.findings.iter().any(|f| f.cause == "node/not-ready"));
    let many = read(20);
    let messages = messages(&many, "many-findings");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].starts_with("for 1 of the findings"),
        "{messages:?}"
    );
}

/// Returns an analyzer with limits that a small text reaches.
fn small() -> Analyzer {
    let limits = ReadLimits::default().with_line_length(200);
    Analyzer::new().with_limits(limits.with_depth(6).with_aliases(20))
}

#[test]
fn longer_lines_than_are_read() {
    let line = "E0304 05:06:07.123456       1 sync.go:88] \"no\"";
    let text = format!("{line}\n{line} {}\n{line}\n", "x".repeat(300));
    assert!(
        Analyzer::new()
            .analyze_text("log", text.clone())
            .limits
            .is_empty()
    );
    let report = small().analyze_text("log", text);
    assert_eq!(
        messages(&report, "long-line"),
        ["of line 2 only the first part of 200 bytes was looked at"]
    );
}

#[test]
fn deeper_values_than_are_read() {
    let deep = (1..8).map(|level| format!("{}a{level}:\n", "  ".repeat(level)));
    let yaml = format!(
        "apiVersion: v1\nkind: Pod\nspec:\n{}",
        deep.collect::<String>()
    );
    let yaml = format!("{yaml}{}b: 1\n", "  ".repeat(8));
    let json = format!(
        "{{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Pod\",\n  \"spec\": {}1{}\n}}\n",
        "{\"a\": ".repeat(8),
        "}".repeat(8)
    );
    for text in [yaml, json] {
        assert!(
            Analyzer::new()
                .analyze_text("pod", text.clone())
                .limits
                .is_empty()
        );
        let report = small().analyze_text("pod", text.clone());
        assert_eq!(
            messages(&report, "depth"),
            ["maps and lists that stand in 6 others were left out: 1"],
            "{text}"
        );
    }
}

#[test]
fn more_aliases_than_are_read() {
    let mut text = String::from(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: tides\na0: &a0 [high, low]\n",
    );
    for level in 1..30 {
        let before = level - 1;
        writeln!(text, "a{level}: &a{level} [*a{before}, *a{before}]").unwrap();
    }
    assert!(
        messages(&small().analyze_text("map", text.clone()), "aliases")[0]
            .starts_with("aliases that stand for more than 20 values were left out: ")
    );
    // a billion-laughs attack is stopped at any limit
    assert_eq!(
        messages(&Analyzer::new().analyze_text("map", text), "aliases").len(),
        1
    );
    let few = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: tides\n  labels: &same\n    app: quay\n  annotations: *same\n";
    assert!(small().analyze_text("map", few).limits.is_empty());
}
