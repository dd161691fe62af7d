//! The kernel's ring buffer as printed by dmesg: `[12345.678901] text`, optionally with a caller
//! (`[    T12]`), a priority (`<4>[...]`) or a date (`dmesg -T`).
//!
//! Seconds since boot do not set the record's time. The OOM killer's line that names the process
//! has the pid, name and memory as fields (mm/oom_kill.c, Linux 5 and 6).

use std::ops::Range;

use super::cursor::Cursor;
use super::{Follow, FormatSpec, show};
use crate::log::payload::Payload;
use crate::log::timestamp::leading_ctime;
use kwhy_model::{Event, Field, Format, Severity, Stamp, Written};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::Kernel,
    first: b"[<",
    begins: |text| head(text).is_some(),
    read,
    show,
    follow: Follow::ONE_LINE,
};

struct Head {
    time: Option<Stamp>,
    priority: Option<u8>,
    rest: usize,
}

fn head(text: &str) -> Option<Head> {
    let mut cursor = Cursor::new(text);
    let mut priority = None;
    if cursor.eat("<").is_some() {
        let digits = cursor.digits().filter(|digits| digits.len() <= 3)?;
        priority = text.get(digits)?.parse().ok();
        cursor.eat(">")?;
    }
    cursor.eat("[")?;
    let mut time = None;
    if let Some((stamp, length)) = leading_ctime(cursor.rest()) {
        time = Some(stamp);
        let mut after = Cursor::new(cursor.rest().get(length..)?);
        after.eat("] ")?;
        return Some(Head {
            time,
            priority,
            rest: cursor.at() + length + after.at(),
        });
    }
    cursor.spaces();
    cursor.digits()?;
    cursor.eat(".")?;
    cursor.digits().filter(|digits| digits.len() == 6)?;
    cursor.eat("]")?;
    cursor.eat(" ")?;
    // `[    T12] `
    let mut caller = cursor.clone();
    if caller.eat("[").is_some() && caller.spaces() > 0 {
        let is_caller = caller.run(|byte| matches!(byte, b'T' | b'C')).is_some()
            && caller.digits().is_some()
            && caller.eat("] ").is_some();
        if is_caller {
            cursor = caller;
        }
    }
    Some(Head {
        time,
        priority,
        rest: cursor.at(),
    })
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let head = head(text)?;
    let message = payload.part(head.rest..text.len());
    let mut event = Event::new(Format::Kernel, payload.text().span(), message);
    event.time = head.time;
    event.severity = head.priority.map(|priority| match priority % 8 {
        0..=2 => Severity::Fatal,
        3 => Severity::Error,
        4 => Severity::Warning,
        5 | 6 => Severity::Info,
        _ => Severity::Debug,
    });
    add_oom_kill(&mut event, payload, head.rest);
    Some(event)
}

/// Adds the fields of an OOM kill. The kernel's text starts at `start`.
pub(crate) fn add_oom_kill<'a>(event: &mut Event<'a>, payload: &Payload<'a>, start: usize) {
    let text = payload.as_str();
    let Some(body) = text.get(start..) else {
        return;
    };
    let killed = ["Killed process ", "Kill process "]
        .iter()
        .find_map(|literal| body.find(literal).map(|at| at + literal.len()))
        .filter(|at| *at < 60);
    if let Some(at) = killed {
        event.severity = event.severity.max(Some(Severity::Error));
        killed_process(event, payload, start + at);
    } else if let Some(list) = body.strip_prefix("oom-kill:") {
        let mut at = text.len() - list.len();
        for pair in list.split(',') {
            if let Some((key, value)) = pair.split_once('=') {
                let value_start = at + key.len() + 1;
                push(
                    event,
                    payload,
                    at..at + key.len(),
                    value_start..value_start + value.len(),
                );
            }
            at += pair.len() + 1;
        }
    }
}

fn push<'a>(event: &mut Event<'a>, payload: &Payload<'a>, key: Range<usize>, value: Range<usize>) {
    let field = Field::new(payload.name(key), payload.part(value), Written::Bare);
    event.fields.push(field);
}

/// Parses `4321 (java), UID 0, total-vm:1kB, anon-rss:1kB, ...`, with or without commas.
fn killed_process<'a>(event: &mut Event<'a>, payload: &Payload<'a>, start: usize) {
    let text = payload.as_str();
    let mut cursor = Cursor::new(&text[start..]);
    let Some(pid) = cursor.digits() else {
        return;
    };
    let mut add = |key: &'static str, value: Range<usize>, written| {
        let value = payload.part(start + value.start..start + value.end);
        event.fields.push(Field::new(key, value, written));
    };
    add("pid", pid, Written::Bare);
    if cursor.eat(" (").is_some()
        && let Some(name) = cursor.until(")")
    {
        add("process", name, Written::Text);
    }
    let mut at = start + cursor.at();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let skipped = rest.len() - rest.trim_start_matches([' ', ',']).len();
        let word_start = at + skipped;
        let word = &text[word_start..];
        let length = word.find([' ', ',']).unwrap_or(word.len());
        if let Some((key, value)) = word[..length].split_once(':')
            && !value.is_empty()
        {
            let after = word_start + key.len() + 1;
            push(
                event,
                payload,
                word_start..word_start + key.len(),
                after..after + value.len(),
            );
        }
        at = word_start + length.max(1);
        if !text.is_char_boundary(at) {
            break;
        }
    }
}
