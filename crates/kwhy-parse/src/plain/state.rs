//! A reason and a message beside each other, as objects and describes have them, where nothing shows of what they are:
//! `reason: Failed` and `message: no such image` on lines of their own.

use crate::input::Line;
use crate::object::key_length;
use kwhy_model::{Event, Format, Severity, Text, TextBuilder};

/// The number of lines that one state takes at most.
const MAX_LINES: usize = 16;

/// The greatest length of a reason.
const MAX_REASON: usize = 64;

/// Reads the state that starts on the first of these lines, and returns it with the number of its lines.
pub(super) fn read<'a>(format: Format, lines: &[Line<'a>]) -> Option<(Event<'a>, usize)> {
    let first = lines.first()?;
    let (name, _) = member(first)?;
    if !is_one_of(name, &["reason", "message"]) {
        return None;
    }
    let indent = first.indent();
    let mut reason: Option<Line<'a>> = None;
    let mut message: Vec<Line<'a>> = Vec::new();
    let mut severity = None;
    let mut is_open = false;
    let mut taken = 0;
    for line in lines.iter().take(MAX_LINES) {
        if line.indent() > indent && taken > 0 {
            // the rest of a value
            if is_open {
                message.push(line.trim_start());
            }
        } else if let Some((name, value)) = member(line).filter(|_| line.indent() == indent) {
            is_open = false;
            if is_one_of(name, &["reason"]) && reason.is_none() && is_reason(value.text) {
                reason = Some(value);
            } else if is_one_of(name, &["message"]) && message.is_empty() {
                message.push(value);
                is_open = true;
            } else if is_one_of(name, &["type"]) {
                severity = Severity::from_word(value.text);
            } else if !is_one_of(name, &["status"]) && !name.contains("ime") {
                break;
            }
        } else {
            break;
        }
        taken += 1;
    }
    let reason = reason?;
    let quote = message.first()?.text.chars().next();
    let is_closed = |quote| {
        let last = message.last().map_or("", |last| last.text.trim_end());
        last.ends_with(quote) && (message.len() > 1 || last.len() > 1)
    };
    if matches!(quote, Some(quote @ ('"' | '\'')) if !is_closed(quote)) {
        return None;
    }
    let mut text = TextBuilder::new();
    for (at, part) in unquoted(message).into_iter().enumerate() {
        if at > 0 {
            text.push_decoded(" ", part.start..part.start);
        }
        text.push(part.text.trim_end(), part.start);
    }
    let message = text.finish();
    if message.is_empty() {
        return None;
    }
    let span = first.start..lines.get(taken - 1)?.start + lines.get(taken - 1)?.text.len();
    let event = Event {
        reason: Some(Text::borrowed(reason.text, reason.start)),
        severity,
        ..Event::new(format, span, message)
    };
    Some((event, taken))
}

/// A key and its value, with its outer spaces taken off.
fn member<'a>(line: &Line<'a>) -> Option<(&'a str, Line<'a>)> {
    let bare = line.trim_start();
    let end = key_length(bare.text)?;
    let value = bare.skip(end + 1).trim_start();
    let value = Line {
        text: value.text.trim_end(),
        ..value
    };
    (!value.text.is_empty()).then_some((bare.text.get(..end)?, value))
}

/// Returns true if a name is one of these, in any case of its first letter.
fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// A reason is one word in upper camel case.
fn is_reason(text: &str) -> bool {
    text.len() > 2
        && text.len() <= MAX_REASON
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The parts of a value without the quotes around it.
fn unquoted(mut parts: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let quote = parts.first().and_then(|first| first.text.chars().next());
    let Some(quote @ ('"' | '\'')) = quote else {
        return parts;
    };
    if let Some(last) = parts.last_mut()
        && let Some(rest) = last.text.trim_end().strip_suffix(quote)
    {
        last.text = rest;
        if let Some(first) = parts.first_mut() {
            *first = first.skip(1.min(first.text.len()));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::input::lines;
    use kwhy_model::Format;

    fn states(text: &str) -> Vec<(Option<String>, String)> {
        let lines: Vec<_> = lines(text).collect();
        let events = parse(Format::Plain, &lines).events;
        let read = events.into_iter().map(|event| {
            let reason = event.reason.map(|reason| reason.as_str().to_owned());
            (reason, event.message.as_str().to_owned())
        });
        read.collect()
    }

    #[test]
    fn reasons_and_messages() {
        for text in [
            "    message: 'no wood is left'\n    reason: OvenCold\n",
            "    reason: OvenCold\n    message: no wood\n      is left\n",
            "Reason:   OvenCold\nStatus:   False\nMessage:  no wood is left\n",
            "  message: \"no wood is left\"\n  lastTransitionTime: 2024-03-04T05:06:07Z\n  reason: OvenCold\n",
        ] {
            let wanted = (Some("OvenCold".to_owned()), "no wood is left".to_owned());
            assert_eq!(states(text), [wanted], "{text}");
        }
    }

    #[test]
    fn other_lines() {
        for text in [
            "message: no wood is left\n",
            "reason: there is no wood\nmessage: it is cold\n",
            "reason: OvenCold\n\nmessage: it is cold\n",
            "reason: OvenCold\nwood: 3\nmessage: it is cold\n",
            "reason: OvenCold\n  message: it is cold\n",
        ] {
            assert!(
                states(text).iter().all(|(reason, _)| reason.is_none()),
                "{text}"
            );
        }
    }
}
