//! The year of stamps that state none, taken from other evidence and never from the clock.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::model::Stamp;

const DAY: i128 = 86_400_000_000_000;

/// A stamp without a year in the latest one in which it is not after the limit (the time at which the
/// input was made, or its latest stamp that states the year), in nanoseconds since 1970. None if
/// its year is stated.
pub(crate) fn settled(stamp: &Stamp, limit: i128) -> Option<Stamp> {
    if stamp.year_stated {
        return None;
    }
    Some(Stamp {
        nanos: in_year_before(stamp, limit)?,
        year_stated: true,
        ..*stamp
    })
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
