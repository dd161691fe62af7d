//! What an object's fields say that it depends on, by kind.

use std::borrow::Cow;

use super::plain;
use crate::model::{Object, Subject, Value};

/// A field that names another object.
struct Names {
    /// The kind of the object that has the field.
    of: &'static str,
    /// The way to the field; lists are gone through.
    path: &'static str,
    /// A field beside it, or its own first word, that must be so.
    only: Option<(&'static str, &'static str)>,
    /// How it names the other.
    how: How,
    verb: &'static str,
    /// Whether the other depends on this one.
    turned: bool,
}

/// How a field names an object.
#[derive(Clone, Copy)]
enum How {
    /// By the name, of this kind, in the namespace of the object that names it.
    Name(&'static str),
    /// By the name, of a kind without namespaces.
    Cluster(&'static str),
    /// `Kind/name`.
    KindAndName,
    /// `namespace/name`, of this kind.
    NamespaceAndName(&'static str),
    /// The name before a colon or blank: `web:80`.
    Start(&'static str),
}

const fn names(of: &'static str, path: &'static str, how: How, verb: &'static str) -> Names {
    Names {
        of,
        path,
        only: None,
        how,
        verb,
        turned: false,
    }
}

const fn only(mut names: Names, beside: &'static str, is: &'static str) -> Names {
    names.only = Some((beside, is));
    names
}

/// The object that is named depends on the one that names it.
const fn turned(mut names: Names) -> Names {
    names.turned = true;
    names
}

use How::{Cluster, KindAndName, Name, NamespaceAndName, Start};

/// The fields of all kinds; their names are those that the parsers give (`parse/object/kinds`).
const FIELDS: &[Names] = &[
    names("Pod", "node", Cluster("Node"), "runs on"),
    turned(names("Pod", "controlled_by", KindAndName, "owns")),
    names(
        "Pod",
        "volumes.claim_name",
        Name("PersistentVolumeClaim"),
        "uses",
    ),
    only(
        names("Pod", "volumes.source", Name("ConfigMap"), "mounts"),
        "type",
        "ConfigMap",
    ),
    only(
        names("Pod", "volumes.source", Name("Secret"), "mounts"),
        "type",
        "Secret",
    ),
    only(
        names("Pod", "volumes.sources.name", Name("ConfigMap"), "mounts"),
        "type",
        "ConfigMap",
    ),
    only(
        names("Pod", "volumes.sources.name", Name("Secret"), "mounts"),
        "type",
        "Secret",
    ),
    only(
        names("Pod", "volumes.source", Cluster("CSIDriver"), "uses"),
        "type",
        "CSI",
    ),
    only(
        names(
            "Pod",
            "containers.env_from.name",
            Name("ConfigMap"),
            "reads",
        ),
        "type",
        "ConfigMap",
    ),
    only(
        names("Pod", "containers.env_from.name", Name("Secret"), "reads"),
        "type",
        "Secret",
    ),
    only(
        names(
            "Pod",
            "containers.env.source.name",
            Name("ConfigMap"),
            "reads",
        ),
        "type",
        "config_map",
    ),
    only(
        names("Pod", "containers.env.source.name", Name("Secret"), "reads"),
        "type",
        "secret",
    ),
    names("Pod", "service_account", Name("ServiceAccount"), "runs as"),
    names("Pod", "image_pull_secrets", Name("Secret"), "pulls with"),
    turned(names("ReplicaSet", "controlled_by", KindAndName, "owns")),
    turned(names("Job", "controlled_by", KindAndName, "owns")),
    turned(names(
        "ControllerRevision",
        "controlled_by",
        KindAndName,
        "owns",
    )),
    names(
        "Deployment",
        "new_replica_set.name",
        Name("ReplicaSet"),
        "owns",
    ),
    names(
        "Deployment",
        "old_replica_sets.name",
        Name("ReplicaSet"),
        "owns",
    ),
    names("CronJob", "active_jobs", Name("Job"), "owns"),
    names(
        "StatefulSet",
        "volume_claims.storage_class",
        Cluster("StorageClass"),
        "claims of",
    ),
    names(
        "PersistentVolumeClaim",
        "volume",
        Cluster("PersistentVolume"),
        "is bound to",
    ),
    names(
        "PersistentVolumeClaim",
        "storage_class",
        Cluster("StorageClass"),
        "is of",
    ),
    turned(names(
        "PersistentVolumeClaim",
        "used_by",
        Name("Pod"),
        "uses",
    )),
    turned(names(
        "PersistentVolume",
        "claim",
        NamespaceAndName("PersistentVolumeClaim"),
        "is bound to",
    )),
    names(
        "PersistentVolume",
        "storage_class",
        Cluster("StorageClass"),
        "is of",
    ),
    names("Ingress", "rules.backend", Start("Service"), "sends to"),
    names("Ingress", "default_backend", Start("Service"), "sends to"),
    names("Ingress", "tls.secret", Name("Secret"), "serves with"),
    names("Ingress", "ingress_class", Cluster("IngressClass"), "is of"),
    names(
        "HorizontalPodAutoscaler",
        "reference",
        KindAndName,
        "scales",
    ),
    only(
        names(
            "EndpointSlice",
            "endpoints.target_ref.name",
            Name("Pod"),
            "holds",
        ),
        "kind",
        "Pod",
    ),
    names(
        "ServiceAccount",
        "image_pull_secrets.name",
        Name("Secret"),
        "pulls with",
    ),
];

/// Calls `add` with what depends, how, and on what, for each object that an object names.
pub(super) fn edges(object: &Object<'_>, mut add: impl FnMut(Subject, &'static str, Subject)) {
    let this = plain(&object.subject);
    let Some(kind) = this.kind.as_deref().filter(|_| this.name.is_some()) else {
        return;
    };
    for field in FIELDS.iter().filter(|field| field.of == kind) {
        let mut parts = field.path.split('.');
        let Some(value) = parts.next().and_then(|first| object.fields.get(first)) else {
            continue;
        };
        let path: Vec<&str> = parts.collect();
        each(value, &path, field.only, &mut |name| {
            if let Some(other) = other(&name, field.how, &this) {
                if field.turned {
                    add(other, field.verb, this.clone());
                } else {
                    add(this.clone(), field.verb, other);
                }
            }
        });
    }
}

/// Calls `found` with the text of each scalar at the end of a path.
fn each<'v>(
    value: &'v Value<'_>,
    path: &[&str],
    only: Option<(&str, &str)>,
    found: &mut dyn FnMut(Cow<'v, str>),
) {
    if let Value::List(items) = value {
        for item in items {
            each(item, path, only, found);
        }
        return;
    }
    let Some((first, rest)) = path.split_first() else {
        found_text(value, found);
        return;
    };
    // the last map on the way tells what is named
    if rest.is_empty()
        && let Some((beside, is)) = only
        && value.get(beside).and_then(Value::to_text).as_deref() != Some(is)
    {
        return;
    }
    if let Some(next) = value.get(first) {
        each(next, rest, only, found);
    }
}

fn found_text<'v>(value: &'v Value<'_>, found: &mut dyn FnMut(Cow<'v, str>)) {
    if let Some(text) = value.to_text().filter(|text| !text.is_empty()) {
        found(text);
    }
}

/// The object that a field's text names.
fn other(text: &str, how: How, this: &Subject) -> Option<Subject> {
    let namespace = this.namespace.as_deref();
    match how {
        Name(kind) => Some(Subject::new(kind, namespace, text)),
        Cluster(kind) => Some(Subject::new(kind, None, text)),
        KindAndName => {
            let (kind, name) = text.split_once('/')?;
            let namespace = namespace.filter(|_| kind != "Node");
            Some(Subject::new(kind, namespace, name))
        }
        NamespaceAndName(kind) => {
            let (namespace, name) = text.split_once('/')?;
            Some(Subject::new(kind, Some(namespace), name))
        }
        Start(kind) => {
            let name = text.split([':', ' ']).next()?;
            // a resource that is no Service: `APIGroup: x, Kind: y, Name: z`
            (!name.is_empty() && name != "APIGroup").then(|| Subject::new(kind, namespace, name))
        }
    }
}
