//! Counts the log records of a block by time and severity.

use memchr::memchr_iter;

use kwhy_model::{Format, Stamp};
use kwhy_parse::log;
use kwhy_parse::timeline::Timeline;

/// Counts the log records of a block.
pub(super) fn timeline(bytes: &[u8]) -> Timeline {
    let mut timeline = Timeline::new();
    let whole = std::str::from_utf8(bytes).ok();
    let mut start = 0;
    // a record whose severity is on its second line
    let mut first: Option<(&str, Option<Stamp>)> = None;
    let last = (!bytes.ends_with(b"\n")).then_some(bytes.len());
    for end in memchr_iter(b'\n', bytes).chain(last) {
        let line = match whole {
            Some(text) => text.get(start..end),
            None => std::str::from_utf8(&bytes[start..end]).ok(),
        };
        let head = line.and_then(log::header);
        if let Some((before, time)) = first.take() {
            if line.is_some_and(|line| log::is_second_line_anywhere(before, line)) {
                timeline.add(time, line.and_then(log::second_line_severity));
                start = end + 1;
                continue;
            }
            timeline.add(time, None);
        }
        match (line, head) {
            (Some(line), Some(head)) if head.format == Format::JavaUtilLogging => {
                first = Some((line, head.time));
            }
            (_, Some(head)) => timeline.add(head.time, head.severity),
            (_, None) => {}
        }
        start = end + 1;
    }
    if let Some((_, time)) = first {
        timeline.add(time, None);
    }
    timeline
}
