//! `kubectl logs` (1.31): `--prefix` puts `[pod/name/container] ` before each line, `--timestamps` the
//! time at which the runtime took it.

use super::super::forms;
use super::super::timestamp::leading_date_time;
use super::{Inner, Layer, Names, is_dns_name};

/// More digits than this behind the seconds are nanoseconds (Go leaves zeros at the end out).
const NANOS: u8 = 6;

/// `[pod/web-0/app] text`.
pub(super) fn prefixed(text: &str) -> Option<Layer> {
    let inside = text.strip_prefix("[pod/")?;
    let window = inside.get(..inside.len().min(512)).unwrap_or(inside);
    let close = window.find(']')?;
    let (pod, container) = inside.get(..close)?.split_once('/')?;
    if !is_dns_name(pod) || !is_dns_name(container) {
        return None;
    }
    let behind = inside.get(close + 1..)?;
    if !behind.is_empty() && !behind.starts_with(' ') {
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

/// A time and a blank before anything that has no form with a time of its own.
pub(super) fn stamped(text: &str) -> Option<Layer> {
    if text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    let (time, length) = leading_date_time(text).filter(|(time, _)| time.zone_stated)?;
    let rest = text.get(length..)?.strip_prefix(' ')?;
    // a form may have a time of its own in front; only runtimes print nanoseconds before another form
    let is_runtime = || time.digits > NANOS && formats::find(rest).is_some();
    if formats::find(text).is_some() && !is_runtime() {
        return None;
    }
    // a table's row has more blanks or an event's type behind its time; no runtime stamps whole
    // seconds
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
