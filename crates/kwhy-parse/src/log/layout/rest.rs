//! What stands behind a head: the message, and the values after it as pairs or as an object.

use std::ops::Range;

use crate::log::formats::{Bare, pairs_start};
use crate::log::json_members::{Members, nested_end};
use crate::log::logfmt::Pairs;
use crate::log::payload::Payload;
use kwhy_model::Field;

/// A message and the values after it.
pub(super) struct Rest<'a> {
    pub(super) message: Range<usize>,
    pub(super) fields: Vec<Field<'a>>,
}

/// The number of objects' starts that are examined.
const CANDIDATES: usize = 8;

pub(super) fn read<'a>(payload: &Payload<'a>, from: usize) -> Rest<'a> {
    let text = payload.as_str();
    let end = text.trim_end().len().max(from);
    if let Some((start, fields)) = object(payload, from, end) {
        return Rest { message: from..start, fields };
    }
    if let Some(start) = pairs_start(text, from, Bare::Json) {
        let message = from..text[..start].trim_end().len().max(from);
        let fields = Pairs::new(payload, start).collect();
        return Rest { message, fields };
    }
    Rest { message: from..text.len(), fields: Vec::new() }
}

/// An object at the end of the first line, behind a space or a tab.
fn object<'a>(payload: &Payload<'a>, from: usize, end: usize) -> Option<(usize, Vec<Field<'a>>)> {
    let text = payload.as_str();
    let body = text.get(from..end)?;
    if !body.ends_with('}') {
        return None;
    }
    for (at, _) in body.match_indices("{\"").take(CANDIDATES) {
        let start = from + at;
        let before = text.get(from..start)?;
        if !(before.is_empty() || before.ends_with([' ', '\t'])) || nested_end(text, start) != Some(end) {
            continue;
        }
        let fields = Members::new(text, start).map(|member| member.field(payload)).collect();
        return Some((from + before.trim_end_matches(['\t', '|', ' ']).len(), fields));
    }
    None
}
