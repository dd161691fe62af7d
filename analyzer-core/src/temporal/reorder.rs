//! Restores the order of slightly late items.

use std::collections::BTreeMap;

use super::automaton::Time;

/// The maximum number of waiting items; beyond it the oldest is released.
pub(super) const MAX_WAITING: usize = 4096;

/// Holds items back until no older one is expected.
#[derive(Clone, Debug)]
pub(super) struct Reorder<T> {
    /// The waiting items by time, those of equal times in order of arrival.
    waiting: BTreeMap<(Time, u64), T>,
    number: u64,
    highest: Option<Time>,
    delivered: Option<Time>,
    /// The maximum lateness of an item; `None` if any order is expected.
    tolerance: Option<Time>,
}

impl<T> Reorder<T> {
    pub fn new(tolerance: Option<Time>) -> Self {
        Reorder {
            waiting: BTreeMap::new(),
            number: 0,
            highest: None,
            delivered: None,
            tolerance,
        }
    }

    /// Takes an item; returns false if it is older than one already released.
    #[must_use]
    pub fn push(&mut self, time: Time, item: T) -> bool {
        if self.delivered.is_some_and(|delivered| time < delivered) {
            return false;
        }
        self.highest = self.highest.max(Some(time));
        self.waiting.insert((time, self.number), item);
        self.number += 1;
        true
    }

    /// Returns the next item that no older one can precede.
    pub fn pop(&mut self) -> Option<(Time, T)> {
        let (time, _) = *self.waiting.first_key_value()?.0;
        let is_settled = match (self.tolerance, self.highest) {
            (Some(tolerance), Some(highest)) => time < highest - tolerance,
            _ => false,
        };
        if is_settled || self.waiting.len() > MAX_WAITING {
            return self.pop_any();
        }
        None
    }

    /// Returns the next item at the end of the input.
    pub fn pop_any(&mut self) -> Option<(Time, T)> {
        let ((time, _), item) = self.waiting.pop_first()?;
        self.delivered = Some(time);
        Some((time, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tolerance: Option<Time>, times: &[Time]) -> (Vec<(Time, usize)>, usize) {
        let mut reorder = Reorder::new(tolerance);
        let mut given = Vec::new();
        let mut late = 0;
        for (number, time) in times.iter().enumerate() {
            late += usize::from(!reorder.push(*time, number));
            given.extend(std::iter::from_fn(|| reorder.pop()));
            assert!(reorder.waiting.len() <= MAX_WAITING);
        }
        given.extend(std::iter::from_fn(|| reorder.pop_any()));
        (given, late)
    }

    #[test]
    fn a_little_late_is_in_time() {
        let (given, late) = run(Some(5), &[3, 1, 2, 2, 7, 4]);
        assert_eq!(given, [(1, 1), (2, 2), (2, 3), (3, 0), (4, 5), (7, 4)]);
        assert_eq!(late, 0);
        // an item exactly as late as the tolerance is accepted, and an equal time is not late
        assert_eq!(run(Some(5), &[1, 7, 1, 2, 0]).1, 1);
        assert_eq!(run(Some(5), &[1, 6, 0]).1, 0);
    }

    #[test]
    fn without_order_all_wait_up_to_a_limit() {
        let times: Vec<Time> = (0..4000).rev().collect();
        let (given, late) = run(None, &times);
        assert!(given.is_sorted() && late == 0);
        let times: Vec<Time> = (0..10_000).collect();
        assert_eq!(run(None, &times).0.len(), 10_000);
    }
}
