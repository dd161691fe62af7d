//! Finds the names of a fault in the lines of its consequences.

use super::group::Group;
use kwhy_catalogue::Catalogue;
use kwhy_signature::Signature;

/// The maximum number of lines of a group that are searched.
const MAX_LINES: usize = 8;

/// The minimum length of a name that is searched for.
const MIN_NAME: usize = 4;

/// The names that identify a group's fault: the object at fault and the captures that distinguish
/// it. Everyday words are omitted.
pub(super) fn names(catalogue: &Catalogue, group: &Group) -> Vec<String> {
    let signature: &Signature = catalogue.at(group.signature);
    let object = group.subject.name.as_deref();
    let object = object.filter(|_| signature.subject.is_some());
    let deciding = signature.fold.iter().flatten().filter_map(|name| {
        let mut captures = group.best.captures.iter();
        let (_, value) = captures.find(|(known, _)| known == name)?;
        Some(value.as_str())
    });
    let all = object.into_iter().chain(deciding);
    all.filter(|name| is_distinctive(name))
        .map(str::to_owned)
        .collect()
}

/// Returns the name that occurs in the lines of a group, if any does.
pub(super) fn mentioned<'n>(names: &'n [String], group: &Group) -> Option<&'n str> {
    let lines = || {
        group
            .hits
            .iter()
            .take(MAX_LINES)
            .map(|hit| hit.place.text.as_str())
    };
    let mut names = names.iter().map(String::as_str);
    names.find(|name| lines().any(|line| contains_name(line, name)))
}

/// Returns true if a name is not an ordinary word: it contains punctuation, a digit or an inner
/// capital.
fn is_distinctive(name: &str) -> bool {
    let inside = name.bytes().skip(1);
    let mut signs =
        inside.filter(|b| b"-./_:".contains(b) || b.is_ascii_digit() || b.is_ascii_uppercase());
    let is_number = name
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.' && !name.contains(".."));
    let is_address = name.parse::<std::net::IpAddr>().is_ok();
    name.len() >= MIN_NAME
        && !name.contains(char::is_whitespace)
        && signs.next().is_some()
        && (!is_number || is_address)
}

/// Returns true if a text contains a name as a whole word.
fn contains_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let mut after = text.get(at + name.len()..).unwrap_or_default().chars();
        // a trailing dot ends the sentence
        let continues = match after.next() {
            Some('.') => after.next().is_some_and(is_part),
            next => next.is_some_and(is_part),
        };
        !before.is_some_and(|c| is_part(c) || c == '.') && !continues
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_that_tell() {
        assert!(contains_name(
            "could not find a.io/ServiceMonitor for",
            "ServiceMonitor"
        ));
        assert!(!contains_name("no ServiceMonitors", "ServiceMonitor"));
        assert!(!contains_name("web-data-0", "data-0"));
        assert!(!contains_name("custom.metrics.k8s.io/v1", "metrics.k8s.io"));
        assert!(contains_name("asked metrics.k8s.io.", "metrics.k8s.io"));
        for name in ["ServiceMonitor", "data-0", "10.0.9.5", "tides.example"] {
            assert!(is_distinctive(name), "{name}");
        }
        for name in ["Service", "data", "443", "1.5", "a-b", "no such-thing"] {
            assert!(!is_distinctive(name), "{name}");
        }
    }
}
