//! The From and Source cell: the component that emitted an event and, up to kubectl 1.19 and in
//! `get events -o wide`, its host.

use crate::table::columns::Cell;

/// Components whose names follow no pattern.
const PLAIN_NAMES: &[&str] = &[
    "kubelet",
    "attachdetach",
    "controllermanager",
    "karpenter",
    "multus",
    "istiod",
];

/// Common suffixes of component names.
const NAME_SUFFIXES: &[&str] = &[
    "-controller",
    "-scheduler",
    "-manager",
    "-provisioner",
    "-autoscaler",
    "-operator",
    "-proxy",
    "-monitor",
    "-binder",
    "-agent",
    "-resizer",
    "-attacher",
    "-snapshotter",
];

/// CSI sidecars, which append the name of their driver after a space.
const SIDECARS: &[&str] = &[
    "external-attacher",
    "external-provisioner",
    "external-resizer",
    "external-snapshotter",
];

/// Splits `kubelet, node-1` and the old `{kubelet node-1}` into component and host.
pub(super) fn split(cell: Cell<'_>) -> (Cell<'_>, Cell<'_>) {
    if let Some(inner) = cell
        .text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    {
        let inner = cell.skip(1).first(inner.trim_start().len());
        return match inner.text.find(' ') {
            Some(blank) => (inner.first(blank), inner.skip(blank)),
            None => (inner, Cell::default()),
        };
    }
    match cell.text.find(", ") {
        Some(comma) => {
            let host = cell.skip(comma + 1);
            // a host is one word; anything else belongs to another column
            let is_word = !host.text.contains(char::is_whitespace);
            let host = if is_word { host } else { Cell::default() };
            (cell.first(comma), host)
        }
        None => (
            cell.first(cell.text.trim_end_matches(',').len()),
            Cell::default(),
        ),
    }
}

/// Returns the length of the source at the start of a text that contains a source and a message, or
/// only a message. After an age, any word written like a component is accepted; otherwise only a
/// known component.
pub(super) fn at_start(text: &str, after_age: bool) -> Option<usize> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let first = text.get(..end)?;
    let name = first.trim_end_matches(',');
    let is_known = is_known(name);
    // a wide gap ends the cell, even if its text contains spaces
    if after_age && let Some(gap) = wide_gap(text) {
        let cell = text.get(..gap)?;
        let (name, _) = cell.split_once(", ").unwrap_or((cell, ""));
        if is_known || (is_name_like(name.split(' ').next()?) && !cell.contains([':', '"'])) {
            return Some(gap);
        }
    }
    let rest = text.get(end..)?.trim_start();
    let is_source =
        is_known || (after_age && is_component_like(name) && !rest.starts_with(['"', ':', '=']));
    if !is_source {
        return None;
    }
    if name.len() == first.len() {
        let driver = rest.split_whitespace().next().unwrap_or("");
        if SIDECARS.contains(&name) && driver.contains('.') && is_component_like(driver) {
            return Some(text.len() - rest.len() + driver.len());
        }
        return Some(end);
    }
    let host = rest.find(char::is_whitespace).unwrap_or(rest.len());
    // without a host the message follows
    match rest.get(..host).is_some_and(is_host_like) {
        true => Some(text.len() - rest.len() + host),
        false => Some(end),
    }
}

/// Returns true for a word that may be a node's name or a placeholder for one (`NODE`); a sentence starts with a
/// capital followed by lower case.
fn is_host_like(word: &str) -> bool {
    let is_lower = |c: char| c.is_ascii_lowercase();
    !word.starts_with(|c: char| c.is_ascii_uppercase()) || !word.contains(is_lower)
}

/// Returns the offset of the first gap of two spaces or a tab. Cells are short, so only the start
/// of the text is searched.
fn wide_gap(text: &str) -> Option<usize> {
    let mut end = text.len().min(300);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end)?;
    let gap = match (head.find("  "), head.find('\t')) {
        (Some(spaces), Some(tab)) => spaces.min(tab),
        (spaces, tab) => spaces.or(tab)?,
    };
    (gap > 0).then_some(gap)
}

fn is_known(name: &str) -> bool {
    PLAIN_NAMES.contains(&name)
        || (is_name_like(name) && NAME_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)))
}

/// Returns true for a lower-case name with an inner hyphen, underscore, dot or slash, like those of
/// drivers and operators (`csi.example.com_node-1_0a1b`).
fn is_component_like(name: &str) -> bool {
    is_name_like(name)
        && name.contains(['-', '_', '.', '/'])
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
}

fn is_name_like(name: &str) -> bool {
    name.len() < 254
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
}
