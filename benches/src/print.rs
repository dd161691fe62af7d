//! Prints objects as `kubectl get -o json` and `-o yaml` do.

use std::fmt::Write as _;
use std::io;

use serde::Serialize as _;
use serde_json::{Serializer, Value, ser::PrettyFormatter};

/// Returns an object as an item of a pretty-printed JSON list: indented by eight spaces, and by four more for each
/// level.
///
/// # Errors
/// Fails if the JSON library does.
pub fn json_item(value: &Value) -> io::Result<String> {
    let mut text = Vec::new();
    let form = PrettyFormatter::with_indent(b"    ");
    value.serialize(&mut Serializer::with_formatter(&mut text, form))?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    Ok(format!("        {}", text.replace('\n', "\n        ")))
}

/// Returns an object as an item of a YAML list in block style.
pub fn yaml_item(value: &Value) -> String {
    let mut out = String::new();
    item(value, 0, &mut out);
    out
}

/// Writes an item of a list. `level` is the indentation of its hyphen in spaces.
fn item(value: &Value, level: usize, out: &mut String) {
    indent(level, out);
    let Value::Object(map) = value else {
        out.push_str("- ");
        scalar(value, out);
        return;
    };
    out.push_str("- ");
    for (number, (key, value)) in map.iter().enumerate() {
        if number > 0 {
            indent(level + 2, out);
        }
        member(key, value, level + 2, out);
    }
}

fn member(key: &str, value: &Value, level: usize, out: &mut String) {
    out.push_str(key);
    out.push(':');
    match value {
        Value::Object(map) => {
            out.push('\n');
            for (key, value) in map {
                indent(level + 2, out);
                member(key, value, level + 2, out);
            }
        }
        Value::Array(items) => {
            out.push('\n');
            items.iter().for_each(|value| item(value, level, out));
        }
        _ => {
            out.push(' ');
            scalar(value, out);
        }
    }
}

fn scalar(value: &Value, out: &mut String) {
    let _ = match value {
        // strings that YAML would read as another type are quoted
        Value::String(text) if text.starts_with(|c: char| c.is_ascii_digit()) || text == "True" => {
            writeln!(out, "\"{text}\"")
        }
        Value::String(text) => writeln!(out, "{text}"),
        other => writeln!(out, "{other}"),
    };
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', level));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_and_maps() {
        let value = json!({"berths": ["north", "7"], "crane": {"lifts": 3, "ready": "True"}});
        assert_eq!(
            yaml_item(&value),
            "- berths:\n  - north\n  - \"7\"\n  crane:\n    lifts: 3\n    ready: \"True\"\n"
        );
        let json = "        {\n            \"berths\": [\n                \"north\",";
        assert!(json_item(&value).unwrap().starts_with(json));
    }
}
