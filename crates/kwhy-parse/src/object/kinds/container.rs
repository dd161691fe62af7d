//! Containers, combined with their entries in the pod's status.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::read::{self, Field, decoded, field, integer, labels, lines, same, time};
use kwhy_model::{Map, Value};

const CONTAINER: &[Field] = &[
    field("name", "name", same),
    field("image", "image", same),
    field("image_pull_policy", "imagePullPolicy", same),
    field("ports", "ports", ports),
    field("port_names", "ports", port_names),
    field("host_ports", "ports", host_ports),
    field("command", "command", lines),
    field("args", "args", lines),
    field("working_dir", "workingDir", same),
    field("restart_policy", "restartPolicy", same),
    field("limits", "resources.limits", labels),
    field("requests", "resources.requests", labels),
    field("liveness", "livenessProbe", probe),
    field("readiness", "readinessProbe", probe),
    field("startup", "startupProbe", probe),
    field("env_from", "envFrom", env_from),
    field("env", "env", env),
    field("mounts", "volumeMounts", mounts),
    field("devices", "volumeDevices", devices),
    field(
        "seccomp_profile",
        "securityContext.seccompProfile.type",
        same,
    ),
    field("security_context", "securityContext", super::generic::value),
];

const STATUS: &[Field] = &[
    field("name", "name", same),
    field("image", "image", same),
    field("container_id", "containerID", same),
    field("image_id", "imageID", same),
    field("state", "state", state),
    field("last_state", "lastState", state),
    field("ready", "ready", same),
    field("started", "started", same),
    field("restart_count", "restartCount", integer),
];

/// Returns the containers of a specification, each with the status of the same name. A status without a
/// specification yields a container of its own.
pub(super) fn containers<'a>(
    specs: Option<&Value<'a>>,
    statuses: Option<&Value<'a>>,
) -> Option<Value<'a>> {
    let specs = specs.map_or(&[][..], Value::items);
    let statuses = statuses.map_or(&[][..], Value::items);
    let by_name: HashMap<_, _> = statuses
        .iter()
        .filter_map(|status| Some((name(status)?, status)))
        .collect();
    let mut seen = HashSet::new();
    let mut items = Vec::with_capacity(specs.len());
    for spec in specs {
        let Some(Value::Map(mut container)) = read::map(spec, CONTAINER) else {
            continue;
        };
        if let Some(name) = name(spec) {
            if let Some(Value::Map(status)) = by_name.get(&name) {
                add_status(&mut container, status);
            }
            seen.insert(name);
        }
        items.push(Value::Map(container));
    }
    for status in statuses {
        if let Value::Map(map) = status
            && name(status).is_none_or(|name| !seen.contains(&name))
        {
            let mut container = Map::new();
            add_status(&mut container, map);
            items.push(Value::Map(container));
        }
    }
    read::list(items.into_iter())
}

fn name<'v>(container: &'v Value<'_>) -> Option<Cow<'v, str>> {
    container.get("name").and_then(Value::to_text)
}

fn add_status<'a>(container: &mut Map<'a>, status: &Map<'a>) {
    let mut fields = Map::new();
    read::add(&mut fields, status, STATUS);
    for (key, value) in fields {
        // the specification's image is the one requested
        if container.get(&key).is_none() || !matches!(&*key, "name" | "image") {
            container.insert(key, value);
        }
    }
}

/// Returns the containers of a pod template.
pub(super) fn of_template<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    containers(Some(value), None)
}

const DETAIL: &[Field] = &[
    field("reason", "reason", same),
    field("message", "message", message),
    field("exit_code", "exitCode", integer),
    field("signal", "signal", integer),
    field("started_time", "startedAt", time),
    field("finished_time", "finishedAt", time),
    field("container_id", "containerID", same),
];

/// Returns a message without trailing white space.
fn message<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    match same(value)? {
        Value::Text(text) => Some(Value::Text(text.slice(0..text.as_str().trim_end().len()))),
        other => Some(other),
    }
}

fn state<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let (kind, detail) = ["running", "waiting", "terminated"]
        .into_iter()
        .find_map(|kind| Some((kind, value.get(kind)?)))?;
    let mut state = Map::new();
    state.insert("type", decoded(kind, read::place(detail, value)));
    if let Some(Value::Map(detail)) = read::map(detail, DETAIL) {
        for (key, value) in detail {
            state.insert(key, value);
        }
    }
    Some(Value::Map(state))
}

/// Returns a port with its protocol: `8080/TCP`.
fn port<'a>(item: &Value<'a>, key: &str, otherwise: Option<&str>) -> Option<Value<'a>> {
    let port = item.get(key);
    let number = match (port.and_then(Value::to_text), otherwise) {
        (Some(number), _) => number.into_owned(),
        (None, Some(number)) => number.to_owned(),
        (None, None) => return None,
    };
    let protocol = item.get("protocol").and_then(Value::to_text);
    let protocol = protocol.as_deref().unwrap_or("TCP");
    let span = port.map_or_else(|| item.span(), Value::span);
    Some(decoded(&format!("{number}/{protocol}"), span))
}

fn ports<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(
        value
            .items()
            .iter()
            .filter_map(|item| port(item, "containerPort", None)),
    )
}

/// Returns the names by which Services and probes may refer to the ports.
fn port_names<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let names = value.items().iter().filter_map(|item| item.get("name"));
    read::list(names.cloned())
}

fn host_ports<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(
        value
            .items()
            .iter()
            .filter_map(|item| port(item, "hostPort", Some("0"))),
    )
}

/// Formats a probe as kubectl prints it: `http-get http://:80/healthz`.
fn probe<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let Value::Map(probe) = value else {
        return None;
    };
    let text = |path: &str| probe.text(path).unwrap_or_default().into_owned();
    let part = |key: &str| {
        probe
            .get(key)
            .filter(|value| matches!(value, Value::Map(_)))
    };
    let (kind, target, place) = if let Some(exec) = part("exec") {
        let command = probe
            .items("exec.command")
            .iter()
            .filter_map(Value::to_text);
        let command: Vec<_> = command.collect();
        ("exec", Some(format!("[{}]", command.join(" "))), exec)
    } else if let Some(get) = part("httpGet") {
        let host = text("httpGet.host");
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host
        };
        let scheme = text("httpGet.scheme").to_lowercase();
        let path = escaped(&text("httpGet.path"));
        let port = text("httpGet.port");
        (
            "http-get",
            Some(format!("{scheme}://{host}:{port}{path}")),
            get,
        )
    } else if let Some(socket) = part("tcpSocket") {
        let (host, port) = (text("tcpSocket.host"), text("tcpSocket.port"));
        ("tcp-socket", Some(format!("{host}:{port}")), socket)
    } else if let Some(grpc) = part("grpc") {
        let (port, service) = (text("grpc.port"), text("grpc.service"));
        (
            "grpc",
            Some(format!("<pod>:{port} {service}").trim_end().to_owned()),
            grpc,
        )
    } else {
        ("unknown", None, value)
    };
    let mut map = Map::new();
    map.insert("type", decoded(kind, read::place(place, value)));
    if let Some(target) = target {
        map.insert("target", decoded(&target, read::place(place, value)));
    }
    for (name, key) in [
        ("delay_s", "initialDelaySeconds"),
        ("timeout_s", "timeoutSeconds"),
        ("period_s", "periodSeconds"),
        ("success", "successThreshold"),
        ("failure", "failureThreshold"),
        (
            "termination_grace_period_s",
            "terminationGracePeriodSeconds",
        ),
    ] {
        match probe.get(key) {
            Some(value) => map.insert(name, value.clone()),
            // kubectl prints a delay of 0 even if it is not set
            None if name == "delay_s" => map.insert(name, Value::Integer(0, value.span())),
            None => {}
        }
    }
    Some(Value::Map(map))
}

/// Escapes a path as Go's `url.URL` does.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || b"/$&+,:;=@-_.~".contains(&b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

fn env<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(value.items().iter().filter_map(|item| {
        let mut map = Map::new();
        map.insert("name", same(item.get("name")?)?);
        if let Some(value) = item.get("value").and_then(read::text) {
            map.insert("value", value);
        }
        if let Some(source) = item.get("valueFrom").and_then(env_source) {
            map.insert("source", source);
        }
        Some(Value::Map(map))
    }))
}

fn env_source<'a>(from: &Value<'a>) -> Option<Value<'a>> {
    const KINDS: &[(&str, &str)] = &[
        ("fieldRef", "field"),
        ("resourceFieldRef", "resource"),
        ("secretKeyRef", "secret"),
        ("configMapKeyRef", "config_map"),
    ];
    let (kind, of) = KINDS
        .iter()
        .find_map(|(key, kind)| Some((*kind, from.get(key)?)))?;
    let mut map = Map::new();
    map.insert("type", decoded(kind, of.span()));
    let path = of.get("fieldPath").or_else(|| of.get("resource"));
    for (name, value) in [
        ("path", path),
        ("name", of.get("name")),
        ("key", of.get("key")),
    ] {
        if let Some(value) = value.and_then(same) {
            map.insert(name, value);
        }
    }
    if matches!(kind, "secret" | "config_map") {
        map.insert("optional", optional(of));
    }
    Some(Value::Map(map))
}

/// Returns the flag that allows the referenced object to be missing; false if it is not set.
pub(super) fn optional<'a>(of: &Value<'a>) -> Value<'a> {
    of.get("optional")
        .cloned()
        .unwrap_or_else(|| Value::Boolean(false, of.span()))
}

fn env_from<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::list(value.items().iter().filter_map(|item| {
        let (kind, of) = [("configMapRef", "ConfigMap"), ("secretRef", "Secret")]
            .iter()
            .find_map(|(key, kind)| Some((*kind, item.get(key)?)))?;
        let mut map = Map::new();
        map.insert("name", same(of.get("name")?)?);
        map.insert("type", decoded(kind, of.span()));
        if let Some(prefix) = item.get("prefix").and_then(same) {
            map.insert("prefix", prefix);
        }
        map.insert("optional", optional(of));
        Some(Value::Map(map))
    }))
}

const DEVICE: &[Field] = &[
    field("path", "devicePath", same),
    field("volume", "name", same),
];

fn devices<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, DEVICE)
}

const MOUNT: &[Field] = &[
    field("path", "mountPath", same),
    field("volume", "name", same),
    field("read_only", "", read_only),
    field("sub_path", "subPath", same),
    field("sub_path_expr", "subPathExpr", same),
    field("propagation", "mountPropagation", same),
];

fn read_only<'a>(mount: &Value<'a>) -> Option<Value<'a>> {
    let said = mount.get("readOnly").cloned();
    Some(said.unwrap_or_else(|| Value::Boolean(false, mount.span())))
}

fn mounts<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    read::each(value, MOUNT)
}
