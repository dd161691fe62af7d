//! Ingresses and their classes.

use super::common::{ANNOTATIONS, LABELS, NAME, NAMESPACE};
use super::layout::{Block, Content, Node, Tree, field, part, trimmed};
use super::table::is_dashes;
use super::values::{block, entries, list, put, scalar, text, text_of, values_of, words};
use super::{Kind, kind};
use crate::input::Line;
use kwhy_model::{Map, Value};

static INGRESS_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        LABELS,
        NAMESPACE,
        field("Address", "addresses", Content::Value, values_of),
        field("Ingress Class", "ingress_class", Content::Value, text),
        field(
            "Default backend",
            "default_backend",
            Content::Value,
            default_backend,
        ),
        field("TLS", "tls", Content::Rows(is_tls), tls),
        field("Rules", "rules", Content::Rows(is_rule), rules),
        ANNOTATIONS,
    ],
};

/// Ingresses.
pub(super) static INGRESS: Kind = kind("Ingress", &INGRESS_BLOCK).finish(default_endpoints);

/// Adds the endpoints that kubectl found for the default backend, or the reason for their absence.
fn default_endpoints<'a>(map: &mut Map<'a>, tree: &Tree<'a>) {
    if let Some(node) = tree.child(tree.root(), "Default backend") {
        put(map, "default_endpoints", endpoints_of(node.value));
    }
}

/// Returns the text in parentheses after a backend.
fn endpoints_of<'a>(line: Line<'a>) -> Option<Value<'a>> {
    let from = line.text.find(" (")? + " (".len();
    let to = line.text.strip_suffix(')').unwrap_or(line.text).len();
    scalar(part(line, from, to))
}

static PARAMETERS: Block = Block {
    repeats: false,
    fields: &[
        field("APIGroup", "api_group", Content::Value, text),
        field("Kind", "kind", Content::Value, text),
        field("Name", "name", Content::Value, text),
    ],
};

static CLASS_BLOCK: Block = Block {
    repeats: false,
    fields: &[
        NAME,
        LABELS,
        ANNOTATIONS,
        field("Controller", "controller", Content::Value, text),
        field(
            "Parameters",
            "parameters_ref",
            Content::Fields(&PARAMETERS),
            block,
        ),
    ],
};

/// IngressClasses.
pub(super) static CLASS: Kind = kind("IngressClass", &CLASS_BLOCK);

/// Returns a backend, without its endpoints.
fn default_backend<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    if node.value.text == "<default>" {
        return None;
    }
    scalar(before_bracket(node.value))
}

fn before_bracket(line: Line<'_>) -> Line<'_> {
    let end = line.text.find(" (").unwrap_or(line.text.len());
    trimmed(part(line, 0, end))
}

const TLS_WORDS: [&str; 2] = [" terminates", " routes"];

fn is_tls(line: &str) -> bool {
    TLS_WORDS.iter().any(|word| line.contains(word))
}

/// Parses `SECRET terminates HOST,HOST`; without a secret, `SNI routes HOST`.
fn tls<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let items: Vec<_> = entries(node)
        .filter_map(|line| {
            let (at, word) = TLS_WORDS
                .iter()
                .find_map(|word| Some((line.text.find(word)?, word)))?;
            let mut map = Map::new();
            if *word == " terminates" {
                put(&mut map, "secret", scalar(part(line, 0, at)));
            }
            let hosts = trimmed(part(line, at + word.len(), line.text.len()));
            put(&mut map, "hosts", list(hosts));
            Some(Value::Map(map))
        })
        .collect();
    (!items.is_empty()).then_some(Value::List(items))
}

/// Returns true for a line of the rules: a host, a path with its backend, or both.
fn is_rule(line: &str) -> bool {
    let text = line.trim();
    is_header(text)
        || is_dashes(text)
        || text.contains("APIGroup: ")
        || text.contains(" (")
        || (!text.is_empty() && !text.contains(char::is_whitespace) && !text.ends_with(':'))
        || text.split_whitespace().last().is_some_and(is_backend)
}

fn is_header(text: &str) -> bool {
    text.split_whitespace().eq(["Host", "Path", "Backends"])
}

fn is_backend(word: &str) -> bool {
    word.split_once(':').is_some_and(|(name, port)| {
        !name.is_empty() && !port.is_empty() && !port.contains([':', '/'])
    })
}

fn rules<'a>(_: &Tree<'a>, node: &Node<'a>) -> Option<Value<'a>> {
    let mut items = Vec::new();
    let mut host: Option<Line<'a>> = None;
    for line in entries(node).filter(|line| !is_header(line.text) && !is_dashes(line.text)) {
        let Some(from) = backend_start(line) else {
            host = Some(line);
            continue;
        };
        let mut before: Vec<_> = words(part(line, 0, from)).collect();
        // a path starts with a slash, unless the controller accepts anything
        let path = before.pop();
        if let Some(first) = before.first() {
            host = Some(*first);
        }
        // without any rule, kubectl prints the default backend as one
        if path.is_some_and(|path| path.text == "*") && !before.is_empty() {
            continue;
        }
        let mut map = Map::new();
        if let Some(host) = host {
            map.insert("host", Value::Text(text_of(host)));
        }
        put(&mut map, "path", path.and_then(scalar));
        let backend = part(line, from, line.text.len());
        put(&mut map, "backend", scalar(before_bracket(backend)));
        put(&mut map, "endpoints", endpoints_of(backend));
        items.push(Value::Map(map));
    }
    (!items.is_empty()).then_some(Value::List(items))
}

/// Returns the offset of a path's backend; `None` if the line contains only a host.
fn backend_start(line: Line<'_>) -> Option<usize> {
    if let Some(at) = line.text.find("APIGroup: ") {
        return Some(at);
    }
    let end = line.text.find(" (").unwrap_or(line.text.len());
    let word = words(part(line, 0, end)).last()?;
    is_backend(word.text).then_some(word.start - line.start)
}
