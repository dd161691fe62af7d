//! Objects in the API server's internal representation: `kubectl cluster-info dump` up to 1.14.
//!
//! That kubectl decoded into internal types, which have no JSON names, and printed them by Go's `encoding/json`
//! (kubernetes/kubernetes v1.14 `pkg/kubectl/cmd/clusterinfo/clusterinfo_dump.go`, `pkg/apis/core/types.go`): keys are
//! Go's field names, the fields of `metadata` occur in the object itself, and only `selfLink` shows the kind.

use std::borrow::Cow;

use kwhy_model::{Map, Subject, Value};

/// Keys one of which every object or list in internal form has.
const PARTS: &[&str] = &[
    "Items",
    "Spec",
    "Status",
    "InvolvedObject",
    "Data",
    "Subsets",
];

/// Fields of `metadata`.
const METADATA: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
];

/// Fields whose keys are user-defined.
const OF_USER: &[&str] = &[
    "labels",
    "annotations",
    "Data",
    "BinaryData",
    "NodeSelector",
    "Selector",
];

/// Returns true if a map is an object, or a list of objects, in internal form.
pub(super) fn is_internal(map: &Map<'_>) -> bool {
    map.get("kind").is_none()
        && map.get("selfLink").is_some()
        && PARTS.iter().any(|part| map.get(part).is_some())
}

/// Converts an object or a list to the API's names.
pub(super) fn external(map: Map<'_>) -> Map<'_> {
    let mut metadata = Map::new();
    let mut fields = Map::new();
    for (key, value) in map {
        if METADATA.contains(&&*key) {
            metadata.insert(key, value);
        } else if key == "Items" {
            // items are converted one by one as they are taken
            fields.insert("items", value);
        } else {
            let value = value_of(&key, value);
            fields.insert(name(key), value);
        }
    }
    if !metadata.is_empty() {
        fields.insert("metadata", Value::Map(metadata));
    }
    fields
}

/// Returns the kind according to the `selfLink` of an object or list.
pub(super) fn kind(map: &Map<'_>) -> Option<&'static str> {
    let link = map.text("metadata.selfLink")?;
    let mut parts = link.rsplit('/');
    let last = parts.next()?;
    let resource = if map.get("items").is_some() {
        last
    } else {
        parts.next()?
    };
    Subject::known_kind(resource)
}

fn value_of<'a>(key: &str, value: Value<'a>) -> Value<'a> {
    match value {
        Value::Map(map) if OF_USER.contains(&key) => Value::Map(map),
        // a workload's pod template
        Value::Map(map) if key == "Template" => Value::Map(external(map)),
        Value::Map(map) => {
            let each = map.into_iter().map(|(key, value)| {
                let value = value_of(&key, value);
                (name(key), value)
            });
            Value::Map(each.collect())
        }
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| value_of("", item)).collect())
        }
        scalar => scalar,
    }
}

/// Converts a Go field name to the API's: `PodCIDR` to `podCIDR`, `HTTPGet` to `httpGet`.
fn name(key: Cow<'_, str>) -> Cow<'_, str> {
    let capitals = key.bytes().take_while(u8::is_ascii_uppercase).count();
    let starts_word = key
        .as_bytes()
        .get(capitals)
        .is_some_and(u8::is_ascii_lowercase);
    let lower = match capitals {
        0 => return key,
        1 => 1,
        _ if starts_word => capitals - 1,
        _ => capitals,
    };
    let mut name = key.into_owned();
    if let Some(start) = name.get_mut(..lower) {
        start.make_ascii_lowercase();
    }
    Cow::Owned(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines;
    use crate::object::parse;

    #[test]
    fn names_of_go() {
        for (key, expected) in [
            ("PodCIDR", "podCIDR"),
            ("HTTPGet", "httpGet"),
            ("QOSClass", "qosClass"),
            ("UID", "uid"),
            ("LastTransitionTime", "lastTransitionTime"),
            ("creationTimestamp", "creationTimestamp"),
        ] {
            assert_eq!(name(Cow::Borrowed(key)), expected);
        }
    }

    #[test]
    fn a_pod_of_a_list() {
        let text = r#"{
    "selfLink": "/api/v1/namespaces/harbour/pods",
    "resourceVersion": "71",
    "Items": [
        {
            "name": "crane-6d4-x2",
            "namespace": "harbour",
            "selfLink": "/api/v1/namespaces/harbour/pods/crane-6d4-x2",
            "creationTimestamp": "2019-05-04T10:00:00Z",
            "labels": {
                "App": "crane"
            },
            "Spec": {
                "NodeName": "quay-1",
                "Containers": [
                    {
                        "Name": "arm",
                        "Image": "registry.example/arm:3"
                    }
                ]
            },
            "Status": {
                "Phase": "Running",
                "Conditions": [
                    {
                        "Type": "Ready",
                        "Status": "False"
                    }
                ],
                "ContainerStatuses": [
                    {
                        "Name": "arm",
                        "State": {
                            "Waiting": {
                                "Reason": "CrashLoopBackOff",
                                "Message": "Back-off 5m0s restarting failed container"
                            },
                            "Running": null,
                            "Terminated": null
                        },
                        "Ready": false,
                        "RestartCount": 7
                    }
                ]
            }
        }
    ]
}
"#;
        let parsed = parse(&lines(text).collect::<Vec<_>>());
        let pod = &parsed.objects[0];
        assert_eq!(pod.subject.to_string(), "Pod harbour/crane-6d4-x2");
        assert_eq!(pod.subject.node.as_deref(), Some("quay-1"));
        assert!(pod.listed);
        assert_eq!(pod.fields.text("labels.App").as_deref(), Some("crane"));
        let arm = &pod.fields.items("containers")[0];
        assert_eq!(
            arm.get("state.reason").unwrap().to_text().unwrap(),
            "CrashLoopBackOff"
        );
    }

    #[test]
    fn an_event_has_its_object_and_time() {
        let text = r#"{
    "selfLink": "/api/v1/namespaces/harbour/events",
    "Items": [
        {
            "name": "crane.15a",
            "namespace": "harbour",
            "selfLink": "/api/v1/namespaces/harbour/events/crane.15a",
            "InvolvedObject": {
                "Kind": "Pod",
                "Namespace": "harbour",
                "Name": "crane-6d4-x2",
                "FieldPath": "spec.containers{arm}"
            },
            "Reason": "BackOff",
            "Message": "Back-off restarting failed container",
            "Source": {
                "Component": "kubelet",
                "Host": "quay-1"
            },
            "LastTimestamp": "2019-05-04T10:06:00Z",
            "Count": 14,
            "Type": "Warning"
        }
    ]
}
"#;
        let parsed = parse(&lines(text).collect::<Vec<_>>());
        let event = &parsed.events[0];
        assert_eq!(event.subject.name.as_deref(), Some("crane-6d4-x2"));
        assert_eq!(event.subject.container.as_deref(), Some("arm"));
        assert_eq!(event.count, 14);
        assert!(event.time.is_some());
    }
}
