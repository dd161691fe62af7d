//! Value types of command slots: what may be inserted into a command, by the name of the slot.
//!
//! Values come from the input, whose author may have chosen them. No type admits a leading hyphen, a space, a control
//! character or anything beyond ASCII, so that a value is never an option and always a single word.

use std::net::{IpAddr, Ipv6Addr};

use serde::Deserialize;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ValueType {
    /// A DNS-1123 label: a namespace, a container.
    Label,
    /// A DNS-1123 subdomain: the name of most objects.
    Name,
    /// A name that is one path segment, as RBAC objects have: `system:node:quay-1`.
    Segment,
    /// A kind or resource, optionally with its group: `Pod`, `certificates.cert-manager.io`,
    /// `pods/log`.
    Kind,
    /// An image reference as the distribution project defines it.
    Image,
    /// A DNS name or an address, optionally with a port.
    Host,
    /// Digits.
    Number,
    /// An absolute path without `..`.
    Path,
    /// An absolute path or a word: `/dev/sdb` or `sdb`.
    Device,
    /// A UUID.
    Uid,
    /// A systemd unit.
    Unit,
    /// The hexadecimal id of a container, sandbox or image.
    ContainerId,
    /// An http or https URL without credentials.
    Url,
    /// The key of a label, annotation or taint.
    Key,
    /// Labels as a selector: `app=web,tier=front`.
    Selector,
    /// A word of letters, digits and `._:/@-` that starts with a letter or digit.
    Word,
}

use ValueType::*;

/// The maximum length of any value.
const LONGEST: usize = 1024;

/// The types by slot name. A name that is not listed has the type of its last part
/// (`claim_namespace`), or is a word.
const SLOTS: &[(ValueType, &[&str])] = &[
    (Label, &["namespace", "container"]),
    (
        Name,
        &[
            "account",
            "app",
            "attachment",
            "certificate",
            "claim",
            "class",
            "configmap",
            "crd",
            "deployment",
            "endpoints",
            "job",
            "lease",
            "name",
            "node",
            "nodepool",
            "owner",
            "pod",
            "policy",
            "pvc",
            "quota",
            "replica",
            "secret",
            "service",
            "set",
            "statefulset",
        ],
    ),
    (Segment, &["binding", "role"]),
    (Kind, &["kind", "resource"]),
    (Image, &["image", "pause"]),
    (
        Host,
        &[
            "address", "endpoint", "gateway", "host", "ip", "peer", "registry", "server",
        ],
    ),
    (
        Number,
        &[
            "attempt", "code", "count", "number", "pid", "port", "seconds",
        ],
    ),
    (
        Path,
        &[
            "cgroup",
            "dir",
            "directory",
            "file",
            "netns",
            "path",
            "socket",
            "target",
        ],
    ),
    (Device, &["device", "disk", "scope"]),
    (Uid, &["uid"]),
    (Unit, &["unit"]),
    (ContainerId, &["id"]),
    (Url, &["url", "repo"]),
    (Key, &["annotation", "key", "label", "taint"]),
    (Selector, &["selector"]),
];

impl ValueType {
    /// Returns the type of a slot's values by its name.
    pub(crate) fn of_slot(slot: &str) -> ValueType {
        let listed = |name: &str| {
            let mut rows = SLOTS.iter();
            rows.find_map(|(form, names)| names.contains(&name).then_some(*form))
        };
        let last = || slot.rsplit_once('_').and_then(|(_, last)| listed(last));
        // `volume_id` and `fs_id` have provider-specific formats
        let last = || last().filter(|form| *form != ContainerId);
        listed(slot).or_else(last).unwrap_or(Word)
    }

    /// Returns the type of a name of this type for an object of a kind.
    pub(crate) fn of_kind(self, kind: Option<&str>) -> ValueType {
        let is_access = kind.is_some_and(|kind| {
            let kind = kind.split('.').next().unwrap_or(kind).to_ascii_lowercase();
            let kind = kind.strip_suffix('s').unwrap_or(&kind);
            matches!(
                kind,
                "role" | "clusterrole" | "rolebinding" | "clusterrolebinding"
            )
        });
        match self {
            Name if is_access => Segment,
            form => form,
        }
    }

    /// Returns true if a value has this type.
    pub fn admits(self, value: &str) -> bool {
        let starts = value.as_bytes().first();
        let starts = starts.is_some_and(|b| b.is_ascii_alphanumeric() || b"/[:".contains(b));
        let plain = value.bytes().all(|b| b.is_ascii_graphic());
        starts && plain && value.len() <= LONGEST && self.is_form_of(value)
    }

    fn is_form_of(self, value: &str) -> bool {
        match self {
            Label => is_label(value),
            Name => is_subdomain(value),
            Segment => is_word(value) && !value.contains(['/', '@']),
            Kind => is_kind(value),
            Image => is_image(value),
            Host => is_host(value),
            Number => value.len() <= 20 && value.bytes().all(|b| b.is_ascii_digit()),
            Path => is_path(value),
            Device => is_path(value) || is_word(value),
            Uid => is_uid(value),
            Unit => is_unit(value),
            ContainerId => {
                let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
                (8..=64).contains(&value.len()) && value.bytes().all(hex)
            }
            Url => is_url(value),
            Key => is_key(value),
            Selector => value.split(',').all(is_requirement),
            Word => is_word(value),
        }
    }
}

/// Returns true if all bytes are letters, digits or one of `others`.
fn is_of(value: &str, others: &[u8]) -> bool {
    let mut bytes = value.bytes();
    bytes.all(|b| b.is_ascii_alphanumeric() || others.contains(&b))
}

/// Returns true if the first and last byte are letters or digits.
fn is_bounded(value: &str) -> bool {
    let ends = [value.as_bytes().first(), value.as_bytes().last()];
    let mut ends = ends.into_iter();
    ends.all(|b| b.is_some_and(u8::is_ascii_alphanumeric))
}

fn has_capital(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_uppercase())
}

fn is_label(value: &str) -> bool {
    value.len() <= 63 && is_bounded(value) && is_of(value, b"-") && !has_capital(value)
}

fn is_subdomain(value: &str) -> bool {
    value.len() <= 253
        && !has_capital(value)
        && value
            .split('.')
            .all(|label| is_bounded(label) && is_of(label, b"-"))
}

fn is_word(value: &str) -> bool {
    let first = value.as_bytes().first();
    value.len() <= 253
        && first.is_some_and(u8::is_ascii_alphanumeric)
        && is_of(value, b"._:/@-")
        && !climbs(value)
}

/// Returns true if a path has a `..` component.
fn climbs(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

fn is_kind(value: &str) -> bool {
    let (kind, part) = match value.split_once('/') {
        Some((kind, part)) => (kind, Some(part)),
        None => (value, None),
    };
    let letters = |name: &str| {
        let first = name.as_bytes().first();
        name.len() <= 63 && first.is_some_and(u8::is_ascii_alphabetic) && is_of(name, b"")
    };
    let (name, group) = match kind.split_once('.') {
        Some((name, group)) => (name, Some(group)),
        None => (kind, None),
    };
    letters(name) && group.is_none_or(is_subdomain) && part.is_none_or(letters)
}

/// `distribution/reference`: `[domain/]path[:tag][@digest]`.
fn is_image(value: &str) -> bool {
    let (rest, digest) = match value.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (value, None),
    };
    let name_at = rest.rfind('/').map_or(0, |at| at + 1);
    let (name, tag) = match rest[name_at..].find(':') {
        Some(at) => (&rest[..name_at + at], Some(&rest[name_at + at + 1..])),
        None => (rest, None),
    };
    let (domain, path) = match name.split_once('/') {
        Some((domain, path))
            if domain.contains(['.', ':']) || domain == "localhost" || has_capital(domain) =>
        {
            (Some(domain), path)
        }
        _ => (None, name),
    };
    let component = |part: &str| {
        is_bounded(part)
            && is_of(part, b"._-")
            && !has_capital(part)
            && !part.contains("..")
            && !part.contains("___")
    };
    let is_tag = |tag: &str| {
        let first = tag.as_bytes().first();
        tag.len() <= 128
            && first.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
            && is_of(tag, b"._-")
    };
    let is_digest = |digest: &str| {
        digest.split_once(':').is_some_and(|(algorithm, hex)| {
            is_bounded(algorithm)
                && is_of(algorithm, b"+._-")
                && hex.len() >= 32
                && hex.bytes().all(|b| b.is_ascii_hexdigit())
        })
    };
    name.len() <= 255
        && domain.is_none_or(is_host)
        && path.split('/').all(component)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest)
}

fn is_port(value: &str) -> bool {
    value.parse::<u16>().is_ok() && value.bytes().all(|b| b.is_ascii_digit())
}

fn is_host(value: &str) -> bool {
    if value.parse::<IpAddr>().is_ok() {
        return true;
    }
    if let Some(rest) = value.strip_prefix('[') {
        return rest.split_once(']').is_some_and(|(address, port)| {
            let port = port.strip_prefix(':').or(port.is_empty().then_some("0"));
            address.parse::<Ipv6Addr>().is_ok() && port.is_some_and(is_port)
        });
    }
    let (host, port) = match value.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (value, None),
    };
    let labels = host.strip_suffix('.').unwrap_or(host);
    // names with an underscore are not valid host names but do resolve
    let is_name = labels
        .split('.')
        .all(|label| label.len() <= 63 && is_bounded(label) && is_of(label, b"-_"));
    host.len() <= 253 && is_name && port.is_none_or(is_port)
}

fn is_path(value: &str) -> bool {
    // the kubelet has folders such as `kubernetes.io~csi`, and systemd's slices contain colons
    value.starts_with('/') && is_of(value, b"/._-:@+=,~") && !climbs(value)
}

fn is_uid(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn is_unit(value: &str) -> bool {
    value.len() <= 255
        && value
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii_alphanumeric)
        && is_of(value, b"._:@-")
}

fn is_url(value: &str) -> bool {
    let scheme = ["https://", "http://"].into_iter();
    let Some(rest) = scheme.filter_map(|s| value.strip_prefix(s)).next() else {
        return false;
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    is_host(host) && is_of(path, b"/?=._:-~%+,&") && !climbs(path)
}

fn is_key(value: &str) -> bool {
    let (prefix, name) = match value.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, value),
    };
    prefix.is_none_or(is_subdomain) && is_label_value(name)
}

/// Returns true if the text is a valid, non-empty label value.
fn is_label_value(value: &str) -> bool {
    value.len() <= 63 && is_bounded(value) && is_of(value, b"._-")
}

fn is_requirement(text: &str) -> bool {
    match text.split_once('=') {
        Some((key, value)) => {
            let value = value.strip_prefix('=').unwrap_or(value);
            is_key(key) && (value.is_empty() || is_label_value(value))
        }
        None => is_key(text),
    }
}
