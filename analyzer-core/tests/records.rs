//! Each log in `fixtures/logs` (`NAME.log`) yields the records in the file next to it (`NAME.ndjson`).

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::neutral::records;

/// Returns the logs of a folder below `fixtures/logs`, sorted by name.
pub fn logs(folder: &str) -> Vec<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/logs");
    let entries = std::fs::read_dir(Path::new(root).join(folder)).unwrap();
    let mut logs: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect();
    logs.sort();
    logs
}

/// Returns the parts in which two records must agree. Levels are compared by severity. For a record in an envelope, the
/// fields of the envelope are compared too.
pub fn comparable(record: &Value) -> Value {
    let mut record = record.clone();
    let Some(parts) = record.as_object_mut() else {
        return record;
    };
    parts.remove("error");
    parts.remove("year_stated");
    match parts.get("level").and_then(Value::as_str) {
        Some("trace") => parts.insert("level".to_owned(), "debug".into()),
        Some("panic") => parts.insert("level".to_owned(), "fatal".into()),
        _ => None,
    };
    if let Some(Value::String(time)) = parts.get_mut("time")
        && let Some(stated) = time.strip_prefix("1970-")
    {
        *time = stated.trim_end_matches('Z').to_owned();
    }
    record
}

fn assert_records(log: &Path) {
    let name = log.display();
    let found = records(&std::fs::read(log).unwrap());
    let expected = std::fs::read_to_string(log.with_extension("ndjson")).unwrap();
    let expected: Vec<Value> = expected
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(comparable(found), comparable(expected), "{name}");
    }
    assert_eq!(found.len(), expected.len(), "{name}");
}

#[test]
fn of_formats() {
    let logs = logs("");
    assert!(logs.len() >= 18, "{}", logs.len());
    logs.iter().for_each(|log| assert_records(log));
}

#[test]
fn of_envelopes() {
    let logs = logs("envelopes");
    assert!(logs.len() >= 30, "{}", logs.len());
    logs.iter().for_each(|log| assert_records(log));
}
