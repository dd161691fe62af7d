//! The year of stamps that state none, taken from other evidence and never from the clock.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::model::{Event, Stamp};

const DAY: i128 = 86_400_000_000_000;

/// Gives stamps without a year the latest one in which they are not after the reference: the given
/// time, or the latest stamp of the input that states its year. Without a reference they stay as
/// they are.
pub(crate) fn settle<'e, 'a: 'e>(
    events: impl Iterator<Item = &'e mut Event<'a>>,
    reference: Option<Timestamp>,
) {
    let mut without = Vec::new();
    let mut latest: Option<i128> = None;
    for event in events {
        match &mut event.time {
            Some(stamp) if stamp.year_stated => latest = latest.max(Some(stamp.nanos)),
            Some(stamp) => without.push(stamp),
            None => {}
        }
    }
    let Some(limit) = reference.map(|now| now.as_nanosecond()).or(latest) else {
        return;
    };
    for stamp in without {
        if let Some(nanos) = in_year_before(stamp, limit) {
            stamp.nanos = nanos;
            stamp.year_stated = true;
        }
    }
}

/// The stamp's month, day and time in the year that puts it last before the limit; a day's grace is
/// left for clocks and zones that differ.
pub(crate) fn in_year_before(stamp: &Stamp, limit: i128) -> Option<i128> {
    let year = Timestamp::from_nanosecond(limit)
        .ok()?
        .to_zoned(TimeZone::UTC)
        .year();
    let own = stamp.timestamp()?.to_zoned(TimeZone::UTC);
    [year, year - 1, year - 4].into_iter().find_map(|year| {
        let date = Date::new(year, own.month(), own.day()).ok()?;
        let moment = date.to_datetime(own.time()).to_zoned(TimeZone::UTC).ok()?;
        let nanos = moment.timestamp().as_nanosecond();
        (nanos <= limit + DAY).then_some(nanos)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(month_day: &str, limit: &str) -> String {
        let base: Timestamp = format!("1970-{month_day}T10:00:00Z").parse().unwrap();
        let stamp = Stamp {
            nanos: base.as_nanosecond(),
            digits: 0,
            zone_stated: false,
            year_stated: false,
        };
        let limit: Timestamp = limit.parse().unwrap();
        let nanos = in_year_before(&stamp, limit.as_nanosecond()).unwrap();
        Timestamp::from_nanosecond(nanos).unwrap().to_string()
    }

    #[test]
    fn the_year_is_the_latest_that_fits() {
        assert_eq!(
            settled("03-04", "2024-03-05T00:00:00Z"),
            "2024-03-04T10:00:00Z"
        );
        assert_eq!(
            settled("12-31", "2024-01-02T00:00:00Z"),
            "2023-12-31T10:00:00Z"
        );
    }
}
