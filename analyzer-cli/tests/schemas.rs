//! The schemas in `schema/` are those that `kwhy schema` prints, and each output of each fixture is valid.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::{Map, Value};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The name of each schema, the arguments that print such an output, and true if it is one value a line.
const OUTPUTS: &[(&str, &[&str], bool)] = &[
    ("report", &["-o", "json", "--timeline"], false),
    ("finding", &["-o", "ndjson"], true),
    ("event", &["events", "-o", "ndjson"], true),
    ("pattern", &["patterns", "-o", "ndjson"], true),
    ("objects", &["objects"], false),
    ("object", &["objects", "-o", "ndjson"], true),
    ("record", &["records"], true),
    ("member", &["bundle", "ls", "-o", "ndjson"], true),
    ("scan", &["scan"], true),
    ("finding", &["scan", "-o", "findings"], true),
];

fn kwhy(args: &[&str], paths: &[&Path]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kwhy"));
    command.current_dir(ROOT);
    let output = command.args(args).args(paths).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn names() -> Vec<String> {
    let names = kwhy(&["schema"], &[]);
    let names = names
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// Makes a schema reject members that it does not name, so that none is undocumented.
fn closed(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            members.values_mut().for_each(closed);
        }
        Value::Array(items) => items.iter_mut().for_each(closed),
        _ => {}
    }
}

fn validator(name: &str) -> Validator {
    let mut schema: Value = serde_json::from_str(&kwhy(&["schema", name], &[])).unwrap();
    closed(&mut schema);
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).unwrap()
}

fn check(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .take(3)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    let text: String = value.to_string().chars().take(2000).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}\n{text}");
}

#[test]
fn the_schemas_are_those_that_are_kept() {
    for name in names() {
        let path = Path::new(ROOT).join(format!("analyzer-cli/schema/{name}.json"));
        let kept = fs::read_to_string(&path).unwrap().replace('\r', "");
        assert!(kwhy(&["schema", &name], &[]) == kept, "{name}");
    }
}

#[test]
fn a_schema_refuses_what_is_not_so() {
    let time = validator("event");
    let event = |member: &str, value: Value| {
        let mut event = Map::new();
        event.insert("format".to_owned(), "klog".into());
        event.insert("count".to_owned(), 1.into());
        event.insert("message".to_owned(), "x".into());
        event.insert(member.to_owned(), value);
        Value::Object(event)
    };
    assert!(time.is_valid(&event("time", "2024-03-04T05:06:07.5Z".into())));
    for (member, value) in [
        ("time", Value::from("03-04T05:06:07")),
        ("age_s", "5m".into()),
        ("severity", "bad".into()),
        ("reason", Value::Null),
        ("colour", "red".into()),
    ] {
        assert!(!time.is_valid(&event(member, value)), "{member}");
    }
}

/// Returns the inputs of all fixtures that are texts or folders of texts.
fn inputs() -> Vec<PathBuf> {
    let mut inputs = Vec::new();
    for kind in [
        "cases",
        "incidents",
        "healthy",
        "checks",
        "tables",
        "describe",
        "objects",
        "logs",
    ] {
        let folder = Path::new("fixtures").join(kind);
        let mut entries: Vec<PathBuf> = fs::read_dir(Path::new(ROOT).join(&folder))
            .unwrap()
            .map(|entry| folder.join(entry.unwrap().file_name()))
            .collect();
        entries.sort();
        inputs.append(&mut entries);
    }
    assert!(inputs.len() > 200, "{}", inputs.len());
    inputs
}

/// All inputs are read in one call of each output; `scan` makes a report of each.
#[test]
fn every_output_of_every_fixture_fits() {
    let inputs = inputs();
    let paths: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let scan = validator("scan");
    for (name, args, by_line) in OUTPUTS {
        let validator = validator(name);
        let output = kwhy(args, &paths);
        let values: Vec<&str> = match by_line {
            true => output.lines().collect(),
            false => vec![output.as_str()],
        };
        assert!(values.len() > usize::from(*by_line), "{args:?}");
        let last = values.len() - 1;
        for (number, value) in values.into_iter().enumerate() {
            let value: Value = serde_json::from_str(value).unwrap();
            // the summary of all bundles is the same for all kinds of lines before it
            let validator = match args[0] == "scan" && number == last {
                true => &scan,
                false => &validator,
            };
            check(validator, &value, &format!("{args:?}: {number}"));
        }
    }
}

#[test]
fn the_built_in_signatures_fit() {
    let validator = validator("signature");
    let ids = kwhy(&["signatures", "list"], &[]);
    assert!(ids.lines().count() > 1000);
    let folder = Path::new(ROOT).join("crates/kwhy-catalogue/signatures");
    let mut open = vec![folder];
    let mut count = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for document in serde_yaml::Deserializer::from_str(&text) {
            let value: Value = serde::Deserialize::deserialize(document).unwrap();
            check(&validator, &value, &path.display().to_string());
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}
