//! The captured values that distinguish faults: two images that cannot be pulled are two faults,
//! even without a known object.

use std::net::IpAddr;

use super::render;
use crate::matcher::Match;
pub use kwhy_model::{Quantity, Subject, nanoseconds};
use kwhy_signature::{GIVEN, Signature};

/// The maximum length of a value that is a name.
const MAX_NAME: usize = 512;

/// The minimum number of hexadecimal digits of a UID or container id.
const MIN_ID: usize = 12;

/// The values that distinguish a match from others of its signature about the same object, sorted
/// by name: those that `fold` lists, otherwise those in the title that are names.
pub(crate) fn distinct(signature: &Signature, found: &Match) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> = match &signature.fold {
        Some(deciding) => {
            let about = render::about(found);
            let value = |name: &String| render::value(found, &about, 1, name);
            let known = deciding.iter();
            known
                .filter_map(|name| Some((name.clone(), value(name)?)))
                .collect()
        }
        None => {
            let subject = render::subject(signature, found);
            let shown = |name: &str| signature.title.slots().any(|slot| slot == name);
            let captured = found.captures.iter().filter(|(name, value)| {
                !GIVEN.contains(&name.as_str())
                    && shown(name)
                    && is_name(value)
                    && !names(&subject, value)
            });
            captured.cloned().collect()
        }
    };
    values.sort();
    values
}

/// The maximum number of further faults that a title lists.
const MAX_NAMED: usize = 3;

/// The suffix of a title that lists the differing values of further faults of the object.
pub(super) fn further(values: &[(String, String)], variants: &[Vec<(String, String)>]) -> String {
    let mut named: Vec<String> = Vec::new();
    for variant in variants {
        // `CPU` and `cpu` are two spellings
        let is_own = |(name, value): &&(String, String)| {
            let mut own = values.iter().filter(|(known, _)| known == name);
            own.any(|(_, known)| known.eq_ignore_ascii_case(value))
        };
        let differs = variant.iter().filter(|value| !is_own(value));
        let differs: Vec<&str> = differs.map(|(_, value)| value.as_str()).collect();
        let name = differs.join(" ");
        if !name.is_empty() && !named.contains(&name) {
            named.push(name);
        }
    }
    if named.is_empty() {
        return String::new();
    }
    let more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    let named = named.join(", ");
    match more {
        0 => format!("; also {named}"),
        more => format!("; also {named} and {more} more"),
    }
}

/// Returns true if no value that both have differs.
pub(super) fn agree(one: &[(String, String)], other: &[(String, String)]) -> bool {
    let differs = |(name, value): &(String, String)| {
        let theirs = other.iter().find(|(known, _)| known == name);
        theirs.is_some_and(|(_, theirs)| theirs != value)
    };
    !one.iter().any(differs)
}

/// Returns true if a value is an address that differs between replicas.
pub(super) fn is_address(value: &str) -> bool {
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or(rest);
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or(bracketed),
        None => match host.rsplit_once(':') {
            Some((name, _)) if !name.contains(':') => name,
            _ => host,
        },
    };
    host.parse::<IpAddr>().is_ok()
}

/// Returns true if a value is a name, not a number, time, quantity, id or sentence.
fn is_name(value: &str) -> bool {
    let is_amount = Quantity::parse(value).is_some() || nanoseconds(value).is_some();
    let is_time = value.parse::<jiff::Timestamp>().is_ok();
    let is_word = !value.contains(|c: char| c.is_whitespace()) && value.len() <= MAX_NAME;
    let has_letter = value.contains(|c: char| c.is_alphabetic());
    is_word && (has_letter || is_address(value)) && !is_amount && !is_time && !is_id(value)
}

/// Returns true if a value is a UID or container id, which differs each time the same fault occurs.
fn is_id(value: &str) -> bool {
    let digits = value.bytes().filter(|byte| *byte != b'-');
    digits.clone().count() >= MIN_ID && digits.clone().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true if a value contains a name of the object.
pub(super) fn names(subject: &Subject, value: &str) -> bool {
    let parts = [
        &subject.name,
        &subject.namespace,
        &subject.container,
        &subject.node,
    ];
    parts
        .into_iter()
        .flatten()
        .any(|part| value.contains(part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_things() {
        for name in [
            "quay.tides.example/berth/web:1",
            "db.harbour.svc",
            "10.96.0.10:53",
            "https://[fd00::1]:6443/api",
            "web-conf",
            "default",
        ] {
            assert!(is_name(name), "{name}");
        }
        for other in [
            "",
            "17",
            "30Gi",
            "1m30s",
            "0.5",
            "2031-03-04T05:06:07Z",
            "no space left",
            "4f1c9a7e-1b2c-4d5e-8f90-a1b2c3d4e5f6",
            "0123456789abcdef0123",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn addresses_of_replicas() {
        for address in [
            "10.4.1.7",
            "10.4.1.7:8080",
            "http://10.4.1.7:8080/healthz",
            "http://[fd00::7]/",
            "fd00::7",
        ] {
            assert!(is_address(address), "{address}");
        }
        for name in [
            "http://db:5432/",
            "db.harbour.svc:53",
            "quay.example/web:1",
            "",
        ] {
            assert!(!is_address(name), "{name}");
        }
    }

    #[test]
    fn titles_name_what_differs() {
        let values = |image: &str| {
            vec![
                ("host".to_owned(), "quay.example".to_owned()),
                ("image".to_owned(), image.to_owned()),
            ]
        };
        let own = values("web:1");
        assert_eq!(further(&own, &[]), "");
        assert_eq!(further(&own, &[values("web:2")]), "; also web:2");
        assert_eq!(further(&own, &[values("WEB:1")]), "");
        let all: Vec<_> = ["a:1", "b:1", "b:1", "c:1", "d:1", "e:1"]
            .map(values)
            .into();
        assert_eq!(further(&own, &all), "; also a:1, b:1, c:1 and 2 more");
    }

    #[test]
    fn values_that_one_of_both_lacks_agree() {
        let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let one = [value("image", "web:1"), value("registry", "quay.example")];
        assert!(agree(&one, &[value("image", "web:1")]));
        assert!(agree(&one, &[]));
        assert!(!agree(&one, &[value("image", "web:2")]));
    }
}
