//! Counts of records over time, by severity.
//!
//! Memory is bounded by counting in buckets of equal width. Only non-empty buckets are kept, at
//! most `MAX_BUCKETS`; if these are not enough, the next width of `WIDTHS` is used. Each width
//! divides the next and all are aligned to 1970, so a wider bucket is the sum of narrower ones, and
//! the result depends only on the set of records: not on their order, nor on how they were split
//! over merged timelines. A few outlying times take a few buckets and leave the width unchanged, as
//! gaps take none.

mod axis;

use jiff::Timestamp;

use crate::infer_year;
use kwhy_model::{Severity, Stamp};

use axis::Axis;

/// The maximum number of buckets.
const MAX_BUCKETS: usize = 512;

/// The widths of buckets in seconds. Each divides the next; the last is sufficient for all times
/// with four-digit years.
const WIDTHS: [i64; 22] = [
    1,
    5,
    10,
    30,
    60,
    300,
    600,
    1800,
    3600,
    3 * 3600,
    6 * 3600,
    12 * 3600,
    DAY,
    5 * DAY,
    10 * DAY,
    50 * DAY,
    100 * DAY,
    500 * DAY,
    1000 * DAY,
    5000 * DAY,
    10_000 * DAY,
    50_000 * DAY,
];
const DAY: i64 = 86_400;

/// Counts records over time by severity, in bounded memory.
///
/// Records whose times have no year are counted separately until [`Timeline::settle`].
///
/// ```
/// use kwhy_model::{Severity, Stamp};
/// use kwhy_parse::timeline::Timeline;
/// let at = |seconds: i128| {
///     Some(Stamp { nanos: seconds * 1_000_000_000, digits: 0, zone_stated: true, year_stated: true })
/// };
/// let (mut one, mut other) = (Timeline::new(), Timeline::new());
/// one.add(at(1_709_528_767), Some(Severity::Error));
/// other.add(at(1_709_528_767), Some(Severity::Info));
/// other.add(at(1_709_528_790), None);
/// other.add(None, Some(Severity::Warning));
/// one.merge(other);
/// let report = one.report();
/// assert_eq!(report.bucket_seconds, 1);
/// assert_eq!(report.buckets[0].start.to_string(), "2024-03-04T05:06:07Z");
/// assert_eq!((report.buckets[0].counts.error, report.buckets[0].counts.info), (1, 1));
/// assert_eq!(report.buckets[1].counts.other, 1);
/// assert_eq!(report.without_time.warning, 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Times with a year.
    dated: Axis,
    /// Times without a year, in 1970.
    yearless: Axis,
    /// The latest time with a year.
    latest: Option<i128>,
    without_time: Counts,
}

/// The number of records of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Counts {
    /// Fatal ones.
    pub fatal: u64,
    /// Errors.
    pub error: u64,
    /// Warnings.
    pub warning: u64,
    /// Information.
    pub info: u64,
    /// Debugging, and records without a severity.
    pub other: u64,
}

impl Counts {
    fn add(&mut self, severity: Option<Severity>) {
        let count = match severity {
            Some(Severity::Fatal) => &mut self.fatal,
            Some(Severity::Error) => &mut self.error,
            Some(Severity::Warning) => &mut self.warning,
            Some(Severity::Info) => &mut self.info,
            Some(Severity::Debug) | None => &mut self.other,
        };
        *count += 1;
    }

    fn merge(&mut self, other: &Counts) {
        self.fatal += other.fatal;
        self.error += other.error;
        self.warning += other.warning;
        self.info += other.info;
        self.other += other.other;
    }

    /// Returns the number of records of all severities.
    pub fn total(&self) -> u64 {
        self.fatal + self.error + self.warning + self.info + self.other
    }
}

/// Records over time by severity.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TimelineReport {
    /// The width of a bucket in seconds.
    pub bucket_seconds: u64,
    /// The non-empty buckets, in chronological order.
    pub buckets: Vec<TimelineBucket>,
    /// Records without a time.
    pub without_time: Counts,
}

/// A time span that contains records.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TimelineBucket {
    /// The start.
    pub start: Stamp,
    /// The records in it.
    #[serde(flatten)]
    pub counts: Counts,
}

impl Timeline {
    /// Creates a timeline without records.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a record.
    pub fn add(&mut self, time: Option<Stamp>, severity: Option<Severity>) {
        match time {
            Some(stamp) if stamp.year_stated => {
                self.latest = self.latest.max(Some(stamp.nanos));
                self.dated.at(stamp.nanos).add(severity);
            }
            Some(stamp) => self.yearless.at(stamp.nanos).add(severity),
            None => self.without_time.add(severity),
        }
    }

    /// Adds another timeline's records. The result is the same for any split of the records and any
    /// order of merges.
    pub fn merge(&mut self, other: Timeline) {
        self.dated.merge(&other.dated);
        self.yearless.merge(&other.yearless);
        self.latest = self.latest.max(other.latest);
        self.without_time.merge(&other.without_time);
    }

    /// Gives each time without a year the latest year that does not put it after the reference: the
    /// given time, or the latest time with a year. Without a reference the year stays unknown. Call
    /// this after all records are counted; a whole bucket is assigned to one year, that of its
    /// start.
    pub fn settle(&mut self, reference: Option<Timestamp>) {
        let limit = reference.map(|now| now.as_nanosecond()).or(self.latest);
        if let Some(limit) = limit {
            let yearless = std::mem::take(&mut self.yearless);
            self.dated.merge_moved(&yearless, |nanos| {
                infer_year::in_year_before(&stamp(nanos, false), limit).unwrap_or(nanos)
            });
        }
    }

    /// Returns the counts so far. Times without a year are settled by the latest time with one; if
    /// there is none, they are reported without a year.
    pub fn report(&self) -> TimelineReport {
        let mut settled = self.clone();
        settled.settle(None);
        let year_stated = settled.yearless.is_empty();
        let axis = if year_stated {
            &settled.dated
        } else {
            &settled.yearless
        };
        let buckets = axis.buckets().map(|(nanos, counts)| TimelineBucket {
            start: stamp(nanos, year_stated),
            counts: *counts,
        });
        TimelineReport {
            bucket_seconds: axis.width().unsigned_abs(),
            buckets: buckets.collect(),
            without_time: self.without_time,
        }
    }
}

fn stamp(nanos: i128, year_stated: bool) -> Stamp {
    Stamp {
        nanos: nanos.max(Timestamp::MIN.as_nanosecond()),
        digits: 0,
        zone_stated: true,
        year_stated,
    }
}

#[cfg(test)]
mod tests;
