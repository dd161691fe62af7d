//! Volumes of pods, and sources of PersistentVolumes.

use super::container::optional;
use super::read::{self, decoded, integer, same};
use kwhy_model::{Map, Value};

/// The API's field, the type as a describe prints it, and the field that names the source.
const TYPES: &[(&str, &str, &str)] = &[
    ("hostPath", "HostPath", "path"),
    ("emptyDir", "EmptyDir", "medium"),
    ("secret", "Secret", "secretName"),
    ("configMap", "ConfigMap", "name"),
    ("nfs", "NFS", "server"),
    ("iscsi", "ISCSI", "iqn"),
    (
        "persistentVolumeClaim",
        "PersistentVolumeClaim",
        "claimName",
    ),
    ("csi", "CSI", "driver"),
    ("downwardAPI", "DownwardAPI", ""),
    ("projected", "Projected", ""),
    ("ephemeral", "EphemeralVolume", ""),
    ("image", "Image", "reference"),
    ("local", "LocalVolume", "path"),
    ("fc", "FC", ""),
    ("awsElasticBlockStore", "AWSElasticBlockStore", "volumeID"),
    ("gcePersistentDisk", "GCEPersistentDisk", "pdName"),
    ("azureFile", "AzureFile", "shareName"),
    ("azureDisk", "AzureDisk", "diskName"),
    ("rbd", "RBD", "image"),
    ("cephfs", "CephFS", "path"),
    ("gitRepo", "GitRepo", "repository"),
    ("vsphereVolume", "vSphereVolume", "volumePath"),
    ("glusterfs", "Glusterfs", "endpoints"),
    ("cinder", "Cinder", "volumeID"),
    ("flexVolume", "FlexVolume", "driver"),
    ("portworxVolume", "PortworxVolume", "volumeID"),
];

/// The maximum number of details per volume; no type has more than a dozen.
const MAX_DETAILS: usize = 64;

/// Adds the type of a volume, its source, and the details of both.
fn add_source<'a>(map: &mut Map<'a>, volume: &Value<'a>) -> Option<(&'static str, Value<'a>)> {
    let (kind, printed, key, detail) = TYPES
        .iter()
        .find_map(|(kind, printed, key)| Some((*kind, *printed, *key, volume.get(kind)?)))?;
    map.insert("type", decoded(printed, read::place(detail, volume)));
    if let Some(source) = detail.get(key).filter(|_| !key.is_empty()).and_then(same) {
        map.insert("source", source);
    }
    Some((kind, detail.clone()))
}

/// Returns the volumes of a pod.
pub(super) fn volumes<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(
        value
            .items()
            .iter()
            .map(|volume| Value::Map(self::volume(volume))),
    )
}

fn volume<'a>(volume: &Value<'a>) -> Map<'a> {
    let mut map = Map::new();
    if let Some(name) = volume.get("name").and_then(same) {
        map.insert("name", name);
    }
    let Some((kind, detail)) = add_source(&mut map, volume) else {
        return map;
    };
    match kind {
        "secret" | "configMap" => {
            let place = volume.span();
            let optional = match optional(&detail) {
                Value::Boolean(flag, span) if span.is_empty() => Value::Boolean(flag, place),
                said => said,
            };
            map.insert("optional", optional);
        }
        "persistentVolumeClaim" => {
            let said = detail.get("readOnly").cloned();
            let otherwise = || Value::Boolean(false, detail.span());
            map.insert("read_only", said.unwrap_or_else(otherwise));
        }
        "emptyDir" => {
            if let Some(limit) = detail.get("sizeLimit").and_then(read::text) {
                map.insert("size_limit", limit);
            }
        }
        "projected" => {
            let sources = detail.get("sources").map_or(&[][..], Value::items);
            let sources: Vec<_> = sources.iter().filter_map(projected).collect();
            map.insert("sources", Value::List(sources));
        }
        _ => {}
    }
    if let Some(Value::Map(others)) = super::generic::value(&detail) {
        for (key, value) in others.into_iter().take(MAX_DETAILS) {
            if map.get(&key).is_none() {
                map.insert(key, value);
            }
        }
    }
    map
}

fn projected<'a>(source: &Value<'a>) -> Option<Value<'a>> {
    const KINDS: &[(&str, &str)] = &[
        ("secret", "Secret"),
        ("configMap", "ConfigMap"),
        ("downwardAPI", "DownwardAPI"),
        ("serviceAccountToken", "ServiceAccountToken"),
        ("clusterTrustBundle", "ClusterTrustBundle"),
    ];
    let (kind, of) = KINDS
        .iter()
        .find_map(|(key, kind)| Some((*kind, source.get(key)?)))?;
    let mut map = Map::new();
    map.insert("type", decoded(kind, read::place(of, source)));
    if let Some(name) = of.get("name").and_then(same) {
        map.insert("name", name);
    }
    if let Some(seconds) = of.get("expirationSeconds").and_then(integer) {
        map.insert("expiration_s", seconds);
    }
    if let Some(optional) = of.get("optional").and_then(same) {
        map.insert("optional", optional);
    }
    Some(Value::Map(map))
}

/// Returns the source of a PersistentVolume.
pub(super) fn persistent<'a>(spec: &Value<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    let (_, detail) = add_source(&mut map, spec)?;
    if let Some(Value::Map(others)) = super::generic::value(&detail) {
        for (key, value) in others.into_iter().take(MAX_DETAILS) {
            if map.get(&key).is_none() {
                map.insert(key, value);
            }
        }
    }
    Some(Value::Map(map))
}
