//! Conditions over time, followed through the input in bounded memory.

mod automaton;
mod burst;
mod key;
mod lane;
mod plan;
mod reorder;
mod stream;
#[cfg(test)]
mod tests;
mod told;

pub(crate) use stream::Stream;

use super::evaluate::Match;
use super::hit::{Hit, Moment};
use crate::signature::{Condition, leaves};

/// The matches of a condition over time, given the hits of its leaves; those of its `also` and `none`
/// are left to be taken.
pub(super) fn matches(
    condition: &Condition,
    hits: &mut std::slice::Iter<'_, Vec<Hit>>,
) -> Vec<Match> {
    let mut all = Vec::new();
    leaves(condition, &mut all);
    let lists = hits.as_slice();
    let mut order: Vec<(usize, &Hit)> = Vec::new();
    for (leaf, list) in lists.iter().enumerate().take(all.len()) {
        order.extend(list.iter().map(|hit| (leaf, hit)));
    }
    let parts = condition.temporal_parts().len();
    *hits = lists.get(parts..).unwrap_or_default().iter();
    order.sort_by_key(|(leaf, hit)| (hit.document, hit.record.start, hit.record.end, *leaf));
    let Some(mut stream) = Stream::new(condition) else {
        return Vec::new();
    };
    for (leaf, hit) in side_by_side(order) {
        stream.take(leaf, hit.clone());
    }
    stream.finish().0
}

/// Hits in the order of the input, but those of several documents side by side as their times say:
/// the logs of two pods cover the same hour, and one after the other the second would come too late.
fn side_by_side(order: Vec<(usize, &Hit)>) -> impl Iterator<Item = (usize, &Hit)> {
    let mut reached: (usize, Option<i128>) = (0, None);
    let mut timed: Vec<(Option<i128>, (usize, &Hit))> = Vec::new();
    for (leaf, hit) in order {
        if reached.0 != hit.document {
            reached = (hit.document, None);
        }
        if let Some(Moment::At(stamp)) = hit.last {
            reached.1 = reached.1.max(Some(stamp.nanos));
        }
        timed.push((reached.1, (leaf, hit)));
    }
    timed.sort_by_key(|(time, _)| *time);
    timed.into_iter().map(|(_, hit)| hit)
}
