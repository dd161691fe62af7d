//! `kubectl logs` (1.31): `--prefix` puts `[pod/name/container] ` before each line, `--timestamps`
//! the time at which the runtime received it.

use super::super::timestamp::leading_date_time;
use super::super::{formats, level};
use super::{Inner, Layer, Names, is_dns_name};

/// Times with more fractional digits than this are nanoseconds (Go omits trailing zeros).
const NANOS: u8 = 6;

/// Parses `[pod/web-0/app] text`.
pub(super) fn prefixed(text: &str) -> Option<Layer> {
    let inside = text.strip_prefix("[pod/")?;
    let window = inside.get(..inside.len().min(512)).unwrap_or(inside);
    let close = window.find(']')?;
    let (pod, container) = inside.get(..close)?.split_once('/')?;
    if !is_dns_name(pod) || !is_dns_name(container) {
        return None;
    }
    let after = inside.get(close + 1..)?;
    if !after.is_empty() && !after.starts_with(' ') {
        return None;
    }
    let start = "[pod/".len();
    let names = Names {
        pod: Some(start..start + pod.len()),
        container: Some(start + pod.len() + 1..start + close),
        ..Names::default()
    };
    let inner = (start + close + 2).min(text.len());
    Some(Layer::new(None, names, Inner::From(inner)))
}

/// Returns true if the time at the start of a text does not belong to a record: runtimes print nanoseconds before any
/// line, and table rows have whole seconds followed by a count or an event type.
pub(in crate::log) fn has_time_of_another(text: &str) -> bool {
    if text.as_bytes().get(10) != Some(&b'T') {
        return false;
    }
    let Some((time, length)) = leading_date_time(text).filter(|(time, _)| time.zone_stated) else {
        return false;
    };
    let Some(rest) = text
        .get(length..)
        .and_then(|rest| rest.strip_prefix([' ', '\t']))
    else {
        return false;
    };
    // a level between two equal marks is the record's own: `- ERROR - text`
    let is_own = [" - ", " | "].into_iter().any(|mark| {
        let level = rest.strip_prefix(mark.trim_start());
        let level = level.and_then(|rest| rest.split_once(mark));
        level.is_some_and(|(word, _)| level::of_head(word.trim_end()).is_some())
    });
    if is_own {
        return false;
    }
    // a count or the type of an event
    let cell = rest.split_whitespace().next().unwrap_or("");
    let is_count = !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    time.digits > NANOS
        || (time.digits == 0 && (is_count || matches!(cell, "Normal" | "Warning" | "<none>")))
}

/// Parses a time and a space before any text that is not a format with its own time.
pub(super) fn stamped(text: &str) -> Option<Layer> {
    if text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    let (time, length) = leading_date_time(text).filter(|(time, _)| time.zone_stated)?;
    let rest = text.get(length..)?.strip_prefix(' ')?;
    // a format may start with its own time; only runtimes print nanoseconds before another format
    let is_runtime = || time.digits > NANOS && formats::find(rest).is_some();
    if formats::find(text).is_some() && !is_runtime() {
        return None;
    }
    // in a table row, more spaces or an event type follow the time; no runtime prints whole seconds
    let row = [" ", "\t", "Normal ", "Warning "];
    let is_row = rest.is_empty() || row.iter().any(|start| rest.starts_with(start));
    if time.digits == 0 && is_row {
        return None;
    }
    Some(Layer::new(
        Some(time),
        Names::default(),
        Inner::From(length + 1),
    ))
}
