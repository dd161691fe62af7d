//! The schema of signature files describes the same language as the strict parser.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;

use kwhy_catalogue::Catalogue;
use kwhy_signature::Signature;
use schemars::generate::SchemaSettings;
use serde_json::Value;

fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let generator = settings.into_generator();
    generator.into_root_schema_for::<Signature>().to_value()
}

#[test]
fn what_the_reader_refuses_does_not_fit() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let good = "{id: x, cause: node/not-ready, severity: error, title: x, why: x, match: {event: {reason: X}}}";
    let fits = |yaml: &str| {
        let value: Value = serde_yaml::from_str(yaml).unwrap();
        let is_read = Catalogue::empty().add_str("x.yaml", yaml).is_ok();
        let fits = validator.is_valid(&value);
        assert_eq!(fits, is_read, "{yaml}");
        fits
    };
    assert!(fits(good));
    for (from, to) in [
        ("why: x, ", ""),
        ("error", "severe"),
        ("reason", "raison"),
        ("event: {reason: X}", "event: {reason: X}, any: []"),
        ("event: {reason: X}", "event: {reason: []}"),
        ("reason: X", "chain: {weather: bad}"),
        ("reason: X", "reason: X, count: {about: 5}"),
        ("reason: X", "reason: X, count: 5"),
        ("event: {reason: X}", "object: {where: {a: {near: 5}}}"),
        (
            "title: x",
            "title: x, check: [{run: ls, look: there, why: x}]",
        ),
        ("title: x", "title: x, explains: [{on: node}]"),
        ("title: x", "title: x, explains: [{cause: a/b, on: moon}]"),
    ] {
        assert!(!fits(&good.replace(from, to)), "{to}");
    }
    for (from, to) in [
        ("reason: X", "reason: [X, 5, true]"),
        ("reason: X", "reason: X, count: {ge: 5}"),
        ("reason: X", "chain: {errno: [ENOSPC, EDQUOT]}"),
        (
            "event: {reason: X}",
            "object: {where: {a: {ge: 5, present: true}, b: [c, d]}}",
        ),
        (
            "title: x",
            "title: x, explains: [node/not-ready, {cause: node/not-ready, on: node}]",
        ),
    ] {
        assert!(fits(&good.replace(from, to)), "{to}");
    }
}

/// Returns the keys that the parser's error message suggests for an unknown key.
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
        .or_else(|| message.split_once("is not one of"))
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
        ("subject: {zzz: 1}", "/$defs/Subject/properties"),
        ("needs: [{zzz: 1}]", "/$defs/Needs/properties"),
        ("ends: [{zzz: 1}]", "/$defs/Ends/properties"),
        ("check: [{zzz: 1}]", "/$defs/Check/properties"),
        ("fix: [{zzz: 1}]", "/$defs/Fix/properties"),
        ("examples: {zzz: 1}", "/$defs/Examples/properties"),
        ("examples: {match: [{zzz: 1}]}", "/$defs/Example/properties"),
        ("match: {zzz: 1}", "/$defs/Condition/properties"),
        ("match: {event: {zzz: 1}}", "/$defs/EventPattern/properties"),
        (
            "match: {object: {zzz: 1}}",
            "/$defs/ObjectPattern/properties",
        ),
        ("cre: {zzz: 1}", "/$defs/CommunityRule/properties"),
        (
            "cre: {id: x, severity: 1, title: x, applications: [{zzz: 1}]}",
            "/$defs/Application/properties",
        ),
    ] {
        let properties = schema.pointer(place).unwrap().as_object().unwrap();
        let keys: BTreeSet<String> = properties.keys().cloned().collect();
        assert_eq!(keys, known_to_the_reader(part), "{part}");
    }
    for (part, name) in [
        ("role: zzz", "Role"),
        ("values: {a: zzz}", "ValueType"),
        ("needs: [{pod: a, on: zzz}]", "Scope"),
        ("match: {event: {severity: zzz}}", "Severity"),
        ("match: {event: {chain: {zzz: a}}}", "Fact"),
    ] {
        let values = &schema["$defs"][name]["oneOf"];
        let values: BTreeSet<String> = values
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value["const"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(values, known_to_the_reader(part), "{part}");
    }
}
