//! java.util.logging's SimpleFormatter (Java 17): two lines,
//! `Mar 04, 2024 5:06:07 AM com.example.App start` and `SEVERE: text`.
//!
//! The time is followed by the class and the method, or by the logger's name alone.

use super::{Follow, FormatSpec, show};
use crate::log::level;
use crate::log::payload::Payload;
use crate::log::timestamp::leading_java_time;
use kwhy_model::{Event, Format};

pub(super) const FORMAT: FormatSpec = FormatSpec {
    format: Format::JavaUtilLogging,
    first: b"JFMASOND",
    begins: is_head,
    read,
    show,
    follow: Follow {
        raw: |_| true,
        surely: |line| message_start(line).is_some() || (Follow::RAW.surely)(line),
        chained: |_| false,
        indented: false,
        apart: |_| false,
    },
};

/// Returns true for the first line of a record.
pub(crate) fn is_head(text: &str) -> bool {
    leading_java_time(text)
        .and_then(|(_, length)| text.get(length..))
        .is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty())
}

/// Returns the offset of the message in the second line of a record.
pub(crate) fn message_start(line: &str) -> Option<usize> {
    const LEVELS: [&str; 7] = [
        "SEVERE", "WARNING", "INFO", "CONFIG", "FINE", "FINER", "FINEST",
    ];
    let (level, _) = line.split_once(':')?;
    let start = level.len() + 1;
    LEVELS
        .contains(&level)
        .then(|| start + usize::from(line[start..].starts_with(' ')))
}

fn read<'a>(payload: &Payload<'a>) -> Option<Event<'a>> {
    let text = payload.as_str();
    let (time, length) = leading_java_time(text)?;
    let end = text.find('\n').unwrap_or(text.len());
    let second = (end + 1).min(text.len());
    let (level, start) = match message_start(&text[second..]) {
        Some(start) => {
            let colon = text[second..].find(':')?;
            (Some(second..second + colon), second + start)
        }
        None => (None, second),
    };
    let message = payload.part(start..text.len());
    let mut event = Event::new(Format::JavaUtilLogging, payload.text().span(), message);
    event.time = Some(time);
    let name = length + 1..end;
    let class = text.get(name.clone())?.split(' ').next()?.len();
    event.component = Some(payload.part(name.start..name.start + class));
    if let Some(level) = level {
        level::set(&mut event, payload.part(level));
    }
    Some(event)
}
