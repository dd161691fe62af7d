//! Infers the year of timestamps without one, from other evidence and never from the clock.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use kwhy_model::Stamp;

const DAY: i128 = 86_400_000_000_000;

/// Returns a timestamp without a year in the latest year that does not put it after the limit (the
/// time at which the input was collected, or its latest timestamp with a year), in nanoseconds
/// since 1970. Returns `None` if its year is stated.
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

/// Returns a timestamp without a year in the year that puts it closest to a moment (such as that of
/// the preceding record in the same log), in nanoseconds since 1970. Returns `None` if its year is
/// stated.
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

/// Returns the timestamp's month, day and time in a year.
fn in_year(stamp: &Stamp, year: i16) -> Option<i128> {
    let own = stamp.timestamp()?.to_zoned(TimeZone::UTC);
    let date = Date::new(year, own.month(), own.day()).ok()?;
    let moment = date.to_datetime(own.time()).to_zoned(TimeZone::UTC).ok()?;
    Some(moment.timestamp().as_nanosecond())
}

/// Returns the timestamp's month, day and time in the latest year before the limit, with a
/// tolerance of one day for different clocks and zones.
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
