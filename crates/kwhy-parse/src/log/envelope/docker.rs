//! docker's json-file log driver (moby 28): `{"log":"text
//! ","stream":"stdout","time":"..."}`, with `attrs` in between if labels are logged.
//!
//! A text without a line break is a partial line (split at 16 KiB), which the next line of the
//! stream continues.

use super::super::json_members::Members;
use super::super::timestamp::leading_date_time;
use super::{Inner, Layer, LineEnd, Names, is_string};
use kwhy_model::Stream;

pub(super) fn layer(text: &str) -> Option<Layer> {
    if !text.starts_with("{\"log\":\"") {
        return None;
    }
    let (mut log, mut stream, mut time) = (None, None, None);
    for member in Members::new(text, 0).filter(|member| is_string(member.kind)) {
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
        ..Layer::new(
            Some(time),
            Names::default(),
            Inner::Json(log, LineEnd::Marks),
        )
    })
}
