//! Objects on a single line: the response of an API server is parsed like the output of kubectl, however long the line
//! is.

use kwhy_core::events::{ExtractOptions, extract_with};
use kwhy_core::{Analyzer, ReadLimits, Report};
use serde_json::{Value, json};

/// Returns `count` pods, every seventh of which lacks its ConfigMap.
fn pods(count: usize, padding: usize) -> Vec<Value> {
    let padding = "\u{e9} \\ { ] \"".repeat(padding);
    let pods = (0..count).map(|number| {
        let state = match number % 7 {
            0 => json!({"waiting": {
                "reason": "CreateContainerConfigError",
                "message": format!("configmap \"tide-{}\" not found", number % 3),
            }}),
            _ => json!({"running": {"startedAt": "2031-03-04T05:06:07Z"}}),
        };
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": format!("crane-{number}"),
                "namespace": format!("dock-{}", number % 5),
                "annotations": {"note": padding},
            },
            "spec": {"containers": [{"name": "arm", "image": "registry.example/arm:1"}]},
            "status": {
                "phase": "Pending",
                "containerStatuses": [{"name": "arm", "ready": false, "restartCount": 0, "state": state}],
            },
        })
    });
    pods.collect()
}

fn list(items: Vec<Value>) -> Value {
    json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})
}

fn indented(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// Returns the causes in a report, without lines and columns.
fn causes(report: &Report) -> Vec<(String, String, u64, Vec<String>)> {
    let findings = report.findings.iter();
    let causes = findings.map(|finding| {
        let others = finding.others.iter().map(|other| other.to_string());
        (
            finding.cause.to_string(),
            finding.subject.to_string(),
            finding.count,
            others.collect(),
        )
    });
    causes.collect()
}

fn analyze(analyzer: &Analyzer, threads: usize, text: &[u8]) -> Report {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().unwrap();
    pool.install(|| analyzer.analyze_text("pods.json", text))
}

fn limits(report: &Report) -> Vec<&str> {
    report.limits.iter().map(|met| met.limit.name()).collect()
}

#[test]
fn a_list_of_25_mb_gives_the_result_of_the_indented_one() {
    let list = list(pods(12_000, 170));
    let line = serde_json::to_string(&list).unwrap();
    assert!(line.len() > 25_000_000, "{}", line.len());
    let wanted = analyze(&Analyzer::new(), 2, indented(&list).as_bytes());
    let one = analyze(&Analyzer::new(), 1, line.as_bytes());
    assert!(!wanted.findings.is_empty());
    assert_eq!(causes(&one), causes(&wanted));
    assert_eq!(one.matched, wanted.matched);
    assert_eq!(one.stats.records, wanted.stats.records);
    assert_eq!(one.stats.lines, 1);
    assert_eq!(limits(&one), limits(&wanted));
    let two = analyze(&Analyzer::new(), 2, line.as_bytes());
    assert_eq!(
        serde_json::to_string(&one).unwrap(),
        serde_json::to_string(&two).unwrap()
    );
}

/// Returns lists in several shapes, each with the same small pods.
fn shapes() -> Vec<(&'static str, String)> {
    let items = pods(60, 3);
    let whole = list(items.clone());
    let bare = items.iter().map(|item| {
        let mut item = item.clone();
        let map = item.as_object_mut().unwrap();
        map.remove("kind");
        map.remove("apiVersion");
        item
    });
    let bare = serde_json::to_string(&bare.collect::<Vec<_>>()).unwrap();
    let line = serde_json::to_string(&whole).unwrap();
    let lines = items
        .iter()
        .map(|item| serde_json::to_string(item).unwrap() + "\n");
    let raw = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"7"}},"items":{bare}}}"#
    );
    vec![
        ("a list", format!("{line}\n")),
        ("without a line end", line.clone()),
        ("with carriage returns", format!("{line}\r\n")),
        ("after a byte order mark", format!("\u{feff}{line}\n")),
        ("after spaces", format!("  {line}\n")),
        ("what a server sends", raw.clone()),
        (
            "its kind after the items",
            format!(r#"{{"apiVersion":"v1","items":{bare},"kind":"PodList"}}"#),
        ),
        ("in a list", serde_json::to_string(&items).unwrap()),
        ("a line each", lines.collect()),
        (
            "in a list of lists",
            format!(r#"{{"kind":"List","apiVersion":"v1","items":[{raw}]}}"#),
        ),
        (
            "one after another",
            items.iter().map(Value::to_string).collect(),
        ),
    ]
}

/// Returns limits so low that every line exceeds them.
fn low() -> ReadLimits {
    ReadLimits::default().with_line_length(200)
}

#[test]
fn every_shape_gives_the_same_result_in_pieces() {
    let wanted = causes(&Analyzer::new().analyze_text("pods.json", indented(&list(pods(60, 3)))));
    assert!(!wanted.is_empty());
    for (name, text) in shapes() {
        for size in [300, 4096, 1 << 18] {
            let fast = Analyzer::new().with_limits(low()).with_blocks_of(size);
            let fast = fast.analyze_text("pods.json", text.as_bytes());
            assert_eq!(causes(&fast), wanted, "{name} in blocks of {size}");
            assert!(fast.limits.is_empty(), "{name}: {:?}", fast.limits);
            let naive = Analyzer::new().with_limits(low()).with_naive_matching();
            let naive = naive.analyze_text("pods.json", text.as_bytes());
            let json = |report: &Report| serde_json::to_string(&report.findings).unwrap();
            assert_eq!(json(&fast), json(&naive), "{name} in blocks of {size}");
        }
    }
}

#[test]
fn lines_and_columns_are_those_of_the_line() {
    let log = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n";
    for (name, text) in shapes() {
        let text = format!(
            "{text}\n{log}{}",
            text.trim_start_matches(['\u{feff}', ' '])
        );
        let places = |analyzer: &Analyzer| {
            let report = analyzer.analyze_text("pods.json", text.as_bytes());
            let evidence = report.findings.iter().flat_map(|finding| &finding.evidence);
            let place = evidence.map(|line| {
                (
                    line.line,
                    line.column,
                    line.text[line.mark.clone()].to_owned(),
                )
            });
            place.collect::<Vec<_>>()
        };
        let wanted = places(&Analyzer::new());
        assert!(wanted.len() > 1, "{name}");
        for size in [300, 4096] {
            let pieces = Analyzer::new().with_limits(low()).with_blocks_of(size);
            assert_eq!(places(&pieces), wanted, "{name} in blocks of {size}");
        }
    }
}

#[test]
fn in_utf16_too() {
    let line = serde_json::to_string(&list(pods(60, 3))).unwrap();
    let units = std::iter::once(0xfeff).chain(line.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    let analyzer = Analyzer::new().with_limits(low()).with_blocks_of(300);
    let wanted = analyzer.analyze_text("pods.json", line.as_bytes());
    let report = analyzer.analyze_text("pods.json", bytes);
    assert_eq!(causes(&report), causes(&wanted));
    assert!(!report.findings.is_empty());
}

#[test]
fn objects_are_printed_identically() {
    let names = |text: &str, limits: ReadLimits| {
        let options = ExtractOptions::default().with_limits(limits);
        let mut all = Vec::new();
        let summary = |part: &kwhy_core::events::Extract<'_>| {
            let objects = part.parsed.objects.iter();
            let rows = objects.map(|object| {
                let place = part.place(&object.span);
                (object.subject.to_string(), place.line, place.column)
            });
            rows.collect::<Vec<_>>()
        };
        let read = extract_with("x", options, text.as_bytes(), summary, |mut more| {
            all.append(&mut more)
        });
        assert!(read.limits.is_empty());
        all
    };
    for (name, text) in shapes() {
        let wanted = names(&text, ReadLimits::default());
        assert_eq!(names(&text, low()), wanted, "{name}");
        assert_eq!(wanted.len(), 60, "{name}");
    }
}

#[test]
fn a_record_of_a_log_stays_one() {
    let items = serde_json::to_string(&list(pods(60, 3))).unwrap();
    for line in [
        format!(r#"{{"level":"info","ts":"2031-03-04T05:06:07Z","msg":"read","list":{items}}}"#),
        format!("2031-03-04T05:06:07Z stdout F {items}"),
        format!("text {items}"),
        "x".repeat(500),
    ] {
        let analyzer = Analyzer::new().with_limits(low());
        let report = analyzer.analyze_text("log", line + "\n");
        assert_eq!(limits(&report), ["long-line"]);
        assert!(report.findings.is_empty());
    }
}

#[test]
fn complete_items_of_a_truncated_list_count() {
    let items = pods(60, 3);
    let line = serde_json::to_string(&list(items.clone())).unwrap();
    let analyzer = Analyzer::new().with_limits(low()).with_blocks_of(300);
    let count = |text: &str| -> u64 {
        let report = analyzer.analyze_text("pods.json", text);
        report.findings.iter().map(|finding| finding.count).sum()
    };
    // truncate after each item
    let mut end = line.find('[').unwrap();
    for number in 0..items.len() {
        end += 1 + items[number].to_string().len();
        let whole = list(items[..=number].to_vec()).to_string();
        for more in [0, 10] {
            let part = &line[..end + more];
            let report = analyzer.analyze_text("pods.json", part);
            assert_eq!(limits(&report), ["cut-off"]);
            assert_eq!(count(part), count(&whole), "{number}, {more}");
        }
    }
}

#[test]
fn oversized_parts_are_reported() {
    let broken = pods(1, 1).remove(0);
    let long = "x".repeat(6 << 20);
    let giant = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tide", "namespace": "dock"}, "data": {"a": long}});
    let many = r#"{"a":1},"#.repeat(1 << 20);
    let many = format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"tide"}},"data":[{many}{{}}]}},{broken}]}}"#
    );
    let wanted = causes(&Analyzer::new().analyze_text("x.json", format!("{broken}\n")));
    assert!(!wanted.is_empty());
    let deep = "[".repeat(6 << 20);
    let deep = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{broken},{deep}"#);
    for (text, limit) in [
        (
            list(vec![giant.clone(), broken.clone()]).to_string(),
            "long-value",
        ),
        (format!("{giant}\n{broken}\n"), "long-value"),
        (many, "large-object"),
        (deep, "cut-off"),
    ] {
        let report = Analyzer::new().analyze_text("x.json", text);
        assert!(
            limits(&report).contains(&limit),
            "{limit}: {:?}",
            report.limits
        );
        assert_eq!(causes(&report), wanted, "{limit}");
    }
}
