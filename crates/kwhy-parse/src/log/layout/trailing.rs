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

/// The share of lines that end in pairs, and of pairs whose keys recur, in percent.
const ENDING: usize = 50;
const RECURRING: usize = 90;

/// Returns true if many of the texts from these offsets on end in pairs whose keys recur.
pub(super) fn is_usual(texts: &[(&str, usize)]) -> bool {
    if texts.len() < LEAST {
        return false;
    }
    let mut keys: HashMap<&str, usize> = HashMap::new();
    let mut ending = 0;
    for (text, from) in texts {
        let end = text.trim_end().len();
        let Some(start) = pairs_start(text, *from, Bare::Json).filter(|start| start > from) else {
            let said = text.get(*from..end).unwrap_or("");
            ending += usize::from(logger(said).is_some());
            continue;
        };
        let pairs = text.get(start..end).unwrap_or("");
        let found = pairs.split(' ').filter_map(|word| word.split_once('='));
        for (key, _) in found.filter(|(key, _)| is_plain_key(key)) {
            *keys.entry(key).or_default() += 1;
        }
        ending += 1;
    }
    let all: usize = keys.values().sum();
    let recurring: usize = keys.values().filter(|count| **count > 1).sum();
    ending * 100 >= texts.len() * ENDING && all > 0 && recurring * 100 >= all * RECURRING
}

/// Returns the length of a message without the logger in brackets after it, and the offset of the logger's name.
pub(super) fn logger(said: &str) -> Option<(usize, usize)> {
    let (before, name) = said.strip_suffix(']')?.rsplit_once(" [")?;
    let is_name = !name.is_empty() && name_length(name) == name.len();
    is_name.then_some((before.trim_end().len(), before.len() + 2))
}
