//! JSON Schemas of types with hand-written parsing: texts with slots, values that may be one or several, tests of
//! values.

use std::borrow::Cow;

use kwhy_errors::Fact;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::command::CommandTemplate;
use crate::compare::Comparison;
use crate::condition::{Condition, RawCondition};
use crate::entry::EntryTerm;
use crate::one_or_many::OneOrMany;
use crate::pattern::Pattern;
use crate::schema::{CheckTemplate, Explains, RawCheck};
use crate::template::Template;
use crate::value_test::{NumberTest, ValueTest};

/// Declares the schema of a type.
macro_rules! schema {
    ($type:ty, $name:literal, |$generator:ident| $schema:expr) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// The YAML types that are read as text.
fn scalar() -> Schema {
    json_schema!({"type": ["string", "integer", "boolean"]})
}

schema!(Template, "Template", |_generator| json_schema!({
    "description": "Text with captured values: `{name}`, or `{name|words}` with words for a missing value.",
    "type": "string",
}));

schema!(CommandTemplate, "Command", |_generator| json_schema!({
    "description": "One program with its arguments; `{name}` is a captured value.",
    "type": "string",
}));

schema!(Pattern, "Pattern", |_generator| json_schema!({
    "description": "`{name}` or `{name:TYPE}` captures, `{_}` captures nothing, `^` and `$` are the ends, `regex:` starts a \
        regular expression. TYPE is text, word, int, number, quantity, path, address or rest.",
    "type": ["string", "integer", "boolean"],
}));

schema!(Comparison, "Comparison", |_generator| json_schema!({
    "description": "Such as `2 * {requested} > {limited} - {used}`, `{a} selects {b}`, `{a} tolerates {b}` or `{a} lists {b}`.",
    "type": "string",
}));

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let item = match generator.subschema_for::<T>() {
            text if text == json_schema!({"type": "string"}) => scalar(),
            item => item,
        };
        json_schema!({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})
    }
}

/// Patterns by facts of an error chain.
pub(crate) struct Chain;

schema!(Chain, "Chain", |generator| {
    let facts = generator.subschema_for::<Fact>();
    let patterns = generator.subschema_for::<OneOrMany<Pattern>>();
    json_schema!({"type": "object", "propertyNames": facts, "additionalProperties": patterns})
});

schema!(EntryTerm, "EntryTerm", |_generator| {
    let one = |key: &str| {
        json_schema!({
            "type": "object",
            "properties": {key: {"type": "string"}},
            "required": [key],
            "additionalProperties": false,
        })
    };
    json_schema!({
        "description": "A test of the whole record as it is written, or of an object: exactly one of a text, an expression of RE2, a \
            program of jq.",
        "oneOf": [one("value"), one("regex"), one("jq")],
    })
});

schema!(Condition, "Condition", |generator| {
    RawCondition::json_schema(generator)
});

schema!(CheckTemplate, "Check", |generator| {
    RawCheck::json_schema(generator)
});

schema!(Explains, "Explains", |generator| {
    let scope = generator.subschema_for::<crate::Scope>();
    json_schema!({
        "description": "A cause whose findings a signature explains, where it does not follow from its cause by mechanisms.yaml.",
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "cause": {"description": "A cause, or the id of a signature.", "type": "string"},
                    "on": scope,
                },
                "required": ["cause"],
                "additionalProperties": false,
            },
        ],
    })
});

/// The bounds of a number, by their names in a file.
fn bounds() -> serde_json::Map<String, serde_json::Value> {
    let bound = serde_json::json!({
        "description": "A number, quantity or age.",
        "type": ["string", "integer"],
    });
    let names = NumberTest::NAMES.iter();
    names
        .map(|(name, _)| ((*name).to_owned(), bound.clone()))
        .collect()
}

schema!(NumberTest, "Bounds", |_generator| json_schema!({
    "description": "Bounds of a number.",
    "type": "object",
    "properties": bounds(),
    "minProperties": 1,
    "additionalProperties": false,
}));

schema!(ValueTest, "Test", |generator| {
    let patterns = generator.subschema_for::<OneOrMany<Pattern>>();
    let mut properties = bounds();
    for (name, what) in [
        ("equals", "The whole value fits one of these."),
        ("matches", "One of these is found in the value."),
        ("not", "The whole value fits none of these."),
    ] {
        let mut patterns = patterns.clone();
        patterns.insert("description".to_owned(), what.into());
        properties.insert(name.to_owned(), patterns.into());
    }
    for (name, what) in [
        ("absent", "There is no value."),
        ("present", "There is a value."),
    ] {
        let test = serde_json::json!({"description": what, "type": "boolean"});
        properties.insert(name.to_owned(), test);
    }
    properties.insert(
        "flat".to_owned(),
        serde_json::json!({
            "description": "The name that captures the value as one text, also of a map or list.",
            "type": "string",
        }),
    );
    json_schema!({
        "description": "A test of one value: patterns of the whole value, or several tests.",
        "anyOf": [
            patterns,
            {"type": "object", "properties": properties, "additionalProperties": false},
        ],
    })
});
