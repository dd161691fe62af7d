//! Applies the recognisers of all families to the text at a cursor.

use super::part::{Cursor, Part};
use super::{Fact, LinkKind};
use super::{
    api, cni, dns, exit, grpc, http, image, network, operation, runtime, syscall, timeout, volume,
    x509,
};
use kwhy_model::Text;

/// A recognised link.
pub(super) struct Found<'a> {
    pub(super) kind: LinkKind,
    /// The number of segments that it occupies.
    pub(super) take: usize,
    /// Its offset in the first segment; text before it is a link of its own.
    pub(super) at: usize,
    pub(super) facts: Vec<(Fact, Text<'a>)>,
    /// True if its quotations belong to it rather than being inner errors.
    pub(super) opaque: bool,
}

impl<'a> Found<'a> {
    /// Returns a link of one segment.
    pub(super) fn new(kind: LinkKind, facts: Vec<(Fact, Text<'a>)>) -> Self {
        Found {
            kind,
            take: 1,
            at: 0,
            facts,
            opaque: false,
        }
    }

    pub(super) fn taking(self, take: usize) -> Self {
        Found { take, ..self }
    }

    pub(super) fn at(self, at: usize) -> Self {
        Found { at, ..self }
    }

    pub(super) fn opaque(self) -> Self {
        Found {
            opaque: true,
            ..self
        }
    }
}

type Recogniser = for<'a> fn(Cursor<'_, 'a>) -> Option<Found<'a>>;

/// The recognisers, narrower patterns first.
const RECOGNISERS: &[Recogniser] = &[
    similar_events,
    grpc::recognise,
    volume::recognise,
    image::recognise,
    cni::recognise,
    runtime::recognise,
    api::recognise,
    x509::recognise,
    http::recognise,
    dns::recognise,
    network::recognise,
    syscall::recognise,
    exit::recognise,
    timeout::recognise,
];

/// Recognises the link at the cursor.
pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Found<'a> {
    if let Some(found) = RECOGNISERS.iter().find_map(|recogniser| recogniser(cursor)) {
        return found;
    }
    let (kind, facts) = cursor
        .part(0)
        .map_or((LinkKind::Other, Vec::new()), operation::describe);
    Found::new(kind, facts)
}

/// Returns true if a bracketed segment is a link of its own rather than an error in brackets.
pub(super) fn is_lead(part: Part<'_, '_>) -> bool {
    part.as_str() == SIMILAR_EVENTS
}

const SIMILAR_EVENTS: &str = "(combined from similar events)";

/// Recognises the prefix of client-go's event recorder (`tools/record/events_cache.go`).
fn similar_events<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    is_lead(cursor.part(0)?).then(|| Found::new(LinkKind::SimilarEvents, Vec::new()).opaque())
}
