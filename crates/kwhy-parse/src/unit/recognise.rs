//! Recognition of single lines of systemctl's output about units.

use crate::input::Line;

/// Marks before a unit's name, on UTF-8 terminals and others. Some releases print none.
const MARKS: [char; 8] = ['●', '○', '×', '↻', '*', 'x', 'C', '⟳'];

/// Types of units, which are the suffixes of their names.
const TYPES: [&str; 11] = [
    "service",
    "socket",
    "target",
    "device",
    "mount",
    "automount",
    "swap",
    "timer",
    "path",
    "slice",
    "scope",
];

/// Load states of units.
const LOAD_STATES: [&str; 7] = [
    "loaded",
    "not-found",
    "bad-setting",
    "error",
    "merged",
    "masked",
    "stub",
];

/// Active states of units.
const ACTIVE_STATES: [&str; 8] = [
    "active",
    "reloading",
    "inactive",
    "failed",
    "activating",
    "deactivating",
    "maintenance",
    "refreshing",
];

/// Keys of a head other than those of its states.
const KEYS: [&str; 38] = [
    "Accepted",
    "Assert",
    "BPF",
    "CGroup",
    "CPU",
    "Condition",
    "Control",
    "Control PID",
    "Debug",
    "Device",
    "Docs",
    "Drop-In",
    "Error",
    "Exec Error",
    "Extra Images",
    "FD Store",
    "Follow",
    "Follows",
    "IO",
    "IP",
    "Id",
    "Invocation",
    "Listen",
    "Main PID",
    "Mem peak",
    "Memory",
    "Names",
    "Notify Access",
    "Other",
    "Process",
    "Status",
    "Tasks",
    "Trigger",
    "TriggeredBy",
    "Triggers",
    "Until",
    "What",
    "Where",
];

/// The maximum length of a unit's name.
const LONGEST_NAME: usize = 255;

/// Returns true if a word is a unit's name.
pub(super) fn is_unit(word: &str) -> bool {
    let Some((stem, kind)) = word.rsplit_once('.') else {
        return false;
    };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b":-_.\\@".contains(&byte);
    word.len() <= LONGEST_NAME
        && TYPES.contains(&kind)
        && !stem.is_empty()
        && stem.bytes().all(is_letter)
}

pub(super) fn is_load_state(word: &str) -> bool {
    LOAD_STATES.contains(&word)
}

pub(super) fn is_active_state(word: &str) -> bool {
    ACTIVE_STATES.contains(&word)
}

/// Returns the text without the mark before a unit's name, and true if there was one.
fn unmarked(text: &str) -> (&str, bool) {
    let marked = text
        .strip_prefix(MARKS)
        .filter(|rest| rest.starts_with(' '));
    match marked {
        Some(rest) => (rest.trim_start(), true),
        None => (text, false),
    }
}

/// Returns the line without the mark before the unit's name.
pub(super) fn from_name<'a>(line: &Line<'a>) -> Line<'a> {
    let bare = line.trim_start();
    let (rest, _) = unmarked(bare.text);
    bare.skip(bare.text.len() - rest.len())
}

/// Returns true if a line is the first of a head: `● kubelet.service - kubelet: The Kubernetes Node Agent`. Without
/// a mark, a description is required.
pub(crate) fn is_head(text: &str) -> bool {
    let text = text.trim();
    let (rest, marked) = unmarked(text);
    let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_described = after.strip_prefix("- ").is_some_and(|it| !it.is_empty());
    (is_described || (marked && after.is_empty())) && is_unit(name)
}

/// Returns true if a line states a load state or an active state.
pub(super) fn is_state(text: &str) -> bool {
    let text = text.trim_start();
    let state = |key: &str| {
        let value = text.strip_prefix(key)?.trim_start();
        let (word, rest) = value.split_once(' ')?;
        rest.starts_with('(').then_some(word)
    };
    state("Loaded:").is_some_and(is_load_state) || state("Active:").is_some_and(is_active_state)
}

/// Returns true if a line is the header or a row of a table of units.
pub(crate) fn is_list_line(text: &str) -> bool {
    let text = text.trim_start();
    // cheap check that rules out most lines
    if !text.contains(" LOAD") && !LOAD_STATES.iter().any(|word| text.contains(word)) {
        return false;
    }
    is_header(text) || is_row(text)
}

pub(super) fn is_header(text: &str) -> bool {
    let mut words = text.split_whitespace();
    ["UNIT", "LOAD", "ACTIVE", "SUB"]
        .iter()
        .all(|word| words.next() == Some(word))
}

fn is_row(text: &str) -> bool {
    let mut words = unmarked(text).0.split_whitespace();
    words.next().is_some_and(is_unit)
        && words.next().is_some_and(is_load_state)
        && words.next().is_some_and(is_active_state)
        && words.next().is_some()
}

/// Returns true if a non-blank line continues the head or table that starts with `first`.
pub(crate) fn belongs(first: &str, text: &str) -> bool {
    if is_list_line(first) {
        return is_list_line(text);
    }
    if is_head(text) || is_list_line(text) {
        return false;
    }
    let is_key = |key: &str| KEYS.contains(&key) || matches!(key, "Loaded" | "Active");
    let key = text.trim_start().split_once(':').map(|(key, _)| key);
    text.starts_with([' ', '\t', '├', '└', '│', '|', '`']) || key.is_some_and(is_key)
}

/// Returns the host in a shell prompt: `[root@node-1 ~]# systemctl ...`, `op@node-1:~$ sudo systemctl ...`.
pub(crate) fn host_of_prompt(line: &str) -> Option<&str> {
    let (prompt, command) = line.trim_start().split_once(['#', '$'])?;
    let (user, place) = prompt.split_once('@')?;
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"[-_.".contains(&byte);
    let length = place
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte))
        .count();
    let host = place.get(..length)?;
    let is_end = place.get(length..)?.starts_with([':', ' ', ']']);
    (is_end
        && !host.is_empty()
        && user.bytes().all(is_user)
        && command.starts_with(' ')
        && command.contains("systemctl "))
    .then_some(host)
}
