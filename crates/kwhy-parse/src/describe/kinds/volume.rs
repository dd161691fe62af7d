//! Volumes of a pod or pod template.

use super::generic;
use super::layout::{Below, Block, Node, Tree, field};
use super::values::{
    annotations, boolean, decoded, deferred, integer, labels, number, put, raw_lines, scalar, text,
    words,
};
use kwhy_model::{Map, Value};

/// The lines of one volume of any type. A projected volume repeats them for each source.
pub(super) static VOLUME: Block = Block {
    repeats: true,
    fields: &[
        field("Type", "type", Below::Value, text),
        // a type unknown to the kubectl release
        field("<unknown>", "unknown", Below::Value, deferred).bare(),
        field("Name", "config_map_name", Below::Value, text),
        field("Optional", "optional", Below::Value, boolean),
        field("SecretName", "secret_name", Below::Value, text),
        field("SecretOptionalName", "secret_optional", Below::Value, text),
        field("ConfigMapName", "config_map_name", Below::Value, text),
        field(
            "ConfigMapOptional",
            "config_map_optional",
            Below::Value,
            text,
        ),
        field("DownwardAPI", "downward_api", Below::Value, boolean),
        field(
            "TokenExpirationSeconds",
            "token_expiration_s",
            Below::Value,
            integer,
        ),
        field("Items", "items", Below::Lines, raw_lines),
        field("ClaimName", "claim_name", Below::Value, text),
        field("ReadOnly", "read_only", Below::Value, boolean),
        field("Path", "path", Below::Value, text),
        field("HostPathType", "host_path_type", Below::Value, text),
        field("Medium", "medium", Below::Value, text),
        field("SizeLimit", "size_limit", Below::Value, text),
        field("Server", "server", Below::Value, text),
        field("Driver", "driver", Below::Value, text),
        field("FSType", "fs_type", Below::Value, text),
        field("VolumeHandle", "volume_handle", Below::Value, text),
        field(
            "VolumeAttributes",
            "volume_attributes",
            Below::Lines,
            labels,
        ),
        field("Reference", "reference", Below::Value, text),
        field("PullPolicy", "pull_policy", Below::Value, text),
        field("VolumeID", "volume_id", Below::Value, text),
        field("VolumePath", "volume_path", Below::Value, text),
        field("PDName", "pd_name", Below::Value, text),
        field("Partition", "partition", Below::Value, text),
        field("ShareName", "share_name", Below::Value, text),
        field("Repository", "repository", Below::Value, text),
        field("Revision", "revision", Below::Value, text),
        field("EndpointsName", "endpoints_name", Below::Value, text),
        field("IQN", "iqn", Below::Value, text),
        field("TargetPortal", "target_portal", Below::Value, text),
        field("Portals", "portals", Below::Value, text),
        field("Lun", "lun", Below::Value, text),
        // kubectl omits its colon
        field("ISCSIInterface", "iscsi_interface", Below::Value, text).bare(),
        field(
            "DiscoveryCHAPAuth",
            "discovery_chap_auth",
            Below::Value,
            boolean,
        ),
        field(
            "SessionCHAPAuth",
            "session_chap_auth",
            Below::Value,
            boolean,
        ),
        field("SecretRef", "secret_ref", Below::Value, text),
        field("InitiatorName", "initiator_name", Below::Value, text),
        field("CephMonitors", "ceph_monitors", Below::Value, text),
        field("RBDImage", "rbd_image", Below::Value, text),
        field("Monitors", "monitors", Below::Value, text),
        field("TargetWWNs", "target_wwns", Below::Value, text),
        field("LUN", "lun", Below::Value, text),
        field("RBDPool", "rbd_pool", Below::Value, text),
        field("RadosUser", "rados_user", Below::Value, text),
        field("Keyring", "keyring", Below::Value, text),
        field("User", "user", Below::Value, text),
        field("SecretFile", "secret_file", Below::Value, text),
        field("SecretNamespace", "secret_namespace", Below::Value, text),
        field("Kind", "kind", Below::Value, text),
        field("CachingMode", "caching_mode", Below::Value, text),
        field("VolumeName", "volume_name", Below::Value, text),
        field("VolumeNamespace", "volume_namespace", Below::Value, text),
        field("Registry", "registry", Below::Value, text),
        field("PdID", "pd_id", Below::Value, text),
        field("Gateway", "gateway", Below::Value, text),
        field("System", "system", Below::Value, text),
        field("Protection Domain", "protection_domain", Below::Value, text),
        field("Storage Pool", "storage_pool", Below::Value, text),
        field("Storage Mode", "storage_mode", Below::Value, text),
        field("DatasetName", "dataset_name", Below::Value, text),
        field("DatasetUUID", "dataset_uuid", Below::Value, text),
        field("DiskName", "disk_name", Below::Value, text),
        field("DiskURI", "disk_uri", Below::Value, text),
        field(
            "StoragePolicyName",
            "storage_policy_name",
            Below::Value,
            text,
        ),
        field("Options", "options", Below::Lines, raw_lines),
        field("StorageClass", "storage_class", Below::Value, text),
        field("Volume", "volume", Below::Value, text),
        field("Labels", "labels", Below::Lines, labels),
        field("Annotations", "annotations", Below::Lines, annotations),
        field("Capacity", "capacity", Below::Value, text),
        field("Access Modes", "access_modes", Below::Value, text),
        field("VolumeMode", "volume_mode", Below::Value, text),
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
