//! Messages with pairs after them where the head has a time or nothing at all, as structlog writes them for people without a
//! level. A line alone may be a sentence; the keys of a stream recur.
//!
//! ```text
//! 2024-03-04T05:06:07.123456Z lift failed                    [quay.arm] berth=7 user='old joe'
//! ```

use std::collections::HashMap;

use super::parts::name_length;
use crate::log::formats::{Bare, pairs_start};
use crate::log::logfmt::is_plain_key;

/// The least number of lines.
const LEAST: usize = 8;

/// The share of lines that end in pairs, of pairs whose keys recur, and of these lines with a logger, in percent.
const ENDING: usize = 40;
const RECURRING: usize = 90;
const NAMED: usize = 80;

/// What follows the messages of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Usual {
    /// True if it is a logger in brackets, before the pairs.
    pub(super) has_loggers: bool,
}

/// Says what follows the messages from these offsets on, if many of them end in pairs whose keys recur.
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
            // whoever quotes texts shows an empty one
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

/// Returns the length of a message without the logger in brackets after it, and the offset of the logger's name.
pub(super) fn logger(said: &str) -> Option<(usize, usize)> {
    let (before, name) = said.strip_suffix(']')?.rsplit_once(" [")?;
    let is_name = !name.is_empty() && name_length(name) == name.len();
    is_name.then_some((before.trim_end().len(), before.len() + 2))
}
