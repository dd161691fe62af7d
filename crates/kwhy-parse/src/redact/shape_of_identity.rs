//! The shapes of hosts, addresses, e-mail addresses, images, ids and generated names.

use kwhy_model::{Span, Subject};

/// The type of a text according to its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Address,
    Email,
    Image,
    Pod,
    Uid,
    /// A text that is the same in every cluster, so it is kept.
    Kept,
}

impl Shape {
    /// Returns the word that its tokens start with.
    pub fn kind(self) -> &'static str {
        match self {
            Shape::Address => "address",
            Shape::Email => "email",
            Shape::Image => "image",
            Shape::Pod => "pod",
            Shape::Uid => "uid",
            Shape::Kept => "",
        }
    }
}

/// Words that precede the name of a user.
pub(super) const PEOPLE: &[&str] = &["user", "User", "username", "login", "owner"];

/// Top-level domains of hosts. Other dotted names are those of code and files.
const TOP: &[&str] = &[
    "com", "net", "org", "io", "dev", "cloud", "local", "internal", "lan", "corp", "example",
    "test", "de", "fr", "uk", "eu", "us", "ch", "at", "nl", "se", "no", "fi", "dk", "pl", "it",
    "es", "jp", "cn", "in", "au", "ca", "br", "co", "app", "ai", "info", "biz", "gov", "edu",
    "int", "home", "intra", "private", "tech", "systems", "svc", "invalid",
];

/// Domains of projects, as used by labels, API groups and packages.
const PROJECTS: &[&str] = &[
    "k8s.io",
    "kubernetes.io",
    "golang.org",
    "go.uber.org",
    "github.com",
    "cncf.io",
    "istio.io",
    "helm.sh",
    "x-k8s.io",
    "cluster.local",
    "svc",
    "gopkg.in",
    "etcd.io",
    "grpc.io",
];

/// Public registries.
const REGISTRIES: &[&str] = &["docker.io", "quay.io", "gcr.io", "ghcr.io"];

pub(super) fn is_of_piece(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-".contains(&byte)
}

fn is_of_word(byte: u8) -> bool {
    is_of_piece(byte) || b"@:/".contains(&byte)
}

/// Returns the words of a text, without the punctuation at their ends.
pub(super) fn words(text: &str) -> impl Iterator<Item = Span> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_of_word(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_of_word(bytes[at]) {
            at += 1;
        }
        let word = &bytes[start..at];
        let end = word.iter().rposition(|byte| !b".:-@".contains(byte));
        (start < at).then(|| start..start + end.map_or(0, |end| end + 1))
    })
}

/// Returns the pieces of a word, split at `/`, `:`, `@` and `_`, which occur in no name.
pub(super) fn pieces(word: &str) -> impl Iterator<Item = Span> + '_ {
    let mut start = 0;
    word.split(['/', ':', '@', '_']).filter_map(move |piece| {
        let span = start..start + piece.len();
        start = span.end + 1;
        (!piece.is_empty()).then_some(span)
    })
}

/// Returns the labels of a dotted name.
pub(super) fn labels(piece: &str) -> impl Iterator<Item = Span> + '_ {
    let mut start = 0;
    piece.split('.').map(move |label| {
        let span = start..start + label.len();
        start = span.end + 1;
        span
    })
}

/// Returns true for a separator between a kind word and a name: `configmap "x"`, `pod=x`, `"user": "x"`.
pub(super) fn names(between: &str) -> bool {
    const MARKS: &[&str] = &["\"", "'", "`", "=", "=\"", ":\"", "\":\"", ": \"", "\": \""];
    let between = between.replace('\\', "");
    MARKS.contains(&between.trim_start_matches(' '))
}

/// Returns the shape of a whole word: an e-mail address, an image, an IPv6 address, a project's label key or package.
pub(super) fn whole(word: &str) -> Option<Shape> {
    if word.contains("://") {
        return None;
    }
    let (first, last) = (word.split('/').next()?, word.rsplit('/').next()?);
    let has_slash = word.contains('/') && !word.starts_with('/');
    // the repository in a public registry reveals its user
    if has_slash && REGISTRIES.contains(&first) {
        return Some(Shape::Image);
    }
    if has_slash && is_of_project(first) {
        return Some(Shape::Kept);
    }
    let is_of_registry = has_slash && (is_host(first) || first.contains('.') && has_port(first));
    if word.contains("@sha256:") || is_of_registry && !is_file(last) || has_tag(last, !has_slash) {
        return Some(Shape::Image);
    }
    if let Some((local, domain)) = word.split_once('@')
        && !local.is_empty()
        && !word.contains(['/', ':'])
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty())
    {
        return Some(Shape::Email);
    }
    is_ipv6(word).then_some(Shape::Address)
}

/// Returns the shape of a piece of a word.
pub(super) fn piece(piece: &str) -> Option<Shape> {
    if is_ipv4(piece) {
        // loopback, unspecified, broadcast and cloud metadata addresses
        let is_own = ["127.", "0.", "255.", "169.254.169.254"]
            .iter()
            .any(|start| piece.starts_with(start));
        return Some(if is_own { Shape::Kept } else { Shape::Address });
    }
    if is_uuid(piece) {
        return Some(Shape::Uid);
    }
    if is_of_project(piece) {
        return Some(Shape::Kept);
    }
    let dashed = piece.strip_prefix("ip-").map(|rest| rest.replace('-', "."));
    if dashed.is_some_and(|rest| is_ipv4(&rest)) {
        return Some(Shape::Address);
    }
    is_generated(piece).then_some(Shape::Pod)
}

/// Returns true for a hostname.
pub(super) fn is_host(text: &str) -> bool {
    let text = text.split(':').next().unwrap_or("");
    let mut labels = text.rsplit('.');
    let top = labels.next().unwrap_or("");
    TOP.contains(&top)
        && labels.next().is_some_and(|label| !label.is_empty())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte)
        })
}

fn is_of_project(text: &str) -> bool {
    // a storage driver is a product: `ebs.csi.aws.com`
    if text.contains(".csi.") {
        return true;
    }
    PROJECTS.iter().any(|domain| {
        let before = text.strip_suffix(domain);
        before.is_some_and(|before| {
            before.is_empty()
                || before.ends_with('.') && *domain != "svc" && *domain != "cluster.local"
        })
    })
}

/// Returns the name and namespace of the Service in a hostname.
pub(super) fn service(host: &str) -> Option<(&str, &str)> {
    let (before, after) = host.split_once(".svc")?;
    let (service, namespace) = before.rsplit_once('.')?;
    let service = service.rsplit('.').next().unwrap_or(service);
    (after.is_empty() || after.starts_with('.')).then_some((service, namespace))
}

/// Returns true for a public registry.
pub(super) fn is_public(registry: &str) -> bool {
    REGISTRIES.contains(&registry)
}

fn has_port(text: &str) -> bool {
    let port = text.rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for `name:tag`, but not for a file with a line or a port. If nothing else shows that it is an image
/// (`is_alone`), the tag must be a version with dots.
fn has_tag(text: &str, is_alone: bool) -> bool {
    let Some((name, tag)) = text.rsplit_once(':') else {
        return false;
    };
    let is_number = tag.bytes().all(|byte| byte.is_ascii_digit());
    let is_version = tag.contains('.')
        && tag
            .trim_start_matches('v')
            .starts_with(|c: char| c.is_ascii_digit());
    let fits = if is_alone {
        is_version
    } else {
        !is_number || tag.len() < 3
    };
    !name.is_empty()
        && !tag.is_empty()
        && fits
        && !name.contains([':', '.'])
        && tag.bytes().all(is_of_piece)
}

/// Returns true for the name of a file.
pub(super) fn is_file(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "go", "py", "rs", "c", "cc", "cpp", "h", "java", "js", "ts", "rb", "log", "txt", "yaml",
        "yml", "json", "conf", "sock", "gz", "tgz", "tar", "zip", "pem", "crt", "key", "sh",
        "toml", "xml", "service", "socket", "mount", "slice",
    ];
    let name = name.split(':').next().unwrap_or("");
    name.rsplit_once('.')
        .is_some_and(|(_, end)| ENDS.contains(&end))
}

pub(super) fn is_ipv4(text: &str) -> bool {
    let mut octets = 0;
    let all = text.split('.').all(|octet| {
        octets += 1;
        octet.len() <= 3 && octet.parse::<u8>().is_ok()
    });
    all && octets == 4
}

fn is_ipv6(text: &str) -> bool {
    text.matches(':').count() >= 2 && text.len() > 4 && text.parse::<std::net::Ipv6Addr>().is_ok()
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let mut parts = text.split('-');
    lengths.iter().all(|length| {
        parts.next().is_some_and(|part| {
            part.len() == *length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    }) && parts.next().is_none()
}

/// Returns true for a name that ends like that of a Deployment's pod.
fn is_generated(text: &str) -> bool {
    let is_safe = |part: &str| {
        part.bytes()
            .all(|byte| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte))
    };
    let mut parts = text.rsplitn(3, '-');
    let (Some(pod), Some(set), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let has_digit = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    pod.len() == 5
        && is_safe(pod)
        && (8..=10).contains(&set.len())
        && set
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && has_digit(set)
        && is_name(name)
}

/// Returns the kind and name of the owner from which a name was generated: a ReplicaSet's Deployment, a pod's workload.
pub(super) fn owner<'n>(kind: &str, name: &'n str) -> Option<(&'static str, &'n str)> {
    let (of, spelled) = match kind {
        "pod" => (
            match piece(name) {
                Some(Shape::Pod) => "deployment",
                _ => "object",
            },
            "Pod",
        ),
        "replicaset" => ("deployment", "ReplicaSet"),
        _ => return None,
    };
    let owner = |kind: &str| {
        let subject = Subject::new(kind, None, name);
        let owner = subject.workload().map(str::len)?;
        (owner > 1 && owner < name.len()).then_some(owner)
    };
    // a pod that was not created yet: `web-6d5f9c7b8-`
    let owner = owner(spelled).or_else(|| owner("ReplicaSet"))?;
    Some((of, &name[..owner]))
}

/// Returns true if a text may be the name of an object.
pub(super) fn is_name(text: &str) -> bool {
    let is_of_name =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    text.len() > 1
        && text.bytes().all(is_of_name)
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with(['-', '.'])
}

/// Returns the names without up to four trailing words, of which this may be a replica or part. Short ones are skipped,
/// as they occur in other names too.
pub(super) fn bases(name: &str) -> impl Iterator<Item = &str> {
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let ends = name.rmatch_indices('-').take(4);
    ends.map(|(at, _)| name.split_at(at))
        .filter(move |(base, end)| base.len() > 3 || has_digit(end))
        .map(|(base, _)| base)
}
