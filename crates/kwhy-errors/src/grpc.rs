//! gRPC statuses: `rpc error: code = Unknown desc = ...` (grpc-go, `internal/status`).
//!
//! Old versions print the code as a number.

use super::part::Cursor;
use super::recognise::Found;
use super::{Fact, LinkKind};

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    let (before, code) = first.split_once("code = ")?;
    let code = code.words().next()?;
    let lead = before.strip_suffix("rpc error: ").or_else(|| {
        let bare = before.is_empty() && cursor.len() > 1;
        bare.then_some(before)
    })?;
    Some(Found::new(LinkKind::Grpc, vec![code.fact(Fact::Grpc)]).at(lead.as_str().len()))
}
