//! stern 1.30: `[namespace ]pod container [time ]text`, its `+ pod › container` markers, and its
//! JSON output (`--output json` and `extjson`).
//!
//! Only names precede the text, so a line is accepted only if a record, or a line of a multi-line
//! object, follows them; other lines of the same container are recognised by
//! [`Sources`](super::Sources).

use super::super::formats;
use super::super::json_members::Members;
use super::super::timestamp::{leading_date_time, leading_short_time};
use super::{Inner, Layer, LineEnd, Names, compose, is_dns_name, is_string, plain_layer, word};
use kwhy_model::Stamp;

/// Parses `[namespace ]pod container [time ]text`.
pub(super) fn layer(text: &str) -> Option<Layer> {
    let first = word(text).filter(|word| is_dns_name(word))?;
    let second_at = first.len() + 1;
    let second = word(text.get(second_at..)?).filter(|word| is_dns_name(word))?;
    let after = second_at + second.len() + 1;
    let two = Names {
        pod: Some(0..first.len()),
        container: Some(second_at..second_at + second.len()),
        ..Names::default()
    };
    if let Some(found) = payload(text, after, two) {
        return is_generated(first).then_some(found);
    }
    let third = word(text.get(after..)?).filter(|word| is_dns_name(word))?;
    let three = Names {
        namespace: Some(0..first.len()),
        pod: Some(second_at..second_at + second.len()),
        container: Some(after..after + third.len()),
        ..Names::default()
    };
    payload(text, after + third.len() + 1, three).filter(|_| is_generated(second))
}

/// Names of a workload's pods contain a `-`; words of a sentence rarely do.
fn is_generated(pod: &str) -> bool {
    pod.contains('-')
}

/// Returns the payload at an offset, if it is a record or a time precedes it.
fn payload(text: &str, at: usize, names: Names) -> Option<Layer> {
    let rest = text.get(at..)?;
    let is_short = leading_short_time(rest).is_some();
    let is_record = match rest.as_bytes().first()? {
        // the text may be another format whose time follows its own name
        _ if is_short => false,
        // words of a sentence, unless a level follows
        b'a'..=b'z' if !rest.starts_with("time=") && !rest.starts_with("level=") => {
            compose::layer(rest).is_some() || formats::has_level_prefix(rest)
        }
        b'{' if rest == "{" => is_numbered(text.get(names.pod.clone()?)?),
        b' ' => is_spread_member(rest),
        _ => formats::find(rest).is_some() || plain_layer(rest).is_some(),
    };
    let source = Some(at);
    if is_record {
        return Some(Layer {
            source,
            ..Layer::new(None, names, Inner::From(at))
        });
    }
    let (time, length) = stamp(rest)?;
    let start = (at + length + 1).min(text.len());
    Some(Layer {
        source,
        ..Layer::new(Some(time), names, Inner::From(start))
    })
}

/// Returns true if the pod name ends as a controller generates it: in a number, or in five
/// characters of the alphabet from which no words can be formed.
fn is_numbered(pod: &str) -> bool {
    let end = pod.rsplit('-').next().unwrap_or(pod).as_bytes();
    let is_safe = |byte: &u8| b"bcdfghjklmnpqrstvwxz2456789".contains(byte);
    !end.is_empty()
        && (end.iter().all(u8::is_ascii_digit) || (end.len() == 5 && end.iter().all(is_safe)))
}

/// Returns true for a member of a multi-line object: `  "key": value`.
fn is_spread_member(text: &str) -> bool {
    let key = text.strip_prefix("  \"").map(|rest| rest.split_once('"'));
    key.flatten()
        .is_some_and(|(key, rest)| !key.is_empty() && rest.starts_with(": "))
}

/// Parses stern's own time: full with nine digits, or short.
pub(super) fn stamp(text: &str) -> Option<(Stamp, usize)> {
    let full = leading_date_time(text)
        .filter(|(time, _)| time.digits == 9 && time.zone_stated)
        .filter(|_| text.as_bytes().get(10) == Some(&b'T'));
    let (time, length) = full.or_else(|| leading_short_time(text))?;
    matches!(text.as_bytes().get(length), None | Some(b' ')).then_some((time, length))
}

/// Parses `+ pod › container`: stern starts or stops following the container.
pub(super) fn marker(text: &str) -> Option<Layer> {
    let rest = text.get(2..).filter(|_| text.get(1..2) == Some(" "))?;
    let (pod, container) = rest.split_once(" › ")?;
    let (namespace, pod) = match pod.split_once(' ') {
        Some((namespace, pod)) => (Some(namespace), pod),
        None => (None, pod),
    };
    if !is_dns_name(pod) || !is_dns_name(container) || !namespace.is_none_or(is_dns_name) {
        return None;
    }
    let before = 2 + namespace.map_or(0, |name| name.len() + 1);
    let names = Names {
        namespace: namespace.map(|name| 2..2 + name.len()),
        pod: Some(before..before + pod.len()),
        container: Some(text.len() - container.len()..text.len()),
        ..Names::default()
    };
    Some(Layer::new(None, names, Inner::From(2)))
}

/// Parses `{"message":"..","nodeName":"..","namespace":"..","podName":"..","containerName":".."}`,
/// or `extjson`'s `{"pod":"..","container":"..","message":..}`.
pub(super) fn json(text: &str) -> Option<Layer> {
    let is_long = text.starts_with("{\"message\":\"");
    let is_short = text.starts_with("{\"pod\":") || text.starts_with("{\"pod\": ");
    if !is_long && !is_short {
        return None;
    }
    let mut names = Names::default();
    let mut message = None;
    for member in Members::new(text, 0) {
        let is_text = is_string(member.kind);
        match text.get(member.key.clone())? {
            "message" => message = Some((member.value, is_text)),
            "podName" | "pod" if is_text => names.pod = Some(member.value),
            "containerName" | "container" if is_text => names.container = Some(member.value),
            "namespace" if is_text => names.namespace = Some(member.value),
            "nodeName" if is_text => names.node = Some(member.value),
            // stern writes no other members
            "labels" | "annotations" => {}
            _ => return None,
        }
    }
    let (message, is_text) = message?;
    if names.pod.is_none() || names.container.is_none() {
        return None;
    }
    let inner = if is_text {
        Inner::Json(message, LineEnd::None)
    } else {
        Inner::Within(message)
    };
    Some(Layer::new(None, names, inner))
}
