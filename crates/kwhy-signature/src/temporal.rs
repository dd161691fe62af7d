//! Conditions over time: which conditions are temporal, and what they may contain.
//!
//! `all` and `sequence` with `within`, an event with `at_least` and `within`, and an event with an entry of `none` that
//! states a time range. Their parts are single events, or `all` and `sequence` with `within` themselves, so that they
//! can be followed while the input is read.

use std::time::Duration;

use super::condition::{Condition, What};
use kwhy_model::duration::nanoseconds;

/// The maximum number of parts of a condition over time, and of its `none`: each is a bit of a word.
pub(crate) const MAX_PARTS: usize = 64;

/// The maximum `at_least` of a part, or of an event with `none`: that many events are kept.
pub(crate) const MAX_COUNT: u64 = 4096;

/// The maximum `at_least` of a single event, which needs less memory.
pub(crate) const MAX_LONE_COUNT: u64 = 65_536;

/// The maximum number of events in nested conditions over time, at all depths.
pub(crate) const MAX_INNER_LEAVES: usize = 128;

/// The maximum nesting depth of conditions over time.
pub(crate) const MAX_DEPTH: usize = 100;

/// The message for a misplaced time range.
pub(super) const MISPLACED: &str = "window, slide, anchor and absolute belong in an entry of none, \
    of an event or of all or sequence with within";

/// The time range of an entry of `none`, relative to the events that it would refute. It starts at the anchor's time
/// plus `slide`, and lasts for `window` plus, unless it is absolute, the time from the first event to the last,
/// inclusive. By default it is the time from the first event to the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The length in nanoseconds.
    pub window: i64,
    /// The shift in nanoseconds.
    pub slide: i64,
    /// The index of the event, in order of time.
    pub anchor: usize,
    /// True if the time from the first event to the last is not added.
    pub absolute: bool,
}

/// Parses a rate such as `100/1m`.
pub(super) fn rate(text: &str) -> Option<(u64, Duration)> {
    let (count, time) = text.split_once('/')?;
    let count = count.trim().parse().ok().filter(|count| *count > 1)?;
    let nanos = u64::try_from(nanoseconds(time.trim())?).ok()?;
    Some((count, Duration::from_nanos(nanos)))
}

impl Condition {
    /// Returns true if it is matched over time.
    pub fn is_temporal(&self) -> bool {
        match self.what {
            What::All(_) | What::Sequence(_) => self.within.is_some(),
            What::Event(_) => {
                let often = self.at_least > 1 && self.within.is_some();
                often || self.none.iter().any(|absent| absent.reach.is_some())
            }
            What::Object(_) | What::Any(_) => false,
        }
    }

    /// Returns true if each hit is a match on its own, except those of `also`, which only add details.
    pub fn is_single(&self) -> bool {
        let single = match &self.what {
            What::Event(_) | What::Object(_) => true,
            // a comparison in one of several alternatives applies to that one only
            What::Any(parts) => parts.iter().all(|part| {
                part.is_single() && part.also.is_empty() && part.comparisons.is_empty()
            }),
            What::All(_) | What::Sequence(_) => false,
        };
        self.none.is_empty() && single && self.at_least <= 1 && !self.is_temporal()
    }

    /// Returns true if a hit of a leaf condition is a match on its own; `leaf` is its index in the order of
    /// [`leaves`](crate::leaves).
    pub fn is_match_alone(&self, leaf: u16) -> bool {
        let is_own = || usize::from(leaf) < self.number_of_own_leaves();
        let is_alternative = || {
            let alone = self.leaves_alone();
            alone.is_some_and(|alone| alone.get(usize::from(leaf)) == Some(&true))
        };
        self.comparisons.is_empty()
            && match self.is_single() {
                true => self.also.is_empty() || is_own(),
                false => is_alternative(),
            }
    }

    /// For a condition of which some alternatives are single hits and others are over several: returns for each leaf
    /// whether it is one of the former. `None` for any other condition.
    pub fn leaves_alone(&self) -> Option<Vec<bool>> {
        let What::Any(parts) = &self.what else {
            return None;
        };
        let is_alone = |part: &Condition| {
            part.is_single() && part.also.is_empty() && part.comparisons.is_empty()
        };
        let is_plain = self.none.is_empty()
            && self.also.is_empty()
            && self.comparisons.is_empty()
            && self.at_least <= 1;
        if !is_plain || self.is_relation() || self.is_single() || !parts.iter().any(is_alone) {
            return None;
        }
        let leaves = parts
            .iter()
            .flat_map(|part| std::iter::repeat_n(is_alone(part), part.number_of_leaves()));
        Some(leaves.collect())
    }

    /// The number of its leaf conditions without those of `also` and `none`, which follow them.
    pub fn number_of_own_leaves(&self) -> usize {
        match &self.what {
            What::Event(_) | What::Object(_) => 1,
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                parts.iter().map(Condition::number_of_leaves).sum()
            }
        }
    }

    fn number_of_leaves(&self) -> usize {
        let further = self.also.iter().chain(&self.none);
        self.number_of_own_leaves() + further.map(Condition::number_of_leaves).sum::<usize>()
    }

    /// Returns true if a condition compares objects with each other, without events and times.
    pub fn is_relation(&self) -> bool {
        let is_one = matches!(self.what, What::Object(_)) && self.none.is_empty();
        !is_one && !self.is_temporal() && !self.is_single() && self.is_of_objects()
    }

    fn is_of_objects(&self) -> bool {
        let parts: &[Condition] = match &self.what {
            What::Object(_) => &[],
            What::All(parts) | What::Any(parts) => parts,
            What::Event(_) | What::Sequence(_) => return false,
        };
        let further = self.also.iter().chain(&self.none);
        self.at_least <= 1
            && self.within.is_none()
            && parts.iter().chain(further).all(Condition::is_of_objects)
    }

    /// The number of entries in one match of a part, which may itself be over time.
    pub fn number_of_entries(&self) -> u64 {
        let (What::All(parts) | What::Sequence(parts)) = &self.what else {
            return 1;
        };
        let entries = parts
            .iter()
            .map(|part| part.at_least.saturating_mul(part.number_of_entries()));
        entries.fold(0, u64::saturating_add)
    }

    /// The nesting depth of conditions over time.
    fn depth(&self) -> usize {
        match &self.what {
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                let parts = parts.iter().chain(&self.none);
                1 + parts.map(Condition::depth).max().unwrap_or(0)
            }
            What::Event(_) | What::Object(_) => 0,
        }
    }

    /// The positive parts of a condition over time; a single event is its own part.
    pub fn temporal_parts(&self) -> &[Condition] {
        match &self.what {
            What::All(parts) | What::Sequence(parts) => parts,
            _ => std::slice::from_ref(self),
        }
    }

    /// Refuses conditions that cannot be matched over time.
    pub(super) fn check_times(&self) -> Result<(), String> {
        let listed = match &self.what {
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => parts.as_slice(),
            What::Event(_) | What::Object(_) => &[],
        };
        let reaching = |conditions: &[Condition]| conditions.iter().any(|c| c.reach.is_some());
        if reaching(listed) || reaching(&self.also) {
            return Err(MISPLACED.into());
        }
        self.also.iter().try_for_each(Condition::check_once)?;
        if !self.is_temporal() {
            let parts = listed.iter().chain(&self.none);
            parts.into_iter().try_for_each(Condition::check_once)?;
            let misplaced = reaching(&self.none);
            return if misplaced {
                Err(MISPLACED.into())
            } else {
                Ok(())
            };
        }
        let parts = self.temporal_parts();
        for (parts, name) in [(parts, "parts"), (&self.none, "entries of none")] {
            if parts.len() > MAX_PARTS {
                return Err(format!(
                    "more than {MAX_PARTS} {name} of a condition with within"
                ));
            }
        }
        for part in listed.iter().chain(&self.none) {
            part.check_alone()?;
        }
        if self.none.iter().any(|absent| absent.at_least > 1) {
            return Err("at_least is not allowed in an entry of none".into());
        }
        self.check_counts(parts, !listed.is_empty())
    }

    /// Refuses `at_least` on a list over time, unless the list is part of another one.
    pub(super) fn check_once(&self) -> Result<(), String> {
        let is_list = matches!(self.what, What::All(_) | What::Sequence(_));
        match is_list && self.is_temporal() && self.at_least > 1 {
            true => Err("at_least belongs to a part of all or sequence with within".into()),
            false => Ok(()),
        }
    }

    /// Refuses a part of a condition over time that is neither a single event nor itself over time.
    fn check_alone(&self) -> Result<(), String> {
        match self.what {
            What::Event(_) => {}
            What::All(_) | What::Sequence(_) if self.is_temporal() => return self.check_inner(),
            What::Object(_) => {
                return Err(
                    "an object has no time: a condition with within is made of events".into(),
                );
            }
            What::All(_) | What::Any(_) | What::Sequence(_) => {
                return Err(
                    "any, and all and sequence without within, are not allowed inside a condition with \
                     within; for any of several texts give the event a list of messages"
                        .into(),
                );
            }
        }
        if self.within.is_some() || !self.none.is_empty() || !self.also.is_empty() {
            return Err(
                "within, rate, none and also belong to the whole of a condition with within, \
                 not to a part"
                    .into(),
            );
        }
        Ok(())
    }

    /// Refuses a nested condition over time that tests more than when its events occur.
    fn check_inner(&self) -> Result<(), String> {
        let mut captured = Vec::new();
        self.captures(&mut captured);
        let further = self.none.iter().map(|absent| {
            let mut captured = Vec::new();
            absent.captures(&mut captured);
            captured.len()
        });
        if captured.len() + further.sum::<usize>() > 0 || !self.also.is_empty() {
            return Err(
                "a condition with within inside of another one captures nothing and has no also"
                    .into(),
            );
        }
        if self.number_of_entries() > MAX_COUNT {
            return Err(format!(
                "a match of a condition inside of another one has more than {MAX_COUNT} events"
            ));
        }
        if self.number_of_leaves() > MAX_INNER_LEAVES {
            return Err(format!(
                "more than {MAX_INNER_LEAVES} events in conditions inside of another one"
            ));
        }
        if self.depth() > MAX_DEPTH {
            return Err(format!(
                "conditions with within are more than {MAX_DEPTH} inside of one another"
            ));
        }
        Ok(())
    }

    fn check_counts(&self, parts: &[Condition], is_list: bool) -> Result<(), String> {
        if !is_list && self.at_least == 1 && self.within.is_some() {
            return Err("within needs at_least on a single event".into());
        }
        let most = if is_list || !self.none.is_empty() {
            MAX_COUNT
        } else {
            MAX_LONE_COUNT
        };
        if parts.iter().any(|part| part.at_least > most) {
            return Err(format!("at_least must not exceed {most} here"));
        }
        let positives: u64 = parts.iter().map(|part| part.at_least).sum();
        if matches!(self.what, What::Sequence(_)) && positives < 2 {
            return Err("a sequence needs two events or more".into());
        }
        let anchors = self.none.iter().filter_map(|absent| absent.reach);
        for anchor in anchors.map(|reach| reach.anchor) {
            if anchor as u64 >= positives {
                return Err(format!(
                    "anchor {anchor} is out of range: it must be less than {positives}, \
                     the number of events of the match"
                ));
            }
        }
        Ok(())
    }
}
