//! Conditions over time, followed through the input in bounded memory.

mod automaton;
mod threshold;
mod scope_key;
mod partition;
mod compile;
mod reorder;
mod stream;
#[cfg(test)]
mod tests;
mod matches;

use stream::Stream;

use crate::matcher::Match;
use crate::matcher::{Hit, Moment};
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
    let mut order: Vec<(usize, Hit)> = order
        .into_iter()
        .map(|(leaf, hit)| (leaf, hit.clone()))
        .collect();
    order.sort_by_key(|(leaf, hit)| place(*leaf, hit));
    let Some(mut stream) = Stream::new(condition) else {
        return Vec::new();
    };
    for (leaf, hit) in side_by_side(order) {
        stream.take(leaf, hit);
    }
    stream.finish().0
}

/// Where a leaf's hit stands in the input: those of one record stand together.
fn place(leaf: usize, hit: &Hit) -> (usize, usize, usize, usize) {
    (hit.document, hit.record.start, hit.record.end, leaf)
}

/// How many hits wait for what further documents hold.
const MAX_WAITING: usize = 4096;

/// Follows a condition over time through an input of any size. The first hits wait, so that those of
/// several documents can be taken side by side; where there are more, they are taken as they
/// come, and those of a later document that tells of an earlier time are left out.
pub(crate) struct Followed<'c> {
    waiting: Option<Vec<(usize, Hit)>>,
    stream: Stream<'c>,
}

impl<'c> Followed<'c> {
    /// Follows a condition; `None` if it is not one over time, or needs further hits at its end.
    pub fn new(condition: &'c Condition) -> Option<Followed<'c>> {
        if !condition.also.is_empty() {
            return None;
        }
        Some(Followed {
            waiting: Some(Vec::new()),
            stream: Stream::new(condition)?,
        })
    }

    /// Takes a hit of a leaf, in the order of the input. `settle` gives a time without a year its own, as far as
    /// that is known by now.
    pub fn take(&mut self, leaf: usize, mut hit: Hit, settle: impl Fn(Moment) -> Moment) {
        let settled = |hit: &mut Hit| {
            hit.first = hit.first.map(&settle);
            hit.last = hit.last.map(&settle);
        };
        match &mut self.waiting {
            None => {
                settled(&mut hit);
                self.stream.take(leaf, hit);
            }
            Some(waiting) => {
                waiting.push((leaf, hit));
                if waiting.len() > MAX_WAITING {
                    waiting.iter_mut().for_each(|(_, hit)| settled(hit));
                    self.release();
                }
            }
        }
    }

    fn release(&mut self) {
        for (leaf, hit) in side_by_side(self.waiting.take().unwrap_or_default()) {
            self.stream.take(leaf, hit);
        }
    }

    /// All matches, and how many hits were left out. `settle` gives those that waited what was learnt
    /// since, and the number of their document in order.
    pub fn finish(mut self, settle: impl Fn(&mut Hit)) -> (Vec<Match>, u64) {
        if let Some(waiting) = &mut self.waiting {
            waiting.iter_mut().for_each(|(_, hit)| settle(hit));
            waiting.sort_by_key(|(leaf, hit)| place(*leaf, hit));
            self.release();
            return self.stream.finish();
        }
        let (mut found, left_out) = self.stream.finish();
        let hits = found.iter_mut().flat_map(|found| &mut found.hits);
        hits.for_each(settle);
        stream::sort(&mut found);
        (found, left_out)
    }
}

/// Hits in the order of the input, but those of several documents side by side as their times say:
/// the logs of two pods cover the same hour, and one after the other the second would come too late.
fn side_by_side(order: Vec<(usize, Hit)>) -> impl Iterator<Item = (usize, Hit)> {
    let mut reached: (usize, Option<i128>) = (0, None);
    let mut timed: Vec<(Option<i128>, (usize, Hit))> = Vec::new();
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
