//! The time and the severity of a record, from its members alone.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::super::header::Shown;
use super::super::json_members::{Member, Members, ValueKind};
use super::super::{level, timestamp};
use super::inside::holds_record;
use super::names::{Keys, MONGODB, Role, ZAP, ZEROLOG, role};
use super::{cloudnative_pg, klog_severity, mongodb, roles};

/// Words that give members other than the first two precedence: the names used by hclog and bunyan,
/// the reason of an event, the start of an object in a string, and a record of PostgreSQL.
static OTHERS: LazyLock<[Finder<'static>; 5]> = LazyLock::new(|| {
    ["\"@", "\"hostname", "reason", "\"{\\", "\"error_severity\""].map(Finder::new)
});

/// Returns the time and the severity of a record that starts with both, whatever its writer.
fn leading_time_and_level(text: &str) -> Option<Shown> {
    let mut members = Members::new(text, 0);
    let (one, two) = (members.next()?, members.next()?);
    let key = |member: &Member| text.get(member.key.clone());
    let (time, level) = match (key(&one)?, key(&two)?) {
        ("level", "ts" | "time") => (two, one),
        ("ts" | "time", "level") => (one, two),
        _ => return None,
    };
    let word = text.get(level.value)?;
    if time.kind == ValueKind::Nested
        || level.kind == ValueKind::Nested
        || word.contains('\\')
        || OTHERS
            .iter()
            .any(|word| word.find(text.as_bytes()).is_some())
    {
        return None;
    }
    // without a value, another member may have this role
    Some(Shown::Record {
        time: Some(timestamp::parse(text.get(time.value)?)?),
        severity: Some(level::severity(word)?),
        whole: true,
    })
}

/// The maximum number of candidate members for the time or the level.
const CANDIDATES: usize = 6;

/// Extracts only the time and the severity.
pub(super) fn time_and_severity(text: &str) -> Shown {
    if let Some(shown) = leading_time_and_level(text) {
        return shown;
    }
    let mut keys = Keys::default();
    let mut candidates: [Option<(&str, Range<usize>, ValueKind)>; CANDIDATES] = Default::default();
    let mut taken = 0;
    let (mut verbose, mut object, mut reason) = (false, false, false);
    let (mut escaped, mut nested, mut message_first) = (false, false, false);
    let mut members = Members::new(text, 0);
    let mut relayed = false;
    for member in members.by_ref() {
        relayed |= cloudnative_pg::severity(text, &member).is_some();
        let key = text.get(member.key).unwrap_or("");
        let role = role(key);
        keys.is_folded |= member.kind == ValueKind::String
            && text
                .get(member.value.clone())
                .is_some_and(|value| value.trim_start().starts_with(['{', '\\']))
            && roles::rank(roles::MESSAGE, key).is_some();
        keys.see(key, role, member.kind);
        if matches!(role, Some(Role::Time | Role::Level)) || key == "s" {
            if let Some(free) = candidates.get_mut(taken) {
                *free = Some((key, member.value, member.kind));
            }
            taken += 1;
        }
        match key {
            "v" => verbose = true,
            "msg" => message_first |= !keys.has_level,
            "object" => object = true,
            "reason" => reason = true,
            _ => {}
        }
        escaped |= member.escaped;
        nested |= member.kind == ValueKind::Nested;
    }
    if keys.is_other() || !keys.are_record() {
        let is_unclear = !keys.is_other() && keys.may_be_record() && holds_record(text);
        return if is_unclear {
            Shown::Unclear
        } else {
            Shown::NoRecord
        };
    }
    // another name may have this role, or a nested object may
    if keys.is_unusual() || keys.is_folded || keys.are_collected() {
        return Shown::Unclear;
    }
    // a record that reports an event takes the event's severity
    let is_event = object && (reason || members.is_cut());
    if escaped || relayed || is_event || taken > CANDIDATES {
        return Shown::Unclear;
    }
    let names = keys.names();
    let own = |wanted: &[&str]| {
        let found = candidates.iter().flatten();
        found.into_iter().find(|(key, _, _)| wanted.contains(key))
    };
    let found_time = if std::ptr::eq(names, &ZEROLOG) {
        let found = candidates.iter().flatten();
        found.rev().find(|(key, _, _)| names.time.contains(key))
    } else {
        own(names.time)
    };
    let is_mongodb = std::ptr::eq(names, &MONGODB);
    let time = found_time
        .and_then(|(_, value, _)| text.get(value.clone()))
        .and_then(|time| match is_mongodb {
            true => mongodb::time(time),
            false => timestamp::parse(time),
        });
    let is_zap = std::ptr::eq(names, &ZAP);
    // another name may have this role
    let is_left = |role: Role| {
        candidates
            .iter()
            .flatten()
            .any(|(key, _, _)| super::names::role(key) == Some(role))
    };
    if time.is_none() && !is_zap && is_left(Role::Time) {
        return Shown::Unclear;
    }
    let severity = match own(names.level).filter(|_| !(is_zap && message_first)) {
        Some((_, _, ValueKind::Nested)) => None,
        Some((_, value, _)) => {
            let word = text.get(value.clone()).unwrap_or("");
            if word.contains('\\') {
                return Shown::Unclear;
            }
            match is_mongodb {
                true => mongodb::severity(word),
                false => level::severity(word),
            }
        }
        // as in `read`
        None if is_zap => Some(klog_severity(verbose)),
        None => None,
    };
    if severity.is_none() && !is_zap && is_left(Role::Level) {
        return Shown::Unclear;
    }
    Shown::Record {
        time,
        severity,
        // a second record on the line would be inside a nested value or after the truncation
        whole: members.end().is_some() && !nested,
    }
}
