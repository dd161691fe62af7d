//! Kubernetes objects in YAML and JSON: the output of a real kubectl in `fixtures/objects`, each file with its expected
//! content, and properties that hold for any input.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use kwhy_core::Document;
use kwhy_core::events::{Event, Format, Object, Parsed, Span, Value, lines, parse, segments};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, json};

const GROUPS: &[&str] = &["workloads", "cluster", "services", "events"];

fn fixture(name: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/objects");
    fs::read_to_string(Path::new(root).join(name)).unwrap()
}

/// Returns the parsed content, without spans and formats.
fn neutral(parsed: &Parsed<'_>) -> serde_json::Value {
    let object = |object: &Object<'_>| {
        let mut map = Map::new();
        map.insert("subject".into(), json!(object.subject));
        for (key, value) in object.fields.iter() {
            map.insert(key.to_owned(), json!(value));
        }
        serde_json::Value::Object(map)
    };
    let event = |event: &Event<'_>| {
        json!({
            "subject": event.subject,
            "reason": event.reason,
            "message": event.message,
            "severity": event.severity,
            "component": event.component,
            "count": event.count,
            "time": event.time.map(|time| time.to_string()),
            "first_time": event.first_time.map(|time| time.to_string()),
        })
    };
    json!({
        "objects": parsed.objects.iter().map(object).collect::<Vec<_>>(),
        "events": parsed.events.iter().map(event).collect::<Vec<_>>(),
        "not_understood": parsed.not_understood,
    })
}

fn read(text: &str, format: Format) -> serde_json::Value {
    let document = Document::new("input", text);
    for segment in segments(document.text()) {
        assert_eq!(segment.format, format, "{:?}", segment.line_numbers());
    }
    neutral(&parse::document(&document))
}

/// Objects as printed by kubectl, with the marks that people paste around them.
#[test]
fn kubectl_output_is_parsed() {
    for group in GROUPS {
        let parsed = read(&fixture(&format!("{group}.yaml")), Format::ObjectYaml);
        let expected = fixture(&format!("{group}.expected.json"));
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        if parsed != expected {
            let path =
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{group}.expected.json"));
            let text = serde_json::to_string_pretty(&parsed).unwrap() + "\n";
            fs::write(&path, text).unwrap();
            panic!("{group}.yaml: the actual result is in {}", path.display());
        }
        let of_json = read(&fixture(&format!("{group}.json")), Format::ObjectJson);
        assert_eq!(of_json["events"], parsed["events"], "{group}");
        assert_eq!(of_json, parsed, "{group}");
    }
}

#[test]
fn compact_json_gives_the_same_result() {
    for group in GROUPS {
        let list: serde_json::Value =
            serde_json::from_str(&fixture(&format!("{group}.json"))).unwrap();
        let whole = serde_json::to_string(&list).unwrap();
        let items = list["items"].as_array().unwrap();
        let stream: Vec<String> = items.iter().map(|item| item.to_string()).collect();
        let wanted = read(&fixture(&format!("{group}.json")), Format::ObjectJson);
        assert_eq!(read(&whole, Format::ObjectJson), wanted, "{group}");
        assert_eq!(
            read(&stream.join("\n"), Format::ObjectJson),
            wanted,
            "{group}"
        );
    }
}

/// A list that is split between its items is parsed like the complete list.
#[test]
fn lists_can_be_cut_at_their_items() {
    for (file, mark) in [
        ("workloads.yaml", "\n- apiVersion"),
        ("workloads.json", "\n        {\n            \"apiVersion\""),
    ] {
        let text = fixture(file);
        let whole = neutral(&parse::document(&Document::new("input", text.as_str())));
        let cut = text.match_indices(mark).nth(4).unwrap().0 + 1;
        let mut objects = Vec::new();
        let mut events = Vec::new();
        for part in [&text[..cut], &text[cut..]] {
            let part = neutral(&parse::document(&Document::new("input", part)));
            objects.extend(part["objects"].as_array().unwrap().clone());
            events.extend(part["events"].as_array().unwrap().clone());
            assert_eq!(part["not_understood"], json!([]), "{file}");
        }
        assert_eq!(whole["objects"], json!(objects), "{file}");
        assert_eq!(whole["events"], json!(events), "{file}");
    }
}

/// The text of a value is found at its span in the input, character by character.
#[test]
fn spans_are_exact() {
    for group in GROUPS {
        for end in ["yaml", "json"] {
            let text = fixture(&format!("{group}.{end}"));
            let document = Document::new("input", text.as_str());
            let parsed = parse::document(&document);
            let mut seen = 0;
            let messages = parsed.events.iter().map(|event| &event.message);
            for message in messages {
                let value = message.as_str();
                for (at, word) in value.match_indices(|c: char| c.is_ascii_alphanumeric()) {
                    let span = message.source_span(at..at + word.len());
                    assert_eq!(document.text().get(span), Some(word), "{value}");
                    seen += 1;
                }
            }
            assert!(seen > 0 || group == &"cluster", "{group}");
        }
    }
}

fn check_span(text: &str, span: &Span) {
    assert!(text.get(span.clone()).is_some(), "{span:?}");
}

fn check_value(text: &str, value: &Value<'_>) {
    check_span(text, &value.span());
    match value {
        Value::Map(map) => map.iter().for_each(|(_, value)| check_value(text, value)),
        Value::List(items) => items.iter().for_each(|value| check_value(text, value)),
        _ => {}
    }
}

fn check(text: &str) {
    let document = Document::new("input", text);
    let text = document.text();
    let all: Vec<_> = lines(text).collect();
    for parsed in [parse::document(&document), parse::object::parse(&all)] {
        for object in &parsed.objects {
            check_span(text, &object.span);
            object
                .fields
                .iter()
                .for_each(|(_, value)| check_value(text, value));
        }
        for event in &parsed.events {
            check_span(text, &event.span);
            check_span(text, &event.message.span());
            let reason = event.reason.as_ref();
            reason
                .into_iter()
                .for_each(|reason| check_span(text, &reason.span()));
        }
        for line in &parsed.not_understood {
            assert!((1..=document.line_count()).contains(line));
        }
    }
}

/// Fragments likely to confuse a parser of YAML or JSON.
const HOSTILE: &[&str] = &[
    "\t",
    "\"",
    "'",
    "\\",
    "\\u",
    "\\ud83d",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ": ",
    "- ",
    "&a ",
    "*a",
    "!!x ",
    "|\n",
    ">-\n",
    "? ",
    "%",
    "@",
    "`",
    "# ",
    "---\n",
    "...\n",
    "\n\n",
    "\n",
    "é",
    "日本",
    "\u{feff}",
    "\0",
    "<<: ",
    "null",
    "0x1f",
    "1e9",
    "$ kubectl get pods\n",
    "> ",
    "```\n",
    "Name:  x\n",
    "apiVersion: v1\n",
    "status:\n",
    "  conditions:\n",
];

#[derive(Clone, Debug)]
enum Change {
    Keep(Index, Index),
    Insert(Index, usize),
    DropLine(Index),
    SwapLines(Index, Index),
    Indent(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        (at(), at()).prop_map(|(from, to)| Change::Keep(from, to)),
        (at(), 0..HOSTILE.len()).prop_map(|(place, piece)| Change::Insert(place, piece)),
        at().prop_map(Change::DropLine),
        (at(), at()).prop_map(|(one, other)| Change::SwapLines(one, other)),
        (at(), 0..9usize).prop_map(|(line, spaces)| Change::Indent(line, spaces)),
    ]
}

fn apply(text: String, change: &Change) -> String {
    let place = |index: &Index| {
        let places: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        places[index.index(places.len())]
    };
    let mut parts: Vec<&str> = text.split('\n').collect();
    let indented;
    match change {
        Change::Keep(from, to) => {
            let (from, to) = (place(from), place(to));
            return text[from.min(to)..from.max(to)].to_owned();
        }
        Change::Insert(at, piece) => {
            let at = place(at);
            return format!("{}{}{}", &text[..at], HOSTILE[*piece], &text[at..]);
        }
        Change::DropLine(at) => {
            parts.remove(at.index(parts.len()));
        }
        Change::SwapLines(one, other) => {
            let (one, other) = (one.index(parts.len()), other.index(parts.len()));
            parts.swap(one, other);
        }
        Change::Indent(line, spaces) => {
            let line = line.index(parts.len());
            indented = format!("{}{}", " ".repeat(*spaces), parts[line].trim_start());
            parts[line] = &indented;
        }
    }
    parts.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn mangled_objects(
        group in 0..GROUPS.len(),
        of_json in any::<bool>(),
        changes in proptest::collection::vec(change(), 1..6),
    ) {
        let name = format!("{}.{}", GROUPS[group], if of_json { "json" } else { "yaml" });
        check(&changes.iter().fold(fixture(&name), apply));
    }

    #[test]
    fn hostile_pieces(pieces in proptest::collection::vec(0..HOSTILE.len(), 0..60)) {
        let text: String = pieces.iter().map(|piece| HOSTILE[*piece]).collect();
        check(&text);
        check(&format!("apiVersion: v1\nkind: Pod\nspec:\n  {text}"));
        check(&format!("{{\n  \"apiVersion\": \"v1\",\n  {text}"));
    }
}

/// Parses texts on which a parser with a quadratic step would not finish in reasonable time.
#[test]
fn parsing_takes_linear_time() {
    const SIZE: usize = 100_000;
    let yaml = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec:\n";
    let json = "{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"spec\": ";
    let repeated = |piece: &str| piece.repeat(SIZE / piece.len());
    let numbered = |line: fn(usize) -> String| (0..SIZE / 16).map(line).collect::<String>();
    let inputs = [
        (yaml, format!("  a: {}", repeated("["))),
        (yaml, format!("  a: {}", repeated("{"))),
        (yaml, format!("  a: [\n{}", repeated("  [[[[\n"))),
        (yaml, format!("  a:\n  {}", repeated("- "))),
        (yaml, numbered(|n| format!("  a{n}: &a{n} x\n"))),
        (
            yaml,
            format!(
                "  a0: &a0 [x]\n{}",
                numbered(|n| format!("  a{}: &a{} [*a{n},*a{n}]\n", n + 1, n + 1))
            ),
        ),
        (yaml, numbered(|n| format!("  k{n}: a: b\n"))),
        (
            "apiVersion: a.b/v1\nkind: X\n",
            numbered(|n| format!("k{n}: v\n")),
        ),
        (
            "apiVersion: v1\nkind: ResourceQuota\nstatus:\n  hard:\n",
            numbered(|n| format!("    a.b.c.{n}: 1\n")),
        ),
        (
            "apiVersion: v1\nkind: Pod\nspec:\n  volumes:\n  - name: x\n    csi:\n",
            numbered(|n| format!("      k{n}: v\n")),
        ),
        (
            "apiVersion: v1\nkind: Pod\nspec:\n  readinessGates:\n",
            numbered(|n| format!("  - conditionType: t{n}\n")),
        ),
        (
            "apiVersion: v1\nkind: Role\nrules:\n- apiGroups: &a\n  - a\n",
            format!(
                "{}  resources:\n{}  verbs:\n{}",
                "  - b\n".repeat(5000),
                "  - c\n".repeat(5000),
                "  - get\n".repeat(5000)
            ),
        ),
        (yaml, repeated("  a: \"x\n")),
        (yaml, repeated("  - x: y: z\n")),
        (yaml, repeated("  a: b\nbroken here\n")),
        (yaml, repeated("\t\ta: b\n")),
        ("", repeated("apiVersion: v1\n")),
        ("", repeated("- apiVersion: v1\n")),
        ("", repeated("status:\n  x:\n")),
        (json, repeated("[")),
        (json, repeated("{\"a\":")),
        (json, repeated("[]}")),
        (json, format!("{{\n{}", repeated("        \"a\": \"x\n"))),
        (json, format!("\"{}\"", repeated("xxxx\n"))),
        (json, format!("\"{}\"", repeated("\\u00e9\\n"))),
        (
            json,
            format!("{{\n{}", numbered(|n| format!("  \"k{n}\": 1,\n"))),
        ),
    ];
    for (head, tail) in inputs {
        let begin = Instant::now();
        check(&format!("{head}{tail}"));
        let lasted = begin.elapsed();
        let shown: String = tail.chars().take(40).collect();
        assert!(
            lasted < Duration::from_secs(20),
            "{shown:?} took {lasted:?}"
        );
    }
}
