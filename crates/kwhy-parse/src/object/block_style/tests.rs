//! The fast reader yields the same as the complete one.

use proptest::prelude::*;

use super::super::ReadBudget;
use super::super::yaml::any_style;
use super::*;
use crate::input::{ReadLimits, lines};

const BOUNDS: Bounds = Bounds {
    depth: 100,
    nodes: 10_000,
};

fn rows(text: &str) -> Vec<Row<'_>> {
    lines(text).map(Row::new).collect()
}

/// Returns what the complete reader yields, if it understands everything.
fn by_any_style<'a>(rows: &[Row<'a>]) -> Option<Vec<Value<'a>>> {
    let limits = ReadLimits::default();
    let mut budget = ReadBudget::new(&limits);
    let values = any_style(rows, 0, &mut budget);
    budget.failed.is_empty().then_some(values)
}

/// Parses a text with both readers; returns true if the fast one accepted it.
fn agree(rows: &[Row<'_>], text: &str) -> bool {
    let direct = read(rows, BOUNDS);
    if let Some(direct) = &direct {
        assert_eq!(Some(direct), by_any_style(rows).as_ref(), "{text}");
    }
    direct.is_some()
}

#[test]
fn what_printers_write_is_read_directly() {
    for text in [
        "a: 1\nb: two\nc: \"3\"\nd: '4'\ne: true\nf: null\ng: ~\nh: {}\ni: []\nj: \"\"\n",
        "a:\n  b:\n    c: x\n  d: y\ne:\n- 1\n- two\nf:\n  - a: 1\n    b: 2\n  - c: 3\n",
        "- a: 1\n  b:\n  - x\n- - y\n  - z\n-\n  c: d\n-\n- e\n",
        "a:\nb:\n\n# a comment\nc: x#1\n",
        "m: 'it''s \"so\"'\nn: \"a \\\"b\\\" \\\\ c\\td\\ne\"\no: ''''\np: ''\n",
        "x: -1\nz: -a\nw: 007\nv: 1.5\nu: 2024-01-01T00:00:00Z\nt: a:b\ns: http://x/#y\n",
        "s: |\n  one\n   two\n\n  three\nt: |-\n  four\n  \n\nu: |\n    five\n\n\nv: x\n",
        "a/b.c: x\n\"d: e\": y\n'f': z\n_g: |-\n  tab\there\n",
        "l:\n- |\n  a\n- |-\n    b\n- c\n",
        "k: caf\u{e9} \u{2003} x\u{a0}\n",
    ] {
        assert!(agree(&rows(text), text), "{text}");
    }
}

#[test]
fn what_is_written_otherwise_is_refused() {
    for text in [
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "a: {b: c}\n",
        "a: [b]\n",
        "a: b\n  c\n",
        "a: >\n  b\n",
        "a: |+\n  b\n",
        "a: |2\n    b\n",
        "a: 'b\n  c'\n",
        "a: \"b\\x41\"\n",
        "a:\tb\n",
        "? a\n: b\n",
        "a: b: c\n",
        "a: b\n c: d\n",
        "a: b # c\n",
        "a: -\u{e9}\n",
        "--- a\n",
        "a: 'b' c\n",
        "a: 'b'c'\n",
        "%YAML 1.2\n",
        "text\n",
    ] {
        assert!(read(&rows(text), BOUNDS).is_none(), "{text}");
    }
    let deep: String = (0..60)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    assert!(read(&rows(&deep), BOUNDS).is_none());
    let few = Bounds { nodes: 3, ..BOUNDS };
    assert!(read(&rows("a: 1\nb: 2\n"), few).is_none());
}

#[test]
fn the_first_line_of_an_item() {
    let text = "- kind: Pod\n  metadata:\n    name: x\n  n: 1\n";
    let mut rows = rows(text);
    rows[0] = rows[0].without_mark();
    assert!(agree(&rows, text));
}

#[test]
fn the_fixtures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let (mut direct, mut all) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_yaml = path
                .extension()
                .is_some_and(|ext| ext == "yaml" || ext == "yml");
            let Some(text) = std::fs::read_to_string(&path).ok().filter(|_| is_yaml) else {
                continue;
            };
            for document in text.split("---\n") {
                all += 1;
                direct += usize::from(agree(&rows(document), &path.display().to_string()));
            }
        }
    }
    assert!(direct * 2 > all && all > 100, "{direct} of {all}");
}

/// Generates a line that may occur in YAML, well-formed or not.
fn line() -> impl Strategy<Value = String> {
    let indent = prop_oneof![4 => (0..5usize).prop_map(|n| n * 2), 1 => 0..9usize];
    let mark = prop_oneof![4 => Just(""), 2 => Just("- "), 1 => Just("- - "), 1 => Just("-"), 1 => Just("-  ")];
    let key = prop_oneof![
        4 => "[a-c]{1,2}: ?",
        1 => Just("\"a b\": ".to_owned()),
        1 => Just("'c': ".to_owned()),
        3 => Just(String::new()),
    ];
    let value = prop_oneof![
        3 => Just(String::new()),
        3 => "[a-z]{1,4}( [a-z:#'\"-]{1,4}){0,2}",
        1 => "-?[0-9]{1,3}",
        2 => "'[a-z' \"\\\\:#]{0,6}'",
        2 => "\"[a-z' \\\\\"nt:#]{0,6}\"",
        1 => Just("|".to_owned()),
        1 => Just("|-".to_owned()),
        1 => Just("{}".to_owned()),
        1 => Just("[]".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        1 => "[&*!|>%@`?,{}\\[\\]#~-][a-z ]{0,3}",
        1 => "# [a-z]{1,3}",
        1 => "[ \t\u{a0}\u{e9}]{1,3}",
    ];
    (indent, mark, key, value)
        .prop_map(|(indent, mark, key, value)| format!("{}{mark}{key}{value}", " ".repeat(indent)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn agrees_with_the_reader_of_all_yaml(lines in proptest::collection::vec(line(), 1..7), marked in any::<bool>()) {
        let text = lines.join("\n");
        let mut rows = rows(&text);
        if let Some(first) = rows.first_mut().filter(|_| marked) {
            *first = first.without_mark();
        }
        agree(&rows, &text);
    }
}

/// Generates the lines of a value as printers write it; a scalar is one line.
fn printed() -> impl Strategy<Value = Vec<String>> {
    let scalar = prop_oneof![
        "[a-z][a-z0-9:/.-]{0,6}[a-z]",
        "-?[0-9]{1,4}",
        "'[a-z ]{0,4}(''[a-z]{1,3}''){0,2}'",
        "\"[a-z ]{0,4}(\\\\\"[a-z]|\\\\n|\\\\\\\\){0,2}\"",
        Just("null".to_owned()),
        Just("{}".to_owned()),
        Just("[]".to_owned()),
        "\\|-?\n  [a-z](\n  [a-z][a-z :#]{0,5}[a-z]|\n){0,4}\n  [a-z]",
    ];
    let scalar = scalar.prop_map(|text| text.lines().map(str::to_owned).collect::<Vec<String>>());
    let indented = |lines: &[String], by: usize| -> Vec<String> {
        let indent = |line: &String| match line.is_empty() {
            true => String::new(),
            false => format!("{}{line}", " ".repeat(by)),
        };
        lines.iter().map(indent).collect()
    };
    scalar.prop_recursive(5, 40, 4, move |inner| {
        let map = proptest::collection::vec(("[a-z]{1,3}", inner.clone()), 1..4);
        let list = proptest::collection::vec(inner, 1..4);
        prop_oneof![
            map.prop_map(move |entries| {
                let entry = |(key, value): &(String, Vec<String>)| {
                    let is_list = value[0].starts_with("- ");
                    let is_map = value[0].contains(": ") || value[0].ends_with(':');
                    if is_list || (is_map && !value[0].starts_with(['\'', '"'])) {
                        let mut lines = vec![format!("{key}:")];
                        lines.extend(indented(value, if is_list { 0 } else { 2 }));
                        return lines;
                    }
                    let mut lines = vec![format!("{key}: {}", value[0])];
                    lines.extend(value[1..].iter().cloned());
                    lines
                };
                entries.iter().flat_map(entry).collect::<Vec<String>>()
            }),
            list.prop_map(move |items| {
                let item = |value: &Vec<String>| {
                    let mut lines = indented(value, 2);
                    lines[0].replace_range(..2, "- ");
                    lines
                };
                items.iter().flat_map(item).collect::<Vec<String>>()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn all_that_is_printed_is_read_directly(lines in printed()) {
        let is_block = |line: &String| line.starts_with("- ") || line.contains(": ") || line.ends_with(':');
        prop_assume!(is_block(&lines[0]) && !lines[0].starts_with(['\'', '"']));
        let text = lines.join("\n") + "\n";
        prop_assert!(agree(&rows(&text), &text), "{}", text);
    }
}
