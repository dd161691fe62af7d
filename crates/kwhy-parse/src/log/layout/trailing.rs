//! Messages followed by pairs, in heads with a time or nothing at all, as in structlog's console format without a
//! level. A single line may be a sentence; in a stream the keys recur.
//!
//! ```text
//! 2024-03-04T05:06:07.123456Z lift failed                    [quay.arm] berth=7 user='old joe'
//! ```

use std::collections::HashMap;

use super::parts::name_length;
use crate::log::formats::{Bare, pairs_start};
use crate::log::logfmt::is_plain_key;

/// The minimum number of lines.
const LEAST: usize = 8;

/// The minimum shares, in percent: of lines that end in pairs, of pairs whose keys recur, and of the former lines that
/// also have a logger.
const ENDING: usize = 40;
const RECURRING: usize = 90;
const NAMED: usize = 80;

/// The layout after the messages of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Usual {
    /// True if a logger in brackets precedes the pairs.
    pub(super) has_loggers: bool,
}

/// Returns the layout after the messages that start at these offsets, if many end in pairs whose keys recur.
pub(super) fn usual(texts: &[(&str, usize)]) -> Option<Usual> {
    let mut keys: HashMap<&str, usize> = HashMap::new();
    let (mut ending, mut named) = (0, 0);
    for (text, from) in texts {
        let end = text.trim_end().len();
        let start = pairs_start(text, *from, Bare::Json).filter(|start| start > from);
        let said = text.get(*from..start.unwrap_or(end)).unwrap_or("");
        let has_logger = start.is_some() && logger(said.trim_end()).is_some();
        named += usize::from(has_logger);
        let pairs = start.and_then(|start| text.get(start..end)).unwrap_or("");
        let found = pairs.split(' ').filter_map(|word| word.split_once('='));
        let mut is_whole = start.is_some();
        for (key, value) in found.filter(|(key, _)| is_plain_key(key)) {
            *keys.entry(key).or_default() += 1;
            // writers that quote texts print an empty one as `""`
            is_whole &= !value.is_empty();
        }
        ending += usize::from(is_whole);
    }
    let all: usize = keys.values().sum();
    let recurring: usize = keys.values().filter(|count| **count > 1).sum();
    let is_usual = texts.len() >= LEAST
        && ending * 100 >= texts.len() * ENDING
        && recurring * 100 >= all * RECURRING;
    is_usual.then_some(Usual {
        has_loggers: named * 100 >= ending * NAMED,
    })
}

/// Returns the length of a message without the bracketed logger at its end, and the offset of the logger's name.
pub(super) fn logger(said: &str) -> Option<(usize, usize)> {
    let (before, name) = said.strip_suffix(']')?.rsplit_once(" [")?;
    let is_name = !name.is_empty() && name_length(name) == name.len();
    is_name.then_some((before.trim_end().len(), before.len() + 2))
}
