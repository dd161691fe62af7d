//! Times and ages in JSON: `{"at": "2024-03-04T05:06:07Z"}` and `{"ago_s": 1080, "resolution_s": 60}`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Age, Stamp};

/// A time in JSON.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Time"))]
#[serde(deny_unknown_fields)]
struct TimeJson {
    /// The time in RFC 3339, with as many digits of the second's fraction as were printed.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    at: String,
    /// False if the input did not state the time zone: UTC is taken then.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    zone_stated: bool,
    /// False if the input did not state the year, and nothing else in it does: 1970, or 1972 for a leap day, is written then.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    year_stated: bool,
}

/// An age in JSON.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Age"))]
#[serde(deny_unknown_fields)]
struct AgeJson {
    /// Seconds back from the time at which the input was collected.
    ago_s: u64,
    /// The last unit that was printed, in seconds: it may be older by less than this.
    resolution_s: u64,
}

fn yes() -> bool {
    true
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let json = TimeJson {
            at: self.rfc3339().to_string(),
            zone_stated: self.zone_stated,
            year_stated: self.year_stated,
        };
        json.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Stamp, D::Error> {
        let json = TimeJson::deserialize(from)?;
        let time: jiff::Timestamp = json.at.parse().map_err(serde::de::Error::custom)?;
        Ok(Stamp {
            nanos: time.as_nanosecond(),
            digits: fraction_digits(&json.at),
            zone_stated: json.zone_stated,
            year_stated: json.year_stated,
        })
    }
}

/// Returns the number of digits of the second's fraction in a time.
///
/// ```
/// assert_eq!(kwhy_model::fraction_digits("2024-03-04T05:06:07.250Z"), 3);
/// ```
pub fn fraction_digits(time: &str) -> u8 {
    let fraction = time.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    u8::try_from(digits.min(9)).unwrap_or(9)
}

impl Serialize for Age {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let json = AgeJson {
            ago_s: self.seconds,
            resolution_s: self.resolution,
        };
        json.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Age, D::Error> {
        let json = AgeJson::deserialize(from)?;
        Ok(Age {
            seconds: json.ago_s,
            resolution: json.resolution_s,
        })
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator};

    use super::{AgeJson, TimeJson};
    use crate::{Age, Stamp};

    macro_rules! as_json {
        ($type:ty, $json:ty) => {
            impl JsonSchema for $type {
                fn schema_name() -> Cow<'static, str> {
                    <$json>::schema_name()
                }

                fn schema_id() -> Cow<'static, str> {
                    <$json>::schema_id()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    <$json>::json_schema(generator)
                }
            }
        };
    }

    as_json!(Stamp, TimeJson);
    as_json!(Age, AgeJson);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stay_as_they_are() {
        for (json, digits) in [
            (r#"{"at":"2024-03-04T05:06:07Z"}"#, 0),
            (r#"{"at":"2024-03-04T05:06:07.250000Z"}"#, 6),
            (
                r#"{"at":"1972-02-29T05:06:07.1Z","zone_stated":false,"year_stated":false}"#,
                1,
            ),
        ] {
            let stamp: Stamp = serde_json::from_str(json).unwrap();
            assert_eq!(stamp.digits, digits);
            assert_eq!(serde_json::to_string(&stamp).unwrap(), json);
        }
        let age = r#"{"ago_s":18000,"resolution_s":3600}"#;
        let read: Age = serde_json::from_str(age).unwrap();
        assert_eq!(read, Age::parse("5h").unwrap());
        assert_eq!(serde_json::to_string(&read).unwrap(), age);
        for wrong in [
            r#"{"at":"03-04T05:06:07"}"#,
            r#"{"ago_s":5}"#,
            r#""18m ago""#,
        ] {
            assert!(serde_json::from_str::<Stamp>(wrong).is_err());
            assert!(serde_json::from_str::<Age>(wrong).is_err());
        }
    }

    #[test]
    fn a_time_outside_of_all_years_is_the_nearest_one() {
        let stamp = Stamp {
            nanos: i128::MAX,
            digits: 0,
            zone_stated: true,
            year_stated: true,
        };
        assert_eq!(
            serde_json::to_string(&stamp).unwrap(),
            r#"{"at":"9999-12-30T22:00:00Z"}"#
        );
    }
}
