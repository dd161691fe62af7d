//! docker's json-file log driver (moby 28): `{"log":"text
//! ","stream":"stdout","time":"..."}`, with `attrs` in between if labels are logged.
//!
//! A text without a line break is a partial line (split at 16 KiB), which the next line of the
//! stream continues. Collectors that read such files add `kubernetes`, and may take off the line break.

use std::ops::Range;

use super::super::json_members::Members;
use super::super::timestamp::leading_date_time;
use super::{Inner, Layer, LineEnd, Names, is_string};
use kwhy_model::Stream;

pub(super) fn layer(text: &str) -> Option<Layer> {
    if !text.starts_with("{\"log\":\"") {
        return None;
    }
    let (mut log, mut stream, mut time) = (None, None, None);
    let mut names = Names::default();
    let mut end = LineEnd::Marks;
    for member in Members::new(text, 0) {
        if !is_string(member.kind) {
            if text.get(member.key) == Some("kubernetes") {
                names = names_of(text, member.value);
                end = LineEnd::None;
            }
            continue;
        }
        match text.get(member.key.clone())? {
            "log" => log = Some(member.value),
            "stream" => {
                stream = Some(match text.get(member.value)? {
                    "stderr" => Stream::Stderr,
                    _ => Stream::Stdout,
                });
            }
            "time" => time = leading_date_time(text.get(member.value)?).map(|(time, _)| time),
            _ => {}
        }
    }
    let (log, stream, time) = (log?, stream?, time?);
    Some(Layer {
        stream: Some(stream),
        ..Layer::new(Some(time), names, Inner::Json(log, end))
    })
}

/// The names that a collector knows of the container, in an object.
fn names_of(text: &str, object: Range<usize>) -> Names {
    let mut names = Names::default();
    let inside = Members::new(text, object.start).take_while(|inner| inner.value.end <= object.end);
    for member in inside.filter(|member| is_string(member.kind)) {
        let name = match text.get(member.key).unwrap_or("") {
            "pod_name" => &mut names.pod,
            "namespace_name" => &mut names.namespace,
            "container_name" => &mut names.container,
            "host" => &mut names.node,
            _ => continue,
        };
        *name = Some(member.value);
    }
    names
}
