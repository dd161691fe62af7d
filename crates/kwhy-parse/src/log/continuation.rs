//! Unmarked continuation lines in envelopes: the writer printed several lines at once, and the envelope put its own
//! prefix before each. They continue a message, or the message of an error.
//!
//! Such a line continues the preceding record if the format allows it, if no other writer's line
//! is in between, and if the envelope received both at the same time. For an envelope without
//! times, the format decides alone.

use std::borrow::Cow;

use super::envelope::{Envelopes, Sources, peel_from};
use super::formats;
use super::payload::Payload;
use super::reader::{HEAD_LINES, Reader};
use super::stack_trace::Trace;
use crate::input::Line;
use kwhy_model::{Format, Severity, Stamp, Text};

/// The maximum number of lines of a record with unmarked continuation lines.
pub(super) const ENVELOPED_LINES: usize = 32;

/// Two lines of one write are less than this apart, in nanoseconds: the runtime reads them from a pipe
/// one by one.
const AT_ONCE: u128 = 1_000_000;

/// Returns true if two lines were received together, or if neither envelope has a time.
pub(super) fn at_once(one: Option<Stamp>, two: Option<Stamp>) -> bool {
    match (one, two) {
        (Some(one), Some(two)) => one.nanos.abs_diff(two.nanos) < AT_ONCE,
        (None, None) => true,
        _ => false,
    }
}

/// The payload of a line in an envelope, and the time at which the envelope received it.
pub(super) struct EnvelopedLine<'l> {
    pub(super) text: Text<'l>,
    pub(super) taken: Option<Stamp>,
}

impl<'l> EnvelopedLine<'l> {
    /// Returns the line without its envelopes, or `None` if it comes from another writer.
    pub(super) fn of_writer(
        line: &'l str,
        writer: &Envelopes<'_>,
        sources: &mut Sources,
    ) -> Option<EnvelopedLine<'l>> {
        let (envelopes, payload) = whole(line, sources)?;
        let is_own = envelopes.is_same_writer(writer);
        is_own.then(|| EnvelopedLine::of(&envelopes, &payload))
    }

    fn of(envelopes: &Envelopes<'_>, payload: &Payload<'l>) -> EnvelopedLine<'l> {
        EnvelopedLine {
            text: payload.text().clone(),
            taken: envelopes.merged.time,
        }
    }

    /// Returns true if this line and the following one may come from the same write.
    fn is_of_one_write(&self, following: &EnvelopedLine<'_>) -> bool {
        following.is_marked() || self.is_marked() || at_once(following.taken, self.taken)
    }

    /// Returns true if the text alone shows that it continues a record: it is indented, empty or part of a stack trace.
    fn is_marked(&self) -> bool {
        let text = self.text.as_str();
        text.starts_with([' ', '\t']) || text.is_empty() || is_of_trace(text)
    }
}

/// Returns true if one of the next lines is part of a stack trace and all lines up to it were received together.
pub(super) fn frames_follow<'l>(
    lines: impl Iterator<Item = EnvelopedLine<'l>>,
    head: Option<Stamp>,
) -> bool {
    let mut taken = head;
    for line in lines.take(HEAD_LINES) {
        if is_of_trace(line.text.as_str()) {
            return true;
        }
        if !at_once(taken, line.taken) {
            return false;
        }
        taken = line.taken;
    }
    false
}

fn is_of_trace(text: &str) -> bool {
    Trace::default().take(text).is_some()
}

/// Returns true if a line in an envelope continues the preceding record. `before` yields the preceding lines, nearest
/// first.
///
/// The nearest line rules out most cases; if it may come from the same write, the reader parses the record's lines.
pub(crate) fn is_raw_line<'l>(
    line: &str,
    before: impl Iterator<Item = Cow<'l, str>>,
    following: impl Iterator<Item = Cow<'l, str>>,
) -> bool {
    // sources that only other lines reveal are unknown here, as they are where record starts are searched
    let mut sources = Sources::default();
    let Some((writer, payload)) = whole(line, &mut sources) else {
        return false;
    };
    let mut window = Vec::new();
    let mut later = EnvelopedLine::of(&writer, &payload);
    let mut before = before.filter(|line| !line.trim().is_empty());
    for number in 0..ENVELOPED_LINES {
        let Some(nearest) = before.next() else {
            return false;
        };
        let Some((earlier, payload)) = whole(&nearest, &mut sources) else {
            return false;
        };
        let enveloped = EnvelopedLine::of(&earlier, &payload);
        if !earlier.is_same_writer(&writer) || !enveloped.is_of_one_write(&later) {
            return false;
        }
        // most lines are ruled out above; testing for the start of a record costs more
        if number == 0 && starts(later.text.as_str()) {
            return false;
        }
        let is_head = formats::find(payload.as_str()).is_some();
        if !is_head && starts(payload.as_str()) {
            return false;
        }
        let taken = enveloped.taken;
        later = EnvelopedLine {
            text: enveloped.text.into_owned(),
            taken,
        };
        window.push(nearest.into_owned());
        if is_head {
            window.reverse();
            let start = window.iter().map(|line| line.len() + 1).sum();
            window.push(line.to_owned());
            window.extend(following.take(HEAD_LINES).map(Cow::into_owned));
            return is_joined(&window.join("\n"), start);
        }
    }
    false
}

/// Returns true if the reader starts no record at this offset of a text.
fn is_joined(text: &str, at: usize) -> bool {
    let lines: Vec<_> = crate::input::lines(text).collect();
    let events = Reader::new().read(&lines).events;
    events.iter().all(|event| event.span.start != at)
}

/// Returns true if a line is the second of a two-line record that starts on the line before, bare or in an envelope.
pub fn is_second_line_anywhere(before: &str, line: &str) -> bool {
    if formats::is_second_line(before, line) {
        return true;
    }
    let mut sources = Sources::default();
    let Some((writer, payload)) = whole(line, &mut sources) else {
        return false;
    };
    formats::may_be_second_line(payload.as_str())
        && EnvelopedLine::of_writer(before, &writer, &mut sources)
            .is_some_and(|before| formats::is_second_line(before.text.as_str(), payload.as_str()))
}

/// Returns the severity stated by the second line of a record: the word before its first colon.
pub fn second_line_severity(line: &str) -> Option<Severity> {
    let payload = whole(line, &mut Sources::default()).map(|(_, payload)| payload);
    let text = payload.as_ref().map_or(line, Payload::as_str);
    super::level::severity(text.split_once(':')?.0)
}

/// Returns the envelopes and the payload of a line; `None` without an envelope or if the line is a partial one.
fn whole<'l>(line: &'l str, sources: &mut Sources) -> Option<(Envelopes<'l>, Payload<'l>)> {
    let line = Payload::from_line(Line {
        text: line,
        start: 0,
        number: 1,
    });
    let (envelopes, payload) = peel_from(line, sources);
    (envelopes.present && !envelopes.partial).then_some((envelopes, payload))
}

/// Returns true if a record starts with this text, ignoring indentation unless the format forbids it.
pub fn starts(text: &str) -> bool {
    let bare = text.trim_start();
    formats::find(bare).is_some_and(|form| {
        bare.len() == text.len()
            || (form.format != Format::Plain && !formats::is_unindented(form.format))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::parse;

    const HEAD: &str = "E0304 05:06:07.123456       1 quay.go:7] lift failed:";

    /// Returns the lines of a message in CRI envelopes, `step` nanoseconds apart.
    fn enveloped(lines: &[(u64, &str)]) -> String {
        let mut nanos = 100_000_000;
        let line = |(following, text): &(u64, &str)| {
            nanos += following;
            format!("2024-03-04T05:06:07.{nanos:09}Z stderr F {text}\n")
        };
        lines.iter().map(line).collect()
    }

    fn messages(text: &str) -> Vec<String> {
        let lines: Vec<_> = crate::input::lines(text).collect();
        let events = parse(&lines).events.into_iter();
        events
            .map(|event| event.message.as_str().to_owned())
            .collect()
    }

    /// Returns true if the last line continues the preceding record.
    fn continues(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let (last, before) = lines.split_last().unwrap();
        let before = before.iter().rev().map(|line| Cow::Borrowed(*line));
        is_raw_line(last, before, std::iter::empty())
    }

    #[test]
    fn what_was_taken_at_once_continues() {
        let at_once = enveloped(&[(0, HEAD), (2_000, "no arm"), (3_000, "no power")]);
        let message = "lift failed:\nno arm\nno power";
        assert_eq!(messages(&at_once), [message]);
        assert!(continues(&at_once));
        let later = enveloped(&[(0, HEAD), (2_000, "no arm"), (5_000_000, "no power")]);
        assert_eq!(messages(&later), ["lift failed:\nno arm", "no power"]);
        assert!(!continues(&later));
    }

    #[test]
    fn without_times_the_format_decides() {
        let prefixed = |head: &str| format!("[pod/crane-0/arm] {head}\n[pod/crane-0/arm] no arm\n");
        assert_eq!(messages(&prefixed(HEAD)), ["lift failed:\nno arm"]);
        assert!(continues(&prefixed(HEAD)));
        let structured = prefixed("E0304 05:06:07.123456       1 quay.go:7] \"Lift failed\" n=7");
        assert_eq!(messages(&structured), ["Lift failed", "no arm"]);
        assert!(!continues(&structured));
    }

    #[test]
    fn others_between_end_it() {
        let between =
            enveloped(&[(0, HEAD), (1_000, "no arm")]).replacen("stderr F E", "stdout F E", 1);
        assert_eq!(messages(&between).len(), 2);
        assert!(!continues(&between));
    }
}
