//! The year of stamps that state none, taken from other evidence and never from the clock.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use kwhy_model::Stamp;

const DAY: i128 = 86_400_000_000_000;

/// A stamp without a year in the latest one in which it is not after the limit (the time at which the
/// input was made, or its latest stamp that states the year), in nanoseconds since 1970. None if
/// its year is stated.
pub fn settled(stamp: &Stamp, limit: i128) -> Option<Stamp> {
    if stamp.year_stated {
        return None;
    }
    Some(Stamp {
        nanos: in_year_before(stamp, limit)?,
        year_stated: true,
        ..*stamp
    })
}

/// A stamp without a year in the one that puts it nearest to a moment (a record's before it in the same
/// log, say), in nanoseconds since 1970. None if its year is stated.
pub fn nearest(stamp: &Stamp, moment: i128) -> Option<Stamp> {
    if stamp.year_stated {
        return None;
    }
    let year = year_of(moment)?;
    let in_years = [year, year - 1, year + 1];
    let found = in_years.into_iter().filter_map(|year| in_year(stamp, year));
    Some(Stamp {
        nanos: found.min_by_key(|nanos| (nanos - moment).abs())?,
        year_stated: true,
        ..*stamp
    })
}

fn year_of(moment: i128) -> Option<i16> {
    let moment = Timestamp::from_nanosecond(moment).ok()?;
    Some(moment.to_zoned(TimeZone::UTC).year())
}

/// The stamp's month, day and time in a year.
fn in_year(stamp: &Stamp, year: i16) -> Option<i128> {
    let own = stamp.timestamp()?.to_zoned(TimeZone::UTC);
    let date = Date::new(year, own.month(), own.day()).ok()?;
    let moment = date.to_datetime(own.time()).to_zoned(TimeZone::UTC).ok()?;
    Some(moment.timestamp().as_nanosecond())
}

/// The stamp's month, day and time in the year that puts it last before the limit; a day's grace is
/// left for clocks and zones that differ.
pub(crate) fn in_year_before(stamp: &Stamp, limit: i128) -> Option<i128> {
    let year = year_of(limit)?;
    [year, year - 1, year - 4]
        .into_iter()
        .filter_map(|year| in_year(stamp, year))
        .find(|nanos| *nanos <= limit + DAY)
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

    fn nearest_to(month_day: &str, moment: &str) -> String {
        let base: Timestamp = format!("1970-{month_day}T10:00:00Z").parse().unwrap();
        let stamp = Stamp {
            nanos: base.as_nanosecond(),
            digits: 0,
            zone_stated: false,
            year_stated: false,
        };
        let moment: Timestamp = moment.parse().unwrap();
        let found = nearest(&stamp, moment.as_nanosecond()).unwrap();
        assert!(found.year_stated && nearest(&found, 0).is_none());
        found.to_string()
    }

    #[test]
    fn the_year_is_the_nearest() {
        for (month_day, moment, expected) in [
            ("06-12", "2024-05-17T00:00:00Z", "2024-06-12T10:00:00Z"),
            ("12-31", "2024-01-02T00:00:00Z", "2023-12-31T10:00:00Z"),
            ("01-01", "2023-12-30T00:00:00Z", "2024-01-01T10:00:00Z"),
        ] {
            assert_eq!(nearest_to(month_day, moment), expected);
        }
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
