//! Agreement of the fast engine with the slow reference, which parses everything and evaluates
//! every condition.

use std::sync::LazyLock;

use kwhy_core::report::When;
use kwhy_core::{Analyzer, Catalogue, Finding, Report};
use proptest::prelude::*;
use proptest::sample::Index;
use rayon::prelude::*;

use crate::logs::{Logs, logs};

static NAIVE: LazyLock<Analyzer> =
    LazyLock::new(|| Analyzer::new().with_naive_matching().without_joined_lines());

/// The sizes of the smaller blocks.
const SMALL: [usize; 2] = [4096, 300];

/// The default engine, and engines with blocks so small that every boundary and shortcut is
/// exercised.
static FAST: LazyLock<[Analyzer; 4]> = LazyLock::new(|| {
    let [small, smallest] = SMALL.map(|size| Analyzer::new().with_blocks_of(size));
    let one_block = Analyzer::new().with_blocks_of(1 << 20);
    [
        Analyzer::new().without_joined_lines(),
        one_block,
        small,
        smallest,
    ]
});

/// Renders everything reported about a finding, all of which must agree.
fn render(finding: &Finding) -> String {
    serde_json::to_string(finding).unwrap()
}

/// Breaks lines between words, as terminals of this width do.
fn broken(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut room = width;
        for (at, word) in line.split(' ').enumerate() {
            let length = word.chars().count() + 1;
            let separator = match at {
                0 => "",
                _ if room < length => {
                    room = width;
                    "\n"
                }
                _ => " ",
            };
            out.push_str(separator);
            out.push_str(word);
            room = room.saturating_sub(length);
        }
        out.push('\n');
    }
    out
}

/// Compares the default engines on a document pasted with broken lines.
fn assert_agreement_on_broken_lines(name: &str, text: &[u8]) {
    static NAIVE: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_naive_matching());
    static FAST: LazyLock<Analyzer> = LazyLock::new(Analyzer::new);
    let text = broken(&String::from_utf8_lossy(text), 100);
    let findings = |analyzer: &Analyzer| -> Vec<String> {
        let report = analyzer.analyze_text(name, text.as_str());
        report.findings.iter().map(render).collect()
    };
    assert_eq!(findings(&FAST), findings(&NAIVE), "{name}, broken at 100");
}

fn assert_agreement(name: &str, text: &[u8]) {
    let report = |analyzer: &Analyzer| -> Report { analyzer.analyze_text(name, text) };
    let naive = report(&NAIVE);
    // an input that fits into a smaller block is read exactly as in the larger one
    let configurations = 2 + SMALL.iter().filter(|size| text.len() > **size).count();
    let [whole, one_block, small, smallest] = &*FAST;
    let ordered = [whole, one_block, smallest, small];
    for (number, fast) in ordered.into_iter().take(configurations).enumerate() {
        let fast = report(fast);
        let findings = |report: &Report| report.findings.iter().map(render).collect::<Vec<_>>();
        let (fast_findings, naive_findings) = (findings(&fast), findings(&naive));
        let only_in_first = |mine: &[String], theirs: &[String]| -> Vec<String> {
            let only = mine.iter().filter(|finding| !theirs.contains(finding));
            only.take(2).cloned().collect()
        };
        assert!(
            fast_findings == naive_findings,
            "{name} in configuration {number}\nonly fast: {:#?}\nonly naive: {:#?}",
            only_in_first(&fast_findings, &naive_findings),
            only_in_first(&naive_findings, &fast_findings),
        );
        assert_eq!(
            fast.matched, naive.matched,
            "{name} in configuration {number}"
        );
        assert_eq!(
            fast.stats.lines, naive.stats.lines,
            "{name} in configuration {number}"
        );
    }
}

#[test]
fn on_every_example() {
    let catalogue = Catalogue::builtin();
    let signatures: Vec<_> = catalogue.signatures().collect();
    signatures.par_iter().for_each(|signature| {
        let examples = signature.examples();
        for example in examples.matching.iter().chain(&examples.no_match) {
            assert_agreement(&signature.id, example.text.as_bytes());
        }
    });
}

#[test]
fn on_every_fixture() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    let mut files = Vec::new();
    for folder in [
        "cases",
        "healthy",
        "tables",
        "objects",
        "describe",
        "logs",
        "logs/envelopes",
    ] {
        for entry in std::fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            let file = if path.is_dir() {
                path.join("input.txt")
            } else {
                path
            };
            if !file.exists() {
                continue;
            }
            files.push(file);
        }
    }
    assert!(files.len() > 200, "{}", files.len());
    files.par_iter().for_each(|file| {
        let (name, text) = (file.display().to_string(), std::fs::read(file).unwrap());
        assert_agreement(&name, &text);
        assert_agreement_on_broken_lines(&name, &text);
    });
}

#[test]
fn on_tables_that_were_copied() {
    for (name, text) in crate::tables::copies() {
        assert_agreement(&name, text.as_bytes());
    }
}

/// Returns lists of events and pods as programs print them, with occasional irregular lines.
fn list(step: usize, items: usize) -> String {
    let mut text = String::from("{\n");
    let mut line = |depth: usize, rest: &str| {
        text.push_str(&" ".repeat(depth * step));
        text.push_str(rest);
        text.push('\n');
    };
    line(1, "\"apiVersion\": \"v1\",");
    line(1, "\"items\": [");
    for number in 0..items {
        line(2, "{");
        line(3, "\"apiVersion\": \"v1\",");
        let kind = if number % 3 == 0 { "Pod" } else { "Event" };
        line(3, &format!("\"kind\": \"{kind}\","));
        line(3, "\"metadata\": {");
        line(4, &format!("\"name\": \"web-{}\",", number % 40));
        line(4, "\"namespace\": \"shop\"");
        line(3, "},");
        if number % 3 == 0 {
            line(3, "\"status\": {");
            line(4, "\"containerStatuses\": [");
            line(5, "{");
            line(6, "\"name\": \"app\",");
            line(6, "\"restartCount\": 4,");
            line(6, "\"state\": {");
            line(7, "\"waiting\": {");
            line(
                8,
                "\"message\": \"back-off 5m0s restarting failed container=app\",",
            );
            line(8, "\"reason\": \"CrashLoopBackOff\"");
            line(7, "}");
            line(6, "}");
            line(5, "}");
            line(4, "]");
            line(3, "}");
        } else {
            line(3, &format!("\"count\": {},", number * 7 % 90 + 1));
            line(3, "\"involvedObject\": { \"kind\": \"Pod\",");
            line(4, &format!("\"name\": \"web-{}\",", number % 40));
            line(4, "\"namespace\": \"shop\"");
            line(3, "},");
            if number % 7 == 0 {
                line(3, "...");
            }
            let what = match number % 4 {
                0 => "no matches for kind \\\"Issuer\\\" in version \\\"cert-manager.io/v1\\\"",
                1 => {
                    "MountVolume.SetUp failed for volume \\\"conf\\\" : configmap \\\"web-conf\\\" not found"
                }
                _ => "Created container app } { [",
            };
            line(3, &format!("\"message\": \"{what}\","));
            line(3, "\"reason\": \"FailedMount\",");
            line(3, "\"type\": \"Warning\"");
        }
        line(2, if number + 1 < items { "}," } else { "}" });
    }
    line(1, "],");
    line(1, "\"kind\": \"List\"");
    line(0, "}");
    text
}

#[test]
fn on_long_lists_of_objects() {
    for step in [2, 4] {
        let text = list(step, 240);
        assert_agreement(&format!("{step} spaces per level"), text.as_bytes());
        let report = FAST[2].analyze_text("list", text.as_bytes());
        // an event counts as many times as its `count` field states
        let events = (0..240).filter(|number| number % 3 != 0 && number % 4 == 0);
        let counts: u64 = events.map(|number| number * 7 % 90 + 1).sum();
        let matched = report.matched.iter();
        let kinds = matched.filter(|(id, _)| id.as_str() == "kind-unknown");
        assert_eq!(kinds.map(|(_, count)| *count).collect::<Vec<_>>(), [counts]);
        // after a log, and followed by another
        let log = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n".repeat(40);
        let mixed = format!("{log}$ kubectl get -o json all\n{text}{log}");
        assert_agreement("between logs", mixed.as_bytes());
    }
}

/// Compares a file: `KWHY_AGREE=FILE cargo test --release -p kwhy-core -- --ignored on_a_file`.
#[test]
#[ignore = "needs a file"]
fn on_a_file() {
    let file = std::env::var("KWHY_AGREE").unwrap();
    let text = std::fs::read(&file).unwrap();
    let analyze = |analyzer: &Analyzer| analyzer.analyze_text(&file, text.as_slice());
    let (naive, fast) = (analyze(&NAIVE), analyze(&FAST[0]));
    assert_eq!(fast.matched, naive.matched);
    let findings = |report: &Report| report.findings.iter().map(summary).collect::<Vec<_>>();
    assert_eq!(findings(&fast), findings(&naive));
}

fn summary(finding: &Finding) -> (String, String, u64, Option<When>, Option<When>) {
    let Finding {
        signature,
        subject,
        count,
        first,
        last,
        ..
    } = finding;
    (
        signature.clone(),
        subject.to_string(),
        *count,
        *first,
        *last,
    )
}

/// Signatures often match the same lines; the report must not depend on how threads share the work.
#[test]
fn for_any_number_of_threads() {
    let log = Logs::seeded(7).lines(40_000);
    let analyzer = Analyzer::new().with_blocks_of(16 * 1024);
    let report = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let report = pool.install(|| analyzer.analyze_text("log", log.as_bytes()));
        serde_json::to_string(&report).unwrap()
    };
    let one = report(1);
    assert_eq!(one, report(2));
    assert_eq!(one, report(5));
}

/// Generates lines of objects as kubectl prints them, cut anywhere, among log records.
fn objects() -> impl Strategy<Value = String> {
    let file = proptest::sample::select(vec![
        "workloads.yaml",
        "workloads.json",
        "cluster.yaml",
        "services.json",
        "events.yaml",
        "events.json",
    ]);
    let piece = (file, any::<Index>(), 1..90usize, any::<bool>());
    proptest::collection::vec(piece, 1..4).prop_map(|pieces| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/objects");
        let mut text = String::new();
        for (number, (file, from, count, log)) in pieces.into_iter().enumerate() {
            let whole = std::fs::read_to_string(format!("{root}/{file}")).unwrap();
            let lines: Vec<&str> = whole.lines().collect();
            let from = from.index(lines.len());
            text.push_str("\n$ kubectl get all -A -o wide\n\n");
            let part = lines.iter().skip(from).take(count);
            part.for_each(|line| {
                text.push_str(line);
                text.push('\n');
            });
            if log {
                text.push_str(&Logs::seeded(number as u64).lines(5));
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn on_pieces_of_objects(text in objects()) {
        assert_agreement("objects", text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Logs of all formats and envelopes, with failures of any signature, split by container
    /// runtimes and interrupted by output of kubectl.
    #[test]
    fn on_generated_logs(log in logs()) {
        assert_agreement("generated", log.as_bytes());
    }
}

/// A dump of a cluster marks the log of each container, whose records may be of several formats.
#[test]
fn on_marked_logs_of_a_dump() {
    let mut dump = String::new();
    for number in 0..60 {
        dump += &format!(
            "==== START logs for container tide of pod ferry/tide-{number} ====\n.:53\nTIDE-1.3.1\n"
        );
        for second in 0..(number % 7) * 9 {
            dump += &format!("2031-05-06T08:00:{second:02}.585Z [INFO] tide rises\n");
        }
        dump += "E0506 08:01:49.593501       1 reflector.go:134] Failed to list *v1.Service: Get https://10.96.0.1:443/api/v1/services?limit=500&resourceVersion=0: dial tcp 10.96.0.1:443: connect: connection refused\npanic: no berth left\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d\n";
        if number % 3 > 0 {
            dump += &format!("==== END logs for container tide of pod ferry/tide-{number} ====\n");
        }
        if number % 5 == 0 {
            dump += "{\n    \"kind\": \"PodList\",\n    \"apiVersion\": \"v1\",\n    \"metadata\": {\n        \"resourceVersion\": \"7\"\n    },\n    \"items\": []\n}\n";
        }
    }
    assert_agreement("dump", dump.as_bytes());
    let report = NAIVE.analyze_text("dump", &*dump);
    let mut subjects = report.findings.iter().map(|finding| &finding.subject);
    assert!(subjects.any(|subject| subject.to_string().starts_with("Pod ferry/tide-")));
}

/// Returns a list of a claim, many pods and StorageClasses, in JSON or YAML as kubectl prints it.
fn list_with_classes(json: bool, pods: usize, classes: &[&str]) -> String {
    let padding = "a".repeat(2000);
    let claim = "kind: PersistentVolumeClaim\nmetadata:\n  name: data\n  namespace: harbour\nspec:\n  storageClassName: fast\nstatus:\n  phase: Pending".to_owned();
    let pods = (0..pods).map(|number| {
        format!("kind: Pod\nmetadata:\n  name: p-{number}\n  namespace: harbour\n  annotations:\n    x: {padding}\nspec:\n  nodeName: quay-1\nstatus:\n  phase: Running")
    });
    let classes = classes.iter().map(|name| {
        format!("kind: StorageClass\nmetadata:\n  name: {name}\nprovisioner: tide.example")
    });
    let objects = std::iter::once(claim).chain(pods).chain(classes);
    if !json {
        let items = objects.map(|object| {
            let lines = object.lines().map(|line| format!("  {line}\n"));
            format!("- apiVersion: v1\n{}", lines.collect::<String>())
        });
        let items: String = items.collect();
        return format!(
            "apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: \"\"\n"
        );
    }
    let items = objects.map(|object| {
        let value: serde_yaml::Value =
            serde_yaml::from_str(&format!("apiVersion: v1\n{object}")).unwrap();
        serde_json::to_value(value).unwrap()
    });
    let list =
        serde_json::json!({"apiVersion": "v1", "items": items.collect::<Vec<_>>(), "kind": "List"});
    let mut text = Vec::new();
    let indent = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, indent);
    serde::Serialize::serialize(&list, &mut serializer).unwrap();
    String::from_utf8(text).unwrap() + "\n"
}

/// A list longer than a block is split between its items. The engine must still know if it is complete.
#[test]
fn on_lists_that_are_cut() {
    let proves = |name: &str, text: &str| {
        assert_agreement(name, text.as_bytes());
        let report = FAST[0].analyze_text(name, text.as_bytes());
        report
            .matched
            .iter()
            .any(|(id, _)| id == "class-not-in-list")
    };
    for json in [true, false] {
        let list = |classes: &[&str]| list_with_classes(json, 140, classes);
        let two = list(&["slow", "steady"]);
        assert!(two.len() > 256 * 1024);
        assert!(proves("two classes", &two));
        // with a single class, it may be the only object that was requested
        assert!(!proves("one class", &list(&["slow"])));
        assert!(!proves("its class", &list(&["slow", "fast"])));
        // without the head of the list
        let headless: String = two
            .lines()
            .skip(3)
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(!proves("items alone", &headless));
        // followed by other output, and two lists
        let after = format!(
            "{two}\n$ kubectl get pods\nNAME   READY   STATUS    RESTARTS   AGE\na-0    1/1     Running   0          4d\n"
        );
        assert!(proves("followed by a table", &after));
        let log = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n";
        let one = list(&["slow"]);
        let lists = format!(
            "{one}\n{log}\n$ kubectl get sc -o yaml\n{}",
            list_with_classes(json, 0, &["steady"])
        );
        assert!(!proves("two lists", &lists));
    }
    let two = list_with_classes(false, 140, &["slow", "steady"]);
    let half = two.len() / 2;
    let at = half + two[half..].find("\n- apiVersion").unwrap() + 1;
    let gap = format!("{}...\n{}", &two[..at], &two[at..]);
    assert!(!proves("with an ellipsis", &gap));
}

/// The text before and after lines that people quote in a list or emphasise. None starts with a space, as an indented
/// record does not end a block, so very small blocks would be split anywhere.
const MARKS: [(&str, &str); 9] = [
    ("", ""),
    ("- ", ""),
    ("* ", ""),
    ("- `", "`"),
    ("**", "**"),
    ("_", "_"),
    ("`", "`"),
    ("`", ""),
    ("", "`"),
];

/// Returns generated lines, with and without envelopes, wrapped in marks.
fn marked(seed: u64, records: usize, marks: &[u8]) -> String {
    let log = Logs::seeded(seed).lines(records);
    let mut text = String::new();
    for (line, mark) in log.lines().zip(marks.iter().cycle()) {
        // nobody marks an empty line
        let mark = if line.is_empty() {
            0
        } else {
            usize::from(*mark)
        };
        let (before, after) = MARKS[mark % MARKS.len()];
        text.push_str(&format!("{before}{line}{after}\n"));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn on_lines_inside_marks(
        seed in any::<u64>(),
        records in 1..60usize,
        marks in proptest::collection::vec(any::<u8>(), 1..20),
    ) {
        assert_agreement("marked", marked(seed, records, &marks).as_bytes());
    }
}

/// The context of a command applies to the plain lines after it, but not to those after the records
/// of a log, which may be far from it.
#[test]
fn on_plain_lines_after_a_command() {
    let record = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\"\n";
    let plain = "Error: secret \"login\" not found, `\n";
    for records in [0, 1, 2, 40] {
        let text = format!(
            "$ kubectl -n shop get pods\n{}{plain}",
            record.repeat(records)
        );
        assert_agreement("after a command", text.as_bytes());
        let report = NAIVE.analyze_text("after a command", text.as_bytes());
        let namespaces = report
            .findings
            .iter()
            .map(|finding| finding.subject.namespace.as_deref());
        let wanted = (records == 0).then_some("shop");
        assert_eq!(namespaces.collect::<Vec<_>>(), [wanted], "{records}");
    }
}

/// Tests lines of a message that an envelope received at once, some of them with marks, and a year that only a marked
/// line states.
#[test]
fn on_marked_lines_of_one_message() {
    for (seed, records) in [
        (523_012_905_791_882_834, 60),
        (1_200_952_978_512_325_674, 12),
    ] {
        for marks in [&[1][..], &[0, 1], &[5, 8, 0]] {
            let text = marked(seed, records, marks);
            assert_agreement("marked", text.as_bytes());
        }
    }
    let in_syslog = |second: &str| {
        format!(
            "Mar 04 05:06:07 barge tide[7]: E0304 05:06:07.123456       7 quay.go:7] lift failed:\nMar 04 05:06:07 barge tide[7]: {second}\n"
        )
    };
    for second in ["secret", "secrets"] {
        let text = in_syslog(&format!("{second} \"login\" not found"));
        for (before, _) in MARKS {
            let marked = text.replace("Mar 04", &format!("{before}Mar 04"));
            assert_agreement(before, marked.as_bytes());
            assert_agreement(before, marked.repeat(9).as_bytes());
            assert_agreement(before, format!("{before}{}", text.repeat(9)).as_bytes());
        }
    }
}

#[test]
fn marked_lines_are_parsed() {
    let record = "E0304 05:06:07.123456       1 sync.go:88] MountVolume.SetUp failed for volume \"conf\" : configmap \"web-conf\" not found";
    let found = |text: &str| {
        FAST[0]
            .analyze_text("mark", text.as_bytes())
            .matched
            .clone()
    };
    let alone = found(record);
    assert!(!alone.is_empty());
    for (before, after) in MARKS {
        let text = format!("It says\n\n{before}{record}{after}\n");
        assert_eq!(found(&text), alone, "{text}");
        assert_agreement("mark", text.as_bytes());
        // the context of a command applies to a log after such a line too
        let log = format!(
            "$ kubectl -n shop logs web-0\nI0304 05:06:07.000000       1 sync.go:88] Synced\n{before}{record}{after}\n{record}\n"
        );
        assert_agreement("log", log.as_bytes());
    }
}

#[test]
fn a_list_of_one_row_that_is_cut_above_it() {
    let table = "$ kubectl -n quay get pods\nNAME     READY   STATUS    RESTARTS   AGE\nmole-0   1/1     Running   0          5d\n";
    let error = "E0304 00:00:08.123456     812 pods.go:88] Error creating: pods \"pier-5c9-\" is forbidden: no service account specified for pod quay/pier-5c9-x2b4k\n";
    for filled in (100..260).step_by(8) {
        let filled = "e".repeat(filled);
        let head = format!("I0304 00:00:06.123456     812 sync.go:88] synced th{filled}\n");
        assert_agreement("log", format!("{head}{table}{error}{head}").as_bytes());
    }
}

#[test]
fn lines_of_escape_sequences_alone_are_counted() {
    let blocks = Analyzer::new().with_blocks_of(300);
    for (text, lines) in [
        ("\u{1b}[31m", 1),
        ("x\n\u{1b}[31m", 2),
        ("x\n\u{1b}[31m\ny\n", 3),
    ] {
        for analyzer in [&blocks, &Analyzer::new()] {
            assert_eq!(
                analyzer.analyze_text("x", text).stats.lines,
                lines,
                "{text:?}"
            );
        }
    }
}
