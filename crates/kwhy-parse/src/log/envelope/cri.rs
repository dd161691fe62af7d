//! The CRI's log files (containerd 2.3, CRI-O; kubelet `pkg/kubelet/kuberuntime/logs`):
//! `2024-03-04T05:06:07.123456789Z stderr F text`.
//!
//! Tags follow the stream, separated by `:`; the first is `F` for a full line and `P` for a partial
//! one, which the next line of the stream continues.

use memchr::memchr;

use super::super::timestamp::leading_date_time;
use super::{Inner, Layer, Names};
use kwhy_model::Stream;

pub(super) fn layer(text: &str) -> Option<Layer> {
    // the shortest timestamp is `2024-03-04T05:06:07Z`, the longest has nanoseconds and a zone
    let window = text.as_bytes().get(20..text.len().min(44))?;
    memchr::memmem::find(window, b" std")?;
    let (time, length) = leading_date_time(text)?;
    if text.as_bytes().get(10) != Some(&b'T') || !time.zone_stated {
        return None;
    }
    let rest = text.get(length..)?.strip_prefix(" std")?;
    let (stream, tags) = match rest.strip_prefix("out ") {
        Some(tags) => (Stream::Stdout, tags),
        None => (Stream::Stderr, rest.strip_prefix("err ")?),
    };
    let tag_length = memchr(b' ', tags.as_bytes()).unwrap_or(tags.len());
    let tag = tags.get(..tag_length)?.split(':').next().unwrap_or("");
    if tag != "F" && tag != "P" {
        return None;
    }
    let start = text.len() - tags.len() + tag_length + 1;
    Some(Layer {
        stream: Some(stream),
        partial: tag == "P",
        ..Layer::new(
            Some(time),
            Names::default(),
            Inner::From(start.min(text.len())),
        )
    })
}
