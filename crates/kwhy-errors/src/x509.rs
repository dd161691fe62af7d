//! Certificates rejected by Go's `crypto/x509` and `crypto/tls`.

use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

const REASONS: &[(&str, &str)] = &[
    ("signed by unknown authority", "unknown-authority"),
    ("not trusted", "unknown-authority"),
    ("legacy Common Name", "legacy-common-name"),
    ("has expired or is not yet valid", "expired"),
    ("certificate is valid for", "wrong-name"),
    ("not valid for any names", "wrong-name"),
    ("doesn't contain any IP SANs", "wrong-name"),
    ("doesn't contain any SANs", "wrong-name"),
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    let at = first.as_str().find("x509: ");
    if at.is_none() && !first.as_str().ends_with("tls: bad certificate") {
        return None;
    }
    let own = first.from(at.unwrap_or(0));
    let times = cursor
        .part(1)
        .filter(|part| part.as_str().starts_with("current time"));
    let reason = REASONS
        .iter()
        .find_map(|(words, reason)| Some((own.find_words(words)?, *reason)));
    let fact = match reason {
        Some((place, "expired")) => {
            let early = times.is_some_and(|times| times.as_str().contains(" is before "));
            place.says(Fact::X509, if early { "not-yet-valid" } else { "expired" })
        }
        Some((place, reason)) => place.says(Fact::X509, reason),
        None => own.says(Fact::X509, "other"),
    };
    let mut facts = vec![fact];
    facts.extend(host(own).map(|host| host.fact(Fact::Host)));
    let take = 1 + usize::from(times.is_some());
    let found = Found::new(LinkKind::X509, facts).at(at.unwrap_or(0));
    Some(found.taking(take).opaque())
}

/// Returns the name that was requested.
fn host<'c, 'a>(own: Part<'c, 'a>) -> Option<Part<'c, 'a>> {
    let after = [
        ", not ",
        "wanted to match ",
        "cannot validate certificate for ",
    ]
    .iter()
    .find_map(|words| own.split_once(words))?;
    let host = after.1.words().next()?.trim_matches(&['"', ',', '.']);
    (!host.is_empty()).then_some(host)
}
