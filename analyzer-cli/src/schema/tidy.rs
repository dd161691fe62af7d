//! Simplifies generated schemas: members without a value are absent and never null, and descriptions are prose.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::Value;

/// Simplifies a schema and all schemas inside it.
pub fn tidy(schema: &mut Schema) {
    Tidy.transform(schema);
}

struct Tidy;

impl Transform for Tidy {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = prose(text);
        }
        let required: Vec<String> = match schema.get("required") {
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for (name, property) in properties {
                if !required.contains(name) {
                    without_null(property);
                }
            }
        }
        transform_subschemas(self, schema);
    }
}

/// Removes null from the types of a property.
fn without_null(property: &mut Value) {
    let Value::Object(property) = property else {
        return;
    };
    if property.get("default") == Some(&Value::Null) {
        property.remove("default");
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            property.remove("anyOf");
            for (key, value) in only {
                property.entry(key).or_insert(value);
            }
        }
    }
}

/// Returns a doc comment as prose: paragraphs without line ends, up to the first code example, and without link
/// brackets.
fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").take_while(|it| !it.starts_with("```"));
    let paragraphs = paragraphs.map(|paragraph| paragraph.replace('\n', " "));
    let text = paragraphs.collect::<Vec<_>>().join("\n\n");
    text.replace("[`", "`").replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use schemars::json_schema;

    use super::*;

    #[test]
    fn nothing_is_null_that_may_be_absent() {
        let mut schema = json_schema!({
            "description": "A cart\nof [`Shop`].\n\n```\nlet x = 1;\n\nlet y = 2;\n```",
            "type": "object",
            "properties": {
                "a": {"type": ["string", "null"]},
                "b": {"type": ["string", "null"], "default": null},
                "c": {"description": "C.", "anyOf": [{"$ref": "#/$defs/C"}, {"type": "null"}]},
                "d": {"properties": {"e": {"type": ["integer", "null"]}}},
            },
            "required": ["a"],
        });
        tidy(&mut schema);
        let expected = json_schema!({
            "description": "A cart of `Shop`.",
            "type": "object",
            "properties": {
                "a": {"type": ["string", "null"]},
                "b": {"type": "string"},
                "c": {"description": "C.", "$ref": "#/$defs/C"},
                "d": {"properties": {"e": {"type": "integer"}}},
            },
            "required": ["a"],
        });
        assert_eq!(schema, expected);
    }
}
