//! Deadlines and cancelled requests.

use super::part::Cursor;
use super::recognise::Found;
use super::{Fact, LinkKind};

/// Go's `context`, apimachinery's `wait`, `net/http`'s client and dockershim.
const TEXTS: &[(&str, &str)] = &[
    ("context deadline exceeded", "deadline-exceeded"),
    (
        "stream terminated by RST_STREAM with error code: CANCEL",
        "canceled",
    ),
    ("context canceled", "canceled"),
    ("context cancelled", "canceled"),
    ("operation was canceled", "canceled"),
    ("timed out waiting for the condition", "condition"),
    ("operation timeout", "operation-timeout"),
    ("operation timed out", "operation-timeout"),
    ("request timed out", "operation-timeout"),
    ("request canceled", "canceled"),
    ("Client.Timeout exceeded", "client-timeout"),
    ("Client.Timeout or context cancellation", "client-timeout"),
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    let facts: Vec<_> = TEXTS
        .iter()
        .filter_map(|(words, name)| Some(first.find_words(words)?.says(Fact::Timeout, name)))
        .collect();
    (!facts.is_empty()).then(|| Found::new(LinkKind::Timeout, facts).opaque())
}
