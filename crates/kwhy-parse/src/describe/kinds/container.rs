//! Containers of a pod or pod template.

use super::layout::{Block, Content, Node, Tree, field, is_absent, part, trimmed};
use super::values::{
    add_fields, boolean, decoded, entries, integer, number, ports, put, quantities, raw_lines,
    scalar, text, text_of, time, trim_end,
};
use crate::input::Line;
use kwhy_model::{Map, Text, Value};

/// The lines of `State` and `Last State`.
static STATE: Block = Block {
    repeats: false,
    fields: &[
        field("Reason", "reason", Content::Value, text),
        field("Message", "message", Content::Text, text),
        field("Exit Code", "exit_code", Content::Value, integer),
        field("Signal", "signal", Content::Value, integer),
        field("Started", "started_time", Content::Value, time),
        field("Finished", "finished_time", Content::Value, time),
    ],
};

/// The lines of one container.
pub(super) static CONTAINER: Block = Block {
    repeats: false,
    fields: &[
        field("Container ID", "container_id", Content::Value, text),
        field("Image", "image", Content::Value, text),
        field("Image ID", "image_id", Content::Value, text),
        field("Port", "ports", Content::Value, ports),
        field("Ports", "ports", Content::Value, ports),
        field("Host Port", "host_ports", Content::Value, ports),
        field("Host Ports", "host_ports", Content::Value, ports),
        field("SeccompProfile", "seccomp_profile", Content::Value, text),
        field(
            "LocalhostProfile",
            "localhost_profile",
            Content::Value,
            text,
        ),
        field("Command", "command", Content::Lines, raw_lines),
        field("Args", "args", Content::Lines, raw_lines),
        field("State", "state", Content::Fields(&STATE), state),
        field("Last State", "last_state", Content::Fields(&STATE), state),
        field(
            "Last Termination State",
            "last_state",
            Content::Fields(&STATE),
            state,
        ),
        field("Ready", "ready", Content::Value, boolean),
        field("Restart Count", "restart_count", Content::Value, integer),
        field("Limits", "limits", Content::Entries, quantities),
        field("Requests", "requests", Content::Entries, quantities),
        field("Liveness", "liveness", Content::Value, probe),
        field("Readiness", "readiness", Content::Value, probe),
        field("Startup", "startup", Content::Value, probe),
        field(
            "Environment Variables from",
            "env_from",
            Content::Lines,
            env_from,
        ),
        field("Environment", "env", Content::Entries, env),
        field("Environment Variables", "env", Content::Entries, env),
        field("Mounts", "mounts", Content::Rows(is_mount), mounts),
        field("Volume Mounts", "mounts", Content::Rows(is_mount), mounts),
        field("Devices", "devices", Content::Rows(is_mount), mounts),
    ],
};

/// Parses containers, each with its name.
pub(super) fn containers<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = tree
        .children(node)
        .map(|container| {
            let mut map = Map::new();
            put(&mut map, "name", scalar(container.key));
            add_fields(&mut map, tree, container);
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn state<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut map = Map::new();
    if !node.value.text.is_empty() && !is_absent(node.value.text) {
        let kind = node.value.text.to_ascii_lowercase();
        map.insert("type", decoded(&kind, node.value));
    }
    add_fields(&mut map, tree, node);
    (!map.is_empty()).then_some(Value::Map(map))
}

/// Parses `http-get http://:80/ delay=0s timeout=1s period=10s #success=1 #failure=3`; after 1.36
/// the last two are `successThreshold=1 failureThreshold=3`.
fn probe<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let line = node.value;
    scalar(line)?;
    let mut map = Map::new();
    let kind = line.text.find(' ').unwrap_or(line.text.len());
    map.insert("type", Value::Text(text_of(part(line, 0, kind))));
    let settings = line.text.rfind(" delay=").unwrap_or(line.text.len());
    put(
        &mut map,
        "target",
        scalar(trimmed(part(line, kind, settings))),
    );
    for word in super::values::words(part(line, settings, line.text.len())) {
        let Some(at) = word.text.find('=') else {
            continue;
        };
        let name = match word.text.get(..at).unwrap_or("").trim_start_matches('#') {
            "delay" => "delay_s",
            "timeout" => "timeout_s",
            "period" => "period_s",
            "success" | "successThreshold" => "success",
            "failure" | "failureThreshold" => "failure",
            _ => continue,
        };
        let to = word.text.strip_suffix('s').unwrap_or(word.text).len();
        put(&mut map, name, number(part(word, at + 1, to)));
    }
    Some(Value::Map(map))
}

/// Parses `NAME:  value`; the source of the value is in angle brackets after it or in its place.
fn env<'a>(tree: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = tree
        .children(node)
        .map(|child| {
            let mut map = Map::new();
            map.insert("name", Value::Text(text_of(child.key)));
            let (value, source) = env_value(child);
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                map.insert("value", Value::Text(value));
            }
            put(&mut map, "source", source.map(Value::Map));
            Value::Map(map)
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn env_value<'a>(node: &Node<'a>) -> (Option<Text<'a>>, Option<Map<'a>>) {
    let line = node.value;
    if !node.lines.is_empty() {
        let column = if line.text.is_empty() {
            node.lines.iter().map(Line::indent).min().unwrap_or(0)
        } else {
            node.column
        };
        let further = node.lines.iter().map(|line| {
            let spaces = line.indent().min(column);
            trim_end(part(*line, spaces, line.text.len()))
        });
        return (
            super::values::joined(std::iter::once(line).chain(further)),
            None,
        );
    }
    if let Some(source) = key_reference(line) {
        return (None, Some(source));
    }
    let Some(open) = line.text.rfind('(').filter(|_| line.text.ends_with(')')) else {
        return (Some(text_of(line)), None);
    };
    let inner = part(line, open + 1, line.text.len() - 1);
    let (kind, path) = if let Some(colon) = inner.text.find(':').filter(|at| {
        inner
            .text
            .get(..*at)
            .is_some_and(|version| version.starts_with('v') && version.len() <= 8)
    }) {
        ("field", part(inner, colon + 1, inner.text.len()))
    } else if inner.text.starts_with("limits.") || inner.text.starts_with("requests.") {
        ("resource", inner)
    } else {
        return (Some(text_of(line)), None);
    };
    let mut source = Map::new();
    source.insert("type", decoded(kind, inner));
    source.insert("path", Value::Text(text_of(path)));
    let value = trimmed(part(line, 0, open));
    (Some(text_of(value)), Some(source))
}

/// Parses `<set to the key 'K' in secret 'S'>  Optional: false`, `... of config map 'C'>`.
fn key_reference<'a>(line: Line<'a>) -> Option<Map<'a>> {
    let rest = line.text.strip_prefix("<set to the key '")?;
    let mut at = line.text.len() - rest.len();
    let key = part(line, at, at + rest.find('\'')?);
    at += key.text.len();
    let rest = line.text.get(at..)?;
    let (kind, prefix) = if rest.starts_with("' in secret '") {
        ("secret", "' in secret '")
    } else if rest.starts_with("' of config map '") {
        ("config_map", "' of config map '")
    } else {
        return None;
    };
    at += prefix.len();
    let name = part(line, at, at + line.text.get(at..)?.find('\'')?);
    let mut source = Map::new();
    source.insert("type", decoded(kind, part(line, at - prefix.len(), at)));
    source.insert("name", Value::Text(text_of(name)));
    source.insert("key", Value::Text(text_of(key)));
    put(&mut source, "optional", optional(line));
    Some(source)
}

fn optional<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let at = line.text.rfind("Optional:")? + "Optional:".len();
    super::values::flag(trimmed(part(line, at, line.text.len())))
}

/// Parses `NAME  ConfigMap|Secret [with prefix 'P']  Optional: false`.
fn env_from<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .filter_map(|line| {
            let mut words = super::values::words(line);
            let mut map = Map::new();
            map.insert("name", Value::Text(text_of(words.next()?)));
            map.insert("type", Value::Text(text_of(words.next()?)));
            let prefix = "with prefix '";
            if let Some(at) = line.text.find(prefix) {
                let from = at + prefix.len();
                let length = line.text.get(from..)?.find('\'')?;
                put(&mut map, "prefix", scalar(part(line, from, from + length)));
            }
            put(&mut map, "optional", optional(line));
            Some(Value::Map(map))
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn is_mount(line: &str) -> bool {
    line.trim_start()
        .starts_with(['/', '\\', '$', '.', 'C', 'c'])
        && line.contains(" from ")
}

/// Parses `PATH from VOLUME (ro,path="SUB")`; a device has nothing after its volume.
fn mounts<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .filter_map(|line| {
            let at = line.text.rfind(" from ")?;
            let mut map = Map::new();
            map.insert("path", Value::Text(text_of(trimmed(part(line, 0, at)))));
            let rest = trimmed(part(line, at + " from ".len(), line.text.len()));
            let space = rest.text.find(' ').unwrap_or(rest.text.len());
            map.insert("volume", Value::Text(text_of(part(rest, 0, space))));
            let how = trimmed(part(rest, space, rest.text.len()));
            if let Some(inner) = how.text.strip_prefix('(') {
                let mode = inner.find([',', ')']).unwrap_or(inner.len());
                let mode = part(how, 1, 1 + mode);
                map.insert("read_only", Value::Boolean(mode.text == "ro", mode.span()));
                if let Some(from) = how.text.find("path=\"") {
                    let from = from + "path=\"".len();
                    let to = how.text.rfind('"').unwrap_or(from).max(from);
                    put(&mut map, "sub_path", scalar(part(how, from, to)));
                }
            }
            Some(Value::Map(map))
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}
