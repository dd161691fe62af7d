//! Times in JSON, as displayed: RFC 3339, without the year if it is unknown.

use std::str::FromStr;

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Stamp;

impl From<Timestamp> for Stamp {
    /// Converts a time, keeping all digits of its fraction.
    fn from(time: Timestamp) -> Stamp {
        of_text(&time.to_string(), time, true)
    }
}

impl FromStr for Stamp {
    type Err = jiff::Error;

    /// Parses the output of `Display`. A time without a year is in 1970, or in 1972 on a leap day; the zone counts as
    /// stated.
    fn from_str(text: &str) -> Result<Stamp, jiff::Error> {
        let error = match text.parse() {
            Ok(time) => return Ok(of_text(text, time, true)),
            Err(error) => error,
        };
        // 1972 is for leap days
        let mut years = ["1970", "1972"].into_iter();
        let time = years.find_map(|year| format!("{year}-{text}Z").parse().ok());
        time.map(|time| of_text(text, time, false)).ok_or(error)
    }
}

/// Returns the time with as many fraction digits as the text has.
fn of_text(text: &str, time: Timestamp, year_stated: bool) -> Stamp {
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    Stamp {
        nanos: time.as_nanosecond(),
        digits: u8::try_from(digits.min(9)).unwrap_or(9),
        zone_stated: true,
        year_stated,
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Stamp, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Stamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "RFC 3339, without the year and the zone where no year is known (`03-04T05:06:07.25`).",
            "type": "string",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stay_as_they_are() {
        for (text, digits, year_stated) in [
            ("2024-03-04T05:06:07Z", 0, true),
            ("2024-03-04T05:06:07.250000Z", 6, true),
            ("03-04T05:06:07.25", 2, false),
            ("02-29T05:06:07", 0, false),
        ] {
            let stamp: Stamp = text.parse().unwrap();
            assert_eq!((stamp.digits, stamp.year_stated), (digits, year_stated));
            let json = serde_json::to_string(&stamp).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Stamp>(&json).unwrap(), stamp);
        }
        let far = Stamp {
            nanos: i128::MAX,
            digits: 0,
            zone_stated: true,
            year_stated: true,
        };
        let json = serde_json::to_string(&far).unwrap();
        assert_eq!(json, r#""9999-12-30T22:00:00Z""#);
        assert!(serde_json::from_str::<Stamp>(&json).is_ok());
        for wrong in ["", "18m ago", "5m", "02-30T05:06:07", "2024-03-04"] {
            assert!(wrong.parse::<Stamp>().is_err(), "{wrong}");
        }
    }
}
