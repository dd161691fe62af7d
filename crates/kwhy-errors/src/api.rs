//! Answers of the API server about objects (`apimachinery/pkg/api/errors`, the quota and webhook
//! admission plugins, RBAC), and the kubelet's messages about missing keys.

use super::object;
use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};
use kwhy_model::Text;

/// Phrases anywhere in a segment, with the answer that they indicate.
const PHRASES: &[(&str, &str)] = &[
    ("is forbidden", "forbidden"),
    ("Operation cannot be fulfilled on", "conflict"),
    ("the object has been modified", "conflict"),
    ("Internal error occurred", "internal"),
    ("failed calling webhook", "webhook"),
    ("failed to call webhook", "webhook"),
    ("failed calling admission webhook", "webhook"),
    ("denied the request", "webhook"),
    ("denied request", "policy"),
    ("violates PodSecurity", "policy"),
    ("an error on the server", "server-error"),
    (
        "the server is currently unable to handle the request",
        "server-error",
    ),
    (
        "the server was unable to return a response in the time allotted",
        "server-error",
    ),
    ("the server rejected our request", "server-error"),
    (
        "the server could not find the requested resource",
        "not-found",
    ),
    ("You must be logged in to the server", "unauthorized"),
    (
        "the server has asked for the client to provide credentials",
        "unauthorized",
    ),
    ("non-existent config key", "not-found"),
    ("non-existent secret key", "not-found"),
    ("couldn't find key", "not-found"),
];

const QUOTES: &[char] = &['"', '\''];

/// Phrases at the end of a segment about an object.
const ENDINGS: &[(&str, &str)] = &[
    (" not found", "not-found"),
    (" already exists", "already-exists"),
    (" is invalid", "invalid"),
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    if let Some(found) = exceeded_quota(cursor, first).or_else(|| failed_quota(cursor, first)) {
        return Some(found);
    }
    if let Some(found) = denied_user(first) {
        return Some(found);
    }
    if matches!(first.as_str(), "Unauthorized" | "unauthorized") {
        let facts = vec![first.says(Fact::ApiReason, "unauthorized")];
        return Some(Found::new(LinkKind::Api, facts));
    }
    if let Some((namespace, rest)) = first
        .strip_prefix("object \"")
        .and_then(|rest| rest.split_once("\"/\""))
        && let Some((name, _)) = rest.split_once("\" not registered")
    {
        let facts = vec![
            namespace.fact(Fact::Namespace),
            name.fact(Fact::Name),
            first.says(Fact::ApiReason, "not-registered"),
        ];
        return Some(Found::new(LinkKind::Api, facts));
    }
    let phrase = PHRASES
        .iter()
        .find_map(|(words, reason)| Some((first.find_words(words)?, *reason)));
    if let Some((place, reason)) = phrase {
        return Some(answer(cursor, first, place, reason));
    }
    let value = first.as_str().trim_end_matches(['.', '"', '\'', '\\']);
    let (ending, reason) = ENDINGS.iter().find(|(words, _)| value.ends_with(words))?;
    let before = first.slice(0..value.len() - ending.len());
    let about = named(before).or_else(|| before.as_str().ends_with('"').then(Vec::new))?;
    let place = first.slice(before.as_str().len() + 1..value.len());
    let mut facts = about;
    facts.push(place.says(Fact::ApiReason, reason));
    Some(Found::new(LinkKind::Api, facts))
}

fn answer<'a>(
    cursor: Cursor<'_, 'a>,
    first: Part<'_, 'a>,
    place: Part<'_, 'a>,
    reason: &str,
) -> Found<'a> {
    let before = first.ending(place.range().start).trim_end();
    let after = first.from(place.range().end - first.range().start);
    let mut facts = Vec::new();
    let mut take = 1;
    match place.as_str() {
        "is forbidden" => facts.extend(named(before).into_iter().flatten()),
        "couldn't find key" => {
            let key = after.words().next();
            facts.extend(key.map(|key| key.trim_matches(QUOTES).fact(Fact::Key)));
        }
        "non-existent config key" | "non-existent secret key" => {
            if let Some(key) = cursor.part(1) {
                facts.push(key.trim_matches(QUOTES).fact(Fact::Key));
                take = 2;
            }
        }
        "violates PodSecurity" => take += usize::from(cursor.len() > 1),
        _ if reason == "conflict" => {
            let modified = cursor.part(1).filter(|part| {
                [
                    "the object has been modified",
                    "StorageError",
                    "Precondition failed",
                ]
                .iter()
                .any(|words| part.as_str().starts_with(words))
            });
            take += usize::from(modified.is_some());
        }
        _ => {}
    }
    facts.push(place.says(Fact::ApiReason, reason));
    Found::new(LinkKind::Api, facts).taking(take)
}

/// Returns an object named without quotes before an answer: `pods importer-x`.
fn named<'a>(before: Part<'_, 'a>) -> Option<Vec<(Fact, Text<'a>)>> {
    let mut words = before.words();
    let name = words.next_back()?;
    let kind = words.next_back()?;
    let plain = name
        .as_str()
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    if !plain || name.as_str() == "resource" || !object::is_kind(kind.as_str()) {
        return None;
    }
    let mut facts = Vec::new();
    object::add_object(kind, None, name, &mut facts);
    Some(facts)
}

/// Recognises `exceeded quota: q, requested: cpu=1, used: cpu=4, limited: cpu=4`.
fn exceeded_quota<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let words = first.strip_suffix("exceeded quota")?;
    let at = words.as_str().len();
    let mut facts = vec![first.from(at).says(Fact::ApiReason, "exceeded-quota")];
    let mut take = 1;
    let mut fact = Fact::Quota;
    while let Some(part) = cursor.part(take) {
        take += 1;
        let next = [
            (", requested", Fact::Requested),
            (", used", Fact::Used),
            (", limited", Fact::Limited),
        ]
        .into_iter()
        .find_map(|(words, next)| Some((part.strip_suffix(words)?, next)));
        match next {
            Some((value, next)) if fact != Fact::Limited => {
                facts.push((fact, value.to_text()));
                fact = next;
            }
            _ => {
                facts.push((fact, part.to_text()));
                break;
            }
        }
    }
    Some(Found::new(LinkKind::Api, facts).at(at).taking(take))
}

/// Recognises `failed quota: q: must specify limits.cpu,limits.memory`.
fn failed_quota<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let words = first.strip_suffix("failed quota")?;
    let at = words.as_str().len();
    let mut facts = vec![first.from(at).says(Fact::ApiReason, "failed-quota")];
    let mut take = 1;
    if let Some(quota) = cursor.part(1) {
        facts.push(quota.fact(Fact::Quota));
        take = 2;
    }
    let missing = cursor
        .part(2)
        .and_then(|part| part.strip_prefix("must specify "));
    if let Some(missing) = missing {
        facts.push(
            missing
                .strip_suffix(" for")
                .unwrap_or(missing)
                .fact(Fact::MustSpecify),
        );
        take = 3;
        // since 1.25 each resource lists its containers: `limits.cpu for: a; limits.memory for: a`
        let mut more = missing.as_str().ends_with(" for");
        while more && let Some(part) = cursor.part(take) {
            take += 1;
            let next = part
                .strip_suffix(" for")
                .and_then(|part| part.split_once("; "));
            facts.extend(next.map(|(_, resource)| resource.fact(Fact::MustSpecify)));
            more = next.is_some();
        }
    }
    Some(Found::new(LinkKind::Api, facts).at(at).taking(take))
}

/// Recognises `User "system:serviceaccount:ns:sa" cannot list resource "pods" in API group "" in the
/// namespace "x"`; old versions omit `resource`.
fn denied_user<'a>(first: Part<'_, 'a>) -> Option<Found<'a>> {
    let (lead, rest) = first.split_once("User \"")?;
    let (user, rest) = rest.split_once("\" cannot ")?;
    let mut words = rest.words();
    let mut facts = vec![user.fact(Fact::User)];
    facts.extend(words.next().map(|verb| verb.fact(Fact::Verb)));
    let (fact, resource) = match words.next() {
        Some(word) if word.as_str() == "path" => (Fact::Path, words.next()),
        Some(word) if word.as_str() == "resource" => (Fact::Resource, words.next()),
        resource => (Fact::Resource, resource),
    };
    facts.extend(resource.map(|word| word.trim_matches(&['"', ',']).fact(fact)));
    facts.push(user.says(Fact::ApiReason, "forbidden"));
    let at = lead.as_str().len();
    Some(Found::new(LinkKind::Api, facts).at(at).opaque())
}
