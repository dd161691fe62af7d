//! Volumes of a pod or pod template.

use super::generic;
use super::layout::{Block, Content, Node, Tree, field};
use super::values::{
    annotations, boolean, decoded, deferred, integer, labels, number, put, raw_lines, scalar, text,
    words,
};
use kwhy_model::{Map, Value};

/// The lines of one volume of any type. A projected volume repeats them for each source.
pub(super) static VOLUME: Block = Block {
    repeats: true,
    fields: &[
        field("Type", "type", Content::Value, text),
        // a type unknown to the kubectl release
        field("<unknown>", "unknown", Content::Value, deferred).bare(),
        field("Name", "config_map_name", Content::Value, text),
        field("Optional", "optional", Content::Value, boolean),
        field("SecretName", "secret_name", Content::Value, text),
        field(
            "SecretOptionalName",
            "secret_optional",
            Content::Value,
            text,
        ),
        field("ConfigMapName", "config_map_name", Content::Value, text),
        field(
            "ConfigMapOptional",
            "config_map_optional",
            Content::Value,
            text,
        ),
        field("DownwardAPI", "downward_api", Content::Value, boolean),
        field(
            "TokenExpirationSeconds",
            "token_expiration_s",
            Content::Value,
            integer,
        ),
        field("Items", "items", Content::Lines, raw_lines),
        field("ClaimName", "claim_name", Content::Value, text),
        field("ReadOnly", "read_only", Content::Value, boolean),
        field("Path", "path", Content::Value, text),
        field("HostPathType", "host_path_type", Content::Value, text),
        field("Medium", "medium", Content::Value, text),
        field("SizeLimit", "size_limit", Content::Value, text),
        field("Server", "server", Content::Value, text),
        field("Driver", "driver", Content::Value, text),
        field("FSType", "fs_type", Content::Value, text),
        field("VolumeHandle", "volume_handle", Content::Value, text),
        field(
            "VolumeAttributes",
            "volume_attributes",
            Content::Lines,
            labels,
        ),
        field("Reference", "reference", Content::Value, text),
        field("PullPolicy", "pull_policy", Content::Value, text),
        field("VolumeID", "volume_id", Content::Value, text),
        field("VolumePath", "volume_path", Content::Value, text),
        field("PDName", "pd_name", Content::Value, text),
        field("Partition", "partition", Content::Value, text),
        field("ShareName", "share_name", Content::Value, text),
        field("Repository", "repository", Content::Value, text),
        field("Revision", "revision", Content::Value, text),
        field("EndpointsName", "endpoints_name", Content::Value, text),
        field("IQN", "iqn", Content::Value, text),
        field("TargetPortal", "target_portal", Content::Value, text),
        field("Portals", "portals", Content::Value, text),
        field("Lun", "lun", Content::Value, text),
        // kubectl omits its colon
        field("ISCSIInterface", "iscsi_interface", Content::Value, text).bare(),
        field(
            "DiscoveryCHAPAuth",
            "discovery_chap_auth",
            Content::Value,
            boolean,
        ),
        field(
            "SessionCHAPAuth",
            "session_chap_auth",
            Content::Value,
            boolean,
        ),
        field("SecretRef", "secret_ref", Content::Value, text),
        field("InitiatorName", "initiator_name", Content::Value, text),
        field("CephMonitors", "ceph_monitors", Content::Value, text),
        field("RBDImage", "rbd_image", Content::Value, text),
        field("Monitors", "monitors", Content::Value, text),
        field("TargetWWNs", "target_wwns", Content::Value, text),
        field("LUN", "lun", Content::Value, text),
        field("RBDPool", "rbd_pool", Content::Value, text),
        field("RadosUser", "rados_user", Content::Value, text),
        field("Keyring", "keyring", Content::Value, text),
        field("User", "user", Content::Value, text),
        field("SecretFile", "secret_file", Content::Value, text),
        field("SecretNamespace", "secret_namespace", Content::Value, text),
        field("Kind", "kind", Content::Value, text),
        field("CachingMode", "caching_mode", Content::Value, text),
        field("VolumeName", "volume_name", Content::Value, text),
        field("VolumeNamespace", "volume_namespace", Content::Value, text),
        field("Registry", "registry", Content::Value, text),
        field("PdID", "pd_id", Content::Value, text),
        field("Gateway", "gateway", Content::Value, text),
        field("System", "system", Content::Value, text),
        field(
            "Protection Domain",
            "protection_domain",
            Content::Value,
            text,
        ),
        field("Storage Pool", "storage_pool", Content::Value, text),
        field("Storage Mode", "storage_mode", Content::Value, text),
        field("DatasetName", "dataset_name", Content::Value, text),
        field("DatasetUUID", "dataset_uuid", Content::Value, text),
        field("DiskName", "disk_name", Content::Value, text),
        field("DiskURI", "disk_uri", Content::Value, text),
        field(
            "StoragePolicyName",
            "storage_policy_name",
            Content::Value,
            text,
        ),
        field("Options", "options", Content::Lines, raw_lines),
        field("StorageClass", "storage_class", Content::Value, text),
        field("Volume", "volume", Content::Value, text),
        field("Labels", "labels", Content::Lines, labels),
        field("Annotations", "annotations", Content::Lines, annotations),
        field("Capacity", "capacity", Content::Value, text),
        field("Access Modes", "access_modes", Content::Value, text),
        field("VolumeMode", "volume_mode", Content::Value, text),
    ],
};

/// The key that names the source of a volume, by type.
const SOURCES: &[(&str, &str)] = &[
    ("ConfigMap", "Name"),
    ("Secret", "SecretName"),
    ("PersistentVolumeClaim", "ClaimName"),
    ("HostPath", "Path"),
    ("LocalVolume", "Path"),
    ("EmptyDir", "Medium"),
    ("NFS", "Server"),
    ("CSI", "Driver"),
    ("Image", "Reference"),
    ("ISCSI", "IQN"),
    ("AWSElasticBlockStore", "VolumeID"),
    ("GCEPersistentDisk", "PDName"),
    ("Cinder", "VolumeID"),
    ("PortworxVolume", "VolumeID"),
    ("vSphereVolume", "VolumePath"),
    ("AzureFile", "ShareName"),
    ("AzureDisk", "DiskName"),
    ("GitRepo", "Repository"),
    ("Glusterfs", "EndpointsName"),
    ("RBD", "RBDImage"),
    ("CephFS", "Path"),
    ("FlexVolume", "Driver"),
];

/// Parses volumes, each with its name.
pub(super) fn volumes<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = tree
        .children(node)
        .map(|child| Value::Map(volume(tree, child)))
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn volume<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Map<'a> {
    let mut map = Map::new();
    put(&mut map, "name", scalar(node.key));
    add_source(&mut map, tree, node);
    map
}

/// Returns the source of a PersistentVolume.
pub(super) fn source<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    add_source(&mut map, tree, node);
    (!map.is_empty()).then_some(Value::Map(map))
}

fn add_source<'a>(map: &mut Map<'a>, tree: &Tree<'a>, node: &Node<'a>) {
    let kind = tree
        .child(node, "Type")
        .and_then(|kind| words(kind.value).next());
    put(map, "type", kind.and_then(scalar));
    let kind = kind.map_or("", |kind| kind.text);
    let source = SOURCES
        .iter()
        .find(|(known, _)| *known == kind)
        .and_then(|(_, key)| tree.child(node, key))
        .and_then(|source| scalar(source.value));
    put(map, "source", source);
    if kind == "Projected" {
        map.insert("sources", Value::List(projected(tree, node)));
        return;
    }
    for child in tree.children(node) {
        match child.field {
            Some(field) if field.name != "type" => {
                put(map, field.name, (field.read)(tree, child));
            }
            _ => {}
        }
    }
    let others = tree.children(node).filter(|child| child.field.is_none());
    generic::add(map, tree, others);
}

/// Parses the sources of a projected volume, which follow each other without a separator.
fn projected<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Vec<Value<'a>> {
    let mut items = Vec::new();
    for child in tree.children(node) {
        let mut map = Map::new();
        let (kind, name, value) = match child.key.text {
            "SecretName" => ("Secret", "name", scalar(child.value)),
            "ConfigMapName" => ("ConfigMap", "name", scalar(child.value)),
            "DownwardAPI" => ("DownwardAPI", "name", None),
            "TokenExpirationSeconds" => {
                ("ServiceAccountToken", "expiration_s", number(child.value))
            }
            "Optional" | "ConfigMapOptional" => {
                let optional = super::values::flag(child.value);
                if let (Some(Value::Map(last)), Some(optional)) = (items.last_mut(), optional) {
                    last.insert("optional", optional);
                }
                continue;
            }
            _ => continue,
        };
        map.insert("type", decoded(kind, child.key));
        put(&mut map, name, value);
        items.push(Value::Map(map));
    }
    items
}
