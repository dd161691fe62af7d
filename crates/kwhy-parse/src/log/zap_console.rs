//! zap's console encoder (uber-go/zap, also through zapr and controller-runtime, istio).
//!
//! Elements in order, separated by tabs: time (epoch float, ISO 8601, RFC 3339), level, logger,
//! caller, message, context (JSON with spaces). Text pasted through a page or a terminal has runs
//! of spaces instead, sometimes a single one; then the logger's name cannot be distinguished from
//! the message's first word and stays in it. Rejected: other levels, lines without a level, dates
//! alone.

use std::ops::Range;

use memchr::memchr;

use super::formats::{Follow, FormatSpec};
use super::header::Shown;
use super::json_members::Members;
use super::level;
use super::logfmt::is_plain_key;
use super::payload::Payload;
use super::timestamp::{epoch, leading_date_time};
use kwhy_model::{Event, Field, Format, Stamp, Written};

/// zap's console format.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::ZapConsole,
    first: b"0123456789",
    begins: detect,
    read,
    show: |_, text| match head(text) {
        Some(head) => Shown::Record {
            time: Some(head.time),
            severity: text.get(head.level).and_then(level::severity),
            whole: true,
        },
        None => Shown::NoRecord,
    },
    follow: Follow::RAW,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    Tab,
    Spaces,
    Space,
}

struct Head {
    time: Stamp,
    level: Range<usize>,
    separator: Separator,
}

/// Returns true if a line starts with a time and a level of this format.
fn detect(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && head(text).is_some()
}

fn leading_epoch(text: &str) -> Option<(Stamp, usize)> {
    let length = text
        .bytes()
        .take(40)
        .take_while(|byte| byte.is_ascii_digit() || b".e+E".contains(byte))
        .count();
    let number = text.get(..length)?;
    let big = number.contains("e+") || number.find('.').unwrap_or(length) >= 9;
    let stamp = epoch(number).filter(|_| big)?;
    Some((stamp, length))
}

fn head(text: &str) -> Option<Head> {
    let (time, length) = leading_date_time(text).or_else(|| leading_epoch(text))?;
    let rest = text.get(length..)?;
    let spaces = rest
        .bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let separator = match rest.as_bytes().get(..spaces)? {
        [] => return None,
        [b' '] => Separator::Space,
        run if run.contains(&b'\t') => Separator::Tab,
        _ => Separator::Spaces,
    };
    let after = &rest[spaces..];
    let word_length = after
        .bytes()
        .position(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
        .unwrap_or(after.len());
    let word = &after[..word_length];
    let plain = &word[..memchr(b'(', word.as_bytes()).unwrap_or(word_length)];
    const LEVELS: [&str; 10] = [
        "debug", "info", "warn", "error", "dpanic", "panic", "fatal", "trace", "warning", "level",
    ];
    let upper = plain.bytes().all(|byte| byte.is_ascii_uppercase());
    let lower = plain.bytes().all(|byte| byte.is_ascii_lowercase());
    let known = LEVELS.iter().any(|level| level.eq_ignore_ascii_case(plain));
    let capital = plain == "Level";
    if !known || !(upper || capital || (lower && separator != Separator::Space)) {
        return None;
    }
    // without tabs and an object, the line is left to the generic layouts
    let line = &text[..memchr(b'\n', text.as_bytes()).unwrap_or(text.len())];
    // a terminal shows tabs as spaces
    let is_spread = separator == Separator::Spaces && spaces > 3;
    if separator != Separator::Tab && !is_spread && !line.trim_end().ends_with('}') {
        return None;
    }
    let start = length + spaces;
    // a single tab anywhere after the level selects tabs
    let separator = match after.as_bytes().get(word_length) {
        Some(b'\t') => Separator::Tab,
        Some(b' ') if after[word_length..].starts_with("  ") => Separator::Spaces,
        Some(b' ') if separator == Separator::Tab => Separator::Space,
        _ => separator,
    };
    Some(Head {
        time,
        level: start..start + word_length,
        separator,
    })
}

/// Parses a record without its stack trace.
fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let (mut context, mut fields, cut) = context(payload, head.level.end, head.separator);
    let is_istio = head.separator == Separator::Tab
        && head.time.digits == 6
        && text[head.level.clone()].starts_with(|c: char| c.is_ascii_lowercase());
    if is_istio && fields.is_empty() {
        (context, fields) = istio_pairs(payload, head.level.end..context);
    }
    let region = head.level.end..context;
    let proxy = envoy(text, region.clone()).filter(|_| is_istio);
    let (mut logger, caller, mut message) =
        proxy.unwrap_or_else(|| elements(text, region, head.separator));
    // other writers put the logger after the caller
    if logger.is_none()
        && caller.is_some()
        && let Some((name, said)) = text[message.clone()].split_once('\t')
    {
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_.-:".contains(&byte));
        if is_name && !said.is_empty() {
            logger = Some(message.start..message.start + name.len());
            message.start += name.len() + 1;
        }
    }
    let mut event = Event::new(
        Format::ZapConsole,
        payload.text().span(),
        payload.part(message),
    );
    event.cut = cut;
    event.time = Some(head.time);
    event.component = logger.map(|range| payload.part(range));
    event.caller = caller.map(|range| payload.part(range));
    event.fields = fields;
    level::set(&mut event, payload.part(head.level));
    Some(event)
}

/// Splits off istio's pairs: returns the end of the message and the elements `key=value` after it.
fn istio_pairs<'a>(payload: &Payload<'a>, region: Range<usize>) -> (usize, Vec<Field<'a>>) {
    let text = payload.as_str();
    let mut end = region.end;
    let mut fields = Vec::new();
    while let Some(tab) = text[region.start..end].rfind('\t') {
        let start = region.start + tab + 1;
        let Some((key, value)) = text[start..end].split_once('=') else {
            break;
        };
        if !is_plain_key(key) || value.contains('\n') {
            break;
        }
        let key_end = start + key.len();
        fields.push(Field::new(
            payload.name(start..key_end),
            payload.part(key_end + 1..end),
            Written::Bare,
        ));
        end = start - 1;
    }
    fields.reverse();
    (end, fields)
}

/// Recognises Envoy's log as relayed by istio's proxy, with `envoy LOGGER [FILE:LINE]` as one
/// element.
fn envoy(text: &str, region: Range<usize>) -> Option<(Part, Part, Range<usize>)> {
    let body = text.get(region.clone())?.strip_prefix("\tenvoy ")?;
    let start = region.end - body.len();
    let element = &body[..memchr(b'\t', body.as_bytes())?];
    let message = start + element.len() + 1..region.end;
    let (logger, place) = element.split_once(' ').unwrap_or((element, ""));
    let place_start = start + logger.len() + 1;
    let caller = is_caller(place).then(|| place_start..place_start + place.len());
    Some((Some(start..start + logger.len()), caller, message))
}

/// Returns the end of the message's region, the members of the context, and whether their end is
/// missing.
fn context<'a>(
    payload: &Payload<'a>,
    from: usize,
    separator: Separator,
) -> (usize, Vec<Field<'a>>, bool) {
    let text = payload.as_str();
    let body = &text[from..];
    let trimmed = text.trim_end().len();
    let candidates: Vec<usize> = match separator {
        // JSON contains no raw tab, so the last one is the context's
        Separator::Tab => body.rfind("\t{").into_iter().collect(),
        // of several spaces, a page may have kept one
        Separator::Spaces | Separator::Space => body
            .match_indices(" {\"")
            .map(|(at, _)| at)
            .take(8)
            .collect(),
    };
    let mut cut = None;
    for at in candidates {
        let after = &body[at..];
        let open = from + at + (after.len() - after.trim_start().len());
        let mut members = Members::new(text, open);
        let mut fields: Vec<_> = members
            .by_ref()
            .map(|member| member.field(payload))
            .collect();
        let last = members.cut_string();
        fields.extend(last.map(|member| member.field(payload)));
        let whole = members.end().is_some_and(|end| end == trimmed);
        // truncated or followed by other text, it is still the context if it started as one
        let is_apart = separator != Separator::Spaces || body[..at].ends_with(' ');
        let may_be_cut = cut.is_none() && is_apart && !fields.is_empty();
        if whole || may_be_cut && text[open..].starts_with("{\"") {
            let region_end = if separator == Separator::Tab {
                from + at
            } else {
                let end = text[..open].trim_end().len().max(from);
                // an empty message is between two tabs, each written as eight spaces
                end + if open - end >= 16 { 8 } else { 0 }
            };
            if whole {
                return (region_end, fields, false);
            }
            cut = Some((region_end, fields, members.is_cut()));
        }
    }
    if let Some(cut) = cut {
        return cut;
    }
    (text.len(), Vec::new(), false)
}

type Part = Option<Range<usize>>;

fn elements(text: &str, region: Range<usize>, separator: Separator) -> (Part, Part, Range<usize>) {
    let gap = match separator {
        Separator::Tab => "\t",
        Separator::Spaces => "  ",
        Separator::Space => " ",
    };
    let spaces = |at: usize| {
        let rest = text.get(at..region.end).unwrap_or("");
        let skipped = match separator {
            // one tab: an empty message leaves an empty element
            Separator::Tab => usize::from(rest.starts_with('\t')),
            _ => rest.len() - rest.trim_start_matches([' ', '\t']).len(),
        };
        at + skipped
    };
    let element = |at: usize| {
        let rest = text.get(at..region.end).unwrap_or("");
        rest.find(gap).map(|length| at..at + length)
    };
    let start = spaces(region.start);
    let Some(first) = element(start) else {
        return (None, None, start..region.end);
    };
    if is_caller(&text[first.clone()]) {
        return (None, Some(first.clone()), spaces(first.end)..region.end);
    }
    let second_start = spaces(first.end);
    if let Some(second) = element(second_start)
        && is_caller(&text[second.clone()])
    {
        return (
            Some(first),
            Some(second.clone()),
            spaces(second.end)..region.end,
        );
    }
    let name = &text[first.clone()];
    let is_name = match separator {
        Separator::Space => name.contains('.') && !name.ends_with('.') && is_name(name),
        _ => is_name(name),
    };
    if is_name {
        (Some(first), None, second_start..region.end)
    } else {
        (None, None, start..region.end)
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-/:@".contains(&byte))
}

/// Returns true if a word looks like `dir/file.go:12`.
pub(super) fn is_caller(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digits = bytes
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let Some((b':', file)) = bytes[..bytes.len() - digits].split_last() else {
        return false;
    };
    let dot = file.iter().rposition(|byte| *byte == b'.');
    digits > 0
        && dot.is_some_and(|dot| dot > 0 && dot + 1 < file.len())
        && !file[0].is_ascii_digit()
        && !file
            .iter()
            .any(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Line;

    fn event(text: &str) -> Event<'_> {
        read(&Payload::from_line(Line {
            text,
            start: 0,
            number: 1,
        }))
        .unwrap()
    }

    #[test]
    fn tabs() {
        let text = "2024-03-04T05:06:07.123Z\tERROR\tship.sync\tsync/loop.go:88\tsync failed\t{\"key\": \"dock/a\", \"error\": \"not \\\"there\\\"\"}";
        let event = event(text);
        assert_eq!(event.component.as_ref().unwrap().as_str(), "ship.sync");
        assert_eq!(event.caller.as_ref().unwrap().as_str(), "sync/loop.go:88");
        assert_eq!(event.message.as_str(), "sync failed");
        let error = event.field("error").unwrap();
        assert_eq!(error.as_str(), "not \"there\"");
        assert_eq!(&text[error.span()], "not \\\"there\\\"");
    }

    #[test]
    fn spaces_instead_of_tabs() {
        let event = event(
            "1.7095287671234567e+09   ERROR   Reconciler error        {\"controller\": \"berth\", \"Berth\": {\"name\":\"a\",\"namespace\":\"dock\"}}",
        );
        assert_eq!(event.message.as_str(), "Reconciler error");
        assert_eq!(event.component, None);
        assert_eq!(event.fields.len(), 2);
        assert_eq!(
            event.time.unwrap().to_string(),
            "2024-03-04T05:06:07.1234567Z"
        );
    }

    #[test]
    fn one_space_before_the_context() {
        let event = event(
            "2024-03-04T05:06:07.123Z   ERROR   Failed to heat {\"error\": \"no {\\\"wood\\\"} here\", \"kind\": \"Oven\"}",
        );
        assert_eq!(event.message.as_str(), "Failed to heat");
        assert_eq!(event.field("kind").unwrap().as_str(), "Oven");
    }

    #[test]
    fn other_lines() {
        for line in [
            "2024-03-04T05:06:07Z",
            "2024-03-04T05:06:07Z info is missing",
            "2024-03-04 a day",
            "12  ERROR  x",
            "1.2.3  INFO  x",
        ] {
            assert!(!detect(line), "{line}");
        }
        assert!(detect("2024-03-04T05:06:07Z\tINFO\tready"));
        assert!(!is_caller("10.0.0.1:80"));
        assert!(is_caller("app/sync.go:7"));
    }
}
