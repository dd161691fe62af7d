//! Padding before the first part of a head, which right-aligns levels or seconds since the start:
//!
//! ```text
//!  INFO arm ready            0.000000000s  INFO ready
//! ERROR lift failed         61.037211000s ERROR lift failed
//! ```

use super::head::candidates;
use super::parts::Kind;

/// The maximum number of spaces before a head.
const MOST: usize = 8;

/// The number of columns in which the first part may end.
const COLUMNS: usize = 64;

/// The minimum number of lines whose first parts end in the same column.
const LEAST: usize = 3;

/// Returns the offsets of the start and the end of the first part after the spaces.
fn first(text: &str) -> Option<(usize, usize)> {
    let indent = text
        .bytes()
        .take(MOST + 1)
        .take_while(|b| *b == b' ')
        .count();
    if indent > MOST {
        return None;
    }
    let bytes = text.as_bytes();
    if !bytes
        .get(indent)
        .is_some_and(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    {
        return None;
    }
    let part = candidates(text, indent).next()?;
    let word = text.get(part.range.clone())?;
    let is_upper = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_head = match part.kind {
        Kind::Time => true,
        Kind::Level => is_upper,
        _ => false,
    };
    is_head.then_some((indent, part.range.end))
}

/// The column in which the first part of padded heads ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Padding(usize);

impl Padding {
    /// Learns the column from lines.
    pub(super) fn learn<'l>(lines: impl Iterator<Item = &'l str>) -> Option<Padding> {
        // the number of lines per column, and of those with spaces
        let mut columns = [(0usize, 0usize); COLUMNS];
        for (indent, end) in lines.filter_map(first) {
            if let Some((all, padded)) = columns.get_mut(end) {
                *all += 1;
                *padded += usize::from(indent > 0);
            }
        }
        let columns = columns.iter().enumerate();
        let (end, (all, _)) = columns
            .filter(|(_, (_, padded))| *padded > 0)
            .max_by_key(|(_, (all, _))| *all)?;
        (*all >= LEAST).then_some(Padding(end))
    }

    /// Returns the number of spaces before the head of a line.
    pub(super) fn before(self, text: &str) -> usize {
        // large numbers of seconds are wider than their column
        let is_since_start = |end: usize| text.get(..end).is_some_and(|head| head.ends_with('s'));
        match first(text) {
            Some((indent, end)) if end == self.0 || is_since_start(end) => indent,
            _ => 0,
        }
    }
}
