//! Heads composed of parts: a time, a level, a thread, a logger and a source location, in any order, with or without
//! brackets, with any marks between them; then the message, followed by pairs or an object.
//!
//! A word that may be a logger's name or the first of the message is read in the usual way on a single line;
//! [`Layout::learn`] decides from the other lines of the stream. Layouts of well-known writers are in `named.rs`.

mod head;
mod learned;
mod named;
mod padding;
mod parts;
mod rest;
mod spread;
#[cfg(test)]
mod tests;
mod trailing;

use std::ops::Range;

use super::envelope;
use super::formats::{Follow, FormatSpec};
use super::header::Shown;
use super::level;
use super::payload::Payload;
use super::relayed;
use super::timestamp::leading_date_time;
use crate::input::Line;
use kwhy_model::{Event, Field, Format, Severity};

use head::Head;
pub(crate) use learned::Layout;
pub(super) use named::{LOGBACK, PYTHON, SPRING_BOOT};
use parts::{Kind, Part};
pub(super) use spread::{continues, ends};

/// Any layout that is not one of a well-known writer.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::TextLog,
    first: b"0123456789[(<TDIWECFVNSAPJMOtdiwecfvnspa",
    begins: |text| !envelope::has_time_of_another(text) && Head::of(text).is_some(),
    read: |payload| {
        Some(event(
            payload,
            Format::TextLog,
            &Head::of(payload.as_str())?,
        ))
    },
    show: |_, text| match Head::of(text) {
        Some(_) if envelope::has_time_of_another(text) => Shown::NoRecord,
        // the values after the message may contain the time
        Some(head) if head.find(Kind::Time).is_none() && text.contains("time") => Shown::Unclear,
        Some(head) => shown(text, &head),
        None => Shown::NoRecord,
    },
    follow: Follow::RAW,
};

/// Returns true if a text starts with a head that has a level and a part set off by brackets or marks.
pub(super) fn is_marked(text: &str) -> bool {
    Head::of(text).is_some_and(|head| {
        head.find(Kind::Level).is_some()
            && head
                .parts
                .iter()
                .any(|part| part.open != 0 || !matches!(part.separator, parts::Separator::Space))
    })
}

/// Returns true for formats detected by little more than the presence of a head.
fn is_free(format: Format) -> bool {
    matches!(format, Format::TextLog | Format::Leveled | Format::Plain)
}

/// Returns true if a record of this format has a head composed of parts.
fn is_textual(format: Format, text: &str) -> bool {
    matches!(
        format,
        Format::PythonLogging | Format::Logback | Format::SpringBoot
    ) || format == Format::GoLog && is_levelled_go(text)
        || is_read_within(format, text)
}

/// Returns true if a level and a name in brackets follow the time that Go's log writes.
fn is_levelled_go(text: &str) -> bool {
    Head::of(text).is_some_and(|head| match head.parts.as_slice() {
        [time, level, name, ..] => {
            time.kind == Kind::Time
                && level.kind == Kind::Level
                && matches!(name.kind, Kind::Logger | Kind::Word)
                && name.open != 0
        }
        _ => false,
    })
}

/// Returns true if a learned layout may replace this format.
fn is_read_within(format: Format, text: &str) -> bool {
    // zap's format with separators other than tabs
    is_free(format) || (format == Format::ZapConsole && !text.contains('\t'))
}

/// Returns true if a space or a tab separates an upper-case level from the brackets after it: logrus padding levels.
fn is_spaced(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    text.get(letters..)
        .is_some_and(|rest| rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('['))
}

/// The maximum number of lines that a layout is learned from.
const LINES: usize = 800;

/// The minimum share of lines without a format of their own in streams without a head, in percent.
const SHARE: usize = 95;

/// The maximum number of fractional digits of a time that no runtime printed.
const DIGITS: u8 = 6;

/// Learns the layout of a stream from its first lines, with or without their envelopes.
pub(super) fn learn(lines: &[Line<'_>]) -> Option<Layout> {
    let lines = lines.iter().filter(|line| !line.is_blank()).take(LINES);
    // a runtime puts no mark after its time
    let is_marked = |line: &Line<'_>| {
        envelope::stamped(line.text).is_some_and(|from| {
            ["- ", "| "]
                .iter()
                .any(|mark| line.text[from..].starts_with(mark))
        })
    };
    let texts = lines.clone().map(|line| line.text);
    let first = lines.clone().next()?;
    if is_marked(first) {
        let layout = Layout::learn(texts.clone());
        if let Some(layout) = layout {
            return Some(layout.outermost());
        }
    }
    let payload = |line: &Line<'_>| {
        let payload = Payload::from_line(*line);
        // the time before the text may be the record's own
        if super::formats::find(line.text).is_some() {
            payload.text().as_str().to_owned()
        } else {
            envelope::peel(payload).1.as_str().to_owned()
        }
    };
    let inner: Vec<(String, Option<Format>)> = lines
        .clone()
        .map(payload)
        .map(|text| {
            let format = super::formats::find(&text).map(|form| form.format);
            (text, format)
        })
        .collect();
    let of = |accepts: fn(Option<Format>, &str) -> bool| -> Vec<&str> {
        let texts = inner.iter();
        texts
            .filter(|(text, format)| accepts(*format, text))
            .map(|(text, _)| text.as_str())
            .collect()
    };
    let textual = of(|format, text| format.is_none_or(|format| is_textual(format, text)));
    if let Some(layout) = Layout::learn(textual.iter().copied()) {
        return Some(layout);
    }
    let surer = of(|format, text| match format {
        Some(Format::GoLog | Format::ZapConsole) => true,
        Some(Format::Logrus) => is_spaced(text),
        format => format.is_none_or(|format| is_textual(format, text)),
    });
    if surer.len() > 2 * textual.len()
        && let Some(layout) = Layout::learn_surer(surer.iter().copied())
    {
        return Some(layout);
    }
    let bare = of(|format, _| matches!(format, None | Some(Format::TextLog)));
    if bare.len() * 100 < inner.len() * SHARE {
        return None;
    }
    // a time that no runtime printed
    let is_own = |text: &str| {
        let time = leading_date_time(text).map(|(time, _)| time);
        time.is_none_or(|time| time.digits <= DIGITS)
    };
    match envelope::stamped(first.text).is_some() && texts.clone().all(is_own) {
        true => Layout::learn_pairs(texts).map(Layout::outermost),
        false => Layout::learn_pairs(bare.iter().copied()),
    }
}

/// Returns true if a record is parsed by the learned layout rather than by the format detected from its line.
pub(super) fn reads(format: Option<Format>, text: &str, layout: &Layout) -> bool {
    let is_better = match format {
        None => true,
        // a lone level is a format of its own, without pairs
        Some(Format::Leveled) => layout.len() > 1 || layout.pads_levels(),
        Some(Format::PythonLogging | Format::Logback | Format::SpringBoot) => {
            Head::of(text).is_none_or(|head| head.parts.len() < layout.len())
        }
        // a level and a name in brackets after Go's time
        Some(Format::GoLog) => layout.is_surer() || is_levelled_go(text),
        Some(Format::ZapConsole) if layout.is_surer() => true,
        Some(Format::Logrus) => layout.is_surer() && is_spaced(text),
        Some(format) => is_read_within(format, text),
    };
    is_better && Head::within(text, layout).is_some()
}

/// Parses a record in a known layout.
pub(super) fn read_within<'a>(payload: &Payload<'a>, layout: &Layout) -> Option<Event<'a>> {
    let text = payload.as_str();
    let mut head = Head::within(text, layout)?;
    if !layout.has_pairs() {
        head.extend(text);
    }
    let format = named::format(text, &head).unwrap_or(Format::TextLog);
    Some(event_of(payload, format, &head, Some(layout)))
}

fn shown(text: &str, head: &Head) -> Shown {
    if is_relayed(text, head) {
        return Shown::Unclear;
    }
    Shown::Record {
        time: head.time(),
        severity: head.find(Kind::Level).and_then(|part| severity(text, part)),
        whole: false,
    }
}

fn severity(text: &str, part: &Part) -> Option<Severity> {
    level::of_head(text.get(part.range.clone())?)
}

/// Returns the end of a message that is followed by an object up to the end of a range, and the object's members.
pub(super) fn trailing_object<'a>(
    payload: &Payload<'a>,
    range: Range<usize>,
) -> Option<(usize, Vec<Field<'a>>)> {
    rest::object(payload, range.start, range.end)
}

/// Takes the time from the values after the message if the record has none.
pub(super) fn take_time(event: &mut Event<'_>) {
    let field = event.field("timestamp").or_else(|| event.field("time"));
    if let Some((stamp, _)) = field.and_then(|value| leading_date_time(value.as_str())) {
        event.time = event.time.or(Some(stamp));
    }
}

/// Builds the event of a record with this head.
fn event<'a>(payload: &Payload<'a>, format: Format, head: &Head) -> Event<'a> {
    event_of(payload, format, head, None)
}

/// Builds the event of a record, using the layout of its stream if known.
fn event_of<'a>(
    payload: &Payload<'a>,
    format: Format,
    head: &Head,
    layout: Option<&Layout>,
) -> Event<'a> {
    let text = payload.as_str();
    let level = head.find(Kind::Level);
    let word = level
        .and_then(|part| text.get(part.range.clone()))
        .unwrap_or("");
    let by_month = head
        .find(Kind::Time)
        .and_then(|part| text.as_bytes().get(part.range.start))
        .is_some_and(u8::is_ascii_uppercase);
    let bracketed = level.is_some_and(|part| part.open == b'[');
    let habits = rest::Habits {
        bracketed,
        padded: layout.is_some_and(Layout::has_pairs)
            || bracketed && word.bytes().all(|byte| byte.is_ascii_lowercase()),
        nameless: layout.is_some_and(|layout| layout.has_pairs() && !layout.has_loggers()),
        four_letters: by_month && word.len() == 4,
    };
    let is_relayed = is_relayed(text, head);
    let spread = match format {
        Format::TextLog if !is_relayed => spread::read(payload, head.message),
        _ => None,
    };
    // well-known formats have no values after the message
    let rest = match format {
        _ if is_relayed => rest::Rest::of(head.message..text.len()),
        _ if spread.is_some() => rest::Rest::of(head.message..head.message),
        Format::TextLog => rest::read(payload, head.message, habits),
        _ => rest::Rest::of(head.message..text.len()),
    };
    let mut event = Event::new(format, payload.text().span(), payload.part(rest.message));
    event.time = head.time();
    event.caller = head
        .find(Kind::Caller)
        .map(|part| payload.part(part.range.clone()));
    event.component = head
        .logger()
        .map(|part| payload.part(parts::logger_range(text, &part.range)));
    if event.component.is_none() {
        event.component = rest.logger.map(|range| payload.part(range));
    }
    event.fields = rest.fields;
    if let Some(spread) = spread {
        event.message = payload.part(spread.message);
        event.caller = event.caller.or_else(|| Some(payload.part(spread.caller)));
        event.fields = spread.fields;
    }
    if head.find(Kind::Time).is_none() {
        take_time(&mut event);
    }
    if let Some(part) = head.find(Kind::Level) {
        level::set(&mut event, payload.part(part.range.clone()));
        event.severity = severity(text, part);
    }
    match is_relayed {
        true => relayed::unwrapped(event),
        false => event,
    }
}

/// Returns true if the message is a record of another program.
fn is_relayed(text: &str, head: &Head) -> bool {
    text.get(head.message..).is_some_and(relayed::is_record)
}
