//! `signature.schema.json` knows the same language as the strict reader.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;

use kwhy_catalogue::Catalogue;
use serde_json::{Map, Value};

const SCHEMA: &str = include_str!("../signature.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

/// A validator for the keywords that the schema uses.
struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    /// Returns the first error, with the path at which it occurs.
    fn check(&self, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
        let refuse = |what: &str| Err(format!("{path}: {what}: {value}"));
        for (keyword, rule) in schema.as_object().unwrap() {
            match keyword.as_str() {
                "$ref" => {
                    let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.check(&self.root["$defs"][name], value, path)?;
                }
                "type" => {
                    let types = match rule {
                        Value::Array(types) => types.as_slice(),
                        one => std::slice::from_ref(one),
                    };
                    if !types
                        .iter()
                        .any(|is| is_of_type(value, is.as_str().unwrap()))
                    {
                        return refuse(&format!("not of type {rule}"));
                    }
                }
                "enum" if !rule.as_array().unwrap().contains(value) => {
                    return refuse(&format!("not one of {rule}"));
                }
                "minimum" if value.as_f64() < rule.as_f64() => return refuse("too small"),
                "maximum" if value.as_f64() > rule.as_f64() => return refuse("too large"),
                "required" => {
                    for key in rule.as_array().unwrap() {
                        if value.get(key.as_str().unwrap()).is_none() {
                            return refuse(&format!("{key} is missing"));
                        }
                    }
                }
                "anyOf" | "oneOf" => {
                    let fits = |rule: &&Value| self.check(rule, value, path).is_ok();
                    let fitting = rule.as_array().unwrap().iter().filter(fits).count();
                    if fitting == 0 || (keyword == "oneOf" && fitting > 1) {
                        return refuse(&format!("fits {fitting} of {keyword}"));
                    }
                }
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{path}[{at}]"))?;
                    }
                }
                "additionalProperties" => {
                    let known = |key: &str| schema["properties"].get(key);
                    for (key, value) in value.as_object().into_iter().flatten() {
                        let path = format!("{path}.{key}");
                        match (known(key), rule) {
                            (Some(known), _) => self.check(known, value, &path)?,
                            (None, Value::Bool(false)) => return Err(format!("{path}: unknown")),
                            (None, rule) => self.check(rule, value, &path)?,
                        }
                    }
                }
                "propertyNames" => {
                    for key in value.as_object().into_iter().flat_map(Map::keys) {
                        self.check(rule, &Value::String(key.clone()), path)?;
                    }
                }
                "$schema" | "$defs" | "title" | "description" | "default" | "format"
                | "pattern" | "properties" | "enum" | "minimum" | "maximum" => {}
                other => panic!("the validator does not know {other:?}"),
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        other => panic!("the validator does not know the type {other:?}"),
    }
}

#[test]
fn the_built_in_signatures_fit() {
    let schema = schema();
    let validator = Validator { root: &schema };
    let catalogue = Catalogue::builtin();
    let errors: Vec<String> = (catalogue.signatures())
        .filter_map(|signature| {
            let value: Value = serde_yaml::from_str(&signature.source).unwrap();
            let error = validator.check(&schema, &value, "$").err()?;
            Some(format!("{}: {error}", signature.file))
        })
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn what_the_reader_refuses_does_not_fit() {
    let schema = schema();
    let validator = Validator { root: &schema };
    let good = "{id: x, cause: node/not-ready, severity: error, title: x, why: x, match: {event: {reason: X}}}";
    let fits = |yaml: &str| {
        let value: Value = serde_yaml::from_str(yaml).unwrap();
        validator.check(&schema, &value, "$").is_ok()
    };
    assert!(fits(good));
    for (from, to) in [
        ("why: x, ", ""),
        ("error", "severe"),
        ("reason", "raison"),
        ("event: {reason: X}", "event: {reason: X}, any: []"),
        ("reason: X", "chain: {weather: bad}"),
        ("title: x", "title: x, confidence: 2"),
    ] {
        assert!(!fits(&good.replace(from, to)), "{to}");
    }
}

/// The keys that the reader names when it finds one that it does not know.
fn known_to_the_reader(part: &str) -> BTreeSet<String> {
    let required = "id: x\ncause: node/not-ready\nseverity: error\ntitle: x\nwhy: x\n";
    let proof = match part.starts_with("match") {
        true => "",
        false => "match: {event: {reason: X}}\n",
    };
    let yaml = format!("{required}{proof}{part}\n");
    let error = Catalogue::empty().add_str("x.yaml", &yaml).unwrap_err();
    let message = error.message();
    let (_, keys) = message
        .split_once("expected")
        .unwrap_or_else(|| panic!("{part}: {message}"));
    keys.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_reader_knows_the_same_keys() {
    let schema = schema();
    for (part, place) in [
        ("zzz: 1", "/properties"),
        ("subject: {zzz: 1}", "/properties/subject/properties"),
        ("needs: [{zzz: 1}]", "/properties/needs/items/properties"),
        ("ends: [{zzz: 1}]", "/properties/ends/items/properties"),
        ("check: [{zzz: 1}]", "/$defs/check/properties"),
        ("fix: [{zzz: 1}]", "/properties/fix/items/properties"),
        ("examples: {zzz: 1}", "/properties/examples/properties"),
        ("examples: {match: [{zzz: 1}]}", "/$defs/example/properties"),
        ("match: {zzz: 1}", "/$defs/condition/properties"),
        ("match: {event: {zzz: 1}}", "/$defs/event/properties"),
        ("match: {object: {zzz: 1}}", "/$defs/object/properties"),
        ("cre: {zzz: 1}", "/properties/cre/properties"),
        (
            "cre: {id: x, severity: 1, title: x, applications: [{zzz: 1}]}",
            "/properties/cre/properties/applications/items/properties",
        ),
    ] {
        let properties = schema.pointer(place).unwrap().as_object().unwrap();
        let keys: BTreeSet<String> = properties.keys().cloned().collect();
        assert_eq!(keys, known_to_the_reader(part), "{part}");
    }
    for (part, place) in [
        ("role: zzz", "/properties/role/enum"),
        (
            "values: {a: zzz}",
            "/properties/values/additionalProperties/enum",
        ),
        ("needs: [{pod: a, on: zzz}]", "/$defs/scope/enum"),
        (
            "match: {event: {severity: zzz}}",
            "/$defs/event/properties/severity/enum",
        ),
        (
            "match: {event: {chain: {zzz: a}}}",
            "/$defs/event/properties/chain/propertyNames/enum",
        ),
    ] {
        let values = schema.pointer(place).unwrap().as_array().unwrap();
        let values: BTreeSet<String> = values
            .iter()
            .map(|value| value.as_str().unwrap().to_owned())
            .collect();
        assert_eq!(values, known_to_the_reader(part), "{part}");
    }
}
