//! The object that a log record is about, derived from its named values.
//!
//! A key that names a kind (`pod`, `pvc`, `replicaSet`, `podName`) refers to an object of that
//! kind; the value may be `name`, `namespace/name`, a printed reference
//! (`{"name":..,"namespace":..}`) or a list with one of these. Next are `object` with `kind`, and
//! controller-runtime's `controllerKind`, `name`, `namespace`. If no value names an object, the
//! texts are searched for names as printed by the kubelet and the CRI, and for a kind followed by a
//! `namespace/name`.

use memchr::memchr;

use super::json_members::string_member;
use super::klog::container_of;
use kwhy_model::{Event, Severity, Subject};

#[derive(Default)]
struct Reference {
    kind: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
}

/// Sets an event's subject. A record that reports a Kubernetes event takes over its reason, type
/// and message.
pub(super) fn fill(event: &mut Event<'_>) {
    recorded_event(event);
    let nothing = Subject::default();
    let mut known = std::mem::take(&mut event.subject);
    let mut found = from_fields(event);
    if known == nothing {
        known = std::mem::take(&mut found);
    } else if found != nothing {
        known.fill_from(&found);
    }
    if known.name.is_none() {
        let stated = from_texts(event);
        if stated != nothing {
            known.fill_from(&stated);
        }
    }
    if known.container.is_none() {
        known.container = found.container;
    }
    if known.node.is_none() {
        known.node = found.node;
    }
    event.subject = known;
}

/// Handles `"Event occurred" object="ns/x" kind="Pod" type="Warning" reason=".." message=".."`, and
/// controller-runtime's recorder, which logs the text as the message.
fn recorded_event(event: &mut Event<'_>) {
    let at =
        |event: &Event<'_>, name: &str| event.fields.iter().position(|field| field.key == name);
    let is_event = event.reason.is_none()
        && at(event, "reason").is_some()
        && at(event, "object").is_some()
        && event
            .field("type")
            .is_some_and(|kind| matches!(kind.as_str(), "Normal" | "Warning"));
    if !is_event {
        return;
    }
    event.severity = event
        .field("type")
        .and_then(|kind| Severity::from_word(kind.as_str()));
    if let Some(index) = at(event, "reason") {
        event.reason = Some(event.fields.remove(index).value);
    }
    if let Some(index) = at(event, "message") {
        event.message = event.fields.remove(index).value;
    }
    if let Some(path) = event.field("fieldPath") {
        event.subject.container = container_of(path.as_str());
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte))
}

/// Returns true for a namespace, which is a DNS label: `k8s.io` is one of containerd's, not of
/// Kubernetes.
fn is_namespace(text: &str) -> bool {
    is_name(text)
        && text.len() <= 63
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn reference(value: &str) -> Option<Reference> {
    let owned = |text: Option<&str>| text.filter(|text| is_name(text)).map(str::to_owned);
    if let Some(list) = value
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let one = list.trim_matches('"');
        return if one.contains([',', ' ', '[']) {
            None
        } else {
            reference(one)
        };
    }
    if value.starts_with('{') {
        let name = owned(string_member(value, "name"))?;
        return Some(Reference {
            kind: owned(string_member(value, "kind")),
            namespace: owned(string_member(value, "namespace")),
            name: Some(name),
        });
    }
    let (namespace, name) = match value.split_once('/') {
        Some(("", name)) => (None, name),
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, value),
    };
    if !is_name(name) || namespace.is_some_and(|namespace| !is_namespace(namespace)) {
        return None;
    }
    Some(Reference {
        kind: None,
        namespace: namespace.map(str::to_owned),
        name: Some(name.to_owned()),
    })
}

/// Returns the kind that a key refers to: `pod`, `podName`, `pod_name`, `PVC`.
fn kind_of_key(key: &str) -> Option<String> {
    let word = ["Name", "_name", "-name", ".name"]
        .iter()
        .find_map(|suffix| key.strip_suffix(suffix))
        .unwrap_or(key);
    // as names of values, these words have other meanings
    const OTHER: [&str; 12] = [
        "event", "events", "limits", "role", "endpoint", "pc", "no", "rs", "ev", "sa", "cm", "ep",
    ];
    let kind = Subject::known_kind(word)?;
    (!OTHER.contains(&word)).then(|| kind.to_owned())
}

fn from_fields(event: &Event<'_>) -> Subject {
    let mut subject = Subject::default();
    let mut kind = None;
    let mut name = None;
    let mut object: Option<Reference> = None;
    let mut typed: Option<Reference> = None;
    for field in &event.fields {
        let value = field.value.as_str();
        // long values do not name an object
        if value.is_empty() || value.len() > 4096 {
            continue;
        }
        let plain = || Some(value.to_owned()).filter(|value| is_name(value));
        match field.key.as_ref() {
            "kind" | "controllerKind" | "reconciler kind" | "resourceKind" | "objectKind" => {
                kind = kind.or_else(plain)
            }
            "name" => name = plain(),
            "namespace" | "ns" | "podNamespace" | "Namespace" | "pod_namespace" => {
                subject.namespace = subject
                    .namespace
                    .or_else(|| plain().filter(|name| is_namespace(name)));
            }
            "container" | "containerName" | "container_name" | "ContainerName" => {
                subject.container = subject.container.or_else(plain);
            }
            "object" | "objectRef" | "involvedObject" | "request" | "key" | "resource" => {
                object = object.or_else(|| {
                    reference(value)
                        .filter(|found| found.namespace.is_some() || field.key == "object")
                });
            }
            "controller" if kind.is_none() && Subject::is_kind_word(value) => {
                kind = Some(Subject::kind_from_word(value));
            }
            key => {
                let Some(key_kind) = kind_of_key(key)
                    .or_else(|| (kind.as_deref() == Some(key)).then(|| key.to_owned()))
                else {
                    continue;
                };
                let Some(mut found) = reference(value) else {
                    continue;
                };
                match key_kind.as_str() {
                    "Node" => subject.node = subject.node.or(found.name),
                    "Namespace" => subject.namespace = subject.namespace.or(found.name),
                    // `service=checkout` and the like are an application's own names
                    "Service" | "Job" | "Secret"
                        if found.namespace.is_none() && subject.namespace.is_none() => {}
                    _ => {
                        let is_pod = key_kind == "Pod";
                        found.kind = Some(key_kind);
                        let replaces = typed
                            .as_ref()
                            .is_none_or(|typed| is_pod && typed.kind.as_deref() != Some("Pod"));
                        if replaces {
                            typed = Some(found);
                        }
                    }
                }
            }
        }
    }
    let by_name = || {
        (kind.is_some() && name.is_some()).then(|| Reference {
            kind: kind.clone(),
            namespace: None,
            name: name.clone(),
        })
    };
    let chosen = match object {
        Some(mut object) if object.kind.is_some() || kind.is_some() || typed.is_none() => {
            object.kind = object.kind.or_else(|| kind.clone());
            Some(object)
        }
        _ => by_name().or(typed),
    };
    if let Some(chosen) = chosen {
        subject.kind = chosen.kind.map(|kind| Subject::kind_from_word(&kind));
        subject.namespace = chosen.namespace.or(subject.namespace);
        subject.name = chosen.name;
    } else if let Some(node) = &subject.node
        && subject.container.is_none()
    {
        subject.kind = Some("Node".to_owned());
        subject.name = Some(node.clone());
    }
    if subject.kind.as_deref() == Some("Node") {
        subject.node = subject.node.or_else(|| subject.name.clone());
        subject.namespace = None;
    }
    subject
}

/// Finds `PodSandboxMetadata{Name:a,Uid:..,Namespace:b,..}`, `ContainerMetadata{Name:a,..}`, and
/// the kubelet's `name_namespace(uid)`.
fn from_texts(event: &Event<'_>) -> Subject {
    let mut subject = Subject::default();
    for text in event.texts().take(4) {
        let text = text.as_str();
        // printed names occur near the start
        let text = near_start(text);
        let has = |mark: u8| memchr(mark, text.as_bytes()).is_some();
        let braces = has(b'{');
        if braces && let Some((_, inside)) = text.split_once("PodSandboxMetadata{") {
            let inside = inside.split('}').next().unwrap_or(inside);
            let member = |name: &str| inside.split(',').find_map(|part| part.strip_prefix(name));
            subject.kind = Some("Pod".to_owned());
            subject.name = member("Name:")
                .filter(|name| is_name(name))
                .map(str::to_owned);
            subject.namespace = member("Namespace:")
                .filter(|name| is_name(name))
                .map(str::to_owned);
        }
        if braces && let Some((_, inside)) = text.split_once("ContainerMetadata{Name:") {
            let name = inside.split([',', '}']).next().unwrap_or("");
            subject.container = Some(name.to_owned()).filter(|name| is_name(name));
        }
        if subject.name.is_none()
            && has(b'(')
            && let Some((name, namespace)) = kubelet_name(text)
        {
            subject.kind = Some("Pod".to_owned());
            subject.name = Some(name.to_owned());
            subject.namespace = Some(namespace.to_owned());
        }
        if subject.name.is_none()
            && has(b'/')
            && let Some((kind, namespace, name)) = named_in(text)
        {
            subject.kind = Some(kind);
            subject.name = Some(name.to_owned());
            subject.namespace = Some(namespace.to_owned());
        }
        if subject.name.is_none()
            && let Some((namespace, name)) = synced_replica_set(text)
        {
            subject.kind = Some("ReplicaSet".to_owned());
            subject.name = Some(name.to_owned());
            subject.namespace = Some(namespace.to_owned());
        }
    }
    subject
}

/// Returns the object of `sync "namespace/name" failed with ...` (kubernetes/kubernetes 1.6 to
/// 1.33, `pkg/controller/replicaset/replica_set.go`).
fn synced_replica_set(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.strip_prefix("sync \"")?.split_once('"')?;
    let (namespace, name) = key.split_once('/')?;
    let is_object = is_namespace(namespace) && is_name(name) && rest.starts_with(" failed with ");
    is_object.then_some((namespace, name))
}

/// Returns the first `pvc "namespace/name"` of a text, quoted or not.
fn named_in(text: &str) -> Option<(String, &str, &str)> {
    let mut at = 0;
    while let Some(slash) = text
        .get(at..)
        .and_then(|rest| memchr(b'/', rest.as_bytes()))
    {
        let slash = at + slash;
        let (before, after) = text.split_at_checked(slash)?;
        at = slash + memchr(b' ', after.as_bytes()).unwrap_or(after.len());
        let Some((before, _)) = before.rsplit_once(' ') else {
            continue;
        };
        let word = before.rsplit(' ').next().unwrap_or(before);
        let next = text.get(before.len() + 1..at).unwrap_or("");
        let plain = next.trim_matches(['"', '\'', ',', ':', '.', ';', '(', ')']);
        let Some((namespace, name)) = plain.split_once('/') else {
            continue;
        };
        let is_object = [namespace, name].iter().all(|part| {
            is_name(part)
                && !part.contains(':')
                && part.bytes().all(|byte| !byte.is_ascii_uppercase())
        });
        if is_object && let Some(kind) = kind_of_key(word) {
            return Some((kind, namespace, name));
        }
    }
    None
}

/// Returns at most 4 KiB of a text.
fn near_start(text: &str) -> &str {
    let limit = text.len().min(4096);
    // a character has at most four bytes
    (0..4)
        .find_map(|back| text.get(..limit.checked_sub(back)?))
        .unwrap_or("")
}

/// Returns the first `name_namespace(uid)` of a text.
fn kubelet_name(text: &str) -> Option<(&str, &str)> {
    text.match_indices('(').take(32).find_map(|(open, _)| {
        let inside = &text[open + 1..];
        let uid = &inside[..inside.find(')')?];
        let is_uid = uid.len() >= 4
            && uid
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let word = text[..open]
            .rsplit([' ', '"', '=', '\'', '\\', '(', ','])
            .next()?;
        let (name, namespace) = word.split_once('_')?;
        let plain = !namespace.contains(['_', '.', ':']) && is_name(namespace) && is_name(name);
        (is_uid && plain).then_some((name, namespace))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_model::{Field, Format, Text};

    fn subject(message: &str, fields: &[(&'static str, &str)]) -> String {
        let mut event = Event::new(Format::Klog, 0..0, Text::borrowed(message, 0));
        event.fields = fields
            .iter()
            .map(|(key, value)| Field::text(*key, Text::borrowed(value, 0)))
            .collect();
        fill(&mut event);
        format!(
            "{} [{}] [{}]",
            event.subject,
            event.subject.container.as_deref().unwrap_or(""),
            event.subject.node.as_deref().unwrap_or("")
        )
    }

    #[test]
    fn keys_that_are_kinds() {
        assert_eq!(
            subject("x", &[("pod", "dock/crane-0"), ("containerName", "arm")]),
            "Pod dock/crane-0 [arm] []"
        );
        assert_eq!(
            subject("x", &[("PVC", "dock/data")]),
            "PersistentVolumeClaim dock/data [] []"
        );
        assert_eq!(
            subject("x", &[("pods", "[\"dock/crane-0\"]")]),
            "Pod dock/crane-0 [] []"
        );
        assert_eq!(
            subject(
                "x",
                &[("pod", "{\"name\":\"crane-0\",\"namespace\":\"dock\"}")]
            ),
            "Pod dock/crane-0 [] []"
        );
        assert_eq!(subject("x", &[("node", "n1")]), "Node n1 [] [n1]");
        assert_eq!(
            subject(
                "x",
                &[
                    ("podName", "crane-0"),
                    ("namespace", "dock"),
                    ("nodeName", "n1")
                ]
            ),
            "Pod dock/crane-0 [] [n1]"
        );
        assert_eq!(
            subject("x", &[("service", "checkout"), ("event", "a")]),
            " [] []"
        );
    }

    #[test]
    fn replica_sets_that_are_synced() {
        let refused = "failed with pods \"crane-\" is forbidden: exceeded quota: small";
        let text = format!("sync \"dock/crane-5d\" {refused}");
        assert_eq!(subject(&text, &[]), "ReplicaSet dock/crane-5d [] []");
        assert_eq!(
            subject("Unhandled Error", &[("err", &text)]),
            "ReplicaSet dock/crane-5d [] []"
        );
        for other in [
            "sync \"crane\" failed with x",
            "sync \"dock/crane\" is done",
        ] {
            assert_eq!(subject(other, &[]), " [] []", "{other}");
        }
    }

    #[test]
    fn controllers() {
        let fields = [
            ("controller", "berth"),
            ("controllerKind", "Berth"),
            ("Berth", "{\"name\":\"a\",\"namespace\":\"dock\"}"),
            ("namespace", "dock"),
            ("name", "a"),
        ];
        assert_eq!(subject("x", &fields), "Berth dock/a [] []");
        assert_eq!(
            subject(
                "x",
                &[("kind", "ReplicaSet"), ("replicaSet", "dock/crane-5d")]
            ),
            "ReplicaSet dock/crane-5d [] []"
        );
        assert_eq!(
            subject("x", &[("object", "dock/crane-0"), ("kind", "Pod")]),
            "Pod dock/crane-0 [] []"
        );
    }

    #[test]
    fn printed_names() {
        assert_eq!(
            subject(
                "RunPodSandbox for &PodSandboxMetadata{Name:crane-0,Uid:1,Namespace:dock,Attempt:0,} failed",
                &[]
            ),
            "Pod dock/crane-0 [] []"
        );
        assert_eq!(
            subject(
                "back-off restarting failed container=arm pod=crane-0_dock(0f6e-11)",
                &[]
            ),
            "Pod dock/crane-0 [] []"
        );
    }
}
