//! Counts events of one kind against a threshold within a window, and reports them as one burst.
//!
//! A burst starts when the counts within the window reach the threshold. It includes every event in
//! that window, and every later one within the window of its last event. Later events may start
//! another burst.

use std::collections::VecDeque;

use super::automaton::Time;

/// The maximum number of items kept per burst; beyond it, only the count and the last time are kept.
pub(super) const MAX_ITEMS: usize = 16;

/// Events that reached the threshold within the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Burst<T> {
    /// The first items, up to `MAX_ITEMS`.
    pub items: Vec<T>,
    /// The total count.
    pub count: u64,
    /// The latest one.
    pub latest: T,
    end: Time,
}

#[derive(Clone, Debug)]
struct Seen<T> {
    time: Time,
    /// Its contribution to the threshold.
    weight: u64,
    count: u64,
    item: T,
}

/// Detects bursts of one kind of event.
#[derive(Clone, Debug)]
pub(super) struct Bursts<T> {
    /// The events in the window while there is no burst.
    seen: VecDeque<Seen<T>>,
    weight: u64,
    open: Option<Burst<T>>,
}

impl<T: Clone> Bursts<T> {
    pub fn new() -> Self {
        Bursts {
            seen: VecDeque::new(),
            weight: 0,
            open: None,
        }
    }

    /// The number of items kept.
    pub fn len(&self) -> usize {
        self.seen.len() + self.open.as_ref().map_or(0, |burst| burst.items.len() + 1)
    }

    /// Takes an event, in order of time, and returns the burst that it ends, if any.
    pub fn take(
        &mut self,
        (need, window): (u64, Time),
        time: Time,
        (weight, count): (u64, u64),
        item: T,
    ) -> Option<Burst<T>> {
        let mut ended = None;
        if let Some(burst) = &mut self.open {
            if time - burst.end <= window {
                burst.count = burst.count.saturating_add(count);
                burst.end = time;
                if burst.items.len() < MAX_ITEMS {
                    burst.items.push(item.clone());
                }
                burst.latest = item;
                return None;
            }
            ended = self.open.take();
        }
        let weight = weight.min(need);
        while self
            .seen
            .front()
            .is_some_and(|seen| time - seen.time > window)
        {
            let gone = self.seen.pop_front().map_or(0, |seen| seen.weight);
            self.weight = self.weight.saturating_sub(gone);
        }
        self.weight = self.weight.saturating_add(weight);
        self.seen.push_back(Seen {
            time,
            weight,
            count,
            item: item.clone(),
        });
        if self.weight >= need {
            let count = self.seen.iter().map(|seen| seen.count);
            let count = count.fold(0, u64::saturating_add);
            let items = self.seen.drain(..).map(|seen| seen.item);
            self.open = Some(Burst {
                // dropping the iterator drops the rest
                items: items.take(MAX_ITEMS).collect(),
                count,
                latest: item,
                end: time,
            });
            self.weight = 0;
        }
        ended
    }

    /// Returns the burst that is still open at the end.
    pub fn finish(&mut self) -> Option<Burst<T>> {
        self.open.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(need: u64, window: Time, seen: &[(Time, u64)]) -> Vec<(Vec<usize>, u64)> {
        let mut bursts = Bursts::new();
        let mut ended = Vec::new();
        for (number, (time, count)) in seen.iter().enumerate() {
            ended.extend(bursts.take((need, window), *time, (*count, *count), number));
        }
        ended.extend(bursts.finish());
        ended
            .into_iter()
            .map(|burst| (burst.items, burst.count))
            .collect()
    }

    #[test]
    fn enough_within_the_window_and_what_follows() {
        let once = |times: &[Time]| times.iter().map(|time| (*time, 1)).collect::<Vec<_>>();
        // the window includes both ends
        assert_eq!(run(3, 10, &once(&[0, 5, 10])), [(vec![0, 1, 2], 3)]);
        assert_eq!(run(3, 10, &once(&[0, 5, 11])), []);
        // the burst continues while the next event is within the window
        assert_eq!(
            run(2, 10, &once(&[0, 1, 11, 21, 32, 33])),
            [(vec![0, 1, 2, 3], 4), (vec![4, 5], 2)]
        );
        // counts add up, and events before the window are excluded
        assert_eq!(
            run(12, 10, &[(0, 5), (20, 1), (25, 11)]),
            [(vec![1, 2], 12)]
        );
        let (items, count) = run(2, 10, &once(&[0; 40])).remove(0);
        assert_eq!((items.len(), count), (MAX_ITEMS, 40));
    }

    #[test]
    fn what_is_kept_is_what_is_in_the_window() {
        let mut bursts = Bursts::new();
        for time in 0..100_000 {
            assert_eq!(bursts.take((100, 10), time, (1, 1), ()), None);
            assert!(bursts.len() <= 11);
        }
    }
}
