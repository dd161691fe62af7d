//! The output of `kubectl describe` for every kind, compared with the known fields of the objects.
//!
//! `fixtures/describe` contains the output of kubectl 1.32 for objects created for this purpose, each with the fields
//! that the text shows.

mod compare;
mod cut;
mod mangle;
mod spans;

use std::path::PathBuf;

use compare::misses;
use kwhy_core::Document;
use kwhy_core::events::{Event, Format, Parsed, Severity, lines, parse};
use serde_json::{Map, Value, json};

/// A text and the known fields of its objects.
struct Fixture {
    name: String,
    text: String,
    truth: Value,
}

fn fixtures() -> Vec<Fixture> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/describe");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| Fixture {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(&path).unwrap(),
        truth: serde_json::from_slice(&std::fs::read(path.with_extension("json")).unwrap())
            .unwrap(),
    };
    paths.into_iter().map(read).collect()
}

/// Parses a text that consists of one or more outputs of `kubectl describe`.
fn described(text: &str) -> Value {
    let document = Document::new("stdin", text);
    let lines: Vec<_> = lines(document.text()).collect();
    answer(&parse::describe::parse(&lines))
}

/// Parses a text with segmentation first, like any paste.
fn pasted(text: &str) -> Value {
    let document = Document::new("stdin", text);
    answer(&parse::document(&document))
}

fn answer(parsed: &Parsed<'_>) -> Value {
    let objects = parsed.objects.iter().map(|object| {
        let mut map = Map::new();
        map.insert("kind".into(), json!(object.subject.kind));
        map.insert("namespace".into(), json!(object.subject.namespace));
        map.insert("name".into(), json!(object.subject.name));
        // for output of the generic describer, the keys as printed
        if object.fields.get("api_version").is_some() {
            let scalars = object.fields.scalars().into_iter().filter(|(path, _)| {
                let first = path.split(" / ").next().unwrap();
                !["name", "namespace", "labels", "annotations", "no_events"].contains(&first)
            });
            let fields = scalars.map(|(path, value)| json!({"path": path, "value": value}));
            map.insert("fields".into(), fields.collect());
        }
        for (key, value) in object.fields.iter() {
            map.entry(key)
                .or_insert_with(|| serde_json::to_value(value).unwrap());
        }
        // the message in a status is also an event, in another format
        let table = |event: &&Event<'_>| event.format == Format::DescribeEvents;
        let events = parsed.events.iter().filter(table).filter(|event| {
            object.span.start <= event.span.start && event.span.end <= object.span.end
        });
        map.insert("events".into(), events.map(event).collect());
        Value::Object(map)
    });
    json!({"objects": objects.collect::<Vec<_>>(), "not_understood": parsed.not_understood})
}

fn event(event: &Event<'_>) -> Value {
    json!({
        "type": event.severity.map(|severity| match severity {
            Severity::Info => "Normal",
            _ => "Warning",
        }),
        "reason": event.reason.as_ref().map(|text| text.as_str()),
        "age_s": event.age.map(|age| age.seconds),
        "first_age_s": event.first_age.or(event.age).map(|age| age.seconds),
        "count": event.count,
        "from": event.component.as_ref().map(|text| text.as_str()),
        "message": event.message.as_str(),
    })
}

#[test]
fn each_kind_is_parsed() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let found = described(&fixture.text);
        wrong.extend(
            misses(&fixture.truth, &found)
                .into_iter()
                .map(|miss| format!("{}: {miss}", fixture.name)),
        );
        let lost = found["not_understood"].as_array().unwrap();
        if !lost.is_empty() {
            wrong.push(format!("{}: lines not understood: {lost:?}", fixture.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fixtures_show_each_kind() {
    let mut kinds: Vec<String> = fixtures()
        .iter()
        .flat_map(|fixture| fixture.truth["objects"].as_array().unwrap().clone())
        .map(|object| object["kind"].as_str().unwrap().to_owned())
        .collect();
    kinds.sort();
    kinds.dedup();
    for kind in [
        "CSINode",
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "CronJob",
        "CustomResourceDefinition",
        "DaemonSet",
        "Deployment",
        "EndpointSlice",
        "Endpoints",
        "HorizontalPodAutoscaler",
        "Ingress",
        "IngressClass",
        "Job",
        "LimitRange",
        "Namespace",
        "NetworkPolicy",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodDisruptionBudget",
        "PriorityClass",
        "ReplicaSet",
        "ResourceQuota",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
        "StatefulSet",
        "StorageClass",
        "VolumeAttachment",
    ] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}");
    }
}
