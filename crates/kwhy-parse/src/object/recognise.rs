//! Recognition of Kubernetes objects, line by line.
//!
//! An object starts with its `apiVersion` or a key that sorts before it; if its top was cut off, with
//! one of its main parts (`metadata`, `spec`, `status`) that contains fields known to be
//! there. Indentation and syntax show which further lines belong to it.

use memchr::memmem;

use super::state_line::is_container_reason;
use crate::input::Line;
use kwhy_model::Format;

/// The number of lines examined after the first one to recognise an object.
const AHEAD: usize = 48;

/// Keys that show that YAML with an `apiVersion` is not a Kubernetes object but one of Helm's charts or
/// indexes.
const FOREIGN_KEYS: &[&str] = &["name", "version", "appVersion", "entries", "generated"];

/// Keys of objects that sort before `apiVersion`.
const FIRST_KEYS: &[&str] = &[
    "action",
    "addressType",
    "aggregationRule",
    "allowVolumeExpansion",
];

/// Parts of an object, each with keys one of which it must contain.
const PARTS: &[(&str, &[&str])] = &[
    (
        "metadata",
        &[
            "annotations",
            "creationTimestamp",
            "deletionTimestamp",
            "finalizers",
            "generateName",
            "generation",
            "labels",
            "managedFields",
            "namespace",
            "ownerReferences",
            "resourceVersion",
            "uid",
        ],
    ),
    (
        "spec",
        &[
            "accessModes",
            "backoffLimit",
            "clusterIP",
            "containers",
            "externalTrafficPolicy",
            "ingressClassName",
            "initContainers",
            "jobTemplate",
            "maxReplicas",
            "nodeName",
            "persistentVolumeReclaimPolicy",
            "podCIDR",
            "podSelector",
            "progressDeadlineSeconds",
            "providerID",
            "revisionHistoryLimit",
            "scaleTargetRef",
            "serviceName",
            "taints",
            "template",
            "tolerations",
        ],
    ),
    (
        "status",
        &[
            "accessModes",
            "addresses",
            "allocatable",
            "attachError",
            "attached",
            "availableReplicas",
            "capacity",
            "collisionCount",
            "conditions",
            "containerStatuses",
            "currentHealthy",
            "currentReplicas",
            "detachError",
            "errorMessage",
            "failureMessage",
            "failureReason",
            "hostIP",
            "initContainerStatuses",
            "lastError",
            "loadBalancer",
            "nodeInfo",
            "numberReady",
            "observedGeneration",
            "phase",
            "podIP",
            "qosClass",
            "readyReplicas",
            "startTime",
            "unavailableReplicas",
            "uncountedTerminatedPods",
        ],
    ),
    ("containerStatuses", STATUS_KEYS),
    ("initContainerStatuses", STATUS_KEYS),
    ("containers", CONTAINER_KEYS),
    ("initContainers", CONTAINER_KEYS),
    ("state", &["running", "terminated", "waiting"]),
    ("lastState", &["running", "terminated", "waiting"]),
    ("terminated", &["containerID", "exitCode", "finishedAt"]),
    ("waiting", &["message", "reason"]),
    ("conditions", CONDITION_TIMES),
];

/// Keys of a condition that are rare elsewhere.
const CONDITION_TIMES: &[&str] = &[
    "lastHeartbeatTime",
    "lastProbeTime",
    "lastTransitionTime",
    "lastUpdateTime",
];

/// Keys of a condition: the first two and one of the others. Each alone may occur anywhere.
const CONDITION_WORDS: &[&str] = &["type", "status", "reason", "message"];

/// Keys of a pod's container that are rare in other lists of this name.
const CONTAINER_KEYS: &[&str] = &[
    "envFrom",
    "imagePullPolicy",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "terminationMessagePath",
    "volumeMounts",
];

const STATUS_KEYS: &[&str] = &[
    "containerID",
    "image",
    "imageID",
    "lastState",
    "name",
    "ready",
    "restartCount",
    "state",
];

/// The lines after the current one.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'l, 'a> {
    /// The lines, unchanged.
    pub lines: &'l [Line<'a>],
    /// Removes the decoration before each line (`> `, `3. `).
    pub strip: fn(Line<'a>) -> Line<'a>,
}

impl<'a> Ahead<'_, 'a> {
    fn iter(&self) -> impl Iterator<Item = Line<'a>> {
        self.lines.iter().map(|line| (self.strip)(*line))
    }

    pub(super) fn first(&self) -> Option<Line<'a>> {
        self.iter().next()
    }
}

/// Returns true if an object may start on a line, or contain it, judging by the line alone.
pub fn may_begin(text: &str) -> bool {
    let bare = text.trim_start();
    match bare.as_bytes().first() {
        Some(b'{' | b'[') => is_compact(bare),
        Some(b'"') => {
            json_key(bare).is_some_and(|key| is_head_key(key) || is_time(key))
                || is_container_reason(bare)
        }
        Some(b'r') => is_container_reason(bare),
        Some(b't' | b'w') => matches!(bare.trim_end(), "terminated:" | "waiting:"),
        Some(b'a' | b'c' | b'i' | b'l' | b'm' | b's' | b'-') => {
            let inner = without_mark(bare);
            let is_item = inner.len() < bare.len();
            key_length(inner)
                .and_then(|end| inner.get(..end))
                .is_some_and(|key| {
                    is_head_key(key) || is_time(key) || (is_item && CONDITION_WORDS.contains(&key))
                })
        }
        _ => false,
    }
}

/// Returns the format of the object that starts on a line; `rest` are the lines after it.
pub fn begins(line: &Line<'_>, rest: &Ahead<'_, '_>) -> Option<Format> {
    if !may_begin(line.text) && !is_opening(line.text) {
        return None;
    }
    let bare = line.text.trim_start();
    match bare.as_bytes().first() {
        Some(b'{' | b'[') => {
            let object = is_compact(bare)
                || rest
                    .iter()
                    .take(8)
                    .map(|line| line.text.trim())
                    .filter(|text| !text.is_empty() && !is_opening(text))
                    .take(1)
                    .any(|text| json_key(text).is_some_and(is_head_key))
                || begins_internal(rest)
                || begins_condition(rest);
            object.then_some(Format::ObjectJson)
        }
        Some(b'"') => {
            let key = json_key(bare)?;
            let known = known_part(key);
            let fits = match known {
                _ if is_identity(key) || is_container_reason(bare) => true,
                _ if is_time(key) => begins_condition(rest),
                Some(keys) => rest
                    .iter()
                    .take(AHEAD)
                    .filter_map(|line| json_key(line.text.trim_start()))
                    .take(6)
                    .any(|key| keys.contains(&key)),
                None => false,
            };
            fits.then_some(Format::ObjectJson)
        }
        _ if is_container_reason(bare) => Some(Format::ObjectYaml),
        _ => yaml_begins(line, rest).then_some(Format::ObjectYaml),
    }
}

/// Returns true if the members after an opening bracket belong to an object in internal form ([`super::internal`]).
fn begins_internal(rest: &Ahead<'_, '_>) -> bool {
    let mut keys = rest.iter().take(4).map_while(|line| {
        let text = line.text.trim_start();
        json_key(text).map(str::to_owned)
    });
    keys.next().as_deref() == Some("name") && keys.any(|key| key == "selfLink")
}

/// The number of members of a condition, allowing for some that a tool adds.
const CONDITION_MEMBERS: usize = 12;

/// Returns true if the next JSON members, up to the closing bracket, belong to a condition.
fn begins_condition(rest: &Ahead<'_, '_>) -> bool {
    let (mut of_type, mut of_status, mut has_message) = (false, false, false);
    let members = rest
        .iter()
        .take(CONDITION_MEMBERS)
        .filter(|line| !line.is_blank())
        .take_while(|line| line.text.trim_start().starts_with('"'));
    for line in members {
        let text = line.text.trim();
        let Some(key) = json_key(text) else {
            return false;
        };
        match key {
            "type" => of_type = true,
            "status" => {
                let value = text.trim_end_matches(',');
                of_status = ["\"True\"", "\"False\"", "\"Unknown\""]
                    .iter()
                    .any(|state| value.ends_with(state));
            }
            "reason" | "message" => has_message = true,
            _ => has_message |= is_time(key),
        }
    }
    of_type && of_status && has_message
}

/// The number of keys examined below one.
const MAX_BELOW: usize = 6;

fn yaml_begins(line: &Line<'_>, rest: &Ahead<'_, '_>) -> bool {
    let indent = line.indent();
    let bare = line.text.trim_start();
    let inner = without_mark(bare);
    let column = indent + bare.len() - inner.len();
    let Some(end) = key_length(inner) else {
        return false;
    };
    let (key, value) = (
        inner.get(..end).unwrap_or(""),
        inner.get(end + 1..).unwrap_or(""),
    );
    // the keys at the level of the first one, and the first ones below it
    let mut beside = Vec::new();
    let mut below = Vec::new();
    for next in rest.iter().filter(|line| !line.is_blank()).take(AHEAD) {
        let own = next.indent();
        let text = next.text.trim_start();
        let item = without_mark(text);
        if own < column && !(text.starts_with("- ") && own == indent) {
            break;
        }
        let is_beside = own == column && text.len() == item.len();
        let is_wanted = is_beside || (beside.is_empty() && below.len() < MAX_BELOW);
        if !is_wanted {
            continue;
        }
        let name = key_length(item).and_then(|end| item.get(..end));
        let Some(name) = name else { continue };
        if is_beside {
            if below.is_empty() && value.trim().is_empty() {
                break;
            }
            beside.push(name);
        } else {
            below.push(name);
        }
    }
    match key {
        "apiVersion" => {
            is_version(value.trim())
                && !beside.first().is_some_and(|key| FOREIGN_KEYS.contains(key))
        }
        _ if is_time(key) => beside.contains(&"type") && beside.contains(&"status"),
        _ if inner.len() < bare.len() && CONDITION_WORDS.contains(&key) => {
            beside.push(key);
            let has = |key: &str| beside.contains(&key);
            has("type") && has("status") && (has("reason") || has("message"))
        }
        _ if FIRST_KEYS.contains(&key) => {
            beside.contains(&"apiVersion") || {
                // the value of the first key may be long
                !value.trim().is_empty() && beside.first() == Some(&"apiVersion")
            }
        }
        _ => {
            value.trim().is_empty()
                && known_part(key).is_some_and(|keys| below.iter().any(|key| keys.contains(key)))
        }
    }
}

fn known_part(key: &str) -> Option<&'static [&'static str]> {
    PARTS
        .iter()
        .find(|(part, _)| *part == key)
        .map(|(_, keys)| *keys)
}

/// Returns true if a key names a time of a condition.
fn is_time(key: &str) -> bool {
    key.starts_with("last") && CONDITION_TIMES.contains(&key)
}

fn is_identity(key: &str) -> bool {
    key == "apiVersion" || FIRST_KEYS.contains(&key)
}

pub(super) fn is_head_key(key: &str) -> bool {
    is_identity(key) || known_part(key).is_some() || matches!(key, "kind" | "items" | "selfLink")
}

/// Returns true for `v1`, `apps/v1`, `discovery.k8s.io/v1beta1`, quoted or not.
fn is_version(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'']);
    let (group, version) = text.rsplit_once('/').unwrap_or(("", text));
    let group_fits = group
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'));
    let Some(number) = version.strip_prefix('v') else {
        return false;
    };
    group_fits
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Returns the length of the key at the start of a line of YAML, up to its colon, which a space
/// or the line's end follows.
pub(crate) fn key_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = match bytes.first()? {
        quote @ (b'"' | b'\'') => 2 + bytes.iter().skip(1).take(256).position(|b| b == quote)?,
        b if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'$') => bytes
            .iter()
            .take(320)
            .position(|b| !(b.is_ascii_alphanumeric() || b"-_./$~".contains(b)))?,
        _ => return None,
    };
    (bytes.get(end) == Some(&b':') && matches!(bytes.get(end + 1), None | Some(b' ' | b'\t')))
        .then_some(end)
}

/// Returns the key of the JSON member at the start of a text.
pub(super) fn json_key(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('"')?;
    let end = rest.as_bytes().iter().take(256).position(|b| *b == b'"')?;
    let (key, following) = (rest.get(..end)?, rest.get(end + 1..)?);
    following.trim_start().starts_with(':').then_some(key)
}

pub(super) fn without_mark(text: &str) -> &str {
    match text.strip_prefix("- ") {
        Some(rest) => rest.trim_start(),
        None => text,
    }
}

fn is_opening(text: &str) -> bool {
    matches!(text.trim(), "{" | "[" | "{ [")
}

/// Returns true if a line is a JSON object, or the start of one, whose first key is typical of Kubernetes objects.
pub fn is_compact(text: &str) -> bool {
    let Some(inner) = text.strip_prefix(['{', '[']) else {
        return false;
    };
    let inner = inner.trim_start_matches(['{', ' ']);
    json_key(inner).is_some_and(|key| match key {
        "apiVersion" => true,
        "kind" | "metadata" | "items" | "spec" | "status" | "type" | "object" => {
            let bytes = text.as_bytes();
            let has = |word: &[u8]| memmem::find(bytes, word).is_some();
            // Go's client omits the kind of a list's items, and so do collectors that write only the items
            let is_item = text.starts_with("[{") && key == "metadata";
            (has(b"\"apiVersion\"") && has(b"\"kind\""))
                || (is_item && has(b"\"creationTimestamp\""))
        }
        _ if FIRST_KEYS.contains(&key) => {
            memmem::find(text.as_bytes(), b"\"apiVersion\"").is_some()
        }
        _ => text.starts_with("[{") && STATUS_KEYS.contains(&key) && is_of_statuses(text),
    })
}

/// Returns true if a JSON list has the combination of keys of a pod's container statuses, as printed by
/// `-o jsonpath={.status.containerStatuses}`.
fn is_of_statuses(text: &str) -> bool {
    ["\"restartCount\":", "\"lastState\":", "\"state\":"]
        .iter()
        .all(|key| memmem::find(text.as_bytes(), key.as_bytes()).is_some())
}

/// Returns true for a line that replaces omitted lines.
pub(super) fn is_ellipsis(text: &str) -> bool {
    // cheap check: almost no line passes it
    let text = text.trim_ascii_start().trim_start();
    if !text.starts_with(['.', '…', '[', ']']) {
        return false;
    }
    let text = text.trim_end();
    text.contains(['.', '…'])
        && text
            .chars()
            .all(|c| matches!(c, '.' | '…' | '[' | ']' | ' '))
}

/// Returns true if a line starts an item of a list of objects, or the next of several objects, as printed by kubectl
/// and similar tools: a stream may be split there. `before` is the previous line, `after` the following bytes.
pub fn begins_item<'b>(
    line: &[u8],
    before: impl Fn() -> &'b [u8],
    after: impl Fn() -> &'b [u8],
) -> bool {
    const ITEMS: &[&[u8]] = &[
        b"- apiVersion: ",
        b"- action: ",
        b"- addressType: ",
        b"- aggregationRule:",
        b"- allowVolumeExpansion: ",
    ];
    const MEMBERS: &[&[u8]] = &[
        b"\"apiVersion\"",
        b"\"action\"",
        b"\"addressType\"",
        b"\"aggregationRule\"",
        b"\"allowVolumeExpansion\"",
        b"\"metadata\": {",
        b"\"kind\": ",
    ];
    let member = |indent: &[u8]| {
        let key = after().strip_prefix(indent);
        key.is_some_and(|key| {
            MEMBERS.iter().any(|start| key.starts_with(start)) || is_internal_item(key, indent)
        })
    };
    match line.first() {
        Some(b'-') => {
            ITEMS.iter().any(|start| line.starts_with(start)) && after().starts_with(b"  ")
        }
        Some(b'a') => line.starts_with(b"apiVersion: ") && before().starts_with(b"---"),
        Some(b' ') if matches!(line, b"        {" | b"        {\r") => member(b"            "),
        // troubleshoot.sh and most Go programs indent by two spaces, kubectl by four
        Some(b' ') if matches!(line, b"    {" | b"    {\r") => member(b"      "),
        Some(b'{') if matches!(line, b"{" | b"{\r") => before().starts_with(b"}"),
        Some(b'{') => is_compact_head(line),
        _ => false,
    }
}

/// Returns true if the members of an item belong to an object in internal form; `indent` precedes each.
fn is_internal_item(members: &[u8], indent: &[u8]) -> bool {
    let mut lines = members.split(|byte| *byte == b'\n');
    let is_named = lines
        .next()
        .is_some_and(|line| line.starts_with(b"\"name\": \""));
    is_named
        && lines.take(3).any(|line| {
            let key = line.strip_prefix(indent);
            key.is_some_and(|key| key.starts_with(b"\"selfLink\": \""))
        })
}

/// Returns true if a line's first bytes may start a JSON object of Kubernetes rather than a log record.
pub fn is_compact_head(line: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"{\"apiVersion\":",
        b"{\"kind\":",
        b"{\"metadata\":",
        b"{\"action\":",
        b"{\"addressType\":",
        b"{\"items\":",
        b"{\"type\":\"",
        b"{\"object\":",
        b"{\"spec\":",
        b"{\"status\":",
        b"{\"aggregationRule\":",
        b"{\"allowVolumeExpansion\":",
    ];
    // the third byte rules out most records
    let third = line.get(2);
    STARTS
        .iter()
        .any(|start| start.get(2) == third && line.starts_with(start))
}
