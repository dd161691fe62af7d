//! Matches conditions over time in bounded memory.

mod automaton;
mod compile;
mod level;
mod matches;
mod partition;
mod reorder;
mod scope_key;
mod stream;
#[cfg(test)]
mod tests;
mod threshold;

use stream::Stream;

use crate::matcher::Match;
use crate::matcher::{Hit, Moment};
use crate::sort;
use kwhy_signature::{Condition, leaves};

/// Returns the matches of a condition over time, given the hits of its leaves. Those of its `also`
/// and `none` stay in the iterator.
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
    let own = condition.number_of_own_leaves();
    *hits = lists.get(own..).unwrap_or_default().iter();
    let mut order: Vec<(usize, Hit)> = order
        .into_iter()
        .map(|(leaf, hit)| (leaf, hit.clone()))
        .collect();
    sort::by_key(&mut order, |(leaf, hit)| place(*leaf, hit));
    let Some(mut stream) = Stream::new(condition) else {
        return Vec::new();
    };
    for (leaf, hit) in side_by_side(order) {
        stream.take(leaf, hit);
    }
    stream.finish().0
}

/// The position of a leaf's hit in the input; hits of one record are adjacent.
fn place(leaf: usize, hit: &Hit) -> (usize, usize, usize, usize) {
    (hit.document, hit.record.start, hit.record.end, leaf)
}

/// The maximum number of hits that wait for further documents.
const MAX_WAITING: usize = 4096;

/// Follows a condition over time through an input of any size. The first hits are held back so that
/// those of several documents can be merged by time; beyond the limit hits are taken as they come,
/// and those of a later document with an earlier time are dropped.
pub(crate) struct Followed {
    waiting: Option<Vec<(usize, Hit)>>,
    stream: Stream,
}

impl Clone for Followed {
    /// Clones it, for a copy that is only finished.
    fn clone(&self) -> Followed {
        Followed {
            waiting: self.waiting.clone(),
            stream: match self.waiting {
                // the copy will take the waiting hits, and must count its own records
                Some(_) => self.stream.anew(),
                None => self.stream.clone(),
            },
        }
    }
}

impl Followed {
    /// Follows a condition; returns `None` if it is not temporal, or needs further hits at its end.
    pub fn new(condition: &Condition) -> Option<Followed> {
        if !condition.also.is_empty() {
            return None;
        }
        Some(Followed {
            waiting: Some(Vec::new()),
            stream: Stream::new(condition)?,
        })
    }

    /// Takes a hit of a leaf, in input order. `settle` infers the year of a time without one, if it
    /// is known by now.
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

    /// Returns all matches, and the number of hits dropped. `settle` updates held-back hits with what is known at the
    /// end, and with their document's final index.
    pub fn finish(mut self, settle: impl Fn(&mut Hit)) -> (Vec<Match>, u64) {
        if let Some(waiting) = &mut self.waiting {
            waiting.iter_mut().for_each(|(_, hit)| settle(hit));
            sort::by_key(waiting, |(leaf, hit)| place(*leaf, hit));
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

/// Merges the hits of several documents by time, otherwise keeping input order: the logs of two pods cover the same
/// hour, and read one after the other, the second would be too late.
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
    sort::by_key(&mut timed, |(time, _)| *time);
    timed.into_iter().map(|(_, hit)| hit)
}
