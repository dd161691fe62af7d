//! The period in which events count.

use kwhy_model::Event;
use kwhy_parse::infer_year;

/// A period in nanoseconds since 1970. Events without a known time are always in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeRange {
    /// The earliest time.
    pub since: Option<i128>,
    /// The latest time.
    pub until: Option<i128>,
    /// The time at which the input was collected, from which ages count back.
    pub now: Option<i128>,
}

impl TimeRange {
    /// Returns true if an event was last seen in it. A time without a year is taken to be in the year nearest to the
    /// period.
    pub fn holds(&self, event: &Event<'_>) -> bool {
        let Some(near) = self.until.or(self.since) else {
            return true;
        };
        let enveloped = event.envelope.as_ref().and_then(|envelope| envelope.time);
        let stamp = event
            .time
            .or(enveloped)
            .map(|stamp| infer_year::nearest(&stamp, near).unwrap_or(stamp));
        let time = match (stamp, event.age, self.now) {
            (Some(stamp), _, _) => stamp.nanos,
            (None, Some(age), Some(now)) => now - i128::from(age.seconds) * 1_000_000_000,
            _ => return true,
        };
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time <= until)
    }
}
